"""What verifiers say of candidates and of links (METHOD sections 3 and 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from graphmemix.evidence.candidates import Relation
from graphmemix.record import Record

__all__ = ["Increment", "MAX_SUPPORT", "Role", "Scale", "Support"]

Role: TypeAlias = Literal[
    "new_fact", "clarification", "corroboration", "redundant", "conflict", "irrelevant"
]
"""What a memory adds once its anchor is known (METHOD section 4). The first three are positive."""

Scale: TypeAlias = Literal["utility", "chance"]
"""What the numbers of a verdict are: calibrated utilities ``p_i`` (METHOD section 3), or chances to
be evidence; then the weights of links encode what they add to such a chance."""

MAX_SUPPORT = 5.0
"""Verifier scores run from 0 to this."""


@dataclass(frozen=True)
class Support(Record):
    """The node verifier's verdict on one candidate (METHOD section 3).

    Attributes:
        memory_id: Which memory.
        score: ``v_i``, 0 to 5.
        utility: ``p_i``, the calibrated prize.
    """

    memory_id: str
    score: float
    utility: float


@dataclass(frozen=True)
class Increment(Record):
    """The edge verifier's verdict on one candidate (METHOD section 4).

    Attributes:
        memory_id: The candidate.
        anchor_id: The anchor that it adds most to; None if there is none.
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
