"""Relevance less pairwise redundancy (METHOD section 8, relevance-redundancy)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmemix.optimize.problem import on_grid
from graphmemix.settings import SelectorSettings
from graphmemix_bench.selectors.pool import require_constant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphmemix_bench.selectors.pool import Pool

_PUBLISHED = SelectorSettings()


def select(
    pool: Pool, budget: int, *, redundancy_weight: float = _PUBLISHED.pair_redundancy
) -> tuple[int, ...]:
    """Pick greedily, then exchange one for one while that helps.

    Maximises ``sum of p - redundancy_weight * sum over chosen pairs of sim(i, j)``. Each round
    applies the best improving swap, and of equals the one that leaves the lowest indices; what is
    swapped in counts as picked last. Guarantee: no single swap improves the result. Cost:
    O(M^2 + M K^2) for the greedy start and O(M K) for each swap, beside the similarities.
    """
    count = pool.count(budget)
    require_constant("redundancy_weight", redundancy_weight)
    similarity = pool.similarity_for("relevance_redundancy").tolist()
    penalty = [[on_grid(redundancy_weight * sim) for sim in row] for row in similarity]
    chosen = _greedy(pool.prizes_on_grid, penalty, count)
    while (swap := _best_swap(pool.prizes_on_grid, penalty, chosen)) is not None:
        removed, added = swap
        chosen = [node for node in chosen if node != removed] + [added]
    return tuple(chosen)


def _greedy(prizes: Sequence[int], penalty: list[list[int]], count: int) -> list[int]:
    chosen: list[int] = []
    outside = list(range(len(prizes)))
    while len(chosen) < count:
        # The first of equals: the lower index.
        best = max(outside, key=lambda i: prizes[i] - sum(penalty[i][j] for j in chosen))
        chosen.append(best)
        outside.remove(best)
    return chosen


def _best_swap(
    prizes: Sequence[int], penalty: list[list[int]], chosen: list[int]
) -> tuple[int, int] | None:
    """Return ``(removed, added)`` of the best improving swap, or None if no swap improves."""
    # What each candidate is worth beside the chosen others; a swap adds one and loses one of these.
    worth = [prize - sum(penalty[i][j] for j in chosen if j != i) for i, prize in enumerate(prizes)]
    best_gain, best_set, best_swap = 0, chosen, None
    for added in range(len(prizes)):
        if added in chosen:
            continue
        for removed in chosen:
            gain = worth[added] + penalty[added][removed] - worth[removed]
            if gain <= 0 or gain < best_gain:
                continue
            trial = sorted([added, *(node for node in chosen if node != removed)])
            if gain > best_gain or trial < best_set:
                best_gain, best_set, best_swap = gain, trial, (removed, added)
    return best_swap
