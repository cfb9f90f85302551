"""Dates that a caller gives: a `datetime`, a `date`, an ISO text, or words as in a question."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import NamedTuple, TypeAlias

from graphmemix.errors import InvalidInputError
from graphmemix.record import as_moment
from graphmemix.text.dates import EARLIEST, LATEST, find_dates

__all__ = ["Moment", "GivenPeriod", "moment_of", "period_of"]

Moment: TypeAlias = str | date | datetime
"""A moment, a day, or words that name a period: ``"2023-05-01"``, ``"yesterday"``, ``"last May"``.
"""

_SHOWN = 60  # characters of a text in a message


class GivenPeriod(NamedTuple):
    """From `start` until before `end`; equal for a moment."""

    start: datetime
    end: datetime


def moment_of(
    name: str, given: Moment | None, zone: tzinfo | None = None, *, now: datetime | None = None
) -> datetime | None:
    """Return a moment, or when the day or period begins that is named; None for None.

    The arguments are those of `period_of`.
    """
    return None if given is None else period_of(name, given, zone, now=now).start


def period_of(
    name: str, given: Moment, zone: tzinfo | None = None, *, now: datetime | None = None
) -> GivenPeriod:
    """Return what a caller means by a date.

    A time with an offset is that moment. Times without one, days and words are read by the clock of
    `zone`. Words are understood as in a question: "yesterday", "last May", "Easter 2022", "2023",
    in eleven languages.

    Args:
        name: The argument's name, for errors.
        given: The date.
        zone: None for this machine's.
        now: What "yesterday" counts from; None for this moment.

    Raises:
        InvalidInputError: It names no date, or one outside the years 1 to 9999.
    """
    if not isinstance(given, str | date):
        raise InvalidInputError(
            f"{name}: must be a date, a datetime or a text such as '2023-05-01' or 'last May', "
            f"not {type(given).__name__}"
        )
    day: date
    if isinstance(given, str):
        text = given.strip()
        try:
            day = _from_iso(text)
        except ValueError:
            return _in_words(name, text, zone, now)
    else:
        day = given
    start = as_moment(name, day, zone)
    if isinstance(day, datetime):
        return GivenPeriod(start, start)
    try:
        return GivenPeriod(start, as_moment(name, day + timedelta(days=1), zone))
    except (OverflowError, InvalidInputError):  # the last day of the calendar
        return GivenPeriod(start, start)


def _from_iso(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return datetime.fromisoformat(text)


def _in_words(name: str, text: str, zone: tzinfo | None, now: datetime | None) -> GivenPeriod:
    asked = now or datetime.now(UTC)
    asked = asked.astimezone(zone)
    if text.casefold() == "now":
        return GivenPeriod(asked, asked)
    # "2023" and "May" alone are dates here, though in a question they could be anything.
    for words in (text, f"in {text}"):
        found = find_dates(words, asked)
        if len(found) > 1 and found[0][:2] == found[1][:2]:
            raise InvalidInputError(
                f"{name}: {text[:_SHOWN]!r} can be read in several ways; use an ISO date such as "
                f"'{found[0].start:%Y-%m-%d}'"
            )
        if len(found) == 1 and (found[0].last - found[0].first) >= len(text):
            start, end = found[0].start, found[0].end
            if start != EARLIEST and end != LATEST:
                return GivenPeriod(start, end)
    raise InvalidInputError(
        f"{name}: {text[:_SHOWN]!r} is not a date; use an ISO date such as '2023-05-01', or words "
        "such as 'yesterday' or 'last May'"
    )
