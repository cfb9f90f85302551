"""Two dates that are the ends of one interval: "from A to B", "check-in A, check-out B"."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING

from graphmemix.text.dates import about_words as words
from graphmemix.text.dates.about_dates import in_year

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date

    from graphmemix.text.dates.about_stated import Stated

LONGEST = 92  # days of an interval: three months
_WIDEST = 240  # characters between check-in and check-out
_BEFORE = 90  # characters in which a label stands before its date
_WAY = 200  # the same for a way out, which may have several legs
_WORD = re.compile(r"[a-z]+|[0-9]{1,2}[:.h][0-9]{2}|[0-9]{1,2}\s?(?:am|pm|uhr|h)\b|[^\sa-z]")
_FILLERS = words.DAY_PARTS | words.word_set(
    "fruh mittag midi mediodia the den der dem zum le el il om at on um am kl ab h uhr las ore "
    ", . ( ) | :"
)
_TO = words.word_set(
    "to until till til through thru bis au al a hasta tot t/m tom fino ate jusqu'au jusqu > -> "
    "- – — → ~ / upto"
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
)
_DEPARTURE = re.compile(
    r"\b(?:check[ -]?out|depart(?:ure|s|ing)?|leav(?:e|es|ing)|abreise|abfahrt|salida|utcheckning"
    r"|uitchecken|avresa|vertrek|partenza|partida|saida|drop[ -]?off|ruckgabe|restitution|return)\b"
)
_WAY_OUT = re.compile(
    r"\b(?:out|outbound|outward|depart(?:ure|s|ing)?|leave|leaving|fly|flying|flights?|trains?"
    r"|coach|ferry|bus|tickets?|passengers?|booking|hinfahrt|hinflug|hin|hinreise|abflug"
    r"|aller|ida|salida|andata|utresa|heenreis|vertrek|heen|partida)\b"
)
_WAY_BACK = re.compile(
    r"\b(?:return|returning|inbound|homebound|ruckfahrt|ruckflug|ruckreise|zuruck|retour|vuelta"
    r"|regreso|ritorno|hemresa|aterresa|terugreis|terug|volta|back (?:on|home))\b"
)
_START = re.compile(r"\b(?:starts?|beginn?s?|debut|inicio|inizio)\b")
_END = re.compile(r"\b(?:ends?|ende|fin|fine|slutar)\b")
_OPENING_HOURS = re.compile(
    r"[\s,:]{0,3}(?:(?:from|von|de|kl)\s)?[0-9]{1,2}(?:[:.h]|\s?[-–]|\s?[ap]m)"
)


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
        _is_range(gap, opening)
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


def _is_range(gap: str, opening: str) -> bool:
    """Return whether nothing but a word or sign for "to" stands between two dates."""
    if len(gap) > 48:
        return False
    parts = [part for part in _WORD.findall(gap) if not _is_filler(part)]
    link = "".join(parts)
    if link in _AND:
        return bool(_BETWEEN.search(opening))
    return link in _TO and not _MOVED.search(opening)


def _is_filler(part: str) -> bool:
    return bool(
        part in _FILLERS or part in words.WEEKDAYS or part in words.ABBREVIATED or part[0].isdigit()
    )


def _is_labelled(
    label: tuple[re.Pattern[str], re.Pattern[str]], before: str, gap: str, behind: str
) -> bool:
    """Return whether one word opens an interval, and another before or behind its end closes it."""
    opens, closes = label
    if not (closes.search(gap) or closes.match(behind.lstrip(" ,:(-"))):
        return False
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
