"""The memories that were chosen, and how they are connected (METHOD section 5)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from graphmemix.evidence.candidates import Role, Scale
from graphmemix.record import Record

__all__ = ["EvidenceNode", "EvidenceTree", "Forest", "Terms"]


@dataclass(frozen=True)
class EvidenceNode(Record):
    """A chosen memory in its tree.

    Attributes:
        memory_id: Which memory.
        utility: ``p_i``.
        parent_id: The memory that it is linked to; None for the root.
        role: The role of the link to its parent; None for the root.
        weight: The weight of that link; None for the root.
        gain: ``B`` of that link: what it adds to the objective of the forest; None for the root,
            and in traces saved before gains were recorded.
    """

    memory_id: str
    utility: float
    parent_id: str | None = None
    role: Role | None = None
    weight: float | None = None
    gain: float | None = None


@dataclass(frozen=True)
class EvidenceTree(Record):
    """Memories that answer together: the root, then the others breadth-first (METHOD section 6)."""

    nodes: tuple[EvidenceNode, ...]

    @property
    def root(self) -> EvidenceNode:
        """The member of highest utility."""
        return self.nodes[0]


@dataclass(frozen=True)
class Terms(Record):
    """The prices and limits that a forest was chosen with, kept so that a trace explains itself.

    Attributes:
        budget: ``K``.
        proposal_opening_cost: ``kappa`` of the proposal.
        refinement_opening_cost: ``kappa`` of the forest in the end.
        edge_cost_weight: ``lambda``.
        raised: Added to all utilities before the search.
        single_stage: Whether "at most K" was solved at once, without a proposal of exactly K.
        scale: What the numbers of the verdict mean; None in traces saved before it was recorded.
    """

    budget: int
    proposal_opening_cost: float
    refinement_opening_cost: float
    edge_cost_weight: float
    raised: float = 0.0
    single_stage: bool = False
    scale: Scale | None = None

    def gain(self, weight: float, *, proposal: bool = False) -> float:
        """Return ``B = kappa + lambda ln w``: what a link of this weight (above 0) adds.

        Args:
            weight: ``w``.
            proposal: Whether to use the opening cost of the proposal instead of the forest's.
        """
        opening = self.proposal_opening_cost if proposal else self.refinement_opening_cost
        return opening + self.edge_cost_weight * math.log(weight)


@dataclass(frozen=True)
class Forest(Record):
    """The chosen evidence (METHOD section 5).

    Attributes:
        trees: By descending utility of their roots.
        proposal: The K memories before refinement, in retrieval order.
        objective: The value of the refined forest.
        method: The solver that ran.
        proven_optimal: Whether no better forest exists.
        links: The links of the proposal, as (anchor, memory).
        objective_before: The value of the K memories of highest utility.
        objective_after: The value of the proposal.
        swaps: How many swaps the published search accepted; 0 for the other methods.
        terms: The prices it was chosen with; None in traces saved before they were recorded.
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
    terms: Terms | None = None

    @property
    def memory_ids(self) -> tuple[str, ...]:
        """All members, in the order in which the reader gets them."""
        return tuple(node.memory_id for tree in self.trees for node in tree.nodes)
