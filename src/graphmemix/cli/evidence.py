"""Prints the evidence of a question: trees in the order of the answer, one line how, and why."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Final, TypeAlias

import typer
from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from graphmemix.archive import Archive
from graphmemix.cli.ids import short_ids, short_trace
from graphmemix.cli.options import PRINTING
from graphmemix.cli.output import counted, duration, memory_line, out, print_words
from graphmemix.evidence import EvidenceNode, EvidenceTree, Forest, Role, StageCost, Trace
from graphmemix.memory import Memory
from graphmemix.optimize.explanation import explain
from graphmemix.read.chance import chance_of, in_words
from graphmemix.settings import Settings
from graphmemix.text.dates.zones import shown_in

TraceOption: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--trace",
        help="Also show how it was found: numbers, why each candidate was chosen or not, time.",
        rich_help_panel=PRINTING,
    ),
]
TraceJsonOption: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--json",
        help="Print JSON: the answer, and the evidence with its words; with --trace everything.",
        rich_help_panel=PRINTING,
    ),
]

_CONSTRAINTS = {"time", "place", "person", "media"}  # see retrieve.question.described
ADDS: Final[Mapping[Role, str]] = {
    "new_fact": "adds",
    "clarification": "explains",
    "corroboration": "confirms",
    "redundant": "repeats",
    "conflict": "contradicts",
    "irrelevant": "",
}
_PIPE_WIDTH = 240  # columns: a rank, a date, a name and so many characters, indented a few times


def open_to_ask(location: str, encoder: str | None, settings: Settings) -> Archive:
    """Open for reading; each trace is saved by a short write after the answer."""
    return Archive.open(location, mode="read", encoder=encoder, settings=settings, keep_traces=True)


def memories_of(archive: Archive, trace: Trace) -> dict[str, Memory]:
    """Return the memories that a trace names: candidates and skipped duplicates."""
    named = [candidate.memory_id for candidate in trace.candidates]
    return archive.store.get_many([*named, *(passed for passed, _ in trace.duplicates)])


def shown_memories_of(archive: Archive, trace: Trace) -> dict[str, Memory]:
    """Return the memories that a trace names, with times by the clock of the archive's zone."""
    zone = archive.settings.ingest.zone

    def shown(memory: Memory) -> Memory:
        when = memory.timestamp
        return memory if when is None else replace(memory, timestamp=shown_in(when, zone))

    return {key: shown(memory) for key, memory in memories_of(archive, trace).items()}


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
    seconds: float | None = None,
    with_ids: bool = True,
) -> None:
    """Print the evidence and one line how it was found; with `explained`, all the rest.

    Args:
        console: Where to.
        archive: Where the memories are.
        trace: What was found.
        explained: Whether to print numbers, reasons and costs.
        known: Notes of the trace that were printed before.
        seconds: What it took, all in all; None for the sum of the stages.
        with_ids: Whether each memory is followed by its id, for `graphmemix show`.
    """
    memories = shown_memories_of(archive, trace)
    for note in trace.notes:
        if note not in known and not _is_understood(note):
            console.print(note, style="dim")
    if not trace.candidates and not archive.store.count():
        console.print("The archive is empty; fill it with: graphmemix ingest ARCHIVE FILES")
        return
    ids = short_ids(archive.store, chosen_ids(trace)) if with_ids else None
    _show_trees(console, trace, memories, ids=ids)
    print_words(console, how_found(trace, archive.settings, seconds), style="dim")
    if not explained:
        return
    console.print()
    show_chance(console, trace, archive.settings, with_number=True)
    show_forest(console, archive, trace, memories)
    show_reasons(console, trace, memories, archive.settings)
    console.print()
    for cost in trace.costs:
        console.print(cost_line(cost), style="dim")
    saved = f"trace {short_trace(trace.id)}" if trace.id else "the trace is not saved"
    console.print(saved, style="dim")


def _is_understood(note: str) -> bool:
    return note.partition(":")[0] in _CONSTRAINTS


def chosen_ids(trace: Trace) -> tuple[str, ...]:
    """Return the memories of the evidence, by rank."""
    return trace.forest.memory_ids if trace.forest else ()


def links_drawn(forest: Forest) -> int:
    """Return how many links the trees show; the solver's own list is of its first proposal."""
    return sum(node.parent_id is not None for tree in forest.trees for node in tree.nodes)


def how_found(trace: Trace, settings: Settings, seconds: float | None = None) -> str:
    """Return one line: whether the archive holds the answer, how much was chosen, what it took."""
    parts = [
        in_words(trace, settings.reader),
        _how_many(trace),
        *(f"understood: {note}" for note in trace.notes if _is_understood(note)),
        _took(trace, seconds),
    ]
    return "; ".join(filter(None, parts))


def _how_many(trace: Trace) -> str:
    if not trace.candidates:
        return ""
    links = links_drawn(trace.forest) if trace.forest else 0
    chosen = f"{len(chosen_ids(trace))} of {counted(len(trace.candidates), 'candidate')}"
    return f"{chosen}, {counted(links, 'link')}"


def _took(trace: Trace, seconds: float | None = None) -> str:
    spent = sum(cost.seconds for cost in trace.costs) if seconds is None else seconds
    calls = sum(cost.calls for cost in trace.costs)
    shown = duration(spent)
    return f"{shown}, {counted(calls, 'model call')}" if calls else shown


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
    for each in explain(trace, settings, memories):
        line = memory_line(memories.get(each.memory_id))
        fate = each.fate.replace("_", " ")
        print_words(console, Text.assemble((fate, "bold"), f"  {line}"))
        for reason in each.reasons:
            print_words(console, reason, style="dim", indent=4)


def wide_console() -> Console:
    """Return a console that does not truncate lines in a pipe, which has no width."""
    console = out()
    return console if console.is_terminal else out(width=_PIPE_WIDTH)


def show_forest(
    console: Console, archive: Archive, trace: Trace, memories: Mapping[str, Memory]
) -> None:
    """Print the forest of a trace with its numbers, and how it was chosen."""
    ids = short_ids(archive.store, chosen_ids(trace))
    _show_trees(console, trace, memories, ids=ids, numbers=True)
    if trace.forest is not None and trace.forest.trees:
        console.print(how_chosen(trace, trace.forest), style="dim")


def _show_trees(
    console: Console,
    trace: Trace,
    memories: Mapping[str, Memory],
    *,
    ids: Mapping[str, str] | None = None,
    numbers: bool = False,
) -> None:
    """Print the trees: by utility with numbers, in the order of the answer without."""
    forest = trace.forest
    if forest is None or not forest.trees:
        if not trace.candidates:
            console.print("No memory matches the question.")
        else:
            console.print("No memory is likely enough to be evidence.")
        return
    ranks = {memory_id: i + 1 for i, memory_id in enumerate(forest.memory_ids)}
    for tree in forest.trees if numbers else _as_answered(trace, forest):
        branches: dict[str, Tree] = {}
        for node in tree.nodes:
            rank, memory = ranks[node.memory_id], memories.get(node.memory_id)
            label = (_numbered if numbers else _plain)(node, rank, memory)
            if ids is not None:
                label.append(f"  {ids.get(node.memory_id, node.memory_id)}", "dim")
            if node.parent_id is None:
                branches[node.memory_id] = Tree(label, guide_style="dim")
            else:
                branches[node.memory_id] = branches[node.parent_id].add(label)
        # On a terminal, lines break between words and inside their branch.
        console.print(branches[tree.root.memory_id], soft_wrap=not console.is_terminal)


def _as_answered(trace: Trace, forest: Forest) -> list[EvidenceTree]:
    """Return the trees in the order in which the answer cites them; the others follow."""
    cited = [citation.memory_id for citation in trace.answer.citations] if trace.answer else []

    def first(tree: EvidenceTree) -> int:
        places = [cited.index(n.memory_id) for n in tree.nodes if n.memory_id in cited]
        return min(places, default=len(cited))

    return sorted(forest.trees, key=first)


def how_chosen(trace: Trace, forest: Forest) -> str:
    """Return in one line how the forest was chosen."""
    proven = "proven optimal" if forest.proven_optimal else "not proven optimal"
    return f"{_how_many(trace)}; {proven} ({forest.method}); {_took(trace)}"


def _plain(node: EvidenceNode, rank: int, memory: Memory | None) -> Text:
    label = Text.assemble((f"[{rank}]", "bold"))
    if node.role is not None and ADDS[node.role]:
        label.append(f" {ADDS[node.role]}:", "italic dim")
    return label.append(f" {memory_line(memory)}")


def _numbered(node: EvidenceNode, rank: int, memory: Memory | None) -> Text:
    label = Text.assemble((f"[{rank}]", "bold"), f" {node.utility:.2f}")
    # The link comes first, because a narrow terminal cuts the end of the line.
    if node.role is not None:
        gain = "" if node.gain is None else f" {node.gain:+.3f}"
        label.append(f"  {node.role.replace('_', ' ')}{gain}", "italic dim")
    return label.append(f"  {memory_line(memory)}")
