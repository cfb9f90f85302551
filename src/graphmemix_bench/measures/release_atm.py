"""ATM-Bench's own match of answers, which is lenient: what its release reports as accuracy.

A prediction is right if it holds everything that the reference states, in whatever words. What is
stated is compared kind by kind, each in one form:

- whether there is an answer at all ("unknown", "no evidence");
- codes of letters and digits, each of which must be said;
- days, with or without a year, and ranges of days; times of day only if both say some;
- currencies only if both say some; amounts, and other numbers, as equal collections.

After that the words decide: all items of a list, "yes" and "no", all words of an address, one text
inside the other, all words but stop words, or four fifths of them. Words such as "tomorrow" mean
the day after a full date that the question states.

Its oddities are kept where they decide: "6:30 pm" is both half past six in the morning and in the
evening, and "and" between two words makes no list. Two plain numbers ("3 to 5") are no times here.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_NAMES: Final = (
    "january february march april may june july august september october november december"
)
_MONTHS: Final = {
    form: number
    for number, name in enumerate(_NAMES.split(), start=1)
    for form in (name, name[:3], "sept" if name == "september" else name)
}
_MONTH: Final = "(" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + ")"
_DAY: Final = r"(\d{1,2})(?:st|nd|rd|th)?"
_YEAR: Final = r"(?:,? ?(\d{4}))?\b"
_ISO: Final = re.compile(r"\b(\d{4})[-/](\d{1,2})[-/](\d{1,2})\b")
_COMPACT: Final = re.compile(r"\b((?:19|20)\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])\b")
_DAYS: Final = re.compile(rf"\b{_MONTH} {_DAY} ?(?:-|to|–) ?{_DAY}{_YEAR}")
_MONTH_DAY: Final = re.compile(rf"\b{_MONTH} {_DAY}{_YEAR}")
_DAY_MONTH: Final = re.compile(rf"\b{_DAY} {_MONTH}{_YEAR}")
_HALF: Final = r"(\d{1,2})(?::(\d\d))? ?([ap]m)?"
_TIMES: Final = re.compile(rf"\b{_HALF} ?(?:-|to|–|and) ?{_HALF}\b")
_CLOCK: Final = re.compile(r"\b([01]?\d|2[0-3]):([0-5]\d)\b")
_HALF_DAY: Final = re.compile(r"\b(\d{1,2})(?::(\d\d))? ?([ap]m)\b")
_NUMBER: Final = re.compile(r"\b\d+(?:\.\d+)?\b")
_CODE: Final = re.compile(r"\b[a-z0-9]{4,}\b")
_ORDINAL: Final = re.compile(r"\b(\d+)(?:st|nd|rd|th)\b")
_AMOUNT: Final = re.compile(
    r"[£$€] ?(\d+(?:\.\d+)?)|\b(\d+(?:\.\d+)?) ?(?:usd|gbp|eur|aud|jod|dollars?|pounds?|euros?)\b"
)
_MONEY: Final = {
    **dict.fromkeys(("£", "gbp", "pound", "pounds"), "GBP"),
    **dict.fromkeys(("$", "usd", "dollar", "dollars"), "USD"),
    **dict.fromkeys(("€", "eur", "euro", "euros"), "EUR"),
    "aud": "AUD",
    "jod": "JOD",
}
_CURRENCY: Final = re.compile(r"[£$€]|\b(?:" + "|".join(w for w in _MONEY if w.isalpha()) + r")\b")
_BRACKETS: Final = re.compile(r"\([^()]+\)")
_UNIT: Final = re.compile(r"\b(\d+) (?:spots?|hours?|sessions?|days?)\b")
_BREAKDOWN: Final = re.compile(r",? ?\bcomprising .*|,? ?\btotaling [£$€]\S+ for \w+ sessions?")
_SESSION: Final = re.compile(r"\bper \d+[- ]minute session\b")
_ITEM: Final = re.compile(r",|;|/|\band\b")
_WORD: Final = re.compile(r"[a-z0-9]+")
_ABSTAIN: Final = (
    *("unknown", "abstention", "no information", "not available", "no evidence"),
    "insufficient information",
)
_STOP_TEXT: Final = """
    the a an of in at on for to and or by from with into is was were be been being
"""
_STOP: Final = frozenset(_STOP_TEXT.split())
_ADDRESS_TEXT: Final = """
    street st road rd lane ln avenue ave drive dr place pl square sq close court ct way high
    highstreet boulevard blvd city town village county country oxford cambridge
"""
_ADDRESS: Final = frozenset(_ADDRESS_TEXT.split())
_WEEKDAYS: Final = """
    mon tue tues wed thu thurs fri sat sun
    monday tuesday wednesday thursday friday saturday sunday
"""
_FILLER: Final = re.compile(
    r"\b(?:it happened on|starting at|from \d|onwards|totaling|comprising|with pre-\w+(?: at)?"
    r"|and dinner at|dress code is|the total cost was|code:|expires?|"
    + "|".join(_WEEKDAYS.split())
    + r")(?!\w)"
)
_SPELT_TEXT: Final = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen twenty
"""
_SPELT: Final = {word: str(value) for value, word in enumerate(_SPELT_TEXT.split())}
_NOON: Final = re.compile(r"\b(noon|midday|midnight)\b")
_RELATIVE: Final = re.compile(r"today|tonight|tomorrow|yesterday", re.IGNORECASE)
_OFFSETS: Final = {"today": 0, "tonight": 0, "tomorrow": 1, "yesterday": -1}
_PUNCTUATION: Final = "\"'`.,;:!?()[]{} "
_SHORTEST: Final = 3  # characters that may count as a text inside another
_ENOUGH: Final = 0.8  # of the words


def atm_match(prediction: str, reference: str, question: str = "") -> float:
    """Return 100 if ATM-Bench's release would call a prediction right, else 0."""
    day = _full_date(question.lower())
    return 100.0 * _Stated.of(reference, day).holds_in(_Stated.of(prediction, day))


@dataclass(frozen=True)
class _Stated:
    """What a text states, kind by kind."""

    text: str
    plain: str
    codes: tuple[str, ...]
    dates: tuple[str, ...]
    times: tuple[str, ...]
    rest: str
    currencies: frozenset[str]
    amounts: tuple[Decimal, ...]
    numbers: tuple[Decimal, ...]

    @classmethod
    def of(cls, text: str, day: date | None) -> _Stated:
        cleaned = _cleaned(_absolute(text, day))
        dates, undated = _taken(_dates, cleaned)
        times, rest = _taken(_times, undated)
        spelt = re.sub(_WORD, lambda word: _SPELT.get(word[0], word[0]), rest)
        amounts = tuple(dict.fromkeys(Decimal(a or b) for a, b in _AMOUNT.findall(spelt)))
        numbers = tuple(map(Decimal, _NUMBER.findall(spelt)))
        return cls(
            cleaned,
            _plain(cleaned),
            tuple(word for word in _CODE.findall(cleaned) if _is_code(word)),
            dates,
            times,
            _plain(rest),
            frozenset(_MONEY[found] for found in _CURRENCY.findall(rest)),
            amounts,
            tuple(number for number in numbers if number not in amounts),
        )

    def holds_in(self, said: _Stated) -> bool:
        """Whether a prediction says what this reference states."""
        silent = _abstains(self.plain), _abstains(said.plain)
        if any(silent):
            return all(silent)
        if not all(code in said.text for code in self.codes) or not _all_days(self, said):
            return False
        if self.times and said.times and Counter(self.times) != Counter(said.times):
            return False
        if self.dates or self.times:
            left = _FILLER.sub(" ", self.rest)
            if _all_words(left, _FILLER.sub(" ", said.rest)):
                return True
        return self._same_values(said) and self._same_words(said)

    def _same_values(self, said: _Stated) -> bool:
        if self.currencies and said.currencies and self.currencies != said.currencies:
            return False
        if self.amounts and Counter(self.amounts) != Counter(said.amounts):
            return False
        return not self.numbers or Counter(self.numbers) == Counter(said.numbers)

    def _same_words(self, said: _Stated) -> bool:
        items = [item for part in _ITEM.split(self.text) if (item := _plain(part))]
        if len(items) > 1:
            return all(item in said.plain for item in items)
        if said.plain in {"yes", "no"} and self.plain.startswith(("yes", "no")):
            return self.plain.startswith(said.plain)
        words, heard = _WORD.findall(self.text), set(_WORD.findall(said.text))
        telling = {word for word in words if word not in _STOP}
        if _ADDRESS & set(words) and {word for word in telling if not word.isdigit()} <= heard:
            return True
        inside = self.plain in said.plain and len(self.plain) >= _SHORTEST
        around = said.plain in self.plain and len(said.plain) >= _SHORTEST
        if inside or around or telling <= heard:
            return True
        long = {word for word in telling if len(word) >= _SHORTEST}
        return len(long & heard) >= _ENOUGH * len(long)


def _cleaned(text: str) -> str:
    """Return a text without what never counts: brackets, breakdowns, units, a leading article."""
    text = re.sub(r"(?<=\d),(?=\d)", "", " ".join(text.lower().split()).rstrip("."))
    text = _BRACKETS.sub(" ", _UNIT.sub(r"\1", text))
    text = _SESSION.sub("per session", _BREAKDOWN.sub(" ", text))
    text = text.replace("between ", "").replace(" and ", " to ")
    text = text.replace("a.m.", "am").replace("p.m.", "pm").replace("a. m.", "am")
    text = " ".join(text.replace("p. m.", "pm").split())
    for article in ("a ", "an ", "the "):
        text = text.removeprefix(article)
    return text


def _absolute(text: str, day: date | None) -> str:
    """Return a text with today, tonight, tomorrow and yesterday as month and day."""
    if day is None:
        return text

    def written(found: re.Match[str]) -> str:
        when = day + timedelta(days=_OFFSETS[found[0].lower()])
        return f"{when:%B} {when.day}"

    return _RELATIVE.sub(written, text)


def _full_date(text: str) -> date | None:
    for found, _span in _dates(" ".join(text.split())):
        if len(found) == len("20230508"):
            try:
                return date(int(found[:4]), int(found[4:6]), int(found[6:]))
            except ValueError:
                return None
    return None


def _taken(
    find: Callable[[str], Iterator[tuple[str, tuple[int, int]]]], text: str
) -> tuple[tuple[str, ...], str]:
    """Return the values that are found in a text, each once, and the text without them."""
    found = list(find(text))
    for _value, span in found:
        text = _blank(text, span)
    return tuple(dict.fromkeys(value for value, _ in found)), " ".join(text.split())


def _dates(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield days as ``20230508``, ``0508`` or ``0508-0510``, with where they stand."""
    for pattern in (_ISO, _COMPACT):
        for found in pattern.finditer(text):
            year, month, day = map(int, found.groups())
            yield _written(year, month, day), found.span()
            text = _blank(text, found.span())
    for found in _DAYS.finditer(text):
        month, year = _MONTHS[found[1]], int(found[4] or 0)
        first, last = (_written(year, month, int(found[place])) for place in (2, 3))
        yield f"{first}-{last}", found.span()
        text = _blank(text, found.span())
    for found in _MONTH_DAY.finditer(text):
        yield _written(int(found[3] or 0), _MONTHS[found[1]], int(found[2])), found.span()
        text = _blank(text, found.span())
    for found in _DAY_MONTH.finditer(text):
        yield _written(int(found[3] or 0), _MONTHS[found[2]], int(found[1])), found.span()


def _blank(text: str, span: tuple[int, int]) -> str:
    return text[: span[0]] + " " * (span[1] - span[0]) + text[span[1] :]


def _written(year: int, month: int, day: int) -> str:
    return f"{year:04d}{month:02d}{day:02d}" if year else f"{month:02d}{day:02d}"


def _times(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield times of day as ``18:30`` or ``18:30-20:00``, with where they stand."""
    for found in _NOON.finditer(text):
        yield "00:00" if found[1] == "midnight" else "12:00", found.span()
    for found in _TIMES.finditer(text):
        first, first_minute, half, last, last_minute, last_half = found.groups()
        if not (first_minute or last_minute or half or last_half):
            continue  # two numbers, as in "3 to 5 people"
        start = _clock(first, first_minute, half or last_half)
        yield f"{start}-{_clock(last, last_minute, last_half)}", found.span()
        text = _blank(text, found.span())
    for found in _CLOCK.finditer(text):
        yield _clock(found[1], found[2], None), found.span()
    for found in _HALF_DAY.finditer(text):
        yield _clock(found[1], found[2], found[3]), found.span()


def _clock(hour: str, minute: str | None, half: str | None) -> str:
    count = int(hour)
    if half:
        count = count % 12 + 12 * (half == "pm")
    return f"{count:02d}:{int(minute or 0):02d}"


def _all_days(wanted: _Stated, said: _Stated) -> bool:
    """Whether each day of the reference is said once; a missing year counts for any."""
    left = list(said.dates)
    for day in wanted.dates:
        match = next((other for other in left if _same_day(day, other)), None)
        if match is None:
            return False
        left.remove(match)
    return True


def _same_day(one: str, other: str) -> bool:
    ones, others = one.split("-"), other.split("-")
    return len(ones) == len(others) and all(
        a[-4:] == b[-4:] if min(len(a), len(b)) == len("0508") else a == b
        for a, b in zip(ones, others, strict=True)
    )


def _is_code(word: str) -> bool:
    mixed = any(map(str.isalpha, word)) and any(map(str.isdigit, word))
    return mixed and _ORDINAL.fullmatch(word) is None


def _all_words(wanted: str, said: str) -> bool:
    words = {word for word in _WORD.findall(wanted) if word not in _STOP}
    return words <= set(_WORD.findall(said))


def _plain(text: str) -> str:
    return " ".join(_ORDINAL.sub(r"\1", text).split()).strip(_PUNCTUATION)


def _abstains(text: str) -> bool:
    return any(phrase in text for phrase in _ABSTAIN)
