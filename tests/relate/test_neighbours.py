"""Nearest neighbours, kept up as memories come and go, always equal those of a rebuild."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from graphmemix.relate.neighbours import MutualPair, NeighbourLists

Vector = NDArray[np.float32]

PROPERTY = settings(
    max_examples=settings().max_examples, deadline=None, suppress_health_check=list(HealthCheck)
)
DIMENSION = 3

# Few distinct directions, so that equal vectors and equal cosines are common.
DIRECTIONS: list[Vector] = [
    (np.array(v, dtype=np.float32) / np.float32(np.linalg.norm(v))).astype(np.float32)
    for v in [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, 0, 1), (-1, 0, 0), (1, 2, 3)]
]
IDS = [f"m{i:02}" for i in range(12)]
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.sampled_from(IDS), st.sampled_from(range(len(DIRECTIONS)))),
        st.tuples(st.just("remove"), st.lists(st.sampled_from(IDS), max_size=4), st.just(0)),
    ),
    max_size=40,
)


def unit(seed: int, dimension: int) -> Vector:
    row = np.random.default_rng(seed).standard_normal(dimension).astype(np.float32)
    row /= np.sqrt(np.square(row).sum())
    return row


def rebuilt(vectors: Mapping[str, Vector], *, used: int, kept: int) -> NeighbourLists:
    dimension = len(next(iter(vectors.values()))) if vectors else DIMENSION
    lists = NeighbourLists(dimension, used=used, kept=kept)
    lists.rebuild(vectors)
    return lists


def by_hand(vectors: Mapping[str, Vector], used: int) -> dict[str, list[str]]:
    """The nearest of all, by sorting all."""
    found = {}
    for one in vectors:
        cosines = {
            other: float(np.einsum("ij,j->i", vectors[other][None], vectors[one])[0])
            for other in vectors
            if other != one
        }
        found[one] = sorted(cosines, key=lambda other: (-cosines[other], other))[:used]
    return found


def first(lists: NeighbourLists, memory_id: str) -> list[tuple[str, float]]:
    return lists.neighbours(memory_id)[: lists.used]


def require_equal(lists: NeighbourLists, vectors: Mapping[str, Vector]) -> None:
    again = rebuilt(vectors, used=lists.used, kept=lists.kept)
    assert len(lists) == len(vectors)
    for memory_id in vectors:
        assert first(lists, memory_id) == first(again, memory_id)
    assert lists.mutual(vectors) == again.mutual(vectors)


# Any sequence of changes


def apply(
    lists: NeighbourLists, vectors: dict[str, Vector], step: tuple[str, str | list[str], int]
) -> set[str]:
    """Change both alike; return whose lists changed."""
    what, who, direction = step
    if what == "add":
        assert isinstance(who, str)
        vectors[who] = DIRECTIONS[direction]
        return lists.add(who, vectors[who])
    changed = lists.remove(who)
    for memory_id in who:
        vectors.pop(memory_id, None)
    return changed


@pytest.mark.parametrize(("used", "kept"), [(1, 1), (2, 2), (2, 4), (3, 5), (8, 16), (0, 3)])
@PROPERTY
@given(steps=STEPS)
def test_any_changes_end_where_a_rebuild_ends(
    used: int, kept: int, steps: list[tuple[str, str | list[str], int]]
) -> None:
    lists = NeighbourLists(DIMENSION, used=used, kept=kept)
    vectors: dict[str, Vector] = {}
    for step in steps:
        apply(lists, vectors, step)
        require_equal(lists, vectors)


@PROPERTY
@given(steps=STEPS)
def test_a_change_names_every_memory_whose_first_neighbours_it_changed(
    steps: list[tuple[str, str | list[str], int]],
) -> None:
    lists = NeighbourLists(DIMENSION, used=2, kept=3)
    vectors: dict[str, Vector] = {}
    before: dict[str, list[tuple[str, float]]] = {}
    for what, who, direction in steps:
        if what == "add":
            assert isinstance(who, str)
            vectors[who] = DIRECTIONS[direction]
            changed = lists.add(who, vectors[who])
            assert who in changed
        else:
            changed = lists.remove(who)
            assert changed >= set(who) & set(vectors)
            vectors = {i: v for i, v in vectors.items() if i not in who}
        after = {i: lists.neighbours(i) for i in vectors}
        assert {i for i in after if after[i] != before.get(i)} <= changed
        before = after


@pytest.mark.parametrize(("used", "kept"), [(1, 3), (2, 3), (3, 3), (2, 16)])
@PROPERTY
@given(steps=STEPS)
def test_mutual_pairs_come_and_go_only_around_what_has_moved(
    used: int, kept: int, steps: list[tuple[str, str | list[str], int]]
) -> None:
    lists = NeighbourLists(DIMENSION, used=used, kept=kept)
    vectors: dict[str, Vector] = {}
    before: set[MutualPair] = set()
    for step in steps:
        apply(lists, vectors, step)
        moved, after = lists.take_moved(), lists.mutual(vectors)
        assert all({pair.source, pair.target} & moved for pair in before ^ after)
        before = after


def test_a_newcomer_among_the_reserve_moves_nobody_else() -> None:
    lists = NeighbourLists(2, used=1, kept=3)
    angles = {"a": 0.0, "b": 0.1, "c": 1.5, "d": 1.6}
    for memory_id, angle in angles.items():
        lists.add(memory_id, np.array([np.cos(angle), np.sin(angle)], np.float32))
    lists.take_moved()
    changed = lists.add("e", np.array([np.cos(0.8), np.sin(0.8)], np.float32))
    assert changed == {"a", "b", "c", "d", "e"}
    assert lists.take_moved() == {"e"}
    assert lists.take_moved() == set()


@pytest.mark.parametrize("seed", range(2))
def test_vectors_of_a_real_size_agree_with_a_rebuild_to_the_bit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    lists = NeighbourLists(384)
    vectors: dict[str, Vector] = {}
    for step in range(400):  # past the first growth of the arrays
        memory_id = f"m{rng.integers(330):03}"
        if rng.random() < 0.15 and vectors:
            gone = sorted(vectors)[: int(rng.integers(1, 4))]
            lists.remove(gone)
            vectors = {i: v for i, v in vectors.items() if i not in gone}
        else:
            vectors[memory_id] = unit(int(rng.integers(300)), 384)
            lists.add(memory_id, vectors[memory_id])
        if step % 100 == 99:
            require_equal(lists, vectors)


def test_lists_are_those_that_sorting_everything_gives() -> None:
    vectors = {f"m{i:03}": unit(i % 60, 16) for i in range(90)}  # 30 of them twice
    lists = rebuilt(vectors, used=8, kept=16)
    expected = by_hand(vectors, 8)
    assert {i: [other for other, _ in first(lists, i)] for i in vectors} == expected


def test_mutual_pairs_are_those_where_each_is_among_the_first_of_the_other() -> None:
    vectors = {f"m{i:03}": unit(i, 16) for i in range(60)}
    lists = rebuilt(vectors, used=4, kept=8)
    near = by_hand(vectors, 4)
    expected = {(a, b) for a, b in combinations(vectors, 2) if b in near[a] and a in near[b]}
    pairs = lists.mutual(vectors)
    assert {(pair.source, pair.target) for pair in pairs} == expected
    for pair in pairs:
        cosine = float(vectors[pair.source] @ vectors[pair.target])
        assert pair.cosine == pytest.approx(cosine, abs=1e-6)


def test_a_large_rebuild_works_in_blocks() -> None:
    vectors = {f"m{i:04}": unit(i % 1000, 8) for i in range(1100)}
    lists = rebuilt(vectors, used=2, kept=4)
    for memory_id in ("m0000", "m0050", "m1023", "m1024", "m1099"):
        cosines = {
            other: float(np.einsum("ij,j->i", vector[None], vectors[memory_id])[0])
            for other, vector in vectors.items()
            if other != memory_id
        }
        nearest = sorted(cosines, key=lambda other: (-cosines[other], other))[:2]
        assert [other for other, _ in first(lists, memory_id)] == nearest


@pytest.mark.parametrize("tile", [1, 2, 5, 16])
@PROPERTY
@given(directions=st.lists(st.sampled_from(range(len(DIRECTIONS))), max_size=14))
def test_tiles_of_any_size_give_the_same(tile: int, directions: list[int]) -> None:
    vectors = {f"m{i:02}": DIRECTIONS[direction] for i, direction in enumerate(directions)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("graphmemix.relate.nearest._TILE", tile)
        lists = rebuilt(vectors, used=2, kept=3)
    expected = by_hand(vectors, 3)
    assert {i: [other for other, _ in lists.neighbours(i)] for i in vectors} == expected


def test_pools_are_cut_without_losing_a_neighbour() -> None:
    """Rows come in the order of their likeness, so that every tile brings nearer ones."""
    angles = np.linspace(0.0, 1.5, 400)
    vectors = {
        f"m{i:03}": np.array([np.cos(a), np.sin(a)], dtype=np.float32)
        for i, a in enumerate(angles.tolist())
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("graphmemix.relate.nearest._TILE", 32)
        lists = rebuilt(vectors, used=4, kept=6)
    for memory_id, expected in by_hand(vectors, 6).items():
        assert [other for other, _ in lists.neighbours(memory_id)] == expected


@PROPERTY
@given(
    batches=st.lists(
        st.dictionaries(st.sampled_from(IDS), st.sampled_from(range(len(DIRECTIONS))), max_size=6),
        max_size=6,
    ),
    block=st.sampled_from([1, 2, 256]),
)
def test_many_at_once_are_as_one_after_the_other(batches: list[dict[str, int]], block: int) -> None:
    single = NeighbourLists(DIMENSION, used=2, kept=4)
    many = NeighbourLists(DIMENSION, used=2, kept=4)
    vectors: dict[str, Vector] = {}
    for batch in batches:
        new = {i: DIRECTIONS[direction] for i, direction in batch.items()}
        before = {i: many.neighbours(i) for i in vectors}
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("graphmemix.relate.neighbours._BLOCK", block)
            changed = many.add_many(new)
        for memory_id, vector in new.items():
            single.add(memory_id, vector)
        vectors |= new
        require_equal(many, vectors)
        require_equal(single, vectors)
        after = {i: many.neighbours(i) for i in vectors}
        assert {i for i in after if after[i] != before.get(i)} <= changed


# Ties


def test_of_equally_near_memories_the_lower_id_comes_first_whatever_came_first() -> None:
    lists = NeighbourLists(DIMENSION, used=2, kept=2)
    for memory_id in ("d", "c", "b", "a"):
        lists.add(memory_id, DIRECTIONS[0])
    assert [other for other, _ in lists.neighbours("d")] == ["a", "b"]
    assert [other for other, _ in lists.neighbours("a")] == ["b", "c"]


def test_copies_of_one_vector_are_mutual_only_within_reach() -> None:
    lists = NeighbourLists(DIMENSION, used=1, kept=1)
    for memory_id in ("c", "a", "b"):
        lists.add(memory_id, DIRECTIONS[6])
    assert {(pair.source, pair.target) for pair in lists.mutual(["a", "b", "c"])} == {("a", "b")}


# Small archives


def test_an_empty_archive_has_no_pairs() -> None:
    lists = NeighbourLists(DIMENSION)
    lists.rebuild({})
    assert len(lists) == 0
    assert lists.mutual(["nobody"]) == set()
    assert lists.remove(["nobody"]) == set()


def test_a_memory_alone_has_no_neighbours() -> None:
    lists = NeighbourLists(DIMENSION)
    assert lists.add("a", DIRECTIONS[0]) == {"a"}
    assert lists.neighbours("a") == []
    assert lists.mutual(["a"]) == set()


def test_two_memories_are_mutual_however_far_apart() -> None:
    lists = NeighbourLists(DIMENSION)
    lists.add("b", DIRECTIONS[0])
    assert lists.add("a", DIRECTIONS[5]) == {"a", "b"}
    assert lists.mutual(["b"]) == {MutualPair("a", "b", -1.0)}
    lists.remove(["a"])
    assert lists.neighbours("b") == []


def test_adding_again_replaces_the_vector() -> None:
    lists = NeighbourLists(DIMENSION, used=1)
    for memory_id, direction in (("a", 0), ("b", 0), ("c", 1)):
        lists.add(memory_id, DIRECTIONS[direction])
    lists.add("b", DIRECTIONS[1])
    assert len(lists) == 3
    assert [other for other, _ in first(lists, "c")] == ["b"]


def test_keeping_fewer_than_are_used_keeps_as_many_as_are_used() -> None:
    assert NeighbourLists(DIMENSION, used=5, kept=2).kept == 5


# Taking over


@PROPERTY
@given(steps=STEPS, later=STEPS)
def test_lists_taken_over_go_on_as_if_never_put_down(
    steps: list[tuple[str, str | list[str], int]], later: list[tuple[str, str | list[str], int]]
) -> None:
    lists = NeighbourLists(DIMENSION, used=2, kept=4)
    vectors: dict[str, Vector] = {}

    def apply(changes: list[tuple[str, str | list[str], int]]) -> None:
        for what, who, direction in changes:
            if what == "add":
                assert isinstance(who, str)
                vectors[who] = DIRECTIONS[direction]
                lists.add(who, vectors[who])
            else:
                lists.remove(who)
                for memory_id in who:
                    vectors.pop(memory_id, None)

    apply(steps)
    other = NeighbourLists(DIMENSION, used=2, kept=4)
    other.load(vectors, {i: lists.neighbours(i) for i in vectors})
    assert {i: other.neighbours(i) for i in vectors} == {i: lists.neighbours(i) for i in vectors}
    lists = other
    apply(later)
    require_equal(lists, vectors)
