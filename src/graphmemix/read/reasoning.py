"""Removes the reasoning that some models write before their answer."""

from __future__ import annotations

from typing import Final

__all__ = ["WithoutReasoning", "without_reasoning"]

_OPEN: Final = "<think>"
_CLOSE: Final = "</think>"


def without_reasoning(text: str) -> str:
    """Return the text after a model's reasoning; all of it if there is none.

    If the reasoning was cut off, there is no answer.
    """
    answer_filter = WithoutReasoning()
    return answer_filter.piece(text) + answer_filter.rest()


class WithoutReasoning:
    """Drops the reasoning at the start of a stream and passes everything else through."""

    def __init__(self) -> None:
        self._held: str | None = ""  # None after the answer has started
        self.found = False
        self._closed = False

    def piece(self, text: str) -> str:
        """Return the part of this piece, and of text held back before, that is answer."""
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
            # Keep only what may be the start of the closing tag.
            self._held = behind.lstrip() if close else self._held[-len(_CLOSE) + 1 :]
        return self._begun() if self._closed and self._held else ""

    def _begun(self) -> str:
        """Return the text held back, now that it is known to be the answer."""
        held, self._held = self._held or "", None
        return held

    def rest(self) -> str:
        """Return text held back that is not reasoning; call it after the stream has ended."""
        held, self._held = self._held, None
        return "" if held is None or self.found else held.lstrip()
