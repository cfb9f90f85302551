from __future__ import annotations

import random

import pytest

from graphmemix.optimize.order import Tree, arrange


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
