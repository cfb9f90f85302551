"""``graphmemix candidates``: which memories were considered, and why."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console

from graphmemix.cli.ids import short_ids
from graphmemix.cli.options import (
    ArchiveArgument,
    AskedAtOption,
    AsOfOption,
    EncoderOption,
    ImageOption,
    JsonOption,
    KindOption,
    NearOption,
    PersonOption,
    ProfileOption,
    QuestionArgument,
    SessionOption,
    SetOption,
    SinceOption,
    UntilOption,
    filter_from,
    question_of,
    settings_from,
    wanted_by,
)
from graphmemix.cli.output import counted, one_line, open_existing, out
from graphmemix.cli.tables import show_rows
from graphmemix.cli.terminal import say
from graphmemix.encode.views import all_words
from graphmemix.evidence import Candidate, CandidateGraph

_COLUMNS = ("", "score", "cosine", "words", "match", "memory", "text", "reached by")
_NARROW = ("", "score", "cos", "word", "fact", "memory", "text", "reached by")  # 80 columns
_SHOWN = 60  # characters of a memory's text


def command(
    archive: ArchiveArgument,
    question: QuestionArgument,
    *,
    since: SinceOption = None,
    until: UntilOption = None,
    kind: KindOption = None,
    person: PersonOption = None,
    near: NearOption = None,
    session: SessionOption = None,
    image: ImageOption = None,
    asked_at: AskedAtOption = None,
    as_of: AsOfOption = None,
    encoder: EncoderOption = None,
    profile: ProfileOption = None,
    override: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a question's candidates: scores, seeds, and how the others were reached.

    Example: graphmemix candidates ~/archives/family "Who has our spare key?" --set graph.hops=2
    """
    asked = question_of(question, image, asked_at, as_of)
    settings = settings_from(profile, override)
    wanted = wanted_by(since, until, kind, person, near, session)
    with open_existing(archive, encoder=encoder, settings=settings) as opened:
        graph = opened.candidates(asked, filter=filter_from(opened, wanted))
        if as_json:
            say(graph.to_json())
            return
        memories = opened.store.get_many(each.memory_id for each in graph.candidates)
        texts = {memory_id: all_words(memory) for memory_id, memory in memories.items()}
        console = out()
        ids = short_ids(opened.store, texts) if console.is_terminal else {}
    _show(console, graph, texts, ids)


def _show(
    console: Console, graph: CandidateGraph, texts: Mapping[str, str], ids: Mapping[str, str]
) -> None:
    for note in graph.notes:
        console.print(f"understood: {note}", markup=False)
    rows = [_row(rank, each, texts, ids) for rank, each in enumerate(graph.candidates, start=1)]
    show_rows(console, _NARROW if ids else _COLUMNS, rows, texts=("text", "reached by"))
    candidates, edges = len(graph.candidates), len(graph.edges)
    console.print(f"{counted(candidates, 'candidate')}, {counted(edges, 'edge')} between them")


def _row(
    rank: int, candidate: Candidate, texts: Mapping[str, str], ids: Mapping[str, str]
) -> tuple[str, ...]:
    numbers = (candidate.score, candidate.dense, candidate.lexical, candidate.matched)
    memory_id = candidate.memory_id
    text = one_line(texts.get(memory_id, ""), _SHOWN)
    shown = (_short(number) if ids else f"{number:.3f}" for number in numbers)
    return (str(rank), *shown, ids.get(memory_id, memory_id), text, _how(candidate, ids))


def _short(number: float) -> str:
    """Return a number as ``.51``: several fit on a line."""
    return f"{number:.2f}".replace("0.", ".", 1)


def _how(candidate: Candidate, ids: Mapping[str, str]) -> str:
    if candidate.seed_rank is not None:
        return f"seed {candidate.seed_rank + 1}"
    best = candidate.via[0]
    relation = best.relation.replace("_", " ")
    # On a terminal the end may be cut, and an id never is.
    short = ids.get(best.seed_id)
    return f"{short} {relation}" if short else f"{best.relation} of {best.seed_id}"
