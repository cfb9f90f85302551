"""Safe access to untrusted JSON: missing fields and those of the wrong type read as empty."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta, tzinfo
from typing import TYPE_CHECKING

from graphmemix.memory import Place
from graphmemix.text.dates.zones import fixed, in_zone

if TYPE_CHECKING:
    from graphmemix.record import Json

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LONGEST_NAME = 300  # characters; a store takes 2,000 bytes


class Node:
    """A JSON object."""

    def __init__(self, value: Json) -> None:
        self._fields = value if isinstance(value, dict) else {}

    def __bool__(self) -> bool:
        return bool(self._fields)

    def __contains__(self, key: str) -> bool:
        return key in self._fields

    def keys(self) -> list[str]:
        """Return the names of the fields."""
        return list(self._fields)

    def raw(self, key: str) -> Json:
        """Return a field as it is; None if it is missing."""
        return self._fields.get(key)

    def text(self, *keys: str) -> str:
        """Return the first of some fields that is a non-empty text."""
        for key in keys:
            value = self._fields.get(key)
            if isinstance(value, str) and value:
                return value
        return ""

    def name(self, *keys: str) -> str:
        """Return the first of some fields that is a text or a number, as a short name."""
        for key in keys:
            value = self._fields.get(key)
            if isinstance(value, (str, int)) and not isinstance(value, bool) and value != "":
                return short(str(value))
        return ""

    def number(self, *keys: str) -> float | None:
        """Return the first of some fields that is a finite number, or a text with one."""
        for key in keys:
            value = number(self._fields.get(key))
            if value is not None:
                return value
        return None

    def flag(self, key: str) -> bool:
        """Return whether a field is true."""
        return self._fields.get(key) is True

    def node(self, key: str) -> Node:
        """Return the object in a field; an empty one if there is none."""
        return Node(self._fields.get(key))

    def nodes(self, key: str) -> list[Node]:
        """Return the objects in the array in a field."""
        return [Node(each) for each in self.values(key) if isinstance(each, dict)]

    def values(self, key: str) -> list[Json]:
        """Return the array in a field; an empty one if there is none."""
        value = self._fields.get(key)
        return value if isinstance(value, list) else []


def short(text: str) -> str:
    """Return a name on one line and of bounded length."""
    return " ".join(text.split())[:_LONGEST_NAME]


def number(value: Json) -> float | None:
    """Return a finite number, also from a text; None if it is not one."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def place_at(latitude: float | None, longitude: float | None, name: str = "") -> Place | None:
    """Return a place by its coordinates; None if they are missing or not on Earth."""
    if latitude is None or longitude is None or abs(latitude) > 90 or abs(longitude) > 180:
        return None
    return Place(short(name), latitude, longitude)


def moment(seconds: float | None) -> datetime | None:
    """Return a moment from seconds since 1970 in UTC; None if missing or out of range.

    Units differ: values beyond the year 5000 are taken as milli-, micro- or nanoseconds.
    """
    if seconds is None:
        return None
    for unit in (1, 1e3, 1e6, 1e9):
        if abs(seconds) / unit < 1e11:
            try:
                return _EPOCH + timedelta(microseconds=round(seconds / unit * 1e6))
            except OverflowError:
                return None
    return None


def iso_moment(text: str, zone: tzinfo | None = None) -> datetime | None:
    """Return a moment from ISO 8601 or RFC 3339; one without an offset is taken in `zone`.

    Args:
        text: Such as ``2024-05-01T10:00:00Z``.
        zone: None for this machine's.
    """
    try:
        return with_offset(datetime.fromisoformat(text.strip().replace(" UTC", "+00:00")), zone)
    except ValueError:
        return None


def with_offset(clock: datetime, zone: tzinfo | None = None) -> datetime | None:
    """Return a moment with a fixed offset, as archives store it; None if out of range in UTC.

    Args:
        clock: With an offset, or a local time in `zone`.
        zone: None for this machine's.
    """
    try:
        found = in_zone(clock, zone) if clock.tzinfo is None else fixed(clock)
        offset = found.utcoffset() or timedelta()
        universal = found.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None
    # Historical offsets have seconds, which ISO 8601 cannot represent.
    return universal if offset % timedelta(minutes=1) else found
