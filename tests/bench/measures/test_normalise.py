from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmemix_bench.measures.normalise import normalise


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("The  Cat, sat!", "cat sat"),
        ("A an THE", ""),
        ("Lin's well-known café", "lins well known café"),
        ("ＦＵＬＬ", "full"),
        # dates
        ("The 8th of May, 2023", "date:2023-05-08"),
        ("May 8, 2023", "date:2023-05-08"),
        ("8 May 2023.", "date:2023-05-08"),
        ("2023-05-08", "date:2023-05-08"),
        ("2023/5/8", "date:2023-05-08"),
        ("Sept. 3", "date:--09-03"),
        ("in May 2023", "in date:2023-05"),
        ("13/04/2023", "date:2023-04-13"),
        ("04/13/2023", "date:2023-04-13"),
        ("03/04/2023", "3 4 2023"),  # which is the month?
        ("2023-13-45", "2023 13 45"),
        ("May I have 10", "may i have 10"),
        # times
        ("6:30 p.m.", "time:18:30"),
        ("6:30PM", "time:18:30"),
        ("12 am", "time:00:00"),
        ("12 pm", "time:12:00"),
        ("18:30", "time:18:30"),
        ("25:99", "25 99"),
        # numbers
        ("7,800.50 steps", "7800.5 steps"),
        ("3.0", "3"),
        ("007", "7"),
        ("0.50", "0.5"),
        ("-5 degrees", "-5 degrees"),
        ("3rd place", "3 place"),
        ("twenty-one", "21"),
        ("Two hundred and five", "205"),
        ("one thousand two hundred", "1200"),
        ("three million two hundred thousand", "3200000"),
        ("one, two and three", "1 2 and 3"),
        ("one hundred and more", "100 and more"),
        ("zero five", "0 5"),
        # units that have a sign
        ("$5", "5 $"),
        ("5 dollars", "5 $"),
        ("5.00 USD", "5 $"),
        ("€5", "5 €"),
        ("50%", "50 %"),
        ("50 per cent", "50 %"),
        # ids
        ("D1:IMG_001, D1:IMG_002", "d 1 img 1 d 1 img 2"),
    ],
)
def test_normal_forms(text: str, normal: str) -> None:
    assert normalise(text) == normal


@pytest.mark.parametrize(
    ("one", "other"),
    [("$5", "€5"), ("5", "-5"), ("5", "5.5"), ("May 8", "May 9"), ("6 am", "6 pm"), ("5 %", "5")],
)
def test_different_answers_stay_different(one: str, other: str) -> None:
    assert normalise(one) != normalise(other)


@given(st.text())
def test_any_text_has_a_normal_form_without_outer_white_space(text: str) -> None:
    assert normalise(text) == " ".join(normalise(text).split())


@given(st.integers(0, 999_999))
def test_digits_grouped_or_not_are_the_same(number: int) -> None:
    assert normalise(f"{number:,}") == normalise(str(number)) == str(number)
