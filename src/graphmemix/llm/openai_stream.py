"""A streamed reply of an OpenAI-compatible server, piece by piece."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from graphmemix.llm.model_server import RequestFailure, cancel_once
from graphmemix.llm.openai_wire import WireUsage

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import httpx

    from graphmemix.llm.model_server import Body, ModelServer
    from graphmemix.llm.pace import Pace

__all__ = ["FOREIGN_REPLY", "StreamedReply", "open_stream"]

FOREIGN_REPLY: Final = RequestFailure("the reply is not one of the OpenAI API")


@dataclass
class StreamedReply:
    """A reply that is arriving.

    Attributes:
        pending: The piece that arrived last; None at the end.
        text: All that arrived so far.
        finish: Why the model stopped; empty until it did.
        usage: What the server counted.
        deadline: When the whole of it must be there, by the loop's clock.
    """

    server: ModelServer
    slot: asyncio.Semaphore
    deadline: float
    response: httpx.Response | None = None
    events: AsyncIterator[Any] | None = None
    pending: str | None = ""
    text: str = ""
    finish: str = ""
    usage: WireUsage | None = None
    closed: bool = False

    async def close(self) -> None:
        """Give the connection and the slot back."""
        if not self.closed:
            self.closed = True
            self.slot.release()
            if self.response is not None:
                with suppress(Exception):  # it is broken already, and that was reported
                    await asyncio.shield(self.response.aclose())

    async def start(self, body: Body, most: int) -> RequestFailure | None:
        """Send the request, for a reply of at most `most` bytes."""
        return await cancel_once(self._start(body, most))

    async def _start(self, body: Body, most: int) -> RequestFailure | None:
        try:
            async with asyncio.timeout_at(self.deadline):
                response = await self.server.open(body, most)
        except TimeoutError as error:
            return self.server.failure(error)
        if isinstance(response, RequestFailure):
            return response
        self.response, self.events = response, _events(response, most)
        return None

    async def advance(self) -> RequestFailure | None:
        """Wait for the next words and put them into `pending`; None there is the end."""
        return await cancel_once(self._advance())

    async def _advance(self) -> RequestFailure | None:
        assert self.events is not None  # noqa: S101  # for the type checker
        try:
            async with asyncio.timeout_at(self.deadline):
                async for event in self.events:
                    if isinstance(event, dict) and event.get("error"):
                        return _reported(event["error"])
                    if words := self._take(event):
                        self.pending = words
                        self.text += words
                        return None
        except self.server.errors as error:
            return self.server.failure(error)
        except ValueError:  # no JSON, or no end of it
            return FOREIGN_REPLY
        if not self.finish:  # some connections break without a sound
            return RequestFailure("the connection was lost")
        self.pending = None
        return None

    def _take(self, event: Any) -> str:
        """Read one event; servers leave out what they like."""
        if not isinstance(event, dict):
            return ""
        if event.get("usage") is not None:
            try:
                self.usage = WireUsage.model_validate(event["usage"])
            except ValidationError:
                self.usage = None
        choices = event.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict):
            return ""
        finish, delta = choice.get("finish_reason"), choice.get("delta")
        self.finish = finish if isinstance(finish, str) and finish else self.finish
        words = delta.get("content") if isinstance(delta, dict) else None
        return _whole_characters(words) if isinstance(words, str) else ""


async def open_stream(
    server: ModelServer, body: Body, pace: Pace, most: int
) -> StreamedReply | RequestFailure:
    """Send the request and wait for the first words of a reply of at most `most` bytes."""
    slot = pace.slot()
    await slot.acquire()
    deadline = asyncio.get_running_loop().time() + server.timeout
    reply = StreamedReply(server, slot, deadline)
    failure: RequestFailure | None = None
    begun = False
    try:
        failure = await reply.start(body, most) or await reply.advance()
        begun = failure is None
    finally:
        if not begun:
            await reply.close()
    return failure or reply


async def _events(response: httpx.Response, most: int) -> AsyncIterator[Any]:
    """Yield the JSON of each server-sent event, up to ``[DONE]``.

    Raises:
        ValueError: Something is no JSON, or there is more than `most` bytes.
        httpx.HTTPError: The connection broke.
    """
    size, line, data = 0, bytearray(), list[bytes]()
    async for chunk in response.aiter_bytes():
        size += len(chunk)
        if size > most:
            raise ValueError("the reply does not end")
        line += chunk
        if b"\n" not in chunk:
            continue
        *lines, rest = bytes(line).split(b"\n")
        line = bytearray(rest)
        for each in lines:
            if each.startswith(b"data:"):
                data.append(each.removeprefix(b"data:").strip())
            elif data and not each.strip():  # an empty line ends an event
                if data[0].startswith(b"[DONE]"):
                    return
                try:
                    yield json.loads(b"\n".join(data))
                except RecursionError:
                    raise ValueError("nested too deeply") from None
                data = []


def _reported(error: Any) -> RequestFailure:
    message = error.get("message") if isinstance(error, dict) else error
    words = message if isinstance(message, str) else "an error"
    return RequestFailure(f"the server reports: {_whole_characters(words)[:200]}")


def _whole_characters(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")  # JSON may name half a character
