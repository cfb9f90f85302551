"""Periods of the calendar, and what comes round in it: weeks, Fridays, summers, Easter.

All times here are on the asker's own clock and carry no time zone. Periods are half-open. Weeks
start on Monday; seasons are those of the northern hemisphere, three whole months each, and a winter
belongs to the year in which it starts. Arithmetic that leaves the years 1 to 9999 raises
`ValueError` or `OverflowError`.
"""

from __future__ import annotations

import calendar
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from graphmemix.text.dates.feasts import FEASTS, ISLAMIC, islamic_year
from graphmemix.text.dates.holidays import HOLIDAYS

if TYPE_CHECKING:
    from collections.abc import Callable

Span: TypeAlias = Literal[
    "minute", "hour", "daypart", "day", "week", "weekend", "holiday",
    "month", "quarter", "season", "year", "decade", "stretch",
]  # fmt: skip
Pace: TypeAlias = Literal["day", "week", "month", "year", "unit"]
Third: TypeAlias = Literal["early", "mid", "late"]

DAY = timedelta(days=1)
_STEPS = {
    "day": 3,
    "week": 3,
    "month": 48,
    "year": 12,
    "unit": 3,
}  # to the next Feb 29, Friday 13th
_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
_FIXED = {
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": DAY,
    "week": timedelta(weeks=1),
}
_THIRDS_OF_DECADE = {"early": (0, 4), "mid": (3, 7), "late": (6, 10)}  # people overlap them, too
_THIRDS_OF_WEEK = {"early": (0, 3), "mid": (2, 5), "late": (4, 7)}
_DAY_PARTS = {  # hours from midnight
    "morning": (5, 12),
    "noon": (11, 14),
    "afternoon": (12, 18),
    "evening": (17, 24),
    "night": (18, 30),
}


class Period(NamedTuple):
    """From `start` until before `end`."""

    start: datetime
    end: datetime
    span: Span = "stretch"


@dataclass(frozen=True)
class Cycle:
    """Something that comes round, such as "Friday", "May", "summer" or "the 5th".

    Attributes:
        span: What one occurrence is.
        pace: What it comes round in: at most one occurrence has each number of that period.
        index: The number of the period that holds a moment.
        at: The occurrence in the period of this number; None if that one has none.
        either_year: A year in its name may be the one before, as in "winter 2023".
        numbers: The numbers that may belong to a year, if they are not years.
        listed: It comes in every period, but only in some it is known when.
    """

    span: Span
    pace: Pace
    index: Callable[[datetime], int]
    at: Callable[[int], Period | None]
    either_year: bool = False
    numbers: Callable[[int], range] | None = None
    listed: bool = False

    def recent(self, now: datetime) -> Period | None:
        """Return the latest one that has started."""
        return self._latest(now, lambda period: period.start <= now)

    def last(self, now: datetime) -> Period | None:
        """Return the latest one that ended before today."""
        today = midnight(now)
        if self.span == "daypart" and self.pace == "day":  # "last night" may end this morning
            return self.at(self.index(now) - 1)
        return self._latest(now, lambda period: period.end <= today)

    def this(self, now: datetime) -> Period | None:
        """Return that of this year, month or week; until April, winter and Christmas are past."""
        number = self.index(now)
        if self.numbers:
            named = self.named(now.year)
            return next((each for each in reversed(named) if each.start <= now), named[0])
        period = self.at(number)
        if self.pace == "year" and period and now.month <= 4 and period.start.month >= 11:
            return self.at(number - 1)
        return period

    def next(self, now: datetime) -> Period | None:
        """Return the first one that starts after today."""
        return self.following(midnight(now) + DAY)

    def following(self, moment: datetime) -> Period | None:
        """Return the first one that does not start before a moment."""
        number = self.index(moment)
        if self.listed and self.at(number) is None:
            return None
        for k in range(number, number + _STEPS[self.pace]):
            period = self.at(k)
            if period and period.start >= moment:
                return period
        return None

    def ago(self, now: datetime, count: int) -> Period | None:
        """Return the last but `count - 1`: "two summers ago", "three weeks ago"; 0 is this one."""
        if self.pace == "unit":
            return self.at(self.index(now) - count)
        last = self.last(now)
        return self.at(self.index(last.start) - count + 1) if last else None

    def named(self, year: int) -> tuple[Period, ...]:
        """Return what may be meant by this and a year, for what comes round in years."""
        if self.numbers:
            found = (self.at(k) for k in self.numbers(year))
            return tuple(period for period in found if period and _is_of_year(period, year))
        years = (year - 1, year) if self.either_year else (year,)
        return tuple(period for k in years if (period := self.at(k)))

    def inside(self, outer: Period) -> list[Period]:
        """Return all that start in a period."""
        numbers = range(self.index(outer.start) - 1, self.index(outer.end) + 1)
        found = (self.at(k) for k in numbers)
        return [period for period in found if period and outer.start <= period.start < outer.end]

    def mapped(self, change: Callable[[Period], Period], span: Span) -> Cycle:
        """Return what comes round with this, such as its evenings."""

        def at(number: int) -> Period | None:
            period = self.at(number)
            return change(period) if period else None

        return replace(self, span=span, at=at)

    def _latest(self, now: datetime, good: Callable[[Period], bool]) -> Period | None:
        number = self.index(now) + 1
        if self.listed and self.at(number - 1) is None:
            return None  # that of this year may be the latest
        for k in range(number, number - _STEPS[self.pace] - 1, -1):
            period = self.at(k)
            if period and good(period):
                return period
        return None


def midnight(moment: datetime) -> datetime:
    """Return the start of the day."""
    return datetime.combine(moment.date(), time())


def days(first: date, count: int = 1, span: Span = "day") -> Period:
    """Return whole days."""
    start = datetime.combine(first, time())
    return Period(start, start + count * DAY, span)


def months(year: int, month: int, count: int = 1, span: Span = "month") -> Period:
    """Return whole months; month 13 is January of the next year."""
    return Period(_month(year * 12 + month - 1), _month(year * 12 + month - 1 + count), span)


def whole_year(year: int) -> Period:
    """Return a year."""
    return months(year, 1, 12, "year")


def shifted(moment: datetime, unit: str, count: int) -> datetime:
    """Return the moment `count` units later; the last day of a month stands for missing ones."""
    if unit in _FIXED:
        return moment + count * _FIXED[unit]
    first = _month(moment.year * 12 + moment.month - 1 + count * _MONTHS[unit])
    day = min(moment.day, calendar.monthrange(first.year, first.month)[1])
    return datetime.combine(first.replace(day=day), moment.time())


def third(period: Period, which: Third) -> Period:
    """Return the early, middle or late part; a day is left whole."""
    start, end, span = period
    place = ("early", "mid", "late").index(which)
    if span == "month":
        borders = [start, start + 10 * DAY, start + 20 * DAY, end]
    elif span in {"year", "season", "quarter"}:
        size = 4 if span == "year" else 1
        borders = [shifted(start, "month", size * n) for n in range(4)]
    elif span in {"decade", "week"}:
        low, high = (_THIRDS_OF_DECADE if span == "decade" else _THIRDS_OF_WEEK)[which]
        unit = "year" if span == "decade" else "day"
        return Period(shifted(start, unit, low), shifted(start, unit, high))
    elif end - start >= 3 * DAY:
        borders = [start + n * (end - start) / 3 for n in range(4)]
    else:
        return period
    return Period(borders[place], borders[place + 1])


def half(period: Period, second: bool) -> Period:  # noqa: FBT001
    """Return the first or the second half, at the border of a month or a day."""
    start, end, span = period
    if span in {"year", "decade"}:
        middle = shifted(start, "month", 6 if span == "year" else 60)
    else:
        middle = start + (end - start).days // 2 * DAY
    return Period(middle, end) if second else Period(start, middle)


def day_part(period: Period, part: str) -> Period:
    """Return the morning, evening, ... of the day on which a period starts."""
    first, last = _DAY_PARTS[part]
    start = midnight(period.start)
    hour = timedelta(hours=1)
    return Period(start + first * hour, start + last * hour, "daypart")


def iso_week(year: int, week: int) -> Period:
    """Return a week by its number."""
    return days(date.fromisocalendar(year, week, 1), 7, "week")


def month_cycle(month: int) -> Cycle:
    """Return what comes round as, say, May."""
    return _yearly("month", lambda year: months(year, month))


def quarter_cycle(quarter: int) -> Cycle:
    """Return what comes round as, say, Q2."""
    return _yearly("quarter", lambda year: months(year, 3 * quarter - 2, 3, "quarter"))


def season_cycle(season: int) -> Cycle:
    """Return spring (1), summer, autumn or winter (4)."""
    cycle = _yearly("season", lambda year: months(year, 3 * season, 3, "season"))
    return replace(cycle, either_year=season == 4)


def holiday_cycle(name: str) -> Cycle:
    """Return what comes round as, say, Easter; feasts of which no date is known have none."""
    if name in ISLAMIC:
        return _islamic_cycle(name)

    def at(year: int) -> Period | None:
        found = (HOLIDAYS.get(name) or FEASTS[name])(year)
        return _feast(*found, longest=5 if name in FEASTS else 366) if found else None

    return replace(_yearly("holiday", at), listed=name in FEASTS)


def _islamic_cycle(name: str) -> Cycle:
    return Cycle(
        "holiday",
        "year",
        lambda moment: islamic_year(moment.date()),
        lambda number: _feast(*ISLAMIC[name](number), longest=5),
        numbers=lambda year: range(
            islamic_year(date(year, 1, 1)) - 1, islamic_year(date(year, 12, 31)) + 1
        ),
    )


def _feast(first: date, count: int, longest: int) -> Period:
    """Return its days. Over the longest, they are a stretch: no main day is in their middle."""
    if count == 1:
        return days(first)
    return days(first, count, "holiday" if count <= longest else "stretch")


def date_cycle(month: int, day: int, weekday: int | None = None) -> Cycle:
    """Return what comes round as, say, 5 May; with a weekday, only if it falls on that."""

    def at(year: int) -> Period | None:
        if day > calendar.monthrange(year, month)[1]:
            return None
        found = date(year, month, day)
        return days(found) if weekday in {None, found.weekday()} else None

    return _yearly("day", at)


def day_cycle(day: int, weekday: int | None = None) -> Cycle:
    """Return what comes round as, say, the 5th; with a weekday, only if it falls on that."""

    def at(number: int) -> Period | None:
        first = _month(number)
        return date_cycle(first.month, day, weekday).at(first.year)

    return Cycle("day", "month", _month_number, at)


def weekday_cycle(weekday: int) -> Cycle:
    """Return what comes round as, say, Friday; Monday is 0."""
    return Cycle("day", "week", _week_number, lambda k: days(_monday(k) + weekday * DAY))


def day_part_cycle(part: str) -> Cycle:
    """Return what comes round as, say, the evening."""
    return replace(UNITS["day"].mapped(lambda day: day_part(day, part), "daypart"), pace="day")


def _is_of_year(feast: Period, year: int) -> bool:
    """Return whether most of a feast is in a year, or its beginning; the first day is a margin."""
    middle = feast.start + (feast.end - feast.start) / 2
    return year in {(feast.start + DAY).year, middle.year}


def _yearly(span: Span, at: Callable[[int], Period | None]) -> Cycle:
    return Cycle(span, "year", lambda moment: moment.year, at)


def _month(number: int) -> datetime:
    return datetime(number // 12, number % 12 + 1, 1)  # noqa: DTZ001


def _month_number(moment: datetime) -> int:
    return moment.year * 12 + moment.month - 1


def _monday(number: int) -> date:
    return date.fromordinal(7 * number + 1)  # 1 January of the year 1 is a Monday


def _week_number(moment: datetime) -> int:
    return (moment.toordinal() - 1) // 7


def _by_months(span: Span) -> Cycle:
    size = _MONTHS[span]
    return Cycle(
        span,
        "unit",
        lambda moment: _month_number(moment) // size,
        lambda k: Period(_month(k * size), _month((k + 1) * size), span),
    )


def _by_clock(span: Span) -> Cycle:
    size, origin = _FIXED[span], datetime.min  # noqa: DTZ901
    return Cycle(
        span,
        "unit",
        lambda moment: (moment - origin) // size,
        lambda k: Period(origin + k * size, origin + (k + 1) * size, span),
    )


UNITS: dict[str, Cycle] = {
    **{span: _by_clock(span) for span in ("minute", "hour", "day", "week")},
    **{span: _by_months(span) for span in ("month", "quarter", "year", "decade")},
    "weekend": Cycle(
        "weekend", "week", _week_number, lambda k: days(_monday(k) + 5 * DAY, 2, "weekend")
    ),
}
"""What "last", "next" and "ago" count in."""
