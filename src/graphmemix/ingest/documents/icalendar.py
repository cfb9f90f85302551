"""iCalendar: a memory per event, task or journal entry. Recurrences are stated, not expanded."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING

from graphmemix.ingest.documents.content_lines import ContentLine, content_lines
from graphmemix.ingest.documents.html import to_text
from graphmemix.ingest.documents.ical_zones import Zones, zones_of
from graphmemix.ingest.documents.parts import read_small
from graphmemix.ingest.documents.recurrence import DaysOfRule, spoken_rule
from graphmemix.ingest.node import short, with_offset
from graphmemix.ingest.protocol import Skipped
from graphmemix.ingest.records import read_record
from graphmemix.ingest.text import decode
from graphmemix.memory import Memory, Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from graphmemix.ingest.protocol import Found, MediaSink, Reading
    from graphmemix.record import Json

_LARGEST = 256 << 20
_BUSY = "VFREEBUSY"
_ENTRIES = frozenset({"VEVENT", "VTODO", "VJOURNAL", _BUSY})
_MOST_PEOPLE = 100
_LONGEST_TEXT = 100_000  # characters of a description
_LONGEST_NOTE = 2_000  # characters of an address, a rule or a status
_GEO = re.compile(r"(-?\d{1,2}(?:\.\d{1,20})?)\s*[;,]\s*(-?\d{1,3}(?:\.\d{1,20})?)")


class ICalendar:
    """Reads ``.ics`` files.

    Args:
        zone: Time zone of floating times and whole days; None for this machine's.
    """

    name = "icalendar"
    version = 4

    def __init__(self, zone: tzinfo | None = None) -> None:
        self.zone = zone

    def recognises(self, found: Found) -> bool:
        """Return whether the file starts with a calendar."""
        head = decode(found.head[:200]).lstrip("\ufeff \r\n").upper()
        return head.startswith(("BEGIN:VCALENDAR", *(f"BEGIN:{each}" for each in _ENTRIES)))

    def companions(self, found: Found) -> Iterator[Path]:  # noqa: ARG002
        """Return nothing."""
        yield from ()

    def read(self, found: Found, sink: MediaSink) -> Iterator[Reading]:  # noqa: ARG002
        """Yield the entries in order; one with neither text nor date is skipped.

        Reads the lines twice: zones and the title may follow the entries.
        """
        data = read_small(found, _LARGEST)
        about: dict[str, str] = {}
        zones = Zones(zones_of(_noting(content_lines(data), about)))
        number = 0
        for number, entry in enumerate(_entries(content_lines(data)), start=1):
            label = f"{found.name} entry {number}"
            if entry.kind == _BUSY:
                yield Skipped(label, "free and busy times, which are no events")
                continue
            yield read_record(label, self._entry, entry, zones, found, about)
            if entry.is_cut:
                yield Skipped(label, "is cut off; what is there was read")
            started = entry.first.get("DTSTART") or entry.first.get("DUE")
            start = self._moment(started, zones)
            if started is not None and start is None:
                yield Skipped(label, "its time cannot be read; the rest was read")
            elif started is not None and start is not None and _is_lost(started, zones, start):
                yield Skipped(label, "its time zone is not known; that of the archive was taken")
        if number == 0:
            yield Skipped(found.name, "a calendar without entries")

    def _entry(
        self, entry: _Entry, zones: Zones, found: Found, about: dict[str, str]
    ) -> Memory | str:
        """Return an entry as a memory, or why it is skipped."""
        first = entry.first
        usual = about.get("X-WR-TIMEZONE", "")
        start = self._moment(first.get("DTSTART") or first.get("DUE"), zones, usual)
        end = self._moment(first.get("DTEND") or first.get("DUE"), zones, usual)
        written = None
        if "DTSTART" not in first and "DUE" not in first:
            written = self._moment(first.get("CREATED") or first.get("LAST-MODIFIED"), zones)
        started = first.get("DTSTART")
        zone = _zone_of(started, zones, usual, start) if started and start else None
        text = _words(entry, zone)
        if not text and start is None:
            return "has neither text nor date"
        people: list[Json] = [_person(line) for line in entry.people]
        notes: dict[str, Json] = {
            "file": found.path.name,
            "calendar": short(about.get("X-WR-CALNAME") or about.get("NAME", "")),
            "entry": {"VTODO": "task", "VJOURNAL": "journal"}.get(entry.kind, ""),
            "end": end.isoformat() if end else "",
            "all_day": started is not None and _is_day(started),
            "recurrence": _value(first, "RRULE", _LONGEST_NOTE),
            "categories": _value(first, "CATEGORIES", _LONGEST_NOTE),
            "date_from": "created" if written else "",
            "status": _value(first, "STATUS", _LONGEST_NOTE).lower(),
            "duration": _value(first, "DURATION", _LONGEST_NOTE),
            "url": _value(first, "URL", _LONGEST_NOTE),
            "organizer": _person(first["ORGANIZER"]) if "ORGANIZER" in first else "",
            "attendees": people,
        }
        occurrence = _value(first, "RECURRENCE-ID")
        uid = _value(first, "UID")
        memory = Memory.new(
            "event", text, source=self.name,
            source_id=f"{uid}#{occurrence}" if uid and occurrence else uid,
            speaker=(_person(first["ORGANIZER"]) or None) if "ORGANIZER" in first else None,
            timestamp=start, place=_place(first),
            metadata={key: value for key, value in notes.items() if value},
        )  # fmt: skip
        # When an entry was written is not content: it does not affect the id.
        return replace(memory, timestamp=start or written)

    def _moment(self, line: ContentLine | None, zones: Zones, usual: str = "") -> datetime | None:
        """Return the moment of a property; for a whole day, its start.

        Args:
            line: The property.
            zones: The zones of the calendar.
            usual: The name of the calendar's zone, for a time without one.
        """
        if line is None:
            return None
        value = line.value.strip().split("/", 1)[0].upper()
        try:
            clock = datetime.fromisoformat(value.removesuffix("Z"))
        except ValueError:
            return None
        if clock.tzinfo is not None:  # not by the specification, but it happens
            return clock
        if value.endswith("Z"):
            return clock.replace(tzinfo=UTC)
        return with_offset(clock, _zone_of(line, zones, usual, clock) or self.zone)


@dataclass
class _Entry:
    """An event, task or journal entry: the first of each property, and its participants."""

    kind: str
    first: dict[str, ContentLine] = field(default_factory=dict)
    people: list[ContentLine] = field(default_factory=list)
    exceptions: DaysOfRule = field(default_factory=DaysOfRule)
    added: DaysOfRule = field(default_factory=DaysOfRule)
    is_cut: bool = False

    def add(self, line: ContentLine) -> None:
        self.first.setdefault(line.name, line)
        if line.name == "ATTENDEE" and len(self.people) < _MOST_PEOPLE:
            self.people.append(line)
        elif line.name == "EXDATE":
            self.exceptions.add(line)
        elif line.name == "RDATE":
            self.added.add(line)


def _noting(lines: Iterable[ContentLine], about: dict[str, str]) -> Iterator[ContentLine]:
    """Yield the lines; also put what the calendar says about itself into `about`."""
    depth = 0
    for line in lines:
        depth += (line.name == "BEGIN") - (line.name == "END")
        if depth <= 1 and line.name in {"X-WR-CALNAME", "X-WR-TIMEZONE", "NAME"}:
            about.setdefault(line.name, line.text)
        yield line


def _entries(lines: Iterable[ContentLine]) -> Iterator[_Entry]:
    """Yield each entry with its own properties, without those of its alarms.

    One that does not end, because another begins or the file is over, is marked as cut off.
    """
    entry: _Entry | None = None
    depth = 0
    for line in lines:
        component = line.value.strip().upper() if line.name in {"BEGIN", "END"} else ""
        if line.name == "BEGIN":
            if component in _ENTRIES:
                if entry is not None:
                    yield replace(entry, is_cut=True)
                entry, depth = _Entry(component), 0
            elif entry is not None:
                depth += 1
        elif line.name == "END" and entry is not None:
            if depth == 0:
                yield entry
                entry = None
            depth -= 1
        elif entry is not None and depth == 0:
            entry.add(line)
    if entry is not None:
        yield replace(entry, is_cut=True)


def _is_lost(line: ContentLine, zones: Zones, start: datetime) -> bool:
    """Return whether a time names a zone that nothing is known about."""
    if not line.parameter("TZID") or _is_day(line) or line.value.strip().upper().endswith("Z"):
        return False
    return _zone_of(line, zones, "", start) is None


def _zone_of(line: ContentLine, zones: Zones, usual: str, clock: datetime) -> tzinfo | None:
    """Return the zone of a property, else that of its calendar; None if it has none."""
    named = line.parameter("TZID") or ("" if _is_day(line) else usual)
    return zones.resolve(named, clock.replace(tzinfo=None)) if named else None


def _is_day(line: ContentLine) -> bool:
    return line.parameter("VALUE").upper() == "DATE" or "T" not in line.value.upper()


def _words(entry: _Entry, zone: tzinfo | None) -> str:
    """Return title, place, participants and recurrence as text."""
    first = entry.first
    people = [_person(line) for line in entry.people]
    lines = [
        _value(first, "SUMMARY"),
        f"Where: {_value(first, 'LOCATION')}" if _value(first, "LOCATION") else "",
        f"With: {', '.join(filter(None, people))}" if any(people) else "",
        _repeats(entry, zone),
        _value(first, "DESCRIPTION") or to_text(_value(first, "X-ALT-DESC")),
        _value(first, "COMMENT"),
    ]
    return "\n".join(filter(None, lines))


def _repeats(entry: _Entry, zone: tzinfo | None) -> str:
    rule = _value(entry.first, "RRULE", _LONGEST_NOTE)
    added, left_out = entry.added.spoken(zone), entry.exceptions.spoken(zone)
    parts = [
        spoken_rule(rule, zone) if rule else "",
        (f"also on {added}" if rule else f"on {added}") if added else "",
        f"not on {left_out}" if left_out and rule else "",
    ]
    spoken = ", ".join(filter(None, parts))
    return f"Repeats: {spoken}" if spoken else ""


def _value(first: dict[str, ContentLine], name: str, longest: int = _LONGEST_TEXT) -> str:
    return first[name].text[:longest] if name in first else ""


def _person(line: ContentLine) -> str:
    """Return a person's name, else the address."""
    address = re.sub(r"^mailto:", "", line.text, flags=re.IGNORECASE)
    return short(line.parameter("CN") or address)


def _place(first: dict[str, ContentLine]) -> Place | None:
    name = short(_value(first, "LOCATION"))
    match = _GEO.fullmatch(_value(first, "GEO"))
    if match and abs(float(match[1])) <= 90 and abs(float(match[2])) <= 180:
        return Place(name, float(match[1]), float(match[2]))
    return Place(name) if name else None
