"""An evidence forest for the terminal: trees with roots, roles and gains."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from graphmemix.cli.output import one_line, out
from graphmemix.cli.terminal import visible
from graphmemix.encode.views import all_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graphmemix.evidence import EvidenceNode, Forest, Trace
    from graphmemix.memory import Memory

_SHOWN = 100  # characters of a memory
_PIPE_WIDTH = 240  # columns: a rank, a date, a name and so many characters, indented a few times


def wide_console() -> Console:
    """Return a console that cuts nothing off in a pipe, where there is no width to keep to."""
    console = out()
    return console if console.is_terminal else out(width=_PIPE_WIDTH)


def show_forest(console: Console, trace: Trace, memories: Mapping[str, Memory]) -> None:
    """Print the forest of a trace, and how it was chosen."""
    forest = trace.forest
    if forest is None or not forest.trees:
        console.print("Nothing in the archive comes near.")
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
    """Say in one line how the forest came about."""
    chosen = len(forest.memory_ids)
    proven = "proven optimal" if forest.proven_optimal else "not proven optimal"
    seconds = sum(cost.seconds for cost in trace.costs)
    told = (
        f"{chosen} of {len(trace.candidates)} candidates, {len(forest.links)} links; "
        f"{proven} ({forest.method}); {seconds:.2f} s"
    )
    calls = sum(cost.calls for cost in trace.costs)
    return f"{told}, {calls} model calls" if calls else told


def _label(node: EvidenceNode, rank: int, memory: Memory | None) -> Text:
    label = Text.assemble((f"[{rank}]", "bold"), f" {node.utility:.2f}")
    # The link first: a narrow terminal cuts the memory's words, of which there are enough.
    if node.role is not None:
        gain = "" if node.gain is None else f" {node.gain:+.3f}"
        label.append(f"  {node.role.replace('_', ' ')}{gain}", "italic dim")
    return label.append(f"  {memory_line(memory)}")


def memory_line(memory: Memory | None) -> str:
    """Return a memory in one line: what it is, when, and its first words."""
    if memory is None:
        return "(erased)"
    parts: list[str] = [memory.kind]
    if memory.timestamp is not None:
        parts.append(f"{memory.timestamp:%Y-%m-%d}")
    if memory.speaker:
        parts.append(memory.speaker)
    words = all_words(replace(memory, speaker=None))  # who it was stands before
    if not words.strip():
        names = ", ".join(medium.name for medium in memory.media if medium.name)
        words = names or memory.source_id
    place = f" @ {memory.place.name}" if memory.place is not None and memory.place.name else ""
    return f"{visible(', '.join(parts) + place)}: {one_line(words, _SHOWN)}"
