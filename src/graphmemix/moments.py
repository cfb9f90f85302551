"""Validation of timestamps: they need a time zone and must exist in UTC.

A `datetime` covers the years 1 to 9999 in its own zone. Near both ends the same moment can fall
outside that range in UTC, where it can be neither stored nor compared. Such values are rejected on
input. All others are accepted, including year 1 and 9999-12-31, which calendars use for "never";
code that does arithmetic on them must handle overflow.
"""

from __future__ import annotations

from datetime import MAXYEAR, MINYEAR, UTC, datetime

from graphmemix.errors import InvalidDataError

__all__ = ["require_moment"]


def require_moment(name: str, moment: datetime | None) -> None:
    """Raise `InvalidDataError` unless `moment` is None, or has a time zone and exists in UTC.

    Args:
        name: The field's name for the error message, such as ``memory.timestamp``.
        moment: The value to check.
    """
    if moment is None:
        return
    if moment.utcoffset() is None:
        raise InvalidDataError(f"{name}: {moment.isoformat()} has no time zone")
    if MINYEAR < moment.year < MAXYEAR:  # no zone is a year away from UTC
        return
    try:
        moment.astimezone(UTC)
    except OverflowError:
        raise InvalidDataError(
            f"{name}: {moment.isoformat()} is outside the years {MINYEAR} to {MAXYEAR} in UTC"
        ) from None
