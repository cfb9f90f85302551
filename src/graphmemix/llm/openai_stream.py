"""A streamed reply of an OpenAI-compatible server, piece by piece."""

from __future__ import annotations

import asyncio
import importlib
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from graphmemix.llm.openai_wire import Body, Failure, WireUsage

if TYPE_CHECKING:
    import openai

    from graphmemix.llm.pace import Pace

__all__ = ["Opened", "failure_of", "following", "open_stream", "transport_errors"]


@dataclass
class Opened:
    """A reply that is arriving.

    Attributes:
        pending: The piece that arrived last; None at the end.
        text: All that arrived so far.
        finish: Why the model stopped; empty until it did.
        usage: What the server counted.
        deadline: When the whole of it must be there, by the loop's clock.
        seconds: How long that was from the start.
    """

    source: Any
    slot: asyncio.Semaphore
    deadline: float
    seconds: float
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
            with suppress(Exception):  # it is broken already, and that was told
                await self.source.close()


async def open_stream(
    client: openai.AsyncOpenAI, model: str, body: Body, pace: Pace, seconds: float
) -> Opened | Failure:
    """Send the request and wait for the first words. Errors come back as values."""
    slot = pace.slot()
    await slot.acquire()
    deadline = asyncio.get_running_loop().time() + seconds
    opened: Opened | None = None
    done = False
    try:
        try:
            async with asyncio.timeout_at(deadline):
                create: Any = client.chat.completions.create
                source = await create(model=model, timeout=seconds, **body)
        except transport_errors() as error:
            return failure_of(error, seconds)
        except (ValueError, TypeError, AttributeError, LookupError, RecursionError):
            return Failure("the reply is not one of the OpenAI API")
        opened = Opened(source, slot, deadline, seconds)
        failure = await following(opened)
        done = failure is None
        return opened if failure is None else failure
    finally:
        if opened is None:
            slot.release()
        elif not done:
            await opened.close()


async def following(opened: Opened) -> Failure | None:
    """Wait for the next words and put them into `pending`; None there is the end."""
    try:
        async with asyncio.timeout_at(opened.deadline):
            while True:
                try:
                    chunk = await anext(opened.source)
                except StopAsyncIteration:
                    break
                if words := _take(opened, chunk):
                    opened.pending = words
                    opened.text += words
                    return None
    except transport_errors() as error:
        return failure_of(error, opened.seconds)
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError):
        # The SDK reads events as they come, and raises what comes of it.
        return Failure("the reply is not one of the OpenAI API")
    if not opened.finish:  # some connections break without a sound
        return Failure("the connection was lost")
    opened.pending = None
    return None


def _take(opened: Opened, chunk: Any) -> str:
    """Read one event; servers leave out what they like."""
    counted = getattr(chunk, "usage", None)
    if counted is not None:
        try:
            opened.usage = WireUsage.model_validate(counted, from_attributes=True)
        except ValidationError:
            opened.usage = None
    choices = getattr(chunk, "choices", None)
    if not choices:
        return ""
    opened.finish = getattr(choices[0], "finish_reason", None) or opened.finish
    words = getattr(getattr(choices[0], "delta", None), "content", None)
    if not isinstance(words, str):
        return ""
    return words.encode("utf-8", "replace").decode("utf-8")  # JSON may name half a character


@cache
def transport_errors() -> tuple[type[Exception], ...]:
    """Return what a request may raise on the way; of the SDK and of the HTTP library below it."""
    import openai

    found: list[type[Exception]] = [openai.OpenAIError, TimeoutError, OSError]
    for name in ("httpx2", "httpx"):  # newer and older versions of the SDK
        try:
            library = importlib.import_module(name)
        except ImportError:
            continue
        found += [library.HTTPError, library.StreamError]
    return tuple(found)


def failure_of(error: Exception, timeout: float) -> Failure:
    """Say why a request failed, without the request, which holds the key and the content."""
    import openai

    if isinstance(error, openai.APITimeoutError | TimeoutError):
        return Failure(f"no complete reply within {timeout:g} s")
    if isinstance(error, openai.APIStatusError):
        return Failure.of_status(error.status_code, _said(error), error.response.headers)
    if isinstance(error, openai.APIConnectionError):
        cause = type(error.__cause__).__name__ if error.__cause__ else type(error).__name__
        return Failure(f"the connection failed: {cause}", unreached=cause == "ConnectError")
    if isinstance(error, openai.APIError):  # an error event inside a stream
        return Failure(f"the server reports: {str(error)[:200]}")
    return Failure(f"the connection was lost: {type(error).__name__}")


def _said(error: openai.APIStatusError) -> str:
    body = error.body
    if isinstance(body, dict) and isinstance(body.get("message"), str):
        return str(body["message"])
    return str(body if body is not None else error.message)
