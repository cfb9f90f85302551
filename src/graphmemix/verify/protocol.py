"""What a verifier sees and what it returns (METHOD sections 3 and 4)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graphmemix.evidence import (
        Candidate,
        CandidateGraph,
        Increment,
        Question,
        Relation,
        StageCost,
        Support,
        Terms,
    )
    from graphmemix.memory import Memory
    from graphmemix.verify.signals import Signals


@dataclass(frozen=True)
class EligibleAnchor:
    """An anchor that a candidate may hang on, and the schema relations between the two."""

    anchor_id: str
    relations: tuple[Relation, ...]


@dataclass(frozen=True)
class Case:
    """One question with everything that a verifier may look at.

    Attributes:
        question: What is asked.
        graph: The candidates in retrieval order, and the discovery edges among them.
        memories: Every candidate's memory.
        anchors: The ids of ``A_q``, in retrieval order.
        eligible: For each candidate that has one, its eligible anchors in anchor order. A candidate
            that is an anchor itself may have other anchors.
        signals: What retrieval knows beyond the scores; the local verifier needs it.
    """

    question: Question
    graph: CandidateGraph
    memories: Mapping[str, Memory]
    anchors: tuple[str, ...] = ()
    eligible: Mapping[str, tuple[EligibleAnchor, ...]] = field(default_factory=dict)
    signals: Signals | None = None

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """The candidates in retrieval order."""
        return self.graph.candidates


@dataclass(frozen=True)
class Verdict:
    """What a verifier says of a case.

    Attributes:
        supports: One per candidate, in retrieval order.
        increments: One per candidate that has an anchor, in retrieval order.
        costs: What its calls took.
        repairs: What had to be repaired in model replies, with counts.
        verifier: The identity of what decided; for a degradation, of what decided in the end.
        answerable: Calibrated chance that the archive holds the answer; None if not judged.
        anchors: The candidates that others could be linked to, in retrieval order.
        terms: On which terms a forest is chosen from it: they belong to the scale of its numbers.
            None for utilities that the settings price.
    """

    supports: tuple[Support, ...]
    increments: tuple[Increment, ...]
    costs: tuple[StageCost, ...] = ()
    repairs: Mapping[str, int] = field(default_factory=dict)
    verifier: str = ""
    answerable: float | None = None
    anchors: tuple[str, ...] = ()
    terms: Terms | None = None


class Verifier(Protocol):
    """Scores candidates and the links between them."""

    @property
    def identity(self) -> str:
        """Name the verifier and its version; scores of different identities do not mix."""
        ...

    async def verify(self, case: Case) -> Verdict:
        """Return the verdict on a case.

        Raises:
            ModelError: The model behind it failed, after all retries.
        """
        ...
