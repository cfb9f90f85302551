from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from pydantic import BaseModel

from graphmemix.errors import InvalidReplyError
from graphmemix.llm import (
    Message,
    Options,
    RememberingChat,
    Reply,
    ReplyCache,
    ScriptedChat,
    run_sync,
)
from graphmemix.llm.structured import FaultyReplyError, ask, find_json

HELLO = [Message.user("hello")]


class Fruit(BaseModel):
    name: str
    count: float


def read(text: str) -> Fruit:
    return find_json(text, Fruit)


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "fig", "count": 2}',
        '```json\n{"name": "fig", "count": 2}\n```',
        'Sure! Here it is:\n\n{"name": "fig", "count": 2}\n\nAnything else?',
        '<think>{"name": "plum"} or fig?</think>{"name": "fig", "count": 2}',
        'As {you} asked: {"name": "fig", "count": 2}',
        'The schema {"type": "object"} gives {"name": "fig", "count": 2}',
        '\ufeff  {"name": "fig", "count": 2.0}',
        '{"name": "fig", "count": 2}{"name": "plum", "count": 9}',
    ],
)
def test_json_is_found_wherever_it_stands(text: str) -> None:
    assert read(text) == Fruit(name="fig", count=2)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "no JSON"),
        ("I cannot do that.", "no JSON"),
        ('{"name": "fig", "cou', "not valid"),
        ('{"name": "fig", "count": 2', "not valid"),
        ('{"name": "fig", "count": NaN}', "NaN is not a JSON number"),
        ('{"name": "fig", "name": "plum", "count": 1}', "'name' occurs twice"),
        ('{"name": "fig", "count": "2"}', "count"),
        ('{"name": "fig", "count": true}', "count"),
        ('{"name": null, "count": 2}', "name"),
        ('{"name": "fig"}', "count: Field required"),
        ('[{"name": "fig"}]', "count"),
        ("{" * 5000, "not valid"),
        ('{"a":' * 100_000, "not valid"),
    ],
)
def test_what_is_not_complete_and_right_is_a_fault(text: str, fault: str) -> None:
    with pytest.raises(FaultyReplyError, match=fault):
        read(text)


def test_a_bad_reply_is_asked_for_again_and_the_model_is_told_why() -> None:
    chat = ScriptedChat(['{"name": "fig"}', "", '{"name": "fig", "count": 1}'])
    repairs = Counter[str]()
    fruit = run_sync(ask(chat, HELLO, Options(), read, retries=3, repairs=repairs))
    assert fruit.count == 1
    assert repairs == {"rejected_reply": 2}
    first, second, third = chat.calls
    assert first.messages == tuple(HELLO)
    assert [message.role for message in second.messages] == ["user", "assistant", "user"]
    assert second.messages[1].text == '{"name": "fig"}'
    assert "count: Field required" in second.messages[2].text
    assert "the reply was empty" in third.messages[-1].text


def test_a_cut_reply_is_asked_for_shorter() -> None:
    chat = ScriptedChat([Reply('{"name": "fi', "length"), '{"name": "fig", "count": 1}'])
    run_sync(ask(chat, HELLO, Options(), read, retries=1, repairs=Counter()))
    assert "cut at the token limit" in chat.calls[1].text


def test_after_four_calls_it_is_an_error_and_nothing_is_remembered(tmp_path: Path) -> None:
    chat = ScriptedChat(["no"] * 4 + ['{"name": "fig", "count": 1}'])
    remembering = RememberingChat(chat, ReplyCache(tmp_path))
    repairs = Counter[str]()
    with pytest.raises(InvalidReplyError, match="no valid reply in 4 calls; last: there is no JSO"):
        run_sync(ask(remembering, HELLO, Options(), read, retries=3, repairs=repairs))
    assert (len(chat.calls), repairs["rejected_reply"]) == (4, 4)
    again = run_sync(ask(remembering, HELLO, Options(), read, retries=0, repairs=repairs))
    assert again.name == "fig"
