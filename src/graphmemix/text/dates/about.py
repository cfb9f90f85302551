"""What time a memory is about: days and intervals that its words state.

=================  ===============================================================================
dates              14 July 2023, 14.07.2023, July 14 (the year that the day of writing suggests)
intervals          12-14 October, from 13 August to 15 August, check-in Fri 19 Apr, check-out Sun
                   21 Apr; 10. bis 17. Juli, du mardi 2 au vendredi 5 avril, del 3 al 7 de mayo
months             October 2023, in October
relative           today, tomorrow, on Friday, last Friday, this weekend, next week, 3 days ago
not               times, versions, prices, a lone year, every Friday, Monday to Friday 9-17, when
                   a quoted mail was sent
=================  ===============================================================================

English, German, French and Spanish; the basics in Italian, Dutch, Swedish and Portuguese, and in
Japanese, Chinese and Korean (`about_east_asian`). Unlike `find_dates`, which reads a question, this
looks forward: "on Friday" is the next one from the day of writing on, unless the sentence is in the
past tense.

Relative days and whole months are read here; `about_dates` reads dates by number and intervals,
`about_weekdays` weekdays.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import TYPE_CHECKING, Final, NamedTuple

from graphmemix.text.dates import about_weekdays
from graphmemix.text.dates import about_words as words
from graphmemix.text.dates.about_dates import LONGEST, joined, stated_dates
from graphmemix.text.dates.about_east_asian import with_east_asian
from graphmemix.text.dates.about_weekdays import Tokens
from graphmemix.text.dates.mentions import MONTHS, UNCLEAR_MONTHS, without_sent_lines
from graphmemix.text.folding import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from datetime import datetime

    from graphmemix.text.dates.about_stated import Stated

__all__ = ["About", "about_days"]

MOST: Final = 24
LONGEST_TEXT: Final = 20_000  # characters
_YEARS: Final = range(1900, 2101)
_BEFORE_DATE = re.compile(r"[\s,.(]{1,3}(?:(?:the|den|der|dem|le|el|il|om|de|d|am|on)\s{1,2})?")
_AFTER_DATE = re.compile(r"[ ,(]{1,3}")
_OTHER_MONTH = re.compile(
    r"\s?(?:[-–/]|\b(?:to|bis|a|au|until|till|through|hasta|al|tot|and|und|et|y|e)\s)\s?"
    r"(?P<month>[a-z]{3,10})\s{1,2}(?:de\s|of\s)?(?P<year>[0-9]{4})(?![0-9])"
)
_HALF_MONTH = timedelta(days=15)
_FIRST_YEAR, _LAST_YEAR = 1900, 2100


class About(NamedTuple):
    """Days from `first` to `last`, both included."""

    first: date
    last: date


def about_days(text: str, made: datetime | None) -> tuple[About, ...]:
    """Return the days and intervals that a text states, ascending and distinct.

    At most 24, those that are written first; of at most 92 days each. Linear in the text, of which
    20,000 characters are read; never raises.

    Args:
        text: The words of a memory.
        made: When it was written or taken, on the writer's clock. Without it, relative dates and
            those without a year are left out, unless another date settles the year.
    """
    read = without_sent_lines(plain(text[:LONGEST_TEXT]))
    day = made.date() if made and made.year in _YEARS else None
    stated = with_east_asian(read, day, stated_dates(read, day))
    if day:
        stated += relative_days(read, day, stated)
        stated.sort(key=lambda each: each[:2])
    found: dict[About, None] = {}
    for each in joined(stated, read.lower()):
        if (each.last - each.first).days >= LONGEST:
            ends = {each.first, each.last}
            found |= dict.fromkeys(About(end, end) for end in sorted(ends))
            continue
        found[About(each.first, each.last)] = None
        if each.other:
            found[About(each.other, each.other)] = None
    return tuple(sorted(list(found)[:MOST]))


def relative_days(text: str, made: date, dates: Sequence[Stated]) -> list[Stated]:
    """Return the days that depend on the day of writing, and whole months, in order.

    Args:
        text: What `plain` made.
        made: The day of writing.
        dates: Those found by their number, in order; their weekdays are not read again.
    """
    tokens = Tokens(text, made, dates)
    read: list[Stated] = []
    for i, word in enumerate(tokens.words):
        if word not in _READERS_OF:
            continue
        if (read and tokens.start(i) < read[-1].end) or _is_dated(tokens, i):
            continue
        readings = (reader(tokens, i) for reader in _READERS_OF[word])
        if found := next(filter(None, readings), None):
            if read and found.start <= read[-1].start:  # "next week" of "next week on Friday"
                read.pop()
            read.append(found)
    return read


def _is_dated(tokens: Tokens, i: int) -> bool:
    """Return whether a word is part of a date, or a weekday beside one."""
    before, behind = tokens.dates_around(i)
    start, end = tokens.start(i), tokens.end(i)
    if before and before.end > start:
        return True
    if tokens.words[i] not in about_weekdays.ANCHORS:
        return False
    if behind and _BEFORE_DATE.fullmatch(tokens.text, end, behind.start):
        return True
    return bool(
        before
        and tokens.text[before.end - 1] != "."
        and _AFTER_DATE.fullmatch(tokens.text, before.end, start)
    )


def _phrase(tokens: Tokens, i: int) -> Stated | None:
    """Read "the day after tomorrow", "pasado mañana"."""
    for phrase, days in words.PHRASES.items():
        count = len(phrase)
        if tokens.words[i] == phrase[-1] and all(
            tokens.before(i, k) == phrase[-1 - k] for k in range(1, count)
        ):
            return tokens.stated(i - count + 1, i, tokens.made + timedelta(days=days))
    return None


def _day(tokens: Tokens, i: int) -> Stated | None:
    """Read "tomorrow"; not "guten Morgen", "por la mañana" and German "hier"."""
    word, before = tokens.words[i], tokens.before(i)
    if word == "hier" and not tokens.is_french():
        return None
    if word in words.NOT_TOMORROW and (
        before in words.NOT_TOMORROW[word] or before in words.WEEKDAYS or before in words.THIS
    ):
        return None
    return tokens.stated(i, i, tokens.made + timedelta(days=words.DAYS[word]))


def _day_part(tokens: Tokens, i: int) -> Stated | None:
    """Read "this morning", "last night", "ce soir"."""
    pointer, at = tokens.pointer(i)
    if pointer is None or pointer > 0:
        return None
    return tokens.stated(min(i, at), max(i, at), tokens.made + timedelta(days=pointer))


def _unit(tokens: Tokens, i: int) -> Stated | None:
    unit, language = words.UNITS[tokens.words[i]]
    if unit == "week" and tokens.before(i) == "de" and tokens.before(i, 2) in {"fin", "fim"}:
        return _pointed(tokens, i - 2, i, "weekend")
    if tokens.words[i] == "week" and tokens.behind(i) == "end":
        return _pointed(tokens, i, i + 1, "weekend")
    return _counted(tokens, i, unit, language) or _pointed(tokens, i, i, unit)


def _counted(tokens: Tokens, i: int, unit: str, language: str) -> Stated | None:
    """Read "in two days", "3 weeks ago", "vor drei Tagen"."""
    number, before, further = (tokens.before(i, k) for k in (1, 2, 3))
    count = words.NUMBERS.get(number, 0)
    if number.isdigit() and len(number) < 3:
        count = int(number)
    if not count or unit == "weekend" or before in {"once", "twice", "times"}:
        return None
    behind = tokens.behind(i)
    if behind in words.AGO or before in words.BEFORE_AGO or (before, further) == ("a", "y"):
        return _shifted(tokens, i - 1, i, unit, -count)
    ahead = (before, language) in words.AHEAD or (before, further) in words.AHEAD_OF_TWO
    if ahead or (behind == "from" and tokens.behind(i, 2) in {"now", "today"}):
        return _shifted(tokens, i - 1, i, unit, count)
    return None


def _shifted(tokens: Tokens, first: int, last: int, unit: str, distance: int) -> Stated:
    if unit == "day":
        return tokens.stated(first, last, tokens.made + timedelta(days=distance))
    if unit == "week":
        return tokens.stated(first, last, tokens.monday(distance), 7, "week")
    if unit == "weekend":
        return tokens.stated(first, last, tokens.monday(distance) + timedelta(days=5), 2, "week")
    number = tokens.made.year * 12 + tokens.made.month - 1 + distance
    return _whole(tokens, first, last, _first_of(number // 12, number % 12 + 1))


def _pointed(tokens: Tokens, first: int, last: int, unit: str) -> Stated | None:
    """Read "next week", "this weekend", "le mois dernier"; "at the weekend" is this one."""
    pointer, at = tokens.pointer(last)  # behind the last word, or before the first one
    if pointer is None or (first < last and at < last):
        pointer, at = tokens.pointer(first)
    if pointer is None and unit == "weekend" and tokens.before(first) in words.BEFORE_WEEKEND:
        pointer, at = 0, last
    if unit == "day" or pointer is None or tokens.behind(last) == "of":
        return None
    if pointer == 0 and unit == "weekend" and tokens.made.weekday() < 3:
        past = tokens.is_past(tokens.start(first), tokens.end(last))
        pointer = -1 if past else 0
    return _shifted(tokens, min(first, at), max(last, at), unit, pointer)


def _week_number(tokens: Tokens, i: int) -> Stated | None:
    """Read "KW 23" and "vecka 32" as the nearest such week."""
    number = tokens.behind(i)
    if not number.isdigit() or len(number) > 2 or not 1 <= int(number) <= 52:
        return None
    years = range(tokens.made.year - 1, tokens.made.year + 2)
    mondays = [date.fromisocalendar(year, int(number), 1) for year in years]
    nearest = min(mondays, key=lambda day: abs(day - tokens.made))
    return tokens.stated(i, i + 1, nearest, 7, "week")


def _month(tokens: Tokens, i: int) -> Stated | None:
    """Read "October 2023", "in October" and the first month of "May to July 2023"."""
    word = tokens.words[i]
    if word in UNCLEAR_MONTHS and not tokens.is_titled(i):
        return None
    if found := _year_behind(tokens, i):
        return _whole(tokens, i, found[1], _first_of(found[0], MONTHS[word]))
    if tokens.behind(i).isdigit() or word in words.TOO_SHORT:
        return None
    if found := _month_and_year(tokens, i):
        earlier = MONTHS[word] > found[1]
        return _whole(tokens, i, i, _first_of(found[0] - earlier, MONTHS[word]))
    return _nearest_month(tokens, i) if tokens.before(i) in words.BEFORE_MONTHS else None


def _month_and_year(tokens: Tokens, i: int) -> tuple[int, int] | None:
    """Return year and month of the other end of "May to July 2023"."""
    match = _OTHER_MONTH.match(tokens.text, tokens.end(i))
    if match is None or match["month"] not in MONTHS:
        return None
    year = int(match["year"])
    return (year, MONTHS[match["month"]]) if _FIRST_YEAR <= year <= _LAST_YEAR else None


def _year_behind(tokens: Tokens, i: int) -> tuple[int, int] | None:
    """Return the year behind a month, and where it stands."""
    count = 2 if tokens.behind(i) in {"of", "de", "del"} else 1
    digits = tokens.behind(i, count)
    if len(digits) == 4 and digits.isdigit() and _FIRST_YEAR <= int(digits) <= _LAST_YEAR:
        return int(digits), i + count
    return None


def _nearest_month(tokens: Tokens, i: int) -> Stated:
    made, number, (pointer, _) = tokens.made, MONTHS[tokens.words[i]], tokens.pointer(i)
    firsts = [_first_of(made.year + k, number) for k in (-1, 0, 1)]
    if pointer == -1:
        firsts = [day for day in firsts if day < made.replace(day=1)][-1:]
    elif pointer == 1:
        firsts = [day for day in firsts if day > made][:1]
    nearest = min(firsts, key=lambda day: abs(day + _HALF_MONTH - made))
    return _whole(tokens, i - 1, i, nearest)


def _first_of(year: int, month: int) -> date:
    return date(year, month, 1)


def _whole(tokens: Tokens, i: int, j: int, first: date) -> Stated:
    """Return the month that starts with a day."""
    following = (first + timedelta(days=31)).replace(day=1)
    return tokens.stated(i, j, first, (following - first).days, "month")


_NUMBERS = frozenset(str(number) for number in range(1, 32))
_READERS: tuple[tuple[Collection[str], Callable[[Tokens, int], Stated | None]], ...] = (
    (words.PHRASE_ENDS, _phrase),
    (words.DAYS, _day),
    (words.DAY_PARTS, _day_part),
    (about_weekdays.ANCHORS, about_weekdays.weekday),
    (words.UNITS, _unit),
    (frozenset({"kw", "vecka"}), _week_number),
    (MONTHS, _month),
    (_NUMBERS, about_weekdays.day_of_month),
)
_READERS_OF = {
    word: tuple(read for anchors, read in _READERS if word in anchors)
    for listed, _ in _READERS
    for word in listed
}
