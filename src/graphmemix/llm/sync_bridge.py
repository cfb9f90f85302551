"""Async code from code that is not: one event loop in one thread, for the whole process."""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from contextlib import suppress
from contextvars import Context, copy_context
from typing import TYPE_CHECKING, Any, TypeVar

from graphmemix.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Coroutine, Iterator

__all__ = ["iterate_sync", "run_sync"]

_T = TypeVar("_T")


class _Bridge:
    """An event loop in a daemon thread of its own."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(
            target=self.loop.run_forever, name="graphmemix-portal", daemon=True
        )
        self.thread.start()

    def submit(self, coroutine: Coroutine[Any, Any, _T], context: Context | None = None) -> _T:
        # The task runs in a copy of the caller's context: limits that are in force here hold there.
        within = copy_context() if context is None else context

        async def running() -> _T:
            return await self.loop.create_task(coroutine, context=within)

        future = asyncio.run_coroutine_threadsafe(running(), self.loop)
        try:
            return future.result()
        except BaseException:
            # Ctrl-C in the waiting thread must also end the work.
            future.cancel()
            raise

    def close(self) -> None:
        """Cancel what runs and end the thread."""
        if self.process != os.getpid() or self.loop.is_closed():
            return
        with suppress(RuntimeError, asyncio.CancelledError, TimeoutError):
            asyncio.run_coroutine_threadsafe(_cancel_all(), self.loop).result(5)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(5)
        if not self.thread.is_alive():
            self.loop.close()


async def _cancel_all() -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await asyncio.get_running_loop().shutdown_asyncgens()


_lock = threading.Lock()
_portal: _Bridge | None = None


def run_sync(coroutine: Coroutine[Any, Any, _T]) -> _T:
    """Run a coroutine to its end, from any thread, and return what it returns.

    It also works where an event loop is running already (a notebook), and blocks it. All calls of
    a process share one loop, so that connections are reused from call to call.

    Raises:
        InvalidInputError: The caller itself runs inside this loop, and would wait for itself.
    """
    try:
        portal = _open()
    except InvalidInputError:
        coroutine.close()
        raise
    return portal.submit(coroutine)


def iterate_sync(pieces: AsyncIterator[_T]) -> Iterator[_T]:
    """Yield what an async iterator yields. To stop early closes it.

    Raises:
        InvalidInputError: As in `run_sync`.
    """
    portal = _open()
    # One context for all steps: what the iterator sets in one, such as limits, holds in the next.
    context = copy_context()
    step: asyncio.Task[Any] | None = None

    async def following() -> tuple[bool, _T | None]:
        nonlocal step
        step = asyncio.current_task()
        try:
            return True, await anext(pieces)
        except StopAsyncIteration:  # cannot leave a coroutine as it is
            return False, None

    async def close() -> None:
        if step is not None and not step.done():  # Ctrl-C: nothing running can be closed
            step.cancel()
            await asyncio.wait([step])
        closing = getattr(pieces, "aclose", None)
        if closing is not None:
            await closing()

    try:
        while True:
            more, piece = portal.submit(following(), context)
            if not more:
                return
            yield piece  # type: ignore[misc]
    finally:
        portal.submit(close(), context)


def _open() -> _Bridge:
    global _portal  # noqa: PLW0603 - one per process is the point
    with _lock:
        # A fork takes the memory but not the thread.
        if _portal is None or _portal.process != os.getpid() or _portal.loop.is_closed():
            _portal = _Bridge()
            atexit.register(_portal.close)
        portal = _portal
    if threading.current_thread() is portal.thread:
        raise InvalidInputError("this call would wait for itself; use the async form with await")
    return portal
