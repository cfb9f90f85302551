from __future__ import annotations

import math
import pickle
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from graphmemix.errors import GraphMemixError, InvalidInputError, InvalidProblemError
from graphmemix.optimize import Method, Problem, solve
from graphmemix.optimize.problem import GRID, on_grid
from tests.optimize import reference as ref

NOT_NUMBERS: list[Any] = [None, "0.5", b"0.5", True, 1j, [0.5], {}]
NOT_FINITE: list[Any] = [math.nan, math.inf, -math.inf, np.float64("nan"), 10**400]
NOT_INDICES: list[Any] = [None, "1", 1.0, np.float64(1), True, np.True_, -1, 3, 10**30, math.nan]
NOT_WEIGHTS: list[Any] = [*NOT_NUMBERS, *NOT_FINITE, 0, 0.0, -0.0, -0.5, 1.5, 1 + 1e-12]
NOT_BUDGETS: list[Any] = [0, -1, 1.5, 2.0, True, np.True_, None, "3", math.nan, np.float64(2), [3]]
NOT_COSTS: list[Any] = [*NOT_NUMBERS, *NOT_FINITE, -0.1, -1e-300]
NOT_EDGES: list[Any] = [(), (0,), (0, 1), (0, 1, 0.5, 0.5), None, 7, 0.5, "ab", {}]


def short(value: object) -> str:
    return repr(value)[:20]


def item_at_fault(**changed: Any) -> str:
    parts = {
        "prizes": (0.5, 0.4, 0.3),
        "edges": ((0, 1, 0.9),),
        "budget": 2,
        "opening_cost": 0.2,
        "edge_cost_weight": 0.1,
        **changed,
    }
    with pytest.raises(InvalidProblemError) as caught:
        Problem(**parts)
    assert str(caught.value).startswith(caught.value.item)
    return caught.value.item


@pytest.mark.parametrize("bad", [*NOT_NUMBERS, *NOT_FINITE], ids=short)
def test_bad_prize_is_named(bad: Any) -> None:
    assert item_at_fault(prizes=(0.5, 0.4, bad)) == "prizes[2]"


@pytest.mark.parametrize("bad", [np.True_, np.complex128(1 + 2j)], ids=short)
def test_bad_prize_of_an_unusual_type_is_named(bad: Any) -> None:
    assert item_at_fault(prizes=(0.5, 0.4, bad)) == "prizes[2]"


def test_first_bad_prize_is_named() -> None:
    assert item_at_fault(prizes=(0.5, math.nan, math.inf)) == "prizes[1]"


def test_no_candidates_are_refused() -> None:
    assert item_at_fault(prizes=(), edges=()) == "prizes"


@pytest.mark.parametrize("bad", NOT_INDICES, ids=short)
def test_bad_anchor_is_named(bad: Any) -> None:
    assert item_at_fault(edges=((0, 1, 0.9), (bad, 0, 0.9))) == "edges[1]"


@pytest.mark.parametrize("bad", NOT_INDICES, ids=short)
def test_bad_candidate_is_named(bad: Any) -> None:
    assert item_at_fault(edges=((0, 1, 0.9), (0, bad, 0.9))) == "edges[1]"


@pytest.mark.parametrize("bad", NOT_WEIGHTS, ids=short)
def test_bad_weight_is_named(bad: Any) -> None:
    assert item_at_fault(edges=((0, 1, bad),)) == "edges[0]"


@pytest.mark.parametrize("bad", NOT_EDGES, ids=short)
def test_edge_of_wrong_shape_is_named(bad: Any) -> None:
    assert item_at_fault(edges=((0, 1, 0.9), (0, 2, 0.9), bad)) == "edges[2]"


@pytest.mark.parametrize("bad", [(0, 99, 0.5), (-1, 0, 0.5), (None, 0, 0.5)], ids=short)
def test_bad_edge_that_can_be_read_only_once_is_named(bad: Any) -> None:
    assert item_at_fault(edges=(iter(bad),)) == "edges[0]"


def test_self_loop_is_named() -> None:
    assert item_at_fault(edges=((0, 1, 0.9), (2, 2, 0.9))) == "edges[1]"


@pytest.mark.parametrize("bad", NOT_BUDGETS, ids=short)
def test_bad_budget_is_named(bad: Any) -> None:
    assert item_at_fault(budget=bad) == "budget"


@pytest.mark.parametrize("bad", NOT_COSTS, ids=short)
@pytest.mark.parametrize("cost", ["opening_cost", "edge_cost_weight"])
def test_bad_cost_is_named(cost: str, bad: Any) -> None:
    assert item_at_fault(**{cost: bad}) == cost


def test_error_says_what_was_given() -> None:
    with pytest.raises(InvalidProblemError, match=r"1\.5"):
        ref.forest_problem((0.5, 0.4), ((0, 1, 1.5),))


def test_error_is_a_value_error_and_ours() -> None:
    assert issubclass(InvalidProblemError, (GraphMemixError, ValueError))
    assert issubclass(InvalidProblemError, InvalidInputError)


def test_error_survives_pickle() -> None:
    with pytest.raises(InvalidProblemError) as caught:
        ref.forest_problem((math.nan,))
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (type(copy), copy.item, str(copy)) == (
        InvalidProblemError,
        caught.value.item,
        str(caught.value),
    )


def test_problem_survives_pickle() -> None:
    problem = ref.forest_problem((0.5, 0.4), ((0, 1, 0.9),))
    assert pickle.loads(pickle.dumps(problem)) == problem


def test_numpy_scalars_become_plain_numbers() -> None:
    problem = Problem(
        prizes=(np.float32(0.5), np.int64(1)),  # type: ignore[arg-type]
        edges=((np.int64(0), np.uint8(1), np.float64(0.5)),),  # type: ignore[arg-type]
        budget=np.int16(2),  # type: ignore[arg-type]
        opening_cost=np.float64(0.2),
        edge_cost_weight=np.float64(0.1),
    )
    assert problem == ref.forest_problem((0.5, 1.0), ((0, 1, 0.5),), 2)
    assert {type(prize) for prize in problem.prizes} == {float}
    assert [type(part) for part in problem.edges[0]] == [int, int, float]
    assert (type(problem.budget), type(problem.opening_cost)) == (int, float)


def test_numpy_arrays_are_accepted() -> None:
    problem = ref.forest_problem(np.array([0.5, 0.25]))  # type: ignore[arg-type]
    assert problem.prizes == (0.5, 0.25)


def test_other_exact_numbers_are_accepted() -> None:
    problem = ref.forest_problem((Decimal("0.5"), Fraction(1, 4), 1))  # type: ignore[arg-type]
    assert problem.prizes == (0.5, 0.25, 1.0)


def test_weight_of_one_and_the_smallest_weight_are_accepted() -> None:
    problem = ref.forest_problem((0.5, 0.4, 0.3), ((0, 1, 1.0), (0, 2, 5e-324)))
    assert solve(problem, cardinality="exactly").edges == ((0, 1, 1.0),)


def test_budget_beyond_the_candidates_takes_all_of_them() -> None:
    problem = ref.forest_problem((0.5, -0.4), budget=10**30)
    assert solve(problem, cardinality="exactly").nodes == (0, 1)


def test_best_of_parallel_edges_counts() -> None:
    links = ((0, 1, 0.5), (1, 0, 0.9), (0, 1, 0.7))
    assert solve(ref.forest_problem((0.5, 0.4), links)).edges == ((1, 0, 0.9),)


def test_of_parallel_edges_that_gain_the_same_the_heavier_is_told() -> None:
    links = ((0, 1, 0.5), (0, 1, 0.9), (0, 1, 0.7))
    for order in (links, links[::-1]):
        problem = ref.forest_problem((0.5, 0.4), order, edge_cost_weight=0.0)
        assert solve(problem).edges == ((0, 1, 0.9),)


def test_of_links_in_both_directions_the_better_is_worth_its_gain() -> None:
    # With the link of 1, memory 1 is worth 0.25 + 0.2 beside 0; with that of 0.2, less than 2.
    links = ((0, 1, 1.0), (1, 0, 0.2))
    for order in (links, links[::-1]):
        problem = ref.forest_problem((0.5, 0.25, 0.3), order, budget=2)
        assert solve(problem, "exact", "exactly").nodes == (0, 1)
        assert solve(problem, "exact", "exactly").edges == ((0, 1, 1.0),)


def test_a_link_that_saves_nothing_is_not_used() -> None:
    problem = ref.forest_problem((0.5, 0.4), ((0, 1, ref.ZERO_GAIN),))
    assert solve(problem).edges == ()


def test_edge_gain_is_what_the_link_saves() -> None:
    # c = -ln(1/e) = 1, so B = 0.2 - 0.1 * 1.
    assert ref.forest_problem((0.5,)).edge_gain(math.exp(-1)) == pytest.approx(0.1)


def test_objective_counts_prizes_components_and_edge_costs() -> None:
    # 0.5 + 0.4 + 0.3 - 0.1 * 1 - 2 components * 0.2
    link = (0, 1, math.exp(-1))
    problem = ref.forest_problem((0.5, 0.4, 0.3), (link,))
    assert problem.objective((0, 1, 2), (link,)) == pytest.approx(0.7)


def test_restriction_renames_nodes_and_drops_edges_that_leave() -> None:
    links = ((0, 3, 0.9), (3, 1, 0.8), (1, 2, 0.7))
    inside = ref.forest_problem((0.5, 0.4, 0.3, 0.2), links).restricted_to(
        [3, 0], opening_cost=0.12
    )
    assert (inside.prizes, inside.edges) == ((0.2, 0.5), ((1, 0, 0.9),))
    assert inside.opening_cost == 0.12


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.0, 0), (0.2, 2 * 10**11), (-0.12, -12 * 10**10), (GRID, 1), (1e15, 10**27), (0.4e-12, 0)],
)
def test_grid_units(value: float, expected: int) -> None:
    assert on_grid(value) == expected


def test_link_that_gains_one_unit_is_used() -> None:
    problem = ref.forest_problem((0.5, 0.4), ((0, 1, 1.0),), opening_cost=GRID)
    assert solve(problem).edges == ((0, 1, 1.0),)


def test_rounding_noise_is_a_tie() -> None:
    # 0.1 + 0.2 > 0.3 in the last bit.
    assert solve(ref.forest_problem((0.3, 0.1 + 0.2), budget=1)).nodes == (0,)


@pytest.mark.parametrize("method", ["exact", "greedy", "milp"])
def test_less_than_half_a_unit_is_a_tie_for_every_solver(method: Method) -> None:
    problem = ref.forest_problem((0.5, 0.5 + 1e-13), budget=1)
    assert solve(problem, method, "exactly").nodes == (0,)


def test_less_than_half_a_unit_is_a_tie_for_the_published_search() -> None:
    problem = ref.forest_problem((0.5, 0.5 + 1e-13), budget=1)
    assert solve(problem, "published", "exactly").nodes == (0,)


@pytest.mark.parametrize("method", ["exact", "published", "greedy"])
def test_large_prizes_keep_their_small_differences(method: Method) -> None:
    problem = ref.forest_problem((1e9, 1e9 + 1e-6, 0.5), budget=1)
    assert solve(problem, method).nodes == (1,)


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("prizes[1]", {"prizes": (0.5, 1e101)}),
        ("prizes[0]", {"prizes": (-1e101, 0.5)}),
        ("opening_cost", {"opening_cost": 1e101}),
        ("edge_cost_weight", {"edge_cost_weight": 1e308}),
    ],
)
def test_numbers_too_large_to_add_are_named(field: str, change: dict[str, Any]) -> None:
    assert item_at_fault(**change) == field


def test_numbers_up_to_the_limit_are_solved() -> None:
    large = ref.forest_problem((1e100, -1e100), ((0, 1, 5e-324),), 2, 1e100, 1e100)
    assert solve(large, cardinality="exactly").nodes == (0, 1)


@pytest.mark.parametrize("bad", ["", "Exact", "lp", None])
def test_unknown_method_is_refused(bad: Any) -> None:
    with pytest.raises(InvalidInputError, match="method"):
        solve(ref.forest_problem((0.5,)), bad)


@pytest.mark.parametrize("bad", ["", "at most", None])
def test_unknown_cardinality_is_refused(bad: Any) -> None:
    with pytest.raises(InvalidInputError, match="cardinality"):
        solve(ref.forest_problem((0.5,)), "exact", bad)
