from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from graphmemix.errors import (
    GraphMemixError,
)
from graphmemix.evidence import Edge
from graphmemix.store import Entry, Filter, Hit, Log, Store, export_archive
from tests.store.conftest import Archives, Pair
from tests.store.contents import (
    ENCODER,
    NOON,
    axis,
    entry,
    everything,
    note,
    portable_files,
    unit_vectors,
)
from tests.store.truth import Truth

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
    return replace(store.erase(ids), erased_at=NOON, finished_at=NOON)


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
