"""How well a memory satisfies what a question names, from 0 to 1.

Cheap, because it runs on every candidate: comparisons, a few cached patterns, and no model.
"""

from __future__ import annotations

import math
import re
from datetime import timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

from graphmemix.retrieve.constraints_names import is_common
from graphmemix.retrieve.constraints_words import UNSPACED, folded
from graphmemix.text.dates import EARLIEST, LATEST
from graphmemix.text.folding import unaccented

if TYPE_CHECKING:
    from datetime import datetime

    from graphmemix.memory import Kind, Modality
    from graphmemix.store.protocol import Outline

UNKNOWN_TIME = 0.5
"""For a memory without a time: it may be from then."""

UNKNOWN_PLACE = 0.25
"""For a memory that names no place: it may be from there, but then words would often say so."""

PART_OF_NAME = 0.75
"""For a speaker who is known by a part of the name, such as the first name, only."""

SOME_WORDS = 0.5
"""For a place that shares some words with the name, times their share."""

_LEAST_MARGIN = timedelta(days=1)
_MOST_MARGIN = timedelta(days=365)
_OPEN_MARGIN = timedelta(days=7)
_UNSPACED = re.compile(f"[{UNSPACED}]")


def time_score(moment: datetime | None, start: datetime, end: datetime) -> float:
    """Return 1 inside; outside, a cosine that falls to 0 over half the interval's length.

    At least over a day and at most over a year; over a week beside an interval with an open side.
    """
    if moment is None:
        return UNKNOWN_TIME
    if start <= moment < end:
        return 1.0
    distance = start - moment if moment < start else moment - end
    margin = min(max((end - start) / 2, _LEAST_MARGIN), _MOST_MARGIN)
    if start == EARLIEST or end == LATEST:
        margin = _OPEN_MARGIN
    return (1 + math.cos(math.pi * min(distance / margin, 1.0))) / 2


def place_score(outline: Outline, name: str) -> float:
    """Return 1 if the memory's place or its words name it; part of that if some words agree."""
    place = folded(outline.place.name) if outline.place else ()
    words = folded(name)
    if _holds(place, words) or mentions(outline, name):
        return 1.0
    if not place:
        return UNKNOWN_PLACE
    return SOME_WORDS * len(set(words) & set(place)) / len(set(words)) if words else 0.0


def person_score(outline: Outline, name: str, called: str) -> float:
    """Return 1 if the person spoke or is mentioned, by name or as `called` in the question."""
    speaker, words = folded(outline.speaker or ""), folded(name)
    if _holds(speaker, words) or mentions(outline, name):
        return 1.0
    if folded(called) != words and mentions(outline, called):
        return 1.0
    return PART_OF_NAME if _holds(words, speaker) else 0.0


def media_score(
    outline: Outline, kinds: tuple[Kind, ...], modalities: tuple[Modality, ...]
) -> float:
    """Return 1 if the memory is of such a kind or holds such a medium."""
    return float(outline.kind in kinds or not set(modalities).isdisjoint(outline.modalities))


def mentions(outline: Outline, name: str) -> bool:
    """Return whether a memory's words, or those derived from its media, hold a name."""
    words, pattern = folded(name), _mention(name)
    return pattern is not None and any(
        # Looking for the first word alone is ten times faster, and mostly enough to say no.
        (not text.isascii() or words[0] in text.lower()) and pattern.search(unaccented(text))
        for text in outline.texts
    )


@lru_cache(maxsize=1 << 12)
def _mention(name: str) -> re.Pattern[str] | None:
    """Return the pattern of a name between word borders; an ordinary word needs its capital."""
    words = folded(name)
    if not words:
        return None
    if _UNSPACED.match(words[0]):
        return re.compile(re.escape("".join(words)))
    common = is_common(words)
    parts = [re.escape(word.capitalize() if common else word) for word in words]
    between = r"[\W_]{1,3}".join(parts)
    return re.compile(rf"(?<!\w){between}(?!\w)", re.NOFLAG if common else re.IGNORECASE)


def _holds(words: tuple[str, ...], part: tuple[str, ...]) -> bool:
    """Return whether `part` stands in `words`, in one piece."""
    size = len(part)
    return size > 0 and any(words[i : i + size] == part for i in range(len(words) - size + 1))
