"""ATM-Bench's own lenient match of answers: worked out by hand from its rules."""

from __future__ import annotations

import pytest

from graphmemix_bench.measures.release_atm import atm_match


@pytest.mark.parametrize(
    ("said", "reference"),
    [
        ("It was on 8 May 2023.", "May 8, 2023"),
        ("2023-05-08", "May 8th"),  # no year in the reference: any
        ("May 3rd to 5th, 2023", "May 3-5"),
        ("20220430", "April 30, 2022"),
        ("The talk starts at 6:30 PM", "6:30 p.m. talk"),
        ("from 18:30 to 20:00", "18:30-20:00"),
        ("at noon", "12:00"),
        ("Your code is AB12C, keep it.", "ab12c"),
        ("It cost £12.85 in all", "£12.85 (with a railcard)"),
        ("1,250 dollars", "$1250"),
        ("three tickets", "3"),
        ("bread, plums and tea", "plums, bread"),
        ("Yes", "Yes in the evening"),
        ("bread", "plums and bread"),  # its rule, not ours
        ("a lane with a mill", "Mill Lane"),
        ("The Olive Garden restaurant", "olive garden"),
        ("garden", "the olive garden"),
        ("I have no evidence for that", "Unknown"),
        ("3 hours", "3"),
        ("April 20 to April 26", "Between April 20 and April 26"),
        ("red wool hat from grandma's attic box", "a red wool hat of grandma attic"),
    ],
)
def test_right(said: str, reference: str) -> None:
    assert atm_match(said, reference) == 100


@pytest.mark.parametrize(
    ("said", "reference"),
    [
        ("May 9, 2023", "May 8, 2023"),
        ("2022-05-08", "2023-05-08"),
        ("in May", "May 8, 2023"),
        ("May 3, 2023", "May 3-5, 2023"),
        ("at 7 pm", "18:30"),
        ("6:30 pm", "18:30"),  # its rule, not ours
        ("the code is AB13C", "AB12C"),
        ("£12.95", "£12.85"),
        ("£12.85 or £3", "£12.85"),
        ("€5", "$5"),
        ("4 tickets", "3"),
        ("many tickets", "3"),
        ("bread", "plums, bread"),
        ("No", "Yes in the evening"),
        ("Mill Road", "12 Mill Lane"),
        ("the pizza place", "olive garden"),
        ("Unknown", "olive garden"),
        ("olive garden", "Unknown"),
        ("", "olive garden"),
    ],
)
def test_wrong(said: str, reference: str) -> None:
    assert atm_match(said, reference) == 0


def test_tomorrow_is_the_day_after_the_date_of_the_question() -> None:
    asked = "Today is 2022-02-28. When is the party?"
    assert atm_match("tomorrow", "March 1, 2022", asked) == 100
    assert atm_match("today", "March 1, 2022", asked) == 0
    assert atm_match("tomorrow", "March 1, 2022") == 0


def test_a_date_that_is_none_resolves_nothing() -> None:
    assert atm_match("tomorrow", "tomorrow", "On 2022-02-31?") == 100


def test_words_after_a_date_must_be_said_too() -> None:
    assert atm_match("May 8 in Porto", "May 8, in Porto") == 100
    assert atm_match("May 8 in Lisbon", "May 8, in Porto") == 0
