"""Rules for dates that the calendar tells: 5 May 2023, summer of '22, the 90s; in May."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from graphmemix.text.dates import calendar
from graphmemix.text.dates.calendar import Cycle, Period
from graphmemix.text.dates.cursor import RuleMatch
from graphmemix.text.dates.holidays import HOLIDAYS
from graphmemix.text.dates.lexicon import full_decade
from graphmemix.text.dates.sorts import Sort

if TYPE_CHECKING:
    from graphmemix.text.dates.cursor import Cursor, Rule

_BARE_YEARS = range(1900, 2100)
_YEAR_AND_NEXT = re.compile(r"([0-9]{4})-([0-9]{2})")  # 2009-10: what looks like a month
_BEFORE_YEARS = frozenset({Sort.IN, Sort.FROM, Sort.OF, Sort.BY, Sort.SINCE, Sort.BEFORE})
_JOINS = frozenset({Sort.DASH, Sort.SLASH, Sort.DOT, Sort.SIGN})
_POINTERS = frozenset({Sort.ORDINAL, Sort.LAST, Sort.NEXT, Sort.THIS})
_BRACKETS = frozenset('([{"“„«»¿¡?!,;:')
# Words that show that a month before them was a verb: "May I", "this may be".
_VERBS = "i you we he she they it have be not also well never still need"
AFTER_VERBS = frozenset(_VERBS.split())

_FREE = (
    "i we you he she they it and or did was were do is are with at "
    "com que quando onde eu ele ela eles elas fui fomos foi fiz fizemos estive estivemos"
)
_AFTER_DAYS = frozenset(_FREE.split())
_BEFORE_WEEKDAYS = frozenset({Sort.BEFORE, Sort.AFTER, Sort.SINCE, Sort.UNTIL, Sort.BETWEEN})
_NOUNS = frozenset({
    Sort.UNIT, Sort.HALF, Sort.MONTH, Sort.SEASON, Sort.HOLIDAY, Sort.WEEKDAY, Sort.COUNTED,
    Sort.NUMBERED, Sort.ORDINAL, Sort.NUMBER,
})  # fmt: skip


def numeric(cursor: Cursor, i: int) -> RuleMatch:
    """Read 2023-05-05."""
    return RuleMatch(i + 1, cursor[i].periods, bare=False)


def weekday_and_day(cursor: Cursor, i: int) -> RuleMatch | None:
    """Read "Friday, 5 May 2023" and "Friday the 13th"; a stated year outweighs the weekday."""
    weekday = cursor.weekday(i)
    if weekday is None:
        return None
    j = cursor.skip_the(cursor.skip(cursor.skip(i + 1, Sort.DOT), Sort.COMMA))
    for rule in (day_and_month, month_and_day):
        if found := rule(cursor, j, weekday):
            return found
    if cursor.sort(j) is Sort.DATE:
        periods = cursor[j].periods
        fitting = tuple(period for period in periods if period.start.weekday() == weekday)
        return RuleMatch(j + 1, fitting or periods, bare=False)
    if cursor.sort(j) is Sort.ORDINAL and cursor.sort(j + 1) is not Sort.UNIT:
        return RuleMatch(j + 1, cycle=calendar.day_cycle(cursor.day(j), weekday), bare=False)
    return None


def day_and_month(cursor: Cursor, i: int, weekday: int | None = None) -> RuleMatch | None:
    """Read "5 May", "the 5th of May 2023", "5. Mai", "5 de mayo de 2023"."""
    day = cursor.day(i)
    j = cursor.skip_hyphen(cursor.skip_of(cursor.skip(i + 1, Sort.DOT)))
    if not day or cursor.sort(j) is not Sort.MONTH:
        return None
    return _dated(cursor, i, j, j + 1, day, weekday)


def month_and_day(cursor: Cursor, i: int, weekday: int | None = None) -> RuleMatch | None:
    """Read "May 5", "May the 5th", "May 5, 2023"."""
    if cursor.sort(i) is not Sort.MONTH:
        return None
    j = cursor.skip_the(cursor.skip(i + 1, Sort.DOT))
    day = cursor.day(j)
    return _dated(cursor, i, i, j + 1, day, weekday) if day else None


def _dated(
    cursor: Cursor, first: int, month_at: int, end: int, day: int, weekday: int | None
) -> RuleMatch | None:
    month = cursor[month_at].number
    year, behind = cursor.year_behind(end)
    if year:
        return _named(behind, calendar.date_cycle(month, day), year)
    if cursor.sort(end) in {Sort.COUNTED, Sort.UNIT}:
        return None
    ordinal = Sort.ORDINAL in {cursor.sort(end - 1), cursor.sort(first)}
    closed = cursor.sort(end) not in {Sort.OTHER, Sort.OWNER, Sort.EVERY}
    if cursor[month_at].weak and not cursor[month_at].titled:
        if cursor[end].word in AFTER_VERBS:
            return None
        if not (ordinal or closed or cursor.preposition(first, article=True)):
            return None
    return RuleMatch(end, cycle=calendar.date_cycle(month, day, weekday), bare=False)


def with_year(cursor: Cursor, i: int) -> RuleMatch | None:
    """Read "May 2023", "summer of '22", "winter 2022/23", "Christmas 2022", "Q2 2023"."""
    cycle = cursor.cycle(i)
    if cycle is None or cursor[i].plural:
        return None
    j = cursor.skip(i + 1, Sort.DOT) if cursor.sort(i) is Sort.MONTH else i + 1
    if cursor.sort(i) is Sort.SEASON and (both := _year_and_next(cursor, cursor.skip_of(j))):
        return _named(both[1], _once(cycle), both[0])
    year, behind = cursor.year_behind(j)
    return _named(behind, cycle, year) if year else None


def _year_and_next(cursor: Cursor, i: int) -> tuple[int, int] | None:
    """Return the first of two years, as in 2022/23, and the position behind them."""
    if match := _YEAR_AND_NEXT.fullmatch(cursor[i].word):
        first = int(match[1])
        return (first, i + 1) if int(match[2]) == (first + 1) % 100 else None
    first, following = cursor.year(i), cursor[i + 2]
    if not first or cursor.sort(i + 1) not in {Sort.SLASH, Sort.DASH}:
        return None
    fits = following.word.isdigit() and following.number in {first + 1, (first + 1) % 100}
    return (first, i + 3) if fits else None


def _once(cycle: Cycle) -> Cycle:
    return Cycle(cycle.span, cycle.pace, cycle.index, cycle.at)


def _named(end: int, cycle: Cycle, year: int) -> RuleMatch | None:
    periods = cycle.named(year)
    return RuleMatch(end, periods, bare=False) if periods else None


def month(cursor: Cursor, i: int) -> RuleMatch:
    """Read "May"; alone, it needs a preposition, or to stand before a noun: "our May trip"."""
    lexeme, before = cursor[i], cursor.preposition(i)
    cycle = calendar.month_cycle(lexeme.number)
    if lexeme.weak and not lexeme.titled and cursor[i + 1].word in AFTER_VERBS:
        return RuleMatch(i + 1, cycle=cycle)
    if before is None:
        noun = cursor.sort(i + 1) is Sort.OTHER and cursor[i + 1].word.isalpha()
        owned = cursor.sort(i - 1) in {Sort.THE, Sort.OWNER} and not cursor.romance
        known = lexeme.word in cursor.names
        return RuleMatch(
            i + 1, cycle=cycle, bare=not (owned and noun and lexeme.titled and not known)
        )
    fits = before.sort is not Sort.ON or cursor.romance
    doubtful = cursor.doubtful(i) or cursor.sort(i + 1) is Sort.POSSESSIVE  # "for May's birthday"
    return RuleMatch(i + 1, cycle=cycle, bare=not fits or (doubtful and before.name != "strong"))


def season(cursor: Cursor, i: int) -> RuleMatch | None:
    """Read "summer"; alone, it needs a preposition: "in the summer"."""
    if cursor[i].plural:
        return None
    before = cursor.preposition(i, article=True)
    fits = before is not None and (before.sort is not Sort.ON or cursor.romance)
    strong = before is not None and before.name == "strong"
    bare = not fits or (cursor[i].weak and not strong)
    return RuleMatch(i + 1, cycle=calendar.season_cycle(cursor[i].number), bare=bare)


def holiday(cursor: Cursor, i: int) -> RuleMatch | None:
    """Read "Easter"; alone, it needs a preposition: "at Easter"."""
    cycle, name = cursor.cycle(i), cursor[i].name
    if cycle is None or cursor[i].plural or cursor.year_behind(i + 1)[0]:
        return None  # with a year, `with_year` did not know its date
    # "from the Christmas market" is often another day; "during the Mid-Autumn Festival" is not.
    article = cursor.romance or name not in HOLIDAYS
    return RuleMatch(i + 1, cycle=cycle, bare=cursor.preposition(i, article=article) is None)


def weekday(cursor: Cursor, i: int) -> RuleMatch | None:
    """Read "Friday"; abbreviated, it needs a capital and a preposition: "on Sat".

    "The Friday" is that of something spoken of, such as a trip, and not the latest one.
    """
    lexeme = cursor[i]
    if lexeme.plural or cursor.sort(i - 1) in _POINTERS:  # "the last Friday that we met"
        return None
    bare = lexeme.weak and not (lexeme.titled and cursor.preposition(i))
    bare = bare or (cursor.sort(i - 1) is Sort.THE and not cursor.romance)
    return RuleMatch(i + 1, cycle=calendar.weekday_cycle(lexeme.number), bare=bare)


def short_weekday(cursor: Cursor, i: int) -> RuleMatch | None:
    """Read Portuguese "na segunda" and "sexta à noite"; not "na segunda foto"."""
    number = cursor.weekday(i)
    if number is None or not weekday_stands_alone(cursor, i + 1):
        return None
    before = cursor.preposition(i) is not None or cursor.sort(i - 1) in _BEFORE_WEEKDAYS
    fits = before or cursor.sort(i + 1) is Sort.DAY_PART
    return RuleMatch(i + 1, cycle=calendar.weekday_cycle(number), bare=not fits)


def weekday_stands_alone(cursor: Cursor, i: int) -> bool:
    """Return whether no noun is at `i`, behind an ordinal that may be a weekday instead."""
    behind, next_sort = cursor[i], cursor.sort(i + 1)
    if behind.sort is Sort.FROM:  # "na quinta da avó" is at her farm
        return next_sort in {Sort.UNIT, Sort.LAST, Sort.NEXT, Sort.THIS}
    if behind.sort is Sort.OTHER:
        return not behind.word.isalpha() or behind.word in _AFTER_DAYS
    return behind.sort not in _NOUNS


def quarter(cursor: Cursor, i: int) -> RuleMatch:
    """Read "Q2"; alone, it needs a preposition."""
    bare = cursor.preposition(i) is None
    return RuleMatch(i + 1, cycle=calendar.quarter_cycle(cursor[i].number), bare=bare)


def weekend(cursor: Cursor, i: int) -> RuleMatch | None:
    """Read "over the weekend"."""
    lexeme = cursor[i]
    if lexeme.name != "weekend" or lexeme.plural:
        return None
    bare = cursor.preposition(i, article=True) is None
    return RuleMatch(i + 1, cycle=calendar.UNITS["weekend"], bare=bare)


def day_of_month(cursor: Cursor, i: int) -> RuleMatch | None:
    """Read "on the 5th", and "the 5th" before "of last month"; not "on the 5th floor"."""
    if not cursor.day(i):
        return None
    before, behind = cursor.preposition(i, article=True), cursor[i + 1]
    on_the = before is not None and before.sort is Sort.ON and cursor.sort(i - 1) is Sort.THE
    free = not behind.word.isalpha() or behind.word in _AFTER_DAYS or behind.sort is Sort.IN
    fits = on_the and free and cursor[i].word[0].isdigit()
    return RuleMatch(i + 1, cycle=calendar.day_cycle(cursor.day(i)), bare=not fits)


def year(cursor: Cursor, i: int) -> RuleMatch | None:
    """Read "2023", unless it is a number of something."""
    number = cursor.year(i)
    if not number or _counts(cursor, i) or _is_joined(cursor, i):
        return None
    if number not in _BARE_YEARS and cursor.sort(i - 1) not in _BEFORE_YEARS:
        return None
    if both := _year_and_next(cursor, i):  # 2022/23
        return RuleMatch(both[1], (calendar.months(number, 1, 24, "stretch"),), bare=False)
    return RuleMatch(i + 1, (calendar.whole_year(number),), bare=False)


def _counts(cursor: Cursor, i: int) -> bool:
    """Return whether a number counts or names something else: 2000 photos, room 2019."""
    before, behind = cursor[i - 1], cursor[i + 1]
    round_number = cursor[i].number % 100 == 0 and before.name != "strong"
    return (
        behind.word.isdigit()
        or before.word.isdigit()
        or before.sort is Sort.NUMBERED
        or (before.sort is Sort.ON and not cursor.romance)
        or (round_number and behind.sort is Sort.OTHER and behind.word.endswith("s"))
    )


def _is_joined(cursor: Cursor, i: int) -> bool:
    """Return whether a number is part of a longer one: #2023, 555-2023; not mid-2022, 2019-2021."""
    before = cursor[i - 1]
    if not cursor[i].touching or before.sort not in _JOINS or before.word in _BRACKETS:
        return False
    dashed = cursor.sort(i - 2) is Sort.THIRD or cursor.year(i - 2)
    return before.sort is not Sort.DASH or not dashed


def the_year(cursor: Cursor, i: int) -> RuleMatch | None:
    """Read "the year 2020"; in French and Spanish, "années 90"."""
    if cursor[i].name != "year":
        return None
    if cursor.year(i + 1):
        return year(cursor, i + 1)
    lexeme = cursor[i + 1]
    if cursor.romance and lexeme.sort is Sort.NUMBER and lexeme.word in _TENS:
        return RuleMatch(i + 2, (_decade(full_decade(lexeme.number)),), bare=False)
    return None


_TENS = frozenset(str(tens) for tens in range(10, 100, 10))


def decade(cursor: Cursor, i: int) -> RuleMatch | None:
    """Read "the 90s"; not "in her 90s"."""
    before = cursor[i - 2] if cursor.sort(i - 1) is Sort.THIRD else cursor[i - 1]
    if before.sort is Sort.OWNER:
        return None
    return RuleMatch(i + 1, (_decade(cursor[i].number),), bare=False)


def _decade(first: int) -> Period:
    century = first % 100 == 0 and first < 2000  # the 1800s
    return calendar.months(first, 1, 1200 if century else 120, "stretch" if century else "decade")


def numbered_week(cursor: Cursor, i: int) -> RuleMatch | None:
    """Read "week 23 of 2023" and "KW 23"."""
    lexeme = cursor[i + 1]
    plain = cursor.sort(i) is Sort.UNIT
    if plain and cursor[i].name != "week":
        return None
    if lexeme.sort is not Sort.NUMBER or not 1 <= lexeme.number <= 53 or not lexeme.word.isdigit():
        return None
    number, end = cursor.year_behind(i + 2)
    if not number:
        if plain or cursor.now is None:
            return None
        year_now, week_now, _ = cursor.now.isocalendar()
        number, end = year_now - (lexeme.number > week_now), i + 2
    return RuleMatch(end, (calendar.iso_week(number, lexeme.number),), bare=False)


RULES: dict[Sort, tuple[Rule, ...]] = {
    Sort.DATE: (numeric,),
    Sort.WEEKDAY: (weekday_and_day,),
    Sort.NUMBER: (day_and_month, year),
    Sort.SHORT_YEAR: (year,),
    Sort.ORDINAL: (weekday_and_day, day_and_month),
    Sort.MONTH: (month_and_day, with_year),
    Sort.SEASON: (with_year,),
    Sort.HOLIDAY: (with_year,),
    Sort.QUARTER: (with_year,),
    Sort.DECADE: (decade,),
    Sort.UNIT: (the_year, numbered_week),
    Sort.WEEK_NUMBER: (numbered_week,),
}
"""What can start at a word of each sort, the longest first."""

NAMES: dict[Sort, tuple[Rule, ...]] = {
    Sort.WEEKDAY: (weekday,),
    Sort.MONTH: (month,),
    Sort.SEASON: (season,),
    Sort.HOLIDAY: (holiday,),
    Sort.QUARTER: (quarter,),
    Sort.ORDINAL: (short_weekday, day_of_month),
    Sort.UNIT: (weekend,),
}
"""What is tried last: names of what comes round."""
