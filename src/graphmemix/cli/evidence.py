"""The evidence of a question as commands show it: what was understood, the forest, and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, TypeAlias

import typer
from rich.console import Console
from rich.text import Text

from graphmemix.archive import Archive
from graphmemix.cli.forest import memory_line, show_forest
from graphmemix.evidence import Trace
from graphmemix.memory import Memory
from graphmemix.optimize.explanation import explain
from graphmemix.settings import Settings

TraceOption: TypeAlias = Annotated[
    bool,
    typer.Option("--trace", help="Also say why each candidate was chosen or left out."),
]
TraceJsonOption: TypeAlias = Annotated[
    bool, typer.Option("--json", help="The whole trace, for machines.")
]

_CONSTRAINTS = {"time", "place", "person", "media"}  # see retrieve.question.described


def open_to_ask(location: str, encoder: str | None, settings: Settings) -> Archive:
    """Open for reading; traces are saved by a short write after the answer."""
    return Archive.open(location, mode="read", encoder=encoder, settings=settings, keep_traces=True)


def memories_of(archive: Archive, trace: Trace) -> dict[str, Memory]:
    """Return what a trace speaks of: candidates, and their duplicates."""
    named = [candidate.memory_id for candidate in trace.candidates]
    return archive.store.get_many([*named, *(passed for passed, _ in trace.duplicates)])


def show_evidence(console: Console, archive: Archive, trace: Trace, *, explained: bool) -> None:
    """Print the forest; if it is to be explained, also reasons and costs."""
    memories = memories_of(archive, trace)
    for note in trace.notes:
        what = "understood: " if note.partition(":")[0] in _CONSTRAINTS else ""
        console.print(f"{what}{note}", style="dim")
    show_forest(console, trace, memories)
    if not explained:
        return
    show_reasons(console, trace, memories, archive.settings)
    console.print()
    for cost in trace.costs:
        tokens = cost.input_tokens + cost.output_tokens
        told = f"{cost.stage}: {cost.seconds * 1000:.1f} ms"
        if cost.calls:
            told += f", {cost.calls} calls, {tokens} tokens"
        console.print(told, style="dim")
    console.print(f"trace {trace.id or 'not saved'}", style="dim")


def show_reasons(
    console: Console, trace: Trace, memories: Mapping[str, Memory], settings: Settings
) -> None:
    """Print what became of each candidate, and why."""
    console.print()
    for each in explain(trace, settings):
        line = memory_line(memories.get(each.memory_id))
        console.print(Text.assemble((each.fate.replace("_", " "), "bold"), f"  {line}"))
        for reason in each.reasons:
            console.print(f"    {reason}", style="dim")
