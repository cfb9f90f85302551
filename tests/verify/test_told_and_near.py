"""What the joint call tells a model, scores at the ends of the scale, and who is near whom."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from graphmemix.evidence import Candidate, CandidateGraph, Question
from graphmemix.llm import ScriptedChat, run_sync
from graphmemix.memory import Memory
from graphmemix.verify import LlmVerifier
from graphmemix.verify.case import make_case
from graphmemix.verify.logistic import log_loss
from graphmemix.verify.neighbourhood import Neighbourhood
from tests.verify.cases import material, model, small_case
from tests.verify.local_cases import settings_with
from tests.verify.test_joint import GOOD, judge


def test_the_joint_call_has_the_fields_of_both() -> None:
    _, chat = judge(GOOD)
    told = material(chat.calls[0])
    assert list(told) == [
        "question",
        "question_image_captions",
        "question_type",
        "definitions",
        "anchors_note",
        "candidates",
        "instructions",
        "output_schema",
    ]
    assert told["question_type"] == ""
    assert list(told["candidates"][0]) == [
        "id",
        "is_atomic_anchor",
        "modalities",
        "date",
        "location",
        "retrieval_score",
        "snippet",
        "eligible_anchor_relations",
    ]
    assert [each["is_atomic_anchor"] for each in told["candidates"]] == [True, True, False, False]


@pytest.mark.parametrize("calls", ["joint", "two"])
def test_scores_are_told_with_four_digits(calls: str) -> None:
    case = small_case(edges=())
    candidates = tuple(replace(each, score=each.score + 0.00006) for each in case.candidates)
    case = replace(case, graph=CandidateGraph(candidates))
    chat = model() if calls == "two" else ScriptedChat([json.dumps(GOOD)])
    run_sync(LlmVerifier(chat, settings_with(verifier__calls=calls)).verify(case))
    scores = [each["retrieval_score"] for each in material(chat.calls[0])["candidates"]]
    assert scores == [0.7501, 0.7201, 0.5501, 0.4001]


def test_a_certain_mistake_costs_much_but_not_everything() -> None:
    worst = log_loss(np.array([0.0, 1.0]), np.array([1.0, 0.0]))
    assert worst == pytest.approx(-math.log(1e-6), rel=1e-6)
    assert log_loss(np.array([0.0, 1.0]), np.array([0.0, 1.0])) == pytest.approx(1e-6, rel=1e-3)


def around(*sequences: int | None) -> Neighbourhood:
    memories = [
        Memory(f"m{i}", "message", "Hello.", session="s", round=str(i), sequence=sequence)
        for i, sequence in enumerate(sequences)
    ]
    candidates = tuple(Candidate(memory.id, 0.5, i) for i, memory in enumerate(memories))
    by_id = {memory.id: memory for memory in memories}
    return Neighbourhood(make_case(Question("?"), CandidateGraph(candidates), by_id, 2))


def test_three_positions_are_near_and_four_are_not() -> None:
    assert around(0, 3, 4).near.tolist() == [
        [False, True, False],
        [True, False, True],
        [False, True, False],
    ]


def test_nothing_comes_after_itself() -> None:
    assert around(0, 3).after.tolist() == [[False, False], [True, False]]


def test_messages_without_positions_are_near_nothing() -> None:
    found = around(None, None, 5)
    assert not found.near.any()
    assert not found.after.any()
