"""Dates that a caller gives: what they mean, by which clock, and what is refused."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmemix.errors import InvalidInputError
from graphmemix.text.dates.given import moment_of, period_of

VIENNA = ZoneInfo("Europe/Vienna")
NOW = datetime(2026, 11, 18, 12, 30, tzinfo=VIENNA)


def test_nothing_is_nothing() -> None:
    assert moment_of("since", None) is None


def test_a_time_with_an_offset_is_that_moment_whatever_the_zone() -> None:
    for form in ("2023-05-01T10:00:00+09:00", datetime(2023, 5, 1, 1, tzinfo=UTC)):
        period = period_of("since", form, VIENNA)
        assert period.start == period.end == datetime(2023, 5, 1, 1, tzinfo=UTC)


def test_a_time_without_one_is_by_the_clock_of_the_zone() -> None:
    assert moment_of("since", "2023-07-01 10:00", VIENNA) == datetime(2023, 7, 1, 8, tzinfo=UTC)
    assert moment_of("since", "2023-01-01 10:00", VIENNA) == datetime(2023, 1, 1, 9, tzinfo=UTC)


def test_without_a_zone_it_is_this_machines() -> None:
    naive = datetime(2023, 7, 1, 10)  # noqa: DTZ001
    assert moment_of("since", naive) == naive.astimezone()


@pytest.mark.parametrize("day", ["2023-03-26", date(2023, 3, 26)])
def test_a_day_lasts_until_the_next_also_when_clocks_change(day: str | date) -> None:
    start, end = period_of("since", day, VIENNA)
    assert (start.utcoffset(), end.utcoffset()) == (timedelta(hours=1), timedelta(hours=2))
    assert end - start == timedelta(hours=23)


def test_the_last_day_of_the_calendar_has_no_next() -> None:
    start, end = period_of("since", "9999-12-31", UTC)
    assert start == end


def test_offsets_are_whole_minutes_so_that_json_keeps_them() -> None:
    moment = moment_of("since", "1850-05-01", VIENNA)  # local time was 1:05:21 ahead
    assert moment is not None
    assert moment.utcoffset() == timedelta(hours=1, minutes=5)


def test_now_is_this_moment() -> None:
    assert period_of("until", "now", VIENNA, now=NOW) == (NOW, NOW)


@pytest.mark.parametrize(
    "words",
    ["", "soon", "the key", "last May with Olga", "before 2015", "x" * 10_000, "9999-99-99"],
)
def test_what_names_no_date_is_refused(words: str) -> None:
    with pytest.raises(InvalidInputError, match=r"since: .* is not a date; use an ISO date"):
        period_of("since", words, VIENNA, now=NOW)


def test_a_date_that_can_be_read_in_two_ways_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="can be read in several ways"):
        period_of("since", "05/06/2023", VIENNA, now=NOW)


def test_a_moment_that_does_not_exist_in_utc_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="outside the years"):
        period_of("since", "0001-01-01", VIENNA)


@given(st.text(max_size=40))
def test_any_text_is_a_period_or_refused(text: str) -> None:
    try:
        start, end = period_of("since", text, UTC, now=NOW)
    except InvalidInputError:
        return
    assert start <= end
    assert start.utcoffset() is not None
