"""Relations that are worked out while a question runs (ours): what its hits lead to.

- `within`: one memory states a day or an interval, and another lies inside it.
- `episode`: two memories belong together in time and place. That is what was made within a day of
  each other and not far away; and, for the event that gives a question its time, all of a stay away
  from the usual places. A place is usual if memories lie there, or in the cells around it, in
  several months; a stay is a run of days with memories elsewhere. Both are worked out from the keys
  of places (`facets`), so they are never out of date; an archive without places has no stays, and
  then the days decide alone.
- `same_identifier`: both hold the same order, booking, claim or tracking number.
- `same_picture`: copies of a picture, as a photo that was sent in a chat and its original. A copy
  is the same file, or looks the same: the hash of what it shows (`facets.look`) differs in few
  bits. Looks are found by their quarters: of two that differ in at most three bits, one agrees.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from graphmemix.retrieve.facets import FILE, QUARTER, cells_around, neighbouring
from graphmemix.store.protocol import Facets

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import tzinfo

    from graphmemix.evidence import Relation
    from graphmemix.memory import Place
    from graphmemix.store.protocol import Outline, Relations
    from graphmemix.text.dates.about import About

Fetch: TypeAlias = Callable[[Facets, int], list[str]]
"""Returns at most so many memories that satisfy facets and may be shown."""

Outlines: TypeAlias = "Callable[[Sequence[str]], Mapping[str, Outline]]"
"""Returns what is known of memories."""

_SHORTLY: Final = 3  # days; "the day before", "after the party"
_FIRST: Final = datetime.min.replace(tzinfo=UTC)
_LAST: Final = datetime.max.replace(tzinfo=UTC)
_LONGEST_STAY: Final = 21  # days; a longer interval says little about what lies inside
_MOST_SPANS: Final = 6  # of one hit: a mail that lists more dates is a calendar
_USUAL: Final = 4  # months with memories; a place of fewer is where one has been, not where one is
_GAP: Final = timedelta(days=2)  # between days of one stay; not every day has a photo
_LONGEST: Final = timedelta(days=31)  # who is away for longer lives there
_MOST_OF_STAY: Final = 60  # memories; the best of them by score are kept
_COMMON: Final = 12  # memories; a number that more of them hold is everybody's, a picture a logo
_MOST_ALIKE: Final = 40  # memories that share a quarter of the look


class HitLink(NamedTuple):
    """How a hit leads to another memory."""

    hit: str
    other: str
    relation: Relation


def within(
    hit: str,
    outline: Outline,
    stated: Iterable[About],
    fetch: Fetch,
    outlines: Outlines,
    *,
    most: int,
    shift: int = 0,
) -> Iterator[HitLink]:
    """Yield links to what was made, or states a day, inside the days that a hit states.

    Where both say where, they have to agree.

    Args:
        hit: The memory.
        outline: What is known of it.
        stated: The days and intervals that it states.
        fetch: Finds memories by their days.
        outlines: Says where they are.
        most: How many of them.
        shift: -1 to look at the days before as well, 1 at those after.
    """
    zone = None if outline.timestamp is None else outline.timestamp.tzinfo
    stays = [span for span in stated if (span.last - span.first).days < _LONGEST_STAY]
    periods = tuple(
        period(*shifted(span.first, span.last, shift), zone) for span in stays[:_MOST_SPANS]
    )
    if not periods:
        return
    # A stated day is one of the place where it is spent, not of the one where it was written.
    found = [o for o in fetch(Facets(periods=periods, own_clocks=True), most) if o != hit]
    for other in not_elsewhere(outline.place, found, outlines):
        yield HitLink(hit, other, "within")


class StayAway(NamedTuple):
    """A run of days away from the usual places."""

    first: date
    last: date


def stays_away(days: Iterable[tuple[date, str]]) -> tuple[StayAway, ...]:
    """Return the stays away from the usual places, in order; a day alone is none.

    Args:
        days: Days with the key of a cell (`facets.CELL`) that a memory of this day lies in.
    """
    known = sorted(set(days))
    months: dict[str, set[tuple[int, int]]] = defaultdict(set)
    for day, cell in known:
        months[cell].add((day.year, day.month))
    usual = {
        cell
        for cell in months
        if len(set().union(*(months.get(near, ()) for near in neighbouring(cell)))) >= _USUAL
    }
    stays: list[StayAway] = []
    for day, cell in known:
        if cell in usual:
            continue
        if stays and day - stays[-1].last <= _GAP:
            stays[-1] = stays[-1]._replace(last=day)
        else:
            stays.append(StayAway(day, day))
    return tuple(s for s in stays if s.first < s.last and s.last - s.first < _LONGEST)


def episode(
    hit: str,
    outline: Outline,
    fetch: Fetch,
    outlines: Outlines,
    *,
    most: int,
    shift: int = 0,
    stays: Sequence[StayAway] = (),
) -> Iterator[HitLink]:
    """Yield links to what was made within a day of a hit, or states a day within one.

    Where both say where, they are within some ten kilometres of each other. If the hit was made
    during a stay, what was made during all of it follows, wherever it was.

    Args:
        hit: The memory.
        outline: What is known of it; without a time it has no episode.
        fetch: Finds memories by their days.
        outlines: Says where they are.
        most: How many of them; of a stay there may be more.
        shift: -1 to look at the days shortly before instead, 1 at those shortly after.
        stays: The stays that count.
    """
    if outline.timestamp is None:
        return
    day, zone = outline.timestamp.date(), outline.timestamp.tzinfo
    first, last = shifted(day, day, shift) if shift else widened(day, day, 1, 1)
    near = fetch(Facets(periods=(period(first, last, zone),)), most)
    found = dict.fromkeys(not_elsewhere(outline.place, near, outlines))
    for stay in stays:
        first, last = widened(stay.first, stay.last, 1, 1)  # they are in UTC
        if first <= day <= last:
            days = period(*shifted(stay.first, stay.last, shift), zone)
            of_stay = fetch(Facets(periods=(days,), own_clocks=True), _MOST_OF_STAY)
            found |= dict.fromkeys(of_stay)
    yield from (HitLink(hit, other, "episode") for other in found if other != hit)


def same_identifier(
    hits: Sequence[str], numbers: Mapping[str, Collection[str]], fetch: Fetch
) -> Iterator[HitLink]:
    """Yield links to what holds a number of a hit, unless everybody holds it.

    Args:
        hits: The memories, best first.
        numbers: The keys of their numbers.
        fetch: Finds memories by keys.
    """
    holders: dict[str, list[str]] = defaultdict(list)
    for hit in hits:
        for number in sorted(numbers.get(hit, ())):
            holders[number].append(hit)
    for number, holding in holders.items():
        found = fetch(Facets(keys=(number,)), _COMMON + 1)
        if len(found) <= _COMMON:
            for hit in holding:
                yield from (HitLink(hit, o, "same_identifier") for o in found if o != hit)


def same_picture(
    hits: Sequence[str],
    keys: Mapping[str, Collection[str]],
    fetch: Fetch,
    store: Relations,
    *,
    most_bits: int,
) -> Iterator[HitLink]:
    """Yield links to copies of the pictures of hits.

    Args:
        hits: The memories, best first.
        keys: Their keys, at least those of their pictures.
        fetch: Finds memories by keys.
        store: Has the keys of what is found.
        most_bits: In how many bits two looks may differ.
    """
    for hit in hits:
        mine = keys.get(hit, ())
        wanted = tuple(sorted(key for key in mine if key.startswith((FILE, QUARTER))))
        if not wanted:
            continue
        found = [other for other in fetch(Facets(keys=wanted), _MOST_ALIKE) if other != hit]
        theirs = store.keys(found)
        copies = [other for other in found if _is_copy(mine, theirs.get(other, ()), most_bits)]
        if len(copies) < _COMMON:
            yield from (HitLink(hit, other, "same_picture") for other in copies)


def _is_copy(mine: Collection[str], theirs: Collection[str], most_bits: int) -> bool:
    """Return whether a file is the same, or a picture looks the same."""
    if any(key.startswith(FILE) and key in theirs for key in mine):
        return True
    bits = 0
    for ours, others in zip(_by_quarter(mine), _by_quarter(theirs), strict=True):
        # With several pictures the nearest quarter counts, which can only be too generous.
        bits += min(((a ^ b).bit_count() for a in ours for b in others), default=16)
    return bits <= most_bits


def _by_quarter(keys: Collection[str]) -> tuple[list[int], ...]:
    found: tuple[list[int], ...] = ([], [], [], [])
    for key in keys:
        if key.startswith(QUARTER):
            found[int(key[len(QUARTER)])].append(int(key[len(QUARTER) + 1 :], 16))
    return found


def shifted(first: date, last: date, shift: int) -> tuple[date, date]:
    """Return the days themselves, or with those shortly before (-1) or after (1) them."""
    return widened(first, last, _SHORTLY * (shift < 0), _SHORTLY * (shift > 0))


def widened(first: date, last: date, before: int, after: int) -> tuple[date, date]:
    """Return days with some before and after them; the calendar ends in the years 1 and 9999."""
    earliest, latest = date.min.toordinal(), date.max.toordinal()
    return (
        date.fromordinal(max(earliest, first.toordinal() - before)),
        date.fromordinal(min(latest, last.toordinal() + after)),
    )


def period(first: date, last: date, zone: tzinfo | None) -> tuple[datetime, datetime]:
    """Return days as moments: from the first midnight until before the one after the last day."""
    return (
        _midnight(first.toordinal(), zone or UTC) or _FIRST,
        _midnight(last.toordinal() + 1, zone or UTC) or _LAST,
    )


def in_range(moment: datetime) -> datetime:
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


def not_elsewhere(place: Place | None, others: Sequence[str], outlines: Outlines) -> Iterator[str]:
    """Yield the memories that are not known to be far from a place: some ten kilometres."""
    here = set(cells_around(place, reach=1))
    known = outlines(others) if here else {}
    for other in others:
        there = set(cells_around(known[other].place, reach=0)) if other in known else set()
        if not (here and there and here.isdisjoint(there)):
            yield other
