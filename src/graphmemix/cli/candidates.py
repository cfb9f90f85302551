"""``graphmemix candidates``: which memories were considered, and why."""

from __future__ import annotations

from graphmemix.cli.options import (
    ArchiveArgument,
    AskedAtOption,
    AsOfOption,
    EncoderOption,
    ImageOption,
    JsonOption,
    ProfileOption,
    QuestionArgument,
    SetOption,
    question_of,
    settings_from,
)
from graphmemix.cli.output import counted, open_existing, out, show_rows
from graphmemix.cli.terminal import say
from graphmemix.evidence import Candidate, CandidateGraph

_COLUMNS = ("", "score", "cosine", "words", "match", "memory", "text", "reached by")
_SHOWN = 60  # characters of a memory's text


def command(
    archive: ArchiveArgument,
    question: QuestionArgument,
    *,
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
    with open_existing(archive, encoder=encoder, settings=settings) as opened:
        graph = opened.candidates(asked)
        if as_json:
            say(graph.to_json())
            return
        memories = opened.store.get_many(each.memory_id for each in graph.candidates)
        texts = {memory_id: memory.text for memory_id, memory in memories.items()}
    _show(graph, texts)


def _show(graph: CandidateGraph, texts: dict[str, str]) -> None:
    console = out()
    for note in graph.notes:
        console.print(f"understood: {note}", markup=False)
    rows = [_row(rank, each, texts) for rank, each in enumerate(graph.candidates, start=1)]
    show_rows(console, _COLUMNS, rows)
    candidates, edges = len(graph.candidates), len(graph.edges)
    console.print(f"{counted(candidates, 'candidate')}, {counted(edges, 'edge')} between them")


def _row(rank: int, candidate: Candidate, texts: dict[str, str]) -> tuple[str, ...]:
    numbers = (candidate.score, candidate.dense, candidate.lexical, candidate.matched)
    text = " ".join(texts.get(candidate.memory_id, "").split())[:_SHOWN]
    shown = (f"{number:.3f}" for number in numbers)
    return (str(rank), *shown, candidate.memory_id, text, _how(candidate))


def _how(candidate: Candidate) -> str:
    if candidate.seed_rank is not None:
        return f"seed {candidate.seed_rank + 1}"
    best = candidate.via[0]
    return f"{best.relation} of {best.seed_id}"
