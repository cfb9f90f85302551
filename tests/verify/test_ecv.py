from __future__ import annotations

from typing import Any

import pytest

from graphmemix.errors import InvalidReplyError
from graphmemix.evidence import Increment
from graphmemix.llm import run_sync
from graphmemix.settings import Settings
from graphmemix.verify import LlmVerifier, Verdict
from tests.verify.cases import (
    NODE,
    OURS,
    PAPER,
    ROWS,
    calls_named,
    ecv,
    material,
    model,
    small_case,
)

CLEARED = Increment("m-c", None, 0.0, "irrelevant")


def judge(reply: Any, settings: Settings = OURS) -> Verdict:
    return run_sync(LlmVerifier(model(NODE, reply), settings).verify(small_case()))


def third(verdict: Verdict) -> Increment:
    return verdict.increments[2]


def test_the_call_has_exactly_the_fields_of_the_method() -> None:
    chat = model()
    run_sync(LlmVerifier(chat, PAPER).verify(small_case()))
    (call,) = calls_named(chat, "edge_verdict")
    told = material(call)
    assert list(told) == [
        "question",
        "question_image_captions",
        "definitions",
        "anchors_note",
        "anchors",
        "candidates",
        "instructions",
        "output_schema",
    ]
    assert told["anchors"] == [
        {
            "id": "C01",
            "date": "2024-05-17 12:30",
            "location": "",
            "snippet": "Anna: Which hotel did we take in Lisbon?",
        },
        {"id": "C02", "date": "", "location": "Lisbon", "snippet": "Ben: Lisbon was lovely."},
    ]
    assert told["candidates"][2] == {
        "id": "C03",
        "is_atomic_anchor": False,
        "modalities": ["text"],
        "date": "",
        "location": "",
        "snippet": "Anna: It was the Hotel Avenida.",
        "eligible_anchor_relations": [
            {"anchor_id": "C01", "relation_types": ["consecutive_turn", "same_round"]}
        ],
    }
    assert told["candidates"][0]["is_atomic_anchor"] is True
    assert {"new_fact", "clarification", "corroboration", "redundant"} < told["definitions"].keys()
    assert {"conflict", "irrelevant", "incremental_support"} < told["definitions"].keys()
    row = told["output_schema"]["candidates"][0]
    assert list(row) == ["id", "direct_support", "best_anchor_id", "incremental_support", "role"]


@pytest.mark.parametrize("settings", [OURS, PAPER], ids=["default", "paper"])
def test_only_candidates_with_an_eligible_anchor_are_asked_about(settings: Settings) -> None:
    chat = model(edges={"candidates": [{"id": "C03", **ROWS["C03"]}]})
    case = small_case(
        edges=tuple(edge for edge in small_case().graph.edges if edge.target == "m-c")
    )
    case = small_case(anchors=1, edges=case.graph.edges)
    verdict = run_sync(LlmVerifier(chat, settings).verify(case))
    (call,) = calls_named(chat, "edge_verdict")
    links = {"linked_to", "eligible_anchor_relations"}
    assert [each["id"] for each in material(call)["candidates"] if each.keys() & links] == ["C03"]
    assert [each.memory_id for each in verdict.increments] == ["m-c"]


@pytest.mark.parametrize("role", ["new_fact", "clarification", "corroboration"])
@pytest.mark.parametrize("score", [0.5, 5])
def test_a_positive_role_with_a_score_is_a_trusted_link(role: str, score: float) -> None:
    verdict = judge(ecv(C03={"role": role, "incremental_support": score}), PAPER)
    assert third(verdict).weight == pytest.approx(0.99 * score / 5)
    assert verdict.repairs == {}


@pytest.mark.parametrize("settings", [OURS, PAPER], ids=["default", "paper"])
@pytest.mark.parametrize(
    ("row", "repair", "expected"),
    [
        ({"best_anchor_id": None}, "no_anchor", CLEARED),
        ({"best_anchor_id": "C02"}, "ineligible", CLEARED),
        ({"incremental_support": 0}, "role_score", CLEARED),
        ({"role": "redundant"}, "role_score", Increment("m-c", None, 0.0, "redundant")),
        ({"role": "conflict"}, "role_score", Increment("m-c", None, 0.0, "conflict")),
        ({"role": "irrelevant"}, "role_score", CLEARED),
    ],
)
def test_what_does_not_fit_together_is_cleared_and_counted(
    settings: Settings, row: dict[str, Any], repair: str, expected: Increment
) -> None:
    verdict = judge(ecv(C03=row), settings)
    assert third(verdict) == expected
    assert verdict.repairs == {f"ecv.{repair}": 1}


@pytest.mark.parametrize("settings", [OURS, PAPER], ids=["default", "paper"])
@pytest.mark.parametrize(
    ("bad", "told"),
    [
        (ecv(C03={"incremental_support": 6}), "incremental_support of C03 is 6"),
        (ecv(C03={"incremental_support": -0.1}), "not from 0 to 5"),
        (ecv(C03={"incremental_support": "4"}), "candidates.2.incremental_support"),
        (ecv(C03={"best_anchor_id": 1}), "candidates.2.best_anchor_id"),
        ('{"candidates": [{"id": "C01",', "the JSON is not valid"),
    ],
)
def test_an_invalid_reply_is_asked_for_again(settings: Settings, bad: Any, told: str) -> None:
    chat = model(NODE, [bad, ecv()])
    verdict = run_sync(LlmVerifier(chat, settings).verify(small_case()))
    assert third(verdict).weight == pytest.approx(0.792)
    assert verdict.repairs == {"ecv.rejected_reply": 1}
    again = calls_named(chat, "edge_verdict")[1]
    assert told in again.messages[-1].text


@pytest.mark.parametrize(
    ("bad", "repair", "expected", "told"),
    [
        (ecv(C03={"role": "helpful"}), "unknown_role", CLEARED, "there is no role 'helpful'"),
        (ecv(C03={"best_anchor_id": "C77"}), "unknown_anchor", CLEARED, "no anchor 'C77'"),
        # Known, but no anchor of this question.
        (ecv(C03={"best_anchor_id": "C04"}), "unknown_anchor", CLEARED, "no anchor 'C04'"),
        (
            {"candidates": [*ecv()["candidates"], {"id": "C77", **ROWS["C03"]}]},
            "unknown_id",
            None,
            "unknown ids: C77",
        ),
    ],
)
def test_what_is_unknown_is_repaired_by_default_and_invalid_in_profile_paper(
    bad: Any, repair: str, expected: Increment | None, told: str
) -> None:
    verdict = judge(bad)
    assert verdict.repairs[f"ecv.{repair}"] == 1
    assert "ecv.rejected_reply" not in verdict.repairs
    assert third(verdict) == (expected or third(judge(ecv())))
    with pytest.raises(InvalidReplyError, match=told):
        judge(bad, PAPER)


def test_a_candidate_that_is_left_out_adds_nothing_but_paper_asks_again() -> None:
    few = {"candidates": ecv()["candidates"][2:3]}
    verdict = judge(few)
    assert [each.role for each in verdict.increments] == [
        "irrelevant",
        "irrelevant",
        "new_fact",
        "irrelevant",
    ]
    assert third(verdict).weight == pytest.approx(0.792)
    assert verdict.repairs == {}
    with pytest.raises(InvalidReplyError, match="candidates: missing C01, C02, C04"):
        judge(few, PAPER)


def test_of_a_repeated_row_the_first_counts_but_it_is_invalid_in_profile_paper() -> None:
    rows = ecv()["candidates"]
    bad = {"candidates": [*rows, {**rows[2], "incremental_support": 1}]}
    verdict = judge(bad)
    assert third(verdict).score == 4
    assert verdict.repairs == {"ecv.repeated_id": 1}
    with pytest.raises(InvalidReplyError, match="listed twice: C03"):
        judge(bad, PAPER)


def test_direct_support_says_nothing() -> None:
    loud = [{**row, "direct_support": "five"} for row in ecv()["candidates"]]
    silent = [{k: v for k, v in row.items() if k != "direct_support"} for row in loud]
    assert judge({"candidates": loud}).increments == judge(ecv()).increments
    assert judge({"candidates": silent}).increments == judge(ecv()).increments
    assert judge({"candidates": silent}).repairs == {}
