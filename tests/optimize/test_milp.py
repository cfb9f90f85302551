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
    for _ in range(8):
        size = rng.randint(4, 9)
        problem = ref.random_graph(rng, size, rng.randint(2, size), 2 * size)
        assert_same(solve(problem, "milp", cardinality), ref.brute_force(problem, cardinality))


@ref.FEW
@given(ref.problems(), ref.CARDINALITIES)
def test_any_problem_equals_brute_force(problem: Problem, cardinality: Cardinality) -> None:
    assert_same(solve(problem, "milp", cardinality), ref.brute_force(problem, cardinality))


def test_ties_go_to_fewer_memories() -> None:
    assert solve(ref.forest_problem((0.5, 0.2)), "milp").nodes == (0,)


@pytest.mark.parametrize("others", [1, 3, 11, 12, 20])
def test_links_that_just_pay_for_their_memory_are_left_out(others: int) -> None:
    # Each other memory brings 0.0 - 0.2 and its link 0.2: as good with any of them as with none.
    star = tuple((0, 1 + i, 1.0) for i in range(others))
    assert solve(ref.forest_problem((0.5, *(0.0,) * others), star), "milp").nodes == (0,)


@pytest.mark.parametrize(("cardinality", "nodes"), [("at_most", (0,)), ("exactly", (0, 1))])
def test_gains_that_are_all_zero_tie(cardinality: Cardinality, nodes: tuple[int, ...]) -> None:
    problem = ref.forest_problem((0.2, 0.2, 0.2), budget=2)
    assert solve(problem, "milp", cardinality).nodes == nodes


def test_two_memories_may_hold_together_by_a_link() -> None:
    # {0, 1} is worth 0.2 - 0.4 + 0.2 = 0.00, {0, 2} and {1, 2} are worth 0.25 - 0.4 = -0.15.
    problem = ref.forest_problem((0.1, 0.1, 0.15), ((0, 1, 1.0),), budget=2)
    assert solve(problem, "milp", "exactly").nodes == (0, 1)


def test_a_link_that_closes_a_cycle_is_worth_nothing() -> None:
    # {0, 1, 2, 3} is worth 1.1 - 0.8 + 0.4 = 0.70, with the third link of the triangle 0.90.
    # {0, 1, 3, 4} is worth 1.35 - 0.8 + 0.2 = 0.75, and so is it with 2 for 0 or for 1.
    triangle = ((0, 1, 1.0), (1, 2, 1.0), (2, 0, 1.0))
    problem = ref.forest_problem((0.2, 0.2, 0.2, 0.5, 0.45), triangle, budget=4)
    solution = solve(problem, "milp", "exactly")
    assert (solution.nodes, solution.edges) == ((0, 1, 3, 4), triangle[:1])


def test_no_memory_is_taken_twice() -> None:
    # {1, 2} and {2, 3} are worth -0.1 - 0.4 + 0.2 = -0.3; 0 with any other 0.05 - 0.4 = -0.35.
    # Twice 0 would be worth -0.2.
    problem = ref.forest_problem((0.1, -0.05, -0.05, -0.05), ((1, 2, 1.0), (2, 3, 1.0)), budget=2)
    assert solve(problem, "milp", "exactly").nodes == (1, 2)


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


def test_small_differences_of_large_prizes_count() -> None:
    # HiGHS alone is content with a set that is worth a ten-thousandth less: here, with any.
    rng = random.Random(1)
    for _ in range(5):
        prizes = tuple(10_000 + rng.randrange(100) / 100 for _ in range(6))
        links = tuple((*rng.sample(range(6), 2), rng.randint(5, 100) / 100) for _ in range(8))
        problem = ref.forest_problem(prizes, links, budget=3)  # type: ignore[arg-type]
        assert_same(solve(problem, "milp", "exactly"), ref.brute_force(problem, "exactly"))


def test_ties_beside_near_ties_go_to_the_lowest_indices() -> None:
    # {0, 3, 5} and {0, 4, 5} are equal: link 0-5 of 0.99 and one link of 0.5.
    prizes = (0.5, 0.3682866119773892, 0.5, 0.5, 0.5, 0.500000001)
    links = ((5, 3, 0.5), (4, 2, 0.99), (0, 4, 0.5), (0, 5, 0.99), (1, 0, 0.5))
    problem = ref.forest_problem(prizes, links, budget=3)
    assert_same(solve(problem, "milp"), ref.brute_force(problem, "at_most"))


def test_solution_claims_optimality() -> None:
    solution = solve(ref.forest_problem((0.5, 0.4)), "milp")
    assert (solution.method, solution.proven_optimal) == ("milp", True)
