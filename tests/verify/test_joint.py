from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from graphmemix.errors import InvalidReplyError
from graphmemix.evidence import CandidateGraph
from graphmemix.llm import ScriptedChat, run_sync
from graphmemix.settings import Settings
from graphmemix.verify import LlmVerifier, Verdict
from tests.verify.cases import ROWS, material, model, small_case
from tests.verify.local_cases import settings_with

GOOD: dict[str, Any] = {
    "scores": {"C01": 5, "C02": 0, "C03": 3, "C04": 0},
    "increments": ROWS,
}


def settings(profile: str = "default") -> Settings:
    return Settings.load(
        environment={"HOME": "/x"}, overrides={"verifier.calls": "joint", "profile": profile}
    )


def judge(*replies: Any, profile: str = "default") -> tuple[Verdict, ScriptedChat]:
    chat = ScriptedChat([json.dumps(reply) for reply in replies])
    return run_sync(LlmVerifier(chat, settings(profile)).verify(small_case())), chat


def test_one_call_gives_what_two_calls_give() -> None:
    joint, chat = judge(GOOD)
    two = run_sync(LlmVerifier(model(), Settings()).verify(small_case()))
    assert (joint.supports, joint.increments) == (two.supports, two.increments)
    assert [cost.stage for cost in joint.costs] == ["joint"]
    assert len(chat.calls) == 1


def test_the_schema_is_strict_and_keyed() -> None:
    _, chat = judge(GOOD)
    shape = chat.calls[0].options.format
    assert shape is not None
    schema = json.loads(json.dumps(shape.schema))
    assert schema["properties"]["scores"]["required"] == ["C01", "C02", "C03", "C04"]
    assert schema["additionalProperties"] is False
    third = schema["properties"]["increments"]["properties"]["C03"]
    assert third["properties"]["best_anchor_id"]["anyOf"][0]["enum"] == ["C01"]
    _, chat = judge(GOOD, profile="paper")
    told = material(chat.calls[0])
    assert told["candidates"][2]["retrieval_score"] == 0.55
    assert told["candidates"][2]["eligible_anchor_relations"][0]["anchor_id"] == "C01"


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        (GOOD | {"scores": {"C01": 5}}, "scores: missing C02, C03, C04"),
        (GOOD | {"scores": GOOD["scores"] | {"C01": 7}}, "score of C01 is 7"),
        (GOOD | {"increments": {"C03": ROWS["C03"]}}, "missing C01, C02, C04"),
    ],
)
def test_an_invalid_reply_is_asked_for_again(bad: Any, told: str) -> None:
    verdict, chat = judge(bad, GOOD)
    assert verdict.repairs == {"joint.rejected_reply": 1}
    assert told in chat.calls[1].messages[-1].text


def test_what_is_unknown_is_repaired_by_default_and_invalid_in_profile_paper() -> None:
    bad = GOOD | {"scores": GOOD["scores"] | {"C77": 5}}
    verdict, _ = judge(bad)
    assert verdict.repairs == {"joint.unknown_id": 1}
    with pytest.raises(InvalidReplyError, match="C77"):
        judge(*[bad] * 4, profile="paper")


def test_without_eligible_links_scores_are_enough() -> None:
    chat = ScriptedChat([json.dumps({"scores": GOOD["scores"]})])
    verdict = run_sync(LlmVerifier(chat, settings()).verify(small_case(edges=())))
    assert ([each.score for each in verdict.supports], verdict.increments) == ([5, 0, 3, 0], ())


def test_the_joint_call_has_the_fields_of_both() -> None:
    _, chat = judge(GOOD, profile="paper")
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
    scores = json.dumps({"scores": GOOD["scores"]})
    chat = model() if calls == "two" else ScriptedChat([scores])
    run_sync(LlmVerifier(chat, settings_with(profile="paper", verifier__calls=calls)).verify(case))
    told = [each["retrieval_score"] for each in material(chat.calls[0])["candidates"]]
    assert told == [0.7501, 0.7201, 0.5501, 0.4001]
