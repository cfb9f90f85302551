"""Which shots of a run are linked: nearest in time first, and only so many links for each."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from heapq import heapify, heappop, heappush
from itertools import product
from math import asin, cos, floor, radians, sin, sqrt
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from graphmemix.relate.moments import SECOND

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from graphmemix.relate.protocol import Pair
    from graphmemix.settings import EventBridgeSettings

_EARTH_KILOMETRES = 6371.0088  # mean radius
_ROUNDING = 1e-6  # km; far more than rounding does to coordinates in kilometres

Point: TypeAlias = tuple[float, float]
"""Latitude and longitude, in degrees."""

_Cell: TypeAlias = tuple[int, int, int]


class Shot(NamedTuple):
    """When (in microseconds) and where something was taken."""

    time: int
    id: str
    point: Point


def kilometres(one: Point, other: Point) -> float:
    """Return the distance on the sphere, by the haversine formula.

    Right across the 180th meridian, and at the poles, where all longitudes are one point.
    """
    (lat1, lon1), (lat2, lon2) = one, other
    half_lat, half_lon = radians(lat2 - lat1) / 2, radians(lon2 - lon1) / 2
    h = sin(half_lat) ** 2 + cos(radians(lat1)) * cos(radians(lat2)) * sin(half_lon) ** 2
    return 2 * _EARTH_KILOMETRES * asin(sqrt(min(1.0, h)))


def bridges(shots: Iterable[Shot], limits: EventBridgeSettings) -> set[Pair]:
    """Return the links among these shots (see `event_bridge` for the rule).

    Pairs are not listed. Each shot offers itself to later ones, nearest in time first, until it has
    its links; those that have theirs are passed over. Space is cut into cells, and a shot looks
    only into its own and those around. So a burst of n shots costs about n log n.
    """
    if limits.max_neighbours == 0:
        return set()
    board = _Board(sorted(shots), limits)
    links: Counter[int] = Counter()
    found: set[Pair] = set()
    offers = board.first_offers()
    heapify(offers)
    while offers:
        level = [heappop(offers)]
        while offers and offers[0].gap == level[0].gap:
            level.append(heappop(offers))
        level = [offer for offer in level if links[offer.shot] < limits.max_neighbours]
        for _, pair, i, j in sorted(p for offer in level for p in board.near_pairs(offer)):
            if max(links[i], links[j]) < limits.max_neighbours:
                found.add(pair)
                links.update((i, j))
                for full in (k for k in (i, j) if links[k] == limits.max_neighbours):
                    board.take_out(full)
        for offer in level:
            if links[offer.shot] < limits.max_neighbours:
                for later in board.offers(offer.shot, offer.lane, offer.moment + 1):
                    heappush(offers, later)
    return found


class _Offer(NamedTuple):
    """A shot looks for partners in a lane at a moment that is `gap` microseconds later."""

    gap: int
    shot: int
    lane: int
    moment: int


class _Lane:
    """The shots of one cell by time, without those that have all their links."""

    def __init__(self) -> None:
        self.times: list[int] = []
        self.shots: list[list[int]] = []
        self._next: list[int] = [0]  # where to look on; itself where shots are left

    def append(self, time: int, shot: int) -> int:
        """Add a shot that is not earlier than the others; return the number of its moment."""
        if not self.times or self.times[-1] != time:
            self.times.append(time)
            self.shots.append([])
            self._next.append(len(self.times))
        self.shots[-1].append(shot)
        return len(self.times) - 1

    def open_from(self, moment: int) -> int:
        """Return the first moment, from this one on, at which shots are left, or the end."""
        end = moment
        while self._next[end] != end:
            end = self._next[end]
        while self._next[moment] != end:  # halve the way of those who come later
            self._next[moment], moment = end, self._next[moment]
        return end

    def take_out(self, moment: int, shot: int) -> None:
        self.shots[moment].remove(shot)
        if not self.shots[moment]:
            self._next[moment] = moment + 1


class _Board:
    """Shots sorted into cells of space, one lane for each.

    Cells are cubes around the globe's centre, so that there are no seams on its surface. Two points
    that are near enough lie in the same cube or in neighbouring ones, since a chord is shorter than
    its arc.
    """

    def __init__(self, ordered: Sequence[Shot], limits: EventBridgeSettings) -> None:
        self._shots = ordered
        self._far = limits.max_kilometres
        self._least = round(limits.min_seconds * SECOND)
        self._most = round(limits.max_seconds * SECOND)
        self._cells = [_cell(shot.point, self._far + _ROUNDING) for shot in ordered]
        self._lanes: list[_Lane] = []
        self._where: list[tuple[int, int]] = []
        numbers: dict[_Cell, int] = {}
        for i, (shot, cell) in enumerate(zip(ordered, self._cells, strict=True)):
            lane = numbers.setdefault(cell, len(numbers))
            if lane == len(self._lanes):
                self._lanes.append(_Lane())
            self._where.append((lane, self._lanes[lane].append(shot.time, i)))
        steps = list(product((-1, 0, 1), repeat=3))
        self._around = {
            (x, y, z): [
                numbers[near]
                for dx, dy, dz in steps
                if (near := (x + dx, y + dy, z + dz)) in numbers
            ]
            for x, y, z in numbers
        }

    def first_offers(self) -> list[_Offer]:
        """Return for each shot its offers to the cells around it, nearest in time."""
        return [
            offer
            for i, shot in enumerate(self._shots)
            for lane in self._around[self._cells[i]]
            for offer in self.offers(
                i, lane, bisect_left(self._lanes[lane].times, shot.time + self._least)
            )
        ]

    def offers(self, shot: int, number: int, moment: int) -> Iterator[_Offer]:
        """Yield the next offer of a shot to a lane, from this moment on, if there is any."""
        lane = self._lanes[number]
        moment = lane.open_from(moment)
        if moment < len(lane.times):
            gap = lane.times[moment] - self._shots[shot].time
            if gap <= self._most:
                yield _Offer(gap, shot, number, moment)

    def near_pairs(self, offer: _Offer) -> Iterator[tuple[float, Pair, int, int]]:
        """Yield distance, ids and numbers of those that are near enough to take an offer."""
        one = self._shots[offer.shot]
        for j in self._lanes[offer.lane].shots[offer.moment]:
            other = self._shots[j]
            distance = kilometres(one.point, other.point)
            if offer.shot < j and distance <= self._far:
                yield distance, (min(one.id, other.id), max(one.id, other.id)), offer.shot, j

    def take_out(self, shot: int) -> None:
        """Let a shot take no more offers."""
        lane, moment = self._where[shot]
        self._lanes[lane].take_out(moment, shot)


def _cell(point: Point, size: float) -> _Cell:
    latitude, longitude = map(radians, point)
    x = cos(latitude) * cos(longitude)
    y = cos(latitude) * sin(longitude)
    scale = _EARTH_KILOMETRES / size
    return (floor(x * scale), floor(y * scale), floor(sin(latitude) * scale))
