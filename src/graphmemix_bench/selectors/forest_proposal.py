"""Stage 1 of the published search (METHOD section 8, forest proposal)."""

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
    """Pick the published proposal: from the top-K, the best improving swap until none improves.

    Maximises the forest objective (METHOD eq. 12) over sets of exactly K. The search ends with a
    set, which is told by falling ``p_i``, then lower index. Guarantee: no single swap improves it.
    Cost: prices K (M - K) sets for each accepted swap and once more.
    """
    problem = pool.problem(budget, opening_cost, edge_cost_weight)
    return pool.by_prize(solve(problem, "published", "exactly").nodes)
