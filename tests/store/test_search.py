"""Search in both stores: by vectors against a plain float32 scan, by words, and interleaved."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from graphmemix.errors import (
    EncoderMismatchError,
    GraphMemixError,
    InvalidDataError,
    InvalidInputError,
)
from graphmemix.evidence import Edge
from graphmemix.memory import ViewKind
from graphmemix.store import Entry, Filter, Hit, Log, Store, export_archive, rescore
from tests.store.conftest import Archives, Pair
from tests.store.contents import (
    DIMENSION,
    ENCODER,
    NOON,
    Floats,
    axis,
    derived,
    entry,
    everything,
    found,
    found_words,
    normalised,
    note,
    portable_files,
    unit_vectors,
)

KINDS: tuple[ViewKind, ...] = ("text", "caption", "image")


@dataclass
class Truth:
    """What is in an archive, for a plain float32 scan."""

    owners: list[str] = field(default_factory=list)
    kinds: list[ViewKind] = field(default_factory=list)
    ordinals: list[int] = field(default_factory=list)
    rows: list[Floats] = field(default_factory=list)

    def search(
        self,
        query: Floats,
        limit: int,
        *,
        kinds: tuple[ViewKind, ...] | None = None,
        allowed: set[str] | None = None,
    ) -> list[Hit]:
        if not self.rows:
            return []
        scores = rescore.scores(np.stack(self.rows), query).tolist()
        best: dict[str, Hit] = {}
        for score, owner, kind, ordinal in zip(
            scores, self.owners, self.kinds, self.ordinals, strict=True
        ):
            if (kinds is not None and kind not in kinds) or owner not in (allowed or {owner}):
                continue
            held = best.get(owner)
            if held is None or (score, -ordinal) > (held.score, -held.view_ordinal):
                best[owner] = Hit(owner, score, kind, ordinal)
        return sorted(best.values(), key=lambda hit: (-hit.score, hit.memory_id))[:limit]


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


# Vectors


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


# Words


def add_texts(store: Store) -> None:
    texts = {
        "mail": "Mail to a.lee@mail.org about invoice 7Q4-118 of 2023-07-14",
        "tokyo": "東京都に行きました。桜が咲いている",
        "seoul": "서울에서 만나요",
        "walks": "We were walking along the canal; she walks every day",
        "stop": "the the the the the",
        "who": "A concert of The Who in the park",
        "empty": "",
        "numbers": "It cost 1,234.56 euros, paid at 18:30",
    }
    store.add([entry(name, text, speaker=name) for name, text in texts.items()])


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("7Q4-118", "mail"),
        ("a.lee@mail.org", "mail"),
        ("2023-07-14", "mail"),
        ("東京", "tokyo"),
        ("京都に", "tokyo"),
        ("서울", "seoul"),
        ("WALKED", "walks"),
        ("the who concert", "who"),
        ("1.234,56", "numbers"),
        ("18:30", "numbers"),
        ("nowhere canal", "walks"),
    ],
)
def test_words_find(pair: Pair, query: str, best: str) -> None:
    add_texts(pair.sqlite)
    add_texts(pair.postgres)
    hits = pair.same(lambda store: store.search_text(query))
    assert hits[0].memory_id == best
    assert hits[0].score > 0


@pytest.mark.parametrize("query", ["", "   ", "?!", "\x00", "zebra", "'; DROP TABLE views; --"])
def test_words_that_find_nothing(store: Store, query: str) -> None:
    add_texts(store)
    assert found_words(store, query) == []


def test_rare_words_weigh_more_and_short_texts_win(store: Store) -> None:
    store.add([entry(f"m{n}", "common words of the day") for n in range(20)])
    store.add([entry("rare", "common zebra"), entry("long", "common zebra " + "padding " * 50)])
    assert found_words(store, "common zebra")[:2] == ["rare", "long"]
    scores = [hit.score for hit in store.search_text("common zebra")]
    assert scores == sorted(scores, reverse=True)


def test_the_best_view_speaks_for_its_words(store: Store) -> None:
    store.add(
        [
            Entry(note("a"), derived("a", ["pear", "apple tart"], kinds=("text", "caption"))),
            Entry(note("b"), derived("b", ["apple and much else besides"])),
        ]
    )
    hits = store.search_text("apple")
    assert [(h.memory_id, h.view_kind, h.view_ordinal) for h in hits] == [
        ("a", "caption", 1),
        ("b", "text", 0),
    ]
    assert found_words(store, "apple", kinds=["text"]) == ["b"]
    assert found_words(store, "apple", kinds=["ocr"]) == []


def test_word_filters_apply_before_the_cut(store: Store) -> None:
    store.add([entry(f"m{n:02}", "apple", session=str(n % 2)) for n in range(40)])
    store.add([entry("last", "apple with more words around it", session="1", timestamp=NOON)])
    assert found_words(store, "apple", limit=2, filter=Filter(sessions=("1",))) == ["m01", "m03"]
    assert found_words(store, "apple", limit=1, filter=Filter(since=NOON)) == ["last"]
    assert found_words(store, "apple", filter=Filter(sessions=("2",))) == []


def test_both_stores_rank_words_alike(pair: Pair) -> None:
    generator = np.random.default_rng(3)
    vocabulary = [f"word{n}" for n in range(60)] + ["東京", "a.b@c.org", "7Q4-118", "walking"]
    weights = 1 / np.arange(1, len(vocabulary) + 1)

    def text(length: int) -> str:
        chosen = generator.choice(vocabulary, length, p=weights / weights.sum())
        return " ".join(chosen.tolist())

    entries = [
        Entry(note(f"m{n}"), derived(f"m{n}", [text(int(k)) for k in generator.integers(1, 30, 2)]))
        for n in range(300)
    ]
    pair.same(lambda store: store.add(entries))
    for _ in range(20):
        query = text(4)
        assert pair.same(lambda store, q=query: store.search_text(q, limit=50))  # type: ignore[misc]


def test_word_scores_are_those_of_the_search(store: Store) -> None:
    add_texts(store)
    for query in ("the concert walking", "東京 mail"):
        every = {hit.memory_id: hit.score for hit in store.search_text(query)}
        some = [*every][::2]
        scores = store.score_text(query, [*some, "empty", "nobody"])
        assert scores == {memory_id: every[memory_id] for memory_id in some}
    assert store.score_text("", ["mail"]) == store.score_text("mail", []) == {}
    assert store.score_text("mail", ["mail"], kinds=["caption"]) == {}


# Interleaved

NAMES = st.sampled_from(["a", "b", "c", "d", "B", "é", "e"])
TEXTS = st.sampled_from(["apple", "apple pie", "pear", "東京都", "7Q4-118 apple", "", "the the"])
ROWS = st.integers(0, 11).map(lambda n: unit_vectors(12, seed=9)[n])
VECTORS = st.lists(st.none() | ROWS, min_size=1, max_size=3)
LOGS = st.builds(
    lambda number, ids: Log(f"log-{number}", "trace", NOON, "{}", tuple(sorted(ids))),
    st.integers(0, 2),
    st.sets(NAMES, max_size=2),
)


def _edge(ends: set[str], confidence: float) -> Edge:
    source, target = sorted(ends)
    return Edge(source, target, "semantic", confidence)


EDGES = st.builds(_edge, st.sets(NAMES, min_size=2, max_size=2), st.sampled_from([0.25, 1 / 3]))
OPERATIONS = st.one_of(
    st.builds(
        lambda name, text, rows, s: ("add", entry(name, text, rows, session=s)),
        NAMES,
        TEXTS,
        VECTORS,
        st.sampled_from(["s", "t"]),
    ),
    st.builds(lambda name: ("add", Entry(note(name, "bare"))), NAMES),
    st.builds(lambda name, text, rows: ("update", entry(name, text, rows)), NAMES, TEXTS, VECTORS),
    st.builds(lambda name, text, rows: ("derive", entry(name, text, rows)), NAMES, TEXTS, VECTORS),
    st.builds(lambda ids: ("erase", sorted(ids)), st.sets(NAMES, min_size=1, max_size=3)),
    st.builds(lambda edge: ("edge", edge), EDGES),
    st.builds(lambda edge: ("unedge", edge), EDGES),
    st.builds(lambda log: ("log", log), LOGS),
    st.builds(
        lambda name, other, key: ("relate", (name, other, key)), NAMES, NAMES, st.sampled_from("kl")
    ),
    st.sampled_from([("rebuild", None), ("search", None), ("search", None)]),
)


def _erase(store: Store, ids: Any) -> object:
    return replace(store.erase(ids), erased_at=NOON)


def _relate(store: Store, what: Any) -> object:
    memory_id, other, key = what
    keys, neighbours = {memory_id: [key]}, {memory_id: [(other, 0.5)]}
    return store.put_derived({}, keys=keys, neighbours=neighbours)  # type: ignore[func-returns-value]


ACTIONS: dict[str, Callable[[Store, Any], object]] = {
    "add": lambda store, each: store.add([each]),
    "update": lambda store, each: store.update(each.memory, each.derived),
    "derive": lambda store, each: store.put_derived({each.memory.id: each.derived}),
    "erase": _erase,
    "edge": lambda store, edge: store.change_edges(add=[edge]),
    "unedge": lambda store, edge: store.change_edges(remove=[edge]),
    "relate": _relate,
    "log": lambda store, log: store.put_log(log),
    "rebuild": lambda store, _: store.rebuild(),
    "search": lambda store, _: searches(store),
}


def operate(store: Store, name: str, what: Any) -> object:
    """Do one operation; return what it tells, but for times."""
    return ACTIONS[name](store, what)


def searches(store: Store) -> tuple[object, ...]:
    hits: list[list[Hit]] = []
    ids = [memory.id for memory in store.find()]
    serving = store.encoder() or ENCODER
    scores = [
        store.score_vectors(axis(0), serving, ids),
        store.score_text("apple", ids),
        {memory_id: float(row[0]) for memory_id, row in store.graph_vectors()},
    ]
    for only in (None, Filter(sessions=("s",))):
        for query in unit_vectors(3, seed=9):
            hits += [
                store.search_vectors(query, serving, filter=only),
                store.search_vectors(query, serving, limit=2, filter=only),
            ]
        for words in ("apple", "pear 東京", "7Q4-118 the"):
            hits.append(store.search_text(words, limit=3, filter=only))
    return hits, scores


@settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(operations=st.lists(OPERATIONS, min_size=5, max_size=25))
@example(
    operations=[
        ("add", entry("a", "apple", [axis(0)])),
        ("search", None),
        ("update", entry("a", "pear", [axis(1), None])),
        ("search", None),
        ("erase", ["a"]),
        ("search", None),
        ("add", entry("a", "apple", [axis(0)])),
    ]
)
def test_any_interleaving_leaves_both_stores_alike(
    make_pair: Callable[[], Pair], tmp_path: Path, operations: list[tuple[str, Any]]
) -> None:
    pair = make_pair()
    for name, what in operations:
        pair.same_outcome(lambda store, n=name, w=what: operate(store, n, w))  # type: ignore[misc]
    pair.same(searches)
    pair.same(everything)
    folders = [tmp_path / f"{each}-{len([*tmp_path.iterdir()])}" for each in ("here", "there")]
    for store, folder in zip(pair, folders, strict=True):
        export_archive(store, folder)
    here, there = (portable_files(folder, times=False) for folder in folders)
    assert here == there
    assert pair.sqlite.check() == pair.postgres.check() == []
    pair.close()


@settings(
    max_examples=10,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(operations=st.lists(OPERATIONS, min_size=10, max_size=40))
def test_any_interleaving_is_searched_as_by_a_plain_scan(
    make_sqlite: Archives, operations: list[tuple[str, Any]]
) -> None:
    store = make_sqlite.fresh()
    for name, what in operations:
        try:
            operate(store, name, what)
        except GraphMemixError:
            continue
    truth = Truth()
    ids = [memory.id for memory in store.find()]
    vectors = store.vectors(ids)
    for owner, views in store.views(ids).items():
        for view, row in zip(views, vectors[owner], strict=True):
            if row is not None:
                truth.owners.append(owner)
                truth.kinds.append(view.kind)
                truth.ordinals.append(view.ordinal)
                truth.rows.append(row)
    for query in unit_vectors(12, seed=9):
        for limit in (1, 2, 10):
            assert store.search_vectors(query, ENCODER, limit=limit) == truth.search(query, limit)
    store.close()
