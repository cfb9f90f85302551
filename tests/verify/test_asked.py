"""What sort of value a question asks for."""

from __future__ import annotations

from math import isnan, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmemix.verify.asked import COVERING, asked_first, asked_type, covering, holds
from tests.growth.doubling import assert_linear


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("When is Olga's birthday?", "birthday"),
        ("What time did our plane leave?", "time"),
        ("Wann war der Umzug?", "time"),
        ("How much did we pay for the boat?", "amount"),
        ("Was kostet die Miete?", "amount"),
        ("How many people came?", "number"),
        ("what's sami's phone number", "contact"),
        ("Who fixed the oven?", "person"),
        ("Wer hat den Schlüssel?", "person"),
        ("Where are the nets kept?", "place"),
        ("Où avons-nous dormi ?", "place"),
        ("Tell me about the garden", None),
        ("whats our wifi password again?", "secret"),
        ("What seat did Ben have?", "seat"),
        ("Which room was it?", "room"),
        ("On what street does Olga live?", "address"),
        ("", None),
    ],
)
def test_asked(question: str, wanted: str | None) -> None:
    assert asked_type(question) == wanted


@pytest.mark.parametrize(
    ("text", "wanted", "expected"),
    [
        ("Doors at 18:30", "time", True),
        ("am 14. Juli", "time", True),
        ("the garden is green", "time", False),
        ("£118.00 payable on arrival", "amount", True),
        ("zahle 412,80 €", "amount", True),
        ("118 people", "amount", False),
        ("DA GINO\nMargherita 8.50\nAcqua 2.80", "amount", True),
        ("Summe: 12,00", "amount", True),
        ("Version 2.10 is out", "amount", False),
        ("on 12.05.2023", "amount", False),
        ("call 06 39 98 60 55", "contact", True),
        ("wifi: karibu-simba-77", "secret", True),
        ("door 4711", "secret", True),
        ("the wifi is slow, 2 bars", "secret", False),
        ("seat 14C", "seat", True),
        ("14 seals", "seat", False),
        ("Coach 24, seats 61 and 62", "seat", True),
        ("take a seat", "seat", False),
        ("the market is closed", "time", False),
        ("may I come?", "time", False),
        ("we come in May", "time", True),
        ("on March 3", "time", True),
        ("5th of may", "time", True),
        ("24. OKT", "time", True),
        ("Coach 24, aisle", "time", False),
        ("Zimmer Nr. 12", "room", True),
        ("12 Clarence Road", "address", True),
        ("on the 12th", "address", False),
        ("Olga was born in May", "birthday", True),
        ("we saw Karim there", "person", True),
        ("we saw nobody there", "person", False),
    ],
)
def test_held(text: str, wanted: str, expected: bool) -> None:
    assert holds(text, wanted) is expected  # type: ignore[arg-type]


@given(st.text(), st.text())
def test_any_text(question: str, text: str) -> None:
    wanted = asked_type(question)
    assert wanted is None or holds(text, wanted) in {True, False}


FAR = "x " * 100  # 200 characters: more than near


def of(question: str, *texts: str) -> dict[str, float]:
    """The features if all candidates are among the best."""
    return covering(question, texts, texts)


def test_every_feature_is_there_in_order() -> None:
    assert list(of("Who has the key?", "Olga has it.")) == list(COVERING)


def test_words_that_no_candidate_holds() -> None:
    # "spare" is in one of two texts, "key" in both, "garage" in none: ln(1 + 2 / (1 + count)).
    found = of("spare key garage", "the spare keys", "a key")
    spare, key, garage = log(2), log(1 + 2 / 3), log(3)
    assert found["words_unseen"] == pytest.approx(garage / (spare + key + garage))
    assert of("spare key", "the spare key")["words_unseen"] == 0


def test_words_of_all_candidates_say_how_rare_one_is() -> None:
    rare = covering("spare key", ["spare"], ["spare", "key", "key", "key"])
    common = covering("spare key", ["spare"], ["spare", "spare", "spare", "key"])
    assert rare["words_unseen"] < 0.5 < common["words_unseen"]


def test_words_count_whatever_their_endings_and_accents() -> None:
    assert of("hotels reservation", "Hotel, reservierte Zimmer")["words_unseen"] > 0
    assert of("Hôtels", "das Hotel")["words_unseen"] == 0
    assert of("hotel", "a motel, an uhotel")["words_unseen"] == pytest.approx(1)  # not inside words


def test_a_value_counts_where_the_words_are() -> None:
    question = "How much was the boat?"
    near = of(question, "The boat was 80 euros.")
    assert (near["covered_with_value"], near["covered_near_value"]) == (1, 1)
    far = of(question, f"The boat was fine. {FAR} It was 80 euros.")
    assert (far["covered_with_value"], far["covered_near_value"]) == (1, 0)
    apart = of(question, "The boat was fine.", "It was 80 euros.")
    assert (apart["covered_with_value"], apart["covered_near_value"]) == (0, 0)


def test_names_count_beside_a_value() -> None:
    question = "How much did Olga pay Ben?"
    assert of(question, "Olga gave Ben 80 euros")["names_near_value"] == 1
    assert of(question, "Olga gave 80 euros")["names_near_value"] == 0.5
    assert of(question, f"Olga {FAR} 80 euros")["names_near_value"] == 0
    assert isnan(of("How much was the boat?", "80 euros")["names_near_value"])


@pytest.mark.parametrize(
    ("question", "detail", "amount", "openly"),
    [
        ("What is Olga's phone number?", 1, 0, 0),
        ("When is Olga's birthday?", 1, 0, 0),
        ("How much was the boat?", 0, 1, 0),
        ("When did we leave?", 0, 0, 0),
        ("Tell me about the garden", 0, 0, 1),
    ],
)
def test_what_sort_of_value_is_asked_for(
    question: str, detail: float, amount: float, openly: float
) -> None:
    found = of(question, "words")
    assert (found["asks_detail"], found["asks_amount"], found["asks_openly"]) == (
        detail,
        amount,
        openly,
    )


def test_an_open_question_has_no_value_to_be_near() -> None:
    found = of("Tell me about the garden", "The garden cost 80 euros on 3 May.")
    names = ("covered_with_value", "covered_near_value", "names_near_value")
    assert all(isnan(found[name]) for name in names)


@given(st.text(max_size=80), st.lists(st.text(max_size=80), max_size=4))
def test_any_text_is_covered_to_some_share(question: str, texts: list[str]) -> None:
    counted = {"unknown_words", "unknown_names", "known_names"}
    for name, value in of(question, *texts).items():
        most = len(question) if name in counted else 1 + 1e-9
        assert isnan(value) or 0 <= value <= most, name


def test_words_and_names_that_nothing_here_holds() -> None:
    found = of("Did Karim bring the boat to Olga?", "Olga has a boat")
    assert (found["unknown_names"], found["known_names"], found["names_unknown"]) == (1, 1, 0.5)
    assert found["unknown_words"] == 2  # Karim, bring
    assert found["words_unknown"] == pytest.approx(0.5)
    assert isnan(of("who has the boat", "Olga")["names_unknown"])


@pytest.mark.parametrize("pump", ["boat ", "boat", "8 ", "a", "80 euros boat "])
def test_time_is_in_proportion_to_the_text(pump: str) -> None:
    assert_linear(lambda text: of("How much was the boat?", text), lambda size: pump * size)


def test_a_secret_is_searched_for_in_linear_time() -> None:
    assert_linear(lambda text: of("What is the wifi password?", text), lambda size: "a-" * size)


@pytest.mark.parametrize(
    ("question", "attribute"),
    [
        ("What is Noah allergic to?", True),
        ("What's Priya's major?", True),
        ("When was the wedding?", True),
        ("Wie heißt der Tierarzt?", True),
        ("Quelle est son adresse ?", True),
        ("¿Cuál es su número?", True),
        ("What did we do in July?", False),
        ("Which hotel was it?", False),
        ("Was haben wir gekauft?", False),
        ("Whatever happened?", False),
    ],
)
def test_a_question_for_an_attribute_is_known_by_its_beginning(
    question: str, attribute: bool
) -> None:
    assert covering(question, [], [])["asks_attribute"] == float(attribute)


def test_of_two_sorts_the_one_that_is_asked_first_counts_for_a_reader() -> None:
    assert asked_first("How many people came when it rained?") == "number"
    assert asked_first("When did how many people come?") == "time"
    assert asked_first("Tell me about the garden") is None
