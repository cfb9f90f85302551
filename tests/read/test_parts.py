from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmemix.evidence import Block, Question
from graphmemix.read.parts import Form, asked_for

WHEN = datetime(2024, 1, 1, tzinfo=UTC)


def parts(text: str) -> list[str]:
    return [part.text for part in asked_for(Question(text), ()).parts]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which cake was it, and what did it cost?", ["Which cake was it", "what did it cost?"]),
        ("Which bus was it? How long did it take?", ["Which bus was it", "How long did it take?"]),
        (
            "Wer hat den Kuchen gebacken, und was kostete der Saal?",
            ["Wer hat den Kuchen gebacken", "was kostete der Saal?"],
        ),
        (
            "Quel gâteau était-ce, et combien a coûté la salle ?",
            ["Quel gâteau était-ce", "combien a coûté la salle ?"],
        ),
        (
            "¿Qué hotel era, y cuánto costó la cena?",
            ["¿Qué hotel era", "cuánto costó la cena?"],
        ),
        (
            "Quale torta era, e quanto è costata la sala?",
            ["Quale torta era", "quanto è costata la sala?"],
        ),
        ("Que bolo era, e quanto custou a sala?", ["Que bolo era", "quanto custou a sala?"]),
        (
            "Welke taart was het, en hoeveel kostte de zaal?",
            ["Welke taart was het", "hoeveel kostte de zaal?"],
        ),
        (
            "どのケーキでしたか？いくらでしたか？",
            ["どのケーキでしたか", "いくらでしたか？"],
        ),
        ("When and where is the parents' evening?", ["When and where is the parents' evening?"]),
        ("Did Tom and Mia come?", ["Did Tom and Mia come?"]),
        ("?", ["?"]),
    ],
)
def test_a_question_is_split_where_a_further_one_begins(question: str, expected: list[str]) -> None:
    assert parts(question) == expected


def test_a_part_knows_the_words_of_the_others_and_its_event() -> None:
    text = "Where did we eat on the evening before Mia lost her tooth, and what did the pizza cost?"
    first, second = asked_for(Question(text), ()).parts
    assert (first.text, first.event, first.shift) == ("Where did we eat", "Mia lost her tooth", -1)
    assert second.context.startswith("Where did we eat")
    assert (second.event, second.shift) == ("", 0)


@pytest.mark.parametrize(
    ("question", "form"),
    [
        ("Who has the key?", "value"),
        ("What did the two repairs cost together?", "list"),
        ("Which books did we order?", "list"),
        ("What did we buy in May?", "list"),
        ("Liste der Ausgaben", "list"),
        ("Quelles villes avons-nous vues ?", "list"),
        ("¿Qué libros tenemos?", "list"),
        ("Quali libri abbiamo ordinato?", "list"),
        ("Quais livros temos?", "list"),
        ("Welke boeken hebben we?", "list"),
        ("本を全部教えて", "list"),
        ("Cosa è successo alla caldaia?", "story"),
        ("O que aconteceu com a caldeira?", "story"),
        ("Wat is er gebeurd met de ketel?", "story"),
        ("Welke bus is het?", "value"),
        ("Quale autobus è?", "value"),
        ("Which bus is it?", "value"),
        ("What was the price?", "value"),
        ("How many guests came?", "value"),
        ("What happened on 14 July 2023?", "timeline"),
        ("Was war am 14. Juli 2023?", "timeline"),
        ("What did Olga write in July 2023?", "timeline"),
        ("What happened to the boiler?", "story"),
        ("Photos from 10 July 2023", "media"),
        ("Is there a video of the parade?", "media"),
        ("?", "value"),
    ],
)
def test_the_form_of_the_answer_shows_in_the_question(question: str, form: Form) -> None:
    block = Block(1, "m", "m", ("text",), "x", kind="message", speaker="Olga")
    (part,) = asked_for(Question(question, asked_at=WHEN), (block,)).parts
    assert part.form == form


@given(st.text(min_size=1, max_size=300).filter(str.strip))
def test_any_text_has_parts(text: str) -> None:
    asked = asked_for(Question(text), ())
    assert 1 <= len(asked.parts) <= 3
    assert all(part.text in text for part in asked.parts)
