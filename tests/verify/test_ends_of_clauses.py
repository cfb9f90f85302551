"""Where clauses end, what a clause is worth beside others, and what is told of the rest."""

from __future__ import annotations

from tests.verify.test_excerpts import cut


def test_a_text_that_just_fits_is_told_with_its_repeats() -> None:
    assert cut("So. So. So.", "zebra", 11) == "So. So. So."
    assert cut("So. So. So.", "zebra", 10) == "So."


def test_another_word_of_the_question_tells_more_than_a_greater_one_again() -> None:
    text = "The reservation was fine. The reservation was huge. The train was late, too. So it was."
    told = "The reservation was fine. … The train was late, too."
    assert cut(text, "reservation train", len(told)) == told


def test_from_twenty_characters_on_the_shorter_clause_is_told() -> None:
    longer, shorter = "The hotel had a pool.", "The hotel had a bar."
    assert (len(longer), len(shorter)) == (21, 20)
    assert cut(f"Notes. {longer} {shorter} So it was.", "hotel", 23) == f"… {shorter}"


def test_a_sentence_that_fits_is_told_up_to_its_end() -> None:
    text = "We went out. Anna came early, Ben left late. Nothing more was said."
    assert cut(text, "anna", 33) == "… Anna came early, Ben left late."


def test_a_sentence_that_takes_all_the_room_is_not_taken_apart_at_its_comma() -> None:
    whole = "Anna came early, Ben left late."
    assert cut(f"{whole} Cleo sang.", "anna cleo", len(whole)) == whole
    assert cut(f"{whole} Cleo sang.", "anna cleo", len(whole) - 1) == (
        "Anna came early, … Cleo sang."
    )


def test_a_sentence_that_takes_all_the_room_is_not_cut_at_a_space() -> None:
    whole = "Anna came with us unexpectedly."
    assert cut(f"{whole} Cleo.", "anna cleo", len(whole)) == whole
    assert cut(f"{whole} Cleo.", "anna cleo", len(whole) - 1) == "Anna came with us … Cleo."


def test_a_cut_is_at_a_space_of_the_second_half_only() -> None:
    assert cut("abcdef " + "c" * 30, "zebra", 10) == "abcdef"
    assert cut("abcde " + "c" * 30, "zebra", 10) == "abcde cccc"
    assert cut("abcd " + "c" * 30, "zebra", 10) == "abcd ccccc"


def test_nothing_follows_the_last_mark_of_a_text_without_spaces() -> None:
    text = "今天天气很好。我们住在酒店。他们都在这里。"
    assert cut(text, "酒店", 12) == "… 我们住在酒店。"
