"""The text of a memory for readers: its own words and those about its media, within bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from graphmemix.encode.views import spoken
from graphmemix.text.quoting import harmless

if TYPE_CHECKING:
    from graphmemix.memory import Media, Memory

__all__ = ["CAPTION", "HEARD", "LINE_BREAK", "SEEN_TEXT", "canonical", "shortened"]

CAPTION: Final = "Shown: "
SEEN_TEXT: Final = "Text in the picture: "
HEARD: Final = "Heard: "
LINE_BREAK: Final = " / "
"""Separates lines of text in a picture."""

# Characters. A page of a book has about 2,000; a photographed bill about 800.
_MOST_WORDS: Final = 20_000
_MOST_CAPTION: Final = 1_500
_MOST_OCR: Final = 2_000
_MOST_TRANSCRIPT: Final = 6_000
_MOST_MEDIA: Final = 12
_GAP: Final = " …"


def canonical(memory: Memory) -> str:
    """Return the cleaned text of a memory: its own words, then a line for each description.

    Without repetitions, and at most a few pages in total.
    """
    parts = [shortened(harmless(spoken(memory)), _MOST_WORDS)]
    for medium in memory.media[:_MOST_MEDIA]:
        parts += _described(medium)
    return "\n".join(dict.fromkeys(filter(None, parts)))


def _described(medium: Media) -> list[str]:
    said = medium.description
    read = _without_noise(harmless(said.ocr))
    texts = (
        (CAPTION, _flat(said.caption or said.short_caption, " "), _MOST_CAPTION),
        (SEEN_TEXT, _flat(read, LINE_BREAK), _MOST_OCR),
        (HEARD, _flat(said.transcript, " "), _MOST_TRANSCRIPT),
    )
    return [f"{label}{shortened(text, most)}" for label, text, most in texts if text]


def _flat(text: str, between: str) -> str:
    return between.join(harmless(text).split("\n")).strip()


def _without_noise(text: str) -> str:
    """Drop repeated lines and lines that are mostly symbols, which OCR often produces."""
    lines = dict.fromkeys(text.split("\n"))
    return "\n".join(
        line for line in lines if sum(letter.isalnum() for letter in line) * 2 > len(line)
    )


def shortened(text: str, most: int) -> str:
    """Return at most `most` characters of a text, with an ellipsis if it was cut."""
    if len(text) <= most:
        return text
    room = most - len(_GAP)
    if room <= 0:
        return ""
    end = text.rfind(" ", 0, room + 1)
    return text[: end if end > room // 2 else room].rstrip() + _GAP
