"""Places of which an archive knows only that somebody might go there."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmemix.memory import Memory, Place
from graphmemix.verify.presumed import only_possible, presumed_places

INVITED = Memory("invited", "email", "Come to Lisbon!\n\nWhy not at Easter? There are good hotels.")
REPLY = Memory("reply", "email", "Re: Come to Lisbon!\n\nWe would love to.")
ADVERTISED = Memory("offer", "email", "Lisbon: hotels for 49 EUR")
HOTEL = "Which hotel did we stay in in Lisbon?"


@pytest.mark.parametrize(
    "question",
    [
        HOTEL,
        "What did we eat in Lisbon?",
        "In welchem Hotel waren wir in Lisbon?",
        "Où avons-nous dormi à Lisbon ?",
        "¿Dónde nos alojamos en Lisbon?",
        "Var bodde vi i Lisbon?",
    ],
)
def test_an_invitation_is_no_stay(question: str) -> None:
    assert presumed_places(question) == ["lisbon"]
    assert only_possible(question, (INVITED, REPLY), "invited")


@pytest.mark.parametrize(
    "held",
    [
        Memory("there", "message", "We arrived in Lisbon, would you believe it"),
        Memory("told", "email", "Perhaps we were too long in Lisbon"),
        Memory("event", "event", "Lisbon"),
        Memory("photo", "photo", place=Place("Lisbon")),
        Memory("paper", "document", "Lisbon, perhaps by train"),
        Memory("plain", "email", "Hotel Avenida, Lisbon: your bill"),
        Memory(
            "booked",
            "email",
            "Lisbon, arrival 3 April 2023, departure 7 April 2023. Perhaps you want to add a taxi?",
            timestamp=datetime(2023, 2, 1, tzinfo=UTC),
        ),
    ],
)
def test_one_memory_that_speaks_for_it_is_enough(held: Memory) -> None:
    assert not only_possible(HOTEL, (INVITED, held), "invited")


def test_an_advertisement_speaks_for_nothing() -> None:
    assert only_possible(HOTEL, (INVITED, ADVERTISED), "invited", {"offer"})
    assert not only_possible(HOTEL, (INVITED, ADVERTISED), "invited")


def test_likelier_evidence_that_does_not_name_the_place_may_be_of_it() -> None:
    tram = Memory("tram", "message", "Tram 28 to the hotel")
    assert not only_possible(HOTEL, (INVITED, tram), "tram")


@pytest.mark.parametrize(
    "question",
    [
        "Which hotel is near Inês in Lisbon?",
        "Where would we stay in Lisbon?",
        "What did we do in July 2023?",
        "Why did Leo use a Bluetooth speaker?",
        "What did Ruth write?",
    ],
)
def test_what_presumes_no_place_is_left_alone(question: str) -> None:
    assert presumed_places(question) == []


@given(st.text(max_size=120), st.text(max_size=120))
def test_any_words_can_be_asked(question: str, text: str) -> None:
    assert only_possible(question, (Memory("m", "note", text),), "m") is False
