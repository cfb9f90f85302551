from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmemix.memory import Description, Media, Memory
from graphmemix.settings import VerifierSettings
from graphmemix.verify.snippets import canonical_text, query_weights, snippet

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
