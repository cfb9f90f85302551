"""KML of Google Earth and Maps: saved places, recorded tracks, drawn routes. KMZ is a zip of it."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from graphmemix.ingest.documents.html import to_text
from graphmemix.ingest.node import iso_moment, number, place_at, short
from graphmemix.ingest.records import read_parts
from graphmemix.ingest.tracks.days import Days, Point, Stay, corners, told_apart
from graphmemix.ingest.xml_stream import root_tag, xml_records
from graphmemix.memory import Memory, Place

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime, tzinfo
    from pathlib import Path
    from xml.etree.ElementTree import Element

    from graphmemix.ingest.protocol import Found, MediaSink, Reading
    from graphmemix.record import Json

_RECORDS = frozenset({"Placemark"})
_LONGEST = 4_000  # characters of a description
_MOST_FIELDS = 50
_MOST_POINTS = 100_000  # of a drawn line


class Kml:
    """Reads placemarks: a place, a stay with its times, or the ways of a track, day by day.

    Args:
        zone: The time zone in which a day begins; None for this machine's.
    """

    name = "kml"

    def __init__(self, zone: tzinfo | None = None) -> None:
        self.zone = zone

    def recognises(self, found: Found) -> bool:
        """Return whether the file is XML whose outermost element is that of KML."""
        return root_tag(found.head) == "kml"

    def companions(self, found: Found) -> Iterator[Path]:  # noqa: ARG002
        """Return nothing."""
        yield from ()

    def read(self, found: Found, sink: MediaSink) -> Iterator[Reading]:  # noqa: ARG002
        """Yield the placemarks as the file has them. Holds one at a time.

        Raises:
            ImportSourceError: The rest of the file is not XML.
        """
        for position, element in enumerate(xml_records(found.path, found.name, _RECORDS), start=1):
            label = f"{found.name} placemark {position}"
            yield from read_parts(label, self._placemark, element)

    def _placemark(self, element: Element) -> list[Memory] | str:
        name = short(element.findtext("name") or "")
        start, end = self._time(element, "begin", "when"), self._time(element, "end")
        tracked = self._tracked(element, name)
        if tracked:
            return tracked
        points = list(_points(element))
        address = short(element.findtext("address") or "")
        if not points and not address:
            return "has no position"
        place = (
            place_at(points[0].latitude, points[0].longitude, name) if points else Place(address)
        )
        if start is not None and end is not None and len(points) == 1 and place is not None:
            days = Days(self.name, self.zone, note=_about(element))
            days.add_stay(Stay(start.timestamp(), end.timestamp(), place))
            return list(days.memories())
        return [self._place(element, name, start, place, points)]

    def _place(
        self,
        element: Element,
        name: str,
        start: datetime | None,
        place: Place | None,
        points: list[Point],
    ) -> Memory:
        where = f"{points[0].latitude},{points[0].longitude}" if points else ""
        parts = [
            where or (place.name if place else ""),
            name,
            f"{start.timestamp():.0f}" if start else "",
        ]
        notes: dict[str, Json] = {"way": corners(points)} if len(points) > 1 else {}
        memory = Memory.new(
            "note",
            "\n".join(filter(None, [name, _about(element)])),
            source=self.name,
            source_id=f"kml:{'/'.join(filter(None, parts))}",
            timestamp=start,
            place=place,
            metadata=notes,
        )
        return told_apart(memory)

    def _tracked(self, element: Element, name: str) -> list[Memory]:
        """Return the days of recorded tracks, which have a time for each position."""
        days = Days(self.name, self.zone, name, _about(element))
        for track in element.iter("Track"):
            times = [each.text or "-" for each in track.findall("when")]
            positions = [each.text or "" for each in track.findall("coord")]
            for written, position in zip(times, positions, strict=False):
                when = iso_moment(written, self.zone)
                where = _position(position.split())
                if when is not None and where is not None:
                    days.add_point(Point(when.timestamp(), *where[1:]))
        return list(days.memories())

    def _time(self, element: Element, *tags: str) -> datetime | None:
        for parent in ("TimeSpan", "TimeStamp"):
            for tag in tags:
                when = iso_moment(element.findtext(f"{parent}/{tag}") or "-", self.zone)
                if when is not None:
                    return when
        return None


def _about(element: Element) -> str:
    """Return what a placemark says beside its name: address, number, description, own fields."""
    written = [element.findtext(tag) or "" for tag in ("address", "phoneNumber")]
    described = to_text(element.findtext("description") or "")[:_LONGEST]
    fields = [
        f"{each.get('name', '')}: {value.strip()}"[:_LONGEST]
        for each in islice(element.iter("Data"), _MOST_FIELDS)
        if (value := each.findtext("value") or "").strip() and value.strip() not in described
    ]
    lines = [*(each.strip()[:_LONGEST] for each in written), described, *fields]
    return "\n".join(filter(None, lines))


def _points(element: Element) -> Iterator[Point]:
    """Yield the positions of points, lines and outlines: longitude, latitude, height."""
    count = 0
    for coordinates in element.iter("coordinates"):
        for written in (coordinates.text or "").split():
            point = _position(written.split(","))
            if point is not None and count < _MOST_POINTS:
                count += 1
                yield point


def _position(parts: list[str]) -> Point | None:
    place = place_at(number(parts[1]), number(parts[0])) if len(parts) > 1 else None
    if place is None or place.latitude is None or place.longitude is None:
        return None
    return Point(0.0, place.latitude, place.longitude)
