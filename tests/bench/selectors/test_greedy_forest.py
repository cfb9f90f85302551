from __future__ import annotations

import pytest

from graphmemix.errors import InvalidProblemError
from graphmemix_bench.selectors import Pool
from graphmemix_bench.selectors.greedy_forest import select


def test_a_link_to_what_is_chosen_counts() -> None:
    pool = Pool((0.50, 0.45, 0.40), ((0, 2, 0.99),))
    # 0 first, 0.50 - 0.2. Then 1 adds 0.45 - 0.2 = 0.25, and 2 adds
    # 0.40 - 0.2 + 0.2 + 0.1 * ln 0.99 = 0.399.
    assert select(pool, 3) == (0, 2, 1)


def test_a_pair_that_pays_only_together_is_missed() -> None:
    pool = Pool((0.50, 0.45, 0.45), ((1, 2, 1.0),))
    # 0 leads alone (0.30 against 0.25) and 1 follows: 0.55. The pair has 0.25 + 0.25 + 0.2 = 0.70.
    assert select(pool, 2) == (0, 1)


def test_it_fills_the_budget_at_a_loss() -> None:
    assert select(Pool((0.1, 0.05, 0.15)), 3) == (2, 0, 1)  # all below kappa 0.2


def test_without_opening_cost_links_are_worth_nothing() -> None:
    pool = Pool((0.50, 0.45, 0.40), ((0, 2, 0.99),))
    assert select(pool, 3, opening_cost=0.0) == (0, 1, 2)


def test_the_costs_are_checked() -> None:
    with pytest.raises(InvalidProblemError, match="opening_cost"):
        select(Pool((0.5,)), 1, opening_cost=-0.1)
