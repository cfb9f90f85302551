"""Rules for dates that the day of the question tells: last summer, three weeks ago, yesterday."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from graphmemix.text.dates import calendar
from graphmemix.text.dates.absolute import weekday_stands_alone
from graphmemix.text.dates.calendar import DAY, Cycle, Period
from graphmemix.text.dates.cursor import RuleMatch
from graphmemix.text.dates.sorts import Sort

if TYPE_CHECKING:
    from datetime import datetime

    from graphmemix.text.dates.cursor import Cursor, Rule

_WIDTHS = {"day": 0, "week": 3, "month": 15, "quarter": 45, "year": 182}  # days to each side
_NOT_UNITS = frozenset({"minute", "hour", "day"})  # "last day" is the last of something
_ABOUT = timedelta(days=7)
_FEW = 5


class Duration(NamedTuple):
    """A number of units, possibly vague.

    Attributes:
        low: At least so many.
        high: At most.
        at: The position of the unit.
        cycle: What is counted.
        unit: The unit's name; empty for summers, Fridays and the like.
        end: The first word behind it.
    """

    low: int
    high: int
    at: int
    cycle: Cycle
    unit: str
    end: int


def duration(cursor: Cursor, i: int) -> Duration | None:
    """Read "three weeks", "two or three weeks", "2-3 weeks", "a week or two", "two summers"."""
    i = (
        cursor.skip(i, Sort.NUMBER)
        if cursor[i].word in {"a", "an"} and _spell(cursor, i + 1)
        else i
    )
    if _spell(cursor, i):
        spell = cursor[i]
        unit = calendar.UNITS[spell.name]
        return Duration(spell.number, spell.number, i, unit, spell.name, i + 1)
    number = cursor[i]
    if number.sort is not Sort.NUMBER:
        return None
    low, high, j = number.number, number.high, i + 1
    if cursor.sort(j) in {Sort.OR, Sort.DASH, Sort.TO} and cursor.sort(j + 1) is Sort.NUMBER:
        high, j = cursor[j + 1].high, j + 2
    cycle = cursor.cycle(j)
    if cycle is None or not 0 < low <= high or cursor.sort(j) is Sort.DAY_PART:
        return None
    unit_at, j = j, j + 1
    if cursor.sort(j) is Sort.OR and cursor.sort(j + 1) is Sort.NUMBER:
        high, j = max(high, cursor[j + 1].high), j + 2
    name = cursor[unit_at].name if cycle.pace == "unit" else ""
    return Duration(low, high, unit_at, cycle, name, j)


def _spell(cursor: Cursor, i: int) -> bool:
    return cursor.sort(i) is Sort.SPELL


def ago(cursor: Cursor, i: int) -> RuleMatch | None:
    """Read "three weeks ago", "a year ago today", "two summers ago", "vor drei Wochen"."""
    first = cursor.sort(i) is Sort.AGO_FIRST
    length = duration(cursor, i + 1 if first else i)
    if length is None or cursor.now is None:
        return None
    end = cursor.skip_ago(length.end)
    if end == length.end and not first:
        return None
    if length.unit and (found := _ago_today(cursor, end, length, cursor.now)):
        return found
    oldest = length.cycle.ago(cursor.now, length.high)
    newest = length.cycle.ago(cursor.now, length.low)
    if oldest is None or newest is None:
        return None
    span = newest.span if oldest == newest else "stretch"
    return RuleMatch(end, (Period(oldest.start, newest.end, span),), bare=False)


def _ago_today(cursor: Cursor, i: int, length: Duration, now: datetime) -> RuleMatch | None:
    """Read "today" and "this week" behind "a year ago"."""
    moment = calendar.shifted(now, length.unit, -length.low)
    if cursor.sort(i) is Sort.DAY and cursor[i].number == 0:
        return _one(i + 1, calendar.days(moment.date()))
    if cursor.sort(i) is Sort.THIS and cursor[i + 1].name in {"week", "month"}:
        return _one(i + 2, calendar.UNITS[cursor[i + 1].name].this(moment))
    return None


def from_now(cursor: Cursor, i: int) -> RuleMatch | None:
    """Read "two weeks from now" and "in two weeks' time"."""
    length = duration(cursor, i)
    if length is None or cursor.now is None or cursor.sort(length.end) is not Sort.FROM_NOW:
        return None
    if not length.unit:
        return None
    moment = calendar.shifted(cursor.now, length.unit, length.high)
    return _one(length.end + 1, length.cycle.at(length.cycle.index(moment)))


def last(cursor: Cursor, i: int) -> RuleMatch | None:
    """Read "last week", "last Friday", "last summer", "last night"; not "the last day"."""
    return _pointed(cursor, i, i + 1, i + 2)


def pointed_behind(cursor: Cursor, i: int) -> RuleMatch | None:
    """Read "semaine dernière", "verano pasado", "mes que viene"."""
    if cursor.romance and cursor.sort(i + 1) in {Sort.LAST, Sort.NEXT}:
        return _pointed(cursor, i + 1, i, i + 2)
    return None


def _pointed(cursor: Cursor, pointer: int, noun: int, end: int) -> RuleMatch | None:
    cycle, sort = cursor.cycle(noun), cursor.sort(pointer)
    lexeme, now = cursor[noun], cursor.now
    if cycle is None or now is None or lexeme.plural or lexeme.name in _NOT_UNITS:
        return None
    counted = cursor.is_of(end) or cursor.sort(end) is Sort.COUNTED
    if counted and sort is not Sort.THIS and pointer < noun:
        return None  # "the last week of the training"
    if lexeme.sort is Sort.ORDINAL and not weekday_stands_alone(cursor, end):
        return None
    if _is_verb(cursor, pointer, noun) or not _is_pointed(cursor, pointer, cycle):
        return None
    return _one(end, _meant(cycle, sort, now))


def _meant(cycle: Cycle, pointer: Sort, now: datetime) -> Period | None:
    """Return the last one, the next or this one."""
    if pointer is Sort.LAST:
        return cycle.last(now)
    return cycle.next(now) if pointer is Sort.NEXT else cycle.this(now)


def pointing(cursor: Cursor, i: int) -> RuleMatch | None:
    """Read Swedish "i somras" (last summer), "i år" (this year), "på fredag" (next Friday)."""
    cycle, pointer, now = cursor.cycle(i), cursor[i].pointer, cursor.now
    if cycle is None or now is None or pointer is Sort.OTHER:
        return None
    return _one(i + 1, _meant(cycle, pointer, now))


def _is_verb(cursor: Cursor, pointer: int, noun: int) -> bool:
    """Return whether "may" or "march" without a capital is no month: "this may be"."""
    lexeme = cursor[noun]
    if lexeme.sort is not Sort.MONTH or not lexeme.weak or lexeme.titled:
        return False
    return cursor.sort(pointer) is Sort.THIS or cursor.sort(noun + 1) is Sort.OTHER


def _is_pointed(cursor: Cursor, pointer: int, cycle: Cycle) -> bool:
    """Return whether "last" and "next" count from today.

    With an English article they do not: "the last Christmas that we spent together", "the next
    day". "In the last week" is a stretch, not the calendar's week.
    """
    if cursor.sort(pointer - 1) is not Sort.THE or cursor.romance:
        return True
    within = cursor.sort(pointer - 2) in {Sort.IN, Sort.ON, Sort.SINCE}
    return within and cursor.sort(pointer) is Sort.LAST and cycle.pace != "unit"


def stretch(cursor: Cursor, i: int) -> RuleMatch | None:
    """Read "in the last three months", "the past year", "the next two weeks".

    It ends with today; what is to come starts with today.
    """
    if cursor.sort(i) is Sort.NUMBER:  # trois derniers mois
        if not cursor.romance or cursor.sort(i + 1) not in {Sort.LAST, Sort.NEXT}:
            return None
        count, pointer, unit_at = cursor[i].high, i + 1, i + 2
    elif length := duration(cursor, i + 1):
        count, pointer, unit_at = length.high, i, length.at
    else:
        count, pointer, unit_at = 1, i, i + 1
        several = cursor[unit_at].plural and cursor.sort(unit_at) is Sort.UNIT
        if several or (cursor[unit_at].word.endswith("s") and not cursor.romance):
            count = _FEW  # in the coming weeks
        in_the = cursor.sort(i - 1) is Sort.THE and cursor.sort(i - 2) is Sort.IN
        in_the = (in_the and not cursor.romance) or several
        if not in_the and cursor.sort(i) is not Sort.PAST:
            return None
    cycle, end, now = cursor.cycle(unit_at), unit_at + 1, cursor.now
    if _spell(cursor, unit_at):
        cycle = calendar.UNITS[cursor[unit_at].name]
    if cycle is None or now is None or cursor.is_of(end):
        return None
    if cycle.pace != "unit":
        return _several(cursor, pointer, cycle, count, end)
    ahead = cursor.sort(pointer) is Sort.NEXT
    return _one(end, window(now, cycle.span, count, ahead=ahead))


def window(now: datetime, unit: str, count: int, *, ahead: bool = False) -> Period:
    """Return the last or the next `count` units, today included."""
    if unit in {"minute", "hour"}:
        minute = now.replace(second=0, microsecond=0)
        border = minute if ahead else minute + timedelta(minutes=1)
    else:
        minute = calendar.midnight(now)
        border = minute if ahead else minute + DAY
    other = calendar.shifted(minute, unit, count if ahead else -count)
    return Period(border, other) if ahead else Period(other, border)


def _several(cursor: Cursor, pointer: int, cycle: Cycle, count: int, end: int) -> RuleMatch | None:
    """Read "the last two summers": each of them."""
    if cursor.sort(pointer) is Sort.NEXT or cursor.now is None or not 1 < count <= 10:
        return None
    found = [cycle.ago(cursor.now, n) for n in range(count, 0, -1)]
    return RuleMatch(end, tuple(period for period in found if period), bare=False)


def before_last(cursor: Cursor, i: int) -> RuleMatch | None:
    """Read "the week before last" and "the summer after next"."""
    cycle, pair = cursor.cycle(i), (cursor.sort(i + 1), cursor.sort(i + 2))
    if cycle is None or cursor.now is None or cursor.cycle(i + 3):
        return None
    if pair == (Sort.BEFORE, Sort.LAST):
        return _one(i + 3, cycle.ago(cursor.now, 2))
    if pair == (Sort.AFTER, Sort.NEXT) and (following := cycle.next(cursor.now)):
        return _one(i + 3, cycle.at(cycle.index(following.start) + 1))
    return None


def near_date(cursor: Cursor, i: int) -> RuleMatch | None:
    """Read "the Friday before Christmas", "the week after Easter", "two days before May 5".

    Days are counted from the main day of a holiday, weeks from its borders.
    """
    length = duration(cursor, i)
    if length is None:
        cycle = cursor.cycle(i)
        if cycle is None:
            return None
        length = Duration(1, 1, i, cycle, cursor[i].name if cycle.pace == "unit" else "", i + 1)
    before = cursor.sort(length.end) is Sort.BEFORE
    if not before and cursor.sort(length.end) is not Sort.AFTER:
        return None
    found = cursor.date(cursor.skip_the(length.end + 1))
    if found is None:
        return None
    exact = cursor.sort(i) in {Sort.NUMBER, Sort.SPELL}
    near = [_near(outer, length, before=before, exact=exact) for outer in cursor.settled(found)]
    periods = tuple(period for period in near if period)
    return RuleMatch(found.end, periods, bare=False) if periods else None


def _near(outer: Period, length: Duration, *, before: bool, exact: bool) -> Period | None:
    unit, count = length.unit, -length.high if before else length.high
    anchor = calendar.midnight(outer.start if before else outer.end - DAY)
    if outer.span == "holiday":
        anchor = outer.start + (outer.end - outer.start).days // 2 * DAY
    if unit in _WIDTHS and exact:
        day = calendar.shifted(anchor, unit, count)
        return calendar.days(day - _WIDTHS[unit] * DAY, 2 * _WIDTHS[unit] + 1)
    if unit in _WIDTHS:
        border = outer.start if before else outer.end
        other = calendar.shifted(border, unit, count)
        return Period(min(border, other), max(border, other))
    return None if unit or exact else _neighbour(length, anchor, before=before)


def _neighbour(length: Duration, anchor: datetime, *, before: bool) -> Period | None:
    """Return the nearest one that ends before a day, or starts after it."""
    if length.cycle.pace == "day":  # the night before Christmas
        return length.cycle.at(length.cycle.index(anchor - DAY if before else anchor + DAY))
    number = length.cycle.index(anchor)
    order = range(number + 1, number - 4, -1) if before else range(number - 1, number + 4)
    for k in order:
        period = length.cycle.at(k)
        if period and (period.end <= anchor if before else period.start > anchor):
            return period
    return None


def day(cursor: Cursor, i: int) -> RuleMatch | None:
    """Read "yesterday", "the day before yesterday", "tonight"."""
    if cursor.now is None:
        return None
    lexeme = cursor[i]
    found = calendar.days(calendar.midnight(cursor.now) + lexeme.number * DAY)
    return _one(i + 1, calendar.day_part(found, lexeme.name) if lexeme.name else found)


def within_this(cursor: Cursor, i: int) -> RuleMatch | None:
    """Read "earlier this year" and "later this week"."""
    found = cursor.date(i + 1) if cursor.sort(i + 1) in {Sort.THIS, Sort.DAY} else None
    if found is None or not found.periods or cursor.now is None:
        return None
    today = calendar.midnight(cursor.now)
    (start, end, _), earlier = found.periods[0], cursor.sort(i) is Sort.EARLIER
    start, end = (start, min(end, today + DAY)) if earlier else (max(start, today), end)
    return _one(found.end, Period(start, end)) if start < end else None


def this_time(cursor: Cursor, i: int) -> RuleMatch | None:
    """Read "this time last year", a week to each side, and "this day last year"."""
    if cursor.sort(i + 1) is not Sort.LAST or cursor.sort(i + 2) is not Sort.UNIT:
        return None
    unit = cursor[i + 2].name
    if cursor.now is None or unit not in {"week", "month", "year"}:
        return None
    moment = calendar.days(calendar.shifted(calendar.midnight(cursor.now), unit, -1))
    if cursor[i].word == "this time" and unit == "year":
        moment = Period(moment.start - _ABOUT, moment.end + _ABOUT)
    return _one(i + 3, moment)


def _one(end: int, period: Period | None) -> RuleMatch | None:
    return RuleMatch(end, (period,), bare=False) if period else None


RULES: dict[Sort, tuple[Rule, ...]] = {
    Sort.NUMBER: (ago, from_now, stretch, near_date),
    Sort.SPELL: (ago, from_now, near_date),
    Sort.AGO_FIRST: (ago,),
    Sort.LAST: (last, stretch),
    Sort.PAST: (stretch,),
    Sort.NEXT: (last, stretch),
    Sort.THIS: (last,),
    Sort.THIS_TIME: (this_time,),
    Sort.EARLIER: (within_this,),
    Sort.LATER: (within_this,),
    Sort.DAY: (day,),
    Sort.DAY_PART: (near_date,),
    Sort.ORDINAL: (pointed_behind,),
    Sort.WEEKDAY: (pointing, pointed_behind, near_date),
    Sort.MONTH: (pointed_behind,),
    Sort.SEASON: (pointing, pointed_behind, before_last, near_date),
    Sort.HOLIDAY: (pointing, pointed_behind, before_last),
    Sort.UNIT: (pointing, pointed_behind, before_last, near_date),
}
"""What can start at a word of each sort, the longest first."""
