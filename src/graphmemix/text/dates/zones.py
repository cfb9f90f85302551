"""Time zones of pictures and recordings: cameras write the wall clock and seldom the zone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from graphmemix.errors import SettingsError

if TYPE_CHECKING:
    from graphmemix.text.coordinates import Point

_MINUTE = timedelta(minutes=1)
_HOURS = range(-12, 15)
_ODD_MINUTES = (-570, -210, -150, 210, 270, 330, 345, 390, 525, 570, 630, 765, 825)
_OFFSETS = sorted({60 * hour for hour in _HOURS} | set(_ODD_MINUTES))
"""Offsets from UTC, in minutes, that clocks somewhere show."""

_SLACK = 4  # minutes that a satellite fix, or the end of a recording, may lie beside the clock
_FAR = 4.5  # hours that a zone may differ from the sun; western China has 3


def parse_zone(name: str) -> tzinfo:
    """Return the zone with an IANA name, such as ``Europe/Vienna``, or with an offset.

    Raises:
        SettingsError: There is no such zone.
    """
    try:
        return datetime.fromisoformat(f"2000-01-01T00:00{name}").tzinfo or ZoneInfo(name)
    except ValueError:
        pass
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise SettingsError("time zone", f"there is no zone {name!r}") from None


def shown_in(moment: datetime, zone: str) -> datetime:
    """Return a moment as it is shown everywhere: by the clock of the archive's zone.

    Midnight means that only the day is known, and stays.

    Args:
        moment: With its offset.
        zone: The name of the archive's zone; empty if it has none.
    """
    if not zone or not (moment.hour or moment.minute):
        return moment
    try:
        return moment.astimezone(parse_zone(zone))
    except OverflowError:  # at either end of the calendar
        return moment


def wall_offset(wall: datetime, instant: datetime, where: Point | None) -> timezone | None:
    """Return the zone in which a clock showed `wall` at `instant`; None if no zone explains it.

    Args:
        wall: What the clock showed, without a zone.
        instant: The moment, with any zone; up to a few minutes wrong.
        where: Refutes zones that cannot be there.
    """
    minutes = (wall.replace(tzinfo=UTC) - instant.astimezone(UTC)) / _MINUTE
    nearest = min(_OFFSETS, key=lambda offset: abs(offset - minutes))
    if abs(nearest - minutes) > _SLACK:
        return None
    if where is not None and abs(nearest / 60 - where[1] / 15) > _FAR:
        hours = abs(nearest / 60 - where[1] / 15)
        if abs(hours - 24) > _FAR:  # the other side of the date line
            return None
    return timezone(timedelta(minutes=nearest))


def zone_at(where: Point) -> tzinfo | None:
    """Return the zone of a place; None on the open sea, or without the extra ``places``."""
    name = _zone_name(round(where[0], 3), round(where[1], 3))
    return ZoneInfo(name) if name and not name.startswith("Etc/") else None


@lru_cache(maxsize=4096)
def _zone_name(latitude: float, longitude: float) -> str:
    try:
        import tzfpy
    except ImportError:
        return ""
    name = tzfpy.get_tz(longitude, latitude)
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # newer than this machine's zones
        return ""
    return str(name)


def fixed(moment: datetime) -> datetime:
    """Return the same moment with its offset alone, as it comes back from JSON."""
    return moment.replace(tzinfo=timezone(moment.utcoffset() or timedelta()), fold=0)


def in_zone(wall: datetime, zone: tzinfo | None) -> datetime:
    """Return what a clock showed in a zone, None for this machine's, as a moment."""
    aware = wall.astimezone() if zone is None else wall.replace(tzinfo=zone)
    return fixed(aware)
