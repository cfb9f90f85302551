"""Points in time, exact and comparable whatever their time zones."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphmemix.memory import Memory

SECOND = 1_000_000
"""One second in the unit of `instant`."""

DAY = 86_400 * SECOND

_START = datetime(1, 1, 1)  # noqa: DTZ001
_UNKNOWN = 2**63  # after every instant


def instant(moment: datetime) -> int:
    """Return the microseconds since the year 1, UTC.

    Aware datetimes that share a `ZoneInfo` subtract by the clock on the wall, and conversion to UTC
    overflows at both ends of the calendar; this does neither.
    """
    offset = moment.utcoffset() or timedelta()
    return (moment.replace(tzinfo=None) - _START - offset) // timedelta(microseconds=1)


def in_time(memory: Memory) -> tuple[int, str]:
    """Sort key: by time, then id; memories without a time come last."""
    moment = memory.timestamp
    return (_UNKNOWN if moment is None else instant(moment), memory.id)


def local_day(memory: Memory) -> date | None:
    """Return the calendar day on which it happened, by the clock of its own UTC offset."""
    return None if memory.timestamp is None else memory.timestamp.date()
