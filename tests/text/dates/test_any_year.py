"""Dates without a year."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from graphmemix.text.dates import dates_of_any_year, find_dates

YEARS = range(2019, 2024)
ASKED = datetime(2023, 9, 1, tzinfo=UTC)
LATER = datetime(2031, 9, 1, tzinfo=timezone(timedelta(hours=2)))


def starts(text: str, asked_at: datetime | None, years: range = YEARS) -> list[date]:
    return [found.start.date() for found in dates_of_any_year(text, asked_at, years)]


@pytest.mark.parametrize(
    ("text", "month", "day"),
    [
        ("photos from July", 7, 1),
        ("photos from 10 July", 7, 10),
        ("Fotos vom 10. Juli", 7, 10),
        ("photos du 10 juillet", 7, 10),
        ("fotos del 10 de julio", 7, 10),
        ("What did Olga write in May?", 5, 1),
        ("Was hat Olga im Mai geschrieben?", 5, 1),
        ("Who came at Christmas?", 12, 24),
    ],
)
def test_a_date_without_a_year_is_in_every_year_of_the_archive(
    text: str, month: int, day: int
) -> None:
    every = [date(year, month, day) for year in (2023, 2022, 2021, 2020, 2019)]
    assert starts(text, None) == every
    assert starts(text, LATER) == every  # the year of the question is none of the archive's


def test_the_year_of_the_question_counts_if_the_archive_has_it() -> None:
    assert starts("photos from July", ASKED) == [date(2023, 7, 1)]
    assert starts("photos from December", ASKED) == [date(2022, 12, 1)]


@pytest.mark.parametrize(
    "text", ["photos from 3 March 1999", "in 2031", "from 2 to 5 May 2020", "since May 2020"]
)
def test_a_year_that_is_said_stays(text: str) -> None:
    for asked in (None, ASKED, LATER):
        assert dates_of_any_year(text, asked, YEARS) == find_dates(text, asked)


@pytest.mark.parametrize(
    "text", ["last week", "yesterday", "last year", "this year", "on Monday", "last month"]
)
def test_what_depends_on_the_day_of_the_question_has_no_other_year(text: str) -> None:
    assert dates_of_any_year(text, None, YEARS) == []
    assert dates_of_any_year(text, LATER, YEARS) == find_dates(text, LATER)


def test_one_date_of_two_may_have_a_year() -> None:
    found = dates_of_any_year("photos from July and from 2 May 2020", None, range(2022, 2024))
    assert [each.start.date() for each in found] == [
        date(2023, 7, 1),
        date(2022, 7, 1),
        date(2020, 5, 2),
    ]


def test_days_that_a_year_does_not_have_are_left_out() -> None:
    leap = [date(2024, 2, 29), date(2020, 2, 29)]
    assert starts("photos from 29 February", None, range(2020, 2025)) == leap


def test_the_zone_is_that_of_the_question() -> None:
    for found in dates_of_any_year("photos from July", LATER, YEARS):
        assert found.start.utcoffset() == found.end.utcoffset() == timedelta(hours=2)
        assert found.end - found.start == timedelta(days=31)


def test_of_a_long_archive_the_latest_years_count() -> None:
    found = starts("photos from July", None, range(1900, 2024))
    assert (len(found), found[0].year, found[-1].year) == (30, 2023, 1994)


def test_an_archive_without_times_has_no_years() -> None:
    assert starts("photos from July", None, range(0)) == []
    assert starts("photos from July", ASKED, range(0)) == [date(2023, 7, 1)]
