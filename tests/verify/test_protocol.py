"""Cases: the links that a candidate may have."""

from __future__ import annotations

from graphmemix.evidence import Candidate, CandidateGraph, Edge
from graphmemix.verify.protocol import eligible_links


def test_anchors_of_a_candidate_come_in_retrieval_order() -> None:
    candidates = tuple(Candidate(name, 0.5, rank) for rank, name in enumerate("zac"))
    edges = (Edge("a", "c", "same_round", 0.99), Edge("c", "z", "same_round", 0.99))
    found = eligible_links(CandidateGraph(candidates, edges), ("z", "a"))
    assert [anchor.anchor_id for anchor in found["c"]] == ["z", "a"]
