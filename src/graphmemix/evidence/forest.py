"""Memories that may answer a question, what verifiers say about them, and the forest chosen.

METHOD sections 2 (candidates and edges), 3 (support), 4 (links), 5 and 6 (the forest).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from graphmemix.errors import InvalidDataError
from graphmemix.evidence import notebook
from graphmemix.record import Record

__all__ = [
    "Candidate",
    "CandidateGraph",
    "Edge",
    "EvidenceNode",
    "EvidenceTree",
    "Forest",
    "Increment",
    "MAX_SUPPORT",
    "Provenance",
    "Relation",
    "Role",
    "Scale",
    "Support",
    "Terms",
    "evidence_chance",
]

Relation: TypeAlias = Literal[
    "same_round",
    "consecutive_turn",
    "event_bridge",
    "same_record",
    "record_grounding",
    "reply_to",
    "attachment_of",
    "same_document",
    "same_thread",
    "forward_of",
    "within",
    "episode",
    "same_identifier",
    "same_picture",
    "semantic",
]
"""How two memories are related (METHOD section 2). All but ``semantic`` are schema relations."""

Role: TypeAlias = Literal[
    "new_fact", "clarification", "corroboration", "redundant", "conflict", "irrelevant"
]
"""What a memory adds once its anchor is known (METHOD section 4). The first three are positive."""

Scale: TypeAlias = Literal["utility", "chance"]
"""What a verdict's numbers mean: calibrated utilities ``p_i`` (METHOD section 3), or the chance
that a memory is evidence; link weights then encode what a link adds to that chance."""

MAX_SUPPORT = 5.0
"""Verifier scores run from 0 to this."""

_RELATIONS = frozenset(get_args(Relation))


@dataclass(frozen=True)
class Edge(Record):
    """A discovery edge (METHOD section 2): two memories that belong together, whatever is asked.

    Attributes:
        source: One memory; edges are undirected, and the lower id comes first.
        target: The other.
        relation: Why they belong together.
        confidence: 0.99 for schema relations, the cosine for semantic ones.
    """

    source: str
    target: str
    relation: Relation
    confidence: float

    def __post_init__(self) -> None:
        if self.relation not in _RELATIONS:
            raise InvalidDataError(f"edge.relation: unknown relation {self.relation!r}")
        if not math.isfinite(self.confidence):
            raise InvalidDataError(f"edge.confidence: must be finite, not {self.confidence!r}")
        if self.source >= self.target:
            raise InvalidDataError(
                "edge: source must be lower than target; a memory has no edge to itself"
            )


@dataclass(frozen=True)
class Provenance(Record):
    """Why a memory that was not retrieved is a candidate: the seed that reached it, and how."""

    seed_id: str
    relation: Relation
    confidence: float


@dataclass(frozen=True)
class Candidate(Record):
    """A member of ``C_q``; candidates are listed in retrieval order.

    Attributes:
        memory_id: Which memory.
        score: ``s_i``, the retrieval score.
        seed_rank: Its rank among the seeds, from 0; None if it came by expansion.
        via: For an expanded candidate, the edges that reached it, best first.
        dense: The part of the score that comes from vectors: the best cosine of its views.
        lexical: The part that comes from words: BM25 as a share of the best in the archive, times
            what words are worth for this question, at most 2.5.
        matched: The part that comes from dates, places, people and media named in the question.
        chance: The hybrid score on a calibrated scale: how often a memory with this score is
            evidence. None for the dense score, which is not calibrated.
    """

    memory_id: str
    score: float
    seed_rank: int | None = None
    via: tuple[Provenance, ...] = ()
    dense: float = 0.0
    lexical: float = 0.0
    matched: float = 0.0
    chance: float | None = None


@dataclass(frozen=True)
class UnknownName(Record):
    """A name in a question that no memory holds.

    Attributes:
        name: As the question has it.
        meant: A known name that it may be misspelt for; empty if there is none.
    """

    name: str
    meant: str = ""


@dataclass(frozen=True)
class CandidateGraph(Record):
    """``C_q`` and how it was found (METHOD section 2).

    Attributes:
        candidates: In retrieval order: seeds first, then what expansion reached.
        edges: The discovery edges among them.
        duplicates: Memories skipped as seeds because they show the same picture as a better one,
            as (skipped, better).
        notes: What in the question influenced the scores, in words.
        unknown: The names of the question that no memory holds; notes say so too.
    """

    candidates: tuple[Candidate, ...]
    edges: tuple[Edge, ...] = ()
    duplicates: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    unknown: tuple[UnknownName, ...] = ()


@dataclass(frozen=True)
class Support(Record):
    """What the node verifier says about one candidate (METHOD section 3).

    Attributes:
        memory_id: Which memory.
        score: ``v_i``, 0 to 5: its direct support.
        utility: ``p_i``, the calibrated prize.
        chance: The probability that it is evidence, by all that is known of the candidates, its
            links included; None if the verifier gives utilities only.
    """

    memory_id: str
    score: float
    utility: float
    chance: float | None = None


def evidence_chance(support: Support) -> float:
    """Return the chance of a memory, if its verifier gives chances."""
    # Verdicts saved before links carried a part of the chance have all of it in the score.
    return support.score / MAX_SUPPORT if support.chance is None else support.chance


@dataclass(frozen=True)
class Increment(Record):
    """What the edge verifier says about one candidate (METHOD section 4).

    Attributes:
        memory_id: The candidate.
        anchor_id: The anchor to which it adds most; None if there is none.
        score: Incremental support, 0 to 5.
        role: What it adds once the anchor is known.
        weight: ``w`` of the trusted link, in (0, 1]; 0 if the link is not trusted.
        relations: The schema relations that made the pair eligible.
    """

    memory_id: str
    anchor_id: str | None
    score: float
    role: Role
    weight: float = 0.0
    relations: tuple[Relation, ...] = ()


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
        talk: How much of a conversation the candidates were, from 0 to 1, where the bound on what
            is shown depends on it.
    """

    budget: int
    proposal_opening_cost: float
    refinement_opening_cost: float
    edge_cost_weight: float
    raised: float = 0.0
    single_stage: bool = False
    scale: Scale | None = None
    talk: float = 0.0

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

    @property
    def links_drawn(self) -> int:
        """How many links its trees have; `links` are those of the proposal."""
        return sum(node.parent_id is not None for tree in self.trees for node in tree.nodes)

    def __repr__(self) -> str:
        return notebook.forest_line(self)

    def _repr_html_(self) -> str:
        return notebook.forest_html(self)
