"""``graphmemix candidates``: which memories could answer, and why they are there."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from graphmemix.archive import Archive
from graphmemix.cli.options import settings_from
from graphmemix.cli.question import question_of
from graphmemix.evidence import Candidate, CandidateGraph

_COLUMNS = ("", "score", "cosine", "words", "match", "memory", "text", "reached by")
_SHOWN = 60  # characters of a memory's text


def command(
    archive: Annotated[str, typer.Argument(help="A folder, or postgresql://…/database#NAME.")],
    question: Annotated[str, typer.Argument(help="What to ask.")],
    *,
    image: Annotated[list[Path] | None, typer.Option(help="A picture to ask with.")] = None,
    asked_at: Annotated[
        str | None, typer.Option(help="When the question is asked (ISO); dates relate to it.")
    ] = None,
    as_of: Annotated[str | None, typer.Option(help="Hide what came later (ISO).")] = None,
    encoder: Annotated[str | None, typer.Option(help="Such as clip:FOLDER.")] = None,
    profile: Annotated[str | None, typer.Option(help="default or paper.")] = None,
    override: Annotated[
        list[str] | None, typer.Option("--set", help="KEY=VALUE, such as graph.hops=2.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For machines.")] = False,
) -> None:
    """Show the candidate graph of a question: scores, seeds, and how others were reached."""
    asked = question_of(question, image, asked_at, as_of)
    settings = settings_from(profile, override)
    with Archive.open(archive, mode="read", encoder=encoder, settings=settings) as opened:
        graph = opened.candidates(asked)
        if as_json:
            typer.echo(graph.to_json())
            return
        memories = opened.store.get_many(each.memory_id for each in graph.candidates)
        texts = {memory_id: memory.text for memory_id, memory in memories.items()}
    _show(graph, texts)


def _show(graph: CandidateGraph, texts: dict[str, str]) -> None:
    """Print a table for a terminal; for a pipe plain lines, with a tab between columns."""
    console = Console(soft_wrap=True)
    for note in graph.notes:
        console.print(f"understood: {note}", markup=False)
    rows = [_row(rank, each, texts) for rank, each in enumerate(graph.candidates, start=1)]
    if console.is_terminal:
        table = Table(*_COLUMNS, box=None)
        for row in rows:
            table.add_row(*map(escape, row))
        console.print(table)
    else:
        for row in (_COLUMNS, *rows):
            typer.echo("\t".join(row))
    console.print(f"{len(graph.candidates)} candidates, {len(graph.edges)} edges among them")


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
