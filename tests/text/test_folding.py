from __future__ import annotations

import pytest

from graphmemix.text.dates.lexicon import fold
from graphmemix.text.folding import plain, unaccented


@pytest.mark.parametrize(
    ("text", "whole_text", "name", "date_word"),
    [
        ("Café", "Cafe", "Cafe", "cafe"),
        ("Cafe\u0301", "Cafe", "Cafe", "cafe"),
        ("Ｏｒｄｅｒ", "Order", "Order", "order"),
        ("ﬁn", "ﬁn", "fin", "fin"),
        ("Άνδρος", "Άνδρος", "Ανδρος", "ανδροσ"),
        ("ᾳ", "ᾳ", "α", "αι"),
        ("Йод", "Йод", "Иод", "иод"),
        ("が", "が", "か\u3099", "か"),
        ("a\u00a0b\u200b", "a b", "a b\u200b", "a b\u200b"),
    ],
)
def test_accents_are_taken_off_by_use(
    text: str, whole_text: str, name: str, date_word: str
) -> None:
    assert (plain(text), unaccented(text), fold(text)) == (whole_text, name, date_word)
