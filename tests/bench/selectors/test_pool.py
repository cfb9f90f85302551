from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from graphmemix.errors import InvalidInputError, InvalidProblemError
from graphmemix_bench.selectors import Pool
from graphmemix_bench.selectors.pool import require_constant
from tests.bench.selectors.pools import circle, random_pool, unit_rows


def test_similarity_is_the_cosine() -> None:
    pool = Pool((0.5,) * 4, vectors=circle(0, 60, 90, 180))
    # cos 60 = 0.5, cos 90 = 0, cos 30 = 0.866, cos 120 = -0.5, cos 180 = -1
    expected = [
        [1.0, 0.5, 0.0, -1.0],
        [0.5, 1.0, 0.866025, -0.5],
        [0.0, 0.866025, 1.0, 0.0],
        [-1.0, -0.5, 0.0, 1.0],
    ]
    assert pool.similarity == pytest.approx(np.array(expected), abs=1e-6)


def test_similarity_is_computed_once_and_cannot_be_changed() -> None:
    pool = random_pool(0)
    assert pool.similarity is pool.similarity
    with pytest.raises(ValueError, match="read-only"):
        pool.similarity[0, 1] = 0.0


def test_similarity_of_copies_is_bit_for_bit_the_same() -> None:
    rows = unit_rows(np.random.default_rng(0).normal(size=(6, 101)))
    pool = Pool((0.5,) * 18, vectors=np.concatenate([rows, rows, rows]))
    sixth = pool.similarity[:6, :6]
    assert (pool.similarity == np.tile(sixth, (3, 3))).all()
    assert (pool.similarity == pool.similarity.T).all()
    assert (np.diag(pool.similarity) == 1.0).all()


def test_vectors_are_a_read_only_copy() -> None:
    vectors = circle(0, 90)
    pool = Pool((0.5, 0.5), vectors=vectors)
    vectors[:] = circle(0, 0)
    assert pool.vectors is not None
    assert pool.vectors.dtype == np.float32
    assert pool.similarity[0, 1] == pytest.approx(0.0, abs=1e-6)
    with pytest.raises(ValueError, match="read-only"):
        pool.vectors[0, 0] = 0.0


@pytest.mark.parametrize("kind", [np.float16, np.float64, np.int64, np.uint8])
def test_vectors_of_any_kind_are_kept_as_single_precision(kind: type[np.generic]) -> None:
    pool = Pool((0.5, 0.5), vectors=np.eye(2).astype(kind))
    assert pool.vectors is not None
    assert pool.vectors.dtype == np.float32
    assert (pool.similarity == np.eye(2)).all()


def test_vectors_are_kept_row_after_row() -> None:
    by_column = np.asfortranarray(circle(0, 60, 90))
    pool = Pool((0.5,) * 3, vectors=by_column)
    assert pool.vectors is not None
    assert pool.vectors.flags.c_contiguous
    assert (pool.vectors == by_column).all()


def test_a_pool_is_frozen() -> None:
    pool = Pool((0.5,))
    with pytest.raises(dataclasses.FrozenInstanceError):
        pool.prizes = (0.6,)  # type: ignore[misc]


def test_rows_stored_in_half_precision_are_unit_rows() -> None:
    halves = unit_rows(np.random.default_rng(0).normal(size=(5, 300))).astype(np.float16)
    pool = Pool((0.5,) * 5, vectors=halves.astype(np.float32))
    assert (np.diag(pool.similarity) == 1.0).all()


@pytest.mark.parametrize(
    ("vectors", "reason"),
    [
        (circle(0, 90), "one row for each of 3"),
        (circle(0, 90, 180)[0], "one row for each of 3"),
        (np.zeros((3, 0), dtype=np.float32), "one row for each of 3"),
        (circle(0, 90, 180) * np.float32(1.01), "row 0 must have length 1, not 1.01"),
        (circle(0, 90, 180) * np.array([[1], [1], [0]]), "row 2 must have length 1, not 0"),
        (circle(0, 90, 180) * np.array([[1], [np.nan], [1]]), "row 1 .* not nan"),
        (circle(0, 90, 180) * np.array([[1], [np.inf], [1]]) + 1, "row 0"),
        (np.full((3, 2), 1e300), "row 0 .* not inf"),
        (np.array([[1, 0], [127, 0], [1, 0]], dtype=np.int8), "row 1 .* not 127"),  # 127² ends in 1
        (circle(0, 90, 180) + 0j, "real numbers, not complex"),
        (np.array([["1", "0"]] * 3), "real numbers, not <U1"),
        ([[1.0], [0.6, 0.8], [1.0]], "3 rows of numbers"),
    ],
)
def test_vectors_that_are_no_unit_rows(vectors: object, reason: str) -> None:
    with pytest.raises(InvalidProblemError, match=reason) as caught:
        Pool((0.1, 0.2, 0.3), vectors=vectors)  # type: ignore[arg-type]
    assert caught.value.item == "vectors"


@pytest.mark.parametrize(
    ("prizes", "edges", "item"),
    [
        ((), (), "prizes"),
        ((0.1, float("nan")), (), "prizes[1]"),
        ((0.1, 0.2), ((0, 1, 0.9), (0, 2, 0.9)), "edges[1]"),
        ((0.1, 0.2), ((0, 1, 0.0),), "edges[0]"),
        ((0.1, 0.2), ((1, 1, 0.5),), "edges[0]"),
    ],
)
def test_prizes_and_edges_are_checked_as_in_a_problem(
    prizes: tuple[float, ...], edges: tuple[tuple[int, int, float], ...], item: str
) -> None:
    with pytest.raises(InvalidProblemError) as caught:
        Pool(prizes, edges)
    assert caught.value.item == item


def test_similarity_without_vectors() -> None:
    with pytest.raises(InvalidInputError, match="needs vectors"):
        _ = Pool((0.5,)).similarity


@pytest.mark.parametrize(("budget", "count"), [(1, 1), (3, 3), (4, 3)])
def test_count_is_the_budget_or_all(budget: int, count: int) -> None:
    assert Pool((0.1, 0.2, 0.3)).count(budget) == count


def test_by_prize_looks_at_the_grid() -> None:
    # 0.1 + 0.2 is 0.30000000000000004, which is 0.3 on the grid: a tie, so the lower index first.
    assert Pool((0.3, 0.1 + 0.2, 0.4)).by_prize([1, 2, 0]) == (2, 0, 1)


@pytest.mark.parametrize("value", [-0.1, float("nan"), float("inf")])
def test_constants_are_finite_and_not_negative(value: float) -> None:
    with pytest.raises(InvalidProblemError, match="finite number >= 0") as caught:
        require_constant("link_weight", value)
    assert caught.value.item == "link_weight"


def test_numbers_of_other_kinds_become_plain_ones() -> None:
    pool = Pool((np.float32(0.5), 1), ((np.int64(0), 1, np.float64(0.5)),))  # type: ignore[arg-type]
    assert [type(prize) for prize in pool.prizes] == [float, float]
    assert [type(part) for part in pool.edges[0]] == [int, int, float]
