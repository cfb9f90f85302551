from __future__ import annotations

import pytest

from graphmemix.evidence import Answer, Citation
from graphmemix.read import with_chance
from graphmemix.settings import Settings

SETTINGS = Settings().reader
QUOTED = Answer("“Lisbon.” [1: note]", (Citation("m", "Lisbon."),), extractive=True)


def test_a_doubtful_quotation_says_so_and_keeps_its_evidence() -> None:
    answer = with_chance(QUOTED, 0.2, SETTINGS)
    assert answer.text == "The archive may not hold the answer.\n“Lisbon.” [1: note]"
    assert (answer.citations, answer.answerable) == (QUOTED.citations, 0.2)


def test_doubt_is_stated_once() -> None:
    assert with_chance(with_chance(QUOTED, 0.2, SETTINGS), 0.2, SETTINGS).text.count("may not") == 1


@pytest.mark.parametrize("chance", [None, 0.5, 0.9])
def test_without_doubt_nothing_is_said(chance: float | None) -> None:
    answer = with_chance(QUOTED, chance, SETTINGS)
    assert (answer.text, answer.answerable) == (QUOTED.text, chance)


@pytest.mark.parametrize(
    "answer", [Answer("Lisbon [1].", (Citation("m"),)), Answer("Nothing.", extractive=True)]
)
def test_a_models_words_and_an_empty_answer_stay(answer: Answer) -> None:
    assert with_chance(answer, 0.1, SETTINGS).text == answer.text
