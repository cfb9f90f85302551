"""Dates that need the day of the question: weeks start on Monday, the clock is the asker's."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from graphmemix.retrieve.constraints import find_constraints
from tests.text.dates.dated import ASKED, FIRST, LAST, found

# Asked on Wednesday 13 March 2024, 10:30.
DAYS = [
    ("What did I eat today?", "today", "2024-03-13 2024-03-14"),
    ("What did I eat yesterday?", "yesterday", "2024-03-12 2024-03-13"),
    ("yesterday's photos", "yesterday's", "2024-03-12 2024-03-13"),
    ("the day before yesterday", "day before yesterday", "2024-03-11 2024-03-12"),
    ("What is on tomorrow?", "tomorrow", "2024-03-14 2024-03-15"),
    ("What did we watch last night?", "last night", "2024-03-12T18 2024-03-13T06"),
    ("What did I take this morning?", "this morning", "2024-03-13T05 2024-03-13T12"),
    ("Who called yesterday evening?", "yesterday evening", "2024-03-12T17 2024-03-13"),
    ("Who called tonight?", "tonight", "2024-03-13T18 2024-03-14T06"),
    ("Who called on Monday morning?", "Monday morning", "2024-03-11T05 2024-03-11T12"),
    ("Who called last Friday night?", "last Friday night", "2024-03-08T18 2024-03-09T06"),
    ("What did I do on Friday?", "Friday", "2024-03-08 2024-03-09"),
    ("what did i do friday?", "friday", "2024-03-08 2024-03-09"),
    ("What did I do last Friday?", "last Friday", "2024-03-08 2024-03-09"),
    ("What did I do last Wednesday?", "last Wednesday", "2024-03-06 2024-03-07"),
    ("What did I do on Wednesday?", "Wednesday", "2024-03-06 2024-03-07"),
    ("What do I do this Friday?", "this Friday", "2024-03-15 2024-03-16"),
    ("What do I do next Friday?", "next Friday", "2024-03-15 2024-03-16"),
    ("What did I do on Tue?", "Tue", "2024-03-12 2024-03-13"),
    ("3 days ago", "3 days ago", "2024-03-10 2024-03-11"),
    ("Who wrote a few days ago?", "a few days ago", "2024-03-08 2024-03-12"),
    ("two nights ago", "two nights ago", "2024-03-11 2024-03-12"),
    ("two Fridays ago", "two Fridays ago", "2024-03-01 2024-03-02"),
    ("on Friday last week", "Friday last week", "2024-03-08 2024-03-09"),
    ("last week on Friday", "last week on Friday", "2024-03-08 2024-03-09"),
    ("on Monday of this week", "Monday of this week", "2024-03-11 2024-03-12"),
    ("on the 5th of last month", "5th of last month", "2024-02-05 2024-02-06"),
    ("a year ago today", "a year ago today", "2023-03-13 2023-03-14"),
    ("2 hours ago", "2 hours ago", "2024-03-13T08 2024-03-13T09"),
    ("in the last 24 hours", "last 24 hours", "2024-03-12T10:30 2024-03-13T10:31"),
]
WEEKS = [
    ("last week's meeting", "last week's", "2024-03-04 2024-03-11"),
    ("this week", "this week", "2024-03-11 2024-03-18"),
    ("next week", "next week", "2024-03-18 2024-03-25"),
    ("a week ago", "a week ago", "2024-03-04 2024-03-11"),
    ("about two weeks ago", "two weeks ago", "2024-02-26 2024-03-04"),
    ("a couple of weeks ago", "a couple of weeks ago", "2024-02-19 2024-03-04"),
    ("two or three weeks ago", "two or three weeks ago", "2024-02-19 2024-03-04"),
    ("2-3 weeks ago", "2-3 weeks ago", "2024-02-19 2024-03-04"),
    ("a fortnight ago", "a fortnight ago", "2024-02-26 2024-03-04"),
    ("the week before last", "week before last", "2024-02-26 2024-03-04"),
    ("last weekend", "last weekend", "2024-03-09 2024-03-11"),
    ("What did we do over the weekend?", "weekend", "2024-03-09 2024-03-11"),
    ("this weekend", "this weekend", "2024-03-16 2024-03-18"),
    ("this past weekend", "this past weekend", "2024-03-09 2024-03-11"),
    ("in two weeks' time", "two weeks' time", "2024-03-25 2024-04-01"),
    ("a year ago this week", "a year ago this week", "2023-03-13 2023-03-20"),
    ("in the coming weeks", "coming weeks", "2024-03-13 2024-04-17"),
    ("two weekends ago", "two weekends ago", "2024-03-02 2024-03-04"),
    ("Who wrote in the last week?", "last week", "2024-03-06 2024-03-14"),
    ("Who wrote in the past few weeks?", "past few weeks", "2024-02-07 2024-03-14"),
    ("appointments in the next two weeks", "next two weeks", "2024-03-13 2024-03-27"),
]
MONTHS = [
    ("last month", "last month", "2024-02-01 2024-03-01"),
    ("this month", "this month", "2024-03-01 2024-04-01"),
    ("next month", "next month", "2024-04-01 2024-05-01"),
    ("at the beginning of this month", "beginning of this month", "2024-03-01 2024-03-11"),
    ("a month ago", "a month ago", "2024-02-01 2024-03-01"),
    ("six months ago", "six months ago", "2023-09-01 2023-10-01"),
    ("half a year ago", "half a year ago", "2023-09-01 2023-10-01"),
    ("a year and a half ago", "a year and a half ago", "2022-09-01 2022-10-01"),
    ("What did I read in the last three months?", "last three months", "2023-12-13 2024-03-14"),
    ("What did I read over the past month?", "past month", "2024-02-13 2024-03-14"),
    ("last May", "last May", "2023-05-01 2023-06-01"),
    ("last March", "last March", "2023-03-01 2023-04-01"),
    ("this May", "this May", "2024-05-01 2024-06-01"),
    ("next March", "next March", "2025-03-01 2025-04-01"),
    ("in May last year", "May last year", "2023-05-01 2023-06-01"),
    ("last year in May", "last year in May", "2023-05-01 2023-06-01"),
    ("in May two years ago", "May two years ago", "2022-05-01 2022-06-01"),
    ("in January of this year", "January of this year", "2024-01-01 2024-02-01"),
    ("last quarter", "last quarter", "2023-10-01 2024-01-01"),
]
YEARS = [
    ("last year", "last year", "2023-01-01 2024-01-01"),
    ("this year", "this year", "2024-01-01 2025-01-01"),
    ("next year", "next year", "2025-01-01 2026-01-01"),
    ("3 years ago", "3 years ago", "2021-01-01 2022-01-01"),
    ("ten years ago", "ten years ago", "2014-01-01 2015-01-01"),
    ("the year before last", "year before last", "2022-01-01 2023-01-01"),
    ("in the past year", "past year", "2023-03-13 2024-03-14"),
    ("earlier this year", "earlier this year", "2024-01-01 2024-03-14"),
    ("later this year", "later this year", "2024-03-13 2025-01-01"),
    ("late last year", "late last year", "2023-09-01 2024-01-01"),
    ("before last year", "before last year", f"{FIRST} 2023-01-01"),
    ("since last year", "since last year", "2023-01-01 2024-03-14"),
    ("after next Friday", "after next Friday", f"2024-03-16 {LAST}"),
    ("this time last year", "this time last year", "2023-03-06 2023-03-21"),
]
SEASONS = [
    ("last summer", "last summer", "2023-06-01 2023-09-01"),
    ("this summer", "this summer", "2024-06-01 2024-09-01"),
    ("next summer", "next summer", "2024-06-01 2024-09-01"),
    ("last winter", "last winter", "2023-12-01 2024-03-01"),
    ("this winter", "this winter", "2023-12-01 2024-03-01"),
    ("last spring", "last spring", "2023-03-01 2023-06-01"),
    ("last fall", "last fall", "2023-09-01 2023-12-01"),
    ("two summers ago", "two summers ago", "2022-06-01 2022-09-01"),
    ("the summer before last", "summer before last", "2022-06-01 2022-09-01"),
    ("in the summer of last year", "summer of last year", "2023-06-01 2023-09-01"),
    ("late last summer", "late last summer", "2023-08-01 2023-09-01"),
    ("last Christmas", "last Christmas", "2023-12-24 2023-12-27"),
    ("Christmas two years ago", "Christmas two years ago", "2022-12-24 2022-12-27"),
    ("last year at Christmas", "last year at Christmas", "2023-12-24 2023-12-27"),
    ("next Easter", "next Easter", "2024-03-29 2024-04-02"),
]


@pytest.mark.parametrize(("question", "text", "span"), [*DAYS, *WEEKS, *MONTHS, *YEARS, *SEASONS])
def test_relative(question: str, text: str, span: str) -> None:
    assert found(question, ASKED) == [(text, span)]


def test_several_at_once() -> None:
    assert found("the last two summers", ASKED) == [
        ("last two summers", "2022-06-01 2022-09-01"),
        ("last two summers", "2023-06-01 2023-09-01"),
    ]


@pytest.mark.parametrize(
    ("asked", "question", "span"),
    [
        # Tuesday 2 January 2024: what was last is in another year.
        ("2024-01-02T09:00", "yesterday", "2024-01-01 2024-01-02"),
        ("2024-01-02T09:00", "the day before yesterday", "2023-12-31 2024-01-01"),
        ("2024-01-02T09:00", "last week", "2023-12-25 2024-01-01"),
        ("2024-01-02T09:00", "this week", "2024-01-01 2024-01-08"),
        ("2024-01-02T09:00", "last month", "2023-12-01 2024-01-01"),
        ("2024-01-02T09:00", "last weekend", "2023-12-30 2024-01-01"),
        ("2024-01-02T09:00", "in December", "2023-12-01 2024-01-01"),
        ("2024-01-02T09:00", "this Christmas", "2023-12-24 2023-12-27"),
        ("2024-01-02T09:00", "this winter", "2023-12-01 2024-03-01"),
        ("2024-01-02T09:00", "last winter", "2022-12-01 2023-03-01"),
        ("2024-01-02T09:00", "last night", "2024-01-01T18 2024-01-02T06"),
        ("2024-01-02T09:00", "between Christmas and New Year", "2023-12-24 2024-01-02"),
        ("2024-01-02T09:00", "last quarter", "2023-10-01 2024-01-01"),
        # Sunday 31 December 2023 ends the week that starts on the 25th.
        ("2023-12-31T23:59", "this week", "2023-12-25 2024-01-01"),
        ("2023-12-31T23:59", "this weekend", "2023-12-30 2024-01-01"),
        ("2023-12-31T23:59", "last weekend", "2023-12-23 2023-12-25"),
        ("2023-12-31T23:59", "next month", "2024-01-01 2024-02-01"),
        ("2023-12-31T23:59", "tomorrow", "2024-01-01 2024-01-02"),
        ("2023-12-31T23:59", "last Sunday", "2023-12-24 2023-12-25"),
        # Thursday 29 February 2024.
        ("2024-02-29T12:00", "a year ago today", "2023-02-28 2023-03-01"),
        ("2024-02-29T12:00", "tomorrow", "2024-03-01 2024-03-02"),
        ("2024-02-29T12:00", "in the past year", "2023-02-28 2024-03-01"),
        ("2024-02-29T12:00", "in the last month", "2024-01-29 2024-03-01"),
        ("2024-03-31T12:00", "in the last month", "2024-02-29 2024-04-01"),
        ("2024-03-01T12:00", "yesterday", "2024-02-29 2024-03-01"),
        ("2023-03-01T12:00", "yesterday", "2023-02-28 2023-03-01"),
        ("2023-03-01T12:00", "on Feb 29", "2020-02-29 2020-03-01"),
        ("1901-03-01T12:00", "on Feb 29", "1896-02-29 1896-03-01"),  # 1900 has none
        # In the middle of what is asked about.
        ("2023-05-05T12:00", "in May", "2023-05-01 2023-06-01"),
        ("2023-05-05T12:00", "last May", "2022-05-01 2022-06-01"),
        ("2023-07-05T12:00", "last summer", "2022-06-01 2022-09-01"),
        ("2023-07-05T12:00", "this summer", "2023-06-01 2023-09-01"),
        ("2023-12-25T12:00", "last Christmas", "2022-12-24 2022-12-27"),
        ("2023-12-25T12:00", "at Christmas", "2023-12-24 2023-12-27"),
        ("2023-12-25T12:00", "this winter", "2023-12-01 2024-03-01"),
    ],
)
def test_borders(asked: str, question: str, span: str) -> None:
    moment = datetime.fromisoformat(asked).replace(tzinfo=UTC)
    assert [found_span for _, found_span in found(question, moment)] == [span]


def test_the_day_is_the_askers_own() -> None:
    tokyo = timezone(timedelta(hours=9))
    (time,) = find_constraints("yesterday", datetime(2024, 3, 13, 1, tzinfo=tokyo)).times
    assert time.start == datetime(2024, 3, 12, tzinfo=tokyo)
    assert time.end == datetime(2024, 3, 12, 15, tzinfo=UTC)


def test_an_absolute_date_is_told_in_the_askers_zone() -> None:
    lima = timezone(timedelta(hours=-5))
    (time,) = find_constraints("in May 2023", datetime(2024, 3, 13, 1, tzinfo=lima)).times
    assert time.start == datetime(2023, 5, 1, 5, tzinfo=UTC)
    (time,) = find_constraints("in May 2023", None).times
    assert time.start == datetime(2023, 5, 1, tzinfo=UTC)


def test_a_day_on_which_clocks_change_has_23_hours() -> None:
    asked = datetime(2024, 4, 1, 12, tzinfo=ZoneInfo("Europe/Berlin"))  # a Monday
    (time,) = find_constraints("yesterday", asked).times
    assert time.start.utcoffset() == timedelta(hours=1)
    assert time.end.utcoffset() == timedelta(hours=2)
    assert time.end - time.start == timedelta(hours=23)


def test_old_local_time_is_told_to_the_minute() -> None:
    asked = datetime(1850, 5, 2, 12, tzinfo=ZoneInfo("Europe/Paris"))  # 9 minutes 21 seconds east
    (time,) = find_constraints("yesterday", asked).times
    assert time.start.utcoffset() == timedelta(minutes=9)
