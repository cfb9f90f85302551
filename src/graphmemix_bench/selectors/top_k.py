"""The candidates of highest utility (METHOD section 8, top-K)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphmemix_bench.selectors.pool import Pool


def select(pool: Pool, budget: int) -> tuple[int, ...]:
    """Pick by falling ``p_i``.

    Maximises ``sum of p``. Guarantee: the optimum. Cost: O(M log M).
    """
    return pool.by_prize(range(pool.size))[: pool.count(budget)]
