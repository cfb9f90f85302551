"""The optimal forest of exactly K (METHOD section 8, exact forest; ours)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmemix.optimize.solve import solve
from graphmemix.settings import ForestSettings

if TYPE_CHECKING:
    from graphmemix_bench.selectors.pool import Pool

_PUBLISHED = ForestSettings()


def select(
    pool: Pool,
    budget: int,
    *,
    opening_cost: float = _PUBLISHED.proposal_opening_cost,
    edge_cost_weight: float = _PUBLISHED.edge_cost_weight,
) -> tuple[int, ...]:
    """Pick the best forest of exactly K, told by falling ``p_i``, then lower index.

    Maximises the forest objective (METHOD eq. 12). Guarantee: the optimum. Cost: polynomial if
    every candidate has at most one link (`optimize.exact`); other graphs go to the MILP.

    Raises:
        MissingExtraError: The MILP is needed and the extra ``milp`` is not installed.
    """
    problem = pool.problem(budget, opening_cost, edge_cost_weight)
    return pool.by_prize(solve(problem, "exact", "exactly").nodes)
