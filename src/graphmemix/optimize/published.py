"""The published search, exactly as described (METHOD section 5, method `published`).

Stage 1 starts from the top-K by prize and applies the best improving swap of one selected and one
unselected memory until none improves; each trial set is priced by Kruskal. Stage 2 prices every
non-empty subset of what it is given.

Guarantee: stage 1 finds a local optimum; stage 2 the optimum of its up to 20 memories.
Cost: stage 1 prices K (M - K) sets for each accepted swap and once more; stage 2 prices 2^K - 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from graphmemix.errors import InvalidProblemError
from graphmemix.optimize.problem import GRID, Cardinality, Gains, Problem, Solution, by_rank, top_k

_MOST_TO_ENUMERATE = 20


@dataclass(frozen=True)
class Swap:
    """One accepted exchange of stage 1.

    Attributes:
        removed: The candidate that was removed.
        added: The candidate that was added.
        gain: How much the objective rose.
        objective: The objective afterwards.
    """

    removed: int
    added: int
    gain: float
    objective: float


def solve(problem: Problem, cardinality: Cardinality) -> Solution:
    """Run stage 1; for "at most", then stage 2 inside its result."""
    return solve_with_trace(problem, cardinality)[0]


def solve_with_trace(
    problem: Problem, cardinality: Cardinality
) -> tuple[Solution, tuple[Swap, ...]]:
    """Return the forest and the swaps that led to it.

    Raises:
        InvalidProblemError: "At most" over more than 20 memories: 2^K subsets are too many.
    """
    gains = Gains(problem)
    chosen, swaps = _swap_search(gains)
    if cardinality == "at_most":
        chosen = _best_subset(gains, chosen)
    everything_was_priced = gains.budget == gains.size
    solution = gains.solution(chosen, proven_optimal=everything_was_priced, method="published")
    return solution, tuple(swaps)


def _swap_search(gains: Gains) -> tuple[list[int], list[Swap]]:
    chosen, swaps = top_k(gains), []
    value = gains.value(chosen)
    while (best := _best_swap(gains, chosen, value)) is not None:
        new_value, new_chosen = best
        (removed,) = set(chosen) - set(new_chosen)
        (added,) = set(new_chosen) - set(chosen)
        swaps.append(Swap(removed, added, (new_value - value) * GRID, new_value * GRID))
        value, chosen = new_value, new_chosen
    return chosen, swaps


def _best_swap(gains: Gains, chosen: list[int], value: int) -> tuple[int, list[int]] | None:
    """Return the best set that one swap reaches, if it improves; ties to the lowest indices."""
    outside = [node for node in range(gains.size) if node not in chosen]
    best_value, best_set = value, None
    for removed in chosen:
        rest = [node for node in chosen if node != removed]
        for added in outside:
            trial = [*rest, added]
            trial_value = gains.value(trial)
            if trial_value < best_value or trial_value == value:
                continue
            trial.sort()
            if trial_value > best_value or best_set is None or trial < best_set:
                best_value, best_set = trial_value, trial
    return None if best_set is None else (best_value, best_set)


def _best_subset(gains: Gains, nodes: list[int]) -> list[int]:
    """Return the best non-empty subset; among equals fewer memories, then earlier ranks."""
    if len(nodes) > _MOST_TO_ENUMERATE:
        raise InvalidProblemError(
            "budget",
            f"the published refinement prices all 2^K subsets: {len(nodes)} memories are too many "
            f"(at most {_MOST_TO_ENUMERATE}); use method 'exact'",
        )
    ranked = by_rank(gains.problem, nodes)
    subsets = (
        subset for size in range(1, len(ranked) + 1) for subset in combinations(ranked, size)
    )
    # Sizes ascend and combinations come in lexicographic order of ranks, and `max` keeps the
    # first of equals: that is the tie rule.
    best = max(subsets, key=gains.value)
    return list(best)
