"""A queue between reader threads and the writer, bounded so that memory stays bounded."""

from __future__ import annotations

from collections import deque
from threading import Condition
from typing import Generic, TypeVar

_T = TypeVar("_T")


class BoundedQueue(Generic[_T]):
    """A queue whose items weigh no more than a limit in total; one item may be heavier alone."""

    def __init__(self, limit: int) -> None:
        """Set the limit, in any unit."""
        self._limit = limit
        self._items: deque[tuple[_T, int]] = deque()
        self._weight = 0
        self._closed = False
        self._changed = Condition()

    def put(self, item: _T, weight: int = 1) -> bool:
        """Add an item, waiting for room. After `close`, drop the item and return False."""
        with self._changed:
            while self._items and self._weight + weight > self._limit and not self._closed:
                self._changed.wait()
            if self._closed:
                return False
            self._items.append((item, weight))
            self._weight += weight
            self._changed.notify_all()
            return True

    def get(self, timeout: float) -> _T | None:
        """Return the oldest item, or None if none arrives within `timeout` seconds."""
        with self._changed:
            if not self._items:
                self._changed.wait(timeout)
            if not self._items:
                return None
            item, weight = self._items.popleft()
            self._weight -= weight
            self._changed.notify_all()
            return item

    def close(self) -> None:
        """Wake all waiting threads and drop items from now on."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
