"""How much and how fast: body sizes, request rates, requests under way, slow clients."""

from __future__ import annotations

import asyncio
import re
import time
from collections import OrderedDict
from typing import Final

from graphmemix.serve.asgi import (
    App,
    Message,
    Receive,
    Scope,
    Send,
    header_of,
    principal_of,
    refuse,
)
from graphmemix.serve.options import Limits
from graphmemix.serve.problems import ProblemError

__all__ = ["Guard", "Pace"]

_UPLOADS: Final = re.compile(r"/v1/archives/[^/]+/(media|jobs)\Z")
_MOST_CALLERS: Final = 10_000
_NOT_LIMITED: Final = frozenset({"/v1/health", "/v1/ready"})


class Pace:
    """Token buckets, one a caller: a minute's worth may come at once, then at the given rate."""

    def __init__(self, per_minute: int) -> None:
        self._most = float(per_minute)
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, caller: str, now: float) -> float:
        """Take one request; return 0, or the seconds to wait before there is one."""
        if not self._most:
            return 0.0
        left, at = self._buckets.pop(caller, (self._most, now))
        left = min(self._most, left + (now - at) * self._most / 60)
        wait = 0.0 if left >= 1 else (1 - left) * 60 / self._most
        self._buckets[caller] = (left if wait else left - 1, now)
        if len(self._buckets) > _MOST_CALLERS:
            self._buckets.popitem(last=False)
        return wait


class Guard:
    """Keeps clients from taking more than their share, by accident or not."""

    def __init__(self, app: App, limits: Limits) -> None:
        self._app = app
        self._limits = limits
        self._pace = Pace(limits.requests_per_minute)
        self.in_flight = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request within the limits."""
        if scope["type"] != "http" or scope["path"] in _NOT_LIMITED:
            await self._app(scope, receive, send)
            return
        try:
            self._admit(scope)
            most = self._most_bytes(scope)
        except ProblemError as error:
            await refuse(scope, receive, send, error)
            return
        self.in_flight += 1
        try:
            patient = _Patient(receive, send, self._limits, most)
            await self._app(scope, patient.receive, patient.send)
        finally:
            self.in_flight -= 1

    def _admit(self, scope: Scope) -> None:
        who = principal_of(scope).id
        client = scope.get("client")
        caller = f"{who} {client[0]}" if who in {"none", "local"} and client else who
        if wait := self._pace.take(caller, time.monotonic()):
            raise ProblemError(
                429,
                "too_many_requests",
                f"more than {self._limits.requests_per_minute} requests a minute",
                {"Retry-After": str(int(wait) + 1)},
            )
        if self.in_flight >= self._limits.in_flight:
            raise ProblemError(503, "overloaded", "too many requests are under way; try again")

    def _most_bytes(self, scope: Scope) -> int:
        is_upload = _UPLOADS.match(scope["path"]) and scope["method"] == "POST"
        most = self._limits.upload_bytes if is_upload else self._limits.body_bytes
        length = header_of(scope, b"content-length") or "0"
        if length.isdecimal() and int(length) > most:
            raise _too_large(most)
        return most


class _Patient:
    """Reads and writes for one request: counts bytes, and gives up on clients that stall."""

    def __init__(self, receive: Receive, send: Send, limits: Limits, most: int) -> None:
        self._receive = receive
        self._send = send
        self._limits = limits
        self._most = most
        self._got = 0
        self._complete = False

    async def receive(self) -> Message:
        # After the body, this waits for the client to go away: as long as that takes.
        pause = None if self._complete else self._limits.body_seconds
        try:
            async with asyncio.timeout(pause):
                message = await self._receive()
        except TimeoutError:
            raise ProblemError(
                408,
                "too_slow",
                f"no more of the body came for {pause:g} s",
                {"Connection": "close"},
            ) from None
        if message["type"] == "http.request":
            self._got += len(message.get("body", b""))
            self._complete = not message.get("more_body", False)
            if self._got > self._most:
                raise _too_large(self._most)
        return message

    async def send(self, message: Message) -> None:
        async with asyncio.timeout(self._limits.send_seconds):
            await self._send(message)


def _too_large(most: int) -> ProblemError:
    return ProblemError(
        413, "too_large", f"a body here has at most {most} bytes", {"Connection": "close"}
    )
