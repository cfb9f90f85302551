"""What words mean for dates: the vocabulary of a language, and reading with it.

A vocabulary says the same things in every language, so one grammar reads them all. The language of
a question is the one whose words it uses most; in doubt, English. If several have all its words, it
is the first in which they are a date: "i november" is Swedish.

Texts become words, numbers and signs, with their places, in one pass that is linear in the text.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from datetime import date
from functools import cache, cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from graphmemix.text.dates.calendar import Period, days, iso_week, months
from graphmemix.text.dates.feast_names import FEAST_NAMES
from graphmemix.text.dates.holidays import HOLIDAYS
from graphmemix.text.dates.sorts import Lexeme, Sort

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


Shape: TypeAlias = Literal["word", "number", "short_year", "date", "mixed", "sign", "other"]

# Digits are 0 to 9. A date or number does not start or end within a longer chain of numbers and
# signs, such as a version or an address. Repetitions are possessive or short, so nothing is read
# twice but for a bounded look ahead: of 123,456,7890 no group but the first begins a number.
_TOKEN = re.compile(
    r"""
      (?P<date> (?<![\w./:-])
          (?: [0-9]{4} ([-/.]) [0-9]{1,2} \2 [0-9]{1,2} (?:T[0-9]{2}:[0-9]{2}[0-9:.Z]{0,16}+)?
            | [0-9]{4} -(?: 0[1-9] | 1[0-2] | W[0-9]{2} )
            | [0-9]{1,2} ([-/.]) [0-9]{1,2} \3 (?: [0-9]{4} | [0-9]{2} )
            | [0-9]{1,2} [/.] [0-9]{4} )
          (?! \w | [-/.:] [0-9] ) )
    | (?P<other> [0-9]++ (?: [.:] [0-9]++ )++
        | (?: [0-9]{1,2} | (?<! (?<!\w)[0-9]{3}, ) [0-9]{3} ) (?: ,[0-9]{3} )++ (?![0-9]) )
    | (?P<short_year> (?<!\w) ['\u2018\u2019`] [0-9]{2} (?!\w) )
    | (?P<possessive> (?<=\w) ['\u2018\u2019`] [sS] (?!\w) )
    | (?P<run> [\w\u0300-\u036f]++ )
    | (?P<sign> [^\w\s'\u2018\u2019`] )
    """,
    re.VERBOSE,
)
_MIXED = re.compile(r"[0-9]{1,4}[^\W0-9_]{1,3}|[^\W0-9_]{1,2}[0-9]{1,2}")
_DASHES = re.compile("[\u2010-\u2015\u2212]")
_ENDS = frozenset('.?!:;"“”„«»()¿¡')
_LONGEST = 24  # letters of a word that any vocabulary knows


class Token(NamedTuple):
    """A word, a number, a numeric date or a sign.

    Attributes:
        word: Folded: no capitals, no accents, one kind of dash.
        shape: What it looks like.
        start: Where it starts in the text.
        end: Where it ends.
        titled: It starts with a capital, and not all of it is in capitals.
        opening: It opens a sentence, where a capital means nothing.
    """

    word: str
    shape: Shape
    start: int
    end: int
    titled: bool = False
    opening: bool = False


def tokens(text: str) -> list[Token]:
    """Return the tokens of a text, in order."""
    found: list[Token] = []
    opening = True
    for match in _TOKEN.finditer(text):
        raw = match[0]
        shape = _shape(match.lastgroup or "", raw)
        titled = raw[0].isupper() and (len(raw) == 1 or not raw.isupper())
        found.append(Token(fold(raw), shape, match.start(), match.end(), titled, opening))
        opening = raw in _ENDS
    return found


def fold(raw: str) -> str:
    """Return a word as vocabularies know it; overlong ones are cut."""
    if raw.isascii():
        return raw[:_LONGEST].lower()
    raw = _DASHES.sub("-", raw[:_LONGEST]).replace("\u2019", "'").replace("\u2018", "'")
    letters = unicodedata.normalize("NFKD", raw).casefold()
    return "".join([letter for letter in letters if not unicodedata.combining(letter)])


def _shape(group: str, raw: str) -> Shape:
    if group == "run":
        if raw.isalpha():
            return "word"
        if raw.isascii() and raw.isdigit():
            return "number" if len(raw) <= 4 else "other"
        if _MIXED.fullmatch(raw):
            return "mixed"
        return "other" if any(letter.isdigit() or letter == "_" for letter in raw) else "word"
    if group in {"date", "short_year", "other"}:
        return group  # type: ignore[return-value]
    return "sign"


_SIGNS = {
    ",": Sort.COMMA,
    "-": Sort.DASH,
    ".": Sort.DOT,
    "/": Sort.SLASH,
    "'s": Sort.POSSESSIVE,
    "`s": Sort.POSSESSIVE,
}
_ISO_WEEK = re.compile(r"([0-9]{4})-w([0-9]{2})")
_NUMBERS = re.compile(r"[0-9]+")
_QUARTER = re.compile(r"[qt][1-4]")  # French: trimestre
_WITH_PLURALS = frozenset({Sort.WEEKDAY, Sort.SEASON, Sort.HOLIDAY})


@dataclass(frozen=True)
class Vocabulary:
    """The words of one language. Phrases are separated by commas; a star marks a plural.

    Attributes:
        words: By sort, for words that have no value.
        named: By sort, then by name.
        numbered: By sort, then by number: months from 1, weekdays from Monday as 0, seasons from
            spring as 1, days by their distance from today.
        vague: Numbers that stand for several: the words, by lowest and highest.
        spells: Durations in words, by count and unit.
        pointed: Phrases that say "last", "this" or "next" themselves: by that, the sort of what
            comes round, and its number or name.
        day_words: Words for a part of a day, by the distance of its day from today and its name.
        plurals: Endings of weekdays, seasons, holidays and weekends that come round or are counted.
        weak: Words that are ordinary words as well, separated by spaces. Such ordinals are weekdays
            too: Portuguese "segunda" is Monday.
        ordinal: Endings of ordinals in digits.
        decade: Endings of decades in digits.
        common: Other frequent words, separated by spaces, to tell languages apart.
        romance: "Last" follows its noun, and one word says "from" and "of", another "to" and "at".
        day_first: How 05/06/2023 is read: the day first, or None for either.
    """

    words: Mapping[Sort, str]
    named: Mapping[Sort, Mapping[str, str]]
    numbered: Mapping[Sort, Mapping[int, str]]
    vague: Mapping[tuple[int, int], str]
    spells: Mapping[tuple[int, str], str]
    day_words: Mapping[tuple[int, str], str]
    weak: str
    ordinal: re.Pattern[str]
    decade: re.Pattern[str]
    common: str
    pointed: Mapping[tuple[Sort, Sort, int | str], str] = field(default_factory=dict)
    plurals: tuple[str, ...] = ()
    romance: bool = False
    day_first: bool | None = True
    _longest: dict[str, int] = field(default_factory=dict, compare=False)

    @cached_property
    def phrases(self) -> dict[tuple[str, ...], Lexeme]:
        """Every phrase, as its folded tokens."""
        found: dict[tuple[str, ...], Lexeme] = {}
        weak = frozenset(self.weak.split())
        for phrase, lexeme in self._entries():
            key = _key(phrase)
            word = " ".join(key)
            found[key] = lexeme._replace(word=word, weak=word in weak)
            self._longest[key[0]] = max(len(key), self._longest.get(key[0], 0))
        return found

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """Every word of the language that is known here, to tell languages apart."""
        # "Al" in the name of a feast is not Spanish, and "a hearing aid" is no French Aïd.
        telling = [
            phrase
            for phrase, lexeme in self.phrases.items()
            if lexeme.sort is not Sort.HOLIDAY
            or lexeme.name in HOLIDAYS
            or not (lexeme.weak or phrase[1:])
        ]
        return frozenset(self.common.split()).union(*telling)

    def read(self, found: Sequence[Token]) -> list[Lexeme]:
        """Return the tokens as lexemes, longest phrases first, from the left."""
        lexemes: list[Lexeme] = []
        day_first = self._day_first(found)
        i = 0
        while i < len(found):
            lexeme, count = self._phrase(found, i) or (
                self._token(found[i], day_first=day_first),
                1,
            )
            first, last = found[i], found[i + count - 1]
            lexemes.append(
                lexeme._replace(
                    start=first.start,
                    end=last.end,
                    titled=first.titled and not first.opening,
                    touching=bool(i) and found[i - 1].end == first.start,
                )
            )
            i += count
        return lexemes

    def _phrase(self, found: Sequence[Token], i: int) -> tuple[Lexeme, int] | None:
        phrases = self.phrases
        for count in range(self._longest.get(found[i].word, 0), 0, -1):
            lexeme = phrases.get(tuple([token.word for token in found[i : i + count]]))
            if lexeme and i + count <= len(found):
                return lexeme, count
        return None

    def _token(self, token: Token, *, day_first: bool | None) -> Lexeme:
        word = token.word
        if token.shape == "number":
            return Lexeme(Sort.NUMBER, word, int(word), int(word))
        if token.shape == "short_year":
            return Lexeme(Sort.SHORT_YEAR, word, _full_year(int(word[1:])))
        if token.shape == "date":
            periods = _periods(word, day_first=day_first)
            return Lexeme(Sort.DATE if periods else Sort.OTHER, word, periods=periods)
        if token.shape == "sign":
            return Lexeme(_SIGNS.get(word, Sort.SIGN), word)
        return self._mixed(word) if token.shape == "mixed" else Lexeme(Sort.OTHER, word)

    def _mixed(self, word: str) -> Lexeme:
        if self.ordinal.fullmatch(word):
            return Lexeme(Sort.ORDINAL, word, _numbers(word)[0])
        if self.decade.fullmatch(word):
            return Lexeme(Sort.DECADE, word, full_decade(_numbers(word)[0]))
        if _QUARTER.fullmatch(word):
            return Lexeme(Sort.QUARTER, word, _numbers(word)[0])
        return Lexeme(Sort.OTHER, word)

    def _day_first(self, found: Sequence[Token]) -> bool | None:
        """Return how days and months stand: one clear date tells it for all."""
        if self.day_first is not None:
            return self.day_first
        orders = set()
        for token in found:
            numbers = (
                _numbers(token.word) if token.shape == "date" and "." not in token.word else []
            )
            if len(numbers) == 3 and numbers[0] <= 31 and (numbers[0] > 12) != (numbers[1] > 12):
                orders.add(numbers[0] > 12)
        return orders.pop() if len(orders) == 1 else None

    def _entries(self) -> Iterator[tuple[str, Lexeme]]:
        for listed, lexeme in self._lists():
            for phrase in _split(listed):
                if phrase.endswith("*"):
                    yield phrase[:-1], lexeme._replace(plural=True)
                    continue
                yield phrase, lexeme
                if lexeme.sort in _WITH_PLURALS or lexeme.name == "weekend":
                    for ending in self.plurals:
                        yield phrase + ending, lexeme._replace(plural=True)

    def _lists(self) -> Iterator[tuple[str, Lexeme]]:
        for sort, listed in self.words.items():
            yield listed, Lexeme(sort)
        for sort, names in self.named.items():
            yield from ((listed, Lexeme(sort, name=name)) for name, listed in names.items())
        for name, listed in FEAST_NAMES.items():
            yield listed, Lexeme(Sort.HOLIDAY, name=name)
        for sort, numbers in self.numbered.items():
            for number, listed in numbers.items():
                yield listed, Lexeme(sort, number=number, high=number)
        for (low, high), listed in self.vague.items():
            yield listed, Lexeme(Sort.NUMBER, number=low, high=high)
        for (count, unit), listed in self.spells.items():
            yield listed, Lexeme(Sort.SPELL, number=count, name=unit)
        for (pointer, sort, what), listed in self.pointed.items():
            lexeme = Lexeme(sort, name=what) if isinstance(what, str) else Lexeme(sort, number=what)
            yield listed, lexeme._replace(pointer=pointer)
        for (offset, part), listed in self.day_words.items():
            yield listed, Lexeme(Sort.DAY, number=offset, name=part)


def full_decade(number: int) -> int:
    """Return the first year of a decade: 90 is 1990, 20 is 2020."""
    return number if number > 99 else _full_year(number, last=29)


def _full_year(number: int, last: int = 69) -> int:
    return number + (2000 if number <= last else 1900)


def _split(listed: str) -> list[str]:
    return [phrase.strip() for phrase in listed.split(",") if phrase.strip()]


@cache  # languages share the names of feasts
def _key(phrase: str) -> tuple[str, ...]:
    """Return the folded tokens of a phrase."""
    words = phrase.split()
    if all(map(str.isalpha, words)):  # most are, and need no pattern
        return tuple(map(fold, words))
    return tuple(token.word for token in tokens(phrase))


def _numbers(word: str) -> list[int]:
    return [int(number) for number in _NUMBERS.findall(word)[:3]]


def _periods(word: str, *, day_first: bool | None) -> tuple[Period, ...]:
    """Return what a numeric date may mean, earliest first; nothing if it cannot be one."""
    try:
        if match := _ISO_WEEK.fullmatch(word):
            return (iso_week(int(match[1]), int(match[2])),)
        numbers = _numbers(word)
        if len(numbers) == 2:
            year, month = sorted(numbers, reverse=True)
            return (months(year, month),) if 1 <= month <= 12 else ()
        first, second, third = numbers
        if first > 999:
            return (days(date(first, second, third)),)
    except (ValueError, OverflowError):
        return ()
    year = third if third > 99 else _full_year(third)
    readings = [_day(year, second, first)]
    if "." not in word:  # points are for those who put the day first
        readings.append(_day(year, first, second))
        if day_first is not None and all(readings):
            readings = readings[:1] if day_first else readings[1:]
    return tuple(sorted({day for day in readings if day}))


def _day(year: int, month: int, day: int) -> Period | None:
    """Return the day, or None if there is no such day or none behind it: 9999-12-31 has no end."""
    try:
        return days(date(year, month, day))
    except (ValueError, OverflowError):
        return None
