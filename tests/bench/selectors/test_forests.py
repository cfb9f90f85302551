from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmemix.errors import InvalidProblemError
from graphmemix.optimize.problem import Gains
from graphmemix_bench.selectors import SELECTORS, Pool
from graphmemix_bench.selectors.forests import exact_forest, forest_proposal, greedy_forest
from tests.bench.selectors.pools import SETTINGS, pools


def test_a_link_to_what_is_chosen_counts() -> None:
    pool = Pool((0.50, 0.45, 0.40), ((0, 2, 0.99),))
    # 0 first, 0.50 - 0.2. Then 1 adds 0.45 - 0.2 = 0.25, and 2 adds
    # 0.40 - 0.2 + 0.2 + 0.1 * ln 0.99 = 0.399.
    assert greedy_forest(pool, 3) == (0, 2, 1)


def test_a_pair_that_pays_only_together_is_missed() -> None:
    pool = Pool((0.50, 0.45, 0.45), ((1, 2, 1.0),))
    # 0 leads alone (0.30 against 0.25) and 1 follows: 0.55. The pair has 0.25 + 0.25 + 0.2 = 0.70.
    assert greedy_forest(pool, 2) == (0, 1)


def test_it_fills_the_budget_at_a_loss() -> None:
    assert greedy_forest(Pool((0.1, 0.05, 0.15)), 3) == (2, 0, 1)  # all below kappa 0.2


def test_without_opening_cost_links_are_worth_nothing() -> None:
    pool = Pool((0.50, 0.45, 0.40), ((0, 2, 0.99),))
    assert greedy_forest(pool, 3, opening_cost=0.0) == (0, 1, 2)


def test_the_costs_are_checked() -> None:
    with pytest.raises(InvalidProblemError, match="opening_cost"):
        greedy_forest(Pool((0.5,)), 1, opening_cost=-0.1)


def test_a_swap_brings_a_pair_together() -> None:
    pool = Pool((0.50, 0.45, 0.46, 0.48), ((1, 3, 1.0),))
    # Top 2: 0 and 3, 0.30 + 0.28 = 0.58. 1 for 0: 0.25 + 0.28 + 0.2 = 0.73, told by utility.
    assert forest_proposal(pool, 2) == (3, 1)


def test_what_needs_two_swaps_at_once_is_missed() -> None:
    pool = Pool((0.50, 0.50, 0.42, 0.42), ((2, 3, 1.0),))
    # 0.60 for the top 2; either swap alone 0.30 + 0.22; the pair 0.22 + 0.22 + 0.2 = 0.64.
    assert forest_proposal(pool, 2) == (0, 1)


def test_the_costs_are_checked_of_forest_proposal() -> None:
    with pytest.raises(InvalidProblemError, match="edge_cost_weight"):
        forest_proposal(Pool((0.5,)), 1, edge_cost_weight=float("inf"))


def test_what_needs_two_swaps_at_once_is_found() -> None:
    pool = Pool((0.50, 0.50, 0.42, 0.43), ((2, 3, 1.0),))
    # 0.60 for the top 2 against 0.22 + 0.23 + 0.2 = 0.65; told by utility.
    assert exact_forest(pool, 2) == (3, 2)


def test_it_fills_the_budget_at_a_loss_of_exact_forest() -> None:
    assert exact_forest(Pool((0.1, 0.05, 0.15)), 3) == (2, 0, 1)  # all below kappa 0.2


@SETTINGS
@given(pools(), st.integers(1, 9))
def test_no_selector_finds_a_better_forest(pool: Pool, budget: int) -> None:
    gains = Gains(pool.problem(budget, 0.2, 0.1))
    best = gains.value(exact_forest(pool, budget))
    assert best == max(map(gains.value, combinations(range(pool.size), pool.count(budget))))
    proposal = gains.value(SELECTORS["forest_proposal"](pool, budget))
    assert best >= proposal >= gains.value(SELECTORS["node_top_k"](pool, budget))


def test_the_costs_are_checked_of_exact_forest() -> None:
    with pytest.raises(InvalidProblemError, match="opening_cost"):
        exact_forest(Pool((0.5,)), 1, opening_cost=float("nan"))


# The costs of the forest reach every one of them

FORESTS = pytest.mark.parametrize("select", [greedy_forest, forest_proposal, exact_forest])
# Beside 0, memory 2 is worth 0.25 + 0.2 + 0.1 ln 0.5 = 0.38, and alone less than 1.
POOL = Pool((0.5, 0.3, 0.25), ((0, 2, 0.5),))


@FORESTS
def test_a_link_is_worth_its_place_at_the_published_costs(select: object) -> None:
    assert select(POOL, 2) == (0, 2)  # type: ignore[operator]


@FORESTS
def test_a_dear_link_is_not(select: object) -> None:
    assert select(POOL, 2, edge_cost_weight=1.0) == (0, 1)  # type: ignore[operator]


@FORESTS
def test_where_components_cost_nothing_links_save_nothing(select: object) -> None:
    assert select(POOL, 2, opening_cost=0.0) == (0, 1)  # type: ignore[operator]
