"""How fast a server is asked: limits per minute, limits at once, and pauses after failures."""

from __future__ import annotations

import asyncio
import random
import threading
import time
import weakref
from dataclasses import dataclass

__all__ = ["Backoff", "Pace", "Place"]


@dataclass(frozen=True)
class Backoff:
    """Pauses between tries.

    Attributes:
        retries: Further tries after the first.
        first: Seconds before the first of them; doubles each time.
        longest: Seconds, at most.
    """

    retries: int = 4
    first: float = 0.5
    longest: float = 60.0

    def pause(self, tries: int) -> float:
        """Return the pause after so many tries: up to half of it is random, to spread the load."""
        longest: float = min(self.first * 2.0 ** (tries - 1), self.longest)
        return longest * random.uniform(0.5, 1.0)  # noqa: S311 - no secret


class Place:
    """A request's place in the last minute, whose tokens are corrected when they are known."""

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
        self._places: list[Place] = []  # by time; some lie ahead
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

    async def turn(self, tokens: int) -> Place:
        """Wait until a request of about so many tokens may start."""
        if self._requests is None and self._max_tokens is None:
            return Place(0.0, tokens)
        now = time.monotonic()
        with self._lock:
            place = Place(self._earliest(now, tokens), tokens)
            self._places.append(place)
        await asyncio.sleep(place.at - now)
        return place

    def _earliest(self, now: float, tokens: int) -> float:
        """Return when the window up to that moment has room for the request.

        Every later place waits for the earlier ones, so that the last one bounds the new one.
        """
        self._places = [place for place in self._places if place.at > now - self._window]
        at = max([now, *(place.at for place in self._places)])
        for place in self._places:  # the oldest leave the window one by one
            inside = [other for other in self._places if other.at > at - self._window]
            fits = self._requests is None or len(inside) < self._requests
            used = sum(other.tokens for other in inside)
            # A request above the limit goes alone; it would wait for ever otherwise.
            if fits and (self._max_tokens is None or used + tokens <= self._max_tokens):
                return at
            at = max(at, place.at + self._window)
        return at
