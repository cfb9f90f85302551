from __future__ import annotations

import dataclasses
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmemix.optimize import Cardinality, Problem, Solution, solve
from tests.optimize import reference as ref


def assert_same(solution: Solution, expected: ref.Answer) -> None:
    assert solution.nodes == expected.nodes
    assert solution.edges == expected.edges
    assert solution.objective == pytest.approx(expected.objective, abs=1e-10)


@ref.SETTINGS
@given(ref.problems(), ref.CARDINALITIES)
def test_equals_plain_forward_selection(problem: Problem, cardinality: Cardinality) -> None:
    assert_same(solve(problem, "greedy", cardinality), ref.greedy(problem, cardinality))


@pytest.mark.parametrize("seed", range(5))
def test_published_shape_equals_plain_forward_selection(seed: int) -> None:
    problem = ref.published_shape(random.Random(seed))
    assert_same(solve(problem, "greedy"), ref.greedy(problem, "at_most"))


@ref.SETTINGS
@given(ref.problems(), ref.CARDINALITIES, st.data())
def test_order_of_edges_does_not_matter(
    problem: Problem, cardinality: Cardinality, data: st.DataObject
) -> None:
    edges = tuple(data.draw(st.permutations(problem.edges)))
    shuffled = dataclasses.replace(problem, edges=edges)
    assert solve(shuffled, "greedy", cardinality) == solve(problem, "greedy", cardinality)


def test_a_choice_is_never_undone() -> None:
    # 0 comes first (0.3), then 1 adds 0.25. The pair {1, 2} alone is worth 0.9 - 0.2 = 0.7.
    problem = ref.forest_problem((0.5, 0.45, 0.45), ((1, 2, 1.0),), budget=2)
    assert solve(problem, "greedy").nodes == (0, 1)
    assert solve(problem, "exact").nodes == (1, 2)


def test_at_most_stops_before_a_pair_that_would_pay_together() -> None:
    # After 0, node 1 alone adds 0.15 - 0.2 < 0; with 2 it would add 0.3 - 0.2.
    problem = ref.forest_problem((0.5, 0.15, 0.15), ((1, 2, 1.0),))
    assert solve(problem, "greedy").nodes == (0,)
    assert solve(problem, "exact").nodes == (0, 1, 2)


def test_at_most_leaves_out_what_adds_nothing() -> None:
    assert solve(ref.forest_problem((0.5, 0.2)), "greedy").nodes == (0,)


def test_at_most_is_never_empty() -> None:
    assert solve(ref.forest_problem((-0.5, -0.3, -0.3)), "greedy").nodes == (1,)


def test_exactly_fills_the_budget_at_a_loss() -> None:
    assert solve(ref.forest_problem((0.5, -0.3, -0.2), budget=2), "greedy", "exactly").nodes == (
        0,
        2,
    )


def test_ties_go_to_the_lower_index() -> None:
    assert solve(ref.forest_problem((0.3,) * 5, budget=2), "greedy").nodes == (0, 1)


@ref.SETTINGS
@given(ref.problems(), ref.CARDINALITIES)
def test_claimed_proof_holds(problem: Problem, cardinality: Cardinality) -> None:
    solution = solve(problem, "greedy", cardinality)
    if solution.proven_optimal:
        best = ref.brute_force(problem, cardinality)
        assert solution.objective == pytest.approx(best.objective, abs=1e-10)


def test_no_proof_is_claimed() -> None:
    solution = solve(ref.forest_problem((0.5, 0.4, 0.3), budget=2), "greedy")
    assert (solution.method, solution.proven_optimal) == ("greedy", False)


def test_one_candidate_is_the_best_there_is_and_two_are_no_proof() -> None:
    assert solve(ref.forest_problem((-0.5,)), "greedy").proven_optimal
    # Neither pays for itself, both together do: 0.15 + 0.15 - 0.2.
    pair = ref.forest_problem((0.15, 0.15), ((0, 1, 1.0),))
    solution = solve(pair, "greedy")
    assert (solution.nodes, solution.proven_optimal) == ((0, 1), False)
