"""Answers in a normal form, for exact match (METHOD section 8).

Lower case; punctuation, articles and white space do not count; numbers, dates, times of day,
percentages and currencies have one form each. With examples:

========================================  ============================
``The 8th of May, 2023``, ``2023-05-08``  ``date:2023-05-08``
``May 2023``                              ``date:2023-05``
``7,800.50 steps``                        ``7800.5 steps``
``twenty-one``, ``3rd``                   ``21``, ``3``
``6:30 p.m.``                             ``time:18:30``
``$5``, ``5 dollars``, ``5 USD``          ``5 $``
``50 percent``                            ``50 %``
========================================  ============================

A date whose day and month cannot be told apart (``03/04/2023``) stays as it is.
"""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal, InvalidOperation

_MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_MONTH = "|".join(f"{name}|{name[:3]}\\.?" for name in _MONTHS) + "|sept\\.?"
_SMALL = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen"),
    *("eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_UNITS = {word: value for value, word in enumerate(_SMALL)} | {
    word: 10 * value for value, word in enumerate(_TENS, start=2)
}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 1_000_000}
_ARTICLES = {"a", "an", "the"}
_CURRENCIES = {
    "dollar": "$",
    "dollars": "$",
    "usd": "$",
    "euro": "€",
    "euros": "€",
    "eur": "€",
    "gbp": "£",
    "yen": "¥",
    "percent": "%",
}

_DAY_MONTH = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?({_MONTH})(?:,?\s+(\d{{4}}))?(?![\w])"
)
_MONTH_DAY = re.compile(
    rf"\b({_MONTH})\s+(\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s+(\d{{4}}))?(?![\w:.]*\d)(?!\w)"
)
_MONTH_YEAR = re.compile(rf"\b({_MONTH}),?\s+(\d{{4}})\b")
_ISO = re.compile(r"\b(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})\b")
_SLASHED = re.compile(r"\b(\d{1,2})[/.](\d{1,2})[/.](\d{4})\b")
_TIME = re.compile(r"\b(\d{1,2})(?::(\d{2}))?\s*([ap])\.?\s?m\b\.?")
_CLOCK = re.compile(r"(?<![\d:])(\d{1,2}):(\d{2})(?![\d:])")
_LONGEST_NUMBER = 40  # words; more than any number that is spelt out
_TOKEN = re.compile(
    r"date:[\d-]+|time:\d\d:\d\d"  # made by the steps before
    r"|(?:(?<![^\W_])(?<!\d)-)?\d+(?:,\d{3})+(?:\.\d+)?(?![^\W_])"  # 1,234.5
    r"|(?:(?<![^\W_])-)?\d+(?:\.\d+)?(?:(?:st|nd|rd|th)\b)?"
    r"|[$€£¥%]"
    r"|(?:[^\W\d_]|[̀-ͯ])+(?:['’][^\W\d_]+)*"
)


def normalise(text: str) -> str:
    """Return the normal form. Equal answers are equal texts; it is not meant to be read."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    folded = folded.replace("per cent", "percent").replace("−", "-")
    return " ".join(_joined(_numbered(_words(_dated(folded)))))


def _dated(text: str) -> str:
    """Replace dates and times of day by their one form."""
    text = _ISO.sub(lambda m: _date(m[0], m[1], m[2], m[3]), text)
    text = _DAY_MONTH.sub(lambda m: _date(m[0], m[3], _month(m[2]), m[1]), text)
    text = _MONTH_DAY.sub(lambda m: _date(m[0], m[3], _month(m[1]), m[2]), text)
    text = _MONTH_YEAR.sub(lambda m: f" date:{m[2]}-{int(_month(m[1])):02} ", text)
    text = _SLASHED.sub(_slashed, text)
    text = _TIME.sub(_time, text)
    return _CLOCK.sub(lambda m: _clock(m[0], int(m[1]), int(m[2])), text)


def _date(found: str, year: str | None, month: str, day: str) -> str:
    if not (1 <= int(month) <= 12 and 1 <= int(day) <= 31):
        return found
    return f" date:{year or '-'}-{int(month):02}-{int(day):02} "


def _month(name: str) -> str:
    return str(1 + [each[:3] for each in _MONTHS].index(name[:3]))


def _slashed(found: re.Match[str]) -> str:
    first, second = int(found[1]), int(found[2])
    if first > 12 >= second:
        return _date(found[0], found[3], found[2], found[1])
    if second > 12 >= first or first == second:
        return _date(found[0], found[3], found[1], found[2])
    return found[0]


def _time(found: re.Match[str]) -> str:
    hour = int(found[1])
    if not 1 <= hour <= 12:
        return found[0]
    return _clock(found[0], hour % 12 + 12 * (found[3] == "p"), int(found[2] or 0))


def _clock(found: str, hour: int, minute: int) -> str:
    return f" time:{hour:02}:{minute:02} " if hour < 24 and minute < 60 else found


def _words(text: str) -> list[str]:
    """Return the tokens that count: no punctuation, no articles."""
    found = [token.replace("'", "").replace("’", "") for token in _TOKEN.findall(text)]
    return [_CURRENCIES.get(token, token) for token in found if token not in _ARTICLES]


def _numbered(tokens: list[str]) -> list[str]:
    """Return the tokens with every number, in digits or in words, in its one form."""
    out: list[str] = []
    index = 0
    while index < len(tokens):
        value, used = _spoken(tokens, index)
        out.append(str(value) if used else _number(tokens[index]))
        index += used or 1
    return out


def _spoken(words: list[str], start: int) -> tuple[int, int]:
    """Return the number that starts here in words, and how many words it takes; 0 if none."""
    total, current, used = 0, 0, 0
    for index, word in enumerate(words[start : start + _LONGEST_NUMBER]):
        unit, scale = _UNITS.get(word), _SCALES.get(word, 0)
        if unit is not None and (not used or (total + current and _fits(current, unit))):
            current += unit
        elif scale == 100 and 0 < current < 100:  # "hundred hundred" would grow without end
            current *= scale
        elif scale > 100 and current:
            total, current = total + current * scale, 0
        elif word == "and" and used and current % 100 == 0 and total + current >= 100:
            continue  # "two hundred and five"; counted only if the number goes on
        else:
            break
        used = index + 1
    return total + current, used


def _fits(current: int, unit: int) -> bool:
    """Return whether a unit may follow: "hundred five", "twenty one", but not "one two"."""
    return current % 100 == 0 or (current % 10 == 0 and current % 100 >= 20 and 0 < unit < 10)


def _number(token: str) -> str:
    if not (token[0].isdigit() or (token[0] == "-" and len(token) > 1)):
        return token
    digits = re.sub(r"(?:st|nd|rd|th)$", "", token).replace(",", "")
    try:
        value = Decimal(digits)
    except InvalidOperation:
        return token
    plain = format(value, "f")
    plain = plain.rstrip("0").rstrip(".") if "." in plain else plain
    sign, figures = ("-", plain[1:]) if plain.startswith("-") else ("", plain)
    return sign + (figures.lstrip("0") or "0") if "." not in figures else plain


def _joined(tokens: list[str]) -> list[str]:
    """Return the tokens with currency signs behind their number."""
    out = list(tokens)
    for index in range(len(out) - 1):
        if out[index] in {"$", "€", "£", "¥"} and out[index + 1][0].isdigit():
            out[index], out[index + 1] = out[index + 1], out[index]
    return out
