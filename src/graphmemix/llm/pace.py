"""How fast a server is asked: limits per minute, limits at once, and pauses after failures."""

from __future__ import annotations

import asyncio
import random
import threading
import time
import weakref
from dataclasses import dataclass

__all__ = ["Backoff", "Pace", "PacedRequest"]


@dataclass(frozen=True)
class Backoff:
    """Pauses between tries.

    Attributes:
        retries: Further tries after the first.
        first: Seconds before the first of them; doubles each time.
        longest: Seconds, at most.
        patient: If a server asks for a longer pause than that, whether to try again after
            `longest`; without it such a server counts as unavailable.
    """

    retries: int = 4
    first: float = 0.5
    longest: float = 60.0
    patient: bool = False

    def pause(self, tries: int) -> float:
        """Return the pause after so many tries: up to half of it is random, to spread the load."""
        longest: float = min(self.first * 2.0 ** (tries - 1), self.longest)
        return longest * random.uniform(0.5, 1.0)  # noqa: S311 - no secret


class PacedRequest:
    """When a request may start, and its tokens, which are corrected when they are known."""

    __slots__ = ("at", "tokens")

    def __init__(self, at: float, tokens: int) -> None:
        self.at = at
        self.tokens = tokens


class Pace:
    """Keeps every window of a minute below the limits; for all threads and event loops together.

    The limit at once holds for each event loop.
    """

    def __init__(
        self,
        *,
        requests: int | None = None,
        tokens: int | None = None,
        concurrency: int = 4,
        window: float = 60.0,
    ) -> None:
        """Set the limits per `window` seconds, and how many requests run at once."""
        self._requests, self._max_tokens, self._window = requests, tokens, window
        self._concurrency = concurrency
        self._paced: list[PacedRequest] = []  # by time; some lie ahead
        self._lock = threading.Lock()
        self._slots: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = (
            weakref.WeakKeyDictionary()
        )

    def slot(self) -> asyncio.Semaphore:
        """Return what to hold while a request is under way."""
        loop = asyncio.get_running_loop()
        with self._lock:
            if loop not in self._slots:
                self._slots[loop] = asyncio.Semaphore(self._concurrency)
            return self._slots[loop]

    async def turn(self, tokens: int) -> PacedRequest:
        """Wait until a request of about so many tokens may start."""
        if self._requests is None and self._max_tokens is None:
            return PacedRequest(0.0, tokens)
        now = time.monotonic()
        with self._lock:
            request = PacedRequest(self._earliest(now, tokens), tokens)
            self._paced.append(request)
        await asyncio.sleep(request.at - now)
        return request

    def _earliest(self, now: float, tokens: int) -> float:
        """Return when the window up to that moment has room for the request.

        Every later request waits for the earlier ones, so that the last one bounds the new one.
        """
        self._paced = [request for request in self._paced if request.at > now - self._window]
        at = max([now, *(request.at for request in self._paced)])
        for request in self._paced:  # the oldest leave the window one by one
            inside = [other for other in self._paced if other.at > at - self._window]
            fits = self._requests is None or len(inside) < self._requests
            used = sum(other.tokens for other in inside)
            # A request above the limit goes alone; it would wait for ever otherwise.
            if fits and (self._max_tokens is None or used + tokens <= self._max_tokens):
                return at
            at = max(at, request.at + self._window)
        return at
