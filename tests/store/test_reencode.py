from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from graphmemix.errors import (
    EncoderMismatchError,
    InvalidDataError,
)
from graphmemix.memory import View
from graphmemix.store import Store
from tests.store.conftest import Archives
from tests.store.contents import (
    ENCODER,
    Floats,
    axis,
    crowd,
    derived,
    entry,
    everything,
    fill,
    found,
    found_words,
    note,
    unit_vectors,
)

OTHER = "other/5"


def other_vector(view: View) -> Floats:
    """What another encoder makes of a view."""
    seed = sum(view.memory_id.encode()) + view.ordinal
    [row] = unit_vectors(1, dimension=5, seed=seed)
    vector: Floats = row
    return vector


def other_encode(views: Sequence[View]) -> list[Floats]:
    return [other_vector(view) for view in views]


def test_reencode_switches_all_vectors(store: Store) -> None:
    fill(store)
    views = store.views([memory.id for memory in store.find()])
    store.reencode(OTHER, other_encode)
    assert store.encoder() == OTHER
    vectors = store.vectors(views)
    for memory_id, mine in views.items():
        expected = [other_vector(view).tobytes() for view in mine]
        assert [None if v is None else v.tobytes() for v in vectors[memory_id]] == expected
    with pytest.raises(EncoderMismatchError):
        store.search_vectors(axis(0), ENCODER)
    assert len(store.search_vectors(axis(0, dimension=5), OTHER)) == 4
    assert store.stats().vectors == {OTHER: 6}
    assert store.check() == []


def test_the_old_vectors_serve_until_the_switch(store: Store) -> None:
    crowd(store, 600)
    before = store.search_vectors(axis(0), ENCODER)
    calls = []

    def encode(views: Sequence[View]) -> list[Floats]:
        calls.append(len(views))
        assert store.encoder() == ENCODER
        assert store.search_vectors(axis(0), ENCODER) == before
        with pytest.raises(EncoderMismatchError):
            store.search_vectors(axis(0, dimension=5), OTHER)
        return other_encode(views)

    store.reencode(OTHER, encode)
    assert len(calls) > 1
    assert sum(calls) == 600


def test_an_interrupted_reencoding_goes_on_where_it_stopped(make_store: Archives) -> None:
    encoded: list[str] = []

    def failing(views: Sequence[View]) -> list[Floats]:
        if len(encoded) >= 512:
            raise KeyboardInterrupt
        encoded.extend(view.memory_id for view in views)
        return other_encode(views)

    with make_store() as store:
        crowd(store, 700)
        with pytest.raises(KeyboardInterrupt):
            store.reencode(OTHER, failing)
        assert store.encoder() == ENCODER
        assert store.check() == []
    done = len(encoded)
    assert 0 < done < 700
    with make_store() as store:
        assert len(found(store, axis(0), limit=1000)) == 700
        rest: list[str] = []

        def encode(views: Sequence[View]) -> list[Floats]:
            rest.extend(view.memory_id for view in views)
            return other_encode(views)

        seen: list[tuple[int, int]] = []
        store.reencode(OTHER, encode, progress=lambda done, total: seen.append((done, total)))
        assert len(rest) == 700 - done
        assert sorted(encoded + rest) == [f"m{n:04}" for n in range(700)]
        assert seen[-1] == (700, 700)
        assert store.encoder() == OTHER
        assert len(store.search_vectors(axis(0, dimension=5), OTHER, limit=1000)) == 700
        assert store.stats().vectors == {OTHER: 700}


def test_an_interrupted_reencoding_can_go_elsewhere(store: Store) -> None:
    crowd(store, 300)

    def failing(views: Sequence[View]) -> list[Floats]:
        if views[0].memory_id != "m0000":
            raise KeyboardInterrupt
        return other_encode(views)

    with pytest.raises(KeyboardInterrupt):
        store.reencode(OTHER, failing)
    store.reencode("third/3", lambda views: [axis(0, dimension=3)] * len(views))
    assert store.encoder() == "third/3"
    assert store.stats().vectors == {"third/3": 300}
    assert store.check() == []


def test_what_changes_during_reencoding_is_encoded_too(store: Store) -> None:
    crowd(store, 300)
    first = True

    def encode(views: Sequence[View]) -> list[Floats]:
        nonlocal first
        if first:
            first = False
            store.add([entry("new", "came meanwhile", [axis(1)])])
            store.update(note("m0001", "changed"), derived("m0001", ["changed"], [axis(2)]))
            store.erase(["m0002"])
        return other_encode(views)

    store.reencode(OTHER, encode)
    ids = [memory.id for memory in store.find()]
    assert len(ids) == 300
    for memory_id, [vector] in store.vectors(ids).items():
        assert vector is not None
        assert vector.tobytes() == other_vector(View(memory_id, "text", 0)).tobytes()
    assert store.check() == []


def test_reencode_with_the_same_encoder_does_nothing(store: Store) -> None:
    fill(store)
    before = everything(store)

    def never(views: Sequence[View]) -> list[Floats]:
        raise AssertionError

    store.reencode(ENCODER, never)
    assert everything(store) == before


def test_reencode_keeps_what_the_new_encoder_does_not_see(store: Store) -> None:
    crowd(store, 4)
    seen = [axis(0, dimension=5), None, None, axis(1, dimension=5)]
    store.reencode(OTHER, lambda views: seen)
    assert [hit.memory_id for hit in store.search_vectors(axis(1, dimension=5), OTHER)] == [
        "m0003",
        "m0000",
    ]
    assert len(found_words(store, "word")) == 4


def test_an_archive_without_vectors_can_be_encoded(store: Store) -> None:
    store.add([entry("a", "x"), entry("b", "y")])
    store.reencode(OTHER, other_encode)
    assert store.encoder() == OTHER
    assert len(store.search_vectors(axis(0, dimension=5), OTHER)) == 2


def test_an_emptied_archive_can_change_its_encoder(store: Store) -> None:
    """The error for another encoder says to re-encode, so that must help."""
    crowd(store, 3)
    store.erase([memory.id for memory in store.find()])
    store.reencode(OTHER, other_encode)
    store.add([entry("a", "x", [axis(0, dimension=5)], encoder=OTHER)])
    assert store.encoder() == OTHER


def test_an_encoder_that_sees_nothing_serves_too(store: Store) -> None:
    crowd(store, 3)
    store.reencode(OTHER, lambda views: [None] * len(views))
    assert store.encoder() != ENCODER
    store.add([entry("a", "x", [axis(0, dimension=5)], encoder=OTHER)])
    assert [hit.memory_id for hit in store.search_vectors(axis(0, dimension=5), OTHER)] == ["a"]


BAD_VECTORS: dict[str, Callable[[int], list[Floats | None]]] = {
    "too few": lambda count: [axis(0, dimension=5)] * (count - 1),
    "too many": lambda count: [axis(0, dimension=5)] * (count + 1),
    "zero": lambda count: [np.zeros(5, np.float32)] * count,
    "nan": lambda count: [np.full(5, np.nan, np.float32)] * count,
    "other dimensions": lambda count: [
        axis(0, dimension=5),
        *[axis(0, dimension=6)] * (count - 1),
    ],
    "too large": lambda count: [axis(0, dimension=5_000)] * count,
}


@pytest.mark.parametrize("fault", BAD_VECTORS)
def test_reencode_refuses_bad_vectors(store: Store, fault: str) -> None:
    crowd(store, 3)
    before = everything(store)
    with pytest.raises(InvalidDataError):
        store.reencode(OTHER, lambda views: BAD_VECTORS[fault](len(views)))
    assert everything(store) == before
    store.reencode(OTHER, other_encode)
    assert store.encoder() == OTHER
