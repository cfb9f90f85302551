"""Features where scores are small, nothing, or all there is."""

from __future__ import annotations

from dataclasses import replace
from math import log

import numpy as np
import pytest

from graphmemix.evidence import Candidate, CandidateGraph, Edge
from graphmemix.verify.case import eligible_links
from graphmemix.verify.features import NODE, WHOLE, Features
from tests.verify.local_cases import LEXICAL_WEIGHT, SIGNALS, hand_case


def shares(*bm25: float) -> list[float]:
    signals = replace(SIGNALS, own_bm25=np.array(bm25))
    rows = Features(hand_case(signals=signals), LEXICAL_WEIGHT).nodes
    found: list[float] = rows[:, list(NODE).index("own_word_share")].tolist()
    return found


def test_shares_of_scores_below_one_are_of_the_best_of_them() -> None:
    assert shares(0.4, 0.2, 0.1, 0.0) == pytest.approx([1.0, 0.5, 0.25, 0.0])


def test_where_no_word_is_found_no_share_is() -> None:
    assert shares(0.0, 0.0, 0.0, 0.0) == [0.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize(("chance", "expected"), [(0.1, 0.4), (0.0, 1e-6)])
def test_less_than_one_piece_of_evidence_can_be_expected(chance: float, expected: float) -> None:
    row = Features(hand_case(), LEXICAL_WEIGHT).whole(np.full(4, chance))[0]
    assert row[list(WHOLE).index("log_expected")] == pytest.approx(log(expected))


def test_anchors_of_a_candidate_come_in_retrieval_order() -> None:
    candidates = tuple(Candidate(name, 0.5, rank) for rank, name in enumerate("zac"))
    edges = (Edge("a", "c", "same_round", 0.99), Edge("c", "z", "same_round", 0.99))
    found = eligible_links(CandidateGraph(candidates, edges), ("z", "a"))
    assert [anchor.anchor_id for anchor in found["c"]] == ["z", "a"]
