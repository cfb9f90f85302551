"""When something was taken: from several hints of different worth, one moment with its zone.

A camera writes what its clock showed; newer ones add the offset. Satellites, QuickTime and Google
Takeout write UTC. Where a wall clock and UTC are both known, their difference is the zone. Else the
zone comes from the coordinates (with the extra ``places``) and, failing that, it is assumed: the
one that the importer was given, or this machine's. Metadata tell which it was.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import TYPE_CHECKING, Literal, TypeAlias

from graphmemix.text.dates.zones import fixed, in_zone, wall_offset, zone_at

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from graphmemix.record import Json
    from graphmemix.text.coordinates import Point

Clock: TypeAlias = Literal["zoned", "utc", "wall"]
"""Whether a time has its own offset, is UTC whatever the zone was, or is what a clock showed."""

_FIRST_YEAR = 1826  # of the oldest photograph
# This was written then: a machine whose clock shows an earlier time lost it, and cannot judge.
_WRITTEN = datetime(2026, 1, 1, tzinfo=UTC)
_TOMORROW = timedelta(days=1, hours=14)
# What clocks show that were never set, and what containers write for "unknown".
_UNSET = frozenset({(1904, 1, 1), (1970, 1, 1), (1980, 1, 1), (2000, 1, 1)})


@dataclass(frozen=True)
class Hint:
    """What one source says about the time.

    Attributes:
        source: Which one, such as ``exif``.
        moment: With a zone unless `clock` is ``wall``.
        clock: How to read it.
        whole_day: Only the day is known; the moment is noon.
        is_change: When the file was last changed, which may be years after it was taken.
    """

    source: str
    moment: datetime
    clock: Clock
    whole_day: bool = False
    is_change: bool = False

    @property
    def is_weak(self) -> bool:
        """Whether any other hint is better, and this one says nothing about the zone."""
        return self.whole_day or self.is_change


@dataclass(frozen=True)
class Taken:
    """The moment, and how it was found, for metadata."""

    moment: datetime
    how: Mapping[str, Json]


def taken(
    hints: Sequence[Hint], where: Point | None = None, assumed: tzinfo | None = None
) -> Taken | None:
    """Return when something was taken, by the first hint; the others help to find the zone.

    Args:
        hints: The most trusted first.
        where: The coordinates, if known.
        assumed: The zone if nothing else tells; None for this machine's.
    """
    if not hints:
        return None
    # The day in a messenger's file name is that of the picture; a change may be years later.
    first = min(hints, key=lambda hint: (hint.is_change, hint.whole_day))
    how: dict[str, Json] = {"time_source": first.source}
    if first.whole_day:
        how["time_precision"] = "day"
    if first.clock == "zoned":
        return Taken(fixed(first.moment), {**how, "zone_source": first.source})
    zone, zone_source = _zone(first, hints, where, assumed)
    if first.clock == "wall":
        moment = in_zone(first.moment, zone)
    else:
        moment = fixed(first.moment.astimezone(zone))
    return Taken(moment, {**how, "zone_source": zone_source})


def _zone(
    first: Hint, hints: Sequence[Hint], where: Point | None, assumed: tzinfo | None
) -> tuple[tzinfo | None, str]:
    for other in hints:
        if other is not first and not other.is_weak:
            offset = _difference(first, other, where)
            if offset is not None:
                return offset, other.source
    there = zone_at(where) if where is not None else None
    return (there, "coordinates") if there is not None else (assumed, "assumed")


def _difference(first: Hint, other: Hint, where: Point | None) -> timezone | None:
    """Return the zone that a wall clock and UTC give together."""
    if {first.clock, other.clock} == {"wall", "utc"}:
        wall, utc = (first, other) if first.clock == "wall" else (other, first)
        offset = wall_offset(wall.moment, utc.moment, where)
        # Google takes the clock for UTC where it knows nothing better.
        guess = utc.source == "takeout" and where is None and offset == UTC
        return None if guess else offset
    if first.clock == "wall" and other.clock == "zoned":
        return wall_offset(first.moment, other.moment, where)
    if first.clock == "utc" and other.clock == "zoned":
        return timezone(other.moment.utcoffset() or timedelta())
    return None


_EXIF_TIME = re.compile(
    r"\s*(\d{4})[:\-/.](\d{1,2})[:\-/.](\d{1,2})"
    r"(?:[ T](\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:[.,](\d{1,9}))?)?)?"
    r"\s*+(Z|[+-]\d{1,2}:?\d{2})?+\s*+",
    re.IGNORECASE,
)
_BLANK = re.compile(r"[\s0:\-/.TZ+]*", re.IGNORECASE)


def parse_time(text: str, offset: str = "", fraction: str = "") -> datetime | None:
    """Return a time as EXIF, XMP or a container writes it, with a zone if one is stated.

    Args:
        text: Such as ``2022:04:30 13:22:12`` or ``2022-04-30T13:22:12.5+02:00``.
        offset: Such as ``+02:00``, if it is written apart.
        fraction: Digits behind the second, if they are written apart.

    Raises:
        ValueError: The text states an impossible time. Blank is None, not impossible.
    """
    text = text.strip("\0 \t\r\n")[:64]
    if _BLANK.fullmatch(text):
        return None
    match = _EXIF_TIME.fullmatch(text)
    if match is None:
        raise ValueError("is not a time")
    year, month, day, hour, minute, second = (int(part or 0) for part in match.groups()[:6])
    digits = (match[7] or (fraction if fraction.isdecimal() else ""))[:6]
    moment = datetime(  # noqa: DTZ001  # the zone follows, if there is one
        year, month, day, hour, minute, min(second, 59) if second == 60 else second,
        int(digits.ljust(6, "0")) if digits else 0,
    )  # fmt: skip
    zone = parse_offset(match[8] or offset)
    moment = moment if zone is None else moment.replace(tzinfo=zone)
    require_plausible(moment)
    return moment


def written_time(
    source: str, text: str, offset: str = "", fraction: str = "", *, is_change: bool = False
) -> Hint | None:
    """Return what a written time says; of a day without a time, noon, marked as such.

    Args:
        source: Where it is written.
        text: As in `parse_time`, and `offset` and `fraction` too.
        offset: See `text`.
        fraction: See `text`.
        is_change: Whether it is when the file was changed.

    Raises:
        ValueError: The text states an impossible time.
    """
    moment = parse_time(text, offset, fraction)
    if moment is None:
        return None
    if ":" not in text[10:]:
        noon = moment.replace(hour=12, tzinfo=None)
        return Hint(source, noon, "wall", whole_day=True, is_change=is_change)
    return Hint(source, moment, "wall" if moment.tzinfo is None else "zoned", is_change=is_change)


_OFFSET = re.compile(r"([+-])(\d{1,2}):?(\d{2})")


def parse_offset(text: str) -> timezone | None:
    """Return the zone of an offset such as ``+02:00``; None if it is blank or nonsense."""
    text = text.strip("\0 \t")
    if text in {"Z", "z"}:
        return UTC
    match = _OFFSET.fullmatch(text)
    if match is None:
        return None
    minutes = int(match[2]) * 60 + int(match[3])
    if minutes > 14 * 60 or int(match[3]) > 59:
        return None
    return timezone(timedelta(minutes=-minutes if match[1] == "-" else minutes))


def require_plausible(moment: datetime) -> None:
    """Raise ValueError for a time at which nothing can have been taken."""
    if moment.year < _FIRST_YEAR:
        raise ValueError("is before photography")
    if moment.replace(tzinfo=UTC) > max(datetime.now(UTC), _WRITTEN) + _TOMORROW:
        raise ValueError("lies in the future")
    midnight = (moment.hour, moment.minute, moment.second) == (0, 0, 0)
    if midnight and (moment.year, moment.month, moment.day) in _UNSET:
        raise ValueError("is the default of a clock that was never set")
