"""Calendar dates that are written in a text.

=========================  =====================================================================
ISO and the like           2023-07-14, 2023/7/14, 2023.07.14
day, month                 14 July 2023, 14th of July, 14. Juli 2023, 14 de julio de 2023,
                           14-Jul-23, 14JUL23; a range such as 14-16 July gives both ends
month, day                 July 14, 2023; July 14-16
numbers                    14.07.2023, 14.07.23; 07/14/2023, 14-07-2023, 7/14/23. If day and month
                           cannot be told apart, both readings are returned; points mean day first.
Chinese, Japanese, Korean  2023年7月14日, 7月14号, 2023년 7월 14일; 7月14日〜16日 gives both ends
=========================  =====================================================================

Months are known in English, German, French, Spanish, Italian, Dutch, Portuguese and Swedish. More
forms in Chinese, Japanese and Korean are in `about_east_asian`. A date without a year gets the year
that brings it nearest to a given day; without such a day it is passed over. `without_sent_lines`
drops the lines that say when a quoted or forwarded mail was sent. Every repetition in the patterns
is bounded, so that the time is linear in the text.
"""

from __future__ import annotations

import re
from datetime import MAXYEAR, date
from typing import TYPE_CHECKING, NamedTuple

from graphmemix.text.dates.east_asian_lexemes import DAYS_OF_MONTH

if TYPE_CHECKING:
    from collections.abc import Iterator

_YEARS = range(1900, 2101)
_LEAP_CYCLE = 8  # years between 29 Februaries at most

# Names, then abbreviations.
_NAMES = """
january januar janner janvier enero gennaio januari janeiro
february februar fevrier febrero febbraio februari fevereiro
march marz maerz mars marzo maart marco marts
april avril abril aprile
may mai mayo maggio mei maio maj
june juni juin junio giugno junho
july juli juillet julio luglio julho
august aout agosto augustus augusti
september septembre septiembre setiembre settembre setembro
october oktober octobre octubre ottobre outubro
november novembre noviembre novembro
december dezember decembre diciembre dicembre dezembro
"""
_SHORT = """
jan janv ene gen
feb fev fevr febr
mar mrz mrt
apr avr abr
mag
jun giu
jul juil lug
aug ago
sep sept set
oct okt ott out
nov
dec dez dic
"""
MONTHS = {
    word: number
    for table in (_NAMES, _SHORT)
    for number, line in enumerate(table.strip().splitlines(), 1)
    for word in line.split()
}
"""Names and abbreviations of months in all these languages, without accents."""

_ENGLISH_WORDS = """
january february march april may june july august september october november december
jan feb mar apr jun jul aug sep sept oct nov dec
"""
_ENGLISH = frozenset(_ENGLISH_WORDS.split())
# Without a year these are dates only as "14 juillet", not as "5 may" or "5 out".
_CLEAR = frozenset(_NAMES.split()) - {"may", "march", "marco"}
UNCLEAR_MONTHS = frozenset(MONTHS) - _CLEAR - (_ENGLISH - {"may", "march"})
"""Words of `MONTHS` that are ordinary words as well, or too short to mean a month alone."""

# Patterns are tried where a number begins; the first of these must not be part of a longer one.
# A set of characters comes first, so that the engine passes over all others at once.
_NUMBER = re.compile(r"[0-9](?<![0-9][0-9])(?<![0-9][.,:/-][0-9])[0-9]{0,3}(?![0-9])")
_DAY_MONTH = re.compile(
    r"(?:(?P<first>[0-9]{1,2})\.?\s?(?:[-–—/+&]|to|bis|au|al|tot|and|und|et|y|e|en)\s?)?"
    r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th|er|[.ºª°])?"
    r"[\s/-]{0,3}(?:(?:of|de|di|do)\s{1,2})?"
    r"(?P<month>[A-Za-z]{3,10})(?![A-Za-z])\.?"
    r"(?:(?:,?[\s/-]{0,3}(?:(?:de|del|do|of)\s{1,2})?(?P<year>[0-9]{4})(?![0-9]))"
    r"|(?:(?:(?<=[A-Za-z])-?|\s?')(?P<short>[0-9]{2})(?![0-9:])))?"
)
_MONTH_BEHIND = re.compile(r"\s?(?P<month>[A-Za-z]{3,10})(?![A-Za-z])")
_MONTH_BEFORE = re.compile(r"(?<![A-Za-z])(?P<month>[A-Za-z]{3,10})\.?\s{1,3}(?:the\s)?\Z")
_DAY_AFTER = re.compile(
    r"(?P<first>[0-9]{1,2})(?:st|nd|rd|th)?"
    r"(?:\s?[-–—]\s?(?P<day>[0-9]{1,2})(?:st|nd|rd|th)?)?"
    r"(?:(?:,\s{0,3}|\s{1,3})(?P<year>[0-9]{4})(?![0-9])|(?![0-9A-Za-z/]|[.,:-][0-9]))"
)
_YEAR_FIRST = re.compile(
    r"(?P<year>[0-9]{4})(?P<mark>[-/.])(?P<month>[0-9]{1,2})(?P=mark)(?P<day>[0-9]{1,2})"
    r"(?![0-9]|[./-][0-9])"
)
_POINTS = re.compile(
    r"(?P<day>[0-9]{1,2})\.\s?(?P<month>[0-9]{1,2})\.\s?"
    r"(?:(?P<year>[0-9]{4})|(?<=[0-9]{2}\.[0-9]{2}\.)(?P<short>[0-9]{2}))(?![0-9]|\.[0-9])"
)
_POINTS_WITHOUT_YEAR = re.compile(r"(?P<day>[0-9]{1,2})\.(?P<month>[0-9]{1,2})\.(?!\s?[0-9]{2})")
_GERMAN_BEFORE = re.compile(
    r"\b(?:am|vom|bis|zum|ab|den|mo|di|mi|do|fr|sa|so|[a-z]{3,7}tag|mittwoch)"
    r"[.,]{0,2}\s{1,2}(?:den\s)?\Z",
    re.IGNORECASE,
)
_EITHER_WAY = re.compile(
    r"(?P<one>[0-9]{1,2})(?:/(?P<slashed>[0-9]{1,2})/(?P<year>[0-9]{4}|[0-9]{2})"
    r"|-(?P<dashed>[0-9]{1,2})-(?P<long>[0-9]{4}))(?![0-9]|[/-][0-9])"
)
_LOOK_BACK = 24  # characters; as far as the patterns that end before a number can reach
_WROTE = ("wrote", "schrieb", "a ecrit", "escribio", "ha scritto", "schreef", "escreveu", "skrev")
_SENT_LABELS = (
    "Sent", "Gesendet", "Envoye", "Enviado", "Enviada", "Inviato", "Verzonden", "Skickat",
    "发送时间", "發送時間", "送信日時",
)  # fmt: skip
_DATE_LABELS = ("Date", "Datum", "Data", "Fecha")
# With the end of the line before: the engine passes over the insides of lines at once.
_SENT = re.compile(
    r"\n[> \t*]{0,20}(?:"
    r"(?:On|Am|Le|El|Il|Op|Em|Den)\b[^\n]{0,200}(?:\n[> \t]{0,20}+[^\n]{0,80})?\b"
    rf"(?:{'|'.join(_WROTE)})\b[^\n]{{0,80}}:"
    rf"|(?:{'|'.join(_SENT_LABELS)})\s?\*?:[^\n]{{0,200}}"
    r"|(?:From|Von|De|Da|Van|Fran)\s?\*?:[^\n]{0,200}\n"
    rf"[> \t*]{{0,20}}+(?:{'|'.join(_DATE_LABELS)})\s?\*?:[^\n]{{0,200}}"
    r")[ \t]{0,20}(?=\n|\Z)"
)
# "Ann Lee, 27/09/2024 16:40:" above quoted lines, as many programs write it.
_COLON_ABOVE_QUOTE = re.compile(r":[ \t]{0,8}(?=\n[ \t]{0,8}>)")
_ABOVE_QUOTE = re.compile(
    rf"^[^\n>]{{0,200}}[0-9][^\n>]{{0,80}}{_COLON_ABOVE_QUOTE.pattern}", re.MULTILINE
)


class Mention(NamedTuple):
    """A date and where it is written."""

    start: int
    end: int
    date: date


def mentions(text: str, near: date | None = None) -> list[Mention]:
    """Return every mention of a date in a text that `plain` made, in order of appearance.

    Args:
        text: What to read.
        near: Settles the year where none is written, such as the day the text was written.
    """
    found: set[Mention] = set()
    months: dict[int, _Named] = {}
    others = _CHARACTER_READERS if "月" in text or "월" in text else ()
    for number in _NUMBER.finditer(text):
        start, end = number.span()
        for pattern, read in (*_READERS.get(text[end : end + 1], ()), *others):
            if match := pattern.match(text, start):
                found |= {Mention(start, match.end(), day) for day in read(match, near)}
        if end - start > 2:  # no day of a month
            continue
        for named in _named(text, start):
            # "10 July 14, 2023" has two readings: a year decides, or else what stands first.
            known = months.setdefault(named.month_at, named)
            if named.year is not None and known.year is None:
                months[named.month_at] = named
    for named in months.values():
        found |= {Mention(named.start, named.end, day) for day in named.dates(near)}
    return sorted(found)


class _Named(NamedTuple):
    """One or two days of a month that is written as a word."""

    start: int
    end: int
    month_at: int
    month: str
    days: tuple[str | None, str | None]
    year: int | None
    month_first: bool

    def dates(self, near: date | None) -> Iterator[date]:
        word = self.month.lower()
        clear = word in _ENGLISH and self.month[0].isupper()
        clear = clear or (word in _CLEAR and not self.month_first)
        for day in filter(None, self.days):
            yield from _dates(self.year, MONTHS[word], int(day), near if clear else None)


def _named(text: str, start: int) -> Iterator[_Named]:
    """Yield the readings of a number as the day of a month that is named behind or before it."""
    match = _DAY_MONTH.match(text, start)
    if match and match["month"].lower() in MONTHS:
        year, end = _year(match["year"] or match["short"]), match.end()
        behind = _MONTH_BEHIND.match(text, end) if match["short"] else None
        if behind and behind["month"].lower() in MONTHS:  # 27 Jul-03 Aug
            year, end = None, match.end("month")
        days = (match["first"], match["day"])
        yield _Named(start, end, match.start("month"), match["month"], days, year, False)  # noqa: FBT003
    if not text[start - 1 : start].isspace():
        return
    match = _DAY_AFTER.match(text, start)
    first = max(0, start - _LOOK_BACK)
    before = _MONTH_BEFORE.search(text[first:start]) if match else None
    if match and before and before["month"].lower() in MONTHS:
        at = first + before.start()
        days = (match["first"], match["day"])
        yield _Named(at, match.end(), at, before["month"], days, _year(match["year"]), True)  # noqa: FBT003


def _numbers(match: re.Match[str], near: date | None) -> Iterator[date]:
    fields = match.groupdict()
    year = _year(fields.get("year") or fields.get("short"))
    yield from _dates(year, int(fields["month"]), int(fields["day"]), near)


def _characters(match: re.Match[str], near: date | None) -> Iterator[date]:
    for day in filter(None, (match["first"], match["day"])):
        yield from _dates(_year(match["year"]), int(match["month"]), int(day), near)


def _german(match: re.Match[str], near: date | None) -> Iterator[date]:
    if _GERMAN_BEFORE.search(match.string[max(0, match.start() - _LOOK_BACK) : match.start()]):
        yield from _numbers(match, near)


def _either_way(match: re.Match[str], _near: date | None) -> Iterator[date]:
    one, other = int(match["one"]), int(match["slashed"] or match["dashed"])
    year = _year(match["year"] or match["long"])
    yield from _dates(year, other, one, None)
    if one != other:
        yield from _dates(year, one, other, None)


# By the sign behind the first number.
_READERS = {
    "-": ((_YEAR_FIRST, _numbers), (_EITHER_WAY, _either_way)),
    "/": ((_YEAR_FIRST, _numbers), (_EITHER_WAY, _either_way)),
    ".": ((_YEAR_FIRST, _numbers), (_POINTS, _numbers), (_POINTS_WITHOUT_YEAR, _german)),
}
# Behind any number, if the text has the character for "month" at all.
_CHARACTER_READERS = ((DAYS_OF_MONTH, _characters),)


def _year(digits: str | None) -> int | None:
    """Read a year; two digits mean 1969 to 2068, as in POSIX."""
    if digits is None:
        return None
    year = int(digits)
    if len(digits) == 2:
        year += 1900 if year >= 69 else 2000
    return year


def _dates(year: int | None, month: int, day: int, near: date | None) -> Iterator[date]:
    """Yield the date if there is such a day; without a year the one nearest to `near`."""
    if year is not None:
        years = [year] if year in _YEARS else []
    elif near is not None:
        reach = _LEAP_CYCLE if (month, day) == (2, 29) else 1
        first, last = near.year - reach, near.year + reach
        years = list(range(max(1, first), min(MAXYEAR, last) + 1))
    else:
        years = []
    days = [found for each in years if (found := _day(each, month, day)) is not None]
    if days:
        # Two equally near: the later one, since mails speak of what comes.
        yield min(days, key=lambda found: (abs(found - (near or found)), -found.year))


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def without_sent_lines(text: str) -> str:
    """Return a text that `plain` made without those lines: the mail is not about those days."""
    if any(word in text for word in (*_WROTE, *_SENT_LABELS, *_DATE_LABELS)):
        text = _SENT.sub("\n", f"\n{text}")[1:]
    may_quote = ("\n>" in text or "\n " in text) and _COLON_ABOVE_QUOTE.search(text)
    return _ABOVE_QUOTE.sub("", text) if may_quote else text
