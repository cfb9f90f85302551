from __future__ import annotations

import sys
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from graphmemix.errors import InvalidDataError
from graphmemix.store import unit_vectors
from graphmemix.store.sidecar import Sidecar
from graphmemix.store.unit_vectors import Kernel, fastest_kernel, numpy_kernel, simsimd_kernel
from tests.store.rows import KEY, Floats, Table, check, grow, made_up, shrink, unit

Search: TypeAlias = "tuple[Table, Floats, int, list[int] | None, list[int] | None]"


def noisy_kernel(query: Floats, rows: NDArray[np.float16], scores: Floats) -> None:
    """Be as wrong as `ERROR` allows for rows that need no rounding."""
    numpy_kernel(query, rows, scores)
    noise = np.random.default_rng(len(rows)).choice([-0.98, 0.98], len(rows)) * unit_vectors.ERROR
    scores += noise.astype(np.float32)


def half_kernel(query: Floats, rows: NDArray[np.float16], scores: Floats) -> None:
    """Sum in float16, in 32 lanes, as AVX512-FP16 does in simsimd 6."""
    lanes = np.zeros((len(rows), 32), np.float16)
    for start in range(0, rows.shape[1], 32):
        part = slice(start, start + 32)
        lanes += rows[:, part] * query[part].astype(np.float16)
    scores[:] = lanes.sum(axis=1, dtype=np.float16)


KERNELS: list[Kernel] = [simsimd_kernel, numpy_kernel]


# Search


@st.composite
def searches(draw: st.DrawFn) -> Search:
    """Rows of few directions, apart by about the error of the scan, so that the cut is tight."""
    dimension = draw(st.integers(2, 9))
    rows = draw(st.integers(0, 40))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    directions = random.standard_normal((draw(st.integers(1, 4)), dimension))
    spread = draw(st.sampled_from([0.0, 1e-4, 1e-3, 0.3]))
    vectors = directions[random.integers(0, len(directions), rows)]
    table = Table(dimension)
    table.add(
        np.cumsum(random.integers(1, 3, rows)),
        random.integers(0, draw(st.integers(1, 30)), rows),
        random.integers(0, 3, rows),
        unit(vectors + spread * random.standard_normal((rows, dimension))),
    )
    query = unit(directions[0] + draw(st.sampled_from([0, 0.5])) * directions[-1][::-1])
    kinds = draw(st.none() | st.lists(st.integers(0, 3), max_size=3))
    allowed = draw(st.none() | st.lists(st.integers(0, 30), unique=True))
    return table, query, draw(st.integers(1, 12)), kinds, allowed


@pytest.mark.parametrize("kernel", KERNELS)
@given(searches())
@settings(max_examples=2 * settings().max_examples, deadline=None)
def test_candidates_hold_all_that_the_exact_ranking_needs(kernel: Kernel, search: Search) -> None:
    table, query, limit, kinds, allowed = search
    owners = None if allowed is None else np.array(sorted(allowed), np.int64)
    check(table.filled(kernel), table, query, limit, kinds=kinds, allowed=owners)


@given(searches())
@settings(max_examples=2 * settings().max_examples, deadline=None)
def test_candidates_are_enough_for_the_worst_kernel(search: Search) -> None:
    table, query, limit, _, _ = search
    table.vectors = table.vectors.astype(np.float16).astype(np.float32)
    check(table.filled(noisy_kernel), table, query, limit)


@given(searches())
@settings(max_examples=2 * settings().max_examples, deadline=None)
def test_candidates_are_the_rows_within_the_margin(search: Search) -> None:
    table, query, limit, _, _ = search
    scores = np.empty(len(table.views), np.float32)
    numpy_kernel(query, table.vectors.astype(np.float16), scores)
    best = sorted(
        (scores[table.owners == owner].max() for owner in set(table.owners)), reverse=True
    )
    cut = best[limit - 1] - 2 * unit_vectors.ERROR if limit <= len(best) else -2
    views, _ = table.filled(numpy_kernel).candidates(query, limit)
    assert views.tolist() == table.views[scores >= cut].tolist()


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("limit", [1, 10, 200])
def test_candidates_on_clustered_data(kernel: Kernel, limit: int) -> None:
    table = made_up(12_000, 16)
    made = table.filled(kernel)
    random = np.random.default_rng(1)
    for query in unit(random.standard_normal((3, 16)) + table.vectors[:3]):
        assert check(made, table, query, limit) < 2_000
        check(made, table, query, limit, kinds=[1, 3])
        for share in (0.01, 0.3, 0.9):  # copied out, and scanned with the others
            allowed = np.flatnonzero(random.random(4_000) < share)
            check(made, table, query, limit, allowed=allowed)
            check(made, table, query, limit, kinds=[2], allowed=allowed)


def test_both_kernels_give_the_same_final_ranking() -> None:
    table = made_up(5_000, 32)
    query = table.vectors[77]
    for kernel in (simsimd_kernel, numpy_kernel):
        views, _ = table.filled(kernel).candidates(query, 50)
        found = table.copy()
        found.keep(np.isin(found.views, views))
        assert found.best(query, 50) == table.best(query, 50)


def test_the_margin_counts_from_the_last_wanted_owner() -> None:
    scores = 0.5 - unit_vectors.ERROR * np.array([0.0] * 20 + [1.5, 3.0, 4.0])
    table = Table(2)
    table.add(
        np.arange(1, 24),
        np.array([0] * 20 + [1, 2, 3]),
        np.zeros(23),
        np.stack([scores, np.sqrt(1 - scores**2)], axis=1).astype(np.float32),
    )
    assert check(table.filled(), table, np.array([1, 0], np.float32), 2) == 22


def test_rows_of_one_owner_do_not_hide_the_others() -> None:
    table = made_up(9_000, 16)
    query = table.vectors[0]
    crowd = unit(query + 1e-3 * np.random.default_rng(2).standard_normal((6_000, 16)))
    table.add(
        table.views[-1] + 1 + np.arange(6_000), np.full(6_000, 99_999), crowd[:, 0] > 0, crowd
    )
    check(table.filled(), table, query, 20)


def test_equal_vectors_are_all_returned() -> None:
    table = Table(4)
    rows = 20_000
    table.add(np.arange(1, rows + 1), np.arange(rows), np.zeros(rows), np.full((rows, 4), 0.5, "f"))
    assert check(table.filled(), table, table.vectors[0], 5) == rows


def test_owner_numbers_may_be_far_apart() -> None:
    table = made_up(300, 8)
    table.owners *= 10**12
    check(table.filled(), table, table.vectors[5], 10, allowed=np.unique(table.owners)[::2])


def test_removed_rows_are_not_found() -> None:
    table = made_up(6_000, 16)
    made = table.filled()
    absent = np.setdiff1d(np.arange(table.views[-1] + 9), table.views)
    for gone in (absent, table.views[::7], table.views[:50]):
        shrink(made, table, gone)
        check(made, table, table.vectors[3], 100)
        check(made, table, table.vectors[3], 100, kinds=[0, 1])
        assert made.count == len(table.views)


def test_a_search_for_none_or_in_nothing_is_harmless() -> None:
    made = Sidecar.empty(KEY, 8)
    query = unit(np.ones(8))
    assert made.candidates(query, 10)[0].size == 0
    assert made.candidates(query, 10, kinds=[1], allowed=np.array([1]))[0].size == 0
    made.remove(np.array([1, 2]))
    table = made_up(50, 8)
    made = table.filled()
    made.candidates(query, 0)
    assert made.candidates(query, 10, kinds=[])[0].size == 0
    assert made.candidates(query, 10, allowed=np.empty(0, np.int64))[0].size == 0
    made.remove(table.views)
    assert made.candidates(query, 10)[0].size == 0
    assert made.count == 0


# Kernels


@pytest.mark.parametrize("kernel", [simsimd_kernel, numpy_kernel])
@pytest.mark.parametrize("dimension", [1, 3, 384, 1030])
def test_kernels_stay_within_the_error(kernel: Kernel, dimension: int) -> None:
    random = np.random.default_rng(3)
    sizes = 10.0 ** random.integers(-6, 1, dimension)  # some are subnormal in float16
    rows = unit(random.standard_normal((3_000, dimension)) * sizes)
    scores = np.empty(len(rows), np.float32)
    kernel(rows[0], rows.astype(np.float16), scores)
    assert np.abs(scores - unit_vectors.scores(rows, rows[0])).max() < unit_vectors.ERROR


def test_numpy_kernel_knows_every_float16() -> None:
    every = np.arange(2**16, dtype=np.uint16).view(np.float16)
    every = every[np.isfinite(every)][:, None]
    scores = np.empty(len(every), np.float32)
    numpy_kernel(np.ones(1, np.float32), every, scores)
    assert np.array_equal(scores, every[:, 0].astype(np.float32))


def test_a_kernel_that_sums_in_float16_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unit_vectors, "simsimd_kernel", half_kernel)
    assert fastest_kernel.__wrapped__() is numpy_kernel


def test_simsimd_is_optional(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "simsimd", None)
    assert fastest_kernel.__wrapped__() is numpy_kernel


# Rows


def test_append_refuses_what_does_not_fit() -> None:
    made = made_up(10, 4).filled()
    good = made.highest + 1
    vector = unit(np.ones((1, 4)))

    def append(view: int, owner: int, kinds: int, vectors: Floats) -> None:
        made.append(np.array([view]), np.array([owner]), np.zeros(kinds, np.uint8), vectors)

    for wrong in (
        (-1, 1, 1, vector),
        (good, -1, 1, vector),
        (good, 1, 2, vector),
        (good, 1, 1, unit(np.ones((1, 5)))),
        (good, 1, 1, unit(np.ones((2, 4)))),
        (good, 1, 1, vector * np.float32(2)),
        (good, 1, 1, vector * np.float32(np.nan)),
    ):
        with pytest.raises(InvalidDataError):
            append(*wrong)
    assert (made.count, made.highest) == (10, good - 1)
    append(good, 1, 1, vector)
    assert (made.count, made.highest) == (11, good)


def test_a_save_is_worth_it_after_many_rows(tmp_path: Path) -> None:
    table = made_up(5_000, 4)
    made = table.filled()
    assert made.should_save
    made.save(tmp_path)
    assert not made.should_save


def test_rows_can_be_looked_at(tmp_path: Path) -> None:
    table = made_up(100, 8)
    made = table.filled()
    made.save(tmp_path)
    grow(made, table, 50)
    views, vectors = made.rows_of(table.views[90:])
    assert len(made) == 150
    assert views.tolist() == table.views[90:].tolist()
    assert np.array_equal(vectors, table.vectors[90:].astype(np.float16))
