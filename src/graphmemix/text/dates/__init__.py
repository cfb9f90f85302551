"""Dates in a question, as people write them, resolved to intervals.

English thoroughly; the basics in German, French, Spanish, Italian, Portuguese, Dutch and Swedish,
and in Japanese, Chinese and Korean (`east_asian`). No model, no guess by capitals alone: a grammar
over words reads what it knows and leaves the rest alone.

====================  ============================================================================
absolute              5 May 2023, 2023-05-05, May '22, Q2 2023, the 90s, late 2022, summer of 2022,
                      Easter 2022, the last Friday of June, the weekend of 14 July, week 23 of 2023
feasts                Diwali 2023, during Ramadan 2022, last Eid, at Hanukkah, midsommar 2022
without a year        in May, on May 5, at Christmas, in the summer: the latest that has started
relative              yesterday, last night, this week, next Friday, last summer, two weeks ago, a
                      few days ago, in the last three months, the week before last
narrowed              in May last year, Friday last week, the 5th of last month, Friday evening
ranges                between March and June 2023, from 3 to 7 May, since 2019, before Christmas
several readings      05/06/2023 and winter 2023 give two intervals under the same words
no date               recently, every Friday, the Friday, that summer, the next day, at 5 pm
====================  ============================================================================

"Three weeks ago" is the calendar's week three weeks back, and so for days, months and years. Weeks
start on Monday. "Last" is the latest that ended before today, "next" the first to start after it.
Seasons are those of the northern hemisphere (`calendar`). A feast that comes twice in a year is
both (`feasts`).

Languages differ in little of that. Portuguese "na segunda" is Monday, "na segunda semana" the
second week. Swedish "i fredags" and "i somras" are last Friday and last summer, "på fredag" is next
Friday. Dutch "voor" is "before", though it may mean "for". Italian "stanotte", Dutch "vannacht" and
Swedish "i natt" are the night that ends today.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from typing import TYPE_CHECKING, Final, NamedTuple

from graphmemix.record import by_clock
from graphmemix.text.dates.cursor import Cursor
from graphmemix.text.dates.dutch import DUTCH
from graphmemix.text.dates.east_asian import PeriodsFound, periods_in
from graphmemix.text.dates.east_asian_lexemes import has_characters
from graphmemix.text.dates.english import ENGLISH
from graphmemix.text.dates.french import FRENCH
from graphmemix.text.dates.german import GERMAN
from graphmemix.text.dates.italian import ITALIAN
from graphmemix.text.dates.lexicon import tokens
from graphmemix.text.dates.portuguese import PORTUGUESE
from graphmemix.text.dates.sentence import ALWAYS, FOREVER, RULES, read
from graphmemix.text.dates.sorts import Sort
from graphmemix.text.dates.spanish import SPANISH
from graphmemix.text.dates.swedish import SWEDISH

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from graphmemix.text.dates.lexicon import Token, Vocabulary
    from graphmemix.text.dates.sorts import Lexeme

__all__ = ["DateFound", "EARLIEST", "LATEST", "dates_of_any_year", "find_dates"]

EARLIEST = ALWAYS.replace(tzinfo=UTC)
"""The open side of "before 2015"."""

LATEST = FOREVER.replace(tzinfo=UTC)
"""The open side of "after 2015"."""

_LANGUAGES = (ENGLISH, GERMAN, FRENCH, SPANISH, DUTCH, SWEDISH, ITALIAN, PORTUGUESE)

# Dates without a year:
_MOST_YEARS: Final = 30  # the latest ones
_LONGEST: Final = timedelta(days=120)  # a season; "last year" has its year
# Two days of the question: what falls on the same days of the year for both depends on neither.
_PROBES: Final = (datetime(2024, 12, 31, tzinfo=UTC), datetime(2022, 5, 17, tzinfo=UTC))


class DateFound(NamedTuple):
    """Words that name a period: from `start` until before `end`, with time zones.

    Attributes:
        first: Where the words start in the text.
        last: Where they end.
        start: When the period starts.
        end: When it has ended.
    """

    first: int
    last: int
    start: datetime
    end: datetime


def find_dates(
    text: str,
    asked_at: datetime | None,
    *,
    names: Collection[str] = (),
    masked: Sequence[tuple[int, int]] = (),
) -> list[DateFound]:
    """Return the dates in a question, in order; several readings of the same words stand together.

    Linear in the text; never raises on any.

    Args:
        text: The question.
        asked_at: When it is asked, with a time zone. Without it, dates that depend on the day of
            the question are left out, and the others are in UTC.
        names: Words of people's names, without capitals: "from April" is no date if April is one.
        masked: Where longer names stand, which hold no date: "in May Street".
    """
    now = asked_at.replace(tzinfo=None, fold=0) if asked_at else None
    named = _in_words(text, now, names, masked)
    if has_characters(text):
        places = {place for first, last in masked for place in range(first, last)}
        others = _apart_from(places, periods_in(text, now, names))
        taken = {place for each in others for place in range(each.first, each.last)}
        named = sorted([*_apart_from(taken, named), *others], key=lambda each: each[:2])
    zone = (asked_at.tzinfo if asked_at else None) or UTC
    found = []
    for first, last, periods in named:
        for start, stop, _ in periods:
            moments = _moment(start, zone), _moment(stop, zone)
            if moments[0] < moments[1]:
                found.append(DateFound(first, last, *moments))
    return found


def _in_words(
    text: str, now: datetime | None, names: Collection[str], masked: Sequence[tuple[int, int]]
) -> list[PeriodsFound]:
    """Return the dates in languages that put spaces between words."""
    words = tokens(text)
    for vocabulary in _languages(words):
        lexemes = _masked(vocabulary.read(words), masked)
        cursor = Cursor(lexemes, now, rules=RULES, romance=vocabulary.romance, names=names)
        found = [
            PeriodsFound(lexemes[first].start, lexemes[end - 1].end, periods)
            for first, end, periods in read(cursor)
        ]
        if found:
            return found
    return []


def _apart_from(taken: set[int], found: Sequence[PeriodsFound]) -> list[PeriodsFound]:
    """Return what stands at other places of the text than these."""
    return [each for each in found if taken.isdisjoint(range(each.first, each.last))]


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


def _languages(words: Sequence[Token]) -> list[Vocabulary]:
    """Return the language that has most of the words; if some have them all, each of these."""
    used = {word.word for word in words if word.shape == "word"}
    known = [len(used & language.vocabulary) for language in _LANGUAGES]
    most = max(known)
    best = [language for language, n in zip(_LANGUAGES, known, strict=True) if n == most]
    return best if 0 < most == len(used) else best[:1]  # "i november"


def _masked(lexemes: list[Lexeme], masked: Sequence[tuple[int, int]]) -> list[Lexeme]:
    """Return the words with those at masked places as unknown ones."""
    spans = sorted(masked, reverse=True)
    for i, lexeme in enumerate(lexemes):
        while spans and spans[-1][1] <= lexeme.start:
            spans.pop()
        if spans and spans[-1][0] < lexeme.end:
            lexemes[i] = lexeme._replace(sort=Sort.OTHER)
    return lexemes


def _moment(naive: datetime, zone: tzinfo) -> datetime:
    """Return a moment on the zone's clock; the open sides of periods are on none."""
    return naive.replace(tzinfo=UTC) if naive in {ALWAYS, FOREVER} else by_clock(naive, zone)


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
