from __future__ import annotations

import numpy as np
import pytest

from graphmemix.errors import InvalidProblemError
from graphmemix_bench.selectors import Pool
from graphmemix_bench.selectors.facility_location import select
from tests.bench.selectors.pools import SEEDS, circle, facility_location, random_pool


def test_the_middle_of_a_cluster_first() -> None:
    pool = Pool((0.50, 0.48, 0.45, 0.45), vectors=circle(90, 0, 0, 0))
    # 0 covers itself, 0.50 + 0.25 * 1/4 = 0.5625; 1 covers three, 0.48 + 0.25 * 3/4 = 0.6675.
    # Then 0 adds its 0.5625 still, while 2 and 3 cover nothing new: 0.45.
    assert select(pool, 3) == (1, 0, 2)


def test_negative_similarities_count_as_nothing() -> None:
    pool = Pool((0.40, 0.45, 0.30), vectors=circle(0, 180, 60))
    # Similarities -1 (0, 1), 0.5 (0, 2), -0.5 (1, 2).
    # 0: 0.40 + 0.25 * 1.5/3 = 0.525; 1: 0.45 + 0.25 * 1/3 = 0.533; 2: 0.30 + 0.125 = 0.425.
    # With the negative ones: 0.442, 0.408 and 0.342, and 0 would lead.
    assert select(pool, 1) == (1,)


def test_coverage_is_a_mean_and_does_not_drown_utility() -> None:
    pool = Pool((0.9,) + (0.6,) * 47, vectors=circle(90, *[0] * 47))
    # 0.9 + 0.25 * 1/48 = 0.905 against 0.6 + 0.25 * 47/48 = 0.845; as a sum 1.15 against 12.35.
    assert select(pool, 2) == (0, 1)


@pytest.mark.parametrize("seed", SEEDS)
def test_equals_plain_greedy(seed: int) -> None:
    pool = random_pool(seed)
    naive: list[int] = []
    for _ in range(6):
        rest = [i for i in range(pool.size) if i not in naive]
        naive.append(max(rest, key=lambda i: facility_location(pool, [*naive, i])))
    assert select(pool, 6) == tuple(naive)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_objective_rises_by_less_and_less(seed: int) -> None:
    pool = random_pool(seed)
    picks = select(pool, pool.size)
    reached = [0.0, *(facility_location(pool, picks[: n + 1]) for n in range(pool.size))]
    gains = np.diff(reached)
    assert (gains >= 0).all()
    assert (np.diff(gains) <= 1e-9).all()


def test_the_weight_is_checked() -> None:
    with pytest.raises(InvalidProblemError, match="coverage_weight"):
        select(Pool((0.5,), vectors=circle(0)), 1, coverage_weight=-0.25)
