from __future__ import annotations

import dataclasses
import random
import sys
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmemix.errors import MissingExtraError
from graphmemix.optimize import Cardinality, Problem, Solution, solve
from tests.optimize import reference as ref

BOTH: tuple[Cardinality, ...] = ("at_most", "exactly")


def assert_same(solution: Solution, expected: ref.Answer) -> None:
    assert solution.nodes == expected.nodes
    assert solution.edges == expected.edges
    assert solution.objective == pytest.approx(expected.objective, abs=1e-10)


def ring(prizes: tuple[float, ...], weights: tuple[float, ...], budget: int) -> Problem:
    size = len(weights)
    edges = [(i, (i + 1) % size, w) for i, w in enumerate(weights)]
    return ref.forest_problem(prizes, tuple(edges), budget)


def fixed_edges(rng: random.Random) -> Problem:
    """Six conversations of two rounds with four memories each; every eligible edge at 0.99."""
    place = list(range(48))
    rng.shuffle(place)  # candidate place[t] was said at time t; the first ten are the anchors
    chain = [(t, t + 1) for t in range(47) if t // 8 == (t + 1) // 8]
    rounds = [(t, u) for t in range(48) for u in range(t + 1, 48) if t // 4 == u // 4]
    edges = []
    for t, u in sorted({*chain, *rounds}):
        a, c = sorted((place[t], place[u]))
        if a < 10:
            edges.append((a, c, 0.99))
    return ref.forest_problem(tuple(round(rng.random(), 3) for _ in range(48)), tuple(edges))


def hide_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = [name for name in sys.modules if name.partition(".")[0] == "scipy"]
    for name in {*loaded, "scipy", "scipy.optimize", "scipy.sparse"}:
        monkeypatch.setitem(sys.modules, name, None)


@ref.SETTINGS
@given(ref.graphs(most=5, most_edges=7))
def test_reference_kruskal_is_the_best_acyclic_edge_set(problem: Problem) -> None:
    p = ref.priced(problem)
    for nodes in ref.subsets(range(len(p.nodes)), range(1, len(p.nodes) + 1)):
        by_kruskal = sum(edge.gain for edge in ref.kruskal(p.edges, nodes))
        assert by_kruskal == ref.best_links_by_enumeration(p, nodes)


@ref.SETTINGS
@given(ref.pseudoforests(), ref.CARDINALITIES)
def test_pseudoforest_equals_brute_force(problem: Problem, cardinality: Cardinality) -> None:
    assert_same(solve(problem, "exact", cardinality), ref.brute_force(problem, cardinality))


@ref.SETTINGS
@given(ref.unicyclic(), ref.CARDINALITIES)
def test_unicyclic_equals_brute_force(problem: Problem, cardinality: Cardinality) -> None:
    assert_same(solve(problem, "exact", cardinality), ref.brute_force(problem, cardinality))


@ref.FEW
@given(ref.graphs(), ref.CARDINALITIES)
def test_general_graph_equals_brute_force(problem: Problem, cardinality: Cardinality) -> None:
    assert_same(solve(problem, "exact", cardinality), ref.brute_force(problem, cardinality))


@pytest.mark.parametrize("cardinality", BOTH)
def test_many_small_tied_pseudoforests_equal_brute_force(cardinality: Cardinality) -> None:
    rng = random.Random(5)
    for _ in range(800):
        size = rng.randint(1, 8)
        problem = ref.random_pseudoforest(rng, size, rng.randint(1, size + 1), tied=True)
        assert_same(solve(problem, "exact", cardinality), ref.brute_force(problem, cardinality))


@pytest.mark.parametrize("length", range(3, 13))
def test_cycle_with_hanging_trees_equals_brute_force(length: int) -> None:
    rng = random.Random(length)
    for _ in range(3):
        hanging = [(rng.randrange(length + i), length + i, rng.random()) for i in range(3)]
        prizes = tuple(rng.choice((0.15, 0.2, rng.random())) for _ in range(length + 3))
        cycle = ring(prizes, tuple(rng.choice((0.5, 0.9)) for _ in range(length)), 1)
        for budget in {1, 2, length - 1, length, length + 1, length + 3}:
            edges = (*cycle.edges, *hanging)
            problem = dataclasses.replace(cycle, edges=edges, budget=budget)
            expected = ref.brute_force(problem, "exactly")
            assert_same(solve(problem, "exact", "exactly"), expected)


def test_whole_cycle_drops_its_worst_edge() -> None:
    # All three taken; of the edges 0.9, 0.5, 0.7 the one of 0.5 closes the cycle last.
    solution = solve(ring((0.5, 0.5, 0.5), (0.9, 0.5, 0.7), 3), "exact", "exactly")
    assert solution.edges == ((0, 1, 0.9), (2, 0, 0.7))


def test_whole_cycle_with_equal_edges_drops_the_last_in_order() -> None:
    solution = solve(ring((0.5,) * 4, (0.9,) * 4, 4), "exact", "exactly")
    assert solution.edges == ((0, 1, 0.9), (1, 2, 0.9), (2, 3, 0.9))


def test_mutual_edges_are_no_cycle() -> None:
    problem = ref.forest_problem((0.5, 0.5), ((0, 1, 0.9), (1, 0, 0.8)))
    assert solve(problem).edges == ((0, 1, 0.9),)


@pytest.mark.parametrize("budget", [1, 10, 100])
@pytest.mark.parametrize("closed", [False, True])
def test_long_path_and_ring_reach_the_optimum(budget: int, closed: bool) -> None:
    rng = random.Random(budget)
    size = 600
    links = [(i, (i + 1) % size, rng.choice(ref.SCORES)) for i in range(size - 1 + closed)]
    problem = ref.forest_problem(tuple(rng.random() for _ in range(size)), tuple(links), budget)
    solution = solve(problem, "exact", "exactly")
    assert solution.method == "exact"
    expected = ref.best_on_ring(problem, closed=closed)
    assert solution.objective == pytest.approx(expected, abs=1e-9)


def test_long_path_with_shuffled_names_reaches_the_same_optimum() -> None:
    rng = random.Random(1)
    links = tuple((i, i + 1, rng.choice(ref.SCORES)) for i in range(799))
    problem = ref.forest_problem(tuple(rng.random() for _ in range(800)), links)
    new = rng.sample(range(800), 800)
    solution = solve(ref.relabelled(problem, new), "exact", "exactly")
    assert solution.objective == pytest.approx(ref.best_on_ring(problem, closed=False), abs=1e-9)


def test_equal_long_path_takes_the_lowest_indices() -> None:
    links = tuple((i, i + 1, 0.9) for i in range(599))
    assert solve(ref.forest_problem((0.3,) * 600, links), "exact", "exactly").nodes == tuple(
        range(10)
    )


def test_star_of_many_leaves_takes_the_best_leaves() -> None:
    links = tuple((0, i, 0.9) for i in range(1, 600))
    problem = ref.forest_problem((0.1, *(i / 1000 for i in range(1, 600))), links)
    assert solve(problem).nodes == (0, *range(591, 600))


def test_large_problem_with_small_components_reaches_the_optimum() -> None:
    rng = random.Random(7)
    for cardinality in BOTH:
        edges = [(i - i % 4, i, rng.choice(ref.SCORES)) for i in range(200) if i % 4]
        problem = ref.forest_problem(
            tuple(rng.random() - 0.5 for _ in range(200)), tuple(edges), 60
        )
        solution = solve(problem, "exact", cardinality)
        expected = ref.best_by_components(problem, cardinality)
        assert solution.objective == pytest.approx(expected, abs=1e-9)


@ref.SETTINGS
@given(ref.problems(), ref.CARDINALITIES, st.data())
def test_names_do_not_matter(
    problem: Problem, cardinality: Cardinality, data: st.DataObject
) -> None:
    new = data.draw(st.permutations(range(len(problem.prizes))))
    before = solve(problem, "exact", cardinality)
    after = solve(ref.relabelled(problem, new), "exact", cardinality)
    assert after.objective == pytest.approx(before.objective, abs=1e-10)
    if ref.brute_force(problem, cardinality).unique:
        assert after.nodes == tuple(sorted(new[i] for i in before.nodes))


@ref.SETTINGS
@given(ref.problems(), ref.CARDINALITIES, st.data())
def test_order_of_edges_does_not_matter(
    problem: Problem, cardinality: Cardinality, data: st.DataObject
) -> None:
    edges = tuple(data.draw(st.permutations(problem.edges)))
    shuffled = dataclasses.replace(problem, edges=edges)
    assert solve(shuffled, "exact", cardinality) == solve(problem, "exact", cardinality)


@ref.SETTINGS
@given(ref.problems(), ref.CARDINALITIES)
def test_optimum_is_proven_and_no_search_beats_it(
    problem: Problem, cardinality: Cardinality
) -> None:
    best = solve(problem, "exact", cardinality)
    assert best.proven_optimal
    for method in ("published", "greedy"):
        assert solve(problem, method, cardinality).objective <= best.objective + 1e-10


@ref.SETTINGS
@given(ref.problems())
def test_method_says_which_solver_ran(problem: Problem) -> None:
    assert solve(problem).method == ("exact" if ref.is_pseudoforest(problem) else "milp")


def test_pseudoforest_needs_no_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    hide_scipy(monkeypatch)
    assert solve(ring((0.5, 0.5, 0.5), (0.9, 0.9, 0.9), 2)).nodes == (0, 1)


def test_general_graph_without_scipy_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    hide_scipy(monkeypatch)
    complete = tuple((a, c, 0.99) for a, c in combinations(range(4), 2))
    with pytest.raises(MissingExtraError, match=r"the extra 'milp': .*\[milp\]") as caught:
        solve(ref.forest_problem((0.5,) * 4, complete))
    assert caught.value.extra == "milp"


@pytest.mark.parametrize("cardinality", BOTH)
@pytest.mark.parametrize("size", range(8, 13))
def test_complete_graph_equals_brute_force(size: int, cardinality: Cardinality) -> None:
    rng = random.Random(size)
    complete = tuple((a, c, 0.99) for a, c in combinations(range(size), 2))
    prizes = tuple(rng.choice((-0.1, 0.1, 0.3, rng.random())) for _ in range(size))
    problem = ref.forest_problem(prizes, complete, budget=size - 3)
    solution = solve(problem, "exact", cardinality)
    assert_same(solution, ref.brute_force(problem, cardinality))
    assert (solution.method, solution.proven_optimal) == ("milp", True)


@pytest.mark.parametrize("cardinality", BOTH)
@pytest.mark.parametrize("seed", range(4))
def test_fixed_edge_variant_reaches_the_optimum(seed: int, cardinality: Cardinality) -> None:
    problem = fixed_edges(random.Random(seed))
    assert not ref.is_pseudoforest(problem)
    solution = solve(problem, "exact", cardinality)
    assert (solution.method, solution.proven_optimal) == ("milp", True)
    expected = ref.best_by_components(problem, cardinality)
    assert solution.objective == pytest.approx(expected, abs=1e-9)
