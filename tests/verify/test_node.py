from __future__ import annotations

from typing import Any

import pytest

from graphmemix.errors import InvalidReplyError
from graphmemix.llm import run_sync
from graphmemix.settings import Settings
from graphmemix.verify import LlmVerifier, Verdict
from tests.verify.cases import NODE, OURS, PAPER, calls_named, material, model, small_case


def judge(reply: Any, settings: Settings = OURS) -> Verdict:
    """The verdict on the case without links: the node verifier alone."""
    return run_sync(LlmVerifier(model(reply), settings).verify(small_case(edges=())))


def scores(verdict: Verdict) -> list[float]:
    return [support.score for support in verdict.supports]


def selected(*rows: tuple[str, Any]) -> dict[str, Any]:
    return {"selected": [{"id": label, "score": score} for label, score in rows]}


def test_the_call_has_exactly_the_fields_of_the_method() -> None:
    chat = model()
    run_sync(LlmVerifier(chat, PAPER).verify(small_case()))
    (call,) = calls_named(chat, "node_verdict")
    told = material(call)
    assert list(told) == [
        "question",
        "question_image_captions",
        "question_type",
        "candidates",
        "instructions",
        "output_schema",
    ]
    assert (told["question"], told["question_type"]) == ("Which hotel in Lisbon?", "")
    assert told["candidates"][0] == {
        "id": "C01",
        "modalities": ["text"],
        "date": "2024-05-17 12:30",
        "location": "",
        "retrieval_score": 0.75,
        "snippet": "Anna: Which hotel did we take in Lisbon?",
    }
    assert [each["location"] for each in told["candidates"]] == [
        "",
        "Lisbon",
        "",
        "38.7223, -9.1393",
    ]
    assert [each["id"] for each in told["candidates"]] == ["C01", "C02", "C03", "C04"]


@pytest.mark.parametrize("settings", [OURS, PAPER], ids=["default", "paper"])
@pytest.mark.parametrize(
    ("bad", "told"),
    [
        (selected(("C01", 5.5)), "score of C01 is 5.5, not from 0 to 5"),
        (selected(("C01", -1)), "not from 0 to 5"),
        (selected(("C01", "high")), "selected.0.score"),
        (selected(("C01", None)), "selected.0.score"),
        ({"selected": "C01"}, "selected"),
        ({"chosen": []}, "selected: Field required"),
        ("", "the reply was empty"),
        ("None of them helps.", "no JSON object"),
        ('{"selected": [{"id": "C01", "sco', "the JSON is not valid"),
    ],
)
def test_an_invalid_reply_is_asked_for_again(settings: Settings, bad: Any, told: str) -> None:
    chat = model([bad, NODE])
    verdict = run_sync(LlmVerifier(chat, settings).verify(small_case(edges=())))
    assert scores(verdict) == [5, 0, 3, 0]
    assert verdict.repairs == {"node.rejected_reply": 1}
    assert told in chat.calls[1].messages[-1].text
    assert len(chat.calls) == 2


def test_an_unknown_id_is_dropped_and_counted_by_default() -> None:
    verdict = judge(selected(("C01", 5), ("C99", 4), ("m-c", 3)))
    assert scores(verdict) == [5, 0, 0, 0]
    assert verdict.repairs == {"node.unknown_id": 2}


def test_an_unknown_id_is_invalid_in_profile_paper() -> None:
    bad = selected(("C01", 5), ("C99", 4))
    with pytest.raises(InvalidReplyError, match="unknown ids: C99"):
        judge(bad, PAPER)
    verdict = judge([bad, NODE], PAPER)
    assert scores(verdict) == [5, 0, 3, 0]
    assert verdict.repairs == {"node.rejected_reply": 1}


def test_of_a_repeated_id_the_first_row_counts_but_it_is_invalid_in_profile_paper() -> None:
    bad = selected(("C01", 5), ("C01", 4), ("C03", 1), ("C01", 2))
    verdict = judge(bad)
    assert scores(verdict) == [5, 0, 1, 0]
    assert verdict.repairs == {"node.repeated_id": 2}
    with pytest.raises(InvalidReplyError, match="listed twice: C01"):
        judge(bad, PAPER)


def test_keys_that_nobody_asked_for_are_passed_over_and_counted() -> None:
    reply = {"selected": [{"id": "C01", "score": 2, "why": "it says so"}], "note": "hm"}
    verdict = judge(reply)
    assert scores(verdict) == [2, 0, 0, 0]
    assert verdict.repairs == {"node.extra_key": 2}


def test_repairs_of_a_reply_that_was_rejected_do_not_count() -> None:
    bad = selected(("C99", 5), ("C01", 9))
    assert judge([bad, NODE]).repairs == {"node.rejected_reply": 1}


def test_nothing_selected_is_an_answer() -> None:
    verdict = judge({"selected": []})
    assert scores(verdict) == [0, 0, 0, 0]
    assert verdict.repairs == {}


def test_the_schema_allows_what_the_method_allows() -> None:
    chat = model()
    run_sync(LlmVerifier(chat, OURS).verify(small_case(edges=())))
    shape = chat.calls[0].options.format
    assert shape is not None
    row = shape.schema["properties"]["selected"]["items"]  # type: ignore[index,call-overload]
    assert row["properties"]["id"]["enum"] == ["C01", "C02", "C03", "C04"]  # type: ignore[index,call-overload]
