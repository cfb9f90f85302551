"""How well a memory satisfies what a question names: its time, place, people and medium."""

from __future__ import annotations

import math
import re
from datetime import datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

from graphmemix.retrieve.constraints_words import UNSPACED, folded, is_common
from graphmemix.retrieve.facets import cells_around
from graphmemix.text.dates import EARLIEST, LATEST
from graphmemix.text.folding import unaccented

if TYPE_CHECKING:
    from graphmemix.memory import Kind, Modality
    from graphmemix.retrieve.constraint_sorts import PlaceConstraint
    from graphmemix.store.records import Outline

__all__ = ["media_score", "mentions", "person_score", "place_score", "time_score"]

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
    Inside is also what was made then by its own clock: who travels means the days of the journey.
    A time in UTC says nothing of where it was.
    """
    if moment is None:
        return UNKNOWN_TIME
    if start <= moment < end:
        return 1.0
    clock = moment.replace(tzinfo=None)
    if moment.utcoffset() and start.replace(tzinfo=None) <= clock < end.replace(tzinfo=None):
        return 1.0
    distance = start - moment if moment < start else moment - end
    margin = min(max((end - start) / 2, _LEAST_MARGIN), _MOST_MARGIN)
    if start == EARLIEST or end == LATEST:
        margin = _OPEN_MARGIN
    return (1 + math.cos(math.pi * min(distance / margin, 1.0))) / 2


def place_score(outline: Outline, asked: PlaceConstraint) -> float:
    """Return 1 if the memory's place or its words name it; part of that if some words agree.

    A memory of a country was made there, or names it or a place there.
    """
    here = next(cells_around(outline.place, reach=0), None) if asked.cells else None
    if here is not None and here in asked.within:
        return 1.0
    place = folded(outline.place.name) if outline.place else ()
    for name in (asked.name, *asked.inside):
        if _holds(place, folded(name)) or mentions(outline, name):
            return 1.0
    if not place:  # of a country, coordinates say that it is elsewhere
        return UNKNOWN_PLACE if here is None else 0.0
    words = set(folded(asked.name))
    return SOME_WORDS * len(words & set(place)) / len(words) if words else 0.0


def person_score(outline: Outline, name: str, called: str) -> float:
    """Return 1 if the person spoke or is mentioned, by name or as `called` in the question."""
    spoke = _speaker_score(outline.speaker or "", name)
    if spoke == 1 or mentions(outline, name):
        return 1.0
    if folded(called) != folded(name) and mentions(outline, called):
        return 1.0
    return spoke


@lru_cache(maxsize=1 << 12)
def _speaker_score(speaker: str, name: str) -> float:
    """Return 1 for a speaker of this name, less for a part of it; many memories share both."""
    who, words = folded(speaker), folded(name)
    if _holds(who, words):
        return 1.0
    return PART_OF_NAME if _holds(words, who) else 0.0


def media_score(
    outline: Outline, kinds: tuple[Kind, ...], modalities: tuple[Modality, ...]
) -> float:
    """Return 1 if the memory is of such a kind or holds such a medium."""
    return float(outline.kind in kinds or not set(modalities).isdisjoint(outline.modalities))


def mentions(outline: Outline, name: str) -> bool:
    """Return whether a memory's words, or those derived from its media, hold a name."""
    pattern = _mention(name)
    if pattern is None:
        return False
    # Looking for the first word alone is ten times faster, and mostly enough to say no.
    lower = _lower_ascii(outline.texts)
    if lower is not None and folded(name)[0] not in lower:
        return False
    return any(pattern.search(unaccented(text)) for text in outline.texts)


@lru_cache(maxsize=1 << 11)
def _lower_ascii(texts: tuple[str, ...]) -> str | None:
    """Return ASCII texts in lower case, else None; a question looks for several names in them."""
    joined = "\n".join(texts)
    return joined.lower() if joined.isascii() else None


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
