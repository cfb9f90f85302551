"""What days a memory in Japanese, Chinese or Korean is about.

`mentions` reads 7月14日 and 7月14日〜16日; here is the rest:

====================  ============================================================================
nights                11月14日(木)より2泊, 3月5日から3日間, 11月14日入住 住两晚, 11월 14일 2박
days                  11月16日(土)、チェックアウト 17日(日); 14日(木)
relative              今日, 明日, 来週の水曜日, 今週末, 先月, 去年7月, 3日後, 明天, 后天, 내일, 모레
months                2024年10月, 10月に, 10月上旬, 今月末
not                   9時, 3,600円, 3日間, 毎週水曜日, ご宿泊の3日前, 3日前まで, 夏, a lone year
====================  ============================================================================
"""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, NamedTuple

from graphmemix.text.dates.about_stated import Stated
from graphmemix.text.dates.east_asian import counts_from_today, is_list
from graphmemix.text.dates.east_asian_lexemes import (
    LINK,
    dates_written,
    has_characters,
    has_hangul,
    has_kana,
    lexemes,
)
from graphmemix.text.dates.east_asian_meaning import meaning
from graphmemix.text.dates.east_asian_words import numeral
from graphmemix.text.dates.sorts import Sort

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphmemix.text.dates.about_stated import Kind
    from graphmemix.text.dates.calendar import Cycle, Period
    from graphmemix.text.dates.east_asian_lexemes import Written

__all__ = ["with_east_asian"]

_DAY = timedelta(days=1)
_NIGHTS = re.compile(
    r"\s?(?P<opens>より|から|부터|起|に|の|、|,|チェックイン|入住|체크인)?\s?[(、,]?\s?"
    r"(?:ご?宿泊|住|共|총)?\s?(?P<number>[0-9]{1,2}|[一二两兩三四五六七])\s?"
    r"(?:(?P<nights>泊|晚|박)|(?P<days>日間|天|일간))"
)
_OPENS_DAYS = frozenset({"より", "から", "부터", "起"})
_MOST_NIGHTS = 60
_LEAVES = re.compile(
    r"(?:チェックアウト|出発|帰り|退房|离店|離店|체크아웃|퇴실)[日期時时間间:\s]{0,5}\Z"
)
_LINKED = re.compile(r"(?:から|より|[〜~–ー-]|到|至|부터|에서)\s?\Z")
_LOOK_BACK = 14  # characters
_NEAR = 60  # characters from a date to a day that shares its month
_QUOTED = re.compile(r"[ \t]{0,8}>")
_LONGEST_LINE = 400  # characters in which the start of a quoted line is looked for
_CLAUSE = 60
_SENTENCE_END = re.compile(r"[。.!?！？\n]")
# Korean syllables of the past end in a double s; those of "there is" and of intentions do as well.
_KOREAN_PAST = "".join(map(chr, range(0xAC00 + 20, 0xD7A4, 28))).replace("있", "").replace("겠", "")
_PAST = re.compile(
    rf"ました|でした|だった|[いきっんし]た(?:[。、\s]|\Z)|[{_KOREAN_PAST}]|(?<![終完])了(?!解)|过"
)
_FUTURE = re.compile(
    r"ます|ましょう|でしょう|予定|つもり|예정|겠|거예요|까요|[將将]|打算|[准準][备備]|[要会會][去来來在]"
)
_ON_DAY = re.compile(
    r"\s?(?:に|の[^、。\s]|まで|から|、|朝|夜|午|[0-9]|에|까지|부터|날|[〜~–ー-]|아침|저녁|오[전후]|밤)"
)
_ON_THE = re.compile(r"(?:に|에)(?!\s?[0-9一二三])")
_IN_MONTH = re.compile(
    r"\s?(?:に|の|は|中|から|まで|より|以降|頃|ごろ|[〜~–ー-]|에|의|은|중|부터|까지)"
)
_BEFORE_COUNT = frozenset("第約毎每")
_ALLOWED = frozenset({
    Sort.DATE, Sort.MONTH, Sort.ORDINAL, Sort.UNIT, Sort.DAY, Sort.WEEKDAY, Sort.THIRD, Sort.AGO,
    Sort.FROM_NOW, Sort.LAST, Sort.THIS, Sort.NEXT, Sort.DAY_PART,
})  # fmt: skip
_POINTERS = frozenset({Sort.LAST, Sort.THIS, Sort.NEXT})
_REACH = range(-2, 3)  # months around the day of writing, for a day alone


class _Text(NamedTuple):
    """A text that was written on a certain day, if that is known."""

    text: str
    made: date | None
    has_particles: bool  # in Japanese or Korean, where particles stand behind what is meant

    @property
    def now(self) -> datetime | None:
        return datetime.combine(self.made, time()) if self.made else None

    def is_past(self, start: int, end: int) -> bool:
        """Return whether the sentence around some characters is in the past tense."""
        before = _SENTENCE_END.split(self.text[max(0, start - _CLAUSE) : start])[-1]
        behind = _SENTENCE_END.split(self.text[end : end + _CLAUSE])[0]
        clause = before + behind
        return bool(_PAST.search(clause)) and not _FUTURE.search(clause)

    def is_quoted(self, start: int) -> bool:
        """Return whether a place is in a quoted line, whose "tomorrow" is another day."""
        line = self.text.rfind("\n", max(0, start - _LONGEST_LINE), start) + 1
        return bool(_QUOTED.match(self.text, line))

    def is_linked(self, start: int) -> bool:
        """Return whether "from ... to" stands before a place."""
        return bool(_LINKED.search(self.text, max(0, start - _LOOK_BACK), start))


def with_east_asian(text: str, made: date | None, dates: Sequence[Stated]) -> list[Stated]:
    """Return the days that a text states by day and month, with those in these languages, in order.

    Args:
        text: What `plain` made.
        made: The day of writing. Without it, what depends on it is left out.
        dates: Those that are known.
    """
    if not has_characters(text):
        return list(dates)
    whole = _Text(text, made, has_particles=has_kana(text) or has_hangul(text))
    known, read = list(dates), list[Stated]()
    k = 0
    written = dates_written(text, lexemes(text))
    for each, following in zip(written, [*written[1:], None], strict=False):
        while k < len(known) and known[k].end <= each.start:
            read.append(known[k])
            k += 1
        if k < len(known) and known[k].start < each.end and not _is_pointed(each):
            known[k] = _longer(whole, known[k], each)
            continue
        found = _stated(whole, each, following, read)
        if found is None:
            continue
        if k < len(known) and known[k].start < each.end:
            k += 1
        read.append(_longer(whole, found, each))
    return [*read, *known[k:]]


def _is_pointed(written: Written) -> bool:
    return bool(written.parts.keys() & {*_POINTERS, Sort.UNIT})


def _longer(text: _Text, stated: Stated, written: Written) -> Stated:
    """Return a date with the weekday in brackets behind it, or with the nights from then on."""
    end = max(stated.end, written.end)
    stated = stated._replace(end=end)
    match = _NIGHTS.match(text.text, end)
    if match is None or stated.kind not in {"date", "day"} or stated.first != stated.last:
        return stated
    number = numeral(match["number"])
    if match["days"]:
        number -= 1
        if match["opens"] not in _OPENS_DAYS:
            return stated
    before = text.text[max(0, stated.start - _LOOK_BACK) : stated.start]
    if not 1 <= number <= _MOST_NIGHTS or _LEAVES.search(before) or text.is_linked(stated.start):
        return stated
    last = stated.first + number * _DAY
    return stated._replace(end=match.end(), last=last, kind="range")


def _stated(
    text: _Text, written: Written, following: Written | None, read: Sequence[Stated]
) -> Stated | None:
    """Return what a date states that is not written as a month and a day in figures."""
    if not written.parts.keys() <= _ALLOWED or written.recurs:
        return None
    try:
        if written.is_only(Sort.ORDINAL, Sort.DAY_PART):
            return _day_alone(text, written, following, read)
        return _named(text, written)
    except (ValueError, OverflowError):  # beyond the years 1 to 9999
        return None


def _named(text: _Text, written: Written) -> Stated | None:
    """Return what a date with more than a day states; that of a quoted line needs a year."""
    if Sort.DATE not in written.parts and text.is_quoted(written.start):
        return None
    found = meaning(written, text.now)
    if found and found.periods:
        return _of_period(text, written, found.periods[0])
    return _recurring(text, written, found.cycle) if found and found.cycle else None


def _of_period(text: _Text, written: Written, period: Period) -> Stated | None:
    """Return what days a period is; a year, or its beginning or end, is none."""
    has_year = Sort.DATE in written.parts or written.unit("year") is not None
    is_counted = bool({Sort.AGO, Sort.FROM_NOW} & written.parts.keys())
    if (has_year and Sort.MONTH not in written.parts) or period.span == "year":
        return None
    if is_counted and not counts_from_today(text.text, written):
        return None
    return _as_stated(written, period, has_year=True)


def _recurring(text: _Text, written: Written, cycle: Cycle) -> Stated | None:
    """Return the day or the month that a name without a year means."""
    if text.made is None:
        return None
    if Sort.WEEKDAY in written.parts:
        return _weekday_alone(text, written)
    if Sort.UNIT in written.parts:
        return _weekend_alone(text, written)
    is_more = bool({Sort.ORDINAL, Sort.THIRD} & written.parts.keys())
    if not is_more and not _is_in_month(text, written):
        return None
    period = _nearest(cycle, text.made, written.weekday)
    return _as_stated(written, period, has_year=False) if period else None


def _is_in_month(text: _Text, written: Written) -> bool:
    """Return whether something happens in a month: 10月に, 10月〜3月."""
    if not text.has_particles:
        return True
    return bool(_IN_MONTH.match(text.text, written.end)) or text.is_linked(written.start)


def _nearest(cycle: Cycle, made: date, weekday: int | None) -> Period | None:
    """Return the one whose middle is nearest to a day, if it may be on the weekday in brackets."""
    found = [each for k in (-1, 0, 1) if (each := cycle.at(made.year + k))]
    found = [each for each in found if each.start.weekday() == weekday] or found
    day = datetime.combine(made, time())
    return min(
        found, key=lambda each: abs(each.start + (each.end - each.start) / 2 - day), default=None
    )


def _as_stated(written: Written, period: Period, *, has_year: bool) -> Stated:
    first = period.start.date()
    is_day = period.span in {"day", "daypart"}
    last = first if is_day else (period.end - _DAY).date()
    kind: Kind = "day"
    if {Sort.MONTH, Sort.ORDINAL} & written.parts.keys():
        kind = "date" if Sort.ORDINAL in written.parts else "month"
    elif not is_day:
        kind = "month" if period.span == "month" else "week"
    return Stated(written.start, written.end, first, last, kind, has_year=has_year)


def _weekday_alone(text: _Text, written: Written) -> Stated | None:
    """Read 水曜日に, 周五 and 금요일에: from the day of writing on, if nothing says else."""
    is_said = (
        written.parts.keys() & {Sort.DAY_PART}
        or _ON_DAY.match(text.text, written.end)
        or text.is_linked(written.start)
        or not (text.has_particles or "曜" in written.parts[Sort.WEEKDAY].word)
    )
    if not is_said or text.made is None:
        return None
    day = text.made + ((written.parts[Sort.WEEKDAY].number - text.made.weekday()) % 7 or 7) * _DAY
    if text.is_past(written.start, written.end):
        day -= 7 * _DAY
    return Stated(written.start, written.end, day, day, "weekday")


def _weekend_alone(text: _Text, written: Written) -> Stated | None:
    if text.made is None or (text.has_particles and not _ON_THE.match(text.text, written.end)):
        return None
    past = text.made.weekday() < 3 and text.is_past(written.start, written.end)
    first = text.made + (5 - text.made.weekday() - 7 * past) * _DAY
    return Stated(written.start, written.end, first, first + _DAY, "week")


def _day_alone(
    text: _Text, written: Written, following: Written | None, read: Sequence[Stated]
) -> Stated | None:
    """Read 17日(日), the month of which is that of the date before, or that of writing."""
    number = written.parts[Sort.ORDINAL].number
    if read and (day := _in_month_of(text, written, read[-1], number)):
        return Stated(written.start, written.end, day, day, "date", has_year=read[-1].has_year)
    if text.made is None or text.text[written.start - 1 : written.start] in _BEFORE_COUNT:
        return None
    made, start = text.made, written.start
    first = made.year * 12 + made.month - 1
    days = [
        found
        for k in _REACH
        if (found := _day_of((first + k) // 12, (first + k) % 12 + 1, number)) is not None
    ]
    if written.weekday is not None:
        days = [day for day in days if day.weekday() == written.weekday]
        days.sort(key=lambda day: (abs(day - made), day < made))
    elif text.has_particles and (
        _ON_THE.match(text.text, written.end) or _opens_days(text.text, written, following)
    ):
        past = text.is_past(start, written.end)
        days = (
            [day for day in reversed(days) if day < made]
            if past
            else [day for day in days if day >= made]
        )
    else:
        return None
    return Stated(start, written.end, days[0], days[0], "date", has_year=False) if days else None


def _opens_days(text: str, written: Written, following: Written | None) -> bool:
    """Return whether another day of the month ends what starts here: 14日〜16日."""
    if following is None or not following.is_only(Sort.ORDINAL):
        return False
    return bool(LINK.fullmatch(text, written.end, following.start))


def _in_month_of(text: _Text, written: Written, before: Stated, number: int) -> date | None:
    """Return a day in the month of the date before it, or in the next one, if they go together."""
    if before.kind not in {"date", "range"} or written.start - before.end > _NEAR:
        return None
    linked = LINK.fullmatch(text.text, before.end, written.start)
    together = linked or is_list(text.text, written._replace(end=before.end), written)
    opening = text.text[max(before.end, written.start - _LOOK_BACK) : written.start]
    follows = Sort.DAY_PART in written.parts or _LEAVES.search(opening)
    month = before.last.year * 12 + before.last.month - 1
    for k in (0, 1):
        day = _day_of((month + k) // 12, (month + k) % 12 + 1, number)
        if day is None or day <= before.last:
            continue
        if written.weekday is not None:
            if day.weekday() == written.weekday:
                return day
        elif together or (follows and not k):
            return day
    return None


def _day_of(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
