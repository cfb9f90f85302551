"""Offsets by the rules of a calendar: those of a plain search through all of them."""

from __future__ import annotations

import calendar
from datetime import datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from graphmemix.ingest.documents.ical_zones import Observance, Zone

_DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
CLOCKS = st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31))  # noqa: DTZ001
NEAR = st.datetimes(datetime(1999, 1, 1), datetime(2002, 1, 1))  # noqa: DTZ001
OFFSETS = st.none() | st.integers(-12, 12).map(lambda hours: timedelta(hours=hours))


@st.composite
def observances(draw: st.DrawFn) -> tuple[Observance, tuple[int, int, int] | None]:
    """Make an observance, and month, ordinal and weekday of its yearly rule if it has one."""
    offset = draw(OFFSETS)
    starts = draw(st.none() | NEAR | CLOCKS)
    if draw(st.booleans()):
        return Observance(offset, starts), None
    month, nth, day = draw(st.integers(1, 12)), draw(st.integers(-6, 6)), draw(st.integers(0, 6))
    rule = f"FREQ=YEARLY;BYMONTH={month};BYDAY={nth}{_DAYS[day]}"
    return Observance(offset, starts, rule), (month, nth, day)


def onset(observance: Observance, rule: tuple[int, int, int] | None, year: int) -> datetime | None:
    if observance.starts is None:
        return None
    if rule is None:
        return observance.starts
    month, nth, weekday = rule
    count = calendar.monthrange(year, month)[1]
    days = [d for d in range(1, count + 1) if calendar.weekday(year, month, d) == weekday]
    if not 1 <= abs(nth) <= len(days):
        return None
    day = days[nth - 1 if nth > 0 else nth]
    return datetime.combine(datetime(year, month, day), observance.starts.time())  # noqa: DTZ001


@given(st.lists(observances(), max_size=6), NEAR | CLOCKS)
def test_the_latest_start_counts(
    drawn: list[tuple[Observance, tuple[int, int, int] | None]], clock: datetime
) -> None:
    started = [
        (found, -index, each.offset)
        for index, (each, rule) in enumerate(drawn)
        if each.offset is not None
        for year in (clock.year - 1, clock.year)
        if year > 0 and (found := onset(each, rule, year)) is not None and found <= clock
    ]
    known = [each.offset for each, _ in drawn if each.offset is not None]
    expected = max(started, key=lambda start: start[:2])[2] if started else next(iter(known), None)
    offset = Zone("Own", observances=[each for each, _ in drawn]).offset_at(clock)
    assert offset == (None if expected is None else timezone(expected))
