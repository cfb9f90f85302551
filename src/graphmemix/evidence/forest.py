"""The memories that were chosen, and how they hang together (METHOD section 5)."""

from __future__ import annotations

from dataclasses import dataclass

from graphmemix.evidence.verdicts import Role
from graphmemix.record import Record

__all__ = ["EvidenceNode", "EvidenceTree", "Forest"]


@dataclass(frozen=True)
class EvidenceNode(Record):
    """A chosen memory in its tree.

    Attributes:
        memory_id: Which memory.
        utility: ``p_i``.
        parent_id: The memory that it hangs on; None for the root.
        role: The role of the link to its parent; None for the root.
        weight: The weight of that link; None for the root.
    """

    memory_id: str
    utility: float
    parent_id: str | None = None
    role: Role | None = None
    weight: float | None = None


@dataclass(frozen=True)
class EvidenceTree(Record):
    """Memories that answer together: the root, then the others breadth-first (METHOD section 6)."""

    nodes: tuple[EvidenceNode, ...]

    @property
    def root(self) -> EvidenceNode:
        """The member of highest utility."""
        return self.nodes[0]


@dataclass(frozen=True)
class Forest(Record):
    """The chosen evidence (METHOD section 5).

    Attributes:
        trees: By falling utility of their roots.
        proposal: The K memories before refinement, in retrieval order.
        objective: The value of the refined forest.
        method: The solver that ran.
        proven_optimal: Whether no better forest exists.
        links: The links of the proposal, as (anchor, memory).
        objective_before: The value of the K memories of highest utility.
        objective_after: The value of the proposal.
        swaps: How many swaps the published search accepted; 0 for the other methods.
    """

    trees: tuple[EvidenceTree, ...]
    proposal: tuple[str, ...]
    objective: float
    method: str
    proven_optimal: bool
    links: tuple[tuple[str, str], ...] = ()
    objective_before: float = 0.0
    objective_after: float = 0.0
    swaps: int = 0

    @property
    def memory_ids(self) -> tuple[str, ...]:
        """All members, in the order in which the reader gets them."""
        return tuple(node.memory_id for tree in self.trees for node in tree.nodes)
