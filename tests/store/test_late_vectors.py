"""Memories that are found by words first, and get their vectors later."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from graphmemix.errors import MemoryNotFoundError
from graphmemix.store import Store
from graphmemix.store.sqlite import vectors as sqlite_vectors
from tests.store.conftest import Archives
from tests.store.contents import ENCODER, axis, derived, entry, found, found_words, note

NOON = datetime(2024, 5, 17, 12, tzinfo=UTC)


def words_only(store: Store, count: int) -> list[str]:
    """Store memories with words and keys, and without vectors."""
    names = [f"m{i}" for i in range(count)]
    store.add([entry(n, "", timestamp=NOON + timedelta(days=i)) for i, n in enumerate(names)])
    store.put_derived(
        {name: derived(name, [f"apple {name}"]) for name in names},
        keys={name: [f"id:{name}"] for name in names},
        pending=names,
    )
    return names


def test_words_are_found_before_there_are_vectors(store: Store) -> None:
    words_only(store, 3)
    assert sorted(found_words(store, "apple")) == ["m0", "m1", "m2"]
    assert found(store, axis(0)) == []


def test_the_newest_wait_in_front_and_those_without_a_time_behind(store: Store) -> None:
    words_only(store, 3)
    store.add([entry("undated", "pear")])
    store.put_derived({}, pending=["undated"])
    assert store.without_vectors() == ["m2", "m1", "m0", "undated"]
    assert store.without_vectors(limit=2) == ["m2", "m1"]
    assert store.count_without_vectors() == 4
    assert store.waiting(["m1", "undated", "nobody"]) == {"m1", "undated"}


def test_only_what_has_no_keys_has_no_words(store: Store) -> None:
    words_only(store, 2)
    store.add([entry("new", "pear")])
    store.put_derived({}, pending=["new"])
    assert store.without_words() == ["new"]


def test_late_vectors_are_found_even_by_who_has_searched_before(
    make_store: Archives, store: Store
) -> None:
    words_only(store, 3)
    store.add([entry("whole", "pear", [axis(3)])])  # a view behind those that wait
    reader = make_store(mode="read")
    assert found(reader, axis(3)) == ["whole"]
    store.put_vectors({"m0": [axis(0)], "m2": [axis(2)]}, ENCODER)
    for each in (reader, store):
        assert found(each, axis(2), limit=1) == ["m2"]
        assert sorted(found(each, axis(0))) == ["m0", "m2", "whole"]
    assert store.without_vectors() == ["m1"]
    store.erase(["m0"])
    assert sorted(found(reader, axis(0))) == ["m2", "whole"]
    assert store.check() == []


def test_a_vector_that_is_there_stays(store: Store) -> None:
    store.add([entry("a", "apple", [axis(0)])])
    store.put_vectors({"a": [axis(1)]}, ENCODER)
    [kept] = store.vectors(["a"])["a"]
    assert kept is not None
    assert kept.tolist() == axis(0).tolist()


def test_vectors_of_a_memory_that_is_gone_are_refused(store: Store) -> None:
    with pytest.raises(MemoryNotFoundError):
        store.put_vectors({"nobody": [axis(0)]}, ENCODER)


def test_a_memory_without_views_is_complete_at_once(store: Store) -> None:
    store.add([entry("a", "apple", [axis(0)])])
    store.add([entry("b")])
    store.put_derived({"b": derived("b", [])}, keys={"b": ["id:b"]}, pending=["b"])
    store.put_vectors({"b": []}, ENCODER)
    assert store.without_vectors() == []


def test_who_missed_many_late_vectors_starts_again(
    make_store: Archives, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_vectors, "_MOST_NOTED", 3)
    names = words_only(store, 8)
    store.add([entry("whole", "pear", [axis(3)])])
    reader = make_store(mode="read")
    assert found(reader, axis(3)) == ["whole"]
    for name in names:
        store.put_vectors({name: [axis(0)]}, ENCODER)
    assert sorted(found(reader, axis(0))) == [*names, "whole"]
    assert store.check() == []


def test_the_check_knows_vectors_that_came_after_the_cache_was_saved(
    make_store: Archives, store: Store
) -> None:
    words_only(store, 2)
    store.add([entry("whole", "pear", [axis(3)])])
    assert found(store, axis(3)) == ["whole"]
    store.close()
    again = make_store()
    again.put_vectors({"m0": [axis(0)]}, ENCODER)
    assert again.check() == []


def test_a_memory_waits_again_after_an_update(store: Store) -> None:
    store.add([entry("a", "apple", [axis(0)])])
    store.update(note("a", "pear"))
    assert store.without_vectors() == ["a"]
