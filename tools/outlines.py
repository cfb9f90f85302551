"""Writes the outlines of the page's map: coasts and borders of Natural Earth (public domain).

::

    npm pack world-atlas@2.0.2 && tar xzf world-atlas-2.0.2.tgz
    python3 tools/outlines.py package

The result is `serve/page/outlines.json`: ``{"land": [...], "borders": [...]}``, each line as whole
numbers of 1/20 degree: longitude and latitude of its first point, then differences.
"""

from __future__ import annotations

import itertools
import json
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

TARGET: Final = (
    Path(__file__).parents[1] / "src" / "graphmemix" / "serve" / "page" / "outlines.json"
)
PER_DEGREE: Final = 20
TOLERANCE: Final = 0.07  # degrees that a line may be off, about 8 km
SMALLEST: Final = 0.5  # degrees: smaller islands are left out

Point: TypeAlias = tuple[float, float]


def main(folder: Path) -> None:
    """Read the TopoJSON files of the package and write the lines."""
    land = json.loads((folder / "land-50m.json").read_text("utf-8"))
    countries = json.loads((folder / "countries-50m.json").read_text("utf-8"))
    arcs, lines = _arcs(land), _arcs(countries)
    rings = [
        [point for arc in ring for point in _arc(arcs, arc)]
        for ring in _rings(land["objects"]["land"])
    ]
    used = Counter(
        max(arc, ~arc) for ring in _rings(countries["objects"]["countries"]) for arc in ring
    )
    borders = [lines[arc] for arc, count in used.items() if count > 1]
    found = {
        "land": [_packed(simplified(ring)) for ring in rings if _size(ring) >= SMALLEST],
        "borders": [_packed(simplified(line)) for line in borders],
    }
    TARGET.write_text(json.dumps(found, separators=(",", ":")) + "\n", "utf-8")


def _arcs(topology: dict[str, Any]) -> list[list[Point]]:
    (wide, high), (west, south) = topology["transform"]["scale"], topology["transform"]["translate"]
    found = []
    for arc in topology["arcs"]:
        x = y = 0
        line = []
        for right, up in arc:
            x, y = x + right, y + up
            line.append((x * wide + west, y * high + south))
        found.append(line)
    return found


def _arc(arcs: Sequence[list[Point]], number: int) -> list[Point]:
    return arcs[number] if number >= 0 else arcs[~number][::-1]


def _rings(shape: dict[str, Any]) -> Iterator[list[int]]:
    if shape["type"] == "GeometryCollection":
        for each in shape["geometries"]:
            yield from _rings(each)
    elif shape["type"] == "Polygon":
        yield from shape["arcs"]
    elif shape["type"] == "MultiPolygon":
        for polygon in shape["arcs"]:
            yield from polygon


def _size(line: Sequence[Point]) -> float:
    return max(max(axis) - min(axis) for axis in ([x for x, _ in line], [y for _, y in line]))


def simplified(line: Sequence[Point]) -> list[Point]:
    """Return a line with fewer points, by Douglas and Peucker (1973)."""
    kept = {0, len(line) - 1}
    waiting = [(0, len(line) - 1)]
    while waiting:
        first, last = waiting.pop()
        between = range(first + 1, last)
        if not between:
            continue
        off, at = max((_distance(line[i], line[first], line[last]), i) for i in between)
        if off > TOLERANCE:
            kept.add(at)
            waiting += [(first, at), (at, last)]
    return [line[i] for i in sorted(kept)]


def _distance(point: Point, start: Point, end: Point) -> float:
    right, up = end[0] - start[0], end[1] - start[1]
    length = right * right + up * up
    along = 0.0
    if length:
        along = ((point[0] - start[0]) * right + (point[1] - start[1]) * up) / length
        along = min(1.0, max(0.0, along))
    return float(
        ((point[0] - start[0] - along * right) ** 2 + (point[1] - start[1] - along * up) ** 2)
        ** 0.5
    )


def _packed(line: Sequence[Point]) -> list[int]:
    whole = [(round(x * PER_DEGREE), round(y * PER_DEGREE)) for x, y in line]
    packed = list(whole[0])
    for before, after in itertools.pairwise(whole):
        if before != after:
            packed += [after[0] - before[0], after[1] - before[1]]
    return packed


if __name__ == "__main__":
    main(Path(sys.argv[1]))
