"""What a question leads to without sharing a word: by what it names, by what its hits are about.

Three relations are worked out here, for the question at hand, from keys of memories (`facets`);
nothing of them is stored, so nothing of them can be out of date:

- `within`: one memory states a day or an interval, and another was made, or states one, inside it.
- `episode`: two memories were made within a day of each other and, where both say where, within
  some ten kilometres.
- `same_identifier`: both hold the same order, booking, invoice, claim or tracking number.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, date, datetime, time
from itertools import combinations
from typing import TYPE_CHECKING, Final, NamedTuple

from graphmemix.retrieve.facets import ABOUT, NUMBER, about_of, cells_around
from graphmemix.store.protocol import Facets, Filter

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import tzinfo

    from graphmemix.evidence import Relation
    from graphmemix.retrieve.constraints import Constraints
    from graphmemix.settings import ReachSettings
    from graphmemix.store.protocol import Outline, Store
    from graphmemix.text.dates.about import About

__all__ = ["Link", "Reach"]

_SHORTLY: Final = 3  # days; "the day before", "after the party"
_LONGEST_STAY: Final = 21  # days; a longer interval says little about what lies inside
_MOST_SPANS: Final = 6  # of one hit: a mail that lists more dates is a calendar
_COMMON_NUMBER: Final = 12  # memories; a number that more of them hold is everybody's


_FIRST: Final = datetime.min.replace(tzinfo=UTC)
_LAST: Final = datetime.max.replace(tzinfo=UTC)


class Link(NamedTuple):
    """How a hit leads to another memory."""

    hit: str
    other: str
    relation: Relation


class Reach:
    """Finds memories by facets, for one question."""

    def __init__(self, store: Store, settings: ReachSettings, filter: Filter | None) -> None:
        self._store = store
        self._settings = settings
        self._filter = filter
        self._fetched: dict[tuple[Facets, int, bool], list[str]] = {}

    def named(self, constraints: Constraints) -> dict[str, int]:
        """Return what satisfies the constraints, each with how many of their sorts it satisfies.

        Those that satisfy all come first, then those that satisfy all but one, and so on. One sort
        alone fetches only if it is a time or a place: a person or a medium is too common to.
        """
        if not self._settings.named:
            return {}
        sorts = self._sorts(constraints)
        found: dict[str, int] = {}
        for size in range(len(sorts), 0, -1):
            for chosen in combinations(sorts, size):
                if size == 1 and size < len(sorts) and chosen[0] in {"speakers", "media"}:
                    continue
                room = self._settings.named - len(found)
                if room <= 0:
                    return found
                for memory_id in self._fetch(sorts, chosen):
                    if len(found) < self._settings.named:
                        found.setdefault(memory_id, size)
        return found

    def unmatched(self, constraints: Constraints) -> tuple[str, ...]:
        """Return in words what the question names and no memory satisfies."""
        sorts = self._sorts(constraints)
        missing = [sort for sort in sorts if not self._fetch(sorts, [sort], limit=1)]
        words = {
            "time": [time.text for time in constraints.times],
            "media": [medium.text for medium in constraints.media],
        }
        return tuple(
            f"nothing here is from {each}" if sort == "time" else f"there are no {each} here"
            for sort in missing
            for each in dict.fromkeys(words.get(sort, ()))
        )

    def _sorts(self, constraints: Constraints) -> dict[str, dict[str, tuple[object, ...]]]:
        """Return the sorts of constraints that a question has, as parts of facets."""
        sorts: dict[str, dict[str, tuple[object, ...]]] = {}
        if constraints.times:
            sorts["time"] = {
                "periods": tuple((_in_range(t.start), _in_range(t.end)) for t in constraints.times)
            }
        if constraints.places:
            sorts["place"] = {"keys": self._place_keys([p.name for p in constraints.places])}
        if constraints.people:
            sorts["speakers"] = {"speakers": tuple(p.name for p in constraints.people)}
        if constraints.media:
            sorts["media"] = {
                "kinds": tuple(kind for m in constraints.media for kind in m.kinds),
                "modalities": tuple(each for m in constraints.media for each in m.modalities),
            }
        return sorts

    def _place_keys(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the keys of places, and of the cells in which memories of these places lie."""
        keys = [f"place:{name}" for name in names]
        # What is hidden does not say where a place is; a filter for kinds may hide all that does.
        hidden = None if self._filter is None else Filter(as_of=self._filter.as_of)
        there = self._found(Facets(keys=tuple(keys)), self._settings.named, hidden)
        cells = {
            cell
            for outline in self._store.outlines(there).values()
            for cell in cells_around(outline.place, reach=0)
        }
        return (*keys, *sorted(cells))

    def _fetch(
        self,
        sorts: Mapping[str, dict[str, tuple[object, ...]]],
        chosen: Iterable[str],
        *,
        limit: int | None = None,
    ) -> list[str]:
        parts: dict[str, tuple[object, ...]] = {}
        for sort in chosen:
            parts |= sorts[sort]
        wanted = Facets(**parts)  # type: ignore[arg-type]  # built by sort above
        most = self._settings.named if limit is None else limit
        return self._found(wanted, most, self._filter)

    def _found(self, wanted: Facets, most: int, filter: Filter | None) -> list[str]:
        """Fetch memories; what was fetched is kept, since hits are often of the same day."""
        if not most:
            return []
        asked = (wanted, most, filter is self._filter)
        if asked not in self._fetched:
            self._fetched[asked] = self._store.fetch(wanted, limit=most, filter=filter)
        return self._fetched[asked]

    def around(self, hits: Sequence[str], *, shift: int = 0) -> list[Link]:
        """Return what the best hits lead to: by the days they state, their own day, their numbers.

        Args:
            hits: Best first. Fewer are followed by their own day than by the days they state.
            shift: -1 to look at the days before each, 1 at those after it.
        """
        stating, near = hits[: self._settings.stating_hits], hits[: self._settings.nearby_hits]
        keys = self._store.keys({*stating, *near}, prefix=ABOUT)
        outlines = self._store.outlines({*stating, *near})
        links: list[Link] = []
        for hit in dict.fromkeys([*stating, *near]):
            if hit not in outlines:
                continue
            made = outlines[hit].timestamp
            zone = UTC if made is None else made.tzinfo
            if hit in stating:
                links += self._within(hit, about_of(keys.get(hit, ())), zone, shift)
            if hit in near:
                links += self._episode(hit, outlines[hit], shift)
        return [*links, *self._same_number(stating)]

    def _within(
        self, hit: str, spans: Iterable[About], zone: tzinfo | None, shift: int
    ) -> Iterable[Link]:
        stays = [span for span in spans if (span.last - span.first).days < _LONGEST_STAY]
        periods = tuple(
            _period(*_shifted(span.first, span.last, shift), zone) for span in stays[:_MOST_SPANS]
        )
        if not periods:
            return
        for other in self._found(Facets(periods=periods), self._settings.fetched, self._filter):
            if other != hit:
                yield Link(hit, other, "within")

    def _episode(self, hit: str, outline: Outline, shift: int) -> Iterable[Link]:
        if outline.timestamp is None:
            return
        day = outline.timestamp.date()
        first, last = _shifted(day, day, shift) if shift else _widened(day, day, 1, 1)
        period = _period(first, last, outline.timestamp.tzinfo)
        found = self._found(Facets(periods=(period,)), self._settings.fetched, self._filter)
        here = set(cells_around(outline.place, reach=1))
        places = self._store.outlines(found) if here else {}
        for other in found:
            there = set(cells_around(places[other].place, reach=0)) if other in places else set()
            if other != hit and not (here and there and here.isdisjoint(there)):
                yield Link(hit, other, "episode")

    def _same_number(self, hits: Sequence[str]) -> Iterable[Link]:
        numbers = self._store.keys(hits, prefix=NUMBER)
        holders: dict[str, list[str]] = defaultdict(list)
        for hit in hits:
            for number in sorted(numbers.get(hit, ())):
                holders[number].append(hit)
        for number, holding in holders.items():
            found = self._found(Facets(keys=(number,)), _COMMON_NUMBER + 1, self._filter)
            if len(found) <= _COMMON_NUMBER:
                yield from (
                    Link(hit, other, "same_identifier")
                    for hit in holding
                    for other in found
                    if other != hit
                )


def _shifted(first: date, last: date, shift: int) -> tuple[date, date]:
    """Return the days themselves, or with those shortly before or after them."""
    return _widened(first, last, _SHORTLY * (shift < 0), _SHORTLY * (shift > 0))


def _widened(first: date, last: date, before: int, after: int) -> tuple[date, date]:
    """Return days with some before and after them; the calendar ends in the years 1 and 9999."""
    earliest, latest = date.min.toordinal(), date.max.toordinal()
    return (
        date.fromordinal(max(earliest, first.toordinal() - before)),
        date.fromordinal(min(latest, last.toordinal() + after)),
    )


def _period(first: date, last: date, zone: tzinfo | None) -> tuple[datetime, datetime]:
    return (
        _midnight(first.toordinal(), zone or UTC) or _FIRST,
        _midnight(last.toordinal() + 1, zone or UTC) or _LAST,
    )


def _in_range(moment: datetime) -> datetime:
    """Return a moment that UTC has, too: yesterday, on the second day of the calendar, has none."""
    try:
        moment.astimezone(UTC)
    except OverflowError:
        return _FIRST if moment.year == 1 else _LAST
    return moment


def _midnight(day: int, zone: tzinfo) -> datetime | None:
    """Return the start of a day; None if it is outside the calendar, there or in UTC."""
    try:
        moment = datetime.combine(date.fromordinal(day), time.min, zone)
        moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return moment
