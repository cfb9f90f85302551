"""Some models think aloud before they answer: that is no part of the answer."""

from __future__ import annotations

from typing import Final

__all__ = ["Unspoken", "without_thoughts"]

_OPEN: Final = "<think>"
_CLOSE: Final = "</think>"


def without_thoughts(text: str) -> str:
    """Return what follows a model's spoken thoughts; all of it, if it has none.

    Thoughts that were cut off have no end, and then there is no answer.
    """
    unspoken = Unspoken()
    return unspoken.piece(text) + unspoken.rest()


class Unspoken:
    """Holds back thoughts at the start of a stream, and lets everything else through."""

    def __init__(self) -> None:
        self._held: str | None = ""  # None: the answer has begun
        self.found = False

    def piece(self, text: str) -> str:
        """Return what of a piece, and of what was held before, belongs to the answer."""
        if self._held is None:
            return text
        self._held += text
        start = self._held.lstrip()
        if not start.startswith(_OPEN):
            if _OPEN.startswith(start):
                return ""  # it may become a thought yet
            self._held = None
            return start
        self.found = True
        _, end, answer = start.partition(_CLOSE)
        if not end or not answer.strip():
            return ""
        self._held = None
        return answer.lstrip()

    def rest(self) -> str:
        """Return what was held back and is no thought, once the stream has ended."""
        held, self._held = self._held, None
        return "" if held is None or self.found else held.lstrip()
