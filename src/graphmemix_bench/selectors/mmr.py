"""Maximal marginal relevance (METHOD section 8, MMR)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmemix.optimize.problem import on_grid
from graphmemix.settings import SelectorSettings
from graphmemix_bench.selectors.pool import require_constant

if TYPE_CHECKING:
    from graphmemix_bench.selectors.pool import Pool

_PUBLISHED = SelectorSettings()


def select(
    pool: Pool, budget: int, *, redundancy_weight: float = _PUBLISHED.mmr_redundancy
) -> tuple[int, ...]:
    """Pick one by one, each time what is useful and unlike its nearest chosen candidate.

    Every step maximises ``p_i - redundancy_weight * max over chosen j of sim(i, j)``; the first
    has nothing to be like and takes the highest ``p_i``. Guarantee: none for the set as a whole,
    the rule has no set objective. Cost: O(M^2 + M K^2) beside the similarities.
    """
    count = pool.count(budget)
    require_constant("redundancy_weight", redundancy_weight)
    similarity = pool.similarity_for("mmr").tolist()
    penalty = [[on_grid(redundancy_weight * sim) for sim in row] for row in similarity]
    chosen: list[int] = []
    outside = list(range(pool.size))

    def gain(i: int) -> int:
        return pool.prizes_on_grid[i] - max((penalty[i][j] for j in chosen), default=0)

    while len(chosen) < count:
        best = max(outside, key=gain)  # the first of equals: the lower index
        chosen.append(best)
        outside.remove(best)
    return tuple(chosen)
