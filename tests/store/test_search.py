from __future__ import annotations

import sys
import threading
from contextlib import ExitStack
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from graphmemix.errors import (
    EncoderMismatchError,
    GraphMemixError,
    InvalidDataError,
    InvalidInputError,
)
from graphmemix.memory import ViewKind
from graphmemix.store import Entry, Filter, Hit, Store
from tests.store.conftest import Archives
from tests.store.contents import (
    DIMENSION,
    ENCODER,
    Floats,
    axis,
    derived,
    entry,
    found,
    found_words,
    normalised,
    note,
    unit_vectors,
)
from tests.store.truth import Truth

KINDS: tuple[ViewKind, ...] = ("text", "caption", "image")


def clustered(count: int, *, seed: int) -> Floats:
    """Make vectors so near to each other that float16 cannot tell their order."""
    generator = np.random.default_rng(seed)
    centre = generator.standard_normal(64)
    return normalised(centre + 0.02 * generator.standard_normal((count, 64)))


def crowd(store: Store, rows: Floats) -> Truth:
    """Add memories with one to four views each."""
    truth = Truth()
    entries = []
    generator = np.random.default_rng(len(rows))
    position = number = 0
    while position < len(rows):
        mine = rows[position : position + int(generator.integers(1, 5))]
        kinds = [KINDS[int(k)] for k in generator.integers(0, 3, len(mine))]
        name = f"m{generator.integers(0, 10**9):09}"
        fields: dict[str, Any] = {"session": "odd" if number % 2 else "even"}
        entries.append(entry(name, "", list(mine), kinds=kinds, **fields))
        truth.owners += [name] * len(mine)
        truth.kinds += kinds
        truth.ordinals += range(len(mine))
        truth.rows += list(mine)
        position, number = position + len(mine), number + 1
    store.add(entries)
    return truth


@pytest.mark.parametrize("limit", [1, 10, 200, 5_000])
def test_exact_against_a_plain_scan_of_near_vectors(store: Store, limit: int) -> None:
    rows = clustered(1_200, seed=1)
    truth = crowd(store, rows)
    for query in clustered(3, seed=1):
        assert store.search_vectors(query, ENCODER, limit=limit) == truth.search(query, limit)


def test_filters_and_kinds_apply_before_the_cut(store: Store) -> None:
    rows = clustered(800, seed=2)
    truth = crowd(store, rows)
    odd = {memory.id for memory in store.find(Filter(sessions=("odd",)))}
    query = rows[0]
    for limit in (1, 20):
        filtered = store.search_vectors(
            query, ENCODER, limit=limit, filter=Filter(sessions=("odd",)), kinds=("image",)
        )
        assert filtered == truth.search(query, limit, kinds=("image",), allowed=odd)
        assert len(filtered) == limit
        of_kinds = store.search_vectors(query, ENCODER, limit=limit, kinds=["text", "caption"])
        assert of_kinds == truth.search(query, limit, kinds=("text", "caption"))


def test_the_best_view_speaks_for_its_memory(store: Store) -> None:
    near = normalised(axis(0) + 0.1 * axis(1))
    store.add(
        [
            entry("many", "", [axis(1), axis(0), axis(0)], kinds=("text", "image", "caption")),
            entry("one", "", [near]),
        ]
    )
    hits = store.search_vectors(axis(0), ENCODER)
    assert hits[0] == Hit("many", 1.0, "image", 1)
    assert [hit.memory_id for hit in hits] == ["many", "one"]
    assert found(store, axis(0), kinds=["text"]) == ["one", "many"]
    assert found(store, axis(0), kinds=["frame"]) == found(store, axis(0), kinds=[]) == []


def test_a_memory_with_many_views_does_not_crowd_out_others(store: Store) -> None:
    store.add([entry("crowd", "", [axis(0)] * 500)])
    store.add([entry(f"m{n}", "", [row]) for n, row in enumerate(unit_vectors(5))])
    assert len(found(store, axis(0), limit=3)) == 3
    assert found(store, axis(0), limit=3)[0] == "crowd"


def test_ties_go_to_the_lower_id(store: Store) -> None:
    names = ["b", "a", "C", "é", "B", "aa", "\U0001f600", "\uff5e"]
    store.add([entry(name, "same words", [axis(0)]) for name in names])
    assert found(store, axis(0)) == found_words(store, "words") == sorted(names)
    assert found(store, axis(0), limit=3) == sorted(names)[:3]
    assert found_words(store, "words", limit=3) == sorted(names)[:3]


def test_views_without_vectors_are_not_found(store: Store) -> None:
    store.add([entry("a", "x", [None, axis(0)]), entry("b", "x", [None]), Entry(note("c"))])
    assert store.search_vectors(axis(0), ENCODER) == [Hit("a", 1.0, "text", 1)]


def test_an_archive_without_vectors_finds_nothing(store: Store) -> None:
    assert store.search_vectors(axis(0), ENCODER) == []
    store.add([entry("a", "x")])
    assert store.search_vectors(axis(0), "any") == []
    assert store.score_vectors(axis(0), "any", ["a"]) == {}
    assert [*store.graph_vectors()] == []
    assert store.encoder() is None


def test_a_limit_beyond_the_archive_gives_all(store: Store) -> None:
    store.add([entry(f"m{n}", "word", [row]) for n, row in enumerate(unit_vectors(5))])
    assert len(found(store, axis(0), limit=10**6)) == 5
    assert len(found(store, axis(0), limit=sys.maxsize)) == 5
    assert len(found_words(store, "word", limit=sys.maxsize)) == 5
    assert len(store.find(limit=sys.maxsize)) == 5


@pytest.mark.parametrize("limit", [0, -1])
def test_limits_below_one_are_refused(store: Store, limit: int) -> None:
    store.add([entry("a", "word", [axis(0)])])
    with pytest.raises(InvalidInputError, match="limit"):
        store.search_vectors(axis(0), ENCODER, limit=limit)
    with pytest.raises(InvalidInputError, match="limit"):
        store.search_text("word", limit=limit)


def test_another_encoder_is_refused_with_the_way_out(store: Store) -> None:
    store.add([entry("a", "x", [axis(0)])])
    with pytest.raises(EncoderMismatchError, match="graphmemix reencode") as caught:
        store.search_vectors(axis(0), "clip/512")
    assert (caught.value.stored, caught.value.asked) == (ENCODER, "clip/512")
    with pytest.raises(EncoderMismatchError, match="graphmemix reencode"):
        store.add([entry("b", "x", [axis(0)], encoder="clip/512")])
    with pytest.raises(EncoderMismatchError):
        store.put_derived({"a": derived("a", ["x"], [axis(0)], encoder="clip/512")})
    assert found(store, axis(0)) == ["a"]


BAD_QUERIES: dict[str, Any] = {
    "nan": np.full(DIMENSION, np.nan, np.float32),
    "infinite": np.full(DIMENSION, np.inf, np.float32),
    "zero": np.zeros(DIMENSION, np.float32),
    "long": 2 * axis(0),
    "short": 0.9 * axis(0),
    "dimension": axis(0, dimension=9),
    "empty": np.empty(0, np.float32),
    "matrix": np.eye(DIMENSION, dtype=np.float32)[:1],
    "number": np.float32(1),
    "words": "one",
    "huge": np.full(DIMENSION, 1e300),
    "objects": np.array([None] * DIMENSION),
}


@pytest.mark.parametrize("query", BAD_QUERIES)
def test_bad_queries_are_refused(store: Store, query: str) -> None:
    store.add([entry("a", "x", [axis(0)])])
    with pytest.raises(InvalidDataError, match="query"):
        store.search_vectors(BAD_QUERIES[query], ENCODER)


def test_bad_queries_are_refused_by_an_empty_archive_too(store: Store) -> None:
    with pytest.raises(InvalidDataError):
        store.search_vectors(BAD_QUERIES["nan"], ENCODER)


def test_unknown_kinds_are_refused(store: Store) -> None:
    store.add([entry("a", "word", [axis(0)])])
    unknown: Any = ["smell"]
    with pytest.raises(GraphMemixError):
        store.search_vectors(axis(0), ENCODER, kinds=unknown)
    with pytest.raises(GraphMemixError):
        store.search_text("word", kinds=unknown)


def test_search_follows_every_change(store: Store) -> None:
    store.add([entry("a", "apple", [axis(0)]), entry("b", "apple pie", [axis(1)])])
    assert found(store, axis(0), limit=1) == ["a"]
    assert found_words(store, "apple") == ["a", "b"]
    store.update(note("a", "now"), derived("a", ["now"], [axis(2)]))
    store.add([entry("c", "apple", [axis(0)])])
    assert found(store, axis(0), limit=1) == ["c"]
    assert found_words(store, "apple") == ["c", "b"]
    store.erase(["c"])
    assert found(store, axis(2)) == ["a", "b"]
    assert found_words(store, "apple") == ["b"]
    store.put_derived({"b": derived("b", ["pear"], [axis(3)])})
    assert found_words(store, "apple") == []
    assert found_words(store, "pear now") == ["a", "b"]
    assert found(store, axis(3), limit=1) == ["b"]
    store.erase(["a", "b"])
    assert found(store, axis(0)) == found_words(store, "pear") == []
    store.add([entry("a", "apple", [axis(0)])])
    assert found(store, axis(0)) == found_words(store, "apple") == ["a"]


def test_a_reader_sees_what_the_writer_commits(make_store: Archives) -> None:
    writer = make_store()
    writer.add([entry("a", "apple", [axis(0)])])
    reader = make_store(mode="read")
    assert found(reader, axis(0)) == found_words(reader, "apple") == ["a"]
    writer.add([entry("b", "apple", [axis(0)])])
    assert found(reader, axis(0)) == found_words(reader, "apple") == ["a", "b"]
    writer.update(note("a", "pear"), derived("a", ["pear"], [axis(1)]))
    assert found(reader, axis(1), limit=1) == found_words(reader, "pear") == ["a"]
    assert found_words(reader, "apple") == ["b"]
    writer.erase(["b"])
    assert found(reader, axis(0)) == ["a"]
    assert found_words(reader, "apple") == []
    writer.reencode("other/2", lambda views: [axis(0, dimension=2)] * len(views))
    assert reader.encoder() == "other/2"
    assert [h.memory_id for h in reader.search_vectors(axis(0, dimension=2), "other/2")] == ["a"]


def test_a_snapshot_does_not_move(store: Store) -> None:
    store.add([entry(f"m{n}", "apple", [row]) for n, row in enumerate(unit_vectors(6))])

    def look() -> tuple[object, ...]:
        nearest = store.search_vectors(axis(0), ENCODER, limit=3)
        scores = store.score_text("apple", ["m0", "m1", "new"])
        return store.count(), nearest, store.search_text("apple", limit=3), scores, store.find()

    def change() -> None:
        best = store.search_vectors(axis(0), ENCODER)[0].memory_id
        store.put_derived({best: derived(best, ["pear"], [axis(7)])})
        store.add([entry("new", "apple apple", [axis(0)])])
        look()  # brings this handle's caches up to date

    with store.snapshot():
        before = look()
        changing = threading.Thread(target=change)
        changing.start()
        changing.join()
        after = look()
    assert after == before
    assert found(store, axis(0), limit=1) == ["new"]


def test_scores_are_those_of_the_search(store: Store) -> None:
    crowd(store, unit_vectors(200))
    query = unit_vectors(1, seed=4)[0]
    for kinds in (None, ("text", "image")):
        hits = store.search_vectors(query, ENCODER, limit=1_000, kinds=kinds)
        every = {hit.memory_id: hit.score for hit in hits}
        some = [hit.memory_id for hit in hits][::3]
        scores = store.score_vectors(query, ENCODER, [*some, "nobody"], kinds=kinds)
        assert scores == {memory_id: every[memory_id] for memory_id in some}
    assert store.score_vectors(query, ENCODER, []) == {}
    with pytest.raises(EncoderMismatchError):
        store.score_vectors(query, "clip/512", [])
    with pytest.raises(InvalidDataError):
        store.score_vectors(2 * query, ENCODER, [])


def test_graph_vectors_are_those_of_the_first_view_with_one(store: Store) -> None:
    mean = normalised(axis(0) + axis(1))
    store.add(
        [
            entry("a", "x", [None, axis(2), axis(3)]),
            entry("b", "x", [None]),
            Entry(note("c")),
            entry("video", "", [axis(0), axis(1)], kinds=("frame", "frame"), kind="video"),
        ]
    )
    vectors = dict(store.graph_vectors())
    assert set(vectors) == {"a", "video"}
    assert vectors["a"].tobytes() == axis(2).tobytes()
    assert np.allclose(vectors["video"], mean)


def test_a_memory_that_is_found_by_its_labels_alone_has_no_graph_vector(store: Store) -> None:
    store.add(
        [
            entry("labels", "Vienna", [axis(0)], kinds=("context",), kind="photo"),
            entry("words", "Vienna", [axis(0), axis(0)], kinds=("caption", "context")),
        ]
    )
    assert set(dict(store.graph_vectors())) == {"words"}
    assert sorted(found(store, axis(0), limit=2)) == ["labels", "words"]


def test_a_snapshot_looks_a_memory_up_once(store: Store) -> None:
    store.add([entry("a", "apple", [axis(0)]), entry("b", "pear", [axis(1)])])
    store.score_text("apple", ["a"])  # reads the index
    with store.snapshot() as opened, ExitStack() as stack:
        session: Any = opened
        run = stack.enter_context(patch.object(session, "run", wraps=session.run))
        for _ in range(2):
            assert set(store.score_text("apple", ["a", "b", "c"])) == {"a"}
            assert set(store.outlines(["c", "b", "a"])) == {"a", "b"}
    lookups = [call for call in run.call_args_list if "SELECT id, mid, version" in call.args[0]]
    assert len(lookups) == 1
