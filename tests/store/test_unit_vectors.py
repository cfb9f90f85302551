from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from graphmemix.errors import ArchiveDamagedError
from graphmemix.store import Entry, open_store
from graphmemix.store import unit_vectors as module
from graphmemix.store.unit_vectors import ExactVectors, VectorCache, exact_vectors, ranked, scores
from tests.store.conftest import Archives
from tests.store.contents import ENCODER, axis, entry, found, unit_vectors

BYTES = 4 * 3


def some(*vids: int) -> tuple[NDArray[np.int64], ExactVectors]:
    """Make views whose vectors tell their numbers."""
    numbers = np.array(vids, np.int64)
    views = np.stack([numbers * 10, numbers * 0, numbers % 2], axis=1)
    return numbers, ExactVectors(views, np.repeat(numbers, 3).reshape(-1, 3).astype(np.float32))


def held(kept: VectorCache, *vids: int) -> tuple[list[int], list[int]]:
    """Return which views are kept, by their vectors, and which are not."""
    views, missing = kept.take(np.array(vids, np.int64))
    assert (views.views[:, 0] == 10 * views.vectors[:, 0]).all()
    return views.vectors[:, 2].astype(int).tolist(), missing.tolist()


def test_what_is_kept_is_told_and_the_rest_named() -> None:
    kept = VectorCache("key", 3)
    assert held(kept) == ([], [])
    assert held(kept, 5, 5000) == ([], [5, 5000])
    kept.keep(*some(5, 7, 2000))
    assert held(kept, 7, 1, 5, 2000, 1_000_000) == ([7, 5, 2000], [1, 1_000_000])
    kept.keep(*some(1))
    assert held(kept, 1, 2000) == ([1, 2000], [])
    assert [kept.holds(vid) for vid in (1, 2, 2000, 5000)] == [True, False, True, False]


def test_without_room_the_others_are_forgotten() -> None:
    kept = VectorCache("key", 3, most_bytes=4 * BYTES)
    kept.keep(*some(1, 2, 3))
    assert not kept.has_room(2)
    kept.keep(*some(4, 5))
    assert held(kept, 1, 2, 3, 4, 5) == ([4, 5], [1, 2, 3])
    kept.keep(*some(6, 7, 8, 9, 10))  # more than there is room for at all
    assert held(kept, 4, 5, 6) == ([4, 5], [6])


def test_views_of_very_high_numbers_are_not_kept() -> None:
    kept = VectorCache("key", 3)
    kept.keep(*some(1 << 40))
    assert held(kept, 1 << 40) == ([], [1 << 40])


def test_a_vector_of_another_length_is_damage() -> None:
    with pytest.raises(ArchiveDamagedError):
        exact_vectors([(1, 0, 0, b"1234"), (2, 0, 0, b"12345678")], 1)
    assert len(exact_vectors([], 5)) == 0


@given(st.integers(1, 40), st.integers(1, 900), st.integers(0, 2**32 - 1))
def test_a_score_does_not_depend_on_what_is_scored_with_it(
    count: int, dimension: int, seed: int
) -> None:
    rows = unit_vectors(count + 1, dimension=dimension, seed=seed)
    query, rows = rows[0], rows[1:]
    together = scores(rows, query)
    alone = [scores(rows[i : i + 1], query)[0] for i in range(count)]
    assert together.tolist() == alone
    assert scores(rows[::-1], query)[::-1].tolist() == alone
    assert np.abs(together - rows.astype(np.float64) @ query).max() < 1e-5


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(0, 3), st.sampled_from([0.1, 0.2, 0.3]))))
def test_ranked_takes_the_best_view_of_each_memory(rows: list[tuple[int, int, float]]) -> None:
    rows = list({row[:2]: row for row in rows}.values())  # an ordinal comes once
    views = np.array([row[:2] for row in rows], np.int64).reshape(-1, 2)
    order = [rows[i] for i in ranked(views, np.array([row[2] for row in rows])).tolist()]
    best: dict[int, tuple[int, int, float]] = {}
    for mid, ordinal, score in sorted(rows, key=lambda row: (-row[2], row[1])):
        best.setdefault(mid, (mid, ordinal, score))
    assert sorted(order) == sorted(best.values())
    assert [row[2] for row in order] == sorted((row[2] for row in order), reverse=True)


def test_little_room_changes_nothing(make_store: Archives, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = unit_vectors(60)
    with make_store() as store:
        store.add(entry(f"m{i:02}", "", [rows[i], rows[-i]]) for i in range(60))
        expected = [store.search_vectors(row, ENCODER, limit=9) for row in rows]
    monkeypatch.setattr(module, "MOST_BYTES", 10 * 4 * 8)
    with make_store() as store:
        for _ in range(2):
            assert [store.search_vectors(row, ENCODER, limit=9) for row in rows] == expected


def test_vectors_of_another_encoder_with_the_same_number_are_not_mixed_up(
    make_store: Archives,
) -> None:
    """An encoder that sees nothing leaves no encoder; the next one gets the first number again."""
    store = make_store()
    store.add([entry("a", "", [axis(0)]), entry("b", "", [axis(1)])])
    with make_store(mode="read") as reader:
        assert found(reader, axis(0), limit=1) == ["a"]
        store.reencode("blind", lambda views: [None] * len(views))
        swapped = {"a": axis(1), "b": axis(0)}
        store.reencode("other", lambda views: [swapped[view.memory_id] for view in views])
        for each in (store, reader):
            hits = each.search_vectors(axis(0), "other", limit=2)
            assert [(hit.memory_id, hit.score) for hit in hits] == [("b", 1.0), ("a", 0.0)]
            assert each.score_vectors(axis(1), "other", ["a"]) == {"a": 1.0}


def test_erased_vectors_are_not_kept(tmp_path: Path) -> None:
    with open_store(tmp_path / "archive") as store:
        store.add([entry("a", "", [axis(0)]), Entry(entry("b", "").memory)])
        found(store, axis(0))
        core = vars(store.search_vectors.__self__)["_core"]  # type: ignore[attr-defined]
        assert len(core._vectors) == 1
        store.erase(["a"])
        assert not core._vectors
