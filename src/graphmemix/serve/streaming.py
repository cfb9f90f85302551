"""Server-sent events: stages, pieces of the answer, then the trace."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from typing import Final, TypeAlias

from anyio import CancelScope
from starlette.responses import StreamingResponse

from graphmemix.evidence import Trace
from graphmemix.pipeline import listening
from graphmemix.serve.asgi import Receive, Scope, Send
from graphmemix.serve.problems import Problem

__all__ = ["EventResponse", "events"]

_EVENTS: Final = "text/event-stream"

_QUIET_SECONDS: Final = 15.0  # after that a comment keeps proxies from closing the connection
_COMMENT: Final = b": still here\n\n"

Item: TypeAlias = tuple[str, str | Trace | Exception | None]


class EventResponse(StreamingResponse):
    """Sends events as they arrive, and closes their generator at the end.

    Otherwise, if a client disconnected while an event is sent, the question would keep running
    until garbage collection.
    """

    def __init__(self, stream: AsyncGenerator[bytes]) -> None:
        super().__init__(stream, media_type=_EVENTS, headers={"X-Accel-Buffering": "no"})
        self._stream = stream

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send all events, or as many as the client waits for."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            with CancelScope(shield=True):
                await self._stream.aclose()


async def events(
    pieces: AsyncIterator[str | Trace],
    render: Callable[[Trace], str],
    problem: Callable[[Exception], Problem],
) -> AsyncGenerator[bytes]:
    """Yield the events of a question. Closing the generator early cancels the question.

    Args:
        pieces: Pieces of the answer, then the trace.
        render: Returns the data of the last event.
        problem: Returns the data of an error.
    """
    # The queue is bounded, so that a slow client slows the question down.
    queue: asyncio.Queue[Item] = asyncio.Queue(maxsize=256)
    asking = asyncio.create_task(_ask(pieces, queue))
    try:
        while True:
            try:
                async with asyncio.timeout(_QUIET_SECONDS):
                    name, item = await queue.get()
            except TimeoutError:
                yield _COMMENT
                continue
            if isinstance(item, Exception):
                yield _event("error", problem(item).to_json())
                return
            if isinstance(item, Trace):
                # In a thread: explanations solve a small problem for every rejected candidate.
                yield _event("trace", await asyncio.to_thread(render, item))
                return
            key = "text" if name == "piece" else "stage"
            yield _event(name, json.dumps({key: item}))
    finally:
        asking.cancel()
        # The question keeps its request slot until its thread has ended, even if cancelled again.
        with CancelScope(shield=True):
            await asyncio.wait([asking])


async def _ask(pieces: AsyncIterator[str | Trace], queue: asyncio.Queue[Item]) -> None:
    def began(stage: str) -> None:
        if not queue.full():  # a slow client may miss a stage
            queue.put_nowait(("stage", stage))

    try:
        with listening(began):
            async for piece in pieces:
                await queue.put(("trace" if isinstance(piece, Trace) else "piece", piece))
    except Exception as error:  # noqa: BLE001  # it becomes the last event
        await queue.put(("error", error))


def _event(name: str, data: str) -> bytes:
    # JSON on one line: to_json and json.dumps write no line breaks.
    return f"event: {name}\ndata: {data}\n\n".encode()
