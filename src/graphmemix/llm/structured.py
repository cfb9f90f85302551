"""Typed replies: JSON is found wherever it stands, checked strictly, and asked for again if bad."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from graphmemix.errors import InvalidReplyError
from graphmemix.llm.cache import RememberingChat
from graphmemix.llm.chat import Message
from graphmemix.record import fault_in_words
from graphmemix.text.quoting import break_signs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from graphmemix.llm.chat import Chat, Options, Reply

__all__ = ["FaultyReplyError", "ask", "find_json"]

_T = TypeVar("_T")
_M = TypeVar("_M", bound=BaseModel)

_REPEATED: Final = 8_000  # characters of a bad reply that are shown to the model again
_FAULT_SHOWN: Final = 600  # characters of what was wrong with it
_OPENINGS: Final = 200  # braces at which JSON may begin


class FaultyReplyError(Exception):
    """What is wrong with a reply, in words that the model can act on. Never leaves `ask`."""

    def __init__(self, reason: str) -> None:
        # It quotes the reply, whose JSON may name half a character: no error could show that.
        super().__init__(reason.encode("utf-8", "replace").decode("utf-8"))


async def ask(
    chat: Chat,
    messages: Sequence[Message],
    options: Options,
    read: Callable[[str], _T],
    *,
    retries: int,
    repairs: Counter[str],
    longest: int | None = None,
) -> _T:
    """Ask until a reply passes; after a bad one, repeat the request with what was wrong.

    Args:
        chat: Whom to ask.
        messages: What to ask.
        options: How to answer.
        read: Returns what a reply says, or raises `FaultyReplyError`.
        retries: Further calls after the first.
        repairs: Counts every bad reply, as ``rejected_reply``.
        longest: Token limit of further calls if a reply was cut before its JSON began, because the
            model was still thinking; None for that of `options`.

    Raises:
        InvalidReplyError: No reply passed.
        ModelUnavailableError: The model does not answer.
        LimitReachedError: A limit of the question was reached.
    """
    bad: list[Reply] = []
    asked, fault = list(messages), ""
    for _ in range(retries + 1):
        reply = await chat.complete(asked, options)
        try:
            return read(reply.text)
        except FaultyReplyError as error:
            fault = _fault(reply, str(error))[:_FAULT_SHOWN]
        bad.append(reply)
        repairs["rejected_reply"] += 1
        if longest is not None and reply.finish == "length" and "{" not in reply.text:
            options = replace(options, max_tokens=longest)
        asked = [*messages, *_correction(reply, fault, len(bad))]
    if isinstance(chat, RememberingChat):
        for reply in bad:  # else the same failure would be remembered for ever
            chat.forget(reply)
    raise InvalidReplyError(f"{chat.identity}: no valid reply in {len(bad)} calls; last: {fault}")


def _fault(reply: Reply, fault: str) -> str:
    if not reply.text.strip():
        return "the reply was empty"
    if reply.finish == "length":
        return f"the reply was cut at the token limit, so it must be shorter; {fault}"
    return fault


def _correction(reply: Reply, fault: str, tries: int) -> list[Message]:
    """Return the bad reply and what is wrong with it. Only the last one: the context is finite."""
    repeated = break_signs(reply.text[:_REPEATED])  # a model may repeat what a memory says
    said = [Message.assistant(repeated)] if repeated.strip() else []
    request = (
        # The number keeps a model that repeats itself, or a cache, from seeing the same call twice.
        f"That reply, number {tries}, cannot be used: {break_signs(fault)}. "
        "Answer the same request again, with one JSON object of the requested form and nothing "
        "else."
    )
    return [*said, Message.user(request)]


def find_json(text: str, model: type[_M]) -> _M:
    """Return the first JSON object in a reply that is a `model`.

    Prose before and after it, code fences and a model's spoken thoughts are passed over. An object
    that is not complete, has a key twice, or numbers that are none is no JSON.

    Raises:
        FaultyReplyError: There is none; says what is wrong with the first object.
    """
    _, thought, rest = text.rpartition("</think>")
    text = rest if thought else text
    fault, position = "", 0
    for _ in range(_OPENINGS):
        position = text.find("{", position)
        if position < 0:
            break
        try:
            value, position = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError) as error:
            fault = fault or f"the JSON is not valid: {_reason(error)}"
            position += 1
            continue
        try:
            return model.model_validate(value, strict=True)
        except ValidationError as error:
            fault = fault or _faults(error)
    raise FaultyReplyError(fault or "there is no JSON object in it")


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at character {error.pos}"
    return str(error) if isinstance(error, ValueError) else "nested too deeply"


def _faults(error: ValidationError) -> str:
    faults = error.errors(include_url=False, include_input=False)[:5]
    return "; ".join(fault_in_words(fault["loc"], fault["msg"]) for fault in faults)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        count = Counter(name for name, _ in pairs)
        twice = next(name for name in count if count[name] > 1)
        raise ValueError(f"the key {twice[:40]!r} occurs twice")
    return found


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is not a JSON number")


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_number)
