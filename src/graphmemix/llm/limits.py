"""Limits of one question: a deadline, a token cap, a money cap, and cancellation.

Limits hold for everything that is called inside them, so that no signature has to carry them::

    with Budget(seconds=20, tokens=50_000) as budget:
        await verifier.verify(case)
    budget.usage  # what it took

They follow tasks and `run_sync`, as all context variables do. Limits inside limits all hold.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from contextvars import ContextVar
from typing import TYPE_CHECKING, Self, TypeVar

from graphmemix.errors import InvalidInputError, LimitReachedError
from graphmemix.llm.chat import Usage

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from graphmemix.settings import LimitSettings

__all__ = [
    "Budget",
    "Meter",
    "admit",
    "check_cancelled",
    "check_limits",
    "keep_limits",
    "record",
    "run_in_thread",
]

_T = TypeVar("_T")
_ACTIVE: ContextVar[tuple[Meter, ...]] = ContextVar("graphmemix_meters", default=())


class Meter:
    """Counts what the calls inside it take, also those that failed in the end."""

    def __init__(self) -> None:
        self._usage = Usage()
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        _ACTIVE.set((*_ACTIVE.get(), self))
        return self

    def __exit__(self, *exception: object) -> None:
        # Without a token: several tasks may share a meter, and each leaves in its own context.
        active = list(_ACTIVE.get())
        for place in range(len(active) - 1, -1, -1):
            if active[place] is self:
                del active[place]
                break
        _ACTIVE.set(tuple(active))

    @property
    def usage(self) -> Usage:
        """What was spent so far."""
        return self._usage

    def add(self, usage: Usage) -> None:
        """Count some more."""
        with self._lock:
            self._usage += usage


class Budget(Meter):
    """A meter with limits. It starts when it is made, and any thread may `cancel` it.

    A call is refused when a cap is used up, or when its input alone, as estimated, would pass it.
    What a model has answered is paid for, and is returned even if it passes a cap; the next call
    is refused. A deadline and a cancellation end calls that are under way.
    """

    def __init__(
        self,
        *,
        seconds: float | None = None,
        tokens: int | None = None,
        money: float | None = None,
    ) -> None:
        """Set the limits; None for no limit.

        Raises:
            InvalidInputError: A limit is negative.
        """
        super().__init__()
        for name, limit in (("seconds", seconds), ("tokens", tokens), ("money", money)):
            if limit is not None and not limit >= 0:
                raise InvalidInputError(f"{name}: a limit must be 0 or more, not {limit}")
        self._seconds, self._max_tokens, self._max_money = seconds, tokens, money
        self._start = time.monotonic()
        self._cancelled = False
        self._reserved = 0
        self._under_way: dict[asyncio.Timeout, asyncio.AbstractEventLoop] = {}

    @classmethod
    def from_settings(cls, settings: LimitSettings) -> Self:
        """Start the limits that the settings name."""
        return cls(seconds=settings.seconds, tokens=settings.tokens, money=settings.money)

    def __repr__(self) -> str:
        limits = f"seconds={self._seconds}, tokens={self._max_tokens}, money={self._max_money}"
        return f"Budget({limits}, usage={self._usage})"

    @property
    def remaining_seconds(self) -> float | None:
        """Time until the deadline, at least 0; None if there is none."""
        if self._seconds is None:
            return None
        return max(0.0, self._start + self._seconds - time.monotonic())

    @property
    def cancelled(self) -> bool:
        """Whether `cancel` was called."""
        return self._cancelled

    def cancel(self) -> None:
        """End the calls that are under way and refuse all further ones. From any thread."""
        self._cancelled = True
        with self._lock:
            under_way = list(self._under_way.items())
        for timeout, loop in under_way:
            with contextlib.suppress(RuntimeError):  # that loop has ended meanwhile
                loop.call_soon_threadsafe(self._expire, timeout)

    def check(self) -> None:
        """Refuse to go on if a limit is reached.

        Raises:
            LimitReachedError: Names the limit.
        """
        if self._cancelled:
            raise LimitReachedError("cancelled", "the question was cancelled")
        if self.remaining_seconds == 0:
            raise LimitReachedError("deadline", f"the deadline of {self._seconds:g} s has passed")
        spent = self._usage
        if self._max_tokens is not None and spent.tokens >= self._max_tokens:
            raise LimitReachedError("tokens", f"all {self._max_tokens} are used")
        if self._max_money is not None and spent.money >= self._max_money:
            raise LimitReachedError("money", f"{spent.money:.6g} of {self._max_money:g} are spent")

    def reserve(self, tokens: int) -> None:
        """Set tokens aside for a call; negative to give them back.

        Raises:
            LimitReachedError: The cap has no room beside what is used and set aside already.
        """
        with self._lock:
            taken = self._usage.tokens + self._reserved
            if tokens > 0 and self._max_tokens is not None and taken + tokens > self._max_tokens:
                raise LimitReachedError(
                    "tokens",
                    f"{taken} of {self._max_tokens} are used or set aside, and the next call takes "
                    f"about {tokens} and what it answers",
                )
            self._reserved += tokens

    @contextlib.asynccontextmanager
    async def keep(self) -> AsyncIterator[None]:
        """End what is awaited inside at the deadline or on `cancel`.

        Raises:
            LimitReachedError: It was ended.
        """
        loop = asyncio.get_running_loop()
        left = self.remaining_seconds
        timeout = asyncio.timeout(left)
        try:
            async with timeout:
                with self._lock:
                    self._under_way[timeout] = loop
                if self._cancelled:  # between the check and here
                    self._expire(timeout)
                try:
                    yield
                finally:
                    with self._lock:
                        del self._under_way[timeout]
        except TimeoutError:
            if not timeout.expired():
                raise
            self.check()
            raise LimitReachedError(
                "deadline", f"the deadline of {self._seconds:g} s has passed"
            ) from None

    def _expire(self, timeout: asyncio.Timeout) -> None:
        if timeout in self._under_way:
            timeout.reschedule(asyncio.get_running_loop().time())


def check_limits() -> None:
    """Check all limits in force.

    Raises:
        LimitReachedError: Names the limit.
    """
    for budget in _budgets():
        budget.check()


def check_cancelled() -> None:
    """End a cancelled question in the middle of a stage that asks no model. From any thread.

    Raises:
        LimitReachedError: A budget in force was cancelled.
    """
    for budget in _budgets():
        if budget.cancelled:
            budget.check()


@contextlib.contextmanager
def admit(tokens: int) -> Iterator[None]:
    """Hold a place for a call whose input takes about so many tokens, while it is under way.

    Calls at the same time see each other's places, so that together they keep a token cap too.

    Raises:
        LimitReachedError: A limit does not allow the call; names it.
    """
    check_limits()
    with contextlib.ExitStack() as stack:
        for budget in _budgets():
            budget.reserve(tokens)
            stack.callback(budget.reserve, -tokens)
        yield


@contextlib.asynccontextmanager
async def keep_limits() -> AsyncIterator[None]:
    """End what is awaited inside when a deadline passes or a budget in force is cancelled.

    Raises:
        LimitReachedError: It was ended.
    """
    async with contextlib.AsyncExitStack() as stack:
        for budget in _budgets():
            await stack.enter_async_context(budget.keep())
        yield


async def run_in_thread(work: Callable[[], _T]) -> _T:
    """Run in a thread; if the question is cancelled meanwhile, end when the thread has ended.

    Threads cannot be killed. This one ends where its stage next looks (`check_cancelled`); until
    then the question holds its place, so that cancelled questions do not pile up.
    """
    with Budget() as alone:  # the thread sees it: tasks and threads copy the context
        call = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(call)
    except asyncio.CancelledError:
        alone.cancel()
        while not call.done():
            with contextlib.suppress(asyncio.CancelledError):  # asked again; it is raised below
                await asyncio.wait([call])
        if not call.cancelled():
            call.exception()  # looked at, or asyncio would report it
        raise


def record(usage: Usage) -> None:
    """Add what a call took to all meters in force."""
    for meter in _ACTIVE.get():
        meter.add(usage)


def _budgets() -> list[Budget]:
    return [meter for meter in _ACTIVE.get() if isinstance(meter, Budget)]
