"""Anchors and eligible links of a candidate graph (METHOD section 4)."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from graphmemix.verify.protocol import Case, EligibleAnchor

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from graphmemix.evidence import CandidateGraph, Question, Relation
    from graphmemix.memory import Memory
    from graphmemix.verify.signals import Signals


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
