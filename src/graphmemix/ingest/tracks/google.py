"""Google's location history: ``Records.json``, semantic months, and ``Timeline.json`` of phones.

- ``Records.json`` has positions; the places of a day are found among them;
- ``Semantic Location History/2023/2023_JULY.json`` has named visits and the ways between;
- ``Timeline.json`` (Android) and ``location-history.json`` (iPhone), since 2024, have both.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from graphmemix.ingest.json_stream import JsonStream
from graphmemix.ingest.node import Node, iso_moment, moment, place_at, short
from graphmemix.ingest.outline import outline
from graphmemix.ingest.protocol import Skipped
from graphmemix.ingest.tracks.days import Days, Point, Stay

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime, tzinfo
    from pathlib import Path

    from graphmemix.ingest.protocol import Found, MediaSink, Reading
    from graphmemix.memory import Place

_E7 = 1e7  # whole numbers are degrees times this
_WRAPPED = 1 << 32  # added by Google to negative numbers in some years
_LEAST_CERTAIN = 1_000  # metres; less accurate positions are those of a distant mast
_PAIR = re.compile(r"(?:geo:)?\s{0,3}(-?[0-9.]{1,20})\D{0,3},\s{0,3}(-?[0-9.]{1,20})\D{0,3}")
_RECORDS = "Records.json"
_MONTH = re.compile(r"(\d{4})_([A-Z]{3,9})\.json", re.ASCII)
_MONTHS = (
    "JANUARY", "FEBRUARY", "MARCH", "APRIL", "MAY", "JUNE", "JULY", "AUGUST", "SEPTEMBER",
    "OCTOBER", "NOVEMBER", "DECEMBER",
)  # fmt: skip
_LISTS = frozenset({"locations", "timelineObjects", "semanticSegments", "rawSignals"})
_NAMES = {
    "HOME": "home", "INFERRED_HOME": "home", "TYPE_HOME": "home", "Home": "home",
    "Inferred Home": "home", "WORK": "work", "INFERRED_WORK": "work", "TYPE_WORK": "work",
    "Work": "work", "Inferred Work": "work",
}  # fmt: skip
_MEANS = {
    "walking": "on foot", "on_foot": "on foot", "running": "running", "cycling": "by bicycle",
    "in_passenger_vehicle": "by car", "in_vehicle": "by car", "motorcycling": "by motorcycle",
    "in_bus": "by bus", "in_tram": "by tram", "in_train": "by train", "in_subway": "by subway",
    "flying": "by plane", "in_ferry": "by ferry", "boating": "by boat", "skiing": "skiing",
}  # fmt: skip


class Locations:
    """Reads stays and ways of each day.

    Args:
        zone: The time zone in which a day begins; None for this machine's.
    """

    name = "locations"

    def __init__(self, zone: tzinfo | None = None) -> None:
        self.zone = zone

    def recognises(self, found: Found) -> bool:
        """Return whether the file starts like one of the formats."""
        keys = outline(found.head)
        records = "/locations/*/latitudeE7" in keys
        visits = {"/timelineObjects/*/placeVisit", "/timelineObjects/*/activitySegment"}
        phone = {"/semanticSegments/*/startTime", "/rawSignals/*/position"}
        parts = {"/*/visit", "/*/activity", "/*/timelinePath", "/*/timelineMemory"}
        apple = {"/*/startTime", "/*/endTime"} <= keys and bool(keys & parts)
        return records or bool(keys & (visits | phone)) or apple

    def companions(self, found: Found) -> Iterator[Path]:  # noqa: ARG002
        """Return nothing."""
        yield from ()

    def read(self, found: Found, sink: MediaSink) -> Iterator[Reading]:  # noqa: ARG002
        """Yield the days in order, once the whole file is read.

        Raises:
            ImportSourceError: The file is not JSON.
        """
        days = Days(self.name, self.zone)
        with JsonStream(found.path, found.name) as stream:
            bad = sum(not _take(node, days) for node in _records(stream))
        left_out = days.leave_out(_months_beside(found.path)) if found.path.name == _RECORDS else 0
        yield from days.memories()
        if left_out:
            yield Skipped(found.name, f"days that the semantic months have: {left_out}")
        if bad:
            records = "1 record has" if bad == 1 else f"{bad} records have"
            yield Skipped(found.name, f"{records} no usable time or position")


def _months_beside(records: Path) -> frozenset[tuple[int, int]]:
    """Return the months, by year and number, for which a Takeout has named visits as well."""
    found: set[tuple[int, int]] = set()
    with suppress(OSError):
        for path in records.parent.glob("*/[0-9][0-9][0-9][0-9]/*.json"):
            match = _MONTH.fullmatch(path.name)
            if match is not None and match[2] in _MONTHS:
                found.add((int(match[1]), _MONTHS.index(match[2]) + 1))
    return frozenset(found)


def _records(stream: JsonStream) -> Iterator[Node]:
    if stream.peek() == "[":
        for _ in stream.items():
            yield Node(stream.value())
        return
    for key in stream.members():
        if key in _LISTS:
            for _ in stream.items():
                yield Node(stream.value())


def _take(node: Node, days: Days) -> bool:
    """Take a record in; return whether it could be used."""
    if "latitudeE7" in node:
        return _position(node, days)
    return next((read(node, days) for key, read in _READERS.items() if key in node), False)


def _position(node: Node, days: Days) -> bool:
    place = _e7(node)
    when = _time(node, "timestamp", "timestampMs")
    if place is None or when is None:
        return False
    _add(days, when, place, node.number("accuracy"))
    return True


def _signal(record: Node, days: Days) -> bool:
    """Take in a position that a phone has not summed up to visits yet."""
    node = record.node("position")
    place = _pair(node.text("LatLng", "latLng"))
    when = _time(node, "timestamp")
    if place is None or when is None:
        return False
    _add(days, when, place, node.number("accuracyMeters"))
    return True


def _add(days: Days, when: datetime, place: Place, accuracy: float | None) -> None:
    if accuracy is None or accuracy <= _LEAST_CERTAIN:
        days.add_point(_point(when, place))


def _semantic_visit(record: Node, days: Days) -> bool:
    node = record.node("placeVisit")
    location, span = node.node("location"), node.node("duration")
    named = location.text("name") or _NAMES.get(location.text("semanticType"), "")
    lines = [named, *location.text("address").split("\n")]
    name = ", ".join(dict.fromkeys(filter(None, lines)))
    place = _e7(location, name) or _e7(node, name, "centerLat", "centerLng")
    return _stay(span, "startTimestamp", "endTimestamp", place, days)


def _semantic_trip(record: Node, days: Days) -> bool:
    node = record.node("activitySegment")
    span = node.node("duration")
    metres = node.number("distance") or node.node("waypointPath").number("distanceMeters") or 0.0
    means = node.text("activityType")
    return _way(span, "startTimestamp", "endTimestamp", means, metres, days)


def _visit(node: Node, days: Days) -> bool:
    best = node.node("visit").node("topCandidate")
    location = best.node("placeLocation").text("latLng") or best.text("placeLocation")
    place = _pair(location, _NAMES.get(best.text("semanticType"), ""))
    return _stay(node, "startTime", "endTime", place, days)


def _trip(node: Node, days: Days) -> bool:
    activity = node.node("activity")
    metres = activity.number("distanceMeters") or 0.0
    means = activity.node("topCandidate").text("type")
    return _way(node, "startTime", "endTime", means, metres, days)


def _path(node: Node, days: Days) -> bool:
    taken = [_path_point(each, node, days) for each in node.nodes("timelinePath")]
    return all(taken)


def _no_position(_node: Node, _days: Days) -> bool:
    """Pass over a trip that is made up of visits and ways, and what a phone's sensors found."""
    return True


_READERS: Final = {
    "placeVisit": _semantic_visit,
    "activitySegment": _semantic_trip,
    "visit": _visit,
    "activity": _trip,
    "timelinePath": _path,
    "timelineMemory": _no_position,
    "position": _signal,
    "wifiScan": _no_position,
    "activityRecord": _no_position,
}
"""By the field that tells what a record is."""


def _path_point(node: Node, segment: Node, days: Days) -> bool:
    place = _pair(node.text("point"))
    minutes = node.number("durationMinutesOffsetFromStartTime")
    when = _time(node, "time") or _time(segment, "startTime")
    if place is None or when is None:
        return False
    point = _point(when, place)
    days.add_point(point._replace(seconds=point.seconds + 60 * (minutes or 0.0)))
    return True


def _stay(span: Node, first: str, last: str, place: Place | None, days: Days) -> bool:
    start, end = _time(span, first, f"{first}Ms"), _time(span, last, f"{last}Ms")
    if place is None or start is None or end is None:
        return False
    return days.add_stay(Stay(start.timestamp(), end.timestamp(), place))


def _way(span: Node, first: str, last: str, means: str, metres: float, days: Days) -> bool:
    start, end = _time(span, first, f"{first}Ms"), _time(span, last, f"{last}Ms")
    if start is None or end is None:
        return False
    spoken = _MEANS.get(means.lower().replace(" ", "_"), "")
    return days.add_trip(start.timestamp(), end.timestamp(), spoken, metres / 1000)


def _time(node: Node, *keys: str) -> datetime | None:
    """Return the first of some fields that is a moment: ISO 8601, or milliseconds."""
    for key in keys:
        text = node.text(key)
        when = iso_moment(text) if "T" in text else moment(node.number(key))
        if when is not None:
            return when
    return None


def _e7(
    node: Node, name: str = "", latitude: str = "latitudeE7", longitude: str = "longitudeE7"
) -> Place | None:
    north, east = node.number(latitude), node.number(longitude)
    if north is None or east is None:
        return None
    north, east = (each - _WRAPPED if each > 180 * _E7 else each for each in (north, east))
    return place_at(north / _E7, east / _E7, short(name))


def _pair(text: str, name: str = "") -> Place | None:
    match = _PAIR.fullmatch(text)
    if match is None:
        return None
    pair = Node({"north": match[1], "east": match[2]})
    return place_at(pair.number("north"), pair.number("east"), name)


def _point(when: datetime, place: Place) -> Point:
    return Point(when.timestamp(), place.latitude or 0.0, place.longitude or 0.0)
