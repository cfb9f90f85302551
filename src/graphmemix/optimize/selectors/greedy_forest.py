"""The forest by forward selection (METHOD section 8, greedy forest)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmemix.optimize import greedy
from graphmemix.optimize.problem import Gains

if TYPE_CHECKING:
    from graphmemix.optimize.selectors.pool import Pool


def select(
    pool: Pool, budget: int, *, opening_cost: float = 0.2, edge_cost_weight: float = 0.1
) -> tuple[int, ...]:
    """Pick one by one what adds most to the forest objective (METHOD eq. 12).

    Guarantee: none; links make candidates worth more together, so the objective is not submodular,
    and no choice is undone. Cost: prices K (M - K / 2) sets.
    """
    problem = pool.problem(budget, opening_cost, edge_cost_weight)
    return tuple(greedy.picks(Gains(problem), "exactly"))
