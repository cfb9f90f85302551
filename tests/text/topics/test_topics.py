from __future__ import annotations

import pytest

from graphmemix.text.language import stem
from graphmemix.text.topics import (
    TOPICS,
    chinese,
    dutch,
    english,
    french,
    german,
    italian,
    japanese,
    polish,
    portuguese,
    spanish,
    swedish,
    topics_asked,
    topics_told,
)
from graphmemix.text.words import terms

LANGUAGES = (
    english, german, french, spanish, swedish,
    italian, portuguese, dutch, polish, japanese, chinese,
)  # fmt: skip


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


def test_a_beginning_is_found_where_terms_takes_an_english_ending_off() -> None:
    assert "insurance" in told("De verzekering betaalt")
    assert "car" in told("La voiture est prête")


def test_a_character_is_found_wherever_it_stands_in_a_run() -> None:
    for text in ("泊", "二泊", "泊まる", "昨日は二泊三日でした"):
        assert "lodging" in told(text)


def test_two_characters_are_found_in_a_row_alone() -> None:
    assert "refund" in told("本日返金しました")
    assert "refund" not in told("金を返す")


def test_of_a_longer_entry_every_pair_is_needed() -> None:
    assert "home" in told("隣の大家さんから")
    assert "home" not in told("大家好")
    assert "flight" not in told("動物園の物語")


def test_every_language_has_words_for_every_topic() -> None:
    for language in LANGUAGES:
        assert list(language.WORDS) == list(TOPICS)
        for name, topic in language.WORDS.items():
            assert all(words.split() for words in topic), (language.__name__, name)


def test_every_list_is_of_distinct_words_and_parts_of_words_end_in_a_dash() -> None:
    lists = [
        (name, words) for each in LANGUAGES for name, topic in each.WORDS.items() for words in topic
    ]
    for name, words in lists:
        entries = words.split()
        assert len(entries) == len(set(entries)), name
        shortest = 1 if words[0] > "\u3000" else 2
        assert all(len(entry.rstrip("-")) >= shortest for entry in entries), name
        assert all(len(entry) >= 4 for entry in entries if entry.endswith("-")), name
        assert words == words.lower(), name


def test_a_word_of_a_list_is_one_term_its_stem() -> None:
    words = {word for topic in TOPICS.values() for words in topic for word in words.split()}
    for word in (word.removesuffix("-") for word in words if "_" not in word and word < "\u3000"):
        assert list(terms(word)) == [stem(word)]
