"""Memories that may answer a question, and how they are related (METHOD section 2)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from graphmemix.errors import InvalidDataError
from graphmemix.record import Record

__all__ = ["Candidate", "CandidateGraph", "Edge", "Provenance", "Relation"]

Relation: TypeAlias = Literal[
    "same_round",
    "consecutive_turn",
    "event_bridge",
    "same_record",
    "record_grounding",
    "reply_to",
    "attachment_of",
    "same_document",
    "semantic",
]
"""How two memories are related (METHOD section 2). All but ``semantic`` are schema relations."""

_RELATIONS = frozenset(get_args(Relation))


@dataclass(frozen=True)
class Edge(Record):
    """A discovery edge (METHOD section 2): two memories that belong together, whatever is asked.

    Attributes:
        source: One memory; edges have no direction, and the lower id stands first.
        target: The other.
        relation: Why.
        confidence: 0.99 for schema relations, the cosine for semantic ones.
    """

    source: str
    target: str
    relation: Relation
    confidence: float

    def __post_init__(self) -> None:
        if self.relation not in _RELATIONS:
            raise InvalidDataError(f"edge.relation: there is no relation {self.relation!r}")
        if not math.isfinite(self.confidence):
            raise InvalidDataError(f"edge.confidence: must be finite, not {self.confidence!r}")
        if self.source >= self.target:
            raise InvalidDataError(
                "edge: the lower id must stand first, and no memory is its own peer"
            )


@dataclass(frozen=True)
class Provenance(Record):
    """Why a memory that was not retrieved is a candidate: the seed that reached it, and how."""

    seed_id: str
    relation: Relation
    confidence: float


@dataclass(frozen=True)
class Candidate(Record):
    """A member of ``C_q``. Its position in the candidate list is the retrieval order.

    Attributes:
        memory_id: Which memory.
        score: ``s_i``, the retrieval score.
        seed_rank: Its rank among the seeds, from 0; None if it came by expansion.
        via: For an expanded candidate, the edges that reached it, best first.
        dense: The part of the score that comes from vectors: the best cosine of its views.
        lexical: The part that comes from words: BM25 as a share of the best in the archive.
        matched: What it gains by the dates, places, people and media that the question names.
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
class CandidateGraph(Record):
    """``C_q`` and how it came about (METHOD section 2).

    Attributes:
        candidates: In retrieval order: seeds first, then what expansion reached.
        edges: The discovery edges among them.
        duplicates: Memories that were passed over as seeds because they show the same as a better
            one: (passed over, in favour of).
        notes: What was found in the question and influenced the scores, in words.
    """

    candidates: tuple[Candidate, ...]
    edges: tuple[Edge, ...] = ()
    duplicates: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
