from __future__ import annotations

import pytest

from graphmemix.errors import InvalidProblemError
from graphmemix_bench.selectors import Pool
from graphmemix_bench.selectors.mmr import select
from tests.bench.selectors.pools import circle


def test_a_near_copy_gives_way() -> None:
    pool = Pool((0.90, 0.89, 0.86), vectors=circle(0, 0, 90))
    # After 0: candidate 1 has 0.89 - 0.05 * 1 = 0.84, candidate 2 has 0.86 - 0.05 * 0 = 0.86.
    assert select(pool, 3) == (0, 2, 1)


def test_only_the_nearest_chosen_counts() -> None:
    pool = Pool((0.90, 0.90, 0.86, 0.80), vectors=circle(0, 0, 0, 90))
    # After 0: 0.85, 0.81, 0.80, so 1. After 0 and 1: candidate 2 still has 0.86 - 0.05 = 0.81
    # against 0.80; both copies together would have cost it 0.10.
    assert select(pool, 3) == (0, 1, 2)


def test_the_nearest_chosen_counts_even_if_another_is_far() -> None:
    pool = Pool((0.90, 0.89, 0.85, 0.80), vectors=circle(0, 90, 0, 225))
    # After 0 and 1: candidate 2 is a copy of 0, though at a right angle to 1, 0.85 - 0.05 = 0.80;
    # candidate 3 is at 135 degrees to both, 0.80 + 0.05 * 0.707 = 0.835.
    assert select(pool, 3) == (0, 1, 3)


def test_an_opposite_gains() -> None:
    pool = Pool((0.90, 0.84, 0.80), vectors=circle(0, 90, 180))
    # After 0: 0.84 - 0 = 0.84 and 0.80 + 0.05 = 0.85.
    assert select(pool, 2) == (0, 2)


def test_without_weight_it_is_top_k() -> None:
    pool = Pool((0.90, 0.89, 0.86), vectors=circle(0, 0, 90))
    assert select(pool, 3, redundancy_weight=0.0) == (0, 1, 2)


def test_the_weight_is_checked() -> None:
    with pytest.raises(InvalidProblemError, match="redundancy_weight"):
        select(Pool((0.5,), vectors=circle(0)), 1, redundancy_weight=float("nan"))
