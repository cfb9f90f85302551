"""The costs of the forest reach every selector that is one."""

from __future__ import annotations

import pytest

from graphmemix_bench.selectors import (
    Pool,
    exact_forest,
    forest_proposal,
    greedy_forest,
)

FORESTS = pytest.mark.parametrize(
    "select", [greedy_forest.select, forest_proposal.select, exact_forest.select]
)
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
