"""Parses the lines of a WhatsApp export: date, sender and text, in the phone's regional format.

An iPhone writes ``[14.07.23, 21:22:39] Anna: text``, an Android phone ``7/14/23, 9:22 PM - Anna:
text``. Digits, separators, the order of day and month and the words for AM and PM depend on the
phone's region, which the file does not state.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet

MARKS = "\u200e\u200f\u202a\u202b\u202c\u2066\u2067\u2068\u2069\ufeff"
"""Invisible direction marks that WhatsApp puts before dates, names and notes."""

_DATE = (
    r"(?P<a>\d{1,4})(?:[/\-]|\.[ ]?|[年년][ ]?)(?P<b>\d{1,2})(?:[/\-]|\.[ ]?|[月월][ ]?)"
    r"(?P<c>\d{1,4})[.日일]?"
)
_TIME = r"(?P<hour>\d{1,2})[:.h](?P<minute>\d{2})(?:[:.](?P<second>\d{2}))?"
# Each letter can match in one way only: with two, a failing match takes 2^16 steps.
_LETTER = r"(?:[^\W\d_]|(?![^\W\d_])[\u0900-\u0963])"
_HALF = rf"{_LETTER}(?:\.?[ ]?{_LETTER}){{0,7}}\.?[ ]?\.?"  # AM, p. m., 오후, अपराह्न
_WHEN = (
    rf"{_DATE}(?:[ ]BE)?[,،]?[ ]+(?:(?:klo|kl\.|um|at|à|às|alle|las|u)[ ])?"
    rf"(?:(?P<before>{_HALF})[ ]?)?{_TIME}(?:[ ]?(?P<after>{_HALF}))?"
)
_HEADER = re.compile(
    rf"(?:\[{_WHEN}\][ ]?"
    rf"|{_WHEN.replace('?P<', '?P<d_')}[ ]-[ ]"
    rf"|{_WHEN.replace('?P<', '?P<o_')}:[ ](?=[^:]{{1,80}}:[ ])"
    rf"|{_WHEN.replace('?P<', '?P<k_')},[ ](?=[^:]{{1,80}}[ ]:[ ]))"  # 오후 6:05, 홍길동 : 안녕
)
_SPACES = str.maketrans(dict.fromkeys("\u00a0\u202f\u2009\u2007\u3000", " "))
_MARKS = str.maketrans(dict.fromkeys(MARKS))
_SENDER = re.compile(r"(?P<sender>[^:\"“„«]{1,100}?):(?:[ ]|$|(?=\n))(?P<text>.*)", re.DOTALL)

_MORNING = frozenset({
    "am", "vorm", "dop", "fm", "ip", "ص", "قظ", "上午", "午前", "凌晨", "早上", "清晨", "오전",
    "πμ", "öö", "sa", "de", "पूर्वाह्न", "pg", "pd", "eparadites",
})  # fmt: skip
_EVENING = frozenset({
    "pm", "nachm", "odp", "em", "م", "بظ", "下午", "午後", "晚上", "中午", "오후",
    "μμ", "ös", "ch", "du", "अपराह्न", "ptg", "tgh", "md", "epasdites",
})  # fmt: skip
_LONGEST_HEADER = 200  # characters: a date, and in the oldest form a name behind it
_FIRST_YEAR, _LAST_YEAR = 2009, 2100
_BUDDHIST = 543  # years ahead

DateParts = tuple[int, int, int]
"""The three numbers of a date, in the order of the file."""
Order = tuple[int, int, int]
"""The positions of year, month and day in the date."""

_DMY: Order = (2, 1, 0)
_MDY: Order = (2, 0, 1)
_YMD: Order = (0, 1, 2)
_YDM: Order = (0, 2, 1)
_SHORTER = 4  # times shorter that a chat must be with the year first, to tell by that alone


@dataclass(frozen=True)
class ChatLine:
    """The first line of a message.

    Attributes:
        date: The numbers of its date.
        hour: 0 to 23.
        minute: 0 to 59.
        second: 0 to 59.
        american: Whether the time has AM or PM in capitals, as in the United States.
        rest: The rest of the line, with its invisible marks.
    """

    date: DateParts
    hour: int
    minute: int
    second: int
    american: bool
    rest: str

    def clock(self, order: Order) -> datetime | None:
        """Return the local time of the phone; None if there is no such day."""
        year, month, day = (self.date[i] for i in order)
        try:
            return datetime(_full_year(year), month, day, self.hour, self.minute, self.second)  # noqa: DTZ001
        except ValueError:
            return None


class Split(NamedTuple):
    """Sender and text; a system message has no sender."""

    sender: str
    text: str


def parse_line(line: str) -> ChatLine | None:
    """Return the first line of a message; None if this line continues one."""
    line = line.rstrip("\r\n").lstrip(MARKS)
    if not (line[:1] == "[" or line[:1].isdigit()):
        return None
    match = _HEADER.match(line[:_LONGEST_HEADER].translate(_SPACES))
    if match is None:  # there may be marks within the date
        line = line[:_LONGEST_HEADER].translate(_MARKS) + line[_LONGEST_HEADER:]
        match = _HEADER.match(line[:_LONGEST_HEADER].translate(_SPACES))
    if match is None:
        return None
    found = {k.rpartition("_")[2]: v for k, v in match.groupdict().items() if v}
    hour = _hour(int(found["hour"]), found.get("before", ""), found.get("after", ""))
    minute, second = int(found["minute"]), int(found.get("second", "0"))
    if hour is None or minute > 59 or second > 59:
        return None
    american = found.get("after", "") in {"AM", "PM"}
    date = (int(found["a"]), int(found["b"]), int(found["c"]))
    return ChatLine(date, hour, minute, second, american, line[match.end() :])


def split_sender(rest: str, people: AbstractSet[str] = frozenset()) -> Split:
    """Split a message into sender and text.

    Args:
        rest: What stands behind the date.
        people: Known senders: their names need no blank behind the colon.
    """
    match = _SENDER.match(rest)
    if match is None:
        name, colon, text = rest.partition(":")
        known = bool(colon) and _name(name) in people
        return Split(_name(name), text) if known else Split("", rest.strip())
    return Split(_name(match["sender"]), match["text"])


def _name(written: str) -> str:
    return written.translate(_MARKS).strip().removeprefix("~").strip()


def date_order(lines: Sequence[ChatLine]) -> tuple[Order, bool]:
    """Return the order of day, month and year, and whether it is certain.

    Orders that yield impossible days are excluded. Then the order counts in which messages are
    chronological; then regional habits: the day comes first, unless the clock has AM and PM in
    capitals and the year two digits, as in the United States. If each number has two digits, the
    year may come first: it does if only so the days are possible, or if the chat is then a matter
    of weeks and otherwise of years.
    """
    if not lines:
        return _DMY, False
    best, certain = _best(lines, _by_habit(lines))
    if max(max(line.date) for line in lines) > 99 or max(line.date[0] for line in lines) > 31:
        return best, certain
    first, first_certain = _best(lines, (_YMD, _YDM))
    faults, first_faults = sum(_faults(lines, best)), sum(_faults(lines, first))
    if first_faults < faults:
        return first, first_certain
    if first_faults == faults:
        is_shorter = _SHORTER * _span(lines, first) < _span(lines, best)
        return (first, False) if is_shorter else (best, certain)
    return best, certain


def _by_habit(lines: Sequence[ChatLine]) -> tuple[Order, ...]:
    first = lines[0]
    if max(line.date[0] for line in lines) > 31:
        return (_YMD, _YDM)
    american = first.american and first.date[2] < 100
    return (_MDY, _DMY) if american else (_DMY, _MDY)


def _best(lines: Sequence[ChatLine], orders: Sequence[Order]) -> tuple[Order, bool]:
    """Return the order with the fewest faults, the first of several; whether it is alone so."""
    scored = sorted((*_faults(lines, order), rank, order) for rank, order in enumerate(orders))
    year_first = scored[0][3] == _YMD  # the other one is not known to be in use
    return scored[0][3], year_first or scored[0][:2] != scored[1][:2]


def _faults(lines: Sequence[ChatLine], order: Order) -> tuple[int, int]:
    return _impossible(lines, order), _backwards(lines, order)


def _span(lines: Sequence[ChatLine], order: Order) -> int:
    """Return how many days a chat takes up."""
    days = [clock.date() for line in lines if (clock := line.clock(order)) is not None]
    return (max(days) - min(days)).days if days else 0


def _impossible(lines: Iterable[ChatLine], order: Order) -> int:
    return sum(
        (clock := line.clock(order)) is None or not _FIRST_YEAR <= clock.year <= _LAST_YEAR
        for line in lines
    )


def _backwards(lines: Iterable[ChatLine], order: Order) -> int:
    clocks = [clock for line in lines if (clock := line.clock(order)) is not None]
    return sum(later.date() < earlier.date() for earlier, later in pairwise(clocks))


def _full_year(year: int) -> int:
    if year < 100:
        return 2000 + year
    return year - _BUDDHIST if year > 2400 else year


def _hour(hour: int, before: str, after: str) -> int | None:
    """Return the hour of the day; None if it is impossible or the AM/PM word is unknown."""
    words = "".join((before or after).lower().replace(".", "").split())
    if not words:
        return hour if hour < 24 else None
    if words in _MORNING:
        return hour % 12 if hour <= 12 else None
    if words in _EVENING:
        return hour % 12 + 12 if hour <= 23 else None
    return None
