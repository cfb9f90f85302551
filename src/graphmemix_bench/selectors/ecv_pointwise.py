"""Utility with the verifier's support as a bonus (METHOD section 8, ECV pointwise)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmemix.optimize.problem import on_grid
from graphmemix.settings import SelectorSettings
from graphmemix_bench.selectors.pool import require_constant

if TYPE_CHECKING:
    from graphmemix_bench.selectors.pool import Pool

_PUBLISHED = SelectorSettings()


def select(
    pool: Pool, budget: int, *, link_weight: float = _PUBLISHED.pointwise_bonus
) -> tuple[int, ...]:
    """Pick by falling ``p_i + link_weight * max w`` over the trusted links whose candidate is i.

    Maximises the sum of these scores; whether the anchor of a link is picked too plays no part.
    Guarantee: the optimum. Cost: O(E + M log M).
    """
    count = pool.count(budget)
    require_constant("link_weight", link_weight)
    bonus = [0] * pool.size
    for _, candidate, weight in pool.edges:
        bonus[candidate] = max(bonus[candidate], on_grid(link_weight * weight))
    score = [prize + extra for prize, extra in zip(pool.prizes_on_grid, bonus, strict=True)]
    return tuple(sorted(range(pool.size), key=lambda node: (-score[node], node))[:count])
