"""Positions as the places of each day: where someone stayed, and one memory of the way between.

A recording has thousands of points a day. Of each two minutes the first point counts. Points within
150 m of each other for ten minutes or more are a stay; the rest of the day is its way.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from graphmemix.ingest.node import place_at, short, with_offset
from graphmemix.memory import Memory, Place, content_id
from graphmemix.relate.bursts import kilometres

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence
    from datetime import tzinfo

    from graphmemix.record import Json

_SLOT = 120  # seconds of which the first point counts
_NEAR = 0.15  # km within which points are one place
_LONG = 600  # seconds that make a stay
_FASTEST = 1_200.0  # km/h; a greater speed is an error of the receiver
_FAR = 0.5  # km that make a way worth a memory
_MOST_STAYS = 24  # a day: the longest ones
_MOST_CORNERS = 48  # points of a way that are kept
_DIGITS = 5  # decimals of a degree: one metre
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Point(NamedTuple):
    """A position."""

    seconds: float
    latitude: float
    longitude: float


@dataclass(frozen=True)
class Stay:
    """Some time at one place; `name` is empty if the source does not know it."""

    start: float
    end: float
    place: Place


@dataclass
class _Day:
    points: dict[int, Point] = field(default_factory=dict)
    stays: list[Stay] = field(default_factory=list)
    trips: list[tuple[float, float, str, float]] = field(default_factory=list)


class Days:
    """Collects positions, and makes memories of them when all are known."""

    def __init__(self, source: str, zone: tzinfo | None, title: str = "", note: str = "") -> None:
        """Set what is the same for all memories.

        Args:
            source: The name of the importer.
            zone: The time zone in which a day begins; None for this machine's.
            title: What the recording is called.
            note: What is said about it, for its ways and for stays that the source states.
        """
        self._source = source
        self._zone = zone
        self._title = short(title)
        self._note = note
        self._days: defaultdict[date, _Day] = defaultdict(_Day)

    def add_point(self, point: Point) -> None:
        """Take a position in; all but the first of each two minutes are dropped."""
        when = self._moment(point.seconds)
        if when is not None:
            self._days[when.date()].points.setdefault(int(point.seconds // _SLOT), point)

    def add_stay(self, stay: Stay) -> bool:
        """Take in a stay that the source states; return whether its times are possible."""
        when = self._moment(stay.start)
        if when is None or self._moment(stay.end) is None:
            return False
        self._days[when.date()].stays.append(stay)
        return True

    def add_trip(self, start: float, end: float, means: str, distance: float) -> bool:
        """Take in a way that the source states, in kilometres; see `add_stay`."""
        when = self._moment(start)
        if when is None or self._moment(end) is None:
            return False
        self._days[when.date()].trips.append((start, end, means, distance))
        return True

    def leave_out(self, months: Container[tuple[int, int]]) -> int:
        """Drop the days of some months, by year and number; return how many they are."""
        dropped = [day for day in self._days if (day.year, day.month) in months]
        for day in dropped:
            del self._days[day]
        return len(dropped)

    def memories(self) -> Iterator[Memory]:
        """Yield the stays of each day in order, then its way. Stated ones replace recorded ones."""
        for day, known in sorted(self._days.items()):
            points = [known.points[slot] for slot in sorted(known.points)]
            stays = sorted(known.stays or stays_of(points), key=lambda stay: stay.start)
            if len(stays) > _MOST_STAYS:
                longest = sorted(stays, key=lambda stay: stay.start - stay.end)[:_MOST_STAYS]
                stays = sorted(longest, key=lambda stay: stay.start)
            for number, stay in enumerate(stays):
                yield self._stay(day, number, stay, self._note if known.stays else "")
            yield from self._way(day, len(stays), known, points)

    def _stay(self, day: date, number: int, stay: Stay, note: str) -> Memory:
        name = stay.place.name
        span = self._span(stay.start, stay.end)
        text = _noted(f"At {name}, {span}" if name else f"Stayed in one place, {span}", note)
        return self._memory(day, number, text, stay.start, stay.end, stay.place, {"stay": True})

    def _way(
        self, day: date, number: int, known: _Day, points: Sequence[Point]
    ) -> Iterator[Memory]:
        if known.trips:
            by_means: defaultdict[str, float] = defaultdict(float)
            for _, _, means, distance in known.trips:
                by_means[means] += distance
            parts = [f"{km:.1f} km {means}".strip() for means, km in by_means.items() if km]
            start, end = min(trip[0] for trip in known.trips), max(t[1] for t in known.trips)
            place = None
        elif points and not known.stays:
            distance = length(points)
            named = self._title or self._note
            parts = [f"{distance:.1f} km"] if distance >= _FAR or named else []
            start, end = points[0].seconds, points[-1].seconds
            place = place_at(points[0].latitude, points[0].longitude)
        else:
            return
        if parts:
            text = f"{self._title or 'On the way'}: {', '.join(parts)}, {self._span(start, end)}"
            text = _noted(text, self._note)
            notes: dict[str, Json] = {"way": corners(points)} if points else {"way": True}
            yield self._memory(day, number, text, start, end, place, notes)

    def _memory(
        self,
        day: date,
        number: int,
        text: str,
        start: float,
        end: float,
        place: Place | None,
        notes: Mapping[str, Json],
    ) -> Memory:
        until = self._moment(end)
        return Memory.new(
            "note",
            text,
            source=self._source,
            source_id=f"{self._source}:{day.isoformat()}/{self._title}/{start:.0f}",
            session=f"{self._source}:{day.isoformat()}",
            sequence=number,
            timestamp=self._moment(start),
            place=place,
            metadata={"end": until.isoformat() if until else "", **notes},
        )

    def _span(self, start: float, end: float) -> str:
        first, last = self._moment(start), self._moment(end)
        if first is None or last is None:
            return ""
        later = "" if first.date() == last.date() else f" on {last.date().isoformat()}"
        return f"{first.date().isoformat()} {first:%H:%M} to {last:%H:%M}{later}"

    def _moment(self, seconds: float) -> datetime | None:
        """Return a moment in the zone, with its offset alone; None if out of range."""
        try:
            local = (_EPOCH + timedelta(seconds=round(seconds))).astimezone(self._zone)
            return with_offset(local)
        except (OverflowError, ValueError, OSError):
            return None


def told_apart(memory: Memory) -> Memory:
    """Return a place or a way with an id of its own: another of the same name is elsewhere."""
    place = memory.place
    where: list[Json] = [place.name, place.latitude, place.longitude] if place else []
    return replace(memory, id=content_id([memory.id, where, memory.metadata.get("way")]))


def _noted(text: str, note: str) -> str:
    return f"{text}\n{note}" if note else text


def stays_of(points: Sequence[Point]) -> list[Stay]:
    """Return the stays among points in order of time. Takes time linear in them."""
    stays: list[Stay] = []
    group: list[Point] = []
    centre = (0.0, 0.0)
    for point in points:
        here = (point.latitude, point.longitude)
        if group and kilometres(centre, here) > _NEAR:
            stays += _stay(group, centre)
            group = []
        group.append(point)
        share = 1 / len(group)
        centre = here if len(group) == 1 else (
            centre[0] + (here[0] - centre[0]) * share,
            centre[1] + (here[1] - centre[1]) * share,
        )  # fmt: skip
    return stays + (_stay(group, centre) if group else [])


def _stay(group: Sequence[Point], centre: tuple[float, float]) -> list[Stay]:
    start, end = group[0].seconds, group[-1].seconds
    place = Place("", round(centre[0], _DIGITS), round(centre[1], _DIGITS))
    return [Stay(start, end, place)] if end - start >= _LONG else []


def length(points: Sequence[Point]) -> float:
    """Return the kilometres of a way, without jumps that nothing can make."""
    total = 0.0
    for one, other in pairwise(points):
        distance = kilometres(one[1:], other[1:])
        hours = (other.seconds - one.seconds) / 3600
        if distance <= max(hours, 0.0) * _FASTEST + _NEAR:
            total += distance
    return total


def corners(points: Sequence[Point]) -> list[Json]:
    """Return some points of a way, evenly, as latitude and longitude."""
    step = max(1, -(-len(points) // _MOST_CORNERS))
    kept = [*points[::step], *points[-1:]]
    return [[round(each.latitude, _DIGITS), round(each.longitude, _DIGITS)] for each in kept]
