"""Determinantal point process, greedy MAP (METHOD section 8, DPP)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from graphmemix.optimize.problem import on_grid
from graphmemix.settings import SelectorSettings
from graphmemix_bench.selectors.pool import require_constant

if TYPE_CHECKING:
    from graphmemix_bench.selectors.pool import Pool

# Vectors are float32, so cosines are good to about 1e-7; a smaller volume is rounding, not content.
_NO_VOLUME = 1e-6

_PUBLISHED = SelectorSettings()


def select(
    pool: Pool,
    budget: int,
    *,
    quality_weight: float = _PUBLISHED.dpp_quality,
    width: float = _PUBLISHED.dpp_width,
) -> tuple[int, ...]:
    """Pick one by one what raises ``det L_S`` most.

    Maximises ``log det L_S`` for ``L = q q^T * RBF``, with quality
    ``q_i = exp(quality_weight * p_i / 2)`` and (reading)
    ``RBF(i, j) = exp(-d(i, j)^2 / (2 width^2))``. Logarithms split it into
    ``quality_weight * sum of p + log det RBF_S``, so that no quality overflows. A candidate without
    volume of its own, such as a duplicate of a chosen one, makes the determinant 0; those come
    last, by falling ``p_i``, then lower index.

    Guarantee: the picks of plain greedy MAP. The objective is submodular, but the bound 1 - 1/e
    needs gains that are never negative, which small utilities do not promise. Cost: O(M K^2) by one
    new Cholesky row for each pick (Chen, Zhang, Zhou, NeurIPS 2018), beside the similarities.
    """
    count = pool.count(budget)
    require_constant("quality_weight", quality_weight)
    require_constant("width", width, above_zero=True)
    # Unit rows: d^2 = 2 - 2 sim.
    kernel = np.exp((pool.similarity_for("dpp") - 1.0) / width**2)
    quality = [on_grid(quality_weight * prize) for prize in pool.prizes]
    volume = np.ones(
        pool.size
    )  # of each candidate, given the chosen: det L_(S+i) / det L_S / q_i^2
    cholesky = np.zeros((count, pool.size))
    chosen: list[int] = []
    outside = list(range(pool.size))

    def gain(i: int) -> tuple[bool, int]:
        if volume[i] <= _NO_VOLUME:
            return False, quality[i]
        return True, quality[i] + on_grid(math.log(volume[i]))

    while len(chosen) < count:
        best = max(outside, key=gain)  # the first of equals: the lower index
        if volume[best] > _NO_VOLUME:  # else no volume is left anywhere
            known = (cholesky[:, best, np.newaxis] * cholesky).sum(axis=0)
            row = (kernel[best] - known) / math.sqrt(volume[best])
            cholesky[len(chosen)] = row
            volume -= row**2
        chosen.append(best)
        outside.remove(best)
    return tuple(chosen)
