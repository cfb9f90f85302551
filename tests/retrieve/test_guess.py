from __future__ import annotations

import pytest

from graphmemix.retrieve.guess import Guess


def test_without_encoded_memories_every_guess_is_nothing() -> None:
    assert Guess.of([], []).cosine(1.0) == 0.0


def test_the_guess_lies_on_the_line_through_what_is_encoded() -> None:
    guess = Guess.of([0.0, 0.5, 1.0], [0.2, 0.4, 0.6])
    assert guess.cosine(0.25) == pytest.approx(0.3)


def test_no_guess_is_above_what_was_seen() -> None:
    assert Guess.of([0.0, 0.2, 0.4], [0.1, 0.2, 0.3]).cosine(1.0) == pytest.approx(0.3)


def test_better_words_never_lower_a_guess() -> None:
    guess = Guess.of([0.0, 0.5, 1.0], [0.6, 0.5, 0.1])
    assert guess.cosine(1.0) == guess.cosine(0.0) == pytest.approx(0.4)


def test_two_memories_give_their_mean() -> None:
    assert Guess.of([0.0, 1.0], [0.2, 0.4]).cosine(1.0) == pytest.approx(0.3)
