from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from graphmemix.memory import Memory
from graphmemix.relate.moments import DAY, SECOND, in_time, instant, local_day


def test_the_same_moment_is_the_same_in_every_zone() -> None:
    berlin = datetime(2023, 7, 14, 12, tzinfo=ZoneInfo("Europe/Berlin"))
    assert instant(berlin) == instant(datetime(2023, 7, 14, 10, tzinfo=UTC))


def test_clocks_that_are_put_back_do_not_put_time_back() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    first = datetime(2023, 10, 29, 2, 30, tzinfo=berlin)
    second = datetime(2023, 10, 29, 2, 30, fold=1, tzinfo=berlin)
    assert instant(second) - instant(first) == 3600 * SECOND


@pytest.mark.parametrize("hours", [-23, 0, 14])
def test_both_ends_of_the_calendar(hours: int) -> None:
    zone = timezone(timedelta(hours=hours))
    first, last = datetime(1, 1, 1, tzinfo=zone), datetime(9999, 12, 31, tzinfo=zone)
    assert instant(last) - instant(first) == 3_652_058 * DAY


def test_memories_without_a_time_come_last() -> None:
    early = Memory("z", "note", timestamp=datetime(2000, 1, 1, tzinfo=UTC))
    late = Memory("a", "note", timestamp=datetime.max.replace(tzinfo=UTC))
    unknown = Memory("b", "note")
    assert sorted([unknown, late, early], key=in_time) == [early, late, unknown]


def test_the_day_is_that_of_the_clock_on_the_wall() -> None:
    tokyo = datetime(2023, 7, 15, 1, tzinfo=timezone(timedelta(hours=9)))  # still the 14th in UTC
    assert local_day(Memory("a", "photo", timestamp=tokyo)) == date(2023, 7, 15)
    assert local_day(Memory("a", "photo")) is None
