"""Input and output of verifiers: cases, verdicts, how a case is made (METHOD sections 3 and 4)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
    """An anchor that a candidate may be linked to, and the schema relations between the two."""

    anchor_id: str
    relations: tuple[Relation, ...]


@dataclass(frozen=True)
class Case:
    """One question with everything that a verifier may use.

    Attributes:
        question: The question.
        graph: The candidates in retrieval order, and the discovery edges among them.
        memories: Every candidate's memory.
        anchors: The ids of ``A_q``, in retrieval order.
        eligible: For each candidate that has one, its eligible anchors in anchor order. A candidate
            that is an anchor itself may have other anchors.
        signals: Retrieval signals beyond the scores; required by the local verifier.
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
    """A verifier's result for a case.

    Attributes:
        supports: One per candidate, in retrieval order.
        increments: One per candidate that has an anchor, in retrieval order.
        costs: The cost of its calls.
        repairs: Counts of repairs in model replies.
        verifier: The identity of the verifier that decided, after any degradation.
        answerable: Calibrated probability that the archive holds the answer; None if not judged.
        anchors: The candidates that others could be linked to, in retrieval order.
        terms: Budget and costs for choosing a forest, on the scale of these utilities. None to take
            them from the settings.
        notes: What the user has to know about it, in words, such as that a model failed.
    """

    supports: tuple[Support, ...]
    increments: tuple[Increment, ...]
    costs: tuple[StageCost, ...] = ()
    repairs: Mapping[str, int] = field(default_factory=dict)
    verifier: str = ""
    answerable: float | None = None
    anchors: tuple[str, ...] = ()
    terms: Terms | None = None
    notes: tuple[str, ...] = ()


class Verifier(Protocol):
    """Scores candidates and the links between them."""

    @property
    def identity(self) -> str:
        """Identify the verifier and its version; scores of different identities must not mix."""
        ...

    async def verify(self, case: Case) -> Verdict:
        """Return the verdict on a case.

        Raises:
            ModelError: The model failed after all retries.
        """
        ...


def make_case(
    question: Question,
    graph: CandidateGraph,
    memories: Mapping[str, Memory],
    anchors: int,
    signals: Signals | None = None,
) -> Case:
    """Return the case of a question: the first `anchors` candidates anchor the others.

    Candidates come without near-duplicates and in retrieval order, so that the anchors are a
    deterministic function of the frozen retrieval alone.
    """
    chosen = tuple(candidate.memory_id for candidate in graph.candidates[:anchors])
    return Case(question, graph, memories, chosen, eligible_links(graph, chosen), signals)


def eligible_links(
    graph: CandidateGraph, anchors: Sequence[str]
) -> dict[str, tuple[EligibleAnchor, ...]]:
    """Return the anchors that each candidate has a schema relation with, in anchor order."""
    position = {anchor: index for index, anchor in enumerate(anchors)}
    relations: dict[tuple[str, str], list[Relation]] = defaultdict(list)
    for edge in graph.edges:
        if edge.relation == "semantic":
            continue
        for candidate, anchor in ((edge.source, edge.target), (edge.target, edge.source)):
            if anchor in position:
                relations[candidate, anchor].append(edge.relation)
    found: dict[str, list[EligibleAnchor]] = defaultdict(list)
    for candidate, anchor in sorted(relations, key=lambda pair: position[pair[1]]):
        kinds = tuple(sorted(set(relations[candidate, anchor])))
        found[candidate].append(EligibleAnchor(anchor, kinds))
    return {
        candidate.memory_id: tuple(found[candidate.memory_id])
        for candidate in graph.candidates
        if candidate.memory_id in found
    }
