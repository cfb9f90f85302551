from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmemix.evidence import Block
from graphmemix.memory import Kind
from graphmemix.read.sentences import sentences


def block(text: str, kind: Kind = "email", speaker: str = "") -> Block:
    return Block(1, "m", "", ("text",), text, kind=kind, speaker=speaker)


def texts(text: str, kind: Kind = "email", speaker: str = "") -> list[str]:
    return [sentence.text for sentence in sentences(0, block(text, kind, speaker))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "We left. It rained! Why? Nobody knows",
            ["We left.", "It rained!", "Why?", "Nobody knows"],
        ),
        ("Dr. Meier called at 5 p.m. on 2. Juni.", ["Dr. Meier called at 5 p.m. on 2. Juni."]),
        ("It cost 8.50 EUR. We paid.", ["It cost 8.50 EUR.", "We paid."]),
        ("He said “Come.” Then he left.", ["He said “Come.”", "Then he left."]),
        ("我们去了东京。天气很好！你呢？", ["我们去了东京。", "天气很好！", "你呢？"]),
        ("Où est-il ? À Paris.", ["Où est-il ?", "À Paris."]),
        ("J. R. Smith wrote. We read.", ["J. R. Smith wrote.", "We read."]),
        ("...", []),
    ],
)
def test_sentences_end_where_people_end_them(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


def test_lines_that_a_mail_program_wrapped_are_joined() -> None:
    wrapped = "thank you for your booking, which we have received in time and\nconfirm. See you."
    assert texts(wrapped)[0].endswith("in time and confirm.")


def test_lines_that_a_person_ended_are_not() -> None:
    assert texts("Milk\nBread\n- eggs") == ["Milk", "Bread", "- eggs"]


def test_a_speaker_is_no_part_of_the_words() -> None:
    assert texts("Anna: We left.", "message", "Anna") == ["We left."]


def test_words_about_media_are_told_apart() -> None:
    found = sentences(
        0, block("Look\nShown: A menu. On a table.\nText in the picture: A / B 2\nHeard: Hi")
    )
    assert [(each.text, each.origin) for each in found] == [
        ("Look", "own"),
        ("A menu.", "caption"),
        ("On a table.", "caption"),
        ("B 2", "ocr"),
        ("Hi", "transcript"),
    ]


def test_what_a_mail_quotes_is_marked() -> None:
    found = sentences(0, block("Yes.\n> Which hotel?"))
    assert [(each.text, each.is_reply_quote) for each in found] == [
        ("Yes.", False),
        ("Which hotel?", True),
    ]
    assert found[1].is_question


@given(st.text(max_size=400))
def test_any_text_splits_into_pieces_that_can_be_quoted(text: str) -> None:
    for piece in texts(text):
        assert piece
        assert len(piece) <= 280


def test_a_long_text_without_any_stop_is_cut() -> None:
    assert all(len(piece) <= 280 for piece in texts("word " * 5000))
    assert all(len(piece) <= 280 for piece in texts("x" * 50_000))
