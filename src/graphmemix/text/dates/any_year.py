"""Dates without a year, "10 July" or "at Christmas", in each year that an archive has."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from graphmemix.text.dates import EARLIEST, LATEST, DateFound, find_dates

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

_MOST_YEARS: Final = 30  # the latest ones
_LONGEST: Final = timedelta(days=120)  # a season; "last year" has its year
# Two days of the question: what falls on the same days of the year for both depends on neither.
_PROBES: Final = (datetime(2024, 12, 31, tzinfo=UTC), datetime(2022, 5, 17, tzinfo=UTC))


def dates_of_any_year(
    text: str,
    asked_at: datetime | None,
    years: range,
    *,
    names: Collection[str] = (),
    masked: Sequence[tuple[int, int]] = (),
) -> list[DateFound]:
    """Return the dates of `find_dates`, in each of these years where a year is not said.

    If it is known when the question is asked, the year that it means then counts, unless it is not
    one of these: who asks for "photos from July" of an archive that ends years ago means any July.

    Args:
        text: The question.
        asked_at: When it is asked, with a time zone, if that is known.
        years: Those of the archive.
        names: As for `find_dates`.
        masked: The same.
    """
    found = find_dates(text, asked_at, names=names, masked=masked)
    at_places = {(date.first, date.last): date for date in found}
    is_clear = asked_at is not None and all(date.start.year in years for date in found)
    if not years or is_clear:
        return found
    first, second = (
        {(d.first, d.last): d for d in find_dates(text, probe, names=names, masked=masked)}
        for probe in _PROBES
    )
    for place, date in first.items():
        known = at_places.get(place)
        if known is not None and (asked_at is None or known.start.year in years):
            continue  # it has a year, or a good one
        if place in second and _is_yearless(date, second[place]):
            found = [each for each in found if (each.first, each.last) != place]
            zone = None if asked_at is None else asked_at.tzinfo
            found += [
                each._replace(
                    start=each.start.replace(tzinfo=zone or UTC),
                    end=each.end.replace(tzinfo=zone or UTC),
                )
                for each in _in_years(date, years)
            ]
    return sorted(found, key=lambda date: (date.first, date.last))


def _is_yearless(date: DateFound, other: DateFound) -> bool:
    """Return whether a date is on the same days of a year, whenever the question is asked."""
    if date.start == EARLIEST or date.end == LATEST or date.end - date.start > _LONGEST:
        return False
    days = [
        (each.start.month, each.start.day, each.end.month, each.end.day) for each in (date, other)
    ]
    return days[0] == days[1] and date.start.year != other.start.year


def _in_years(date: DateFound, years: range) -> Iterator[DateFound]:
    """Yield a date in each of the years, the latest first."""
    over = date.end.year - date.start.year
    for year in reversed(years[-_MOST_YEARS:]):
        try:
            yield date._replace(
                start=date.start.replace(year=year), end=date.end.replace(year=year + over)
            )
        except ValueError:  # 29 February, or the last year of the calendar
            continue
