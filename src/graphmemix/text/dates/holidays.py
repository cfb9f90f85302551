"""Holidays that most calendars of the Christian and the American year have, by name and year.

Thanksgiving, Labor Day, Memorial Day, Mother's and Father's Day are the American ones. A few free
days of Japan and China are fixed in the same calendar. Feasts of other calendars are in `feasts`.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def easter(year: int) -> date:
    """Return Easter Sunday in the Gregorian calendar (Meeus, Astronomical Algorithms, ch. 8)."""
    century, rest = divmod(year, 100)
    golden = year % 19
    skipped = century - century // 4 - (century - (century + 8) // 25 + 1) // 3
    epact = (19 * golden + skipped + 15) % 30
    to_sunday = (32 + 2 * (century % 4) + 2 * (rest // 4) - epact - rest % 4) % 7
    late = (golden + 11 * epact + 22 * to_sunday) // 451
    month, day = divmod(epact + to_sunday - 7 * late + 114, 31)
    return date(year, month, day + 1)


def _from_easter(offset: int, count: int = 1) -> Callable[[int], tuple[date, int]]:
    return lambda year: (easter(year) + timedelta(days=offset), count)


def fixed(month: int, day: int, count: int = 1) -> Callable[[int], tuple[date, int]]:
    """Return days that start on the same date every year."""
    return lambda year: (date(year, month, day), count)


def _nth(nth: int, weekday: int, month: int, offset: int = 0) -> Callable[[int], tuple[date, int]]:
    """Return the nth weekday of a month, some days later."""

    def on(year: int) -> tuple[date, int]:
        first = date(year, month, 1)
        ahead = (weekday - first.weekday()) % 7 + 7 * (nth - 1) + offset
        return first + timedelta(days=ahead), 1

    return on


def _new_year(year: int) -> tuple[date, int]:
    return date(year, 1, 1) - timedelta(days=1), 2


def _memorial_day(year: int) -> tuple[date, int]:
    last = date(year, 5, 31)
    return last - timedelta(days=last.weekday()), 1


HOLIDAYS: Mapping[str, Callable[[int], tuple[date, int]]] = {
    "christmas": fixed(12, 24, 3),
    "christmas eve": fixed(12, 24),
    "christmas day": fixed(12, 25),
    "boxing day": fixed(12, 26),
    "christmas holidays": fixed(12, 20, 18),
    "new year": _new_year,
    "new year's eve": fixed(12, 31),
    "new year's day": fixed(1, 1),
    "epiphany": fixed(1, 6),
    "valentine's day": fixed(2, 14),
    "st patrick's day": fixed(3, 17),
    "carnival": _from_easter(-51, 5),
    "ash wednesday": _from_easter(-46),
    "palm sunday": _from_easter(-7),
    "holy week": _from_easter(-7, 8),
    "good friday": _from_easter(-2),
    "easter": _from_easter(-2, 4),
    "easter eve": _from_easter(-1),
    "easter sunday": _from_easter(0),
    "easter monday": _from_easter(1),
    "ascension": _from_easter(39),
    "pentecost": _from_easter(49, 2),
    "mother's day": _nth(2, 6, 5),
    "memorial day": _memorial_day,
    "father's day": _nth(3, 6, 6),
    "independence day": fixed(7, 4),
    "assumption": fixed(8, 15),
    "labor day": _nth(1, 0, 9),
    "halloween": fixed(10, 31),
    "all saints' day": fixed(11, 1),
    "thanksgiving": _nth(4, 3, 11),
    "first days of january": fixed(1, 1, 3),
    "turn of the year": fixed(12, 28, 8),
    "golden week": fixed(4, 29, 7),
    "obon": fixed(8, 13, 4),
    "workers' day": fixed(5, 1),
    "national day of china": fixed(10, 1, 7),
    "black friday": _nth(4, 3, 11, 1),
    "cyber monday": _nth(4, 3, 11, 4),
}
"""First day and number of days, for a year."""
