"""Dates that a calendar tells, as people write them when they ask about their memories."""

from __future__ import annotations

import pytest

from tests.text.dates.dated import ASKED, FIRST, LAST, found

# Asked on Wednesday 13 March 2024, 10:30, one hour east of Greenwich. Easter Sunday was on 9 April
# in 2023 and on 17 April in 2022; Thanksgiving was on 23 November in 2023.
DAYS = [
    ("What happened on May 5?", "May 5", "2023-05-05 2023-05-06"),
    ("What happened on March 13?", "March 13", "2024-03-13 2024-03-14"),
    ("What happened on March 14?", "March 14", "2023-03-14 2023-03-15"),
    ("Where was I on the 5th of May 2023?", "5th of May 2023", "2023-05-05 2023-05-06"),
    ("Who came for dinner on 5 May 2023?", "5 May 2023", "2023-05-05 2023-05-06"),
    ("dinner May 5th, 2023", "May 5th, 2023", "2023-05-05 2023-05-06"),
    ("dinner May the 5th", "May the 5th", "2023-05-05 2023-05-06"),
    ("what did i write on may 5", "may 5", "2023-05-05 2023-05-06"),
    ("Photos of 2023-05-05", "2023-05-05", "2023-05-05 2023-05-06"),
    ("Photos of 2023/5/5?", "2023/5/5", "2023-05-05 2023-05-06"),
    ("the call at 2023-05-05T14:30", "2023-05-05T14:30", "2023-05-05 2023-05-06"),
    ("my flight on 25/12/2022", "25/12/2022", "2022-12-25 2022-12-26"),
    ("my flight on 12/25/2022", "12/25/2022", "2022-12-25 2022-12-26"),
    ("my flight on 12/25/22", "12/25/22", "2022-12-25 2022-12-26"),
    ("my flight on 05/05/2023", "05/05/2023", "2023-05-05 2023-05-06"),
    ("my flight on 5.6.2023", "5.6.2023", "2023-06-05 2023-06-06"),
    ("Fri, 12 May 2023, who wrote?", "Fri, 12 May 2023", "2023-05-12 2023-05-13"),
    ("the mail of Friday, May 12", "Friday, May 12", "2023-05-12 2023-05-13"),
    ("the mail of Thursday, May 12", "Thursday, May 12", "2022-05-12 2022-05-13"),
    ("What did we do on Friday the 13th?", "Friday the 13th", "2023-10-13 2023-10-14"),
    ("Who called on the 10th?", "10th", "2024-03-10 2024-03-11"),
    ("Who called on the 20th?", "20th", "2024-02-20 2024-02-21"),
    ("Who called on the fifth of May?", "fifth of May", "2023-05-05 2023-05-06"),
    ("the twenty-first of June, 2022", "twenty-first of June, 2022", "2022-06-21 2022-06-22"),
    ("the party on Feb 29", "Feb 29", "2024-02-29 2024-03-01"),
    ("the party on Feb 29, 2020", "Feb 29, 2020", "2020-02-29 2020-03-01"),
    ("dinner on the evening of May 5, 2023", "evening of May 5, 2023", "2023-05-05T17 2023-05-06"),
    ("the 5-May-2023 backup", "5-May-2023", "2023-05-05 2023-05-06"),
    ("the flight on Sat 5/6/2023", "Sat 5/6/2023", "2023-05-06 2023-05-07"),
    ("Who was there on the 1st of this month?", "1st of this month", "2024-03-01 2024-03-02"),
    ("What did I eat on December 31, 2023?", "December 31, 2023", "2023-12-31 2024-01-01"),
]
MONTHS = [
    ("Show me photos from May 2023", "May 2023", "2023-05-01 2023-06-01"),
    ("photos from may 2023", "may 2023", "2023-05-01 2023-06-01"),
    ("PHOTOS FROM MAY 2023", "MAY 2023", "2023-05-01 2023-06-01"),
    ("Where were we in May?", "May", "2023-05-01 2023-06-01"),
    ("where were we in may", "may", "2023-05-01 2023-06-01"),
    ("What did I buy in March?", "March", "2024-03-01 2024-04-01"),
    ("What did I buy in Feb?", "Feb", "2024-02-01 2024-03-01"),
    ("What did I buy in Feb 2023?", "Feb 2023", "2023-02-01 2023-03-01"),
    ("my rent in December of 2022", "December of 2022", "2022-12-01 2023-01-01"),
    ("my rent in May '22", "May '22", "2022-05-01 2022-06-01"),
    ("my rent in 2023-05", "2023-05", "2023-05-01 2023-06-01"),
    ("my rent in 05/2023", "05/2023", "2023-05-01 2023-06-01"),
    ("Did we see her in mid-May?", "mid-May", "2023-05-11 2023-05-21"),
    ("Did we see her in early June?", "early June", "2023-06-01 2023-06-11"),
    ("Did we see her in late February 2024?", "late February 2024", "2024-02-21 2024-03-01"),
    ("Did we see her at the end of May?", "end of May", "2023-05-21 2023-06-01"),
    ("our May trip to Rome", "May", "2023-05-01 2023-06-01"),
    ("the first week of May 2023", "first week of May 2023", "2023-05-01 2023-05-08"),
    ("the last week of July", "last week of July", "2023-07-25 2023-08-01"),
    ("the first weekend of June", "first weekend of June", "2023-06-03 2023-06-05"),
    ("the last Friday of June 2023", "last Friday of June 2023", "2023-06-30 2023-07-01"),
    ("the first two weeks of May 2020", "first two weeks of May 2020", "2020-05-01 2020-05-15"),
    ("the last three days of May 2023", "last three days of May 2023", "2023-05-29 2023-06-01"),
    ("the second half of May 2023", "second half of May 2023", "2023-05-16 2023-06-01"),
    ("the last day of February 2024", "last day of February 2024", "2024-02-29 2024-03-01"),
]
YEARS = [
    ("What did I do in 2023?", "2023", "2023-01-01 2024-01-01"),
    ("the 2019 tax return", "2019", "2019-01-01 2020-01-01"),
    ("Rome 2018?", "2018", "2018-01-01 2019-01-01"),
    ("What did we do in the year 2020?", "year 2020", "2020-01-01 2021-01-01"),
    ("Where did I live in late 2022?", "late 2022", "2022-09-01 2023-01-01"),
    ("Where did I live in mid-2022?", "mid-2022", "2022-05-01 2022-09-01"),
    ("Where did I live in the 90s?", "90s", "1990-01-01 2000-01-01"),
    ("Where did I live in the late '90s?", "late '90s", "1996-01-01 2000-01-01"),
    ("Where did I live in the 1980s?", "1980s", "1980-01-01 1990-01-01"),
    ("Where did I live in the early nineties?", "early nineties", "1990-01-01 1994-01-01"),
    ("the first half of 2023", "first half of 2023", "2023-01-01 2023-07-01"),
    ("my revenue in Q2 2023", "Q2 2023", "2023-04-01 2023-07-01"),
    ("my revenue in Q4 of 2023", "Q4 of 2023", "2023-10-01 2024-01-01"),
    ("my revenue in Q4", "Q4", "2023-10-01 2024-01-01"),
    ("my revenue in the third quarter of 2023", "third quarter of 2023", "2023-07-01 2023-10-01"),
    ("the sprint of week 23 of 2023", "week 23 of 2023", "2023-06-05 2023-06-12"),
    ("the school year 2022/23", "year 2022/23", "2022-01-01 2024-01-01"),
    ("at the start of the year", "start of the year", "2024-01-01 2024-05-01"),
    ("In '98, who was my teacher?", "'98", "1998-01-01 1999-01-01"),
]
SEASONS = [
    ("Where did we hike in spring 2023?", "spring 2023", "2023-03-01 2023-06-01"),
    ("Where did we hike in the summer of 2022?", "summer of 2022", "2022-06-01 2022-09-01"),
    ("Where did we hike in the summer of '22?", "summer of '22", "2022-06-01 2022-09-01"),
    ("Where did we hike in autumn 2021?", "autumn 2021", "2021-09-01 2021-12-01"),
    ("Where did we hike in fall 2022?", "fall 2022", "2022-09-01 2022-12-01"),
    ("Where did we ski in winter 2022/23?", "winter 2022/23", "2022-12-01 2023-03-01"),
    ("Where did we ski in winter 2023-2024?", "winter 2023-2024", "2023-12-01 2024-03-01"),
    ("Where did we hike in the summer?", "summer", "2023-06-01 2023-09-01"),
    ("Where did we hike in spring?", "spring", "2024-03-01 2024-06-01"),
    ("the summer holidays of 2021", "summer holidays of 2021", "2021-06-01 2021-09-01"),
    ("Where did we hike in late summer 2022?", "late summer 2022", "2022-08-01 2022-09-01"),
]
HOLIDAYS = [
    ("What did I get for Christmas?", "Christmas", "2023-12-24 2023-12-27"),
    ("What did I get for Christmas 2022?", "Christmas 2022", "2022-12-24 2022-12-27"),
    ("Who was there on Christmas Eve?", "Christmas Eve", "2023-12-24 2023-12-25"),
    ("Where were we at Easter?", "Easter", "2023-04-07 2023-04-11"),
    ("Where were we at Easter 2022?", "Easter 2022", "2022-04-15 2022-04-19"),
    ("Where were we on Good Friday 2022?", "Good Friday 2022", "2022-04-15 2022-04-16"),
    ("Where were we on New Year's Eve?", "New Year's Eve", "2023-12-31 2024-01-01"),
    ("Where were we on new years eve 2021?", "new years eve 2021", "2021-12-31 2022-01-01"),
    ("Where were we on New Year’s Day 2022?", "New Year’s Day 2022", "2022-01-01 2022-01-02"),
    ("Who cooked on Thanksgiving?", "Thanksgiving", "2023-11-23 2023-11-24"),
    ("Who cooked on Thanksgiving 2022?", "Thanksgiving 2022", "2022-11-24 2022-11-25"),
    ("my costume for Halloween", "Halloween", "2023-10-31 2023-11-01"),
    ("What did we do on Valentine's Day 2023?", "Valentine's Day 2023", "2023-02-14 2023-02-15"),
    ("What did we do last Valentine's Day?", "last Valentine's Day", "2024-02-14 2024-02-15"),
    ("What did we do on Easter weekend 2023?", "Easter weekend 2023", "2023-04-07 2023-04-11"),
    ("the Friday before Christmas 2022", "Friday before Christmas 2022", "2022-12-23 2022-12-24"),
    ("the Monday after Easter 2023", "Monday after Easter 2023", "2023-04-10 2023-04-11"),
    ("the night before Christmas", "night before Christmas", "2023-12-24T18 2023-12-25T06"),
    ("Christmas dinner last year", "Christmas dinner last year", "2023-12-24 2023-12-27"),
    ("the week after Easter 2023", "week after Easter 2023", "2023-04-11 2023-04-18"),
    ("two days after Christmas 2022", "two days after Christmas 2022", "2022-12-27 2022-12-28"),
]
WEEKS = [
    ("the weekend of 14 July", "weekend of 14 July", "2023-07-15 2023-07-17"),
    ("the weekend of July 16, 2023", "weekend of July 16, 2023", "2023-07-15 2023-07-17"),
    ("the week of Thanksgiving", "week of Thanksgiving", "2023-11-20 2023-11-27"),
    ("the week of May 5 2023", "week of May 5 2023", "2023-05-01 2023-05-08"),
]
RANGES = [
    ("runs between March and June 2023", "between March and June 2023", "2023-03-01 2023-07-01"),
    ("runs between March and June", "between March and June", "2023-03-01 2023-07-01"),
    (
        "between December and February 2023?",
        "between December and February 2023",
        "2022-12-01 2023-03-01",
    ),
    ("runs between 2019 and 2021", "between 2019 and 2021", "2019-01-01 2022-01-01"),
    ("trip from 3 to 7 May", "from 3 to 7 May", "2023-05-03 2023-05-08"),
    (
        "trip from the 3rd to the 7th of May",
        "from the 3rd to the 7th of May",
        "2023-05-03 2023-05-08",
    ),
    ("trip from May 28 to June 3, 2022", "from May 28 to June 3, 2022", "2022-05-28 2022-06-04"),
    ("trip May 3-7, 2023", "May 3-7, 2023", "2023-05-03 2023-05-08"),
    ("trip 3–7 May 2023", "3–7 May 2023", "2023-05-03 2023-05-08"),
    ("trips March-June 2023", "March-June 2023", "2023-03-01 2023-07-01"),
    ("trips 2019-2021", "2019-2021", "2019-01-01 2022-01-01"),
    (
        "trip from 2023-05-03 to 2023-05-07",
        "from 2023-05-03 to 2023-05-07",
        "2023-05-03 2023-05-08",
    ),
    (
        "what did we do between Christmas and New Year?",
        "between Christmas and New Year",
        "2023-12-24 2024-01-02",
    ),
    ("mails from May 2022 to July", "from May 2022 to July", "2022-05-01 2022-08-01"),
    ("mails from November 2022 until now", "from November 2022 until now", "2022-11-01 2024-03-14"),
    ("what I read before May 2023", "before May 2023", f"{FIRST} 2023-05-01"),
    ("what I read prior to Christmas", "prior to Christmas", f"{FIRST} 2023-12-24"),
    ("what I read after 2021", "after 2021", f"2022-01-01 {LAST}"),
    ("what I read after May 5, 2023", "after May 5, 2023", f"2023-05-06 {LAST}"),
    ("what I read since May", "since May", "2023-05-01 2024-03-14"),
    ("what I read since 2019", "since 2019", "2019-01-01 2024-03-14"),
    ("what I read until 2015", "until 2015", f"{FIRST} 2016-01-01"),
    ("what I read from May 2023 on", "from May 2023 on", "2023-05-01 2024-03-14"),
    ("what I read from May 2023 onwards", "from May 2023 onwards", "2023-05-01 2024-03-14"),
    (
        "what I read after 2019 and before 2022",
        "after 2019 and before 2022",
        "2020-01-01 2022-01-01",
    ),
    ("what I read up to June 2022", "up to June 2022", f"{FIRST} 2022-07-01"),
]


@pytest.mark.parametrize(
    ("question", "text", "span"),
    [*DAYS, *MONTHS, *YEARS, *SEASONS, *HOLIDAYS, *WEEKS, *RANGES],
)
def test_absolute(question: str, text: str, span: str) -> None:
    assert found(question, ASKED) == [(text, span)]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            "my flight on 05/06/2023",
            [("05/06/2023", "2023-05-06 2023-05-07"), ("05/06/2023", "2023-06-05 2023-06-06")],
        ),
        (  # one date that can be read in one way only shows how the others are meant
            "between 05/06/2023 and 20/06/2023",
            [("between 05/06/2023 and 20/06/2023", "2023-06-05 2023-06-21")],
        ),
        (
            "skiing in winter 2023",
            [
                ("winter 2023", "2022-12-01 2023-03-01"),
                ("winter 2023", "2023-12-01 2024-03-01"),
            ],
        ),
        (
            "Did I weigh more in May 2022 than in May 2023?",
            [("May 2022", "2022-05-01 2022-06-01"), ("May 2023", "2023-05-01 2023-06-01")],
        ),
        (
            "Did I travel in May or June 2022?",
            [("May", "2022-05-01 2022-06-01"), ("June 2022", "2022-06-01 2022-07-01")],
        ),
        (
            "Did I travel in summer and autumn 2022?",
            [("summer", "2022-06-01 2022-09-01"), ("autumn 2022", "2022-09-01 2022-12-01")],
        ),
        (
            "on a Sunday in May 2023",
            [
                ("Sunday in May 2023", "2023-05-07 2023-05-08"),
                ("Sunday in May 2023", "2023-05-14 2023-05-15"),
                ("Sunday in May 2023", "2023-05-21 2023-05-22"),
                ("Sunday in May 2023", "2023-05-28 2023-05-29"),
            ],
        ),
        (
            "Did I travel in 2021 or 2022?",
            [("2021", "2021-01-01 2022-01-01"), ("2022", "2022-01-01 2023-01-01")],
        ),
    ],
)
def test_several_readings_or_dates(question: str, expected: list[tuple[str, str]]) -> None:
    assert found(question, ASKED) == expected


@pytest.mark.parametrize(
    ("question", "text", "span"),
    [
        ("in May 2023", "May 2023", "2023-05-01 2023-06-01"),
        ("on 5 May 2023", "5 May 2023", "2023-05-05 2023-05-06"),
        ("at Christmas 2022", "Christmas 2022", "2022-12-24 2022-12-27"),
        ("since 2019", "since 2019", f"2019-01-01 {LAST}"),
        ("between March and June 2023", "between March and June 2023", "2023-03-01 2023-07-01"),
    ],
)
def test_a_date_with_a_year_needs_no_clock(question: str, text: str, span: str) -> None:
    assert found(question, None) == [(text, span)]


@pytest.mark.parametrize(
    "question",
    ["in May", "on May 5", "on Friday", "last year", "3 weeks ago", "at Christmas", "since May"],
)
def test_without_a_clock_other_dates_are_left_out(question: str) -> None:
    assert found(question, None) == []
