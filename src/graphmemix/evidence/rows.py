"""The evidence of a trace as rows, for tables, notebooks and other frameworks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphmemix.evidence.forest import Role, evidence_chance
from graphmemix.memory import Kind
from graphmemix.record import Record

if TYPE_CHECKING:
    from graphmemix.evidence.trace import Trace

__all__ = ["EvidenceRow", "evidence_rows"]


@dataclass(frozen=True)
class EvidenceRow(Record):
    """One memory of the evidence; a list of them is a table for pandas and polars.

    Attributes:
        rank: From 1, in reading order; the number in citations.
        memory: The memory's id.
        role: What it adds to the memory that it is linked to; None if it stands alone.
        parent: The rank of that memory; None if there is none.
        chance: The chance that it is evidence, 0 to 1; if a model judged alone, its utility, which
            is no chance but on the same scale.
        quote: The words that the answer cites, or else all that a reader gets of it.
        kind: What it is; None if the reader does not see it.
        date: Day and time, by the archive's clock; empty if unknown.
        speaker: Who wrote, said or took it; empty if unknown.
        place: Where; empty if unknown.
    """

    rank: int
    memory: str
    role: Role | None
    parent: int | None
    chance: float
    quote: str
    kind: Kind | None = None
    date: str = ""
    speaker: str = ""
    place: str = ""


def evidence_rows(trace: Trace) -> list[EvidenceRow]:
    """Return the chosen memories of a trace in reading order; see `Trace.evidence`."""
    if trace.forest is None:
        return []
    nodes = [node for tree in trace.forest.trees for node in tree.nodes]
    ranks = {node.memory_id: rank for rank, node in enumerate(nodes, start=1)}
    blocks = {block.memory_id: block for block in trace.packet.blocks} if trace.packet else {}
    chances = _chances(trace)
    quotes: dict[str, list[str]] = {}
    for citation in trace.answer.citations if trace.answer else ():
        if citation.quote and citation.quote not in quotes.setdefault(citation.memory_id, []):
            quotes[citation.memory_id].append(citation.quote)
    rows = []
    for node in nodes:
        block = blocks.get(node.memory_id)
        cited = " … ".join(quotes.get(node.memory_id, ()))
        rows.append(
            EvidenceRow(
                rank=ranks[node.memory_id],
                memory=node.memory_id,
                role=node.role,
                parent=None if node.parent_id is None else ranks.get(node.parent_id),
                chance=chances.get(node.memory_id, node.utility),
                quote=cited or (block.text if block else ""),
                kind=block.kind if block else None,
                date=block.date if block else "",
                speaker=block.speaker if block else "",
                place=block.place if block else "",
            )
        )
    return rows


def _chances(trace: Trace) -> dict[str, float]:
    """Return the chances of memories; a utility lacks what a memory owes to its links."""
    if trace.scale != "chance":
        return {}
    return {support.memory_id: evidence_chance(support) for support in trace.supports}
