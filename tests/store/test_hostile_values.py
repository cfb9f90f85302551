from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from graphmemix.errors import (
    DuplicateMemoryError,
    GraphMemixError,
    InvalidDataError,
)
from graphmemix.evidence import Edge
from graphmemix.memory import Media, Memory, Place, Reference, View
from graphmemix.store import Box, Derived, Entry, Filter, Log, Store, export_archive
from tests.store.conftest import Archives, Pair
from tests.store.contents import (
    DIMENSION,
    ENCODER,
    NOON,
    axis,
    derived,
    entry,
    everything,
    found,
    note,
)
from tests.store.hostile import EASY, repaired


def refuses(store: Store, act: Callable[[Store], object]) -> None:
    """Require a typed error, after which nothing is different."""
    before = everything(store)
    with pytest.raises(GraphMemixError) as caught:
        act(store)
    assert str(caught.value)
    assert everything(store) == before


# Times


class Undecided(tzinfo):
    """A time zone that does not know its offset."""

    def utcoffset(self, moment: datetime | None) -> None:
        return None

    def dst(self, moment: datetime | None) -> None:
        return None

    def tzname(self, moment: datetime | None) -> str:
        return "?"


FAR_EAST, FAR_WEST = timezone(timedelta(hours=23, minutes=59)), timezone(timedelta(hours=-23))


@pytest.mark.parametrize(
    "moment",
    [datetime(2024, 5, 17), datetime(2024, 5, 17, tzinfo=Undecided())],  # noqa: DTZ001
)
def test_times_without_zone_are_refused(store: Store, moment: datetime) -> None:
    with pytest.raises(InvalidDataError, match="time zone"):
        note("a", timestamp=moment)
    filters: list[dict[str, Any]] = [{"since": moment}, {"until": moment}, {"as_of": moment}]
    for wanted in filters:
        with pytest.raises(InvalidDataError, match="time zone"):
            Filter(**wanted)
    refuses(store, lambda s: s.put_log(Log("x", "job", moment, "")))


OUT_OF_RANGE = [
    datetime(1, 1, 1, tzinfo=FAR_EAST),
    datetime(9999, 12, 31, 23, tzinfo=FAR_WEST),
    datetime.max.replace(tzinfo=timezone(timedelta(minutes=-1))),
]


@pytest.mark.parametrize("moment", OUT_OF_RANGE)
def test_times_out_of_range_are_refused(store: Store, moment: datetime) -> None:
    store.add([entry("a", "x", [axis(0)])])
    refuses(store, lambda s: s.add([Entry(note("b", timestamp=moment))]))
    refuses(store, lambda s: s.update(note("a", timestamp=moment)))
    refuses(store, lambda s: s.put_log(Log("x", "job", moment, "")))
    refuses(store, lambda s: s.find(Filter(since=moment)))
    refuses(store, lambda s: s.search_text("x", filter=Filter(as_of=moment)))


@EASY
@given(
    moment=st.datetimes(
        timezones=st.one_of(
            st.just(UTC),
            st.timedeltas(timedelta(hours=-23), timedelta(hours=23)).map(timezone),
            st.sampled_from(["Europe/Amsterdam", "Africa/Monrovia", "Asia/Kathmandu"]).map(
                ZoneInfo
            ),
        )
    )
)
@example(moment=datetime(1900, 1, 1, tzinfo=ZoneInfo("Europe/Amsterdam")))  # +00:19:32
@example(moment=datetime(2024, 10, 27, 2, 30, fold=1, tzinfo=ZoneInfo("Europe/Berlin")))
@example(moment=datetime.min.replace(tzinfo=UTC))
@example(moment=datetime.max.replace(tzinfo=UTC))
def test_any_time_comes_back_exactly_or_is_refused(
    make_pair: Callable[[], Pair], moment: datetime
) -> None:
    pair = make_pair()
    added = pair.same_outcome(lambda store: store.add([Entry(note("a", timestamp=moment))]))
    if added is not InvalidDataError:
        stored = pair.same(lambda store: store.get("a").timestamp)
        assert stored is not None
        assert stored == moment
        assert stored.utcoffset() == moment.utcoffset()
        assert pair.same(lambda store: store.count(Filter(since=moment))) == 1
        assert pair.same(lambda store: store.count(Filter(until=moment))) == 0
    pair.close()


def test_a_time_that_cannot_be_kept_is_named(store: Store) -> None:
    """Until 1937 Amsterdam was 19 minutes and 32 seconds ahead of Greenwich."""
    moment = datetime(1900, 1, 1, tzinfo=ZoneInfo("Europe/Amsterdam"))
    try:
        store.add([Entry(note("a", timestamp=moment))])
    except InvalidDataError as error:
        assert "time" in str(error)  # noqa: PT017
    else:
        assert store.get("a").timestamp == moment


# Metadata


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


METADATA: dict[str, Callable[[], Any]] = {
    "nan": lambda: float("nan"),
    "infinity": lambda: [float("inf")],
    "set": lambda: {1, 2},
    "tuple": lambda: (1, 2),
    "bytes": lambda: b"x",
    "date": lambda: NOON,
    "object": object,
    "function": lambda: print,
    "numbers as keys": lambda: {1: 2},
    "numpy": lambda: np.float32(1),
    "array": lambda: axis(0),
    "complex": lambda: 1j,
    "deep": lambda: nested(5_000),
    "deeper": lambda: nested(100_000),
    "quite deep": lambda: nested(300),
}


@pytest.mark.parametrize("what", METADATA)
def test_metadata_that_json_cannot_say_are_refused(store: Store, what: str) -> None:
    store.add([entry("a", "x", [axis(0)])])
    memory = note("b", metadata={"x": METADATA[what]()})
    refuses(store, lambda s: s.add([Entry(note("c")), Entry(memory)]))
    refuses(store, lambda s: s.update(replace(memory, id="a")))


def test_metadata_that_hold_themselves_are_refused(store: Store) -> None:
    loop: list[Any] = []
    loop.append(loop)
    refuses(store, lambda s: s.add([Entry(note("a", metadata={"x": loop}))]))


STORABLE = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=5)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | STORABLE,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(STORABLE, inner, max_size=3),
    max_leaves=10,
)


@EASY
@given(metadata=st.dictionaries(STORABLE, JSON, max_size=4))
@example(metadata={"x": 10**400, "y": -(2**63) - 1, "z": 5e-324, "w": -0.0, "v": 1e308})
def test_metadata_come_back_as_they_were(
    make_pair: Callable[[], Pair], metadata: dict[str, Any]
) -> None:
    pair = make_pair()
    memory = note("a", metadata=metadata)
    pair.same(lambda store: store.add([Entry(memory)]))
    assert repr(pair.same(lambda store: store.get("a"))) == repr(memory)
    pair.close()


def test_enormous_integers_are_kept_or_refused(pair: Pair) -> None:
    memory = note("a", metadata={"x": 10 ** (sys.get_int_max_str_digits() + 10)})
    added = pair.same_outcome(lambda store: store.add([Entry(memory)]))
    assert added is InvalidDataError or pair.same(lambda store: store.get("a")) == memory


NUMBERS: dict[str, Callable[[], Memory]] = {
    "duration": lambda: note("b", media=(Media("video", duration=float("nan")),)),
    "endless": lambda: note("b", media=(Media("video", duration=float("inf")),)),
    "kind": lambda: note("b", kind="smell"),
    "modality": lambda: note("b", media=(Media("smell"),)),  # type: ignore[arg-type]
    "relation": lambda: note("b", references=(Reference("likes", "x"),)),  # type: ignore[arg-type]
    "sequence": lambda: note("b", sequence=1.5),
}


@pytest.mark.parametrize("what", NUMBERS)
def test_fields_of_the_wrong_kind_are_refused(store: Store, what: str) -> None:
    refuses(store, lambda s: s.add([Entry(note("a")), Entry(NUMBERS[what]())]))


def test_places_are_checked_where_they_are_made() -> None:
    nan, infinity = float("nan"), float("inf")
    for latitude, longitude in [(nan, 0.0), (91.0, 0.0), (0.0, 180.1), (0.0, -infinity)]:
        with pytest.raises(InvalidDataError):
            Place("", latitude, longitude)
    with pytest.raises(InvalidDataError):
        Place("", 1.0)
    for south, west, north, east in [(nan, 0, 1, 1), (2, 0, 1, 1), (0, -181, 1, 1), (0, 0, 91, 1)]:
        with pytest.raises(InvalidDataError):
            Box(south, west, north, east)


# Files


@pytest.mark.parametrize(
    "address", ["../../etc/passwd", "", "A" * 64, "0" * 63, "0" * 65, "0" * 63 + "\n", "/" * 64]
)
def test_addresses_that_lead_elsewhere_are_refused(address: str) -> None:
    with pytest.raises(InvalidDataError, match="sha256"):
        Media("image", address)


NAMES = ["../../etc/passwd", "/etc/passwd", "a\nb", "a\x00b", "\ud800.jpg", "a" * 5_000, "CON", "~"]


@pytest.mark.parametrize("name", NAMES)
def test_hostile_file_names_stay_names(make_store: Archives, tmp_path: Path, name: str) -> None:
    with make_store() as store:
        picture = store.media.put(b"picture")
        medium = Media("image", picture.sha256, name=name)
        store.add([Entry(note("a", media=(medium,)))])
        assert store.get("a").media[0].name == repaired(name)
        export_archive(store, tmp_path / "exported")
        store.backup(tmp_path / "backup")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    pictures = [path.name for path in files if path.read_bytes() == b"picture"]
    assert len(pictures) > 2
    assert set(pictures) == {picture.sha256}


def test_media_must_be_there_before(store: Store) -> None:
    refuses(store, lambda s: s.add([Entry(note("a", media=(Media("image", "0" * 64),)))]))


# Vectors


@EASY
@given(
    vector=arrays.arrays(
        st.sampled_from([np.float16, np.float32, np.float64]),
        st.integers(0, 10),
        elements=st.floats(width=16) | st.sampled_from([0.0, 1.0, -1.0]),
    )
)
@example(vector=axis(0))
@example(vector=np.float32(1.0009) * axis(0))
@example(vector=np.float32(1.0011) * axis(0))
@example(vector=axis(0).astype(">f8"))
@example(vector=np.repeat(axis(0), 2)[::2])
@example(vector=np.full(DIMENSION, 1e-30, np.float32))
@example(vector=np.full(DIMENSION, 1e300, np.float64))
def test_any_vector_is_a_unit_vector_or_refused(
    make_pair: Callable[[], Pair], vector: NDArray[Any]
) -> None:
    pair = make_pair()
    pair.same(lambda store: store.add([entry("first", "x", [axis(1)])]))
    with np.errstate(over="ignore", invalid="ignore"):
        length = float(np.linalg.norm(vector.astype(np.float64)))
    good = vector.shape == (DIMENSION,) and abs(length - 1) <= 1e-3
    added = pair.same_outcome(lambda store: store.add([entry("a", "x", [vector])]))
    assert (added is InvalidDataError) == (not good)
    query = pair.same_outcome(lambda store: store.search_vectors(vector, ENCODER))
    assert (query is InvalidDataError) == (not good)
    if good:
        stored = pair.same(lambda store: vector_bytes(store, "a"))
        assert np.allclose(np.frombuffer(stored, "<f4"), vector / length, atol=1e-6)
        assert pair.same(lambda store: found(store, axis(1), limit=9))
    assert pair.same(lambda store: store.count()) == 1 + good
    pair.close()


def vector_bytes(store: Store, memory_id: str) -> bytes:
    [vector] = store.vectors([memory_id])[memory_id]
    assert vector is not None
    return vector.tobytes()


DERIVED: dict[str, Callable[[], Derived]] = {
    "another memory's view": lambda: derived("b", ["x"]),
    "another order": lambda: Derived((View("a", "text", 1), View("a", "text", 0))),
    "a repeat": lambda: Derived((View("a", "text", 0), View("a", "text", 0))),
    "a gap": lambda: Derived((View("a", "text", 0), View("a", "text", 2))),
    "an unknown kind": lambda: Derived((View("a", "smell", 0),)),  # type: ignore[arg-type]
    "fewer vectors": lambda: derived("a", ["x", "y"], [axis(0)]),
    "more vectors": lambda: derived("a", ["x"], [axis(0), axis(1)]),
    "only vectors": lambda: derived("a", [], [axis(0)]),
    "no encoder": lambda: derived("a", ["x"], [axis(0)], encoder=""),
    "many dimensions": lambda: derived("a", ["x"], [axis(0, dimension=4_001)]),
    "two dimensions": lambda: derived("a", ["x", "y"], [axis(0), axis(0, dimension=7)]),
    "a matrix": lambda: derived("a", ["x"], [np.eye(3, dtype=np.float32)]),
    "words": lambda: derived("a", ["x"], ["one"]),  # type: ignore[list-item]
    "no time": lambda: Derived((View("a", "frame", 0, seconds=float("nan")),)),
    "an endless time": lambda: Derived((View("a", "frame", 0, seconds=float("inf")),)),
    "a path": lambda: Derived((View("a", "image", 0, media_sha256="../../etc/passwd"),)),
}


@pytest.mark.parametrize("what", DERIVED)
def test_views_and_vectors_that_cannot_be_are_refused(store: Store, what: str) -> None:
    refuses(store, lambda s: s.add([Entry(note("a"), DERIVED[what]())]))
    store.add([Entry(note("a"))])
    refuses(store, lambda s: s.put_derived({"a": DERIVED[what]()}))
    refuses(store, lambda s: s.update(note("a", "new"), DERIVED[what]()))


def test_ten_thousand_views_are_fine(store: Store) -> None:
    views = tuple(View("a", "frame", n, f"frame {n}", seconds=n / 25) for n in range(10_000))
    row = axis(0)
    store.add([Entry(note("a"), Derived(views, (row,) * 10_000, ENCODER))])
    assert store.views(["a"]) == {"a": views}
    [hit] = store.search_vectors(axis(0), ENCODER, limit=5)
    assert (hit.view_ordinal, hit.score) == (0, 1.0)
    assert store.search_text("9999")[0].view_ordinal == 9_999
    assert store.erase(["a"]).views == 10_000


def test_as_many_dimensions_as_fit_are_fine(store: Store) -> None:
    row = axis(3_999, dimension=4_000)
    store.add([entry("a", "x", [row])])
    assert found(store, row) == ["a"]


def test_a_memory_of_many_files_is_fine(store: Store) -> None:
    addresses = [store.media.put(b"%d" % n).sha256 for n in range(300)]
    media = tuple(Media("image", each) for each in addresses * 2)
    store.add([Entry(note("a", media=media))])
    assert store.get("a").media == media
    assert store.erase(["a"]).media_files == 300


# Edges and batches

EDGES: dict[str, Callable[[], Edge]] = {
    "nan": lambda: Edge("a", "b", "semantic", float("nan")),
    "infinity": lambda: Edge("a", "b", "semantic", float("inf")),
    "relation": lambda: Edge("a", "b", "likes", 0.5),  # type: ignore[arg-type]
    "nobody": lambda: Edge("a", "nobody", "semantic", 0.5),
    "nul": lambda: Edge("a", "b\x00", "semantic", 0.5),
    "surrogate": lambda: Edge("a", "b\ud800", "semantic", 0.5),
}


@pytest.mark.parametrize("what", EDGES)
def test_edges_that_cannot_be_are_refused(store: Store, what: str) -> None:
    store.add([Entry(note("a")), Entry(note("b"))])
    refuses(store, lambda s: s.change_edges(add=[EDGES[what]()]))
    refuses(store, lambda s: s.put_derived({"a": derived("a", ["x"])}, [EDGES[what]()]))
    refuses(store, lambda s: s.add([Entry(note("c"))], [EDGES[what]()]))


def test_edges_point_upwards() -> None:
    for source, target in [("a", "a"), ("b", "a")]:
        with pytest.raises(InvalidDataError):
            Edge(source, target, "semantic", 0.5)


def test_a_memory_that_becomes_another_by_repair_is_the_same(store: Store) -> None:
    store.add([Entry(note("a", "x\x00y"))])
    assert store.add([Entry(note("a", "x\ufffdy"))]).known == ("a",)
    with pytest.raises(DuplicateMemoryError):
        store.add([Entry(note("a", "xy"))])
