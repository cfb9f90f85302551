"""What a question's best candidates say together, whether it can be answered at all."""

from __future__ import annotations

import numpy as np
import pytest

from graphmemix.verify.features import WHOLE, Features
from tests.verify.local_cases import LEXICAL_WEIGHT, random_case

COVERED = list(WHOLE).index("all_words_covered")


def covered(chances: np.ndarray, features: Features) -> float:
    return float(features.whole(chances)[0, COVERED])


def test_words_count_that_the_five_likeliest_hold_together() -> None:
    case = random_case(np.random.default_rng(1), [0], n=14)  # asked for word1 and word2
    features = Features(case, LEXICAL_WEIGHT)
    place = {candidate.memory_id: i for i, candidate in enumerate(case.candidates)}
    chances = np.full(14, 0.3)
    chances[[place["m1"], place["m2"]]] = 0.1
    neither = covered(chances, features)
    chances[place["m1"]] = 0.9
    one = covered(chances, features)
    chances[place["m2"]] = 0.8
    assert neither < one < covered(chances, features) == pytest.approx(1.0)


@pytest.mark.parametrize("seed", range(12))
def test_of_equally_likely_ones_the_first_retrieved_count(seed: int) -> None:
    case = random_case(np.random.default_rng(seed), [1, 2], n=60)
    features = Features(case, LEXICAL_WEIGHT)
    chances = np.random.default_rng(seed).choice([0.2, 0.4], 60)
    asked_for = [c.memory_id in {"m1", "m2"} for c in case.candidates]  # retrieved early
    chances[asked_for] = 0.4
    assert covered(chances, features) == covered(chances - np.linspace(0, 0.01, 60), features)
