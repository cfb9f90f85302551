"""Phrases of extractive answers: quotes, tags of sources, statements about photos without text."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from graphmemix.read.packet_text import kind_name
from graphmemix.text.quoting import one_line

if TYPE_CHECKING:
    from graphmemix.evidence import Block
    from graphmemix.read.sentences import Origin

__all__ = ["day_in_words", "quote", "statement", "tag"]

# Not strftime: the answer must not depend on the machine's locale.
_MONTH_NAMES = """
January February March April May June July August September October November December
"""
_MONTHS = _MONTH_NAMES.split()
_WHOSE: dict[Origin, str] = {
    "caption": "caption of a ",
    "ocr": "text in a ",
    "transcript": "words heard in a ",
}
_UNNAMED = frozenset({"", "user", "assistant", "system"})
_QUOTES = str.maketrans({"“": "‘", "”": "’", "„": "‘", "‟": "’"})


def day_in_words(date: str) -> str:
    """Return ``2 June 2025, 14:30`` for ``2025-06-02 14:30``; other text is returned as is."""
    try:
        when = datetime.fromisoformat(date)
    except ValueError:
        return one_line(date)
    time = f", {when:%H:%M}" if len(date) > len("2025-06-02") else ""
    return f"{when.day} {_MONTHS[when.month - 1]} {when.year}{time}"


def quote(text: str) -> str:
    """Return text in double quotation marks; inner ones become single."""
    return f"“{text.translate(_QUOTES)}”"


def tag(block: Block, origin: Origin = "own") -> str:
    """Return the tag of a source: ``[1: mail from Olga, 2 June 2025, 14:30, Malcesine]``."""
    kind = _medium(block) if origin != "own" else kind_name(block.kind or "memory")
    name = block.speaker if block.speaker.casefold() not in _UNNAMED else ""
    by = f" from {_plain(name)}" if name and block.kind in {"message", "email"} else ""
    known = [f"{_WHOSE.get(origin, '')}{kind}{by}", day_in_words(block.date), _plain(block.place)]
    return f"[{block.rank}: {', '.join(filter(None, known))}]"


def statement(block: Block) -> str:
    """Return a sentence about a memory without text."""
    words = ["A", _medium(block)]
    if block.date:
        words += ["taken" if _medium(block) in {"photo", "video"} else "made"]
        words += ["on", day_in_words(block.date)]
    if block.place:
        words += ["at" if block.place[:1].isdigit() else "in", _plain(block.place)]
    name = next((_plain(medium.name) for medium in block.media if medium.name), "")
    if name:
        words.append(f"({name})")
    known = "" if block.date or block.place or name else ", of which nothing else is known"
    return " ".join(words) + known + "."


def _medium(block: Block) -> str:
    if block.kind in {"photo", "video", "audio", "document"}:
        return kind_name(block.kind)
    seen = {"image": "picture", "video": "video", "audio": "recording"}
    return next((seen[each] for each in block.modalities if each in seen), "memory")


def _plain(text: str) -> str:
    """Return a name without brackets, which would end the tag."""
    return one_line(text, 80).replace("[", "(").replace("]", ")")
