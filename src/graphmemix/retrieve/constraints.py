"""What a question names: times, places, people and media, as constraints that a score can use.

Only what is written is found: dates by a grammar (`dates`), people and places by names that the
archive knows, media by a list of words. A constraint never excludes a memory; `Constraints.match`
says how well each is satisfied. A question about time ("When did ...") names none.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, TypeAlias

from graphmemix.errors import InvalidDataError
from graphmemix.memory import Kind, Modality
from graphmemix.record import Record
from graphmemix.retrieve import constraints_match as score
from graphmemix.retrieve.constraints_media import find_media
from graphmemix.retrieve.constraints_names import known_people, known_places
from graphmemix.store.records import Outline
from graphmemix.text.dates import EARLIEST, LATEST, find_dates

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from graphmemix.memory import Memory
    from graphmemix.retrieve.constraints_names import NameFound

__all__ = [
    "EARLIEST",
    "LATEST",
    "Constraint",
    "Constraints",
    "Match",
    "MediaConstraint",
    "Parts",
    "PersonConstraint",
    "PlaceConstraint",
    "TimeConstraint",
    "find_constraints",
]


@dataclass(frozen=True)
class TimeConstraint(Record):
    """A time, from `start` until before `end`.

    Attributes:
        text: The words of the question.
        start: With a time zone; `EARLIEST` if it is open ("before 2015").
        end: With a time zone; `LATEST` if it is open ("after 2015").
    """

    text: str
    start: datetime
    end: datetime

    def __post_init__(self) -> None:
        for name, moment in (("start", self.start), ("end", self.end)):
            if moment.utcoffset() is None:
                raise InvalidDataError(f"time constraint.{name}: needs a time zone")
        if self.start >= self.end:
            raise InvalidDataError("time constraint: must start before it ends")


@dataclass(frozen=True)
class PlaceConstraint(Record):
    """A place that the archive knows.

    Attributes:
        text: The words of the question.
        name: The name in the archive, or the part of it that was meant.
    """

    text: str
    name: str


@dataclass(frozen=True)
class PersonConstraint(Record):
    """A person that the archive knows.

    Attributes:
        text: The words of the question.
        name: The name in the archive.
    """

    text: str
    name: str


@dataclass(frozen=True)
class MediaConstraint(Record):
    """A kind of memory.

    Attributes:
        text: The words of the question.
        kinds: Memories of these kinds are meant,
        modalities: or such as hold one of these.
    """

    text: str
    kinds: tuple[Kind, ...] = ()
    modalities: tuple[Modality, ...] = ()


Constraint: TypeAlias = TimeConstraint | PlaceConstraint | PersonConstraint | MediaConstraint


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
    """

    times: tuple[TimeConstraint, ...] = ()
    places: tuple[PlaceConstraint, ...] = ()
    people: tuple[PersonConstraint, ...] = ()
    media: tuple[MediaConstraint, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.all)

    @property
    def all(self) -> tuple[Constraint, ...]:
        """Every constraint: times, places, people, media."""
        return (*self.times, *self.places, *self.people, *self.media)

    def match(self, memory: Memory | Outline) -> Match:
        """Return how well a memory, or what is known of it, satisfies them (`constraints_match`).

        A memory has one time, one place and few media, so of several the best counts: evidence for
        "May 2022 or May 2023" is from either. Of several people each counts, in equal shares.
        """
        return Match(*self.parts(memory if isinstance(memory, Outline) else Outline.of(memory)))

    def parts(self, outline: Outline) -> Parts:
        """Return the same as `match`, as a plain tuple: a question asks it of many memories."""
        when, places, people, media = self.times, self.places, self.people, self.media
        moment = outline.timestamp
        return (
            max(score.time_score(moment, t.start, t.end) for t in when) if when else None,
            max(score.place_score(outline, place.name) for place in places) if places else None,
            self._share_of_people(outline) if people else None,
            max(score.media_score(outline, m.kinds, m.modalities) for m in media)
            if media
            else None,
        )

    def _share_of_people(self, outline: Outline) -> float:
        found: dict[str, float] = {}
        for person in self.people:
            one = score.person_score(outline, person.name, person.text)
            found[person.text] = max(one, found.get(person.text, 0.0))
        return sum(found.values()) / len(found)


def find_constraints(
    text: str,
    asked_at: datetime | None,
    *,
    people: Collection[str] = (),
    places: Collection[str] = (),
) -> Constraints:
    """Return what a question names. Linear in the text; the same text gives the same constraints.

    Args:
        text: The question; any text will do.
        asked_at: When it is asked. Relative dates count from here, in its time zone; without it
            they are left out, and dates are in UTC.
        people: Names that the archive knows, such as speakers. Pass the same tuple every time: the
            index of names is kept.
        places: The same for places.

    Raises:
        InvalidDataError: `asked_at` has no time zone.
    """
    if asked_at is not None and asked_at.utcoffset() is None:
        raise InvalidDataError("asked_at: needs a time zone")
    known = known_people(_fixed(people))
    persons, locations = known.find(text), known_places(_fixed(places)).find(text)
    longer = [(n.first, n.last) for n in (*persons, *locations) if n.words > 1]
    dates = find_dates(text, asked_at, names=known.words, masked=longer)
    taken = [(date.first, date.last) for date in dates]  # "in May" is no person called May
    return Constraints(
        times=tuple(TimeConstraint(text[d.first : d.last], d.start, d.end) for d in dates),
        places=tuple(
            PlaceConstraint(text[n.first : n.last], n.name) for n in _free(locations, taken)
        ),
        people=tuple(
            PersonConstraint(text[n.first : n.last], n.name) for n in _free(persons, taken)
        ),
        media=tuple(
            MediaConstraint(text[m.first : m.last], m.medium.kinds, m.medium.modalities)
            for m in find_media(text)
        ),
    )


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
