"""Rules for parts of dates: late 2022, the evening of May 5, the first week of June."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from graphmemix.text.dates import calendar
from graphmemix.text.dates.absolute import AFTER_VERBS
from graphmemix.text.dates.calendar import Period, Span, Third
from graphmemix.text.dates.cursor import RuleMatch
from graphmemix.text.dates.sorts import Sort

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphmemix.text.dates.cursor import Cursor, Rule


def part_of_period(cursor: Cursor, i: int) -> RuleMatch | None:
    """Read "early June", "mid-May", "late 2022", "the end of last year"."""
    if not cursor[i].name:  # a half that is no middle, as Italian "metà" is
        return None
    which = cast("Third", cursor[i].name)
    dash = cursor.skip(i + 1, Sort.DASH)
    j = cursor.skip_the(cursor.skip_of(dash))
    found = cursor.date(j)
    if found is None and j > dash and cursor[j].name in {"month", "year"} and cursor.now:
        this = calendar.UNITS[cursor[j].name].this(cursor.now)  # the end of the year
        found = RuleMatch(j + 1, (this,)) if this and cursor.sort(j + 1) is not Sort.OF else None
    if found is None or cursor[j].sort in {Sort.WEEKDAY, Sort.DAY, Sort.DATE}:
        return None
    if cursor.doubtful(j) and cursor[j + 1].word in AFTER_VERBS:
        return None
    return changed(found, lambda period: calendar.third(period, which))


def evening_of(cursor: Cursor, i: int) -> RuleMatch | None:
    """Read "the evening of May 5"."""
    j = cursor.skip_the(cursor.skip_of(i + 1))
    found = cursor.date(j) if j > i + 1 else None
    return with_day_part(found, cursor[i].name, found.end) if found else None


def with_day_part(found: RuleMatch, part: str, end: int) -> RuleMatch | None:
    """Return the morning, evening, ... of a day."""
    spans = {found.cycle.span} if found.cycle else {period.span for period in found.periods}
    if spans != {"day"}:
        return None
    narrowed = changed(found, lambda period: calendar.day_part(period, part))
    return narrowed._replace(end=end)


def changed(found: RuleMatch, change: Callable[[Period], Period]) -> RuleMatch:
    """Return a part of what was found. It can stand alone, as "early June" can."""
    if found.cycle:
        span: Span = "daypart" if found.cycle.span == "day" else "stretch"
        return RuleMatch(found.end, cycle=found.cycle.mapped(change, span), bare=False)
    return RuleMatch(found.end, tuple(change(period) for period in found.periods), bare=False)


def nth_of(cursor: Cursor, i: int) -> RuleMatch | None:
    """Read "the first week of May", "the last Friday of June", "the second half of 2023"."""
    nth = cursor[i].number if cursor.sort(i) is Sort.ORDINAL else -1
    j = cursor.skip_of(i + 2)
    j = j if j > i + 2 else cursor.skip(i + 2, Sort.IN)
    quarter_of = nth > 0 and cursor.sort(i + 1) is Sort.UNIT and cursor[i + 1].name == "quarter"
    several = cursor.sort(i + 1) is Sort.UNIT and cursor[i + 1].plural  # the last days of May
    if several or (j == i + 2 and not quarter_of):
        return None
    found = cursor.date(cursor.skip_the(j))
    if found is None:
        return None
    outer = cursor.settled(found)
    inner = [period for whole in outer if (period := _nth(cursor, i + 1, nth, whole))]
    return RuleMatch(found.end, tuple(inner), bare=False) if inner else None


def _nth(cursor: Cursor, i: int, nth: int, outer: Period) -> Period | None:
    if cursor.sort(i) is Sort.HALF:
        return calendar.half(outer, nth != 1)
    cycle = cursor.cycle(i)
    if cycle is None or cycle.span == outer.span:
        return None
    if cycle.span == "week":  # seven days from the first, or to the last, of the month
        start = (
            outer.start + 7 * (nth - 1) * calendar.DAY if nth > 0 else outer.end - 7 * calendar.DAY
        )
        week = Period(start, min(start + 7 * calendar.DAY, outer.end), "week")
        return week if outer.start <= week.start < week.end else None
    inside = cycle.inside(outer) if cycle.span not in {"minute", "hour"} else []
    if nth < 0:
        return inside[-1] if inside else None
    return inside[nth - 1] if 0 < nth <= len(inside) else None


def first_of(cursor: Cursor, i: int) -> RuleMatch | None:
    """Read "the first two weeks of March", "the last three days of May"."""
    last, number, name = cursor.sort(i) is Sort.LAST, cursor[i + 1], cursor[i + 2].name
    j = cursor.skip_of(i + 3)
    if not (last or cursor[i].number == 1) or number.sort is not Sort.NUMBER or j == i + 3:
        return None
    if cursor.sort(i + 2) is not Sort.UNIT or name not in {"day", "week", "month", "year"}:
        return None
    found = cursor.date(cursor.skip_the(j))
    if found is None:
        return None
    parts = []
    for start, end, _ in cursor.settled(found):
        begin = calendar.shifted(end, name, -number.high) if last else start
        stop = end if last else calendar.shifted(start, name, number.high)
        parts.append(Period(max(begin, start), min(stop, end)))
    return RuleMatch(found.end, tuple(parts), bare=False)


def around_day(cursor: Cursor, i: int) -> RuleMatch | None:
    """Read "the weekend of 14 July" and "the week of May 5"."""
    name = cursor[i].name
    j = cursor.skip_the(cursor.skip_of(i + 1))
    if name not in {"week", "weekend"} or j == i + 1:
        return None
    found = cursor.date(j)
    spelled = cursor.sort(j) is Sort.ORDINAL and not cursor[j].word[0].isdigit()
    outer = cursor.settled(found) if found and not (found.bare and spelled) else ()
    if found is None or not outer or outer[0].span not in {"day", "daypart", "holiday"}:
        return None
    cycle = calendar.UNITS[name]
    weeks = [period for day in outer if (period := cycle.at(cycle.index(day.start)))]
    return RuleMatch(found.end, tuple(weeks), bare=False)


RULES: dict[Sort, tuple[Rule, ...]] = {
    Sort.ORDINAL: (nth_of, first_of),
    Sort.LAST: (nth_of, first_of),
    Sort.UNIT: (around_day,),
    Sort.THIRD: (part_of_period,),
    Sort.HALF: (part_of_period,),
    Sort.DAY_PART: (evening_of,),
}
"""What can start at a word of each sort, the longest first."""
