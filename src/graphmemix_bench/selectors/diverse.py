"""Selectors that pick one by one what is useful and unlike the rest (METHOD section 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphmemix.optimize.problem import GRID, on_grid
from graphmemix.settings import SelectorSettings
from graphmemix_bench.selectors.pool import require_constant

if TYPE_CHECKING:
    from graphmemix_bench.selectors.pool import Pool

_PUBLISHED = SelectorSettings()


def mmr(
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


def facility_location(
    pool: Pool, budget: int, *, coverage_weight: float = _PUBLISHED.coverage_weight
) -> tuple[int, ...]:
    """Pick one by one what adds most utility and coverage.

    Maximises ``sum of p + coverage_weight * coverage``; (reading) coverage is the mean over all
    candidates j of ``max over chosen i of sim(i, j)``, where negative similarities count as 0.
    Guarantee: the objective is submodular and, for ``p >= 0``, never falls, so greedy reaches
    1 - 1/e of the optimum. Cost: O(M^2 K) beside the similarities.
    """
    # The mean, not the sum: a sum over 48 candidates would drown utilities that are at most 1,
    # and the published picks stay close to top-K.
    count = pool.count(budget)
    require_constant("coverage_weight", coverage_weight)
    similarity = pool.similarity_for("facility_location")
    # In grid units and whole numbers, so that no order of summation shows.
    near = np.rint(similarity / GRID).astype(np.int64)
    covered = np.zeros(pool.size, dtype=np.int64)  # from 0 up: negative similarities never count
    chosen: list[int] = []
    outside = list(range(pool.size))
    while len(chosen) < count:
        coverage = np.maximum(near, covered).sum(axis=1).tolist()
        # Everything times M, so that the mean needs no division.
        gain = [
            pool.size * prize + round(coverage_weight * total)
            for prize, total in zip(pool.prizes_on_grid, coverage, strict=True)
        ]
        best = max(outside, key=gain.__getitem__)  # the first of equals: the lower index
        covered = np.maximum(covered, near[best])
        chosen.append(best)
        outside.remove(best)
    return tuple(chosen)
