from __future__ import annotations

import numpy as np
import pytest

from graphmemix.errors import InvalidProblemError
from graphmemix_bench.selectors import Pool
from graphmemix_bench.selectors.dpp import select
from tests.bench.selectors.pools import SEEDS, circle, log_det, random_pool, unit_rows

COS_08 = 36.869898  # degrees


def test_volume_against_quality() -> None:
    # d^2 = 2 - 2 * 0.8 = 0.4, RBF = exp(-0.4 / 0.5) = 0.4493, volume 1 - 0.4493^2 = 0.7981,
    # log -0.2255; the opposite has RBF exp(-4 / 0.5) = 0.0003 and volume 1.
    vectors = circle(0, COS_08, 180)
    # 8 * 0.89 - 0.2255 = 6.8945 against 8 * 0.87 = 6.96
    assert select(Pool((0.90, 0.89, 0.87), vectors=vectors), 2) == (0, 2)
    # 8 * 0.90 - 0.2255 = 6.9745 against 6.96
    assert select(Pool((0.90, 0.90, 0.87), vectors=vectors), 2) == (0, 1)


def test_a_wider_kernel_sees_more_in_common() -> None:
    pool = Pool((0.90, 0.90, 0.87), vectors=circle(0, COS_08, 180))
    # Width 1: RBF exp(-0.2) and exp(-2); 7.2 + log(1 - exp(-0.4)) = 7.2 - 1.109 = 6.091
    # against 6.96 + log(1 - exp(-4)) = 6.96 - 0.018 = 6.942.
    assert select(pool, 2, width=1.0) == (0, 2)


def test_a_narrower_kernel_sees_less_in_common() -> None:
    pool = Pool((0.90, 0.90, 0.8975), vectors=circle(0, COS_08, 180))
    # Width 1/4: RBF exp(-0.4 / 0.125) = 0.0408; 7.2 + log(1 - 0.0017) = 7.1983 against 7.18.
    assert select(pool, 2, width=0.25) == (0, 1)


def test_duplicates_come_last_by_utility() -> None:
    # The copies of 1 have no volume once 1 is taken, however useful they are.
    pool = Pool((0.6, 0.9, 0.9, 0.7, 0.1), vectors=circle(0, 0, 0, 0, 180))
    assert select(pool, 5) == (1, 4, 2, 3, 0)


def test_large_utilities_do_not_overflow() -> None:
    pool = Pool((1e6, 1e6, -1e6), vectors=circle(0, 0, 90))
    assert select(pool, 3) == (0, 2, 1)


@pytest.mark.parametrize("seed", SEEDS)
def test_equals_greedy_by_determinants(seed: int) -> None:
    pool = random_pool(seed)
    naive: list[int] = []
    for _ in range(6):
        rest = [i for i in range(pool.size) if i not in naive]
        naive.append(max(rest, key=lambda i: log_det(pool, [*naive, i])))
    assert select(pool, 6) == tuple(naive)


@pytest.mark.parametrize("seed", SEEDS)
def test_equals_greedy_by_determinants_until_only_duplicates_are_left(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = unit_rows(rng.normal(size=(4, 5)))
    copies = np.concatenate([np.arange(4), rng.integers(0, 4, size=6)])
    pool = Pool(tuple(rng.random(10).tolist()), vectors=rows[copies])
    naive: list[int] = []
    for _ in range(4):
        rest = [i for i in range(10) if i not in naive]
        naive.append(max(rest, key=lambda i: log_det(pool, [*naive, i])))
    assert len({int(copies[i]) for i in naive}) == 4
    duplicates = pool.by_prize(i for i in range(10) if i not in naive)
    assert select(pool, 10) == (*naive, *duplicates)


@pytest.mark.parametrize("seed", SEEDS)
def test_gains_never_rise(seed: int) -> None:
    pool = random_pool(seed)
    picks = select(pool, 6)
    reached = [0.0, *(log_det(pool, picks[: n + 1]) for n in range(6))]
    assert (np.diff(reached, n=2) <= 1e-9).all()


def test_the_constants_are_checked() -> None:
    pool = Pool((0.5,), vectors=circle(0))
    with pytest.raises(InvalidProblemError, match="width: must be a finite number > 0"):
        select(pool, 1, width=0.0)
    with pytest.raises(InvalidProblemError, match="quality_weight"):
        select(pool, 1, quality_weight=float("inf"))
