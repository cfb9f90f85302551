"""Links that are worth the same, links that are worth nothing, and candidates that are gone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from graphmemix.archive import Archive
from graphmemix.errors import InvalidDataError
from graphmemix.evidence import Candidate, CandidateGraph, Edge, Question
from graphmemix.memory import Memory
from graphmemix.verify.case import make_case
from graphmemix.verify.fitting import fit
from graphmemix.verify.local import LocalVerifier
from graphmemix.verify.signals import Signals
from tests.verify.local_cases import hand_case, hand_model, lessons, settings_with
from tests.verify.test_signals import archive, signals

__all__ = ["archive"]


def test_of_anchors_that_add_the_same_the_first_retrieved_is_taken() -> None:
    memories = [Memory(name, "message", f"about {name}", session="s") for name in "xyc"]
    candidates = tuple(Candidate(m.id, 0.5, rank) for rank, m in enumerate(memories))
    edges = (Edge("c", "x", "same_record", 0.99), Edge("c", "y", "same_record", 0.99))
    same, eye = np.full(3, 0.5), np.eye(3, dtype=np.float32)
    known = Signals(same, same, same, same, np.array([5.0, 5.0, 1.0]), eye, eye, "key")
    graph, by_id = CandidateGraph(candidates, edges), {m.id: m for m in memories}
    case = make_case(Question("key"), graph, by_id, 3, known)
    increments = LocalVerifier(hand_model(), settings_with()).judge(case).increments
    assert [each.anchor_id for each in increments if each.memory_id == "c"] == ["x"]


def test_a_link_that_adds_nothing_has_no_score() -> None:
    first = LocalVerifier(hand_model(), settings_with()).judge(hand_case()).increments[0]
    assert (first.anchor_id, first.score) == (None, 0.0)


def test_a_candidate_that_was_erased_meanwhile_has_no_signals(archive: Archive) -> None:
    found = signals(archive, "asked", "nobody")
    assert found.words[0] > 0.9
    for column in (found.words, found.looks, found.context, found.own_bm25, found.context_bm25):
        assert column[1] == 0
    assert not found.canonical[1].any()
    assert not found.together[1].any()


def test_what_cannot_be_learned_from_is_told() -> None:
    with pytest.raises(InvalidDataError) as caught:
        fit(lessons("A"), "x")
    assert str(caught.value) == "fit: needs questions of at least two contexts"
    without = [replace(each, labels=np.zeros(8)) for each in lessons("AB")]
    with pytest.raises(InvalidDataError) as caught:
        fit(without, "x")
    assert str(caught.value) == "fit: no question has evidence among its candidates"
