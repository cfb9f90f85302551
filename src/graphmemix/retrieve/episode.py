"""`episode` (ours): two memories belong together in time and place.

That is what was made within a day of each other and not far away; and, for the event that gives a
question its time, all of a stay away from the usual places. A place is usual if memories lie there,
or in the cells around it, in several months; a stay is a run of days with memories elsewhere. Both
are worked out from the keys of places (`facets`), so they are never out of date; an archive without
places has no stays, and then the days decide alone.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import timedelta
from typing import TYPE_CHECKING, Final, NamedTuple

from graphmemix.retrieve.facets import neighbouring
from graphmemix.retrieve.following import HitLink, not_elsewhere, period, shifted, widened
from graphmemix.store.protocol import Facets

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import date

    from graphmemix.retrieve.following import Fetch, Outlines
    from graphmemix.store.protocol import Outline

_USUAL: Final = 4  # months with memories; a place of fewer is where one has been, not where one is
_GAP: Final = timedelta(days=2)  # between days of one stay; not every day has a photo
_LONGEST: Final = timedelta(days=31)  # who is away for longer lives there
_MOST_OF_STAY: Final = 60  # memories; the best of them by score are kept


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
            found |= dict.fromkeys(fetch(Facets(periods=(days,)), _MOST_OF_STAY))
    yield from (HitLink(hit, other, "episode") for other in found if other != hit)
