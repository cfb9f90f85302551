"""Limits on requests: body sizes, rates, requests in progress, slow clients."""

from __future__ import annotations

import asyncio
import re
import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import Final

from graphmemix.serve.asgi import (
    App,
    Message,
    Receive,
    Scope,
    Send,
    header_of,
    media_type_of,
    principal_of,
    refuse,
)
from graphmemix.serve.options import Limits
from graphmemix.serve.problems import ProblemError

__all__ = ["LimitsMiddleware", "RequestRate", "RequestSlots"]

_MEDIA: Final = re.compile(r"/v1/archives/[^/]+/media\Z")
_JOBS: Final = re.compile(r"/v1/archives/[^/]+/jobs\Z")
_MOST_CALLERS: Final = 10_000
_NOT_LIMITED: Final = frozenset({"/v1/health", "/v1/ready"})
_SHARE: Final = 4  # a caller may have a quarter of the requests in progress,
_LEAST_SHARE: Final = 8  # but at least this many


class RequestRate:
    """Token buckets, one per caller: a burst of one minute's worth, then the given rate."""

    def __init__(self, per_minute: int) -> None:
        self._most = float(per_minute)
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, caller: str, now: float) -> float:
        """Count one request; return 0, or the seconds to wait before it is allowed."""
        if not self._most:
            return 0.0
        left, at = self._buckets.pop(caller, (self._most, now))
        left = min(self._most, left + (now - at) * self._most / 60)
        wait = 0.0 if left >= 1 else (1 - left) * 60 / self._most
        self._buckets[caller] = (left if wait else left - 1, now)
        if len(self._buckets) > _MOST_CALLERS:
            self._buckets.popitem(last=False)
        return wait


class RequestSlots:
    """Slots for requests in progress; each caller may hold a share of them."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._share = min(most, max(most // _SHARE, _LEAST_SHARE))
        self._held: Counter[str] = Counter()

    @property
    def taken(self) -> int:
        """How many are taken."""
        return self._held.total()

    def take(self, caller: str) -> None:
        """Take one.

        Raises:
            ProblemError: The caller has its share, or all are taken.
        """
        if self.taken >= self._most:
            raise ProblemError(503, "overloaded", "too many requests in progress; try again later")
        if self._held[caller] >= self._share:
            raise ProblemError(
                429,
                "too_many_requests",
                f"{self._share} requests of this key or address in progress; wait for one to end",
            )
        self._held[caller] += 1

    def give_back(self, caller: str) -> None:
        """Give one back."""
        self._held[caller] -= 1
        if not self._held[caller]:
            del self._held[caller]


class LimitsMiddleware:
    """Keeps clients from using more than their share.

    A request whose body is still arriving holds a slot of `receiving`, and moves to `working` when
    the body is complete, so that clients that send slowly do not block others.
    """

    def __init__(self, app: App, limits: Limits) -> None:
        self._app = app
        self._limits = limits
        self._rate = RequestRate(limits.requests_per_minute)
        self.receiving = RequestSlots(limits.in_flight)
        self.working = RequestSlots(limits.in_flight)
        self._buffered = _Buffered(limits.buffered_bytes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request within the limits."""
        if scope["type"] != "http" or scope["path"] in _NOT_LIMITED:
            await self._app(scope, receive, send)
            return
        caller, body, length = _caller(scope), self._body(scope), _length(scope)
        slots = self.working if length == 0 else self.receiving
        try:
            self._check_rate(caller)
            if length is not None and length > body.most:
                raise too_large(body.most)
            slots.take(caller)
        except ProblemError as error:
            await refuse(scope, receive, send, error)
            return

        def complete() -> None:
            nonlocal slots
            if slots is self.receiving:
                self.working.take(caller)
                slots.give_back(caller)
                slots = self.working

        exchange = _Exchange(receive, send, self._limits, body, complete)
        try:
            await self._app(scope, exchange.receive, exchange.send)
        finally:
            slots.give_back(caller)
            body.release()

    def _check_rate(self, caller: str) -> None:
        if wait := self._rate.take(caller, time.monotonic()):
            raise ProblemError(
                429,
                "too_many_requests",
                f"more than {self._limits.requests_per_minute} requests per minute",
                {"Retry-After": str(int(wait) + 1)},
            )

    def _body(self, scope: Scope) -> _Body:
        is_file = scope["method"] == "POST" and (
            _MEDIA.match(scope["path"]) is not None
            or (
                _JOBS.match(scope["path"]) is not None
                and media_type_of(scope) == "multipart/form-data"
            )
        )
        # Files are written to disk as they arrive; other bodies are collected in memory.
        if is_file:
            return _Body(self._limits.upload_bytes, None)
        return _Body(self._limits.body_bytes, self._buffered)


def _caller(scope: Scope) -> str:
    who = principal_of(scope).id
    client = scope.get("client")
    return f"{who} {client[0]}" if who in {"none", "local"} and client else who


def _length(scope: Scope) -> int | None:
    """Return the length of a body; None if it is known only at the end."""
    if header_of(scope, b"transfer-encoding") is not None:
        return None
    return int(header_of(scope, b"content-length") or "0")  # h11 accepts only digits


class _Buffered:
    """The total size of all bodies in memory."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.size = 0


class _Body:
    """The size of one body: what has arrived, and its limit."""

    def __init__(self, most: int, buffered: _Buffered | None) -> None:
        self.most = most
        self.got = 0
        self._buffered = buffered

    def add(self, size: int) -> None:
        """Count received bytes.

        Raises:
            ProblemError: The body is too large, or too many bodies are in memory.
        """
        self.got += size
        if self._buffered is not None:
            self._buffered.size += size
        if self.got > self.most:
            raise too_large(self.most)
        if self._buffered is not None and self._buffered.size > self._buffered.most:
            raise ProblemError(
                503,
                "overloaded",
                "too many large requests in progress; try again later",
                {"Connection": "close"},
            )

    def release(self) -> None:
        """Release the memory of the body."""
        if self._buffered is not None:
            self._buffered.size -= self.got
        self.got = 0


class _Exchange:
    """Receives and sends for one request: counts bytes, and gives up on stalled clients."""

    def __init__(
        self,
        receive: Receive,
        send: Send,
        limits: Limits,
        body: _Body,
        on_complete: Callable[[], None],
    ) -> None:
        self._receive = receive
        self._send = send
        self._limits = limits
        self._waited = 0.0
        self._complete = False
        self._body = body
        self._on_complete = on_complete

    async def receive(self) -> Message:
        if self._complete:  # now waiting for the client to disconnect, without limit
            return await self._receive()
        pause = min(self._limits.body_seconds, self._time_left())
        start = time.monotonic()
        try:
            async with asyncio.timeout(pause):
                message = await self._receive()
        except TimeoutError:
            raise ProblemError(
                408,
                "too_slow",
                f"the body arrived too slowly: a pause of {self._limits.body_seconds:g} s, or less "
                f"than {self._limits.body_rate} bytes per second",
                {"Connection": "close"},
            ) from None
        # Only time spent waiting for the client counts, not our own disk.
        self._waited += time.monotonic() - start
        if message["type"] == "http.request":
            self._body.add(len(message.get("body", b"")))
            if not message.get("more_body", False):
                self._complete = True
                self._on_complete()
        return message

    def _time_left(self) -> float:
        most = self._limits.body_grace_seconds + self._body.got / self._limits.body_rate
        return max(0.0, most - self._waited)

    async def send(self, message: Message) -> None:
        async with asyncio.timeout(self._limits.send_seconds):
            await self._send(message)


def too_large(most: int) -> ProblemError:
    """Return the error for a body above the limit."""
    return ProblemError(
        413, "too_large", f"the body is larger than {most} bytes", {"Connection": "close"}
    )
