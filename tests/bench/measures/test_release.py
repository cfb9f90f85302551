"""Answer metrics as the releases score."""

from __future__ import annotations

import pytest

from graphmemix_bench.datasets.base import Choice
from graphmemix_bench.measures.native import chosen, exact_match, jaccard
from graphmemix_bench.measures.release import (
    release_chosen,
    release_exact_match,
    release_list_overlap,
    release_normal,
    release_recall,
)

IDS = frozenset("ABCD")


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("The Cat's 3.5 kg, a dog!", "cat s 3.5 kg dog"),
        ("D1:IMG_003", "d1 img_003"),
        ("a", "a"),  # an article with nothing behind it stays
    ],
)
def test_the_normal_form_keeps_decimal_points_and_underscores(text: str, normal: str) -> None:
    assert release_normal(text) == normal


@pytest.mark.parametrize(("said", "right"), [("twenty-one", "21"), ("IMG_003", "IMG_3")])
def test_numbers_are_not_brought_into_one_form(said: str, right: str) -> None:
    assert release_exact_match(said, right) == 0
    assert said != "twenty-one" or exact_match(said, right) == 100


def test_an_empty_prediction_matches_nothing() -> None:
    assert release_exact_match("", "") == 0


@pytest.mark.parametrize(
    ("said", "option"),
    [("b", "B"), ("B. a cat", "B"), ("The answer is C", "C"), ("I think B", "B"), ("none", None)],
)
def test_the_first_sign_of_an_option_counts(said: str, option: str | None) -> None:
    assert release_chosen(said, IDS) == option


def test_ours_takes_no_option_from_a_sentence_where_the_release_does() -> None:
    assert chosen("I think B", [Choice("A", "a dog"), Choice("B", "a cat")]) is None


def test_recall_counts_distinct_words_that_are_no_stop_words() -> None:
    assert release_recall("It was a blue boat", "the boat and the red boat") == 50
    assert release_recall("7800 steps", "7,800 steps") == 50  # numbers stay as they are written
    assert release_recall("anything", "the") == 0


def test_lists_are_split_at_slashes_too() -> None:
    assert release_list_overlap("plums / bread", "bread, plums") == 100
    assert jaccard("plums / bread", "bread, plums") < 100


def test_ids_in_prose_are_the_items_of_a_prediction() -> None:
    said = "The photos are 20220430_132212 and email202401010001."
    assert release_list_overlap(said, "20220430_132212, email202401010001") == 100
