"""Dates of questions in Japanese, Chinese and Korean, and what their words mean.

====================  ============================================================================
absolute              2025年8月2日, 令和6年7月, 2024年の夏, 2025년 8월 2일, 8月2號, 2024年前半
without a year        7月, 8月2日, クリスマス, 夏に: the latest that has started
relative              昨日, 先週の土曜日, 上个月, 上周五, 지난 여름, 3日前, 两周前, 过去三个月
narrowed              7月上旬, 8月2日の夜, 先月の5日, 작년 12월 말
ranges                7月から12月まで, 3月5日〜7日, 从3月到5月, 3월부터 5월까지, 2019年以降, 7月まで
no date               3日間, 9時, 毎週水曜日, その夏, 出発の3日前
====================  ============================================================================

As in the other languages, "three weeks ago" is the calendar's week.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from graphmemix.text.dates.cursor import Cursor
from graphmemix.text.dates.east_asian_lexemes import (
    LINK,
    dates_written,
    has_kana,
    lexemes,
)
from graphmemix.text.dates.east_asian_meaning import meaning
from graphmemix.text.dates.sentence import between, side
from graphmemix.text.dates.sorts import Sort

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from graphmemix.text.dates.calendar import Period
    from graphmemix.text.dates.east_asian_lexemes import Written

__all__ = ["PeriodsFound", "counts_from_today", "is_list", "periods_in"]

_WIDE = str.maketrans({code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: " "})
_AND = re.compile(r"\s?[とや和与與或、,・와과및]\s?")
_LIST_WORDS = re.compile(r"\s?(?:か|または|それとも|还是|還是|또는|그리고|이나)\s?")
_BETWEEN = re.compile(r"\s?(?:の間|之间|之間|间|間|사이)")
_UNTIL_END = re.compile(r"\s?(?:にかけて|まで|迄|까지|为止|為止|之间|之間|の間)")
_FROM = re.compile(r"[从從自]\Z")
_SIDES = (
    (Sort.UNTIL, re.compile(r"\s?(?:まで|迄|까지|为止|為止)")),
    (Sort.SINCE, re.compile(r"\s?(?:以来|以來|以降|から|부터|이후|이래|开始|開始|起)")),
    (Sort.AFTER, re.compile(r"\s?(?:[之以][后後]|の?後(?!半)|[后후])")),
    (Sort.BEFORE, re.compile(r"\s?(?:[之以]前|より前|の?前(?![半後后日夜の])|이전|전에)")),
)
_WEAK_SEASON = re.compile(r"(?:に|の|は|も|頃|ごろ|、|에|의|은)")
# Christmas trees and winter games have no date.
_AT_FEAST = re.compile(r"[\u30a1-\u30fa]|会|飾|\s?(?:트리|선물|카드|케이크)")
_IN_SEASON = re.compile("[\u30a1-\u30fa\u3400-\u9fff]")
_WEAK_DAY = re.compile(r"(?:に|は|の夜|の朝|에)(?![0-9一二三])")
_IDEOGRAPH = re.compile("[\u3400-\u9fff]")
_LIMIT = re.compile(r"(?:まで|から|以[降前内]|까지|부터|より)")
_NOUN = re.compile("[\u30a1-\u30fa\u3400-\u9fff]")
_COMMON_NOUNS = frozenset("約今大概")


class PeriodsFound(NamedTuple):
    """The periods that the words from `first` until before `last` name."""

    first: int
    last: int
    periods: tuple[Period, ...]


def periods_in(text: str, now: datetime | None, names: Collection[str]) -> list[PeriodsFound]:
    """Return the dates of a question, in order.

    Args:
        text: The question.
        now: The asker's clock; None if it is not known.
        names: Words of people's names.
    """
    folded = text.translate(_WIDE)
    words = lexemes(folded)
    cursor = Cursor(words, now, rules={}, romance=False, names=names)
    written = [
        each
        for each in dates_written(folded, words)
        if text[each.start : each.end] not in names
        and (not each.recurs or Sort.DATE in each.parts)
        and _is_sure(folded, each)
    ]
    found: list[PeriodsFound] = []
    i = 0
    while i < len(written):
        following = written[i + 1] if i + 1 < len(written) else None
        try:
            both = _range(cursor, folded, written[i], following) if following else None
            one = both or _single(cursor, folded, written[i])
        except (ValueError, OverflowError):  # beyond the years 1 to 9999
            both = one = None
        if one and one.periods:
            found.append(one)
        if following and not both and is_list(folded, written[i], following):
            written[i + 1] = _completed(following, written[i])
        i += 2 if both else 1
    return found


def is_list(text: str, first: Written, second: Written) -> bool:
    """Return whether nothing but a word or sign for "and" or "or" stands between two dates."""
    return any(pattern.fullmatch(text, first.end, second.start) for pattern in (_AND, _LIST_WORDS))


def _is_sure(text: str, written: Written) -> bool:
    """Return whether what may be part of another word, or no date, is one here."""
    season = written.parts.get(Sort.SEASON)
    if season and season.weak and written.is_only(Sort.SEASON):
        inside = _IDEOGRAPH.match(text, written.start - 1) if written.start else None
        return not inside and bool(_WEAK_SEASON.match(text, written.end))
    name = written.parts.get(Sort.HOLIDAY) or season
    if name and written.is_only(Sort.SEASON, Sort.HOLIDAY):
        compound = _IN_SEASON if name.word[-1] == "季" else _AT_FEAST
        return not compound.match(text, written.end)
    if Sort.AGO in written.parts or Sort.FROM_NOW in written.parts:
        return counts_from_today(text, written)
    return True


def counts_from_today(text: str, written: Written) -> bool:
    """Return whether "three days before" has no other day: 出発の3日前, 3日前まで."""
    if _LIMIT.match(text, written.end):
        return False
    before = text[written.start - 1 : written.start]
    if not before or not has_kana(text, written.start):
        return True
    return before != "の" and not (_NOUN.match(before) and before not in _COMMON_NOUNS)


def _completed(second: Written, first: Written) -> Written:
    """Return the second of two dates with the month and year that only the first one has."""
    if second.is_only(Sort.ORDINAL, Sort.DAY_PART):
        return second.with_parts_of(first, Sort.DATE, Sort.UNIT, Sort.MONTH)
    if Sort.MONTH in second.parts and Sort.UNIT not in second.parts and Sort.MONTH in first.parts:
        return second.with_parts_of(first, Sort.DATE, Sort.UNIT)
    return second


def _range(cursor: Cursor, text: str, first: Written, second: Written) -> PeriodsFound | None:
    """Read 3月5日〜7日, 从3月到5月, 7月と9月の間."""
    linked = LINK.fullmatch(text, first.end, second.start)
    behind = _BETWEEN.match(text, second.end)
    if not linked and not (behind and is_list(text, first, second)):
        return None
    low, high = first.number(Sort.ORDINAL), second.number(Sort.ORDINAL)
    if high and second.is_only(Sort.ORDINAL) and (low is None or low < high):
        second = second.with_parts_of(first, Sort.DATE, Sort.UNIT, Sort.MONTH)
    start, end = meaning(first, cursor.now), meaning(second, cursor.now)
    if start is None or end is None:
        return None
    found = tuple(each for each in between(cursor, start, end) if each.start < each.end)
    closing = _UNTIL_END.match(text, second.end)
    opening = first.start - bool(_FROM.search(text, max(0, first.start - 1), first.start))
    return PeriodsFound(opening, closing.end() if closing else second.end, found)


def _single(cursor: Cursor, text: str, written: Written) -> PeriodsFound | None:
    if written.is_only(Sort.ORDINAL) and not _is_day_alone(text, written):
        return None
    found = meaning(written, cursor.now)
    if found is None:
        return None
    for sort, pattern in _SIDES:
        if match := pattern.match(text, written.end):
            as_until = sort is Sort.BEFORE and match[0] == "以前" and has_kana(text, written.end)
            sort = Sort.UNTIL if as_until else sort  # noqa: PLW2901  # it includes the day itself
            periods = tuple(side(cursor.now, sort, each) for each in cursor.settled(found))
            return PeriodsFound(written.start, match.end(), periods)
    return PeriodsFound(written.start, written.end, cursor.settled(found))


def _is_day_alone(text: str, written: Written) -> bool:
    before = text[written.start - 1] if written.start else ""
    if written.weekday is not None:
        return True
    return not _IDEOGRAPH.match(before) and bool(_WEAK_DAY.match(text, written.end))
