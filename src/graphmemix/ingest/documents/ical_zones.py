"""Time zones of calendars: by IANA name, by other names, or by their rules."""

from __future__ import annotations

import calendar
import re
from bisect import bisect_right
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from functools import cache, cached_property
from typing import TYPE_CHECKING, Final, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from tzlocal.windows_tz import win_tz

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import time, tzinfo

    from graphmemix.ingest.documents.content_lines import ContentLine

_OFFSET = re.compile(r"([+-])(\d{2}):?(\d{2})")
_DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_BY_DAY = re.compile(r"([+-]?\d)(MO|TU|WE|TH|FR|SA|SU)")
_MONTH = re.compile(r"0?[1-9]|1[0-2]")
_BY_WINDOWS_NAME: Final = {name.casefold(): town for name, town in win_tz.items()}
_LABEL = re.compile(
    r"\((?:UTC|GMT)([+-](?:0?\d|1[0-4]))(?:[:.]?([0-5]\d))?\)\s{0,9}(.*)", re.DOTALL
)
_MOST_TOWNS = 20
_MOST_RULES = 200  # yearly rules of a zone; real zones have fewer in a century


class _Yearly(NamedTuple):
    """The day of each year on which an observance starts, such as the last Sunday of March."""

    month: int
    nth: int
    weekday: int
    clock: time

    def onset(self, year: int) -> datetime | None:
        """Return when it starts in a year; None if that month has no such day."""
        first, days = calendar.monthrange(year, self.month)
        if self.nth > 0:
            day = 1 + (self.weekday - first) % 7 + 7 * (self.nth - 1)
        else:
            last = (first + days - 1) % 7
            day = days - (last - self.weekday) % 7 + 7 * (self.nth + 1)
        if self.nth == 0 or not 1 <= day <= days:
            return None
        return datetime.combine(datetime(year, self.month, day), self.clock)  # noqa: DTZ001


@dataclass
class Observance:
    """Standard or daylight time: the offset, and when it starts."""

    offset: timedelta | None = None
    starts: datetime | None = None
    rule: str = ""

    def yearly(self) -> _Yearly | None:
        """Return its yearly rule; None if it has none, or an unusual one."""
        if self.starts is None:
            return None
        fields = dict(part.split("=", 1) for part in self.rule.upper().split(";") if "=" in part)
        day = _BY_DAY.fullmatch(fields.get("BYDAY", ""))
        month = _MONTH.fullmatch(fields.get("BYMONTH", ""))
        if day is None or month is None:
            return None
        return _Yearly(int(month[0]), int(day[1]), _DAYS.index(day[2]), self.starts.time())


_Onset = tuple[datetime, int]
"""When an observance starts, and its negated index: of two at the same time, the first wins."""


@dataclass
class Zone:
    """A VTIMEZONE: its name, its other names, and its observances.

    Rules are evaluated once, and once per year, because a calendar may have as many rules as
    events.
    """

    name: str = ""
    alias: str = ""
    observances: list[Observance] = field(default_factory=list)
    _years: dict[int, list[_Onset]] = field(default_factory=dict)

    def offset_at(self, clock: datetime) -> timezone | None:
        """Return the offset for a local time by its rules."""
        once, _ = self._starts
        earlier = [self._of_year(year) for year in (clock.year - 1, clock.year) if year > 0]
        latest = [found for onsets in (once, *earlier) if (found := _before(onsets, clock))]
        index = -max(latest)[1] if latest else self._first
        offset = None if index is None else self.observances[index].offset
        return None if offset is None else timezone(offset)

    @cached_property
    def _first(self) -> int | None:
        known = (i for i, each in enumerate(self.observances) if each.offset is not None)
        return next(known, None)

    @cached_property
    def _starts(self) -> tuple[list[_Onset], dict[_Yearly, int]]:
        """Return observances that start once, in order, and yearly ones."""
        once: list[_Onset] = []
        every: dict[_Yearly, int] = {}
        for index, each in enumerate(self.observances):
            if each.offset is None or each.starts is None:
                continue
            rule = each.yearly()
            if rule is None:
                once.append((each.starts, -index))
            elif len(every) < _MOST_RULES:
                every.setdefault(rule, index)
        return sorted(once), every

    def _of_year(self, year: int) -> list[_Onset]:
        if year not in self._years:
            _, every = self._starts
            found = ((rule.onset(year), -index) for rule, index in every.items())
            self._years[year] = sorted((onset, i) for onset, i in found if onset is not None)
        return self._years[year]


def _before(onsets: list[_Onset], clock: datetime) -> _Onset | None:
    """Return the last onset that is not after a local time."""
    behind = bisect_right(onsets, (clock, 0))
    return onsets[behind - 1] if behind else None


def zones_of(lines: Iterable[ContentLine]) -> dict[str, Zone]:
    """Return the zones that a calendar defines, by name."""
    found: dict[str, Zone] = {}
    zone: Zone | None = None
    observance: Observance | None = None
    for line in lines:
        value = line.value.strip()
        if line.name == "BEGIN" and value.upper() == "VTIMEZONE":
            zone, observance = Zone(), None
        elif line.name == "BEGIN" and zone is not None:
            observance = Observance()
            zone.observances.append(observance)
        elif line.name == "END" and value.upper() == "VTIMEZONE" and zone is not None:
            found[zone.name] = zone
            zone = None
        elif zone is not None and observance is None:
            zone.name = value if line.name == "TZID" else zone.name
            zone.alias = value if line.name == "X-LIC-LOCATION" else zone.alias
        elif observance is not None and zone is not None:
            _observe(observance, line.name, value)
    return found


def _observe(observance: Observance, name: str, value: str) -> None:
    if name == "TZOFFSETTO" and (match := _OFFSET.match(value)):
        size = timedelta(hours=int(match[2]), minutes=int(match[3]))
        if size < timedelta(hours=24):
            observance.offset = size if match[1] == "+" else -size
    elif name == "DTSTART":
        try:
            observance.starts = datetime.strptime(value[:15], "%Y%m%dT%H%M%S")  # noqa: DTZ007
        except ValueError:
            observance.starts = None
    elif name == "RRULE":
        observance.rule = value


class Zones:
    """The zones of one calendar: those that it defines, and those that it only refers to.

    Args:
        defined: The zones that it defines, by name.
    """

    def __init__(self, defined: dict[str, Zone]) -> None:
        self._defined = defined
        self._named: dict[str, tzinfo | None] = {}  # file lookups are slow

    def resolve(self, name: str, clock: datetime) -> tzinfo | None:
        """Return the zone of a TZID at a local time; None if unknown."""
        name = name.strip('"')
        zone = self._defined.get(name)
        if name not in self._named:
            self._named[name] = _iana_zone(name, zone)
        found = self._named[name]
        if found is not None:
            return found
        offset = zone.offset_at(clock) if zone is not None else None
        return offset or _windows_zone(name) or _labelled_zone(name)


def _iana_zone(name: str, zone: Zone | None) -> ZoneInfo | None:
    """Return the zone of a name that is, or ends in, an IANA name.

    Such as ``/freeassociation.sourceforge.net/Europe/Berlin``.
    """
    parts = name.strip("/").split("/")
    candidates = [name, "/".join(parts[-2:]), "/".join(parts[-3:])]
    if zone is not None:
        candidates.append(zone.alias)
    for candidate in candidates:
        if ("/" in candidate or candidate in {"UTC", "GMT"}) and (found := _zone_file(candidate)):
            return found
    return None


def _windows_zone(name: str) -> ZoneInfo | None:
    """Return the zone of a name such as ``W. Europe Standard Time``; None if Windows has none.

    Outlook and Exchange use these names, and not every calendar of theirs defines them.
    """
    standard = name.strip().casefold().replace(" daylight time", " standard time")
    town = _BY_WINDOWS_NAME.get(standard)
    return _zone_file(town) if town else None


def _labelled_zone(name: str) -> tzinfo | None:
    """Return the zone of a label of Windows: ``(UTC+01:00) Amsterdam, Berlin, Bern, Rome``.

    The first town or region that is known counts; if none is, the offset alone.
    """
    match = _LABEL.match(name)
    if match is None:
        return None
    for part in match[3].split(",")[:_MOST_TOWNS]:
        region = part.partition("(")[0].strip().casefold()
        known = _towns().get(region.replace(" ", "_"), "")
        found = _zone_file(known) if known else None
        found = found or _windows_zone(region.removesuffix(" time") + " standard time")
        if found is not None:
            return found
    hours, minutes = int(match[1]), int(match[2] or 0)
    return timezone(timedelta(hours=hours, minutes=-minutes if match[1][0] == "-" else minutes))


@cache
def _towns() -> dict[str, str]:
    """Return the zones of this machine by their towns."""
    return {zone.rpartition("/")[2].casefold(): zone for zone in sorted(available_timezones())}


def _zone_file(name: str) -> ZoneInfo | None:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # this machine has fewer zones
        return None
