"""What a question names: times, places, people and media, as constraints that a score can use.

Only what is written is found: dates by a grammar (`dates`), people and places by names that the
archive knows, media by a list of words. A question about time ("When did ...") names none.
A constraint never excludes a memory; `Constraints.match` says how well each is satisfied, by
comparisons and a few cached patterns, because it runs on every candidate.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from graphmemix.errors import InvalidDataError
from graphmemix.record import Record
from graphmemix.retrieve.constraint_sorts import (
    AlbumConstraint,
    Constraint,
    FileConstraint,
    MediaConstraint,
    PersonConstraint,
    PlaceConstraint,
    TimeConstraint,
)
from graphmemix.retrieve.constraints_files import (
    find_albums,
    find_file_names,
    find_media,
    written_as_names,
)
from graphmemix.retrieve.constraints_words import (
    UNSPACED,
    folded,
    is_common,
    known_albums,
    known_people,
    known_places,
    says_more,
    set_aside,
)
from graphmemix.store.records import Outline
from graphmemix.text.dates import EARLIEST, LATEST, dates_of_any_year
from graphmemix.text.folding import plain, unaccented
from graphmemix.text.language import language_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from graphmemix.memory import Kind, Memory, Modality
    from graphmemix.relate.people import People
    from graphmemix.retrieve.constraints_words import NameFound

__all__ = [
    "EARLIEST",
    "LATEST",
    "AlbumConstraint",
    "Constraint",
    "Constraints",
    "FileConstraint",
    "Match",
    "MediaConstraint",
    "Parts",
    "PersonConstraint",
    "PlaceConstraint",
    "TimeConstraint",
    "find_constraints",
]

_MOST_PEOPLE = 24  # readings


Parts: TypeAlias = tuple[float | None, float | None, float | None, float | None]
"""How well time, place, person and media agree, 0 to 1; None for what is not asked for."""


@dataclass(frozen=True)
class Match(Record):
    """How well a memory satisfies the constraints of each sort, 0 to 1; None if there are none."""

    time: float | None = None
    place: float | None = None
    person: float | None = None
    media: float | None = None


@dataclass(frozen=True)
class Constraints(Record):
    """What a question names, each in the order of its words. Empty ones are false.

    Constraints with the same text are several readings of it.

    Attributes:
        times: Periods.
        places: Places that the archive knows.
        people: People whom it knows.
        media: Kinds of memories.
        albums: Albums, which only fetch: they take no part in scores.
        files: Files; the same.
        unknown: What else is written like a name, at most four.
        alone: Whether the question says nothing beside these: "photos from 10 July".
        apart: Places and people of which the question wants nothing: "apart from Rome".
        meant: Known people's names that unknown ones may be misspelt for, by the latter.
    """

    times: tuple[TimeConstraint, ...] = ()
    places: tuple[PlaceConstraint, ...] = ()
    people: tuple[PersonConstraint, ...] = ()
    media: tuple[MediaConstraint, ...] = ()
    albums: tuple[AlbumConstraint, ...] = ()
    files: tuple[FileConstraint, ...] = ()
    unknown: tuple[str, ...] = ()
    alone: bool = False
    apart: tuple[str, ...] = ()
    meant: tuple[tuple[str, str], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.all)

    @property
    def all(self) -> tuple[Constraint, ...]:
        """Every constraint: times, places, people, media, albums, files."""
        return (
            *self.times,
            *self.places,
            *self.people,
            *self.media,
            *self.albums,
            *self.files,
        )

    def match(self, memory: Memory | Outline) -> Match:
        """Return how well a memory, or what is known of it, satisfies them.

        A memory has one time, one place and few media, so of several the best counts: evidence for
        "May 2022 or May 2023" is from either. Of several people each counts, in equal shares.
        """
        return Match(*self.parts(memory if isinstance(memory, Outline) else Outline.of(memory)))

    def parts(self, outline: Outline) -> Parts:
        """Return the same as `match`, as a plain tuple: a question asks it of many memories."""
        when, places, people, media = self.times, self.places, self.people, self.media
        moment = outline.timestamp
        return (
            max(time_score(moment, t.start, t.end) for t in when) if when else None,
            max(place_score(outline, place.name) for place in places) if places else None,
            self._share_of_people(outline) if people else None,
            max(media_score(outline, m.kinds, m.modalities) for m in media) if media else None,
        )

    def _share_of_people(self, outline: Outline) -> float:
        found: dict[str, float] = {}
        for person in self.people:
            one = person_score(outline, person.name, person.text)
            found[person.text] = max(one, found.get(person.text, 0.0))
        return sum(found.values()) / len(found)


def find_constraints(
    text: str,
    asked_at: datetime | None,
    *,
    people: Collection[str] = (),
    places: Collection[str] = (),
    albums: Collection[str] = (),
    who: People | None = None,
    years: range = range(0),
) -> Constraints:
    """Return what a question names. Linear in the text; the same text gives the same constraints.

    Args:
        text: The question; any text will do.
        asked_at: When it is asked. Relative dates count from here, in its time zone; without it
            they are left out, and dates are in UTC.
        people: Names that the archive knows, such as speakers. Pass the same tuple every time: the
            index of names is kept.
        places: The same for places.
        albums: The same for albums.
        who: Who is who: other names of the same person, and relatives.
        years: Those of the archive, for dates without a year (`dates_of_any_year`).

    Raises:
        InvalidDataError: `asked_at` has no time zone.
    """
    if asked_at is not None and asked_at.utcoffset() is None:
        raise InvalidDataError("asked_at: needs a time zone")
    known = known_people(_fixed(people))
    persons, locations = known.find(text), known_places(_fixed(places)).find(text)
    files = find_file_names(text)
    in_albums = find_albums(text, known_albums(_fixed(albums)))
    longer = [(n.first, n.last) for n in (*persons, *locations) if n.words > 1]
    meant = [(n.first, n.last) for n in in_albums.named] if in_albums.words else []
    masked = sorted([*longer, *meant, *files])
    dates = dates_of_any_year(text, asked_at, years, names=known.words, masked=masked)
    apart = set_aside(text, (*persons, *locations))
    taken = [(date.first, date.last) for date in dates]  # "in May" is no person called May
    named_albums = list(_free(in_albums.named, taken))
    taken = sorted([*taken, *files, *((n.first, n.last) for n in named_albums)])
    media = find_media(text)
    spans = [*taken, *in_albums.words, *((n.first, n.last) for n in (*persons, *locations))]
    spans += [(m.first, m.last) for m in media]
    unknown = written_as_names(text, spans, german=language_of(text) == "de")
    unsought = sorted([*taken, *((n.first, n.last) for n in apart)])
    return Constraints(
        # Who somebody is cannot be found among what they wrote.
        alone=bool(spans) and (bool(taken) or not persons) and not says_more(text, spans),
        times=tuple(TimeConstraint(text[d.first : d.last], d.start, d.end) for d in dates),
        places=tuple(
            PlaceConstraint(text[n.first : n.last], n.name) for n in _free(locations, unsought)
        ),
        people=_persons(text, list(_free(persons, unsought)), who),
        media=tuple(
            MediaConstraint(text[m.first : m.last], m.medium.kinds, m.medium.modalities)
            for m in media
        ),
        albums=_albums(text, named_albums, in_albums.words),
        files=tuple(FileConstraint(text[i:j], plain(text[i:j]).lower()) for i, j in files),
        unknown=unknown,
        apart=tuple(dict.fromkeys(text[n.first : n.last] for n in apart)),
        meant=tuple((each, near) for each in unknown if (near := known.nearest(each))),
    )


def _albums(
    text: str, named: Sequence[NameFound], words: Sequence[tuple[int, int]]
) -> tuple[AlbumConstraint, ...]:
    """Return the albums of a question; one without a name if it means one that is not known."""
    if not named:
        return tuple(AlbumConstraint(text[first:last], "") for first, last in words[:1])
    return tuple(AlbumConstraint(text[n.first : n.last], n.name) for n in named)


def _persons(
    text: str, named: Sequence[NameFound], who: People | None
) -> tuple[PersonConstraint, ...]:
    """Return the people of a question under all their names; each name is one reading."""
    found = [(text[n.first : n.last], n.name) for n in named]
    if who is not None:
        found += [(words, each) for words, name in tuple(found) for each in sorted(who.same(name))]
        found += [
            (text[mention.start : mention.end], name)
            for mention in who.find(text)
            for person in mention.persons
            for name in sorted(person)
        ]
    return tuple(PersonConstraint(*each) for each in dict.fromkeys(found))[:_MOST_PEOPLE]


def _fixed(names: Collection[str]) -> tuple[str, ...]:
    return names if isinstance(names, tuple) else tuple(sorted(names))


def _free(names: list[NameFound], taken: list[tuple[int, int]]) -> Iterator[NameFound]:
    """Yield names that stand in no date, each once."""
    seen = set()
    dates = iter(taken)
    date = next(dates, None)
    for name in names:
        while date and date[1] <= name.first:
            date = next(dates, None)
        if (not date or name.last <= date[0]) and name.name not in seen:
            seen.add(name.name)
            yield name


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
