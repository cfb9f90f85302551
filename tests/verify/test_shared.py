"""Calls that begin alike and have short replies."""

from __future__ import annotations

import json

import pytest

from graphmemix.evidence import QuestionImage
from graphmemix.llm import Reply, ScriptedChat, run_sync
from graphmemix.llm.scripted import Call
from graphmemix.verify import LlmVerifier
from graphmemix.verify.shared import STEPS
from tests.verify.cases import NODE, OURS, common_start, ecv, material, model, small_case
from tests.verify.local_cases import settings_with
from tests.verify.test_joint import GOOD


def calls(*, joint: bool = False) -> list[Call]:
    chat = ScriptedChat([json.dumps(GOOD)]) if joint else model()
    settings = settings_with(verifier__calls="joint" if joint else "two")
    run_sync(LlmVerifier(chat, settings).verify(small_case()))
    return chat.calls


def test_all_calls_begin_alike_up_to_the_task() -> None:
    nodes, edges, joint = *calls(), *calls(joint=True)
    assert nodes.messages[0] == edges.messages[0] == joint.messages[0]
    texts = [call.messages[1].text for call in (nodes, edges, joint)]
    common = common_start(texts)
    assert common.endswith("\n===== END CASE =====\nTask: Wh")
    assert all(len(call.messages) == 2 for call in (nodes, edges, joint))


def test_the_case_leaves_out_what_is_empty_or_usual() -> None:
    case = material(calls()[0])
    assert list(case) == ["question", "candidates"]
    assert case["candidates"] == [
        {
            "id": "C01",
            "date": "2024-05-17 12:30",
            "snippet": "Anna: Which hotel did we take in Lisbon?",
            "linked_to": {"C02": ["consecutive_turn"]},
        },
        {
            "id": "C02",
            "location": "Lisbon",
            "snippet": "Ben: Lisbon was lovely.",
            "linked_to": {"C01": ["consecutive_turn"]},
        },
        {
            "id": "C03",
            "snippet": "Anna: It was the Hotel Avenida.",
            "linked_to": {"C01": ["consecutive_turn", "same_round"]},
        },
        {
            "id": "C04",
            "location": "38.7223, -9.1393",
            "snippet": "Ben: My cat sleeps.",
            "linked_to": {"C02": ["consecutive_turn"]},
        },
    ]


def test_captions_of_the_questions_pictures_are_in_the_case() -> None:
    chat = model()
    images = (QuestionImage(b"", caption="A hotel door."),)
    run_sync(LlmVerifier(chat, OURS).verify(small_case(images=images)))
    assert [material(call)["image_captions"] for call in chat.calls] == [["A hotel door."]] * 2


def test_scores_go_in_steps_and_whole_numbers_are_written_without_a_point() -> None:
    assert json.dumps(STEPS) == "[0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5]"


def test_the_longest_reply_follows_from_the_number_of_candidates() -> None:
    most = [call.options.max_tokens for call in (*calls(), *calls(joint=True))]
    assert most == [64 + 4 * 32, 64 + 4 * 64, 64 + 4 * 16 + 4 * 64]
    # A reply with every candidate, generously laid out, is shorter: a token is an ASCII letter at
    # worst, but no tokeniser is that bad, and four letters are usual.
    for reply, allowed in zip((NODE, ecv()), most, strict=False):
        assert allowed is not None
        assert len(json.dumps(reply, indent=2)) / 4 < allowed


@pytest.mark.parametrize(
    ("cut", "second"), [("Well, let me think about C01", 8192), ('{"selected": [', 192)]
)
def test_a_model_that_thinks_gets_more_room_and_one_that_rambles_does_not(
    cut: str, second: int
) -> None:
    chat = ScriptedChat([Reply(cut, finish="length"), json.dumps(NODE)])
    run_sync(LlmVerifier(chat, OURS).verify(small_case(edges=())))
    assert [call.options.max_tokens for call in chat.calls] == [192, second]
