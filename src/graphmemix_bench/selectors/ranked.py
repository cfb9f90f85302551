"""Selectors that rank candidates by utility, alone or with their links (METHOD section 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmemix.optimize.problem import on_grid
from graphmemix.settings import SelectorSettings
from graphmemix_bench.selectors.pool import require_constant

if TYPE_CHECKING:
    from graphmemix_bench.selectors.pool import Pool

_PUBLISHED = SelectorSettings()


def top_k(pool: Pool, budget: int) -> tuple[int, ...]:
    """Pick by falling ``p_i``.

    Maximises ``sum of p``. Guarantee: the optimum. Cost: O(M log M).
    """
    return pool.by_prize(range(pool.size))[: pool.count(budget)]


def anchor_neighbour(
    pool: Pool, budget: int, *, link_weight: float = _PUBLISHED.neighbour_bonus
) -> tuple[int, ...]:
    """Pick the candidate of highest ``p_i`` as the anchor, then by falling bonus score.

    Maximises ``sum of p_i + link_weight * w(anchor, i)`` over the sets that hold the anchor; ``w``
    is the best trusted link between the two in either direction, 0 if there is none. Guarantee:
    the optimum for that anchor. Cost: O(E + M log M).
    """
    count = pool.count(budget)
    require_constant("link_weight", link_weight)
    anchor = pool.by_prize(range(pool.size))[0]
    bonus = [0] * pool.size
    for a, c, weight in pool.edges:
        if anchor in {a, c}:
            other = c if a == anchor else a
            bonus[other] = max(bonus[other], on_grid(link_weight * weight))
    score = [prize + extra for prize, extra in zip(pool.prizes_on_grid, bonus, strict=True)]
    others = (node for node in range(pool.size) if node != anchor)
    ranked = sorted(others, key=lambda node: (-score[node], node))
    return (anchor, *ranked[: count - 1])


def ecv_pointwise(
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
