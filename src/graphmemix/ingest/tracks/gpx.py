"""GPX: tracks, routes and waypoints of sports watches, hiking apps and navigation devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmemix.ingest.node import iso_moment, number, place_at, short
from graphmemix.ingest.records import read_parts
from graphmemix.ingest.tracks.days import Days, Point, corners, length, told_apart
from graphmemix.ingest.xml_stream import root_tag, xml_records
from graphmemix.memory import Memory, content_id

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import tzinfo
    from pathlib import Path
    from xml.etree.ElementTree import Element

    from graphmemix.ingest.protocol import Found, MediaSink, Reading
    from graphmemix.record import Json

_RECORDS = frozenset({"trk", "rte", "wpt"})
_LONGEST = 4_000  # characters of a description


class Gpx:
    """Reads the places and the way of each day of a track, routes as a whole, and waypoints.

    Args:
        zone: The time zone in which a day begins; None for this machine's.
    """

    name = "gpx"

    def __init__(self, zone: tzinfo | None = None) -> None:
        self.zone = zone

    def recognises(self, found: Found) -> bool:
        """Return whether the file is XML whose outermost element is that of GPX."""
        return root_tag(found.head) == "gpx"

    def companions(self, found: Found) -> Iterator[Path]:  # noqa: ARG002
        """Return nothing."""
        yield from ()

    def read(self, found: Found, sink: MediaSink) -> Iterator[Reading]:  # noqa: ARG002
        """Yield tracks, routes and waypoints as the file has them. Holds one at a time.

        Raises:
            ImportSourceError: The rest of the file is not XML.
        """
        for position, element in enumerate(xml_records(found.path, found.name, _RECORDS), start=1):
            label = f"{found.name} {element.tag} {position}"
            if element.tag == "wpt":
                yield from read_parts(label, self._waypoint, element)
            else:
                yield from read_parts(label, self._track, element, found)

    def _waypoint(self, element: Element) -> list[Memory] | str:
        place = place_at(
            number(element.get("lat")), number(element.get("lon")), element.findtext("name") or ""
        )
        if place is None:
            return "has no position"
        when = iso_moment(element.findtext("time") or "-", self.zone)
        at = f"/{when.timestamp():.0f}" if when else ""
        memory = Memory.new(
            "note",
            _said(element, "name", "cmt", "desc"),
            source=self.name,
            source_id=f"gpx:{place.latitude},{place.longitude}/{place.name}{at}",
            timestamp=when,
            place=place,
            metadata={"waypoint": True},
        )
        return [told_apart(memory)]

    def _track(self, element: Element, found: Found) -> list[Memory] | str:
        title = short(element.findtext("name") or found.path.stem)
        days = Days(self.name, self.zone, title, _said(element, "cmt", "desc"))
        points: list[Point] = []
        timed = False
        for each in element.iter():
            if each.tag not in {"trkpt", "rtept"}:
                continue
            where = place_at(number(each.get("lat")), number(each.get("lon")))
            when = iso_moment(each.findtext("time") or "-", self.zone)
            if where is None or where.latitude is None or where.longitude is None:
                continue
            seconds = when.timestamp() if when else 0.0
            point = Point(seconds, where.latitude, where.longitude)
            if when is not None:
                days.add_point(point)
                timed = True
            points.append(point)
        if not points:
            return "has no positions"
        return list(days.memories()) if timed else [self._undated(title, element, points)]

    def _undated(self, title: str, element: Element, points: list[Point]) -> Memory:
        """Return a route that was planned, or a track without times."""
        spread = [Point(3600.0 * at, *point[1:]) for at, point in enumerate(points)]  # any speed
        way: list[Json] = corners(points)
        text = f"{title}: {length(spread):.1f} km\n{_said(element, 'cmt', 'desc')}"
        memory = Memory.new(
            "note",
            text.strip(),
            source=self.name,
            source_id=f"gpx:{title}/{content_id(way)}",
            place=place_at(points[0].latitude, points[0].longitude),
            metadata={"way": way},
        )
        return told_apart(memory)


def _said(element: Element, *tags: str) -> str:
    """Return texts of an element, each once: devices repeat the name as comment and description."""
    words = (element.findtext(tag) or "" for tag in tags)
    return "\n".join(dict.fromkeys(each.strip()[:_LONGEST] for each in words if each.strip()))
