from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphmemix.errors import InvalidDataError, InvalidInputError, MemoryNotFoundError
from graphmemix.memory import Kind, Media, Memory, Modality, Place
from graphmemix.store import Box, Entry, Filter, Store
from tests.store.conftest import Pair
from tests.store.contents import ENCODER, NOON, axis, fill, note

EAST = timezone(timedelta(hours=14))
WEST = timezone(timedelta(hours=-12))


def ids(memories: list[Memory]) -> list[str]:
    return [memory.id for memory in memories]


MOMENTS = [
    ("d", datetime(2020, 1, 1, tzinfo=UTC)),
    ("c", datetime(2020, 1, 1, tzinfo=UTC)),
    ("b", datetime(2020, 1, 1, 13, tzinfo=EAST)),  # the day before, in UTC
    ("a", None),
    ("Z", None),
    ("é", None),
    ("z", datetime(2019, 12, 31, 13, tzinfo=WEST)),  # the day after, in UTC
    ("B", datetime(1, 1, 1, tzinfo=UTC)),
    ("y", datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)),
    ("\U0001f600", None),
    ("\uff5e", None),
]
IN_ORDER = ["B", "b", "c", "d", "z", "y", "Z", "a", "é", "\uff5e", "\U0001f600"]


def add_moments(store: Store) -> None:
    store.add(Entry(note(memory_id, timestamp=moment)) for memory_id, moment in MOMENTS)


def test_find_goes_by_moment_then_id_and_ends_with_the_timeless(store: Store) -> None:
    add_moments(store)
    assert ids(store.find()) == IN_ORDER
    assert ids(store.find(limit=3)) == IN_ORDER[:3]
    assert store.find(limit=0) == []
    assert ids(store.find(limit=100)) == IN_ORDER


@pytest.mark.parametrize("size", [1, 2, 3, 5, 11])
def test_pages_follow_each_other_without_gap_or_repeat(store: Store, size: int) -> None:
    add_moments(store)
    pages, after = [], None
    while page := store.find(limit=size, after=after):
        pages += ids(page)
        after = page[-1].id
    assert pages == IN_ORDER


def test_pages_keep_to_the_filter(store: Store) -> None:
    add_moments(store)
    early = Filter(as_of=datetime(2020, 1, 1, tzinfo=UTC))
    assert ids(store.find(early)) == ["B", "b", "Z", "a", "é", "\uff5e", "\U0001f600"]
    assert ids(store.find(early, limit=2, after="b")) == ["Z", "a"]
    assert ids(store.find(early, after="c")) == ["Z", "a", "é", "\uff5e", "\U0001f600"]


def test_a_page_behind_nothing_is_refused(store: Store) -> None:
    with pytest.raises(MemoryNotFoundError):
        store.find(after="nobody")


NEGATIVE: dict[str, Callable[[Store], object]] = {
    "find": lambda store: store.find(limit=-1),
    "without_vectors": lambda store: store.without_vectors(limit=-1),
    "logs": lambda store: store.logs("job", limit=-1),
}


@pytest.mark.parametrize("method", NEGATIVE)
def test_negative_limits_are_refused(store: Store, method: str) -> None:
    with pytest.raises(InvalidInputError):
        NEGATIVE[method](store)


COUNTED: dict[str, Callable[[Store, int], object]] = {
    "find": lambda store, limit: store.find(limit=limit),
    "without_vectors": lambda store, limit: store.without_vectors(limit=limit),
    "logs": lambda store, limit: store.logs("job", limit=limit),
    "search_text": lambda store, limit: store.search_text("canal", limit=limit),
    "search_vectors": lambda store, limit: store.search_vectors(axis(0), ENCODER, limit=limit),
}


@pytest.mark.parametrize("method", COUNTED)
def test_limits_beyond_what_databases_count_to_are_refused(store: Store, method: str) -> None:
    fill(store)
    COUNTED[method](store, 2**63 - 1)
    for limit in (2**63, 10**30):
        with pytest.raises(InvalidInputError, match="limit"):
            COUNTED[method](store, limit)


def passes(memory: Memory, wanted: Filter) -> bool:
    """What `Filter` promises, in Python."""
    time, place = memory.timestamp, memory.place
    if wanted.since is not None and (time is None or time < wanted.since):
        return False
    if wanted.until is not None and (time is None or time >= wanted.until):
        return False
    if wanted.as_of is not None and time is not None and time >= wanted.as_of:
        return False
    if wanted.place is not None and not inside(place, wanted.place):
        return False
    if wanted.modalities and not set(wanted.modalities) & set(memory.modalities):
        return False
    listed = [
        (memory.kind, wanted.kinds),
        (memory.session, wanted.sessions),
        (memory.source, wanted.sources),
        (memory.speaker, wanted.speakers),
    ]
    return all(not values or value in values for value, values in listed)


def inside(place: Place | None, box: Box) -> bool:
    if place is None or place.latitude is None or place.longitude is None:
        return False
    if not box.south <= place.latitude <= box.north:
        return False
    if box.west > box.east:
        return place.longitude >= box.west or place.longitude <= box.east
    return box.west <= place.longitude <= box.east


ZONES = st.sampled_from([UTC, EAST, WEST, timezone(timedelta(hours=5, minutes=45))])
TIMES = st.builds(
    lambda minutes, zone: (NOON + timedelta(minutes=30 * minutes)).astimezone(zone),
    st.integers(-4, 4),
    ZONES,
)
NAMES = st.sampled_from(["", "a", "A", "b", "'; DROP TABLE memories; --", "%", "å"])
LATITUDES = st.sampled_from([-90.0, -10.0, 0.0, 10.0, 52.5, 90.0])
LONGITUDES = st.sampled_from([-180.0, -179.5, -10.0, 0.0, 10.0, 179.5, 180.0])
PLACES = st.one_of(
    st.none(), st.just(Place("somewhere")), st.builds(Place, st.just(""), LATITUDES, LONGITUDES)
)
MEDIA = st.lists(
    st.sampled_from([Media(modality) for modality in get_args(Modality)]), max_size=2
).map(tuple)
MEMORIES = st.lists(
    st.builds(
        Memory,
        id=st.text("abcXYZ", min_size=1, max_size=3),
        kind=st.sampled_from(get_args(Kind)[:4]),
        text=st.sampled_from(["", "words"]),
        source=NAMES,
        session=st.none() | NAMES,
        speaker=st.none() | NAMES,
        timestamp=st.none() | TIMES,
        place=PLACES,
        media=MEDIA,
    ),
    min_size=8,
    max_size=30,
    unique_by=lambda memory: memory.id,
)
BOXES = st.builds(
    lambda a, b, west, east: Box(min(a, b), west, max(a, b), east),
    LATITUDES,
    LATITUDES,
    LONGITUDES,
    LONGITUDES,
)
SOME = st.lists(NAMES, max_size=3).map(tuple)
FILTERS = st.builds(
    Filter,
    since=st.none() | TIMES,
    until=st.none() | TIMES,
    as_of=st.none() | TIMES,
    place=st.none() | st.none() | BOXES,
    kinds=st.lists(st.sampled_from(get_args(Kind)[:4]), max_size=2).map(tuple),
    modalities=st.lists(st.sampled_from(get_args(Modality)), max_size=2).map(tuple),
    sessions=st.just(()) | SOME,
    sources=st.just(()) | SOME,
    speakers=st.just(()) | SOME,
)


@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(memories=MEMORIES, filters=st.lists(FILTERS, min_size=10, max_size=25))
def test_filters_mean_the_same_in_both_stores(
    make_pair: Callable[[], Pair], memories: list[Memory], filters: list[Filter]
) -> None:
    pair = make_pair()
    pair.same(lambda store: store.add(Entry(memory) for memory in memories))
    far = datetime.max.replace(tzinfo=UTC)
    ordered = sorted(memories, key=lambda m: (m.timestamp is None, m.timestamp or far, m.id))
    for wanted in filters:
        expected = [memory for memory in ordered if passes(memory, wanted)]
        assert pair.same(lambda store, f=wanted: store.find(f)) == expected  # type: ignore[misc]
        assert pair.same(lambda store, f=wanted: store.count(f)) == len(expected)  # type: ignore[misc]
    pair.close()


BY_HAND = [
    (Filter(), "ABCDEFG"),
    (Filter(since=NOON), "BC"),
    (Filter(since=NOON.astimezone(EAST)), "BC"),
    (Filter(until=NOON), "A"),
    (Filter(as_of=NOON), "ADEFG"),
    (Filter(since=NOON, until=NOON), ""),
    (Filter(since=NOON, until=NOON + timedelta(microseconds=1)), "B"),
    (Filter(place=Box(-20, 170, 0, -170)), "CD"),  # Fiji lies on both sides of the meridian
    (Filter(place=Box(-20, -170, 0, 170)), "E"),
    (Filter(place=Box(-20, -180, 0, 180)), "CDE"),
    (Filter(place=Box(-18, 178.5, -18, 178.5)), "C"),
    (Filter(modalities=("text",)), "AB"),
    (Filter(modalities=("image", "audio")), "BF"),
    (Filter(modalities=("video",)), ""),
    (Filter(kinds=("photo", "event")), "FG"),
    (Filter(sessions=("one",)), "AB"),
    (Filter(sessions=("one", "two", "three")), "ABC"),
    (Filter(sources=("",)), "CDEFG"),
    (Filter(sources=("mail",), sessions=("one",)), "A"),
    (Filter(speakers=("Anna",)), "BC"),
    (Filter(speakers=("anna",)), ""),
    (Filter(speakers=("Anna",), since=NOON, modalities=("image",), sessions=("one",)), "B"),
]


@pytest.mark.parametrize(("wanted", "expected"), BY_HAND)
def test_filter(store: Store, wanted: Filter, expected: str) -> None:
    picture = (Media("image"),)
    second = timedelta(seconds=1)
    store.add(
        Entry(memory)
        for memory in (
            note("A", "x", source="mail", session="one", timestamp=NOON - second),
            note(
                "B",
                "x",
                source="chat",
                session="one",
                speaker="Anna",
                timestamp=NOON,
                media=picture,
            ),
            note(
                "C",
                session="two",
                speaker="Anna",
                timestamp=NOON + second,
                place=Place("", -18.0, 178.5),
            ),
            note("D", place=Place("", -17.5, -179.9)),
            note("E", place=Place("", -17.5, 0.0)),
            note("F", kind="photo", media=(Media("image"), Media("audio"))),
            note("G", kind="event", place=Place("Fiji")),
        )
    )
    assert "".join(sorted(ids(store.find(wanted)))) == expected
    assert store.count(wanted) == len(expected)


def test_a_file_leads_to_the_memories_that_have_it_now(store: Store) -> None:
    kept = store.media.put(b"picture")
    medium = Media("image", kept.sha256)
    two = [Memory(name, "photo", media=(medium,)) for name in ("b", "a")]
    store.add(Entry(memory) for memory in [*two, Memory("c", "note", "no file")])
    assert [memory.id for memory in store.with_media(kept.sha256)] == ["a", "b"]
    store.update(replace(two[0], media=()))
    assert [memory.id for memory in store.with_media(kept.sha256)] == ["a"]
    store.erase(["a"])
    assert store.with_media(kept.sha256) == []


def test_what_is_no_address_is_refused(store: Store) -> None:
    with pytest.raises(InvalidDataError, match="64 hexadecimal digits"):
        store.with_media("../archive.db")


def test_ids_are_found_by_their_first_characters(store: Store) -> None:
    store.add(Entry(note(name)) for name in ("ab", "abc", "abd", "a_c", "a%c", "b", "é1"))
    assert store.ids_starting("ab", limit=9) == ["ab", "abc", "abd"]
    assert store.ids_starting("ab", limit=2) == ["ab", "abc"]
    assert store.ids_starting("a_", limit=9) == ["a_c"]
    assert store.ids_starting("é", limit=9) == ["é1"]
    assert store.ids_starting("c", limit=9) == []
    assert store.ids_starting("\ud800", limit=9) == []
    assert len(store.ids_starting("", limit=9)) == 7
