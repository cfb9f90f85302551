from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphmemix.errors import ArchiveDamagedError, InvalidDataError
from graphmemix.memory import Description, Media, Memory, Place
from graphmemix.store import Entry, Outline, Store
from graphmemix.store.sql import outlines as module
from tests.store.conftest import Archives, Pair
from tests.store.contents import NOON, fill, note

ALL = ("chat-1", "photo-1", "mail-1", "note-1", "note-2")

descriptions = st.builds(Description, st.text(), st.text(), st.text(), st.text())
media = st.builds(
    Media, st.sampled_from(["text", "image", "video", "audio"]), description=descriptions
)
memories = st.builds(
    Memory,
    id=st.just("m"),
    kind=st.sampled_from(["message", "photo", "note"]),
    text=st.text(),
    speaker=st.none() | st.text(),
    timestamp=st.none()
    | st.datetimes(timezones=st.timezones())
    .filter(lambda at: 1 < at.year < 9999)  # or it may not exist in UTC
    .map(lambda at: at.astimezone(None)),
    place=st.none() | st.builds(Place, st.text(), st.floats(-90, 90), st.floats(-180, 180)),
    media=st.lists(media, max_size=3).map(tuple),
)


def kept(store: Store) -> dict[object, Outline]:
    found: dict[object, Outline] = vars(store.outlines.__self__)["_kept"]  # type: ignore[attr-defined]
    return found


def expected(store: Store, ids: Sequence[str]) -> list[tuple[str, Outline]]:
    return [(i, Outline.of(memory)) for i, memory in store.get_many(ids).items()]


def test_outlines_are_those_of_the_memories_in_the_order_asked_for(store: Store) -> None:
    fill(store)
    for _ in range(2):  # read, then remembered
        found = store.outlines(["photo-1", "missing", "note-2", "chat-1", "photo-1", "a\0b"])
        assert list(found) == ["photo-1", "note-2", "chat-1"]
        assert list(found.items()) == expected(store, list(found))
    assert found["photo-1"] == Outline(
        kind="photo",
        timestamp=store.get("photo-1").timestamp,
        place=Place("Amsterdam", 52.37, 4.9),
        speaker=None,
        modalities=("image",),
        texts=("a red bicycle at the canal", "7Q4-118"),
    )
    assert store.outlines([]) == {}


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    max_examples=60,
)
@given(memory=memories)
def test_the_outline_of_any_memory_is_what_the_record_says(store: Store, memory: Memory) -> None:
    memory = replace(memory, id=str(store.count()))
    try:
        store.add([Entry(memory)])
    except InvalidDataError:
        return  # such as a time zone with seconds
    assert store.outlines([memory.id]) == {memory.id: Outline.of(store.get(memory.id))}


def test_an_update_is_seen_by_everybody(make_store: Archives) -> None:
    store = make_store()
    fill(store)
    with make_store(mode="read") as reader:
        assert reader.outlines(["note-2"])["note-2"].speaker is None
        store.outlines(["note-2"])
        store.update(note("note-2", "told anew", speaker="Olga", timestamp=NOON))
        for each in (store, reader):
            told = each.outlines(["note-2"])["note-2"]
            assert (told.speaker, told.texts, told.timestamp) == ("Olga", ("told anew",), NOON)


def test_a_snapshot_keeps_to_its_version(store: Store) -> None:
    fill(store)
    with store.snapshot():
        before = store.outlines(ALL)
        store.update(note("note-2", "told anew"))
        assert store.outlines(ALL) == before
    assert store.outlines(["note-2"])["note-2"].texts == ("told anew",)


def test_what_was_erased_is_not_told_and_not_kept(store: Store) -> None:
    fill(store)
    store.outlines(ALL)
    store.erase(["chat-1"])
    assert "meet" not in str(kept(store))
    assert set(store.outlines(ALL)) == {*ALL} - {"chat-1"}
    store.add([Entry(note("chat-1", "another one"))])
    assert store.outlines(["chat-1"])["chat-1"].texts == ("another one",)


def test_little_is_kept_of_very_much(store: Store) -> None:
    fill(store)
    with patch.object(module, "_MOST_CHARACTERS", 500):
        for _ in range(3):
            for memory_id in ALL:
                assert store.outlines([memory_id]) == dict(expected(store, [memory_id]))
                assert len(kept(store)) <= 2


def test_a_damaged_record_is_named_as_such(make_store: Archives) -> None:
    make_store().add([Entry(note("a", "text"))])
    for body in (
        "[]",
        "{}",
        "nonsense",
        '{"timestamp":1,"place":null,"text":"","media":[],"kind":0}',
    ):
        make_store.run("UPDATE memories SET body = :body WHERE archive = :archive", body=body)
        with make_store(mode="read") as reader, pytest.raises(ArchiveDamagedError):
            reader.outlines(["a"])


def test_both_stores_return_the_same_outlines(pair: Pair) -> None:
    for store in pair.sqlite, pair.postgres:
        fill(store)
    assert len(pair.same(lambda store: store.outlines(ALL))) == len(ALL)
