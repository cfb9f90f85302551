"""What a hit leads to, and the days around it: shared by the relations of a question."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from graphmemix.retrieve.facets import cells_around
from graphmemix.store.protocol import Facets

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import tzinfo

    from graphmemix.evidence import Relation
    from graphmemix.memory import Place
    from graphmemix.store.protocol import Outline

Fetch: TypeAlias = Callable[[Facets, int], list[str]]
"""Returns at most so many memories that satisfy facets and may be shown."""

Outlines: TypeAlias = "Callable[[Sequence[str]], Mapping[str, Outline]]"
"""Returns what is known of memories."""

_SHORTLY: Final = 3  # days; "the day before", "after the party"
_FIRST: Final = datetime.min.replace(tzinfo=UTC)
_LAST: Final = datetime.max.replace(tzinfo=UTC)


class HitLink(NamedTuple):
    """How a hit leads to another memory."""

    hit: str
    other: str
    relation: Relation


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
