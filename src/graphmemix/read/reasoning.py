"""Some models write their reasoning before they answer: that is no part of the answer."""

from __future__ import annotations

from typing import Final

__all__ = ["WithoutReasoning", "without_reasoning"]

_OPEN: Final = "<think>"
_CLOSE: Final = "</think>"


def without_reasoning(text: str) -> str:
    """Return what follows a model's spoken thoughts; all of it, if it has none.

    Thoughts that were cut off have no end, and then there is no answer.
    """
    unspoken = WithoutReasoning()
    return unspoken.piece(text) + unspoken.rest()


class WithoutReasoning:
    """Holds back thoughts at the start of a stream, and lets everything else through."""

    def __init__(self) -> None:
        self._held: str | None = ""  # None: the answer has begun
        self.found = False
        self._closed = False

    def piece(self, text: str) -> str:
        """Return what of a piece, and of what was held before, belongs to the answer."""
        if self._held is None:
            return text
        self._held = (self._held + text).lstrip()
        if not self.found:
            if not self._held.startswith(_OPEN):
                return self._begun() if not _OPEN.startswith(self._held) else ""
            self.found = True
        if not self._closed:
            _, close, behind = self._held.partition(_CLOSE)
            self._closed = bool(close)
            # Of a thought only what may be the beginning of its end is kept.
            self._held = behind.lstrip() if close else self._held[-len(_CLOSE) + 1 :]
        return self._begun() if self._closed and self._held else ""

    def _begun(self) -> str:
        """Return what was held, now that it is known to be the answer."""
        held, self._held = self._held or "", None
        return held

    def rest(self) -> str:
        """Return what was held back and is no thought, once the stream has ended."""
        held, self._held = self._held, None
        return "" if held is None or self.found else held.lstrip()
