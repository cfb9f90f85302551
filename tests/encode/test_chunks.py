from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmemix.encode.chunks import chunks

TEXTS = st.text(alphabet='ab .!?。\n\t"”…é🙂', max_size=300)


def test_a_short_text_is_one_part_without_outer_space() -> None:
    assert chunks("  One. Two.\n", size=50, overlap=10) == ["One. Two."]


@pytest.mark.parametrize("text", ["", " ", "\n\t \u3000"])
def test_an_empty_text_has_no_part(text: str) -> None:
    assert chunks(text, size=50, overlap=10) == []


def test_parts_end_where_sentences_end() -> None:
    text = "One is here. Two is there! Three is where? Four."
    assert chunks(text, size=27, overlap=0) == [
        "One is here. Two is there!",
        "Three is where? Four.",
    ]


def test_a_part_repeats_whole_sentences_of_the_one_before() -> None:
    text = "First one. Second one. Third one. Fourth one."
    assert chunks(text, size=24, overlap=12) == [
        "First one. Second one.",
        "Second one. Third one.",
        "Third one. Fourth one.",
    ]


def test_what_does_not_fit_the_overlap_is_not_repeated() -> None:
    text = "A rather long first sentence. Short. Another rather long one."
    assert chunks(text, size=40, overlap=10) == [
        "A rather long first sentence. Short.",
        "Short. Another rather long one.",
    ]


def test_chinese_sentences_end_without_a_space() -> None:
    assert chunks("今天去湖边。明天下雨！后天呢？", size=7, overlap=0) == [
        "今天去湖边。",
        "明天下雨！",
        "后天呢？",
    ]


def test_a_number_is_no_end_of_a_sentence() -> None:
    text = "It cost 3.50 euros in total today. Fine."
    assert chunks(text, size=36, overlap=0) == ["It cost 3.50 euros in total today.", "Fine."]


def test_a_long_sentence_is_cut_at_spaces() -> None:
    parts = chunks("word " * 40, size=52, overlap=0)
    assert all(set(part.split()) == {"word"} for part in parts)
    assert sum(len(part.split()) for part in parts) == 40


def test_a_run_without_spaces_is_cut_anywhere() -> None:
    assert chunks("x" * 250, size=100, overlap=20) == ["x" * 100, "x" * 100, "x" * 50]


@given(text=TEXTS, size=st.integers(5, 80), overlap=st.integers(0, 100))
def test_no_part_is_too_long_or_empty(text: str, size: int, overlap: int) -> None:
    parts = chunks(text, size=size, overlap=overlap)
    assert all(0 < len(part) <= size for part in parts)
    assert bool(parts) == bool(text.strip())


@given(text=TEXTS, size=st.integers(5, 80))
def test_without_overlap_every_character_is_there_once(text: str, size: int) -> None:
    together = "".join("".join(chunks(text, size=size, overlap=0)).split())
    assert together == "".join(text.split())


@given(text=TEXTS, size=st.integers(5, 80), overlap=st.integers(0, 100))
def test_parts_are_pieces_of_the_text_in_order(text: str, size: int, overlap: int) -> None:
    at = 0
    for part in chunks(text, size=size, overlap=overlap):
        assert part in text
        at = max(at, text.find(part))
    assert at <= len(text)


@pytest.mark.parametrize(
    "text",
    [
        "word " * 20_000,
        "x" * 100_000,
        "\n" * 100_000 + "x",
        "\n \t" * 33_000 + "x",
        "." * 100_000 + "x",
        "?!" * 50_000 + "x",
        "." + '"' * 100_000 + "x",
        ".) " * 33_000,
    ],
    ids=["words", "run", "lines", "blanks", "dots", "marks", "quotes", "brackets"],
)
def test_a_long_text_of_anything_has_parts(text: str) -> None:
    parts = chunks(text, size=800, overlap=160)  # at once; minutes if it were quadratic
    assert all(0 < len(part) <= 800 for part in parts)
