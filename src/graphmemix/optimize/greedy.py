"""Forward selection: always adds the memory that adds most to the forest (METHOD section 8).

Guarantee: none; it never undoes a choice. Cost: prices K (M - K / 2) sets.
"""

from __future__ import annotations

from graphmemix.optimize.problem import Cardinality, Gains, Problem, Solution


def solve(problem: Problem, cardinality: Cardinality) -> Solution:
    """Add the best memory until the budget is full; for "at most", until none adds anything."""
    gains = Gains(problem)
    chosen = picks(gains, cardinality)
    return gains.solution(chosen, proven_optimal=gains.size == 1, method="greedy")


def picks(gains: Gains, cardinality: Cardinality) -> list[int]:
    """Return the candidates in the order in which they were picked."""
    chosen: list[int] = []
    outside = list(range(gains.size))
    value = 0
    while len(chosen) < gains.budget:
        best_value, best = max(
            ((gains.value([*chosen, node]), node) for node in outside),
            key=lambda trial: (trial[0], -trial[1]),
        )
        if cardinality == "at_most" and chosen and best_value <= value:
            break
        chosen.append(best)
        outside.remove(best)
        value = best_value
    return chosen
