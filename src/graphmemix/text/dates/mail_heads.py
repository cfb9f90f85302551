"""When a mail was sent: dates as mail programs of four decades write them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_tz
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_EARLIEST, _LATEST = 1971, 2100  # before, a clock was not set; the years after are mistakes
_FARTHEST = 14 * 60  # minutes from UTC that any zone has ever
# Beyond those that the standard library knows; "IST" and "CST" mean several, and stay unknown.
_ZONES = {
    "wet": 0, "west": 60, "bst": 60, "met": 60, "mez": 60, "cet": 60, "mest": 120, "mesz": 120,
    "cest": 120, "eet": 120, "eest": 180, "msk": 180, "msd": 240, "sast": 120, "jst": 540,
    "kst": 540, "hkt": 480, "sgt": 480, "awst": 480, "aest": 600, "aedt": 660, "nzst": 720,
    "nzdt": 780, "akst": -540, "akdt": -480, "hst": -600, "brt": -180, "art": -180, "nst": -210,
}  # fmt: skip
_NAMED_ZONE = re.compile(r"\b([A-Za-z]{2,5})\)?\s*$")
_NUMBERED_ZONE = re.compile(r"\s[+-]\d{4}\b")
_COMMENT = re.compile(r"\([^()]{0,100}\)")


def sent_at(dates: Iterable[str]) -> datetime | None:
    """Return the first date that can be read, with its zone; None if there is none.

    Args:
        dates: The ``Date`` field, then others in which a date stands behind the last semicolon.
    """
    for text in dates:
        moment = _moment(text.rpartition(";")[2].strip()[:200])
        if moment is not None:
            return moment
    return None


def _moment(text: str) -> datetime | None:
    if not text:
        return None
    parsed = _fields(text)
    if parsed is None:
        return _iso(text)
    year, month, day, hour, minute, second, offset = parsed
    if offset == 0:
        offset = _named_offset(text)
    try:
        wall = datetime(year, month, day, hour, minute, min(second, 59), tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
    return _checked(wall.replace(tzinfo=_zone(offset)))


def _fields(text: str) -> tuple[int, int, int, int, int, int, int] | None:
    """Return year to second and the minutes from UTC, which are 0 for a zone that is unknown."""
    try:
        parsed = parsedate_tz(text)
    except (ValueError, IndexError, TypeError, OverflowError):
        return None
    if parsed is None:
        return None
    return (*parsed[:6], (parsed[9] or 0) // 60)


def _iso(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(_COMMENT.sub("", text).strip())
    except ValueError:
        return None
    return _checked(moment if moment.tzinfo else moment.replace(tzinfo=UTC))


def _named_offset(text: str) -> int:
    """Return the minutes of a zone that is given by name alone; UTC if it is unknown or missing."""
    named = None if _NUMBERED_ZONE.search(text) else _NAMED_ZONE.search(text)
    return _ZONES.get(named.group(1).lower(), 0) if named else 0


def _zone(offset: int) -> timezone:
    """Return the zone, or UTC for an offset that no clock shows."""
    return timezone(timedelta(minutes=offset)) if abs(offset) <= _FARTHEST else UTC


def _checked(moment: datetime) -> datetime | None:
    if not _EARLIEST <= moment.year <= _LATEST:
        return None
    offset = moment.utcoffset() or timedelta()
    if abs(offset) > timedelta(minutes=_FARTHEST) or offset % timedelta(minutes=1):
        return moment.astimezone(UTC)
    return moment.replace(tzinfo=timezone(offset))
