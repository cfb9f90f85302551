from __future__ import annotations

from functools import partial

import pytest

from graphmemix.evidence import Answer, Citation, Question, Trace
from graphmemix.read.chance import DOES_NOT_SEEM, HOLDS, MAY_HOLD, chance_of, in_words, with_chance
from graphmemix.read.missing import NOTHING_ANSWERS
from graphmemix.settings import Settings

SETTINGS = Settings().reader
QUOTED = Answer("“Lisbon.” [1: note]", (Citation("m", "Lisbon."),), extractive=True)
MISSING = "Olga is known here; Olga's birthday is not."


@pytest.mark.parametrize(
    ("chance", "words"),
    [
        (None, ""),
        (0.0, DOES_NOT_SEEM),
        (0.59, DOES_NOT_SEEM),
        (0.6, MAY_HOLD),
        (0.84, MAY_HOLD),
        (0.85, HOLDS),
        (1.0, HOLDS),
    ],
)
def test_a_chance_has_one_of_three_forms_in_words(chance: float | None, words: str) -> None:
    assert in_words(chance, SETTINGS) == words


def test_the_bounds_are_settings() -> None:
    strict = Settings.load(
        environment={}, overrides={"reader.unsure_below": 0.8, "reader.holds_from": 0.95}
    ).reader
    assert [in_words(chance, strict) for chance in (0.79, 0.9, 0.96)] == [
        DOES_NOT_SEEM,
        MAY_HOLD,
        HOLDS,
    ]


def test_an_early_trace_has_the_chance_in_its_answer_alone() -> None:
    trace = Trace(Question("Where?"), "default", answer=Answer("There.", answerable=0.9))
    assert chance_of(trace) == 0.9
    assert in_words(trace, SETTINGS) == HOLDS


def test_a_doubtful_quotation_says_first_what_is_missing_and_keeps_its_evidence() -> None:
    answer = with_chance(QUOTED, 0.2, SETTINGS, lambda: MISSING)
    assert answer.text == f"{MISSING}\n“Lisbon.” [1: note]"
    assert (answer.citations, answer.answerable) == (QUOTED.citations, 0.2)


@pytest.mark.parametrize("chance", [None, 0.6, 0.9])
def test_without_doubt_nothing_is_said(chance: float | None) -> None:
    answer = with_chance(QUOTED, chance, SETTINGS, lambda: MISSING)
    assert (answer.text, answer.answerable) == (QUOTED.text, chance)


def test_a_models_words_stay() -> None:
    answer = Answer("Lisbon [1].", (Citation("m"),))
    assert with_chance(answer, 0.1, SETTINGS, lambda: MISSING).text == answer.text


def test_an_answer_without_a_quote_says_what_is_missing_if_that_is_known() -> None:
    nothing = Answer("Nothing.", extractive=True)
    assert with_chance(nothing, 0.1, SETTINGS, lambda: MISSING).text == MISSING
    for unsaid in ("", *NOTHING_ANSWERS):
        assert with_chance(nothing, 0.1, SETTINGS, partial(str, unsaid)).text == "Nothing."
