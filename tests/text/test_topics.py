from __future__ import annotations

import pytest

from graphmemix.text.topics import TOPICS, topics_asked, topics_told
from graphmemix.text.words import terms


def told(text: str) -> set[str]:
    return set(topics_told(terms(text)))


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("Where did we sleep in Ghent?", "lodging"),
        ("Where was I put up by the festival?", "lodging"),
        ("Wo haben wir in Bern übernachtet?", "lodging"),
        ("Où avons-nous dormi à Gand ?", "lodging"),
        ("¿Dónde nos alojamos? ¿En qué habitación?", "lodging"),
        ("Var övernattade vi i Bergen?", "lodging"),
        ("Who reimbursed me?", "refund"),
        ("Did the shop ever pay me my money back?", "refund"),
        ("Wer hat mir etwas zurückerstattet?", "refund"),
        ("Which parcels were never delivered?", "delivery"),
        ("What did Ana lend us?", "lending"),
        ("Vem tappade nycklarna?", "lost"),
    ],
)
def test_what_a_question_asks_about(question: str, topic: str) -> None:
    assert topic in topics_asked(question)


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("Twin room, two nights, check-in from 15.00", "lodging"),
        ("Doppelzimmer, 2 Nächte, Anreise Freitag", "lodging"),
        ("chambre double, arrivée le 12, petit-déjeuner compris", "lodging"),
        ("We have credited 40.00 to your card", "refund"),
        ("Nous vous remboursons la somme", "refund"),
        ("Beloppet återbetalas inom fem dagar", "refund"),
        ("Your order was dispatched this morning", "delivery"),
        ("Der Techniker hat das Ersatzteil dabei", "repair"),
    ],
)
def test_what_a_memory_tells_about(text: str, topic: str) -> None:
    assert topic in told(text)


def test_a_word_is_one_and_not_a_part_of_another() -> None:
    assert "pets" not in told("The catalogue of the museum, and a petition")
    assert "car" not in told("A carpet and a scarf")
    assert "lodging" not in topics_asked("Who sat in the roomy innovation lab?")


def test_of_most_words_nothing_is_said() -> None:
    assert topics_asked("xyzzy") == frozenset()
    assert topics_asked("") == frozenset()
    assert told("") == set()
    assert told("The quick brown fox") == set()


def test_a_question_may_ask_about_several() -> None:
    assert topics_asked("What did the hotel cost?") == {"lodging", "cost"}


def test_a_phrase_counts_whole_words_in_a_row() -> None:
    assert "lodging" in topics_asked("Where did they PUT  UP the band?")
    assert "lodging" not in topics_asked("What did I put upstairs?")


def test_every_list_is_of_distinct_words_and_parts_of_words_end_in_a_dash() -> None:
    for name, topic in TOPICS.items():
        for words in topic:
            entries = words.split()
            assert len(entries) == len(set(entries)), name
            assert all(len(entry.rstrip("-")) >= 2 for entry in entries), name
            assert all(len(entry) >= 4 for entry in entries if entry.endswith("-")), name
            assert words == words.lower(), name
