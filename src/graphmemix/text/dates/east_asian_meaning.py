"""What a date in Japanese, Chinese or Korean means: periods, or a name that comes round.

As in the other languages a name without a year, such as 7月, is a `Cycle`, which questions and
texts settle differently.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from graphmemix.text.dates import calendar, parts, relative
from graphmemix.text.dates.calendar import DAY, Cycle, Period, Third
from graphmemix.text.dates.cursor import RuleMatch
from graphmemix.text.dates.lexicon import full_decade
from graphmemix.text.dates.sorts import Sort

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from graphmemix.text.dates.east_asian_lexemes import Written

__all__ = ["meaning"]


def meaning(written: Written, now: datetime | None) -> RuleMatch | None:
    """Return what a date means, without its place in the text.

    None if that depends on the time and it is not known, or if there is no such date.

    Raises:
        ValueError, OverflowError: It is beyond the years 1 to 9999.
    """
    found = _whole(written, now)
    if found is None:
        return None
    if third := written.parts.get(Sort.THIRD):
        which = cast("Third", third.name)
        found = parts.changed(found, lambda period: calendar.third(period, which))
    part = written.parts.get(Sort.DAY_PART) or written.parts.get(Sort.DAY)
    if part is not None and part.name:
        return parts.with_day_part(found, part.name, 0) or found
    return found


def _whole(written: Written, now: datetime | None) -> RuleMatch | None:
    """Return what a date means without "early" and "in the evening"."""
    for sort, read in _READERS.items():
        if sort in written.parts and (sort not in _RELATIVE or _depends(written, sort)):
            return read(written, now)
    cycle = _cycle(written)
    return None if cycle is None else _pointed(written, cycle, now)


def _depends(written: Written, sort: Sort) -> bool:
    """Return whether a week or a weekday has its distance from now."""
    lexeme = written.parts[sort]
    return not lexeme.weak if sort is Sort.UNIT else bool(lexeme.name)


def _one(period: Period | None) -> RuleMatch | None:
    return RuleMatch(0, (period,), bare=False) if period else None


def _of_decade(written: Written, _now: datetime | None) -> RuleMatch | None:
    first = full_decade(written.parts[Sort.DECADE].number)
    return _one(calendar.months(first, 1, 120, "decade"))


def _of_year(written: Written, _now: datetime | None) -> RuleMatch | None:
    return _in_year(written, written.parts[Sort.DATE].number)


def _in_year(written: Written, year: int) -> RuleMatch | None:
    """Return a year, or what is named beside it."""
    if half := written.parts.get(Sort.HALF):
        return _one(calendar.half(calendar.whole_year(year), half.number == 2))
    cycle = _cycle(written)
    if cycle is None:
        has_day = Sort.ORDINAL in written.parts
        return None if has_day else _one(calendar.whole_year(year))
    named = cycle.named(year)
    return RuleMatch(0, named, bare=False) if named else None


def _of_unit(written: Written, now: datetime | None) -> RuleMatch | None:
    """Read 去年, 先月の5日, 上周, 今週末, 先週の土曜日."""
    if now is None:
        return None
    unit = written.parts[Sort.UNIT]
    if unit.name == "year":
        return _in_year(written, now.year + unit.number)
    cycle = calendar.UNITS[unit.name]
    period = cycle.at(cycle.index(now) + unit.number)
    if period is None:
        return None
    if day := written.number(Sort.ORDINAL):
        return _one(calendar.date_cycle(period.start.month, day).at(period.start.year))
    weekday = written.number(Sort.WEEKDAY)
    if weekday is not None:
        return _one(calendar.days(period.start + weekday * DAY))
    return _one(period)


def _of_weekday(written: Written, now: datetime | None) -> RuleMatch | None:
    """Read 上周五, one word for the weekday and the week."""
    if now is None:
        return None
    lexeme, weeks = written.parts[Sort.WEEKDAY], calendar.UNITS["week"]
    week = weeks.at(weeks.index(now) + lexeme.high)
    return _one(calendar.days(week.start + lexeme.number * DAY)) if week else None


def _of_day(written: Written, now: datetime | None) -> RuleMatch | None:
    if now is None:
        return None
    return _one(calendar.days(now.date() + written.parts[Sort.DAY].number * DAY))


def _ago(written: Written, now: datetime | None) -> RuleMatch | None:
    """Read 3日前 and 两周后."""
    if now is None:
        return None
    lexeme = written.parts.get(Sort.AGO) or written.parts[Sort.FROM_NOW]
    cycle = calendar.UNITS[lexeme.name]
    count = lexeme.number if lexeme.sort is Sort.AGO else -lexeme.number
    return _one(cycle.ago(now, count))


def _stretch(written: Written, now: datetime | None) -> RuleMatch | None:
    """Read 过去三个月, この3か月."""
    if now is None:
        return None
    lexeme = written.parts[Sort.SPELL]
    return _one(relative.window(now, lexeme.name, lexeme.number))


_READERS: Mapping[Sort, Callable[[Written, datetime | None], RuleMatch | None]] = {
    Sort.DECADE: _of_decade,
    Sort.DATE: _of_year,
    Sort.SPELL: _stretch,
    Sort.AGO: _ago,
    Sort.FROM_NOW: _ago,
    Sort.DAY: _of_day,
    Sort.UNIT: _of_unit,
    Sort.WEEKDAY: _of_weekday,
}
_RELATIVE = frozenset({Sort.UNIT, Sort.WEEKDAY})


def _cycle(written: Written) -> Cycle | None:
    """Return what comes round under a name: 7月, 8月2日, 夏, クリスマス, 土曜日, 週末."""
    month, day = written.number(Sort.MONTH), written.number(Sort.ORDINAL)
    if month:
        return calendar.date_cycle(month, day) if day else calendar.month_cycle(month)
    if season := written.number(Sort.SEASON):
        return calendar.season_cycle(season)
    if holiday := written.parts.get(Sort.HOLIDAY):
        return calendar.holiday_cycle(holiday.name)
    weekday = written.number(Sort.WEEKDAY)
    if weekday is not None:
        return calendar.weekday_cycle(weekday)
    if Sort.UNIT in written.parts:
        return calendar.UNITS["weekend"] if written.parts[Sort.UNIT].weak else None
    return calendar.day_cycle(day) if day else None


def _pointed(written: Written, cycle: Cycle, now: datetime | None) -> RuleMatch | None:
    """Return "last", "this" or "next", or else what comes round."""
    keys = written.parts.keys() & {Sort.LAST, Sort.THIS, Sort.NEXT}
    if not keys:
        return RuleMatch(0, cycle=cycle, bare=False)
    if now is None:
        return None
    if Sort.LAST in keys:
        return _one(cycle.last(now))
    return _one(cycle.next(now) if Sort.NEXT in keys else cycle.this(now))
