"""Prints the evidence of a question: what was understood, the forest as trees, and why."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, TypeAlias

import typer
from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from graphmemix.archive import Archive
from graphmemix.cli.output import counted, one_line, out
from graphmemix.cli.terminal import visible
from graphmemix.encode.views import all_words
from graphmemix.evidence import EvidenceNode, Forest, StageCost, Trace
from graphmemix.memory import Memory
from graphmemix.optimize.explanation import explain
from graphmemix.read.chance import chance_of, in_words
from graphmemix.settings import Settings

TraceOption: TypeAlias = Annotated[
    bool,
    typer.Option("--trace", help="Also say why each candidate was chosen or left out."),
]
TraceJsonOption: TypeAlias = Annotated[
    bool, typer.Option("--json", help="Print the whole trace as JSON.")
]

_CONSTRAINTS = {"time", "place", "person", "media"}  # see retrieve.question.described
_SHOWN = 100  # characters of a memory
_PIPE_WIDTH = 240  # columns: a rank, a date, a name and so many characters, indented a few times


def open_to_ask(location: str, encoder: str | None, settings: Settings) -> Archive:
    """Open for reading; each trace is saved by a short write after the answer."""
    return Archive.open(location, mode="read", encoder=encoder, settings=settings, keep_traces=True)


def memories_of(archive: Archive, trace: Trace) -> dict[str, Memory]:
    """Return the memories that a trace names: candidates and skipped duplicates."""
    named = [candidate.memory_id for candidate in trace.candidates]
    return archive.store.get_many([*named, *(passed for passed, _ in trace.duplicates)])


def show_failures(console: Console, failures: Sequence[str]) -> None:
    """Print which models failed, and what stood in for them."""
    for note in failures:
        console.print(f"Note: {note}.", style="bold")


def show_evidence(
    console: Console,
    archive: Archive,
    trace: Trace,
    *,
    explained: bool,
    known: Collection[str] = (),
) -> None:
    """Print the forest; with `explained`, also reasons and costs.

    Args:
        console: Where to.
        archive: Where the memories are.
        trace: What was found.
        explained: Whether to print reasons and costs.
        known: Notes of the trace that were printed before.
    """
    memories = memories_of(archive, trace)
    show_chance(console, trace, archive.settings, with_number=explained)
    for note in trace.notes:
        if note in known:
            continue
        what = "understood: " if note.partition(":")[0] in _CONSTRAINTS else ""
        console.print(f"{what}{note}", style="dim")
    show_forest(console, trace, memories)
    if not explained:
        return
    show_reasons(console, trace, memories, archive.settings)
    console.print()
    for cost in trace.costs:
        console.print(cost_line(cost), style="dim")
    console.print(f"trace {trace.id or 'not saved'}", style="dim")


def show_chance(
    console: Console, trace: Trace, settings: Settings, *, with_number: bool = False
) -> None:
    """Print in words whether the archive holds the answer, if that was judged."""
    words = in_words(trace, settings.reader)
    if words:
        number = f" (chance {chance_of(trace):.0%})" if with_number else ""
        console.print(f"{words}{number}", style="dim")


def cost_line(cost: StageCost) -> str:
    """Return what a stage took, in one line."""
    line = f"{cost.stage}: {cost.seconds * 1000:.1f} ms"
    if cost.calls:
        line += f", {counted(cost.calls, 'call')}, {cost.input_tokens + cost.output_tokens} tokens"
        line += f", {cost.cached_tokens} of them cached" if cost.cached_tokens else ""
    return line


def show_reasons(
    console: Console, trace: Trace, memories: Mapping[str, Memory], settings: Settings
) -> None:
    """Print whether each candidate was chosen, and why."""
    console.print()
    for each in explain(trace, settings):
        line = memory_line(memories.get(each.memory_id))
        console.print(Text.assemble((each.fate.replace("_", " "), "bold"), f"  {line}"))
        for reason in each.reasons:
            console.print(f"    {reason}", style="dim")


def wide_console() -> Console:
    """Return a console that does not truncate lines in a pipe, which has no width."""
    console = out()
    return console if console.is_terminal else out(width=_PIPE_WIDTH)


def show_forest(console: Console, trace: Trace, memories: Mapping[str, Memory]) -> None:
    """Print the forest of a trace, and how it was chosen."""
    forest = trace.forest
    if forest is None or not forest.trees:
        console.print("No memory matches the question.")
        return
    ranks = {memory_id: i + 1 for i, memory_id in enumerate(forest.memory_ids)}
    for tree in forest.trees:
        branches: dict[str, Tree] = {}
        for node in tree.nodes:
            label = _label(node, ranks[node.memory_id], memories.get(node.memory_id))
            if node.parent_id is None:
                branches[node.memory_id] = Tree(label, guide_style="dim")
            else:
                branches[node.memory_id] = branches[node.parent_id].add(label)
        console.print(branches[tree.root.memory_id])
    console.print(how_chosen(trace, forest), style="dim")


def how_chosen(trace: Trace, forest: Forest) -> str:
    """Return in one line how the forest was chosen."""
    chosen = len(forest.memory_ids)
    proven = "proven optimal" if forest.proven_optimal else "not proven optimal"
    seconds = sum(cost.seconds for cost in trace.costs)
    line = (
        f"{chosen} of {counted(len(trace.candidates), 'candidate')}, "
        f"{counted(len(forest.links), 'link')}; {proven} ({forest.method}); {seconds:.2f} s"
    )
    calls = sum(cost.calls for cost in trace.costs)
    return f"{line}, {counted(calls, 'model call')}" if calls else line


def _label(node: EvidenceNode, rank: int, memory: Memory | None) -> Text:
    label = Text.assemble((f"[{rank}]", "bold"), f" {node.utility:.2f}")
    # The link comes first, because a narrow terminal cuts the end of the line.
    if node.role is not None:
        gain = "" if node.gain is None else f" {node.gain:+.3f}"
        label.append(f"  {node.role.replace('_', ' ')}{gain}", "italic dim")
    return label.append(f"  {memory_line(memory)}")


def memory_line(memory: Memory | None) -> str:
    """Return a memory in one line: kind, date, author, place and its first words."""
    if memory is None:
        return "(erased)"
    parts: list[str] = [memory.kind]
    if memory.timestamp is not None:
        parts.append(f"{memory.timestamp:%Y-%m-%d}")
    if memory.speaker:
        parts.append(memory.speaker)
    words = all_words(replace(memory, speaker=None))  # the speaker is shown already
    if not words.strip():
        names = ", ".join(medium.name for medium in memory.media if medium.name)
        words = names or memory.source_id
    place = f" @ {memory.place.name}" if memory.place is not None and memory.place.name else ""
    return f"{visible(', '.join(parts) + place)}: {one_line(words, _SHOWN)}"
