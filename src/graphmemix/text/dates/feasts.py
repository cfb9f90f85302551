"""Feasts of other calendars than the Christian and the American one, by name and year.

The Hebrew calendar is arithmetic and exact. Islamic months start when somebody sees the moon: the
tabular calendar is a day off at times, hence a day more on either side. What follows the Chinese
and the Hindu calendars is in a table; for years that it lacks, a feast is no date.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

from graphmemix.text.dates.holidays import fixed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_DAY = timedelta(days=1)
_FIRST_YEAR = 2000  # of the tables

# Month and day, year by year from 2000. The Chinese ones are those of new moons and solar terms in
# Beijing. In Hanoi the year 2007 and the year 2030 began a day earlier: the period has that day.
_LUNAR_NEW_YEAR = """
02-05 01-24 02-12 02-01 01-22 02-09 01-29 02-18 02-07 01-26
02-14 02-03 01-23 02-10 01-31 02-19 02-08 01-28 02-16 02-05
01-25 02-12 02-01 01-22 02-10 01-29 02-17 02-06 01-26 02-13
02-03 01-23 02-11 01-31 02-19 02-08
"""
_MID_AUTUMN = """
09-12 10-01 09-21 09-11 09-28 09-18 10-06 09-25 09-14 10-03
09-22 09-12 09-30 09-19 09-08 09-27 09-15 10-04 09-24 09-13
10-01 09-21 09-10 09-29 09-17 10-06 09-25 09-15 10-03 09-22
09-12 10-01 09-19 09-08 09-27 09-16
"""
# The night of Lakshmi Puja, and the day of colours; regions of India differ by a day.
_DIWALI = """
10-26 11-14 11-04 10-25 11-12 11-01 10-21 11-09 10-28 10-17
11-05 10-26 11-13 11-03 10-23 11-11 10-30 10-19 11-07 10-27
11-14 11-04 10-24 11-12 10-31 10-20 11-08 10-29 10-17 11-05
10-26 11-14 11-02 10-22 11-10 10-30
"""
_HOLI = """
03-20 03-10 03-29 03-18 03-07 03-26 03-15 03-04 03-22 03-11
03-01 03-20 03-08 03-27 03-17 03-06 03-24 03-13 03-02 03-21
03-10 03-29 03-18 03-08 03-25 03-14 03-04 03-22 03-11 03-01
03-20 03-09 03-27 03-16 03-05 03-24
"""


def _listed(table: str, margin: int = 0) -> Callable[[int], tuple[date, int] | None]:
    """Return the day of a table, with as many days before as behind it."""
    by_year = {
        year: date.fromisoformat(f"{year}-{day}")
        for year, day in enumerate(table.split(), _FIRST_YEAR)
    }

    def on(year: int) -> tuple[date, int] | None:
        day = by_year.get(year)
        return (day - margin * _DAY, 2 * margin + 1) if day else None

    return on


def _elapsed(year: int) -> int:
    """Return the days of the Hebrew calendar before the new moon that starts a year.

    Reingold and Dershowitz, Calendrical Calculations, ch. 8; so is `rosh_hashanah`.
    """
    months = (235 * year - 234) // 19
    day = 29 * months + (12084 + 13753 * months) // 25920
    return day + 1 if 3 * (day + 1) % 7 < 3 else day


def rosh_hashanah(year: int) -> date:
    """Return the first day of the Hebrew year that starts in this year."""
    hebrew = year + 3761
    before, this, after = (_elapsed(hebrew + k) for k in (-1, 0, 1))
    delay = 2 if after - this == 356 else int(this - before == 382)
    return date.fromordinal(this + delay - 1373427)


# Hebrew days begin with the evening before, and so do feasts: the Seder, the first candle. That
# day counts, too.
def _hebrew(offset: int, count: int) -> Callable[[int], tuple[date, int]]:
    return lambda year: (rosh_hashanah(year) + (offset - 1) * _DAY, count + 1)


def _hanukkah(year: int) -> tuple[date, int]:
    start = rosh_hashanah(year)
    # The second month has 30 days in years of 355 and 385 days, and 29 in the others.
    is_long = (rosh_hashanah(year + 1) - start).days % 10 == 5
    return start + (82 + is_long) * _DAY, 9


def _orthodox_easter(year: int) -> tuple[date, int]:
    """Return its four days, as of Easter (Meeus, Astronomical Algorithms, ch. 8)."""
    moon = (19 * (year % 19) + 15) % 30
    to_sunday = (2 * (year % 4) + 4 * (year % 7) - moon + 34) % 7
    month, day = divmod(moon + to_sunday + 114, 31)
    ahead = year // 100 - year // 400 - 2  # days between the Julian calendar and ours
    return date(year, month, day + 1) + (ahead - 2) * _DAY, 4


def _midsummer(year: int) -> tuple[date, int]:
    """Return the Swedish one: its eve is the Friday of 19 to 25 June."""
    first = date(year, 6, 19)
    return first + (4 - first.weekday()) % 7 * _DAY, 2


def _kings_day(year: int) -> tuple[date, int]:
    """Return the Dutch one, until 2013 the Queen's; never on a Sunday."""
    day = date(year, 4, 27) if year >= 2014 else date(year, 4, 30)
    return (day - _DAY if day.weekday() == 6 else day), 1


FEASTS: Mapping[str, Callable[[int], tuple[date, int] | None]] = {
    "lunar new year": _listed(_LUNAR_NEW_YEAR, 1),
    "mid-autumn festival": _listed(_MID_AUTUMN),
    "diwali": _listed(_DIWALI, 1),
    "holi": _listed(_HOLI, 1),
    "passover": _hebrew(-163, 8),  # in the spring before
    "rosh hashanah": _hebrew(0, 2),
    "yom kippur": _hebrew(9, 1),
    "hanukkah": _hanukkah,
    "nowruz": fixed(3, 20, 2),  # the equinox, by the clock of Tehran
    "orthodox easter": _orthodox_easter,
    "midsummer": _midsummer,
    "bastille day": fixed(7, 14),
    "king's day": _kings_day,
    "st nicholas' eve": fixed(12, 5),  # the Dutch one
    "walpurgis night": fixed(4, 30),
    "national day of sweden": fixed(6, 6),
    "lucia": fixed(12, 13),
    "lucia day": fixed(12, 13),
}
"""First day and number of days, for a year; None if they are not known."""


def islamic_year(day: date) -> int:
    """Return the year of the tabular Islamic calendar."""
    return (30 * (day.toordinal() - 227015) + 10646) // 10631


def _islamic(month: int, day: int, count: int) -> Callable[[int], tuple[date, int]]:
    """Return days of an Islamic year, with the margin of a day on each side."""
    months = 29 * (month - 1) + (6 * month - 1) // 11

    def on(year: int) -> tuple[date, int]:
        years = 354 * (year - 1) + (3 + 11 * year) // 30
        return date.fromordinal(227014 + years + months + day - 1), count + 2

    return on


ISLAMIC: Mapping[str, Callable[[int], tuple[date, int]]] = {
    "ramadan": _islamic(9, 1, 30),
    "eid al-fitr": _islamic(10, 1, 3),
    "eid al-adha": _islamic(12, 10, 4),
}
"""The same by Islamic years, which are shorter: of ours, some have a feast twice."""
