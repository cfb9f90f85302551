"""Weekdays in a memory: on Friday, last Friday, Friday next week, Friday 14, and the 14th alone."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import date, timedelta
from typing import TYPE_CHECKING

from graphmemix.text.dates import about_words as words
from graphmemix.text.dates.about_stated import Stated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graphmemix.text.dates.about_tokens import Tokens

_NOT_A_DAY = (
    r"(?![0-9a-z:%]|[.,:/-][0-9]|\s?(?:am|pm|h|uhr|euros?|eur|kr|min|minutes?)\b|\s?[-–]\s?[0-9]"
    r"|\s?[€$£])"
)
_DAY_BEHIND = re.compile(
    r"[,.]{0,2}\s{1,2}(?:(?:the|den|der|le|el|il|om)\s)?(?P<one>[0-9]{1,2})"
    rf"(?:[/.](?P<other>[0-9]{{1,2}}))?(?:st|nd|rd|th|er|[.ºª])?{_NOT_A_DAY}"
)
_TIME_BEHIND = re.compile(
    r"[\s,]{1,2}(?:(?:at|um|kl\.?|ab)\s)?(?:[0-9]{1,2}(?:[:.h][0-9]{2}|\s?(?:am|pm|h|uhr)\b)"
    r"|(?:morning|afternoon|evening|night|lunch)\b)"
)
_ORDINAL = re.compile(
    r"(?:st|nd|rd|th)(?![a-z0-9-])(?!\s{1,2}(?:floor|place|birthday|anniversary|century|grade"
    r"|edition|time|year|street|avenue|st\b|ave\b|and|or|to))"
)
_GERMAN_ORDINAL = re.compile(
    r"\.(?!\s?[0-9]|\s(?:advent|weihnacht|feiertag|[a-z]{0,9}tag\b|stock|platz|quartal|halbjahr|etage))"
)
_EARLIEST, _LATEST = timedelta(days=-185), timedelta(days=250)  # of "Friday 14/10"
_WEEK = timedelta(days=7)

ANCHORS = frozenset({*words.WEEKDAYS, *words.SWEDISH_PAST, *words.ABBREVIATED, "di", "do", "so"})
"""Words at which a weekday may be found."""


def weekday(tokens: Tokens, i: int) -> Stated | None:
    """Return the day of a weekday at word `i`: from the day of writing on, if nothing says else."""
    number, end = _number(tokens, i), tokens.end(i)
    if (
        number is None
        or tokens.text[end : end + 2] in {"'s", "’s"}
        or tokens.before(i) in words.NAMED_DAYS
        or tokens.behind(i) in words.NAMED_BEHIND
    ):
        return None
    j = i + (tokens.words[i] in words.WITH_FEIRA)
    if dated := _dated(tokens, i, j, number):
        return dated
    if week := _week_behind(tokens, j):
        return tokens.stated(i, week[1], tokens.monday(week[0]) + timedelta(days=number))
    if week := _week_before(tokens, i):
        return tokens.stated(week[1], j, tokens.monday(week[0]) + timedelta(days=number))
    return _alone(tokens, i, j, number)


def _alone(tokens: Tokens, i: int, j: int, number: int) -> Stated | None:
    """Read "on Friday", "last Friday", "next Friday"; not "every Friday"."""
    before = tokens.before(i)
    pointer, at = tokens.pointer(j)
    if pointer is None:
        pointer, at = tokens.pointer(i)
    if pointer is None:
        if before in words.EVERY or (before == "on" and tokens.before(i, 3) in words.EVERY):
            return None  # "every week on Friday", too
        if named := tokens.antecedent(i, number):
            return tokens.stated(i, j, named, kind="weekday")
        # Today is called "today": "on Friday", written on a Friday, is the next one.
        pointer = 1 if before in words.AHEAD_OF_DAY else 0
        past = before in words.SINCE or tokens.words[i] in words.SWEDISH_PAST
        if past or tokens.is_past(tokens.start(i), tokens.end(j)):
            pointer = -1
    day = tokens.made + timedelta(days=(number - tokens.made.weekday()) % 7)
    if pointer < 0:
        day -= _WEEK
    elif pointer and day == tokens.made:
        day += _WEEK
    return tokens.stated(min(i, at), max(j, at), day, kind="weekday")


def _number(tokens: Tokens, i: int) -> int | None:
    """Return the weekday that a word names."""
    word = tokens.words[i]
    if word in words.WITH_FEIRA:
        return words.WEEKDAYS[word] if tokens.behind(i) == "feira" else None
    if word in words.SWEDISH_PAST:
        return words.SWEDISH_PAST[word] if tokens.before(i) == "i" else None
    return words.WEEKDAYS[word] if word in words.WEEKDAYS else _abbreviated(tokens, i)


def _abbreviated(tokens: Tokens, i: int) -> int | None:
    """Return the weekday of an abbreviation, which needs a preposition, a time or a day."""
    word, before, end = tokens.words[i], tokens.before(i), tokens.end(i)
    titled, english = tokens.is_titled(i), word in words.ENGLISH_ABBREVIATED
    if titled and before in words.GERMAN_BEHIND and word in words.GERMAN_ABBREVIATED:
        return words.GERMAN_ABBREVIATED[word]
    if (
        (english and before in words.ABBREVIATED_BEHIND)
        or (english and titled and _TIME_BEHIND.match(tokens.text, end))
        or (titled and _DAY_BEHIND.match(tokens.text, end))
    ):
        return words.ABBREVIATED.get(word)
    return None


def _dated(tokens: Tokens, i: int, j: int, number: int) -> Stated | None:
    """Read "Friday 14" and "Friday 14/10" if that day is such a weekday."""
    match = _DAY_BEHIND.match(tokens.text, tokens.end(j))
    if match is None:
        return None
    made = tokens.made
    days = _days(made, int(match["one"]), int(match["other"] or 0))
    fitting = [
        day for day in days if day.weekday() == number and _EARLIEST <= day - made <= _LATEST
    ]
    if not fitting:
        return None
    nearest = min(fitting, key=lambda day: (abs(day - made), day < made))
    return Stated(tokens.start(i), match.end(), nearest, nearest, "date", has_year=False)


def _days(made: date, one: int, other: int) -> Iterator[date]:
    """Yield what a day of a month, or a day and a month in any order, may mean near a day."""
    if other:
        orders = {(other, one), (one, other)}
        named = [(made.year + k, *order) for k in (-1, 0, 1) for order in orders]
    else:
        months = range(made.year * 12 + made.month - 2, made.year * 12 + made.month + 3)
        named = [(number // 12, number % 12 + 1, one) for number in months]
    for year, month, day in named:
        with suppress(ValueError):
            yield date(year, month, day)


def _week_behind(tokens: Tokens, i: int) -> tuple[int, int] | None:
    """Return the week of "Friday next week" as a distance, and where it ends."""
    j = i + 1
    while j < i + 4 and tokens.behind(i, j - i) in {"of", "de", "la", "der", "da", "in", "i"}:
        j += 1
    for at in (j, j + 1):
        unit = words.UNITS.get(tokens.behind(i, at - i))
        if unit and unit[0] == "week":
            pointer, where = tokens.pointer(at)
            return (pointer, max(at, where)) if pointer is not None else None
    return None


def _week_before(tokens: Tokens, i: int) -> tuple[int, int] | None:
    """Return the week of "next week on Friday" as a distance, and where it starts."""
    count = 2 if tokens.before(i) in {"on", "am", "pa", "le", "el"} else 1
    unit = words.UNITS.get(tokens.before(i, count))
    if not unit or unit[0] != "week":
        return None
    pointer, at = tokens.pointer(i - count)
    return (pointer, min(at, i - count)) if pointer is not None else None


def day_of_month(tokens: Tokens, i: int) -> Stated | None:
    """Read "on the 14th" and "am 14.", a day without its month."""
    number, end = int(tokens.words[i]), tokens.end(i)
    ordinal = _ORDINAL.match(tokens.text, end)
    german = None if ordinal else _GERMAN_ORDINAL.match(tokens.text, end)
    before = tokens.before(i) if ordinal or german else ""
    english = ordinal and before == "the" and tokens.before(i, 2) in words.BEFORE_THE_DAY
    if not (english or (german and before in words.GERMAN_BEFORE_DAY)):
        return None
    end = ordinal.end() if ordinal else end
    made, past = tokens.made, tokens.is_past(tokens.start(i), end)
    days = [day for day in _days(made, number, 0) if (day < made if past else day >= made)]
    if not days:
        return None
    nearest = days[-1] if past else days[0]
    return Stated(tokens.start(i), end, nearest, nearest, "date")
