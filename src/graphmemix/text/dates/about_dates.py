"""Calendar dates of a text as days that it is about: years completed, day and month settled.

Two that are the ends of one interval become one: "from A to B", "check-in A, check-out B".
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from itertools import groupby
from typing import TYPE_CHECKING

from graphmemix.text.dates import about_words as words
from graphmemix.text.dates.about_stated import Stated
from graphmemix.text.dates.east_asian_lexemes import has_characters, with_weekday
from graphmemix.text.dates.mentions import Mention, mentions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_HAS_YEAR = re.compile(
    r"[0-9]{4}|'[0-9]{2}\Z|\A[0-9]{1,2}[\s/-]{0,3}[A-Za-z]{3,10}-?[0-9]{2}\Z"
    r"|[0-9]([./-])\s?[0-9]{1,2}\1\s?[0-9]{2}\Z"
)
_LETTER = re.compile("[A-Za-z月월]")
_LISTED = re.compile(r"\A[0-9]{1,2}\.?\s?(?:[/+&]|and|und|et|y|e|en)\b|\A[0-9]{1,2}\.?\s?[/+&]")
_WEEKDAY_BEFORE = re.compile(
    r"([A-Za-z]{2,14})(?:-feira)?[.,]{0,2}[\s(]{1,2}(?:(?:the|den|der|le|el|il|om)\s{1,2})?\Z"
)
_SAMPLE = 4000  # characters that show the language
_LOOK_BACK = 32  # characters, as far as the patterns that end before a date can reach
_DAYS_BEFORE = re.compile(
    r"(?<![0-9.,:/-])(?:[0-9]{1,2}(?:st|nd|rd|th|\.)?,\s?){0,5}[0-9]{1,2}(?:st|nd|rd|th|\.)?"
    r"(?:,|\s(?:and|und|et|y|e|en|och|or|oder|ou|o)|\s?&)\s\Z"
)
_FIRST_DAY = re.compile(
    r"(?<![0-9.,:/-])(?P<day>[0-9]{1,2})(?:\.(?P<month>[0-9]{1,2})\.?|st|nd|rd|th|er|[.ºª])?"
    r"\s{0,2}(?:[-–—]|to|until|till?|through|bis(?: zum)?|au|al|a|tot|ate|e[nt]? met)\s{0,2}"
    r"(?:(?:the|den|le|el|il|om)\s)?(?:(?P<weekday>[A-Za-z]{2,14})(?:-feira)?[.,]{0,2}\s{1,2}"
    r"(?:(?:the|den)\s)?)?\Z"
)
_LAST_DAY = re.compile(
    r"\s{0,2}(?:[-–—]|to|through|thru|until|till?)\s{0,2}(?:the\s)?"
    r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th)?(?:,?\s(?P<year>(?:19|20)[0-9]{2}))?"
    r"(?![0-9a-z:%]|[.,:/-][0-9]|\s?(?:am|pm|h|uhr)\b)"
)
_SOON = (timedelta(days=-45), timedelta(days=120))
_SAME_TIME = timedelta(days=550)  # a stated date is an anchor for others only if it is so near
LONGEST = 92  # days of an interval: three months
_WIDEST = 240  # characters between check-in and check-out
_BEFORE = 90  # characters in which a label stands before its date
_WAY = 200  # the same for a way out, which may have several legs
_WORD = re.compile(r"[a-z]+|[0-9]{1,2}[:.h][0-9]{2}|[0-9]{1,2}\s?(?:am|pm|uhr|h)\b|[^\sa-z]")
_FILLERS = words.DAY_PARTS | words.word_set(
    "fruh mittag midi mediodia the den der dem zum le el il om at on um am kl ab h uhr las ore "
    ", . ( ) | : 、 時 分 頃 着 発 午 前 後 点 點 上 下 시 분 오 전 후"
)
_TO = words.word_set(
    "to until till til through thru bis au al a hasta tot t/m tom fino ate jusqu'au jusqu > -> "
    "- – — → ~ / upto 〜 ー から より 到 至 부터 에서"
) - {"/"}
_AND = words.word_set("and und et y e en och &")
_BETWEEN = re.compile(r"\b(?:between|zwischen|entre|mellan|tussen|tra|fra)\b[^.!?\n]{0,30}\Z")
_STAY = re.compile(
    r"\b(?:stay(?:s|ing)? (?:until|till?)|bleib[a-z]{1,3} bis|rest[a-z]{1,4} jusqu(?:e|'au?)"
    r"|qued[a-z]{1,5} hasta|blijf[a-z]{0,3} tot|stannar till)\b(?: zum| the| el| le)?\s\Z"
)
_MOVED = re.compile(
    r"\b(?:moved?|moving|chang(?:ed?|ing)|postponed?|rescheduled?|brought forward|verschoben"
    r"|verlegt|deplacee?s?|reportee?s?|decalee?s?|cambiad[oa]|movid[oa]|aplazad[oa]"
    r"|flyttad|flyttat|flyttas|andrad|verplaatst|verzet|spostat[oa]|rinviat[oa]|adiad[oa])\b"
)
_ARRIVAL = re.compile(
    r"\b(?:check[ -]?in|arriv(?:al|ee|e|ing|o|es)|anreise|ankunft|llegada|entrada|incheckning"
    r"|inchecken|ankomst|aankomst|chegada|pick[ -]?up|abholung|mietbeginn|prise en charge)\b"
    r"|チェックイン|到着|入住|체크인|입실"
)
_DEPARTURE = re.compile(
    r"\b(?:check[ -]?out|depart(?:ure|s|ing)?|leav(?:e|es|ing)|abreise|abfahrt|salida|utcheckning"
    r"|uitchecken|avresa|vertrek|partenza|partida|saida|drop[ -]?off|ruckgabe|restitution|return)\b"
    r"|チェックアウト|出発|退房|离店|離店|체크아웃|퇴실"
)
_WAY_OUT = re.compile(
    r"\b(?:out|outbound|outward|depart(?:ure|s|ing)?|leave|leaving|fly|flying|flights?|trains?"
    r"|coach|ferry|bus|tickets?|passengers?|booking|hinfahrt|hinflug|hin|hinreise|abflug"
    r"|aller|ida|salida|andata|utresa|heenreis|vertrek|heen|partida)\b|往路|行き|去程|가는 편"
)
_WAY_BACK = re.compile(
    r"\b(?:return|returning|inbound|homebound|ruckfahrt|ruckflug|ruckreise|zuruck|retour|vuelta"
    r"|regreso|ritorno|hemresa|aterresa|terugreis|terug|volta|back (?:on|home))\b"
    r"|復路|帰り|回程|返程|오는 편"
)
_START = re.compile(r"\b(?:starts?|beginn?s?|debut|inicio|inizio)\b|開始|开始|시작")
_END = re.compile(r"\b(?:ends?|ende|fin|fine|slutar)\b|終了|结束|結束|종료")
_MOVED_TO = re.compile(r"[^\n。]{0,6}(?:変更|延期|改|변경|연기)")
_OPENING_HOURS = re.compile(
    r"[\s,:]{0,3}(?:(?:from|von|de|kl)\s)?[0-9]{1,2}(?:[:.h時点點시]|\s?[-–]|\s?[ap]m)"
)


def stated_dates(text: str, made: date | None) -> list[Stated]:
    """Return the days that a text states by day and month, in order.

    Args:
        text: What `plain` made.
        made: The day of writing. Without it, the first full date settles the years of others.
    """
    found = mentions(text, made)
    if made is None:
        if not found:
            return []
        made = found[0].date
        found = mentions(text, made)
    groups = [list(group) for _, group in groupby(found, key=lambda each: each[:2])]
    unclear = any(_is_either_way(text, group) for group in groups)
    day_first = _day_first(text, made, groups) if unclear else None
    anchors = [
        each.date for each in found if abs(each.date - made) <= _SAME_TIME and _has_year(text, each)
    ]
    stated = [
        item
        for group in groups
        for item in _read(text, group, day_first, made=made, anchors=anchors)
    ]
    read: list[Stated] = []
    for each in stated:
        whole = _with_first_day(text, each)
        if read and whole.start <= read[-1].start < each.start:  # "10.07. bis 17.07.2024"
            read.pop()
        read += [*_listed_before(text, each), whole]
    return sorted(read, key=lambda each: each[:2])


def _has_year(text: str, mention: Mention) -> bool:
    return bool(_HAS_YEAR.search(text[mention.start : mention.end]))


def _weekday_before(text: str, start: int) -> int | None:
    match = _WEEKDAY_BEFORE.search(text, max(0, start - _LOOK_BACK), start)
    if match is None:
        return None
    word = match[1].lower()
    known = words.WEEKDAYS.get(word)
    return words.ABBREVIATED.get(word) if known is None and match[1][0].isupper() else known


def _weekday_behind(text: str, end: int, days: Sequence[date]) -> int | None:
    """Return the weekday of the first day, by that in brackets behind the last: 11月16日(土)."""
    weekday = with_weekday(text, end)[1]
    return None if weekday is None else (weekday - (days[-1] - days[0]).days) % 7


def _is_either_way(text: str, group: Sequence[Mention]) -> bool:
    start, end, _ = group[0]
    return len(group) == 2 and not _LETTER.search(text, start, end)


def _day_first(text: str, made: date, groups: Sequence[Sequence[Mention]]) -> bool | None:
    """Return how 05/06/2023 is meant, if the other dates or the weekday before it agree on it."""
    sure = {group[0].date for group in groups if len(group) == 1} | {made}
    votes = set()
    for group in groups:
        start, end, day = group[0]
        parts = re.split("[/-]", text[start:end])
        if len(parts) != 3 or not all(part.isdigit() for part in parts) or len(parts[0]) > 2:
            continue
        first = int(parts[0])
        if not _is_either_way(text, group):
            if int(parts[1]) != first:
                votes.add(day.day == first)
            continue
        weekday = _weekday_before(text, start)
        days = [each.date for each in group]
        fitting = [each for each in days if each.weekday() == weekday]
        fitting = fitting or [each for each in days if each in sure]
        if len(fitting) == 1:
            votes.add(fitting[0].day == first)
    if not votes and _writes_day_first(text):
        return True
    return votes.pop() if len(votes) == 1 else None


def _writes_day_first(text: str) -> bool:
    """Return whether most small words are of a language that writes the day before the month."""
    used = set(text[:_SAMPLE].lower().split())
    return len(used & words.DAY_FIRST) > len(used & words.ENGLISH_ONLY)


def _read(
    text: str,
    group: Sequence[Mention],
    day_first: bool | None,  # noqa: FBT001
    *,
    made: date,
    anchors: Sequence[date],
) -> Iterator[Stated]:
    start, end, _ = group[0]
    days = [each.date for each in group]
    if _is_either_way(text, group):
        if day_first is not None:
            number = int(text[start : start + 2].rstrip("/-"))
            days = [day for day in days if (day.day == number) == day_first] or days
        other = days[1] if len(days) > 1 else None
        yield Stated(start, end, days[0], days[0], "date", other)
        return
    has_year = _has_year(text, group[0])
    if not has_year:
        weekday = _weekday_before(text, start)
        if weekday is None:
            weekday = _weekday_behind(text, end, days)
        first = _completed(days[0], weekday, made, anchors)
        days = [first, *(_not_before(day, first) for day in days[1:])]
    if len(days) == 2 and days[0] < days[1] and not _LISTED.match(text[start:end]):
        yield Stated(start, end, days[0], days[1], "range", has_year=has_year)
    else:
        for day in days:
            yield Stated(start, end, day, day, "date", has_year=has_year)


def _completed(day: date, weekday: int | None, made: date, anchors: Sequence[date]) -> date:
    """Return the day in the year that the weekday, the day of writing or another date suggests."""
    years = [each for k in (-1, 0, 1) if (each := in_year(day, made.year + k))]
    fitting = [each for each in years if each.weekday() == weekday] or years
    if not fitting:
        return day
    nearest = min(fitting, key=lambda each: (abs(each - made), -each.year))
    if _SOON[0] <= nearest - made <= _SOON[1] or not anchors:
        return nearest
    return min(fitting, key=lambda each: min(abs(each - near) for near in (made, *anchors)))


def in_year(day: date, year: int) -> date | None:
    """Return the day of the same name in another year, if there is one."""
    try:
        return day.replace(year=year)
    except ValueError:
        return None


def _not_before(day: date, first: date) -> date:
    """Return a day without a year in the first year in which it does not lie before another."""
    years = (in_year(day, first.year + k) for k in (0, 1))
    return next((each for each in years if each and each >= first), day)


def _listed_before(text: str, stated: Stated) -> Iterator[Stated]:
    """Yield the other days of "9, 10 and 11 February"."""
    if stated.kind == "range" or text[stated.start].isalpha():
        return
    match = _DAYS_BEFORE.search(text, max(0, stated.start - _LOOK_BACK), stated.start)
    if match is None:
        return
    for number in re.findall("[0-9]+", match[0]):
        try:
            day = stated.first.replace(day=int(number))
        except ValueError:
            continue
        yield Stated(match.start(), match.end(), day, day, "date", has_year=stated.has_year)


def _with_first_day(text: str, stated: Stated) -> Stated:
    """Add the first day of "3 al 7 de mayo" and "Monday 2 to Friday 5 April", or the last one."""
    if stated.kind != "date" or stated.other:
        return stated
    if text[stated.start].isalpha():  # "October 12 to 14"
        match = _LAST_DAY.match(text, stated.end)
        return _until(stated, match) if match else stated
    match = _FIRST_DAY.search(text, max(0, stated.start - _LOOK_BACK), stated.start)
    if match is None or not _is_weekday(match["weekday"]):
        return stated
    month = int(match["month"] or stated.last.month)
    try:
        first = date(stated.last.year - (month > stated.last.month), month, int(match["day"]))
    except ValueError:
        return stated
    if first >= stated.last:
        return stated
    return stated._replace(start=match.start(), first=first, kind="range")


def _is_weekday(word: str | None) -> bool:
    return word is None or word.lower() in words.WEEKDAYS or word.lower() in words.ABBREVIATED


def _until(stated: Stated, match: re.Match[str]) -> Stated:
    first = stated.first
    if match["year"] and not stated.has_year:
        first = in_year(first, int(match["year"])) or first
    try:
        last = first.replace(day=int(match["day"]))
    except ValueError:
        return stated
    if last <= first:
        return stated
    has_year = stated.has_year or bool(match["year"])
    return Stated(stated.start, match.end(), first, last, "range", has_year=has_year)


def joined(stated: Iterable[Stated], text: str) -> list[Stated]:
    """Return the same with the ends of intervals as one.

    Args:
        stated: In order of the text.
        text: What `plain` made, in lower case.
    """
    found: list[Stated] = []
    for each in stated:
        both = _interval(found, each, text) if found else None
        if both:
            found[-1] = both
        else:
            found.append(each)
    return [each for each in found if not _is_opening_hours(each, text)]


def _interval(before: list[Stated], last: Stated, text: str) -> Stated | None:
    first = before[-1]
    gap = text[first.end : last.start]
    if len(gap) > _WIDEST or "range" in {first.kind, last.kind} or first.other or last.other:
        return None
    since = max(before[-2].end if len(before) > 1 else 0, first.start - _BEFORE)
    opening = text[since : first.start]
    way = text[max(0, first.start - _WAY) : first.start]
    behind = text[last.end : last.end + 24]
    if not (
        _is_range(gap, opening, behind)
        or _is_labelled((_ARRIVAL, _DEPARTURE), opening, gap, behind)
        or _is_labelled((_START, _END), opening, gap, behind)
        or _is_labelled((_WAY_OUT, _WAY_BACK), way, gap, behind)
        or _STAY.search(gap)
    ):
        return None
    start, end = _ends(first, last)
    if not start <= end <= start + timedelta(days=LONGEST - 1):
        return None
    kind = "weekday" if first.kind == last.kind == "weekday" else "range"
    return first._replace(end=last.end, first=start, last=end, kind=kind)  # type: ignore[arg-type]


def _is_range(gap: str, opening: str, behind: str) -> bool:
    """Return whether nothing but a word or sign for "to" stands between two dates."""
    if len(gap) > 48:
        return False
    parts = [part for part in _WORD.findall(gap) if not _is_filler(part)]
    link = "".join(parts)
    if link in _AND:
        return bool(_BETWEEN.search(opening))
    return link in _TO and not _MOVED.search(opening) and not _MOVED_TO.match(behind)


def _is_filler(part: str) -> bool:
    return bool(
        part in _FILLERS or part in words.WEEKDAYS or part in words.ABBREVIATED or part[0].isdigit()
    )


def _is_labelled(
    label: tuple[re.Pattern[str], re.Pattern[str]], before: str, gap: str, behind: str
) -> bool:
    """Return whether one word opens an interval, and another before or behind its end closes it."""
    opens, closes = label
    is_closed_behind = closes.match(behind.lstrip(" ,:(-"))
    if not (closes.search(gap) or is_closed_behind):
        return False
    if is_closed_behind and has_characters(gap) and opens.match(gap.lstrip()):
        return True  # 4月5日入住 4月7日退房
    return bool(opens.search(before))


def _ends(first: Stated, last: Stated) -> tuple[date, date]:
    """Return both ends, with the year of the one that states it."""
    start, end = first.first, last.last
    if not first.has_year and last.has_year:
        years = (in_year(start, end.year - k) for k in (0, 1))
        start = next((day for day in years if day and day <= end), start)
    elif not last.has_year and (first.has_year or end < start):
        years = (in_year(end, start.year + k) for k in (0, 1))
        end = next((day for day in years if day and day >= start), end)
    elif last.kind == "weekday" and end < start:
        end += timedelta(days=7)
    return start, end


def _is_opening_hours(stated: Stated, text: str) -> bool:
    """Return whether weekdays come again and again: "Monday to Friday", "Tue to Thu 9-12"."""
    if stated.kind != "weekday" or stated.first == stated.last:
        return False
    whole_week = stated.first.weekday() == 0 and stated.last.weekday() >= 4
    return whole_week or bool(_OPENING_HOURS.match(text, stated.end))
