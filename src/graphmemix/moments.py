"""Which moments can be worked with: those that the calendar also has in UTC.

A `datetime` holds the years 1 to 9999 on the clock of its own zone. Near both ends the same moment
in UTC can lie outside, and then it can be neither stored nor compared. Such moments are refused
where they come in. All others are taken, also the year 1 and 9999-12-31, which calendars write for
"never": arithmetic on them stays the business of those who do it.
"""

from __future__ import annotations

from datetime import MAXYEAR, MINYEAR, UTC, datetime

from graphmemix.errors import InvalidDataError

__all__ = ["require_moment"]


def require_moment(name: str, moment: datetime | None) -> None:
    """Raise `InvalidDataError` unless `moment` is None, or has a time zone and exists in UTC.

    Args:
        name: What the error calls it, such as ``memory.timestamp``.
        moment: What to check.
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
