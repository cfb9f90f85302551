from __future__ import annotations

import dataclasses
import math
import random

import pytest
from hypothesis import given

from graphmemix.errors import InvalidInputError, InvalidProblemError
from graphmemix.optimize import Method, Problem, Selection, select
from graphmemix.optimize.select import Tree, arrange
from tests.optimize import reference as ref

# A worked example. kappa is 0.2, then 0.12; lambda is 0.1; K = 4.
#
#   memory  0     1     2     3     4     5        link 0-3: w = 1,   c = 0, B = 0.2, then 0.12
#   p       0.60  0.50  0.11  0.10  0.05  0.08     link 1-4: w = 1/e, c = 1, B = 0.1, then 0.02
#
# Proposal, kappa 0.2:  {0, 1, 2, 3} = 1.31 - 0.8 + 0.2       = 0.71   the top 4 by p
#                       {0, 1, 3, 4} = 1.25 - 0.8 + 0.2 + 0.1 = 0.75   swap 2 for 4, the best
#                       {0, 1, 3, 5} = 1.28 - 0.8 + 0.2       = 0.68
# Refinement, 0.12:     0 brings 0.48, 1 brings 0.38,
#                       3 brings -0.02 + 0.12 = 0.10 with 0: stays,
#                       4 brings -0.07 + 0.02 < 0 with 1: goes.
#                       {0, 1, 3} = 0.48 + 0.38 + 0.10 = 0.96
# Single stage, 0.2:    {0, 1, 3} = 1.20 - 0.6 + 0.2 = 0.80
# Told:                 the tree of 0 (0, then 3), then 1.
PRIZES = (0.60, 0.50, 0.11, 0.10, 0.05, 0.08)
LINKS = ((0, 3, 1.0), (1, 4, math.exp(-1)))
METHODS: tuple[Method, ...] = ("exact", "published", "milp", "greedy")


def select_like(problem: Problem, method: Method) -> Selection:
    return select(
        problem.prizes,
        problem.edges,
        budget=problem.budget,
        proposal_opening_cost=problem.opening_cost,
        refinement_opening_cost=0.12,
        edge_cost_weight=problem.edge_cost_weight,
        method=method,
    )


@pytest.mark.parametrize("method", METHODS)
def test_example_proposal(method: Method) -> None:
    proposal = select(PRIZES, LINKS, budget=4, method=method).proposal
    assert proposal.nodes == (0, 1, 3, 4)
    assert proposal.edges == LINKS
    assert proposal.objective == pytest.approx(0.75)


@pytest.mark.parametrize("method", METHODS)
def test_example_refinement(method: Method) -> None:
    refinement = select(PRIZES, LINKS, budget=4, method=method).refinement
    assert refinement.nodes == (0, 1, 3)
    assert refinement.edges == LINKS[:1]
    assert refinement.objective == pytest.approx(0.96)


@pytest.mark.parametrize("method", METHODS)
def test_example_forest(method: Method) -> None:
    selection = select(PRIZES, LINKS, budget=4, method=method)
    assert selection.forest == (Tree((0, 3), (None, 0)), Tree((1,), (None,)))
    assert selection.roots == (0, 1)
    assert selection.order == (0, 3, 1)


@pytest.mark.parametrize("method", METHODS)
def test_example_objectives(method: Method) -> None:
    selection = select(PRIZES, LINKS, budget=4, method=method)
    assert selection.objective_before == pytest.approx(0.71)
    assert selection.objective_after == pytest.approx(0.75)


@pytest.mark.parametrize("method", METHODS)
def test_example_single_stage(method: Method) -> None:
    selection = select(PRIZES, LINKS, budget=4, method=method, single_stage=True)
    assert selection.refinement.nodes == (0, 1, 3)
    assert selection.refinement.objective == pytest.approx(0.80)
    assert selection.proposal == selection.refinement
    assert selection.order == (0, 3, 1)


def test_example_swap() -> None:
    (swap,) = select(PRIZES, LINKS, budget=4, method="published").swaps
    assert (swap.removed, swap.added) == (2, 4)
    assert swap.gain == pytest.approx(0.04)
    assert swap.objective == pytest.approx(0.75)


@pytest.mark.parametrize("method", ["exact", "milp", "greedy"])
def test_only_the_published_search_swaps(method: Method) -> None:
    assert select(PRIZES, LINKS, budget=4, method=method).swaps == ()


def test_default_is_exact_with_the_published_constants() -> None:
    links = tuple((a, c, w) for a, c, w in ref.published_shape(random.Random(2)).edges)
    prizes = ref.published_shape(random.Random(2)).prizes
    assert select(prizes, links) == select(
        prizes,
        links,
        budget=10,
        proposal_opening_cost=0.2,
        refinement_opening_cost=0.12,
        edge_cost_weight=0.1,
        method="exact",
        single_stage=False,
    )


@ref.SETTINGS
@given(ref.pseudoforests(most=9))
def test_exact_stages_equal_brute_force(problem: Problem) -> None:
    selection = select_like(problem, "exact")
    proposal = ref.brute_force(problem, "exactly")
    refinement = ref.best_subset(dataclasses.replace(problem, opening_cost=0.12), proposal.nodes)
    assert selection.proposal.nodes == proposal.nodes
    assert selection.refinement.nodes == refinement.nodes
    assert selection.refinement.objective == pytest.approx(refinement.objective, abs=1e-10)
    assert selection.proposal.proven_optimal
    assert selection.refinement.proven_optimal


@ref.SETTINGS
@given(ref.problems())
def test_published_stages_equal_the_reference(problem: Problem) -> None:
    selection = select_like(problem, "published")
    proposal = ref.published(problem, "exactly")
    refinement = ref.best_subset(dataclasses.replace(problem, opening_cost=0.12), proposal.nodes)
    assert selection.proposal.nodes == proposal.nodes
    assert tuple((s.removed, s.added) for s in selection.swaps) == proposal.swaps
    assert selection.refinement.nodes == refinement.nodes
    assert selection.refinement.objective == pytest.approx(refinement.objective, abs=1e-10)


@ref.SETTINGS
@given(ref.pseudoforests())
def test_refinement_stays_inside_the_proposal(problem: Problem) -> None:
    for method in ("exact", "published", "greedy"):
        selection = select_like(problem, method)
        assert set(selection.refinement.nodes) <= set(selection.proposal.nodes)
        assert set(selection.refinement.edges) <= set(problem.edges)


@ref.SETTINGS
@given(ref.pseudoforests())
def test_order_tells_each_refined_memory_once(problem: Problem) -> None:
    selection = select_like(problem, "exact")
    assert tuple(sorted(selection.order)) == selection.refinement.nodes
    trees = len(selection.refinement.nodes) - len(selection.refinement.edges)
    assert len(selection.roots) == trees


@ref.SETTINGS
@given(ref.pseudoforests())
def test_search_never_lowers_the_objective(problem: Problem) -> None:
    for method in ("exact", "published"):
        selection = select_like(problem, method)
        p = ref.priced(problem)
        before = ref.worth(p, ref.top_k(problem)) / ref.UNITS
        assert selection.objective_before == pytest.approx(before, abs=1e-10)
        assert selection.objective_after == selection.proposal.objective
        assert selection.objective_before <= selection.objective_after + 1e-10


def test_published_search_agrees_with_exact_where_it_finds_the_optimum() -> None:
    rng = random.Random(11)
    agreed = missed = 0
    for _ in range(25):
        problem = ref.published_shape(rng)
        exact, published = select_like(problem, "exact"), select_like(problem, "published")
        if published.proposal.nodes == exact.proposal.nodes:
            agreed += 1
            assert published.order == exact.order
            assert published.refinement.edges == exact.refinement.edges
        else:
            missed += 1
            assert published.objective_after <= exact.objective_after + 1e-10
    assert agreed >= 5
    assert missed >= 1


@pytest.mark.parametrize("method", METHODS)
def test_fewer_candidates_than_budget_are_all_proposed(method: Method) -> None:
    selection = select((0.5, 0.01, 0.3), method=method)
    assert selection.proposal.nodes == (0, 1, 2)
    assert selection.order == (0, 2)


@pytest.mark.parametrize("method", METHODS)
def test_one_worthless_candidate_is_still_selected(method: Method) -> None:
    assert select((-1.0,), method=method).order == (0,)


@pytest.mark.parametrize("method", ["exact", "published", "milp"])
def test_refinement_ties_go_to_earlier_ranks(method: Method) -> None:
    # By falling prize: 2, 1, 0, 3. {0, 1} and {2, 3} are both worth 0.7 - 0.7 = 0.
    selection = select(
        (0.3, 0.4, 0.5, 0.2),
        ((0, 1, 1.0), (2, 3, 1.0)),
        refinement_opening_cost=0.7,
        method=method,
    )
    assert selection.refinement.nodes == (2, 3)


def test_equal_links_of_a_cycle_go_by_index_in_both_stages() -> None:
    links = ((0, 1, 0.9), (1, 2, 0.9), (2, 0, 0.9))
    selection = select((0.3, 0.4, 0.5), links)
    assert selection.proposal.edges == ((0, 1, 0.9), (1, 2, 0.9))
    assert selection.refinement.edges == selection.proposal.edges


def test_bad_input_is_named() -> None:
    with pytest.raises(InvalidProblemError) as caught:
        select((0.5, math.nan))
    assert caught.value.item == "prizes[1]"


def test_bad_refinement_cost_is_refused() -> None:
    with pytest.raises(InvalidProblemError, match="opening_cost"):
        select((0.5, 0.4), refinement_opening_cost=-0.1)


def test_unknown_method_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="method"):
        select((0.5, 0.4), method="best")  # type: ignore[arg-type]


def test_nothing_has_no_trees() -> None:
    assert arrange((), (), ()) == ()


def test_lone_memories_go_by_falling_prize() -> None:
    trees = arrange((0, 1, 2), (), (0.2, 0.9, 0.5))
    assert trees == (Tree((1,), (None,)), Tree((2,), (None,)), Tree((0,), (None,)))


def test_lone_memories_of_equal_prize_go_in_retrieval_order() -> None:
    assert [tree.root for tree in arrange((3, 1, 2), (), (0.5,) * 4)] == [1, 2, 3]


def test_root_is_the_node_of_highest_prize_wherever_it_hangs() -> None:
    # 0 - 1 - 2, and 2 is the best.
    (tree,) = arrange((0, 1, 2), ((0, 1, 0.9), (1, 2, 0.9)), (0.5, 0.1, 0.8))
    assert tree == Tree((2, 1, 0), (None, 2, 1))
    assert tree.root == 2


def test_root_of_equal_prizes_is_the_earlier_retrieved() -> None:
    (tree,) = arrange((2, 1), ((2, 1, 0.9),), (0.1, 0.5, 0.5))
    assert tree == Tree((1, 2), (None, 1))


def test_trees_go_by_their_roots_not_by_their_sums() -> None:
    # {0, 1, 2} sums to 1.8, but its root has 0.6; {3} has 0.7.
    trees = arrange((0, 1, 2, 3), ((0, 1, 0.9), (0, 2, 0.9)), (0.6, 0.6, 0.6, 0.7))
    assert [tree.nodes for tree in trees] == [(3,), (0, 1, 2)]


def test_trees_with_equal_roots_go_in_retrieval_order() -> None:
    trees = arrange((0, 1, 2, 3), ((0, 3, 0.9), (1, 2, 0.9)), (0.1, 0.2, 0.5, 0.5))
    assert [tree.nodes for tree in trees] == [(2, 1), (3, 0)]


def test_siblings_go_by_falling_prize_then_retrieval_order() -> None:
    links = ((0, 1, 0.9), (0, 2, 0.5), (0, 3, 0.7), (0, 4, 0.2))
    (tree,) = arrange(range(5), links, (0.9, 0.2, 0.4, 0.2, 0.3))
    assert tree.nodes == (0, 2, 4, 1, 3)


def test_inside_a_tree_breadth_comes_first() -> None:
    #        0
    #      /   \
    #     1     2      both children before any grandchild,
    #    / \     \     although 3 (0.5) is worth more than 2 (0.3)
    #   3   4     5
    links = ((0, 1, 0.9), (0, 2, 0.9), (1, 3, 0.9), (1, 4, 0.9), (2, 5, 0.9))
    (tree,) = arrange(range(6), links, (0.9, 0.6, 0.3, 0.5, 0.1, 0.4))
    assert tree == Tree((0, 1, 2, 3, 4, 5), (None, 0, 0, 1, 1, 2))


def test_children_follow_the_order_of_their_parents() -> None:
    # 4 hangs on 2, the lesser parent, and comes after 3, although it is worth more.
    links = ((0, 1, 0.9), (0, 2, 0.9), (1, 3, 0.9), (2, 4, 0.9))
    (tree,) = arrange(range(5), links, (0.9, 0.6, 0.5, 0.1, 0.4))
    assert tree.nodes == (0, 1, 2, 3, 4)


def test_several_trees_are_told_one_after_the_other() -> None:
    # Prizes: {1, 4, 5} has root 4 (0.9), {0, 2} root 0 (0.8), {3} itself (0.7).
    prizes = (0.8, 0.3, 0.75, 0.7, 0.9, 0.85)
    trees = arrange(range(6), ((4, 1, 0.9), (1, 5, 0.9), (2, 0, 0.9)), prizes)
    assert [tree.nodes for tree in trees] == [(4, 1, 5), (0, 2), (3,)]
    assert [tree.parents for tree in trees] == [(None, 4, 1), (None, 0), (None,)]


def test_unselected_candidates_are_not_told() -> None:
    trees = arrange((2, 5), ((5, 2, 0.9),), (0.9,) * 6)
    assert trees == (Tree((2, 5), (None, 2)),)


def test_negative_prizes_are_ordered_too() -> None:
    assert [tree.root for tree in arrange((0, 1, 2), (), (-0.5, -0.1, 0.0))] == [2, 1, 0]


@pytest.mark.parametrize("seed", range(20))
def test_order_and_direction_of_input_do_not_matter(seed: int) -> None:
    rng = random.Random(seed)
    nodes = list(range(12))
    links = [(rng.randrange(i), i, 0.9) for i in range(1, 12) if rng.random() < 0.8]
    prizes = [rng.choice((0.1, 0.2, 0.3)) for _ in nodes]
    expected = arrange(nodes, links, prizes)
    turned = [(c, a, w) if rng.random() < 0.5 else (a, c, w) for a, c, w in links]
    rng.shuffle(nodes)
    rng.shuffle(turned)
    assert arrange(nodes, turned, prizes) == expected


def test_weights_do_not_matter() -> None:
    (tree,) = arrange((0, 1, 2), ((0, 1, 0.1), (0, 2, 0.9)), (0.9, 0.5, 0.4))
    assert tree.nodes == (0, 1, 2)


def test_long_chain_is_told_to_its_end() -> None:
    links = [(i, i + 1, 0.9) for i in range(4999)]
    (tree,) = arrange(range(5000), links, [0.5] * 5000)
    assert tree.nodes == tuple(range(5000))
