from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from graphmemix.errors import InvalidProblemError
from graphmemix.optimize import Cardinality, Problem, Solution, Swap, select, solve
from graphmemix.optimize.published import solve_with_trace
from tests.optimize import reference as ref

if TYPE_CHECKING:
    from collections.abc import Callable

BOTH: tuple[Cardinality, ...] = ("at_most", "exactly")


def assert_same(problem: Problem, cardinality: Cardinality) -> tuple[Solution, tuple[Swap, ...]]:
    solution, swaps = solve_with_trace(problem, cardinality)
    expected = ref.published(problem, cardinality)
    assert tuple((swap.removed, swap.added) for swap in swaps) == expected.swaps
    assert solution.nodes == expected.nodes
    assert solution.edges == expected.edges
    assert solution.objective == pytest.approx(expected.objective, abs=1e-10)
    return solution, swaps


def tied(rng: random.Random) -> Problem:
    return ref.random_pseudoforest(rng, rng.randint(1, 9), rng.randint(1, 6), tied=True)


def spread(rng: random.Random) -> Problem:
    return ref.random_pseudoforest(rng, rng.randint(2, 12), rng.randint(1, 5), tied=False)


def dense(rng: random.Random) -> Problem:
    return ref.random_graph(rng, rng.randint(1, 8), rng.randint(1, 5), rng.randint(0, 20))


# 10 seeds x (200 + 100 + 100) = 4,000 instances, each for both cardinalities.
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(("draw", "count"), [(tied, 200), (spread, 100), (dense, 100)])
def test_small_instances_equal_the_reference(
    draw: Callable[[random.Random], Problem], count: int, seed: int
) -> None:
    rng = random.Random(seed)
    for _ in range(count):
        problem = draw(rng)
        for cardinality in BOTH:
            assert_same(problem, cardinality)


@pytest.mark.parametrize("seed", range(8))
def test_published_shape_equals_the_reference(seed: int) -> None:
    rng = random.Random(seed)
    problem = ref.published_shape(rng)
    for cardinality in BOTH:
        assert_same(problem, cardinality)


def test_published_shape_is_searched_in_earnest() -> None:
    rng = random.Random(3)
    counts = [len(solve_with_trace(ref.published_shape(rng), "exactly")[1]) for _ in range(10)]
    assert max(counts) >= 3


@ref.SETTINGS
@given(ref.problems(), ref.CARDINALITIES)
def test_any_problem_equals_the_reference(problem: Problem, cardinality: Cardinality) -> None:
    assert_same(problem, cardinality)


@ref.SETTINGS
@given(ref.problems())
def test_each_swap_raises_the_objective_by_its_gain(problem: Problem) -> None:
    solution, swaps = solve_with_trace(problem, "exactly")
    p = ref.priced(problem)
    now = ref.worth(p, ref.top_k(problem)) / ref.UNITS
    for swap in swaps:
        assert swap.gain > 0
        assert swap.objective == pytest.approx(now + swap.gain, abs=1e-10)
        now = swap.objective
    assert solution.objective == pytest.approx(now, abs=1e-10)


def test_start_is_top_k_with_ties_to_the_lower_index() -> None:
    solution, swaps = solve_with_trace(
        ref.forest_problem((0.1, 0.3, 0.3, 0.3), budget=2), "exactly"
    )
    assert (solution.nodes, swaps) == ((1, 2), ())


def test_equal_swaps_go_to_the_lowest_resulting_set() -> None:
    # {0, 1} is worth 0.9 - 0.4 = 0.5; {0, 2} and {0, 3} are worth 0.8 - 0.4 + 0.2 = 0.6.
    problem = ref.forest_problem((0.5, 0.4, 0.3, 0.3), ((0, 3, 1.0), (0, 2, 1.0)), budget=2)
    solution, swaps = solve_with_trace(problem, "exactly")
    assert [(swap.removed, swap.added) for swap in swaps] == [(1, 2)]
    assert solution.nodes == (0, 2)


def test_a_swap_tells_its_gain_and_what_it_led_to() -> None:
    # {0, 1} is worth 0.9 - 0.4 = 0.5, {0, 2} is worth 0.8 - 0.4 + 0.2 = 0.6.
    problem = ref.forest_problem((0.5, 0.4, 0.3), ((0, 2, 1.0),), budget=2)
    (swap,) = solve_with_trace(problem, "exactly")[1]
    assert swap.gain == pytest.approx(0.1)
    assert swap.objective == pytest.approx(0.6)


def test_equal_sets_do_not_swap() -> None:
    # {0, 1} and {0, 2} are both worth 0.5: 0.9 - 0.4, and 0.7 - 0.4 + 0.2.
    problem = ref.forest_problem((0.5, 0.4, 0.2), ((0, 2, 1.0),), budget=2)
    assert solve_with_trace(problem, "exactly")[1] == ()


def test_search_stops_in_a_local_optimum() -> None:
    # {2, 3} is worth 0.68 - 0.2 = 0.48 and {0, 1} 0.86 - 0.4 = 0.46; one swap gives 0.77 - 0.4.
    problem = ref.forest_problem((0.43, 0.43, 0.34, 0.34), ((2, 3, 1.0),), budget=2)
    assert solve(problem, "published", "exactly").nodes == (0, 1)
    assert solve(problem, "exact", "exactly").nodes == (2, 3)


def test_refinement_ties_go_to_fewer_memories() -> None:
    # Node 1 is worth exactly what it costs to open.
    assert solve(ref.forest_problem((0.5, 0.2)), "published").nodes == (0,)


def test_refinement_ties_go_to_earlier_ranks() -> None:
    # By falling prize: 2, 1, 0, 3. Both pairs are worth 0.7 - 0.7 = 0, all four as well, and any
    # other set less. {2, 3} has ranks (0, 3), {0, 1} ranks (1, 2).
    links = ((0, 1, 1.0), (2, 3, 1.0))
    problem = ref.forest_problem((0.3, 0.4, 0.5, 0.2), links, opening_cost=0.7)
    assert solve(problem, "published").nodes == (2, 3)


def test_refinement_is_never_empty() -> None:
    assert solve(ref.forest_problem((-0.5, -0.3, -0.3)), "published").nodes == (1,)


def test_more_than_twenty_memories_are_not_enumerated() -> None:
    with pytest.raises(InvalidProblemError, match="20"):
        solve(ref.forest_problem((0.5,) * 21, budget=21), "published", "at_most")


def test_twenty_memories_are_enumerated() -> None:
    prizes = (*(0.5,) * 10, *(0.1,) * 10)
    assert solve(ref.forest_problem(prizes, budget=20), "published").nodes == tuple(range(10))


def test_as_many_as_may_be_enumerated_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphmemix.optimize.published._MOST_TO_ENUMERATE", 3)
    assert solve(ref.forest_problem((0.5, 0.1, 0.3), budget=3), "published").nodes == (0, 2)
    with pytest.raises(InvalidProblemError, match="4 memories are too many"):
        solve(ref.forest_problem((0.5,) * 4, budget=4), "published")


def test_selection_of_more_than_twenty_memories_is_refused() -> None:
    with pytest.raises(InvalidProblemError, match="20"):
        select((0.5,) * 30, budget=21, method="published")


def test_more_than_twenty_memories_can_be_proposed() -> None:
    solution = solve(ref.forest_problem((0.5,) * 30, budget=25), "published", "exactly")
    assert solution.nodes == tuple(range(25))


def test_search_is_no_proof() -> None:
    solution = solve(ref.forest_problem((0.5, 0.4, 0.3), budget=2), "published", "exactly")
    assert (solution.method, solution.proven_optimal) == ("published", False)


@ref.SETTINGS
@given(ref.problems(), ref.CARDINALITIES)
def test_claimed_proof_holds(problem: Problem, cardinality: Cardinality) -> None:
    solution = solve(problem, "published", cardinality)
    if solution.proven_optimal:
        best = ref.brute_force(problem, cardinality)
        assert solution.objective == pytest.approx(best.objective, abs=1e-10)
