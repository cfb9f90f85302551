"""Time zones of calendars: by their IANA name, by what else they are called, or by their rules."""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone, tzinfo
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from graphmemix.ingest.documents.windows_zones import windows_zone

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphmemix.ingest.documents.content_lines import ContentLine

_OFFSET = re.compile(r"([+-])(\d{2}):?(\d{2})")
_DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_BY_DAY = re.compile(r"([+-]?\d)(MO|TU|WE|TH|FR|SA|SU)")


@dataclass
class Observance:
    """Standard or daylight time: the offset, and when it starts."""

    offset: timedelta | None = None
    starts: datetime | None = None
    rule: str = ""

    def onset(self, year: int) -> datetime | None:
        """Return when it starts in a year; None if it does not, or by a rule beyond the usual."""
        if self.starts is None:
            return None
        fields = dict(part.split("=", 1) for part in self.rule.upper().split(";") if "=" in part)
        match = _BY_DAY.fullmatch(fields.get("BYDAY", ""))
        month = fields.get("BYMONTH", "")
        if match is None or not month.isdigit() or not 1 <= int(month) <= 12:
            return self.starts if self.starts.year <= year else None
        days = [
            day
            for day in calendar.Calendar().itermonthdates(year, int(month))
            if day.month == int(month) and day.weekday() == _DAYS.index(match[2])
        ]
        nth = int(match[1])
        if not 1 <= abs(nth) <= len(days):
            return None
        day = days[nth - 1 if nth > 0 else nth]
        return datetime.combine(day, self.starts.time())


@dataclass
class Zone:
    """A VTIMEZONE: its name, what programs call it besides, and its observances."""

    name: str = ""
    alias: str = ""
    observances: list[Observance] = field(default_factory=list)

    def offset_at(self, clock: datetime) -> timezone | None:
        """Return the offset that its rules give for a clock time."""
        onsets = [
            (onset, each.offset)
            for each in self.observances
            if each.offset is not None
            for year in (clock.year - 1, clock.year)
            if year > 0 and (onset := each.onset(year)) is not None and onset <= clock
        ]
        if not onsets:
            offsets = [each.offset for each in self.observances if each.offset is not None]
            return timezone(offsets[0]) if offsets else None
        return timezone(max(onsets, key=lambda pair: pair[0])[1])


def zones_of(lines: Sequence[ContentLine]) -> dict[str, Zone]:
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


def resolve(name: str, defined: dict[str, Zone], clock: datetime) -> tzinfo | None:
    """Return the zone that a TZID means for a clock time; None if nothing tells.

    Names such as ``/freeassociation.sourceforge.net/Europe/Berlin`` end in the IANA name.
    """
    name = name.strip('"')
    zone = defined.get(name)
    parts = name.strip("/").split("/")
    candidates = [name, "/".join(parts[-2:]), "/".join(parts[-3:])]
    if zone is not None:
        candidates.append(zone.alias)
    for candidate in candidates:
        if "/" in candidate or candidate in {"UTC", "GMT"}:
            try:
                return ZoneInfo(candidate)
            except (ZoneInfoNotFoundError, ValueError, OSError):
                continue
    offset = zone.offset_at(clock) if zone is not None else None
    return offset or windows_zone(name)
