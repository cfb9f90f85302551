from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmemix.memory import Description, Media, Memory
from graphmemix.settings import VerifierSettings
from graphmemix.verify.snippets import canonical_text, ocr_text, query_weights, snippet

SETTINGS = VerifierSettings()
FILLER = "We talked about the weather and about nothing in particular for quite some time. "


def cut(memory: Memory, question: str) -> str:
    return snippet(memory, query_weights([question]), SETTINGS)


def photo(**description: str) -> Memory:
    return Memory("p", "photo", media=(Media("image", description=Description(**description)),))


def test_a_short_text_is_told_as_it_is() -> None:
    assert cut(Memory("m", "note", " Two\n\nlines.\t"), "anything") == "Two lines."
    message = Memory("m", "message", "Hello.", speaker="Anna")
    assert cut(message, "anything") == "Anna: Hello."


@pytest.mark.parametrize("before", [0, 5, 40])
def test_the_sentence_that_the_question_is_about_is_found(before: int) -> None:
    text = FILLER * before + "The booking number is 7Q4-118, for two nights. " + FILLER * 40
    found = cut(Memory("m", "email", text), "What was our booking number?")
    assert "The booking number is 7Q4-118" in found
    assert len(found) <= 420


def test_a_sentence_that_is_broken_into_lines_stays_whole() -> None:
    text = FILLER * 9 + "Your booking\nnumber for the stay\nis 7Q4-118.\n" + FILLER * 9
    found = cut(Memory("m", "email", text), "What was our booking?")
    assert "Your booking number for the stay is 7Q4-118." in found


def test_what_a_text_repeats_is_told_once() -> None:
    text = ("The booking number is 7Q4-118. " + FILLER) * 9
    assert cut(Memory("m", "email", text), "booking number?").count("7Q4-118") == 1


def test_several_facts_are_kept_in_their_order() -> None:
    text = (
        FILLER * 3
        + "Anna paid the hotel. "
        + FILLER * 9
        + "Ben paid the flight. "
        + FILLER * 9
        + "Clara paid the dinner. "
        + FILLER * 9
    )
    found = cut(Memory("m", "note", text), "Who paid for hotel, flight and dinner?")
    places = [found.index(name) for name in ("Anna", "Ben", "Clara")]
    assert places == sorted(places)
    assert " … " in found


def test_a_text_that_shares_no_word_is_told_from_its_beginning() -> None:
    text = "First sentence of all. " + FILLER * 20
    assert cut(Memory("m", "note", text), "zebra?").startswith("First sentence of all.")


def test_words_of_the_question_count_by_what_they_tell() -> None:
    weights = query_weights(["What is the number of room 214 in the Avenida?"])
    assert weights["214"] > weights["room"] > weights["the"]
    text = FILLER * 8 + "It is what it is, in the end, of the day. " * 3 + "Room 214 it was. "
    assert "Room 214" in cut(Memory("m", "note", text + FILLER * 8), "What was the room, 214?")


def test_captions_and_transcripts_are_canonical_and_ocr_is_not() -> None:
    memory = Memory(
        "m",
        "message",
        "Look!",
        media=(
            Media("image", description=Description(caption="A red door.", ocr="HOTEL")),
            Media("video", description=Description(short_caption="Waves.", transcript="Hello you")),
        ),
    )
    assert canonical_text(memory) == "Look!\nA red door.\nWaves.\nHello you"
    assert cut(memory, "door") == "Look! A red door. Waves. Hello you [text in picture: HOTEL]"


def test_ocr_is_cleaned_and_what_the_question_asks_comes_first() -> None:
    ocr = "-- ~~ ||\nCASH RECEIPT\nCASH RECEIPT\n" + "item 3 x 4 lorem\n" * 1
    ocr += "\n".join(f"line {number} of the bill" for number in range(30)) + "\nTOTAL 23.40 EUR"
    found = cut(photo(caption="A receipt.", ocr=ocr), "What was the total?")
    assert found.startswith("A receipt. [text in picture: ")
    assert "TOTAL 23.40 EUR" in found
    assert "~~" not in found
    assert found.count("CASH RECEIPT") <= 1
    assert len(found) <= len("A receipt. [text in picture: ]") + 120


def test_semantic_text_and_ocr_have_budgets_of_their_own() -> None:
    caption = " ".join(f"There is a shelf with {number} old books on it." for number in range(40))
    found = cut(photo(caption=caption, ocr="SERIAL NUMBER 99\n" + "word " * 99), "serial")
    said, _, read = found.partition(" [text in picture: ")
    assert 300 < len(said) <= 420
    assert "SERIAL NUMBER 99" in read
    assert len(read) <= 121


def test_invisible_characters_are_left_out() -> None:
    text = "pass\u200bword\x00 is\u202e here\ufeff"
    assert cut(Memory("m", "note", text), "x") == "pass word is here"


def test_chinese_text_is_searched_too() -> None:
    text = "今天天气很好。" * 80 + "我们住在里斯本的酒店。" + "今天天气很好。" * 80
    assert "里斯本" in cut(Memory("m", "note", text), "里斯本的酒店是哪家？")


@settings(max_examples=150, deadline=None)
@given(
    text=st.text(max_size=900) | st.text("ab ,.\n", max_size=2000),
    ocr=st.text(max_size=400),
    question=st.text(max_size=60),
    most=st.integers(1, 420),
)
def test_budgets_hold_for_any_text(text: str, ocr: str, question: str, most: int) -> None:
    limits = VerifierSettings(snippet_characters=most, snippet_ocr_characters=most // 3)
    memory = Memory("m", "note", text, media=(Media("image", description=Description(ocr=ocr)),))
    found = snippet(memory, query_weights([question]), limits)
    assert len(found) <= most + most // 3 + len(" [text in picture: ]")
    assert "\n" not in found


def test_long_texts_take_no_long_time() -> None:
    words = " ".join(f"the word {number} is of the" for number in range(20_000))
    weights = query_weights(["the word of the"])
    for _ in range(3):
        assert len(snippet(Memory("m", "document", words), weights, SETTINGS)) <= 420


def excerpt(text: str, question: str, most: int) -> str:
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
    assert excerpt(FOUR, question, 45) == told


def test_a_text_that_just_fits_is_told_whole() -> None:
    assert excerpt(FOUR, "delta", len(FOUR)) == FOUR
    assert excerpt(FOUR, "delta", len(FOUR) - 1) != FOUR


def test_an_excerpt_may_fill_all_its_room() -> None:
    told = "Alpha came by here. Bravo came by here."
    assert excerpt(FOUR, "alpha bravo", len(told)) == told
    assert excerpt(FOUR, "alpha bravo", len(told) - 1) == "Alpha came by here."


def test_the_opening_tells_more_than_a_common_word_and_less_than_a_name() -> None:
    text = "Notes we kept today. It was of the house. Bravo came by there. And so it goes on."
    assert excerpt(text, "of the", 22) == "Notes we kept today."
    assert excerpt(text, "bravo", 24) == "… Bravo came by there."


def test_words_that_are_told_already_count_for_less() -> None:
    text = "Notes. The hotel was nice. The hotel was huge. The flight was late. So it went on."
    assert excerpt(text, "hotel flight", 50) == "Notes. The hotel was nice. … The flight was late."


def test_of_clauses_with_the_same_words_the_shorter_is_told() -> None:
    text = "Notes. The hotel was very nice and rather cheap. The hotel was a fine one. So it went."
    assert excerpt(text, "hotel", 31) == "… The hotel was a fine one."


def test_below_twenty_characters_no_clause_is_short() -> None:
    # Both count as 20 characters long, so the earlier one is told.
    text = "Notes. The hotel is open. The hotel. So it went on for long."
    assert excerpt(text, "hotel", 20) == "… The hotel is open."


@pytest.mark.parametrize(("too_long", "told"), [(7, True), (8, False)])
def test_the_search_ends_when_eight_clauses_did_not_fit(too_long: int, told: bool) -> None:
    long = " ".join(f"Hotel room number {i} is fine." for i in range(too_long))
    text = f"Hotel room number. {long} So."
    found = excerpt(text, "hotel room number", 30)
    assert found == ("Hotel room number. … So." if told else "Hotel room number.")


def test_a_sentence_of_usual_length_is_not_taken_apart() -> None:
    text = "We went out. Anna came early, Ben left late. " + "Nothing more was said then. " * 3
    assert "Anna came early, Ben left late." in excerpt(text, "anna", 60)


def test_a_long_sentence_is_taken_apart_at_its_commas() -> None:
    parts = [f"then we saw the {name} of the old town" for name in ("gate", "wall", "tower")]
    text = "We went out. " + ", ".join([*parts, "and the hotel by the river was open", *parts])
    found = excerpt(text + " " + "So it was. " * 20, "hotel river", 60)
    assert found == "We went out. … and the hotel by the river was open,"


def test_a_sentence_without_commas_is_cut_at_its_last_space_that_fits() -> None:
    assert excerpt("aaaa bbbb cccc dddd eeee ffff", "zebra", 14) == "aaaa bbbb cccc"
    assert excerpt("aaaa bbbb cccc dddd eeee ffff", "zebra", 13) == "aaaa bbbb"


def test_a_word_that_is_too_long_is_cut_anywhere() -> None:
    assert excerpt("a" * 30, "zebra", 10) == "a" * 10
    assert excerpt("ab " + "c" * 30, "zebra", 10) == "ab ccccccc"  # no space in the second half
    assert excerpt("ab cd", "zebra", 1) == "a"


@pytest.mark.parametrize(
    ("line", "kept"), [("abc--", True), ("ab--", False), ("ab---", False), ("----", False)]
)
def test_a_line_in_a_picture_is_read_if_most_of_it_is_letters(line: str, kept: bool) -> None:
    media = (Media("image", description=Description(ocr=f"TOTAL\n{line}\nTOTAL")),)
    expected = f"TOTAL\n{line}" if kept else "TOTAL"
    assert ocr_text(Memory("m", "photo", media=media)) == expected


def test_a_text_that_just_fits_is_told_with_its_repeats() -> None:
    assert excerpt("So. So. So.", "zebra", 11) == "So. So. So."
    assert excerpt("So. So. So.", "zebra", 10) == "So."


def test_another_word_of_the_question_tells_more_than_a_greater_one_again() -> None:
    text = "The reservation was fine. The reservation was huge. The train was late, too. So it was."
    told = "The reservation was fine. … The train was late, too."
    assert excerpt(text, "reservation train", len(told)) == told


def test_from_twenty_characters_on_the_shorter_clause_is_told() -> None:
    longer, shorter = "The hotel had a pool.", "The hotel had a bar."
    assert (len(longer), len(shorter)) == (21, 20)
    assert excerpt(f"Notes. {longer} {shorter} So it was.", "hotel", 23) == f"… {shorter}"


def test_a_sentence_that_fits_is_told_up_to_its_end() -> None:
    text = "We went out. Anna came early, Ben left late. Nothing more was said."
    assert excerpt(text, "anna", 33) == "… Anna came early, Ben left late."


def test_a_sentence_that_takes_all_the_room_is_not_taken_apart_at_its_comma() -> None:
    whole = "Anna came early, Ben left late."
    assert excerpt(f"{whole} Cleo sang.", "anna cleo", len(whole)) == whole
    assert excerpt(f"{whole} Cleo sang.", "anna cleo", len(whole) - 1) == (
        "Anna came early, … Cleo sang."
    )


def test_a_sentence_that_takes_all_the_room_is_not_cut_at_a_space() -> None:
    whole = "Anna came with us unexpectedly."
    assert excerpt(f"{whole} Cleo.", "anna cleo", len(whole)) == whole
    assert excerpt(f"{whole} Cleo.", "anna cleo", len(whole) - 1) == "Anna came with us … Cleo."


def test_a_cut_is_at_a_space_of_the_second_half_only() -> None:
    assert excerpt("abcdef " + "c" * 30, "zebra", 10) == "abcdef"
    assert excerpt("abcde " + "c" * 30, "zebra", 10) == "abcde cccc"
    assert excerpt("abcd " + "c" * 30, "zebra", 10) == "abcd ccccc"


def test_nothing_follows_the_last_mark_of_a_text_without_spaces() -> None:
    text = "今天天气很好。我们住在酒店。他们都在这里。"
    assert excerpt(text, "酒店", 12) == "… 我们住在酒店。"
