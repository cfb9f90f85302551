from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmemix.errors import InvalidProblemError
from graphmemix.optimize.problem import Gains
from graphmemix_bench.selectors import SELECTORS, Pool
from graphmemix_bench.selectors.exact_forest import select
from tests.bench.selectors.pools import SETTINGS, pools


def test_what_needs_two_swaps_at_once_is_found() -> None:
    pool = Pool((0.50, 0.50, 0.42, 0.43), ((2, 3, 1.0),))
    # 0.60 for the top 2 against 0.22 + 0.23 + 0.2 = 0.65; told by utility.
    assert select(pool, 2) == (3, 2)


def test_it_fills_the_budget_at_a_loss() -> None:
    assert select(Pool((0.1, 0.05, 0.15)), 3) == (2, 0, 1)  # all below kappa 0.2


@SETTINGS
@given(pools(), st.integers(1, 9))
def test_no_selector_finds_a_better_forest(pool: Pool, budget: int) -> None:
    gains = Gains(pool.problem(budget, 0.2, 0.1))
    best = gains.value(select(pool, budget))
    assert best == max(map(gains.value, combinations(range(pool.size), pool.count(budget))))
    proposal = gains.value(SELECTORS["forest_proposal"](pool, budget))
    assert best >= proposal >= gains.value(SELECTORS["node_top_k"](pool, budget))


def test_the_costs_are_checked() -> None:
    with pytest.raises(InvalidProblemError, match="opening_cost"):
        select(Pool((0.5,)), 1, opening_cost=float("nan"))
