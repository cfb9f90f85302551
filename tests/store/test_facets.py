"""Memories by their facets, and outlines, alike in both stores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphmemix.errors import ArchiveDamagedError, InvalidDataError, InvalidInputError
from graphmemix.memory import Description, Media, Memory, Place
from graphmemix.store import Entry, Outline, Store
from graphmemix.store.records import Facets, Filter
from graphmemix.store.sql import facets as module
from tests.store.conftest import Archives, Pair
from tests.store.contents import NOON, fill, note

JULY_NOON = datetime(2023, 7, 14, 12, tzinfo=UTC)
DAY, HOUR = timedelta(days=1), timedelta(hours=1)
THAT_DAY = (datetime(2023, 7, 14, tzinfo=UTC), datetime(2023, 7, 15, tzinfo=UTC))


@pytest.fixture
def filled(store: Store) -> Store:
    picture = (Media("image", name="a.jpg"),)
    memories = [
        Memory("a", "photo", media=picture, timestamp=JULY_NOON, speaker="Grace"),
        Memory("b", "email", "stay", timestamp=JULY_NOON - 30 * DAY, speaker="Hotel"),
        Memory("c", "message", "hello", timestamp=JULY_NOON + DAY, speaker="Grace"),
        Memory("d", "note", "no time at all"),
        Memory("e", "photo", media=picture, timestamp=JULY_NOON - DAY / 4, speaker="Dele"),
    ]
    store.add(Entry(memory) for memory in memories)
    store.put_derived(
        {},
        keys={
            "a": ["place:Riva", "cell:458,108"],
            "b": ["about:2023-07-14", "about:2023-07-15", "place:Riva"],
            "d": ["about:2023-07-20"],
        },
    )
    return store


CASES = [
    (Facets(periods=(THAT_DAY,)), ["b", "e", "a"]),  # made then, or about that day
    (Facets(periods=((JULY_NOON + 6 * DAY, JULY_NOON + 7 * DAY),)), ["d"]),
    (Facets(periods=(THAT_DAY,), kinds=("photo",)), ["e", "a"]),
    (Facets(periods=(THAT_DAY,), modalities=("image",)), ["e", "a"]),
    (Facets(periods=(THAT_DAY,), kinds=("photo",), speakers=("Grace",)), ["a"]),
    (Facets(periods=(THAT_DAY,), keys=("place:Riva",)), ["b", "a"]),
    (Facets(keys=("place:Riva",)), ["b", "a"]),
    (Facets(keys=("cell:458,108", "place:nowhere")), ["a"]),
    (Facets(speakers=("Grace",)), ["a", "c"]),
    (Facets(kinds=("email",), modalities=("image",)), ["b", "e", "a"]),
    (Facets(keys=("place:nowhere",)), []),
    (Facets(), []),
]


@pytest.mark.parametrize(("wanted", "expected"), CASES)
def test_everything_must_hold(filled: Store, wanted: Facets, expected: list[str]) -> None:
    assert filled.fetch(wanted) == expected


@pytest.mark.parametrize("walked", [1, 3, 100])
@pytest.mark.parametrize(("wanted", "expected"), CASES)
def test_a_common_key_gives_the_same(
    filled: Store, wanted: Facets, expected: list[str], walked: int
) -> None:
    with patch.object(module, "_FEW", 0), patch.object(module, "_WALKED", walked):
        assert filled.fetch(wanted) == expected
        assert filled.fetch(wanted, limit=1) == expected[:1]


@pytest.mark.parametrize("walked", [1, 100])
@pytest.mark.parametrize(("wanted", "expected"), CASES)
def test_many_common_keys_give_the_same(
    filled: Store, wanted: Facets, expected: list[str], walked: int
) -> None:
    few_keys, walks = patch.object(module, "_FEW_KEYS", 0), patch.object(module, "_WALKED", walked)
    with patch.object(module, "_FEW", 0), few_keys, walks:
        assert filled.fetch(wanted) == expected
        assert filled.fetch(wanted, limit=1) == expected[:1]


def test_the_day_of_a_memory_is_also_that_of_its_own_clock(store: Store) -> None:
    lima, tokyo = timezone(-5 * HOUR), timezone(9 * HOUR)
    moments = {
        "evening": datetime(2023, 7, 14, 23, 59, 59, 900_000, lima),
        "morning": datetime(2023, 7, 14, 0, 0, tzinfo=tokyo),
        "noon": JULY_NOON,
        "before": datetime(2023, 7, 13, 23, 59, 59, tzinfo=tokyo),
        "utc": datetime(2023, 7, 15, 3, tzinfo=UTC),  # of the 14th where the question is asked
        "after": datetime(2023, 7, 15, 0, 0, tzinfo=lima),
        "timeless": None,
    }
    store.add(Entry(Memory(name, "note", "x", timestamp=at)) for name, at in moments.items())
    that_day = Facets(periods=(THAT_DAY,))
    assert store.fetch(that_day) == ["noon"]
    assert store.fetch(replace(that_day, own_clocks=True)) == ["morning", "noon", "evening"]
    assert store.fetch(replace(that_day, own_clocks=True), limit=2) == ["morning", "noon"]


def test_periods_without_beginning_or_end_have_clocks_too(store: Store) -> None:
    first, last = (datetime(year, 1, 1, tzinfo=UTC) for year in (1, 9999))
    store.add([Entry(Memory("x", "note", "x", timestamp=JULY_NOON))])
    assert store.fetch(Facets(periods=((first, last),), own_clocks=True)) == ["x"]


def test_a_filter_holds_too(filled: Store) -> None:
    assert filled.fetch(Facets(periods=(THAT_DAY,)), filter=Filter(as_of=JULY_NOON)) == ["b", "e"]


def test_a_limit(filled: Store) -> None:
    assert len(filled.fetch(Facets(periods=(THAT_DAY,)), limit=2)) == 2
    with pytest.raises(InvalidInputError):
        filled.fetch(Facets(keys=("x",)), limit=0)


def test_nothing_is_left_of_an_erased_memory(filled: Store) -> None:
    filled.erase(["b"])
    assert filled.fetch(Facets(periods=(THAT_DAY,))) == ["e", "a"]
    assert filled.key_names("about:") == ["2023-07-20"]


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
    max_examples=settings().max_examples,
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
