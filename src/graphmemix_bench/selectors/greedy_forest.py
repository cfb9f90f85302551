"""The forest by forward selection (METHOD section 8, greedy forest)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmemix.optimize import greedy
from graphmemix.optimize.problem import Gains
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
    """Pick one by one what adds most to the forest objective (METHOD eq. 12).

    Guarantee: none; links make candidates worth more together, so the objective is not submodular,
    and no choice is undone. Cost: prices K (M - K / 2) sets.
    """
    problem = pool.problem(budget, opening_cost, edge_cost_weight)
    return tuple(greedy.picks(Gains(problem), "exactly"))
