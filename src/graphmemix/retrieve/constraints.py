"""What a question names: times, places, people and media, as constraints that a score can use.

Only what is written is found: dates by a grammar (`dates`), people and places by names that the
archive knows, media by a list of words. A question about time ("When did ...") names none.
A constraint never excludes a memory; `Constraints.match` says how well each is satisfied, by
comparisons and a few cached patterns, because it runs on every candidate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from graphmemix.errors import InvalidDataError
from graphmemix.record import Record
from graphmemix.retrieve.constraint_scores import (
    media_score,
    person_score,
    place_score,
    time_score,
)
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
    known_albums,
    known_people,
    known_places,
    says_more,
    set_aside,
)
from graphmemix.retrieve.country_names import stands_in
from graphmemix.store.records import Outline
from graphmemix.text.dates import EARLIEST, LATEST, dates_of_any_year
from graphmemix.text.folding import plain
from graphmemix.text.language import language_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from datetime import datetime

    from graphmemix.memory import Memory
    from graphmemix.relate.people import People, PersonMention
    from graphmemix.retrieve.constraints_words import NameFound
    from graphmemix.retrieve.countries import CountryFound

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
            max(place_score(outline, place) for place in places) if places else None,
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
    countries: Callable[[str], list[CountryFound]] | None = None,
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
        countries: Finds the countries of a text that the archive knows.

    Raises:
        InvalidDataError: `asked_at` has no time zone.
    """
    if asked_at is not None and asked_at.utcoffset() is None:
        raise InvalidDataError("asked_at: needs a time zone")
    known = known_people(_fixed(people))
    persons, locations = known.find(text), known_places(_fixed(places)).find(text)
    lands = _meant(text, countries(text), persons, locations) if countries is not None else []
    abroad = _letters(land.named for land in lands)
    persons = [name for name in persons if not _overlaps(name, abroad)]
    locations = [name for name in locations if not _overlaps(name, abroad)]
    locations = sorted([*locations, *(land.named for land in lands)])
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
        places=_places(text, _free(locations, unsought), lands),
        people=_persons(text, list(_free(persons, unsought)), who, abroad),
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


def _meant(
    text: str,
    lands: Sequence[CountryFound],
    persons: Sequence[NameFound],
    locations: Sequence[NameFound],
) -> list[CountryFound]:
    """Return the countries that are no person, "Jordan", and in no longer name of a place."""
    at_persons = _letters(persons)
    words_at = {place: name.words for name in locations for place in range(*name[:2])}
    return [
        land
        for land in lands
        if stands_in(text, land.named.first) or not _overlaps(land.named, at_persons)
        if all(words_at.get(place, 0) <= land.named.words for place in range(*land.named[:2]))
    ]


def _letters(names: Iterable[NameFound]) -> frozenset[int]:
    """Return the places in a text at which letters of these names stand."""
    return frozenset(place for name in names for place in range(name.first, name.last))


def _overlaps(name: NameFound | PersonMention, letters: frozenset[int]) -> bool:
    return any(place in letters for place in range(*name[:2]))


def _places(
    text: str, named: Iterable[NameFound], lands: Sequence[CountryFound]
) -> tuple[PlaceConstraint, ...]:
    """Return the places of a question; a country with what is known of it."""
    known = {land.named: land for land in lands}
    return tuple(
        PlaceConstraint(
            text[n.first : n.last],
            n.name,
            known[n].inside if n in known else (),
            known[n].cells if n in known else (),
        )
        for n in named
    )


def _albums(
    text: str, named: Sequence[NameFound], words: Sequence[tuple[int, int]]
) -> tuple[AlbumConstraint, ...]:
    """Return the albums of a question; one without a name if it means one that is not known."""
    if not named:
        return tuple(AlbumConstraint(text[first:last], "") for first, last in words[:1])
    return tuple(AlbumConstraint(text[n.first : n.last], n.name) for n in named)


def _persons(
    text: str, named: Sequence[NameFound], who: People | None, abroad: frozenset[int]
) -> tuple[PersonConstraint, ...]:
    """Return the people of a question under all their names; each name is one reading."""
    found = [(text[n.first : n.last], n.name) for n in named]
    if who is not None:
        found += [(words, each) for words, name in tuple(found) for each in sorted(who.same(name))]
        found += [
            (text[mention.start : mention.end], name)
            for mention in who.find(text)
            if not _overlaps(mention, abroad)
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
