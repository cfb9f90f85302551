from __future__ import annotations

import numpy as np
import pytest

from graphmemix.errors import InvalidProblemError
from graphmemix_bench.selectors import Pool
from graphmemix_bench.selectors.diverse import facility_location as select_covering
from graphmemix_bench.selectors.diverse import mmr
from tests.bench.selectors.pools import SEEDS, circle, facility_location, random_pool


def test_a_near_copy_gives_way() -> None:
    pool = Pool((0.90, 0.89, 0.86), vectors=circle(0, 0, 90))
    # After 0: candidate 1 has 0.89 - 0.05 * 1 = 0.84, candidate 2 has 0.86 - 0.05 * 0 = 0.86.
    assert mmr(pool, 3) == (0, 2, 1)


def test_only_the_nearest_chosen_counts() -> None:
    pool = Pool((0.90, 0.90, 0.86, 0.80), vectors=circle(0, 0, 0, 90))
    # After 0: 0.85, 0.81, 0.80, so 1. After 0 and 1: candidate 2 still has 0.86 - 0.05 = 0.81
    # against 0.80; both copies together would have cost it 0.10.
    assert mmr(pool, 3) == (0, 1, 2)


def test_the_nearest_chosen_counts_even_if_another_is_far() -> None:
    pool = Pool((0.90, 0.89, 0.85, 0.80), vectors=circle(0, 90, 0, 225))
    # After 0 and 1: candidate 2 is a copy of 0, though at a right angle to 1, 0.85 - 0.05 = 0.80;
    # candidate 3 is at 135 degrees to both, 0.80 + 0.05 * 0.707 = 0.835.
    assert mmr(pool, 3) == (0, 1, 3)


def test_an_opposite_gains() -> None:
    pool = Pool((0.90, 0.84, 0.80), vectors=circle(0, 90, 180))
    # After 0: 0.84 - 0 = 0.84 and 0.80 + 0.05 = 0.85.
    assert mmr(pool, 2) == (0, 2)


def test_without_weight_it_is_top_k() -> None:
    pool = Pool((0.90, 0.89, 0.86), vectors=circle(0, 0, 90))
    assert mmr(pool, 3, redundancy_weight=0.0) == (0, 1, 2)


def test_the_weight_is_checked() -> None:
    with pytest.raises(InvalidProblemError, match="redundancy_weight"):
        mmr(Pool((0.5,), vectors=circle(0)), 1, redundancy_weight=float("nan"))


def test_the_middle_of_a_cluster_first() -> None:
    pool = Pool((0.50, 0.48, 0.45, 0.45), vectors=circle(90, 0, 0, 0))
    # 0 covers itself, 0.50 + 0.25 * 1/4 = 0.5625; 1 covers three, 0.48 + 0.25 * 3/4 = 0.6675.
    # Then 0 adds its 0.5625 still, while 2 and 3 cover nothing new: 0.45.
    assert select_covering(pool, 3) == (1, 0, 2)


def test_negative_similarities_count_as_nothing() -> None:
    pool = Pool((0.40, 0.45, 0.30), vectors=circle(0, 180, 60))
    # Similarities -1 (0, 1), 0.5 (0, 2), -0.5 (1, 2).
    # 0: 0.40 + 0.25 * 1.5/3 = 0.525; 1: 0.45 + 0.25 * 1/3 = 0.533; 2: 0.30 + 0.125 = 0.425.
    # With the negative ones: 0.442, 0.408 and 0.342, and 0 would lead.
    assert select_covering(pool, 1) == (1,)


def test_coverage_is_a_mean_and_does_not_drown_utility() -> None:
    pool = Pool((0.9,) + (0.6,) * 47, vectors=circle(90, *[0] * 47))
    # 0.9 + 0.25 * 1/48 = 0.905 against 0.6 + 0.25 * 47/48 = 0.845; as a sum 1.15 against 12.35.
    assert select_covering(pool, 2) == (0, 1)


@pytest.mark.parametrize("seed", SEEDS)
def test_equals_plain_greedy(seed: int) -> None:
    pool = random_pool(seed)
    naive: list[int] = []
    for _ in range(6):
        rest = [i for i in range(pool.size) if i not in naive]
        naive.append(max(rest, key=lambda i: facility_location(pool, [*naive, i])))
    assert select_covering(pool, 6) == tuple(naive)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_objective_rises_by_less_and_less(seed: int) -> None:
    pool = random_pool(seed)
    picks = select_covering(pool, pool.size)
    reached = [0.0, *(facility_location(pool, picks[: n + 1]) for n in range(pool.size))]
    gains = np.diff(reached)
    assert (gains >= 0).all()
    assert (np.diff(gains) <= 1e-9).all()


def test_the_weight_is_checked_of_facility_location() -> None:
    with pytest.raises(InvalidProblemError, match="coverage_weight"):
        select_covering(Pool((0.5,), vectors=circle(0)), 1, coverage_weight=-0.25)
