"""Which words of a question say something, and in which language it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmemix.text.language import content_words, english_share, language_of


@pytest.mark.parametrize(
    "text",
    [
        "Which hotel did we stay in when Mia lost her tooth?",
        "photos of the beach",
        "who is my son's teacher",
    ],
)
def test_english(text: str) -> None:
    assert english_share(text) == 1


@pytest.mark.parametrize(
    "text",
    [
        "In welchem Hotel waren wir, als Mia den Zahn verlor?",
        "Dans quel hôtel étions-nous ?",
        "¿En qué hotel estuvimos?",
        "In quale albergo eravamo?",
        "Vilket hotell bodde vi på?",
        "In welk hotel waren we?",
        "В каком отеле мы были?",
        "どのホテルに泊まりましたか",
        "في أي فندق أقمنا؟",
    ],
)
def test_not_english(text: str) -> None:
    assert english_share(text) == 0


@pytest.mark.parametrize("text", ["Hotel Olivo", "", "4711", "?!"])
def test_undecided(text: str) -> None:
    assert english_share(text) == 0.5


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("What did we pay for the boiler?", "pay boiler?"),
        ("Was hat der Kessel gekostet?", "Kessel gekostet?"),
        ("How tall is my son?", "tall son?"),  # "son" is a function word in French and Spanish
        ("Did anyone die on the road?", "die road?"),  # and "die" in German
        ("the who", "the who"),  # nothing else is left
        ("Hotel Olivo", "Hotel Olivo"),
    ],
)
def test_words_that_only_ask_are_left_out(text: str, left: str) -> None:
    assert content_words(text) == left


@given(st.text())
def test_any_text(text: str) -> None:
    assert english_share(text) in {0, 0.5, 1}
    assert set(content_words(text).split()) <= set(text.split())


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("When is Olga's birthday?", "en"),
        ("Wann hat Olga Geburtstag?", "de"),
        ("Quand est l'anniversaire de Olga ?", "fr"),
        ("¿Cuándo es el cumpleaños de Olga?", "es"),
        ("Quando è il compleanno di Olga?", "it"),
        ("Quando é o aniversário da Olga?", "pt"),
        ("Wanneer is Olga jarig?", "nl"),
        ("När har Olga födelsedag?", "sv"),
        ("オルガの誕生日はいつですか?", "ja"),
        ("Hotel Olivo", ""),
        ("", ""),
        ("?!", ""),
    ],
)
def test_function_words_tell_the_language(text: str, code: str) -> None:
    assert language_of(text) == code
