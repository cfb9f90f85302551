"""What a word can do in a date, in any language, and a word that was understood."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from graphmemix.text.dates.calendar import Period


class Sort(Enum):
    """What a word does in a date. Examples are English, unless other languages differ."""

    OTHER = auto()
    SIGN = auto()  # any that is not listed below
    COMMA = auto()
    DASH = auto()
    DOT = auto()
    SLASH = auto()
    POSSESSIVE = auto()  # 's
    NUMBER = auto()  # 3, three, a couple of, a few
    SHORT_YEAR = auto()  # '22
    ORDINAL = auto()  # 5th, fifth
    DATE = auto()  # 2023-05-05
    DECADE = auto()  # 90s
    MONTH = auto()
    WEEKDAY = auto()
    SEASON = auto()
    QUARTER = auto()  # Q2
    HOLIDAY = auto()
    UNIT = auto()  # week
    SPELL = auto()  # half a year, a fortnight
    DAY = auto()  # yesterday, tonight
    DAY_PART = auto()  # morning
    THIRD = auto()  # early, beginning of
    HALF = auto()
    WEEK_NUMBER = auto()  # KW, calendar week
    LAST = auto()
    PAST = auto()  # never the calendar unit: the past week
    THIS = auto()
    NEXT = auto()
    THIS_TIME = auto()  # "this time" before "last year"
    AGO = auto()
    AGO_FIRST = auto()  # German "vor" before "drei Wochen"
    FROM_NOW = auto()
    EARLIER = auto()  # "earlier" before "this year"
    LATER = auto()
    BEFORE = auto()
    AFTER = auto()
    SINCE = auto()
    UNTIL = auto()
    BY = auto()  # until, before full dates only
    BETWEEN = auto()
    FROM = auto()
    TO = auto()
    NOW = auto()  # after "until"
    ONWARDS = auto()  # after "from May"
    AND = auto()
    OR = auto()
    IN = auto()  # before anything
    ON = auto()  # before days and holidays
    OF = auto()
    THE = auto()
    OWNER = auto()  # my, their
    EVERY = auto()  # again and again, or not ours to resolve: every, that, Chinese
    COUNTED = auto()  # what numbers count: euros, people; or no date can stand before
    NUMBERED = auto()  # what has a number: room, order


class Lexeme(NamedTuple):
    """A word or phrase that was understood, and where it stands.

    Attributes:
        sort: What it does.
        word: As folded.
        number: Its value: of a number, a month, a day's distance from today, a year.
        high: The largest value of a vague number.
        name: The name of a unit, a holiday, a part; of other sorts, what else it does.
        weak: Ordinary words look the same ("may"); it needs more around it.
        plural: As in "Fridays".
        pointer: Whether it says "last", "this" or "next" itself, as Swedish "i somras" does.
        periods: What a numeric date may mean.
        start: Where it starts in the text.
        end: Where it ends.
        titled: Written with a capital that means something: not at the start of a sentence.
        touching: Nothing stands between it and the one before.
    """

    sort: Sort
    word: str = ""
    number: int = 0
    high: int = 0
    name: str = ""
    weak: bool = False
    plural: bool = False
    pointer: Sort = Sort.OTHER
    periods: tuple[Period, ...] = ()
    start: int = 0
    end: int = 0
    titled: bool = False
    touching: bool = False


END = Lexeme(Sort.SIGN)
"""Stands before the first and behind the last word."""
