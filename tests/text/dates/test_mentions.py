from __future__ import annotations

from datetime import date

import pytest

from graphmemix.text.dates.mentions import mentions
from graphmemix.text.folding import plain
from tests.growth.doubling import assert_linear

NEAR = date(2023, 7, 1)
FOURTEENTH = (date(2023, 7, 14),)


def dates_in(text: str, near: date | None = None) -> tuple[date, ...]:
    """Return the distinct dates that a text states, in order of appearance."""
    return tuple(dict.fromkeys(mention.date for mention in mentions(plain(text), near)))


@pytest.mark.parametrize(
    "text",
    [
        "2023-07-14",
        "2023-07-14T18:30:00+02:00",
        "2023/7/14",
        "2023.07.14",
        "14 July 2023",
        "14th July 2023",
        "the 14th of July, 2023",
        "July 14, 2023",
        "July 14th 2023",
        "Jul. 14, 2023",
        "14 Jul 2023 10:00",
        "FRI 14JUL23",
        "14-Jul-23",
        "14 Jul '23",
        "14.07.2023",
        "14. 7. 2023",
        "14.07.23",
        "07/14/2023",
        "14/07/2023",
        "7/14/23",
        "14-07-2023",
        "14. Juli 2023",
        "Freitag, den 14. Juli 2023, um 18 Uhr",
        "vendredi 14 juillet 2023",
        "14 de julio de 2023",
        "14 luglio 2023",
        "14 juli 2023",
        "14 de julho de 2023",
        "2023年7月14日",
        "2023年07月14号",
        "２０２３年７月１４日",
        "2023年の7月14日",
        "2023년 7월 14일",
    ],
)
def test_a_full_date_is_read(text: str) -> None:
    assert dates_in(f"Wir sehen uns {text}.") == FOURTEENTH


@pytest.mark.parametrize(
    "text",
    [
        "Fri, 14 Jul",
        "14 July",
        "July 14",
        "July 14th",
        "14 juillet",
        "14 de julio",
        "14. Juli",
        "am 14.07. um acht",
        "Fr, 14.7.",
        "7月14日",
        "7월 14일",
    ],
)
def test_without_a_year_it_is_the_nearest_one(text: str) -> None:
    assert dates_in(text, NEAR) == FOURTEENTH
    assert dates_in(text) == ()


@pytest.mark.parametrize(
    ("text", "near", "expected"),
    [
        ("3 January", date(2023, 12, 20), date(2024, 1, 3)),
        ("28 December", date(2024, 1, 5), date(2023, 12, 28)),
        ("29 February", date(2023, 7, 1), date(2024, 2, 29)),
        ("29 February", date(2021, 7, 1), date(2020, 2, 29)),
        ("1 July", date(9999, 12, 31), date(9999, 7, 1)),
        ("31 December", date(1, 1, 1), date(1, 12, 31)),
        ("1 March", date(2023, 8, 31), date(2024, 3, 1)),  # 183 days both ways
    ],
)
def test_the_nearest_year_may_be_another_one(text: str, near: date, expected: date) -> None:
    assert dates_in(text, near) == (expected,)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1er août 2023", date(2023, 8, 1)),
        ("3 février 2023", date(2023, 2, 3)),
        ("9 de março de 2023", date(2023, 3, 9)),
        ("4. März 2023", date(2023, 3, 4)),
        ("4. Ma\u0308rz 2023", date(2023, 3, 4)),  # decomposed
        ("30 dicembre 2023", date(2023, 12, 30)),
        ("8 mei 2023", date(2023, 5, 8)),
        ("25 de mayo de 2023", date(2023, 5, 25)),
        ("1. Jänner 2023", date(2023, 1, 1)),
        ("4 maj 2023", date(2023, 5, 4)),
        ("24 augusti 2023", date(2023, 8, 24)),
        ("1/2/69", date(1969, 2, 1)),
    ],
)
def test_months_in_eight_languages(text: str, expected: date) -> None:
    assert expected in dates_in(text)


def test_day_and_month_that_cannot_be_told_apart_give_both_readings() -> None:
    assert dates_in("07/08/2023") == (date(2023, 7, 8), date(2023, 8, 7))
    assert dates_in("13/08/2023") == (date(2023, 8, 13),)
    assert dates_in("08/08/2023") == (date(2023, 8, 8),)
    assert dates_in("07.08.2023") == (date(2023, 8, 7),)


@pytest.mark.parametrize(
    "text",
    ["14-16 July 2023", "14 to 16 July 2023", "14.-16. Juli 2023", "July 14 - 16, 2023",
     "14. und 16. Juli 2023", "du 14 au 16 juillet 2023", "2023年7月14日(金)〜16日",
     "2023年7月14〜16日", "2023年7月14日から16日", "2023년 7월 14일 ~ 16일"],
)  # fmt: skip
def test_a_range_gives_both_ends(text: str) -> None:
    assert dates_in(text) == (date(2023, 7, 14), date(2023, 7, 16))


@pytest.mark.parametrize(
    "text",
    [
        "31 June 2023",
        "2023-13-01",
        "30.02.2023",
        "July 2023",
        "in 2023",
        "room 14",
        "version 1.2.34",
        "192.168.14.7",
        "order 2023-07-14-0001",
        "12:30",
        "3.14",
        "5 may or may not come",
        "we may 5 times",
        "sold out 10 times, 5 out of 10, set 5 alarms",
        "14 days",
        "14 July 1066",
        "+49 89 14 07",
        "½ 2023年",
        "",
    ],
)
def test_what_only_looks_like_a_date_is_none(text: str) -> None:
    assert dates_in(text, None if "1066" in text else NEAR) == ()


def test_several_dates_come_in_order_and_once() -> None:
    text = "Out 14 July 2023, back 2023-07-20; again: July 14, 2023. Book by 01.06.2023."
    assert dates_in(text) == (date(2023, 7, 14), date(2023, 7, 20), date(2023, 6, 1))


def test_two_readings_of_one_month_are_settled_by_the_year() -> None:
    assert dates_in("at 10 July 14, 2023", NEAR) == FOURTEENTH
    assert dates_in("14 Jul 10 people come", NEAR) == FOURTEENTH


def test_a_day_of_the_next_month_is_no_year() -> None:
    assert dates_in("27 Jul-03 Aug 2023", NEAR) == (date(2023, 7, 27), date(2023, 8, 3))


def test_a_mention_tells_where_it_stands() -> None:
    text = "Check-in July 14, 2023 after 3"
    (mention,) = mentions(text)
    assert text[mention.start : mention.end] == "July 14, 2023"


@pytest.mark.parametrize(
    "unit", ["1", "1 ", "12-", "1/", "12 May ", "May ", "3 e ", "am 1.", "年7月", "7月7日〜"]
)
def test_long_texts_take_linear_time(unit: str) -> None:
    assert_linear(lambda text: dates_in(text, NEAR), lambda size: unit * size, most=1 << 17)
