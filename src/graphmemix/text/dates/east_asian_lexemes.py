"""Dates in Japanese, Chinese and Korean as they are written, for questions and for texts.

These scripts have few spaces or none, so words are looked up at every character that may begin one:
`lexemes` reads a text in one pass and at each place a bounded number of characters. `dates_written`
puts what stands together into dates, the larger unit first: 2024年 7月 14日, 去年の 夏, 上周 五.
What these mean is in `east_asian` for questions and in `about_east_asian` for texts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from graphmemix.text.dates.east_asian_words import (
    BRACKETED,
    ERAS,
    NOT_AFTER,
    NOT_BEFORE,
    SHORT_SEASONS,
    SUFFIXES,
    WORDS,
    numeral,
)
from graphmemix.text.dates.sorts import Lexeme, Sort

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

__all__ = [
    "DAYS_OF_MONTH",
    "LINK",
    "Written",
    "dates_written",
    "has_characters",
    "has_hangul",
    "has_kana",
    "lexemes",
    "with_weekday",
]

_CHARACTER = re.compile("[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_KANA = re.compile("[\u3041-\u30fa]")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_LATIN = re.compile("[A-Za-z0-9]{1,20}")
_NO_WORD_ENDS_BEFORE = re.compile("[\u30a1-\u30fa\u3400-\u9fff]")
_YEARS = range(1800, 2200)
_NUMBER = re.compile("[0-9]{1,20}|[一二三四五六七八九十两兩]{1,3}|(?:한|두|세|네|다섯|여섯) ")
_ERA = re.compile(r"(?P<era>令和|平成|昭和|大正)\s?(?P<year>[0-9]{1,2}|元)\s?年(?!間)")
_NUMERIC = re.compile(
    r"(?P<year>[0-9]{4})(?P<mark>[/.-])(?P<month>[0-9]{1,2})(?P=mark)(?P<day>[0-9]{1,2})"
    r"(?![0-9]|[/.-][0-9])"
)
_SLASHED = re.compile(
    r"(?P<month>[0-9]{1,2})/(?P<day>[0-9]{1,2})"
    r"(?=\s?\([月火水木金土日월화수목금토일一二三四五六](?:曜日?|요일)?(?:[・/]?祝)?\))"
)
# 8月2〜5日, 3・4月, 2019-2021年: the first number is of the unit of the second.
_SAME_UNIT = re.compile(
    r"[0-9]{1,4}\s?(?:[〜~–−ー・、-]|から|到|至|부터|에서)\s?[0-9]{1,4}\s?"
    r"(?P<unit>[年月日号號년월일])(?![間间前後后目内以]|\s?[전후동뒤간])"
)
_GAP = re.compile(r"\s{0,2}(?:[の的의]\s?)?")
_BRACKET = re.compile(
    r"\s?\(\s?(?P<day>[月火水木金土日월화수목금토일一二三四五六天])(?:曜日?|요일)?"
    r"(?:[・、,/]?(?:祝日?|休|振替?))?\s?\)"
)
DAYS_OF_MONTH: Final = re.compile(
    r"(?:(?P<year>[0-9]{4})\s?[年년]の?\s?|(?<![年년해])(?<![年년해]\s)(?<!年の))"
    r"(?P<month>[0-9]{1,2})\s?[月월]\s?"
    r"(?:(?P<first>[0-9]{1,2})\s?(?:[日号號일](?:\s?\([月火水木金土日월화수목금토일一二三四五六]"
    r"(?:曜日?|요일)?\))?\s?)?(?:から|より|[〜~–ー-]|到|至|부터|에서)\s?)?"
    r"(?P<day>[0-9]{1,2})\s?[日号號일](?!\s?(?:間|间|간|동안))"
)
"""A date in figures, or the first and the last day of a range; none behind "last year"."""

LINK: Final = re.compile(r"\s?(?:から|より|[〜~–—−ー―-]|到|至|부터|에서)\s{0,2}")
"""Between the first and the last day of an interval."""

_NEAR = 40  # characters
_LONGEST_AGO = 200  # days, weeks, months or years
_MOST_NIGHTS = 92


class Written(NamedTuple):
    """One date, as its words say it.

    Attributes:
        start: Where it starts in the text.
        end: Where it ends, with a weekday in brackets.
        parts: Its words by what they are; a "DATE" is a year, an "ORDINAL" a day of the month.
        weekday: The one in brackets.
        recurs: "Every" or "that" stands before it.
    """

    start: int
    end: int
    parts: Mapping[Sort, Lexeme]
    weekday: int | None = None
    recurs: bool = False

    def unit(self, name: str) -> int | None:
        """Return the distance of "last week" and the like from now."""
        unit = self.parts.get(Sort.UNIT)
        return unit.number if unit and unit.name == name and not unit.weak else None

    def number(self, sort: Sort) -> int | None:
        """Return the number of a part, if there is one."""
        lexeme = self.parts.get(sort)
        return lexeme.number if lexeme else None

    def is_only(self, *sorts: Sort) -> bool:
        """Return whether it has no other parts than these."""
        return self.parts.keys() <= set(sorts)

    def with_parts_of(self, other: Written, *sorts: Sort) -> Written:
        """Return this with the parts of these sorts that another date has and this has not."""
        lent = {sort: lexeme for sort, lexeme in other.parts.items() if sort in sorts}
        return self._replace(parts={**lent, **self.parts})


def has_characters(text: str) -> bool:
    """Return whether a text has any character of these scripts."""
    return not text.isascii() and _CHARACTER.search(text) is not None


def has_kana(text: str, near: int | None = None) -> bool:
    """Return whether a text is in Japanese, or what is near a place in it."""
    if near is None:
        return _KANA.search(text) is not None
    return _KANA.search(text, max(0, near - _NEAR), near + _NEAR) is not None


def has_hangul(text: str) -> bool:
    """Return whether a text is in Korean."""
    return _HANGUL.search(text) is not None


def with_weekday(text: str, end: int) -> tuple[int, int | None]:
    """Return where a date ends with the weekday in brackets behind it, and that weekday."""
    match = _BRACKET.match(text, end)
    return (match.end(), BRACKETED[match["day"]]) if match else (end, None)


def lexemes(text: str) -> list[Lexeme]:
    """Return the words of dates in a text, and numbers with what they count.

    Args:
        text: With full-width figures and brackets as plain ones.
    """
    found: list[Lexeme] = []
    end = 0
    for match in _HEADS.finditer(text):
        start = match.start()
        if start < end:
            continue
        for lexeme in _word(text, start, end) or _numbers(text, start, found):
            near = lexeme.touching or bool(_GAP.fullmatch(text, end, lexeme.start))
            found.append(lexeme._replace(touching=near and bool(found)))
            end = lexeme.end
    return found


def _word(text: str, start: int, last_end: int) -> list[Lexeme]:
    """Return the longest word that starts at a place; Korean ones only where a word may start."""
    if _HANGUL.match(text, start) and _HANGUL.match(text, start - 1) and last_end != start:
        return []
    for length in _WORD_LENGTHS.get(text[start], ()):
        lexeme = WORDS.get(text[start : start + length])
        if lexeme is None:
            continue
        end = start + length
        behind = text[end : end + 1]
        in_latin = lexeme.word.isascii() and _LATIN.search(text, max(0, start - 1), end + 1)
        if (behind and behind in NOT_BEFORE.get(lexeme.word, "")) or (
            in_latin and in_latin.end() - in_latin.start() > length
        ):
            continue
        if not start or text[start - 1] not in NOT_AFTER.get(lexeme.word, ""):
            return [lexeme._replace(start=start, end=end)]
    return []


def _numbers(text: str, start: int, before: Sequence[Lexeme]) -> list[Lexeme]:
    """Return a number with its unit; a date in figures as its parts."""
    if era := _ERA.match(text, start):
        first = 1 if era["year"] == "元" else int(era["year"])
        year = ERAS[era["era"]] + first
        return [Lexeme(Sort.DATE, era[0], year, name="year", start=start, end=era.end())]
    inside = text[max(0, start - 2) : start]
    if len(inside) == 2 and inside[0].isdigit() and inside[1] in ".,:/":
        match = _NUMBER.match(text, start)
        return [Lexeme(Sort.OTHER, start=start, end=match.end())] if match else []
    if dated := _NUMERIC.match(text, start) or _SLASHED.match(text, start):
        return list(_figures(dated))
    match = _NUMBER.match(text, start)
    if match is None:
        return []
    return [_counted(text, match, before) or Lexeme(Sort.OTHER, start=start, end=match.end())]


def _figures(match: re.Match[str]) -> Iterator[Lexeme]:
    """Yield year, month and day; what is none of these is a number without a unit."""
    possible = int(match["month"]) in range(1, 13) and int(match["day"]) in range(1, 32)
    sorts = {"year": Sort.DATE, "month": Sort.MONTH, "day": Sort.ORDINAL} if possible else {}
    for name in (name for name in sorts if name in match.re.groupindex):
        start, end = match.span(name)
        inside = start > match.start()
        lexeme = Lexeme(sorts[name], match[name], int(match[name]), name=name, touching=inside)
        yield lexeme._replace(start=start, end=end)
    if not possible:
        yield Lexeme(Sort.OTHER, start=match.start(), end=match.end())


def _counted(text: str, match: re.Match[str], before: Sequence[Lexeme]) -> Lexeme | None:
    """Return a number with what it counts."""
    number, start, end = numeral(match[0].strip()), match.start(), match.end()
    at = end + (text[end : end + 1] == " ")
    for length in _SUFFIX_LENGTHS.get(text[at : at + 1], ()):
        suffix = SUFFIXES.get(text[at : at + length])
        if suffix and suffix.sort is Sort.DATE and number < 100:  # 过去三年
            suffix = suffix._replace(sort=Sort.SPELL)
        if suffix and _fits(suffix, number, match[0], _is_behind_month(start, before)):
            return suffix._replace(number=number, start=start, end=at + length)
    same = _SAME_UNIT.match(text, start)
    suffix = SUFFIXES[same["unit"]] if same else None
    behind_month = _is_behind_month(start, before)
    if suffix is None or (suffix.sort is Sort.ORDINAL and not behind_month):
        return None
    fits = _fits(suffix, number, match[0], behind_month)
    return suffix._replace(number=number, start=start, end=end) if fits else None


def _is_behind_month(start: int, before: Sequence[Lexeme]) -> bool:
    if not before or start - before[-1].end > 2:
        return False
    last = before[-1]
    return last.sort in {Sort.MONTH, Sort.ORDINAL} or (
        last.sort is Sort.UNIT and last.name == "month"
    )


def _fits(suffix: Lexeme, number: int, written: str, behind_month: bool) -> bool:  # noqa: FBT001
    """Return whether there can be so many, or such a one."""
    figures = len(written) if written.isdigit() and written.isascii() else 0
    if suffix.sort is Sort.DATE:
        return figures == 4 and number in _YEARS
    if suffix.sort is Sort.DECADE:
        return number % 10 == 0 and (figures == 2 or (figures == 4 and number in _YEARS))
    if suffix.sort is Sort.MONTH:
        return figures < 3 and 1 <= number <= 12
    if suffix.sort is Sort.ORDINAL:
        return 1 <= number <= 31 and figures < 3 and (bool(figures) or behind_month)
    if suffix.sort is Sort.COUNTED:
        return 1 <= number <= _MOST_NIGHTS
    return suffix.sort is Sort.OTHER or 1 <= number <= _LONGEST_AGO


_BEHIND: Mapping[str, frozenset[Sort]] = {
    "year": frozenset({Sort.MONTH, Sort.SEASON, Sort.HOLIDAY, Sort.HALF, Sort.THIRD}),
    "month": frozenset({Sort.ORDINAL, Sort.THIRD}),
    "week": frozenset({Sort.WEEKDAY}),
    "day": frozenset({Sort.DAY_PART}),
    "pointer": frozenset({Sort.MONTH, Sort.SEASON, Sort.HOLIDAY, Sort.WEEKDAY, Sort.UNIT}),
    "stretch": frozenset({Sort.SPELL}),
}
"""What narrows a part if it stands behind it."""

_LEVELS: Mapping[Sort, str] = {
    Sort.DATE: "year", Sort.MONTH: "month", Sort.ORDINAL: "day", Sort.DAY: "day",
    Sort.WEEKDAY: "day", Sort.LAST: "pointer", Sort.THIS: "pointer", Sort.NEXT: "pointer",
    Sort.PAST: "stretch",
}  # fmt: skip
_COMPLETE = frozenset({
    Sort.DATE, Sort.MONTH, Sort.ORDINAL, Sort.UNIT, Sort.DAY, Sort.WEEKDAY, Sort.SEASON,
    Sort.HOLIDAY, Sort.AGO, Sort.FROM_NOW, Sort.DECADE,
})  # fmt: skip


def dates_written(text: str, found: Sequence[Lexeme]) -> list[Written]:
    """Return the dates that words make, in order."""
    dates: list[Written] = []
    i = 0
    while i < len(found):
        last = _last_of(text, found, i)
        parts = {each.sort: each for each in found[i : last + 1]}
        if parts.keys() & _COMPLETE or (Sort.SPELL in parts and last > i):
            end, weekday = found[last].end, None
            if found[last].sort is Sort.ORDINAL:
                end, weekday = with_weekday(text, end)
            recurs = i > 0 and found[i].touching and found[i - 1].sort is Sort.EVERY
            dates.append(Written(found[i].start, end, parts, weekday, recurs))
        i = last + 1
    return dates


def _last_of(text: str, found: Sequence[Lexeme], i: int) -> int:
    """Return the position of the last word of what starts at word `i`."""
    sorts = set()
    while True:
        lexeme = found[i]
        sorts.add(lexeme.sort)
        level = lexeme.name if lexeme.sort is Sort.UNIT else _LEVELS.get(lexeme.sort, "")
        behind = _BEHIND.get(level, frozenset())
        if lexeme.sort in {Sort.LAST, Sort.THIS}:
            behind |= {Sort.SPELL}
        following = found[i + 1] if i + 1 < len(found) else None
        if following is None or not following.touching or following.sort not in behind - sorts:
            return i
        if following.sort is Sort.UNIT and following.name != "weekend":
            return i
        if following.word in SHORT_SEASONS and not _ends_here(text, following.end):
            return i
        if following.sort is Sort.WEEKDAY and following.name:  # it names its own week
            return i
        i += 1


def _ends_here(text: str, end: int) -> bool:
    """Return whether no longer word, such as a name, goes on behind a character."""
    return not _NO_WORD_ENDS_BEFORE.match(text, end)


def _lengths(words: Iterable[str]) -> dict[str, list[int]]:
    """Return how long words with a first character are, the longest first."""
    by_first: dict[str, set[int]] = {}
    for word in words:
        by_first.setdefault(word[0], set()).add(len(word))
    return {first: sorted(lengths, reverse=True) for first, lengths in by_first.items()}


_WORD_LENGTHS = _lengths(WORDS)
_SUFFIX_LENGTHS = _lengths(SUFFIXES)
_FIRST = sorted(
    {*_WORD_LENGTHS, *(era[0] for era in ERAS), *"一二三四五六七八九十两兩한두세네다여"}
)
_HEADS = re.compile(f"[0-9{''.join(_FIRST)}]")
