"""Which clauses of a long text are read, and how they are put together."""

from __future__ import annotations

import pytest

from graphmemix.memory import Description, Media, Memory
from graphmemix.settings import VerifierSettings
from graphmemix.verify.snippets import ocr_text, query_weights, snippet


def cut(text: str, question: str, most: int) -> str:
    settings = VerifierSettings(snippet_characters=most)
    return snippet(Memory("m", "note", text), query_weights([question]), settings)


def test_words_weigh_by_what_they_tell() -> None:
    weights = query_weights(["the key of room 214 in reservations über 酒"])
    assert weights["214"] == 2.0
    assert weights["the"] == weights["key"] == 0.2  # common, and short
    assert weights["room"] == pytest.approx(1.4)
    assert weights["über"] == pytest.approx(1.4)
    assert weights["酒"] == pytest.approx(1.1)  # short, but of another script
    assert weights["reservation"] == 2.0  # beyond ten letters length tells no more


FOUR = "Alpha came by here. Bravo came by here. Charlie came by too. Delta came by late."


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("alpha bravo", "Alpha came by here. Bravo came by here."),
        ("alpha charlie", "Alpha came by here. … Charlie came by too."),
        ("bravo charlie", "… Bravo came by here. Charlie came by too."),
        ("bravo delta", "… Bravo came by here. … Delta came by late."),
    ],
)
def test_neighbours_are_joined_and_gaps_are_shown(question: str, told: str) -> None:
    assert cut(FOUR, question, 45) == told


def test_a_text_that_just_fits_is_told_whole() -> None:
    assert cut(FOUR, "delta", len(FOUR)) == FOUR
    assert cut(FOUR, "delta", len(FOUR) - 1) != FOUR


def test_an_excerpt_may_fill_all_its_room() -> None:
    told = "Alpha came by here. Bravo came by here."
    assert cut(FOUR, "alpha bravo", len(told)) == told
    assert cut(FOUR, "alpha bravo", len(told) - 1) == "Alpha came by here."


def test_the_opening_tells_more_than_a_common_word_and_less_than_a_name() -> None:
    text = "Notes we kept today. It was of the house. Bravo came by there. And so it goes on."
    assert cut(text, "of the", 22) == "Notes we kept today."
    assert cut(text, "bravo", 24) == "… Bravo came by there."


def test_words_that_are_told_already_count_for_less() -> None:
    text = "Notes. The hotel was nice. The hotel was huge. The flight was late. So it went on."
    assert cut(text, "hotel flight", 50) == "Notes. The hotel was nice. … The flight was late."


def test_of_clauses_with_the_same_words_the_shorter_is_told() -> None:
    text = "Notes. The hotel was very nice and rather cheap. The hotel was a fine one. So it went."
    assert cut(text, "hotel", 31) == "… The hotel was a fine one."


def test_below_twenty_characters_no_clause_is_short() -> None:
    # Both count as 20 characters long, so the earlier one is told.
    text = "Notes. The hotel is open. The hotel. So it went on for long."
    assert cut(text, "hotel", 20) == "… The hotel is open."


@pytest.mark.parametrize(("too_long", "told"), [(7, True), (8, False)])
def test_the_search_ends_when_eight_clauses_did_not_fit(too_long: int, told: bool) -> None:
    long = " ".join(f"Hotel room number {i} is fine." for i in range(too_long))
    text = f"Hotel room number. {long} So."
    found = cut(text, "hotel room number", 30)
    assert found == ("Hotel room number. … So." if told else "Hotel room number.")


def test_a_sentence_of_usual_length_is_not_taken_apart() -> None:
    text = "We went out. Anna came early, Ben left late. " + "Nothing more was said then. " * 3
    assert "Anna came early, Ben left late." in cut(text, "anna", 60)


def test_a_long_sentence_is_taken_apart_at_its_commas() -> None:
    parts = [f"then we saw the {name} of the old town" for name in ("gate", "wall", "tower")]
    text = "We went out. " + ", ".join([*parts, "and the hotel by the river was open", *parts])
    found = cut(text + " " + "So it was. " * 20, "hotel river", 60)
    assert found == "We went out. … and the hotel by the river was open,"


def test_a_sentence_without_commas_is_cut_at_its_last_space_that_fits() -> None:
    assert cut("aaaa bbbb cccc dddd eeee ffff", "zebra", 14) == "aaaa bbbb cccc"
    assert cut("aaaa bbbb cccc dddd eeee ffff", "zebra", 13) == "aaaa bbbb"


def test_a_word_that_is_too_long_is_cut_anywhere() -> None:
    assert cut("a" * 30, "zebra", 10) == "a" * 10
    assert cut("ab " + "c" * 30, "zebra", 10) == "ab ccccccc"  # a space in the first half is none
    assert cut("ab cd", "zebra", 1) == "a"


@pytest.mark.parametrize(
    ("line", "kept"), [("abc--", True), ("ab--", False), ("ab---", False), ("----", False)]
)
def test_a_line_in_a_picture_is_read_if_most_of_it_is_letters(line: str, kept: bool) -> None:
    media = (Media("image", description=Description(ocr=f"TOTAL\n{line}\nTOTAL")),)
    expected = f"TOTAL\n{line}" if kept else "TOTAL"
    assert ocr_text(Memory("m", "photo", media=media)) == expected
