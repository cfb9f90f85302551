"""Selectors that maximise the forest objective (METHOD sections 5 and 8); the exact one is ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmemix.optimize import greedy
from graphmemix.optimize.problem import Gains
from graphmemix.optimize.select import solve
from graphmemix.settings import ForestSettings

if TYPE_CHECKING:
    from graphmemix_bench.selectors.pool import Pool

_PUBLISHED = ForestSettings()


def greedy_forest(
    pool: Pool,
    budget: int,
    *,
    opening_cost: float = _PUBLISHED.proposal_opening_cost,
    edge_cost_weight: float = _PUBLISHED.edge_cost_weight,
) -> tuple[int, ...]:
    """Pick one by one what adds most to the forest objective (METHOD eq. 12).

    Guarantee: none; links make candidates worth more together, so the objective is not submodular,
    and no choice is undone. Cost: prices K (M - K / 2) sets.
    """
    problem = pool.problem(budget, opening_cost, edge_cost_weight)
    return tuple(greedy.picks(Gains(problem), "exactly"))


def forest_proposal(
    pool: Pool,
    budget: int,
    *,
    opening_cost: float = _PUBLISHED.proposal_opening_cost,
    edge_cost_weight: float = _PUBLISHED.edge_cost_weight,
) -> tuple[int, ...]:
    """Pick the published proposal: from the top-K, the best improving swap until none improves.

    Maximises the forest objective (METHOD eq. 12) over sets of exactly K. The search ends with a
    set, returned by falling ``p_i``, then lower index. Guarantee: no single swap improves it.
    Cost: prices K (M - K) sets for each accepted swap and once more.
    """
    problem = pool.problem(budget, opening_cost, edge_cost_weight)
    return pool.by_prize(solve(problem, "published", "exactly").nodes)


def exact_forest(
    pool: Pool,
    budget: int,
    *,
    opening_cost: float = _PUBLISHED.proposal_opening_cost,
    edge_cost_weight: float = _PUBLISHED.edge_cost_weight,
) -> tuple[int, ...]:
    """Pick the best forest of exactly K, by falling ``p_i``, then lower index.

    Maximises the forest objective (METHOD eq. 12). Guarantee: the optimum. Cost: polynomial if
    every candidate has at most one link (`optimize.exact`); other graphs go to the MILP.

    Raises:
        MissingExtraError: The MILP is needed and the extra ``milp`` is not installed.
    """
    problem = pool.problem(budget, opening_cost, edge_cost_weight)
    return pool.by_prize(solve(problem, "exact", "exactly").nodes)
