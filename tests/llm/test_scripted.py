from __future__ import annotations

import pytest

from graphmemix.errors import ModelError, ModelUnavailableError
from graphmemix.llm import Message, Options, Reply, ScriptedChat, iterate_sync, run_sync

HELLO = [Message.user("hello")]


def test_replies_come_in_order_and_calls_are_kept() -> None:
    chat = ScriptedChat(["one", Reply("two", "length"), ModelUnavailableError("down")])
    assert run_sync(chat.complete(HELLO)).text == "one"
    assert run_sync(chat.complete(HELLO, Options(max_tokens=3))).finish == "length"
    with pytest.raises(ModelUnavailableError, match="down"):
        run_sync(chat.complete(HELLO))
    with pytest.raises(ModelError, match="3 replies, and no more"):
        run_sync(chat.complete(HELLO))
    assert chat.calls[1].options.max_tokens == 3
    assert chat.calls[0].text == "hello"


def test_replies_may_be_made_of_the_messages() -> None:
    chat = ScriptedChat(lambda messages, options: messages[-1].text.upper())
    assert run_sync(chat.complete(HELLO)).text == "HELLO"


def test_a_stream_has_all_characters_and_ends_with_the_whole() -> None:
    text = "  In Lisbon,\n\nsays [1]. "
    *pieces, last = list(iterate_sync(ScriptedChat([text]).stream(HELLO)))
    assert "".join(piece.text for piece in pieces) == text
    assert len(pieces) > 3
    assert last.end is not None
    assert last.end.text == text


def test_a_stream_may_break_as_the_script_says() -> None:
    chat = ScriptedChat(["a b c"], break_after=2)
    got: list[str] = []
    with pytest.raises(ModelError, match="broke off"):
        got.extend(piece.text for piece in iterate_sync(chat.stream(HELLO)))
    assert len(chat.calls) == 1
