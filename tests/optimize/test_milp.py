from __future__ import annotations

import random

import pytest
from hypothesis import given

from graphmemix.optimize import Cardinality, Problem, Solution, solve
from tests.optimize import reference as ref

BOTH: tuple[Cardinality, ...] = ("at_most", "exactly")


def assert_same(solution: Solution, expected: ref.Answer) -> None:
    assert solution.nodes == expected.nodes
    assert solution.edges == expected.edges
    assert solution.objective == pytest.approx(expected.objective, abs=1e-10)


@pytest.mark.parametrize("cardinality", BOTH)
@pytest.mark.parametrize("seed", range(15))
def test_published_shape_equals_exact(seed: int, cardinality: Cardinality) -> None:
    rng = random.Random(seed)
    problem = (
        ref.published_shape(rng) if seed % 2 else ref.random_pseudoforest(rng, 48, 10, tied=False)
    )
    exact = solve(problem, "exact", cardinality)
    milp = solve(problem, "milp", cardinality)
    assert (exact.method, milp.method) == ("exact", "milp")
    assert milp.nodes == exact.nodes
    assert milp.edges == exact.edges
    assert milp.objective == exact.objective


@pytest.mark.parametrize("cardinality", BOTH)
@pytest.mark.parametrize("seed", range(5))
def test_tied_graphs_equal_brute_force(seed: int, cardinality: Cardinality) -> None:
    rng = random.Random(seed)
    for _ in range(20):
        size = rng.randint(4, 9)
        problem = ref.random_graph(rng, size, rng.randint(2, size), 2 * size)
        assert_same(solve(problem, "milp", cardinality), ref.brute_force(problem, cardinality))


@ref.FEW
@given(ref.problems(), ref.CARDINALITIES)
def test_any_problem_equals_brute_force(problem: Problem, cardinality: Cardinality) -> None:
    assert_same(solve(problem, "milp", cardinality), ref.brute_force(problem, cardinality))


def test_ties_go_to_fewer_memories() -> None:
    assert solve(ref.forest_problem((0.5, 0.2)), "milp").nodes == (0,)


def test_ties_of_many_equal_memories_go_to_the_lowest_indices() -> None:
    assert solve(ref.forest_problem((0.5,) * 48), "milp", "exactly").nodes == tuple(range(10))


def test_solution_is_never_empty() -> None:
    assert solve(ref.forest_problem((-0.5, -0.3, -0.3)), "milp").nodes == (1,)


def test_gains_far_below_the_feasibility_tolerance_still_count() -> None:
    # 1e-11 is ten units of the grid; HiGHS alone stops caring at about 1e-7.
    problem = ref.forest_problem((0.5, 0.5, 0.5 + 1e-11), budget=1)
    assert solve(problem, "milp").nodes == (2,)


def test_prizes_far_above_one_are_solved() -> None:
    problem = ref.forest_problem((30.0, 30.0, 50.0), ((2, 0, 0.5), (2, 1, 0.99)), budget=2)
    assert_same(solve(problem, "milp"), ref.brute_force(problem, "at_most"))


def test_ties_beside_near_ties_go_to_the_lowest_indices() -> None:
    # {0, 3, 5} and {0, 4, 5} are equal: link 0-5 of 0.99 and one link of 0.5.
    prizes = (0.5, 0.3682866119773892, 0.5, 0.5, 0.5, 0.500000001)
    links = ((5, 3, 0.5), (4, 2, 0.99), (0, 4, 0.5), (0, 5, 0.99), (1, 0, 0.5))
    problem = ref.forest_problem(prizes, links, budget=3)
    assert_same(solve(problem, "milp"), ref.brute_force(problem, "at_most"))


def test_solution_claims_optimality() -> None:
    solution = solve(ref.forest_problem((0.5, 0.4)), "milp")
    assert (solution.method, solution.proven_optimal) == ("milp", True)
