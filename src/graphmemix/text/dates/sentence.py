"""Dates in a question: single ones, those that narrow each other, ranges, before and after."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from graphmemix.text.dates import absolute, calendar, parts, relative
from graphmemix.text.dates.calendar import DAY, Period
from graphmemix.text.dates.cursor import RuleMatch
from graphmemix.text.dates.sorts import Sort

if TYPE_CHECKING:
    from graphmemix.text.dates.cursor import Cursor, Rule

ALWAYS = datetime(1000, 1, 1)  # noqa: DTZ001
FOREVER = datetime(3000, 1, 1)  # noqa: DTZ001
"""The open sides of "before 2015" and "after 2015", on any clock."""

_NAMES = frozenset({Sort.MONTH, Sort.WEEKDAY, Sort.SEASON, Sort.HOLIDAY, Sort.UNIT})
_OPEN = frozenset({Sort.BEFORE, Sort.AFTER, Sort.SINCE, Sort.UNTIL, Sort.BY, Sort.AGO_FIRST})
_TO = frozenset({Sort.TO, Sort.UNTIL, Sort.DASH})
_MOST_INSIDE = 14  # the Fridays of a season


def _rules() -> dict[Sort, tuple[Rule, ...]]:
    tables = (absolute.RULES, parts.RULES, relative.RULES, absolute.NAMES)
    return {sort: tuple(rule for table in tables for rule in table.get(sort, ())) for sort in Sort}


RULES = _rules()
"""All rules of the grammar, by the sort of the first word."""


class Dates(NamedTuple):
    """The periods that words `first` until before `end` name."""

    first: int
    end: int
    periods: tuple[Period, ...]


def read(cursor: Cursor) -> list[Dates]:
    """Return all dates, in order."""
    found: list[Dates] = []
    i = 0
    while i < len(cursor.words):
        try:
            dates = _at(cursor, i)
        except (ValueError, OverflowError):  # beyond the years 1 to 9999
            dates = []
        for each in dates:
            found.append(each)
            if len(found) > 1 and (both := _both(found[-2], each)):
                found[-2:] = [both]
        i = dates[-1].end if dates else i + 1
    return found


def _at(cursor: Cursor, i: int) -> list[Dates]:
    """Return the date that starts at word `i`, or dates of which one tells the other's year."""
    sort = cursor.sort(i)
    if sort in _NAMES and cursor.sort(i - 1) is Sort.EVERY:
        return []
    if sort is Sort.BETWEEN:
        return _range(cursor, i, i + 1, frozenset({Sort.AND, Sort.DASH}))
    if sort in {Sort.FROM, Sort.SINCE} and (found := _range(cursor, i, i + 1, _TO)):
        return found
    if sort in _OPEN and (found := _open(cursor, i)):
        return found
    if sort is Sort.FROM:
        return _onwards(cursor, i)
    return _range(cursor, i, i, _TO) or _listed(cursor, i) or _single(cursor, i)


def _single(cursor: Cursor, i: int) -> list[Dates]:
    found = _narrowed(cursor, i)
    return (
        [] if found is None or found.bare else _result(cursor, i, found.end, cursor.settled(found))
    )


def _result(cursor: Cursor, first: int, end: int, periods: tuple[Period, ...]) -> list[Dates]:
    end = cursor.skip(end, Sort.POSSESSIVE)
    kept = tuple(period for period in periods if period.start < period.end)
    return [Dates(first, end, kept)] if kept else []


def _listed(cursor: Cursor, i: int) -> list[Dates]:
    """Read "in May or June 2022", where the year counts for both, and "in May and June"."""
    first = _narrowed(cursor, i)
    if first is None or first.cycle is None or first.cycle.pace != "year":
        return []
    if cursor.sort(first.end) not in {Sort.AND, Sort.OR, Sort.COMMA}:
        return []
    j = first.end + 1
    second = _narrowed(cursor, j)
    if second is None or cursor.sort(j) is not cursor.sort(i):
        return []
    if second.cycle is None:
        if first.bare and cursor.doubtful(i):
            return []
        periods = first.cycle.named(second.periods[-1].start.year)
    elif not first.bare and second.bare:
        periods = cursor.settled(first)
    else:
        return []
    tail = _result(cursor, j, second.end, cursor.settled(second))
    return [*_result(cursor, i, first.end, periods), *tail] if tail else []


def _narrowed(cursor: Cursor, i: int) -> RuleMatch | None:
    """Read a date, and one that narrows it or that it narrows: "in May last year"."""
    if i not in cursor.narrowed:
        cursor.narrowed[i] = _read_narrowed(cursor, i)
    return cursor.narrowed[i]


def _read_narrowed(cursor: Cursor, i: int) -> RuleMatch | None:
    first = _with_part(cursor, i)
    if first is None:
        return None
    for link in (first.end, cursor.skip(first.end, Sort.COMMA, Sort.POSSESSIVE)):
        # Italian "l'anno scorso a maggio" is that May, "dal 2019 a maggio" a range.
        at = cursor[link].name == "at" and cursor.sort(i - 1) not in {Sort.SINCE, Sort.BETWEEN}
        j = link + 1 if at or cursor.is_of(link) else cursor.skip(link, Sort.IN, Sort.ON)
        second = _with_part(cursor, cursor.skip_the(j))
        if second and (both := _narrow(cursor, (i, first), (cursor.skip_the(j), second))):
            return both
    return _around_noun(cursor, i, first) or first


def _around_noun(cursor: Cursor, i: int, first: RuleMatch) -> RuleMatch | None:
    """Read "the summer holidays of 2021", "Christmas dinner last year"."""
    noun = cursor[first.end]
    if cursor.sort(i) not in {Sort.SEASON, Sort.HOLIDAY} or first.cycle is None:
        return None
    if noun.sort is not Sort.OTHER or noun.titled or not noun.word.isalpha() or cursor[i].weak:
        return None
    second = cursor.date(cursor.skip(first.end + 1, Sort.OF, Sort.IN))
    if second is None or second.cycle or second.periods[0].span != "year":
        return None
    periods = first.cycle.named(second.periods[0].start.year)
    return RuleMatch(second.end, periods, bare=False) if periods else None


def _with_part(cursor: Cursor, i: int) -> RuleMatch | None:
    found = cursor.date(i)
    if found and cursor.sort(found.end) is Sort.DAY_PART:
        part = cursor[found.end].name
        return parts.with_day_part(found, part, found.end + 1) or found
    return found


def _narrow(
    cursor: Cursor, first: tuple[int, RuleMatch], second: tuple[int, RuleMatch]
) -> RuleMatch | None:
    """Return the Friday of a week, the May of a year, the 5th of a month, the Fridays of a May."""
    end = second[1].end
    link = second[0] - 1
    linked = cursor.sort(link) in {Sort.IN, Sort.THE, Sort.TO} or cursor.is_of(link)
    for (i, inner), (j, outer) in ((first, second), (second, first)):
        if inner.cycle is None or inner.cycle.pace == "unit":
            continue
        if inner.bare and cursor.doubtful(i) and not (i > j and linked):
            continue
        if inner.bare and cursor.sort(i) is Sort.ORDINAL and not linked:
            continue
        if outer.cycle is None:
            outers = outer.periods
        elif outer.cycle.span == "month" and inner.cycle.pace != "year" and linked:
            outers = cursor.settled(outer)
        else:
            continue
        found = [period for whole in outers for period in _inside(inner, whole)]
        if found:
            return RuleMatch(end, tuple(found), bare=False)
    return None


def _inside(inner: RuleMatch, outer: Period) -> list[Period]:
    cycle = inner.cycle
    if cycle is None:
        return []
    if cycle.pace == outer.span == "year":
        known = list(cycle.named(outer.start.year))
        return known or ([outer] if cycle.listed else [])  # at Diwali in 1999
    if cycle.pace == outer.span:
        period = cycle.at(cycle.index(outer.start))
        return [period] if period else []
    if cycle.pace == "week" and outer.span in {"month", "season", "quarter", "year"}:
        days = cycle.inside(outer) if outer.span != "year" else []
        return days if 0 < len(days) <= _MOST_INSIDE else [outer]
    return []


def _range(cursor: Cursor, first: int, i: int, links: frozenset[Sort]) -> list[Dates]:
    """Read "between March and June 2023", "from 3 to 7 May", "2019-2021"."""
    if found := _days_of_month(cursor, i, links):
        return _result(cursor, first, found.end, cursor.settled(found))
    i = cursor.skip_the(i) if first < i else i
    start = _narrowed(cursor, i)
    if start is None or cursor.sort(start.end) not in links:
        return []
    j = start.end + 1
    if cursor.sort(j) is Sort.NOW and cursor.now and (begun := cursor.settled(start)):
        today = calendar.midnight(cursor.now) + DAY
        return _result(cursor, first, j + 1, (Period(begun[0].start, today),))
    if short := _short_year(cursor, i, j):
        return _result(cursor, first, j + 1, (Period(start.periods[0].start, short.end),))
    end = _narrowed(cursor, cursor.skip_the(j))
    if end is None or (first == i and end.bare):
        return []
    return _result(cursor, first, end.end, between(cursor, start, end))


def _short_year(cursor: Cursor, i: int, j: int) -> Period | None:
    """Return the last year of 2019-21."""
    start, end = cursor.year(i), cursor[j]
    if not start or end.sort is not Sort.NUMBER or len(end.word) != 2 or not end.word.isdigit():
        return None
    return (
        calendar.whole_year(start - start % 100 + end.number) if end.number > start % 100 else None
    )


def _days_of_month(cursor: Cursor, i: int, links: frozenset[Sort]) -> RuleMatch | None:
    """Read "3 to 7 May", "the 3rd and the 7th of May 2023", "May 3-7, 2023"."""
    month_first = cursor.sort(i) is Sort.MONTH
    i = i + 1 if month_first else cursor.skip_the(i)
    low, link = cursor.day(i), cursor.skip(i + 1, Sort.DOT)
    j = cursor.skip_the(link + 1)
    high = cursor.day(j)
    if not 0 < low < high or cursor.sort(link) not in links:
        return None
    if month_first:
        year, end = cursor.year_behind(j + 1)
        cycle = calendar.date_cycle(cursor[i - 1].number, high)
        last = RuleMatch(end, cycle.named(year)) if year else RuleMatch(j + 1, cycle=cycle)
    elif (found := absolute.day_and_month(cursor, j)) is None:
        return None
    else:
        last = found
    width = (high - low) * DAY
    periods = cursor.settled(last)
    return RuleMatch(last.end, tuple(Period(start - width, end) for start, end, _ in periods))


def between(cursor: Cursor, start: RuleMatch, end: RuleMatch) -> tuple[Period, ...]:
    """Return the range with both ends; what lacks a year takes it from the other end."""
    lasts = cursor.settled(end)
    if start.cycle is None and end.cycle is not None:
        lasts = _as_tuple(end.cycle.following(start.periods[0].start))
    firsts = start.periods
    if start.cycle is not None and lasts:
        firsts = _as_tuple(start.cycle.recent(lasts[-1].start))
    if not firsts or not lasts:
        return ()
    if len(firsts) == len(lasts):
        return tuple(Period(a.start, b.end) for a, b in zip(firsts, lasts, strict=True))
    return (Period(firsts[0].start, lasts[-1].end),)


def _as_tuple(period: Period | None) -> tuple[Period, ...]:
    return (period,) if period else ()


def _open(cursor: Cursor, i: int) -> list[Dates]:
    """Read "before May 2023", "after 2021", "since", "until", "seit drei Wochen"."""
    sort, j = cursor.sort(i), cursor.skip_the(i + 1)
    j = cursor.skip(j, Sort.IN) if sort is Sort.SINCE else j  # Swedish "sedan i maj"
    if sort is Sort.SINCE and cursor.now:
        length = relative.duration(cursor, cursor.skip(j, Sort.AGO_FIRST))
        if length and length.unit and cursor.skip_ago(length.end) == length.end:
            window = relative.window(cursor.now, length.unit, length.high)
            return _result(cursor, i, length.end, (window,))
    found = _narrowed(cursor, j)
    if found is None or (sort is Sort.AGO_FIRST and cursor[i].name != "before"):
        return _single(cursor, i)
    if found.bare and (sort is Sort.BY or cursor.doubtful(j)):
        return []
    periods = tuple(side(cursor.now, sort, period) for period in cursor.settled(found))
    return _result(cursor, i, found.end, periods)


def side(now: datetime | None, sort: Sort, period: Period) -> Period:
    """Return what is before, until, after or since a period."""
    if sort in {Sort.BEFORE, Sort.AGO_FIRST}:
        return Period(ALWAYS, period.start)
    if sort in {Sort.UNTIL, Sort.BY}:
        return Period(ALWAYS, period.end)
    if sort is Sort.AFTER:
        return Period(period.end, FOREVER)
    today = calendar.midnight(now) + DAY if now else FOREVER
    return Period(period.start, today if today > period.start else FOREVER)


def _onwards(cursor: Cursor, i: int) -> list[Dates]:
    """Read "from May 2023 on"."""
    found = _narrowed(cursor, cursor.skip_the(i + 1))
    if found is None:
        return []
    behind = cursor[found.end]
    on = behind.word == "on" and cursor[found.end + 1].sort is Sort.SIGN
    if behind.sort is not Sort.ONWARDS and not on:
        return []
    periods = tuple(side(cursor.now, Sort.SINCE, period) for period in cursor.settled(found))
    return _result(cursor, i, found.end + 1, periods)


def _both(first: Dates, second: Dates) -> Dates | None:
    """Return "after 2019 and before 2022" as one range."""
    if second.first - first.end > 1 or len(first.periods) != 1 or len(second.periods) != 1:
        return None
    (start, end, _), (start2, end2, _) = first.periods[0], second.periods[0]
    opposite = {start == ALWAYS, start2 == ALWAYS} == {True, False}
    if not opposite or {end == FOREVER, end2 == FOREVER} != {True, False}:
        return None
    both = Period(max(start, start2), min(end, end2))
    return Dates(first.first, second.end, (both,)) if both.start < both.end else None
