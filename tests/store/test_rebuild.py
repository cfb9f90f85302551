from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest

from graphmemix.errors import (
    GraphMemixError,
)
from graphmemix.memory import Memory
from graphmemix.store import Derived, Store
from tests.store.conftest import Archives
from tests.store.contents import ENCODER, axis, crowd, derived, everything, fill, found_words


def shouted(memories: Sequence[Memory]) -> Iterable[Derived]:
    """Derive other views than before."""
    for memory in memories:
        yield derived(memory.id, [memory.text.upper(), "shouted"], [axis(3), None])


def test_rebuild_makes_views_and_vectors_anew(store: Store) -> None:
    fill(store)
    edges = store.edges(["chat-1", "mail-1"])
    store.rebuild(shouted)
    views = store.views(memory.id for memory in store.find())
    assert [view.text for view in views["note-2"]] == ["NOTHING WAS DERIVED FROM THIS", "shouted"]
    assert len(found_words(store, "shouted")) == 5
    assert [hit.score for hit in store.search_vectors(axis(3), ENCODER)] == [1.0] * 5
    assert store.without_vectors() == []
    assert store.edges(["chat-1", "mail-1"]) == edges
    assert store.check() == []


def test_rebuild_tells_its_progress_over_many_batches(store: Store) -> None:
    crowd(store, 600)
    asked: list[str] = []
    seen: list[tuple[int, int]] = []

    def derive(memories: Sequence[Memory]) -> Iterable[Derived]:
        asked.extend(memory.id for memory in memories)
        return shouted(memories)

    store.rebuild(derive, progress=lambda done, total: seen.append((done, total)))
    assert asked == [f"m{n:04}" for n in range(600)]
    assert seen == sorted(seen)
    assert seen[-1] == (600, 600)
    assert len(found_words(store, "shouted", limit=1000)) == 600


def test_rebuild_without_derive_keeps_views_and_mends_the_rest(make_store: Archives) -> None:
    with make_store() as store:
        fill(store)
        store.search_text("canal")
        before = everything(store)
    make_store.run("UPDATE views SET length = 1, terms = :nothing", nothing=b"")
    with make_store() as store:
        store.rebuild()
        assert everything(store) == before
        assert found_words(store, "canal") == ["chat-1"]
        assert store.check() == []


def test_a_reader_sees_rebuilt_postings(make_store: Archives) -> None:
    with make_store() as store:
        fill(store)
    make_store.run(
        "UPDATE views SET length = 0, terms = :nothing WHERE archive = :archive", nothing=b""
    )
    writer, reader = make_store(), make_store(mode="read")
    found_words(reader, "canal")
    writer.rebuild()
    assert found_words(reader, "canal") == found_words(writer, "canal") == ["chat-1"]


def test_rebuild_survives_deleted_caches(make_sqlite: Archives) -> None:
    with make_sqlite() as store:
        fill(store)
        hits = store.search_vectors(axis(0), ENCODER), store.search_text("words")
    for path in (make_sqlite.folder / "archive" / "cache").iterdir():
        path.unlink()
    with make_sqlite(mode="read") as store:
        assert (store.search_vectors(axis(0), ENCODER), store.search_text("words")) == hits


@pytest.mark.parametrize("count", [0, 4, 6])
def test_rebuild_refuses_another_count_than_asked(store: Store, count: int) -> None:
    fill(store)
    before = everything(store)
    with pytest.raises(GraphMemixError):
        store.rebuild(lambda memories: [Derived()] * count)
    assert everything(store) == before


def test_an_interrupted_rebuild_leaves_whole_memories(store: Store) -> None:
    crowd(store, 300)

    def derive(memories: Sequence[Memory]) -> Iterable[Derived]:
        if memories[0].id != "m0000":
            raise KeyboardInterrupt
        return shouted(memories)

    with pytest.raises(KeyboardInterrupt):
        store.rebuild(derive)
    assert store.check() == []
    assert {len(views) for views in store.views([m.id for m in store.find()]).values()} == {1, 2}
