from __future__ import annotations

import pytest

from graphmemix.errors import InvalidInputError
from graphmemix.evidence import Question
from graphmemix_bench.datasets.base import Choice, GoldQuestion, ResponseType
from graphmemix_bench.datasets.memeye import LETTERS, right_choice, rotated
from graphmemix_bench.measures.evidence import QuestionScores, summarise
from graphmemix_bench.measures.native import (
    choice_match,
    chosen,
    exact_match,
    jaccard,
    lexical_recall,
    qs_value,
)

ANIMALS = tuple(
    Choice(letter, text)
    for letter, text in zip("ABCD", ["a cat", "a dog", "a red fox", "none of them"], strict=True)
)


def asked(
    answer: str, response_type: ResponseType = "open", choices: tuple[Choice, ...] = ()
) -> GoldQuestion:
    return GoldQuestion(
        Question("Which?"),
        frozenset(),
        "T",
        answer,
        "Q1",
        choices=choices,
        response_type=response_type,
    )


@pytest.mark.parametrize(
    ("prediction", "reference", "score"),
    [
        ("The cat.", "cat", 100),
        ("8 May 2023", "May 8th, 2023", 100),
        ("1,200", "twelve hundred", 100),
        ("a cat and a dog", "cat", 0),
        ("", "cat", 0),
        ("?!", "?!", 100),
        ("!", "?!", 0),
    ],
)
def test_exact_match(prediction: str, reference: str, score: float) -> None:
    assert exact_match(prediction, reference) == score


@pytest.mark.parametrize(
    ("prediction", "letter"),
    [
        ("B", "B"),
        ("b.", "B"),
        ("(B)", "B"),
        ("**B**", "B"),
        ("B. a dog", "B"),
        ("B) A dog.", "B"),
        ("Answer: C", "C"),
        ("The answer is D", "D"),
        ("The correct option is (C).", "C"),
        ("Option A", "A"),
        ("A dog.", "B"),  # the text, not the letter of its article
        ("A red fox", "C"),
        ("A", "A"),
        ("B, because it barks", "B"),
        ("A and B", None),
        ("B or C", None),
        ("B. a red fox", None),  # letter and text disagree
        ("A wolf", None),
        ("E", None),
        ("", None),
        ("I do not know", None),
    ],
)
def test_the_option_that_a_prediction_names(prediction: str, letter: str | None) -> None:
    assert chosen(prediction, ANIMALS) == letter


def test_options_with_the_same_text_cannot_be_told_apart_by_it() -> None:
    twins = (Choice("A", "Paris"), Choice("B", "paris."))
    assert chosen("Paris", twins) is None
    assert chosen("B", twins) == "B"


def test_rotations_put_every_option_everywhere_once() -> None:
    rows = rotated(ANIMALS, "C")
    assert [answer for _, answer in rows] == ["C", "B", "A", "D"]
    for place in range(4):
        assert {choices[place].text for choices, _ in rows} == {c.text for c in ANIMALS}
    for choices, answer in rows:
        assert [c.choice_id for c in choices] == list(LETTERS[:4])
        assert right_choice(choices, answer).text == "a red fox"


def test_an_answer_may_be_the_text_of_its_option_and_must_be_one() -> None:
    assert rotated(ANIMALS, "a dog")[0][1] == "B"
    with pytest.raises(InvalidInputError, match="must name one of the 4 options"):
        rotated(ANIMALS, "a wolf")


def test_a_model_that_always_says_b_scores_a_quarter() -> None:
    rows = [
        QuestionScores(
            "c",
            f"1/r{n}",
            "T",
            {"mcq": choice_match("B", asked(answer, "choice", choices))},
            group="1",
        )
        for n, (choices, answer) in enumerate(rotated(ANIMALS, "D"))
    ]
    assert summarise(rows)["mcq"].value == 25


def test_choice_match_needs_options() -> None:
    with pytest.raises(InvalidInputError, match="has no options"):
        choice_match("A", asked("A"))


@pytest.mark.parametrize(
    ("prediction", "reference", "score"),
    [
        # red, bicycle, garage; "the", "in", "is" do not count
        ("The bicycle", "The red bicycle is in the garage", 100 / 3),
        ("garage: a RED bicycle", "The red bicycle is in the garage", 100),
        ("nothing", "The red bicycle is in the garage", 0),
        ("red red red", "red car", 50),
        ("to be", "to be or not to be", 50),  # to, be, or, not: nothing but stop words
        ("", "x", 0),
        ("", "", 100),
    ],
)
def test_lexical_recall(prediction: str, reference: str, score: float) -> None:
    assert lexical_recall(prediction, reference) == pytest.approx(score)


@pytest.mark.parametrize(
    ("prediction", "reference", "score"),
    [
        ("a, b, c", "b; c; d", 50),  # 2 of 4
        ("Paris and Rome", "rome, paris", 100),
        ("- Paris\n- Rome", "Paris, Rome", 100),
        ("1. Paris\n2. Oslo", "Paris, Rome", 100 / 3),
        ("paris, paris", "Paris", 100),
        ("", "Paris", 0),
        ("", "", 100),
    ],
)
def test_jaccard(prediction: str, reference: str, score: float) -> None:
    # "a" alone is an article; use words that are none
    prediction, reference = (text.replace("a, b", "ants, b") for text in (prediction, reference))
    assert jaccard(prediction, reference) == pytest.approx(score)


def test_qs_takes_the_metric_of_the_type() -> None:
    assert qs_value(asked("12", "number"), "twelve") == 100
    assert qs_value(asked("12", "number"), "13", judged=True) == 0
    assert qs_value(asked("x1, x2", "list"), "x2") == 50
    assert qs_value(asked("sunny"), "bright", judged=True) == 100
    assert qs_value(asked("sunny"), "sunny", judged=False) == 0
    with pytest.raises(InvalidInputError, match="QS needs its judgment"):
        qs_value(asked("sunny"), "bright")
