from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmemix.errors import InvalidProblemError
from graphmemix.optimize.problem import GRID, on_grid
from graphmemix_bench.selectors import Pool
from graphmemix_bench.selectors import relevance_redundancy as rr
from tests.bench.selectors.pools import SETTINGS, circle, pools, relevance_redundancy


def test_every_pair_counts() -> None:
    pool = Pool((0.90, 0.90, 0.86, 0.83), vectors=circle(0, 0, 0, 90))
    # After 0 and 1: candidate 2 has 0.86 - 0.02 * 2 = 0.82, candidate 3 has 0.83.
    assert rr.select(pool, 3) == (0, 1, 3)


def test_a_swap_undoes_a_greedy_choice() -> None:
    pool = Pool((0.900, 0.895, 0.895), vectors=circle(0, 60, -60))
    # Greedy: 0, then 1 (0.895 - 0.02 * 0.5 = 0.885, and so has 2): 1.795 - 0.01 = 1.785.
    # 2 for 0: 1.790 - 0.02 * cos 120 = 1.790 + 0.01 = 1.800. Then nothing improves.
    assert rr.select(pool, 2) == (1, 2)


@pytest.mark.parametrize(("prize", "picks"), [(0.88001, (1, 2)), (0.87999, (0, 1))])
def test_a_swap_needs_to_improve_however_little(prize: float, picks: tuple[int, ...]) -> None:
    pool = Pool((0.90, prize, prize), vectors=circle(0, 60, -60))
    # 2 for 0 gains (prize + 0.01) - (0.90 - 0.01): more than nothing from 0.88 on.
    assert rr.select(pool, 2) == picks


@pytest.mark.parametrize(("units", "picks"), [(0, (0, 1)), (1, (1, 2))])
def test_a_swap_that_gains_one_unit_of_the_grid_is_made(units: int, picks: tuple[int, ...]) -> None:
    half = np.full((3, 4), 0.5, dtype=np.float32)  # the cosine of 0 to both others is 0.5,
    half[1, 3] = half[2, 2] = -0.5  # that of 1 and 2 is 0
    prize = 0.89 + units * GRID
    # Greedy: 0, 1. 2 for 0 gains prize - (0.90 - 0.02 * 0.5).
    assert rr.select(Pool((0.90, prize, prize), vectors=half), 2) == picks


def test_a_later_pick_may_leave_where_the_first_stays() -> None:
    plane = circle(0, 60, -60)
    rows = np.zeros((4, 3), dtype=np.float32)
    rows[0, 2] = 1.0  # at right angles to all others
    rows[1:, :2] = plane
    # 0 first. Of the rest, 3 for 1 improves as in `test_a_swap_undoes_a_greedy_choice`.
    assert rr.select(Pool((0.99, 0.900, 0.895, 0.895), vectors=rows), 3) == (0, 2, 3)


def test_picks_are_told_in_the_order_of_what_they_add() -> None:
    pool = Pool((0.90, 0.90, 0.89), vectors=circle(0, 0, 90))
    # Beside 0, its copy 1 adds 0.90 - 0.02 = 0.88, and 2 adds 0.89.
    assert rr.select(pool, 3) == (0, 2, 1)


def test_of_equal_swaps_the_lowest_indices() -> None:
    pool = Pool((0.800, 0.900, 0.895, 0.895, 0.895), vectors=circle(0, 0, 60, -60, -60))
    # Greedy: 1, 2. Both 3 for 1 and 4 for 1 reach 1.800; {2, 3} is lower than {2, 4}.
    assert rr.select(pool, 2) == (2, 3)


def test_of_equals_the_higher_index_leaves() -> None:
    pool = Pool((0.90, 0.90, 0.87, 0.87), vectors=circle(0, 0, 90, -90))
    # Greedy: 0, 1 (0.88 against 0.87), 2. Then 3 for either copy gains
    # (0.87 + 0.02) - (0.90 - 0.02) = 0.01, and {0, 2, 3} is lower than {1, 2, 3}.
    assert rr.select(pool, 3) == (0, 2, 3)


@SETTINGS
@given(pools(), st.integers(1, 9))
def test_no_single_swap_improves(pool: Pool, budget: int) -> None:
    chosen = rr.select(pool, budget)
    reached = relevance_redundancy(pool, chosen)
    outside = set(range(pool.size)) - set(chosen)
    for removed, added in product(chosen, outside):
        swapped = [added, *(node for node in chosen if node != removed)]
        assert relevance_redundancy(pool, swapped) <= reached + 1e-10


@SETTINGS
@given(pools(), st.integers(1, 9))
def test_swaps_never_lose_what_greedy_had(pool: Pool, budget: int) -> None:
    penalty = [[on_grid(0.02 * sim) for sim in row] for row in pool.similarity.tolist()]
    start = rr._greedy(pool.prizes_on_grid, penalty, pool.count(budget))
    reached = relevance_redundancy(pool, rr.select(pool, budget))
    assert reached >= relevance_redundancy(pool, start) - 1e-10


def test_the_weight_is_checked() -> None:
    with pytest.raises(InvalidProblemError, match="redundancy_weight"):
        rr.select(Pool((0.5,), vectors=circle(0)), 1, redundancy_weight=-1.0)
