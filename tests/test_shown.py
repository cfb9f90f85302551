"""Short lines and small HTML of records."""

from __future__ import annotations

import pytest

from graphmemix.shown import first_words, html_card, html_table, short_id


@pytest.mark.parametrize(
    ("memory_id", "shown"),
    [("0123456789abcdef" * 2, "01234567"), ("photo/1", "photo/1"), ("x" * 32, "x" * 32), ("", "")],
)
def test_only_ids_that_are_derived_from_content_are_cut(memory_id: str, shown: str) -> None:
    assert short_id(memory_id) == shown


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ""),
        ("short", "short"),
        ("two\n\n lines", "two lines"),
        ("a sentence that is too long", "a sentence that is…"),
        ("x" * 50, "x" * 20 + "…"),
        ("word" + " " * 100, "word …"),
    ],
)
def test_first_words_are_one_line_cut_at_a_space(text: str, words: str) -> None:
    assert first_words(text, 20) == words


def test_everything_in_html_is_escaped() -> None:
    evil = "<script>alert('x')</script> & \"quotes\""
    made = html_card(evil, evil, [evil, ""]) + html_table([evil], [[evil], [""]])
    assert "<script" not in made
    assert made.count("&lt;script&gt;") == 5
    assert '"quotes"' not in made
