from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from itertools import pairwise

import pytest

from graphmemix.errors import (
    DuplicateMemoryError,
    InvalidDataError,
    MemoryNotFoundError,
)
from graphmemix.evidence import Edge
from graphmemix.memory import Media, Memory, Place
from graphmemix.store import Added, Box, Derived, Entry, Filter, Log, Restored, Store, Version
from graphmemix.store.sqlite.store import SqliteStore
from tests.store.conftest import Archives, Pair
from tests.store.contents import (
    NOON,
    axis,
    derived,
    entry,
    everything,
    fill,
    found,
    found_words,
    note,
)

EAST = timezone(timedelta(hours=14))
UNHELD = "0" * 64  # the address of a file that no archive holds


def ids(memories: list[Memory]) -> list[str]:
    return [memory.id for memory in memories]


# Adding


def test_what_is_added_comes_back_equal(store: Store) -> None:
    fill(store)
    memory = Memory(
        id="full",
        kind="event",
        text="Ünïcode \U0001f600 \t\n \x7f",
        source="calendar",
        source_id="uid-1",
        session="s",
        round="r",
        sequence=7,
        speaker="me",
        timestamp=datetime(1999, 12, 31, 23, 59, 59, 999999, tzinfo=EAST),
        place=Place("", -90.0, 180.0),
        media=(Media("video", None, duration=1.5, width=3, height=4),),
        metadata={"": [1, 2.5, None, True, "x", {"deep": {}}], "big": 2**80},
    )
    store.add([Entry(memory)])
    assert store.get("full") == memory
    assert store.get("full").timestamp.utcoffset() == timedelta(hours=14)  # type: ignore[union-attr]


def test_added_tells_new_from_known_in_order(store: Store) -> None:
    store.add([Entry(note("b")), Entry(note("d"))])
    batch = [Entry(note(each)) for each in ("e", "d", "c", "b", "a")]
    assert store.add(batch) == Added(new=("e", "c", "a"), known=("d", "b"))
    assert store.add(batch) == Added(new=(), known=("e", "d", "c", "b", "a"))
    assert store.count() == 5


def test_adding_again_changes_nothing(store: Store) -> None:
    fill(store)
    before = everything(store)
    store.add([Entry(memory) for memory in store.find()])
    assert everything(store) == before


def test_a_repeat_within_a_batch_is_one_memory(store: Store) -> None:
    twice = [entry("a", "hello", [axis(0)]), entry("a", "hello", [axis(0)])]
    assert store.add(twice).new == ("a",)
    assert store.count() == 1
    assert found(store, axis(0)) == ["a"]


def test_an_empty_batch_is_fine(store: Store) -> None:
    assert store.add([]) == Added((), ())


def test_same_file_twice_is_one_memory(store: Store) -> None:
    first, second = store.media.put(b"the same picture"), store.media.put(b"the same picture")
    assert first == second
    for stored in (first, second):
        medium = Media("image", stored.sha256, name="a.jpg", size=stored.size)
        store.add([Entry(note(stored.sha256, kind="photo", media=(medium,)))])
    assert store.count() == 1
    assert store.stats().media_files == 1


def test_same_id_with_other_content_is_refused(store: Store) -> None:
    store.add([Entry(note("a", "one"))])
    with pytest.raises(DuplicateMemoryError, match="update") as caught:
        store.add([Entry(note("b")), Entry(note("a", "two"))])
    assert caught.value.memory_id == "a"
    assert ids(store.find()) == ["a"]
    assert store.get("a").text == "one"


def test_same_id_with_other_content_within_a_batch_is_refused(store: Store) -> None:
    with pytest.raises(DuplicateMemoryError):
        store.add([Entry(note("b")), Entry(note("a", "one")), Entry(note("a", "two"))])
    assert store.count() == 0


BAD: dict[str, Entry] = {
    "text": Entry(note("bad", "x" * (16 << 20) + "x")),
    "id": Entry(note("bad\x00")),
    "metadata": Entry(note("bad", metadata={"x": float("nan")})),
    "media": Entry(note("bad", media=(Media("image", UNHELD),))),
    "view": Entry(note("bad"), derived("other", ["x"])),
    "zero": entry("bad", "x", [0 * axis(0)]),
    "length": entry("bad", "x", [2 * axis(0)]),
    "dimension": entry("bad", "x", [axis(0, dimension=9)]),
    "count": Entry(note("bad"), derived("bad", ["one", "two"], [axis(0)])),
    "encoder": entry("bad", "x", [axis(0)], encoder="another"),
    "anonymous": entry("bad", "x", [axis(0)], encoder=""),
}


@pytest.mark.parametrize("fault", BAD)
def test_one_bad_entry_and_nothing_is_stored(store: Store, fault: str) -> None:
    store.add([entry("first", "hello world", [axis(0)])])
    before = everything(store)
    good = [entry(f"good-{n}", "hello again", [axis(n)]) for n in range(3)]
    edges = [Edge("first", "good-0", "semantic", 0.5)]
    with pytest.raises(ValueError, match=r".") as caught:
        store.add([*good, BAD[fault], entry("last", "hello", [axis(7)])], edges)
    assert type(caught.value).__module__ == "graphmemix.errors"
    assert everything(store) == before
    assert found(store, axis(0)) == found_words(store, "hello") == ["first"]


def test_an_edge_to_nowhere_and_nothing_is_stored(store: Store) -> None:
    with pytest.raises(MemoryNotFoundError):
        store.add([entry("a", "hello", [axis(0)])], [Edge("a", "b", "semantic", 0.5)])
    assert store.count() == 0
    assert store.encoder() is None


def test_a_batch_that_breaks_off_stores_nothing(store: Store) -> None:
    def batch() -> Iterator[Entry]:
        yield entry("a", "hello", [axis(0)])
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.add(batch())
    assert store.count() == 0
    assert store.add([entry("a", "hello", [axis(0)])]).new == ("a",)


def test_what_was_added_is_there_after_opening_again(make_store: Archives) -> None:
    with make_store() as store:
        fill(store)
        before = everything(store)
    with make_store() as store:
        assert everything(store) == before
    with make_store(mode="read") as store:
        assert everything(store) == before


def test_archives_do_not_see_each_other(make_store: Archives) -> None:
    here, there = make_store("here"), make_store("there")
    fill(here)
    there.add([entry("chat-1", "another one", [axis(0)])])
    there.erase(["chat-1", "photo-1"])
    assert there.count() == 0
    assert here.count() == 5
    assert found_words(there, "canal") == []


# Getting


def test_get_refuses_what_is_not_there(store: Store) -> None:
    store.add([Entry(note("a"))])
    with pytest.raises(MemoryNotFoundError, match="'A'"):
        store.get("A")


def test_get_many_returns_those_that_are_there(store: Store) -> None:
    fill(store)
    many = store.get_many(["note-2", "nobody", "chat-1", "note-2"])
    assert many == {"note-2": store.get("note-2"), "chat-1": store.get("chat-1")}


def test_get_many_takes_very_many(store: Store) -> None:
    store.add(Entry(note(f"m{n}")) for n in range(3_000))
    assert len(store.get_many(f"m{n}" for n in range(50_000))) == 3_000


# Updating


def test_update_keeps_what_was(store: Store) -> None:
    start = datetime.now(UTC)
    store.add([Entry(note("a", "one"))])
    assert store.update(note("a", "two")) == 2
    assert store.update(note("a", "three")) == 3
    history = store.history("a")
    assert [(v.number, v.memory.text) for v in history] == [(1, "one"), (2, "two"), (3, "three")]
    times = [v.replaced_at for v in history]
    assert times[-1] is None
    known = [time for time in times if time is not None]
    assert all(a <= b for a, b in pairwise([start, *known, datetime.now(UTC)]))
    assert store.get("a").text == "three"
    assert store.count() == 1
    assert store.stats().versions == 3


def test_update_with_the_same_content_changes_nothing(store: Store) -> None:
    store.add([entry("a", "one", [axis(0)])])
    before = everything(store)
    assert store.update(note("a", "one"), derived("a", ["other"], [axis(1)])) == 1
    assert everything(store) == before


def test_update_back_and_forth_makes_versions(store: Store) -> None:
    store.add([Entry(note("a", "one"))])
    assert [store.update(note("a", text)) for text in ("two", "two", "one")] == [2, 2, 3]


def test_update_moves_a_memory_in_every_filter(store: Store) -> None:
    store.add([Entry(note("a", "x", session="s", speaker="p", source="q", timestamp=NOON))])
    place = Place("", 1.0, 2.0)
    store.update(note("a", kind="photo", media=(Media("image"),), place=place))
    assert store.count(Filter(sessions=("s",))) == 0
    assert store.count(Filter(speakers=("p",))) == 0
    assert store.count(Filter(sources=("q",))) == 0
    assert store.count(Filter(since=NOON)) == 0
    assert store.count(Filter(modalities=("text",))) == 0
    assert store.count(Filter(place=Box(0, 0, 9, 9), kinds=("photo",), modalities=("image",))) == 1


def test_update_replaces_what_was_derived(store: Store) -> None:
    store.add([entry("a", "apple", [axis(0), axis(1)]), entry("b", "banana", [axis(2)])])
    store.update(note("a", "cherry"), derived("a", ["cherry"], [axis(3)]))
    assert [view.text for view in store.views(["a"])["a"]] == ["cherry"]
    assert found_words(store, "apple") == []
    assert found_words(store, "cherry") == ["a"]
    assert store.search_vectors(axis(3), "hash/8")[0].memory_id == "a"
    assert store.search_vectors(axis(0), "hash/8")[0].score == 0


def test_update_without_views_leaves_the_memory_to_be_derived(store: Store) -> None:
    store.add([entry("a", "apple", [axis(0)])])
    assert store.without_vectors() == []
    store.update(note("a", "cherry"))
    assert store.without_vectors() == ["a"]
    assert store.views(["a"]) == {"a": ()}
    assert found(store, axis(0)) == found_words(store, "apple") == []


def test_update_refuses_what_is_not_there(store: Store) -> None:
    with pytest.raises(MemoryNotFoundError):
        store.update(note("a"))


def test_a_bad_update_changes_nothing(store: Store) -> None:
    store.add([entry("a", "apple", [axis(0)])])
    before = everything(store)
    with pytest.raises(InvalidDataError):
        store.update(note("a", "cherry"), derived("a", ["cherry"], [2 * axis(0)]))
    with pytest.raises(InvalidDataError):
        store.update(note("a", media=(Media("image", UNHELD),)))
    assert everything(store) == before


def test_history_refuses_what_is_not_there(store: Store) -> None:
    with pytest.raises(MemoryNotFoundError):
        store.history("a")


def test_every_version_goes_by_id_and_number(store: Store) -> None:
    store.add(Entry(note(each, "one")) for each in ("b", "a", "C"))
    store.update(note("a", "two"))
    versions = [(version.memory.id, version.number) for version in store.every_version()]
    assert versions == [("C", 1), ("a", 1), ("a", 2), ("b", 1)]


def test_restore_brings_history_back(make_store: Archives) -> None:
    here, there = make_store("here"), make_store("there")
    here.add([entry("a", "one", [axis(0)])])
    here.update(note("a", "two"), derived("a", ["two"], [axis(1)]))
    batch = [Restored(here.history("a"), derived("a", ["two"], [axis(1)]))]
    assert there.restore(batch) == Added(("a",), ())
    assert there.restore(batch) == Added((), ("a",))
    assert there.history("a") == here.history("a")
    assert found(there, axis(1)) == ["a"]


def test_restore_is_all_or_nothing(store: Store) -> None:
    good = Restored((Version(1, note("a"), None),))
    bad = Restored((Version(1, note("b", "x" * (17 << 20)), None),))
    with pytest.raises(InvalidDataError):
        store.restore([good, bad])
    assert store.count() == 0


# Derived data and logs


def test_without_vectors_lists_what_has_no_views_lowest_id_first(store: Store) -> None:
    store.add([Entry(note(each)) for each in ("c", "a", "b")] + [entry("d", "x")])
    assert store.without_vectors() == ["a", "b", "c"]
    assert store.without_vectors(limit=2) == ["a", "b"]


def test_put_derived_replaces_and_connects(store: Store) -> None:
    store.add([Entry(note("a")), entry("b", "banana", [axis(1)])])
    edge = Edge("a", "b", "semantic", 0.5)
    made = {"a": derived("a", ["apple"], [axis(0)]), "b": derived("b", ["berry", "x"])}
    store.put_derived(made, [edge])
    assert store.views(["b", "a"]) == {"b": made["b"].views, "a": made["a"].views}
    assert store.vectors(["b"]) == {"b": (None, None)}
    assert store.edges(["a"]) == store.edges(["b"]) == [edge]
    assert found_words(store, "banana") == []
    assert found(store, axis(0)) == ["a"]


def test_vectors_come_with_the_kinds_of_their_views(store: Store) -> None:
    store.add([entry("a", "apple", [axis(0)]), entry("b", "banana", [axis(1)]), Entry(note("c"))])
    found = store.vectors_by_kind(["b", "c", "a", "nobody"])
    assert {i: [(kind, vector.tolist()) for kind, vector in of] for i, of in found.items()} == {
        "a": [("text", axis(0).tolist())],
        "b": [("text", axis(1).tolist())],
    }


def test_put_derived_is_all_or_nothing(store: Store) -> None:
    store.add([entry("a", "apple", [axis(0)]), entry("b", "banana", [axis(1)])])
    before = everything(store)
    good = derived("a", ["cherry"], [axis(2)])
    with pytest.raises(InvalidDataError):
        store.put_derived({"a": good, "b": derived("b", ["x"], [0 * axis(0)])})
    with pytest.raises(MemoryNotFoundError):
        store.put_derived({"a": good, "nobody": derived("nobody", ["x"])})
    with pytest.raises(MemoryNotFoundError):
        store.put_derived({"a": good}, [Edge("a", "nobody", "semantic", 0.5)])
    assert everything(store) == before
    assert found_words(store, "apple") == ["a"]


def test_derived_reads_leave_out_what_is_not_there(store: Store) -> None:
    store.add([Entry(note("a")), Entry(note("b"), Derived())])
    assert store.views(["nobody", "a"]) == store.vectors(["a", "nobody"]) == {"a": ()}
    assert store.edges(["nobody", "a"]) == []


def test_edges_are_ordered_and_set_anew(store: Store) -> None:
    store.add(Entry(note(each)) for each in ("c", "a", "b", "B"))
    edges = [
        Edge("B", "c", "reply_to", 0.99),
        Edge("a", "b", "reply_to", 0.99),
        Edge("a", "b", "semantic", 1 / 3),
        Edge("b", "c", "semantic", -0.25),
    ]
    store.change_edges(add=reversed(edges))
    assert store.edges(["a", "b", "c", "B"]) == edges
    assert store.edges(["c"]) == [edges[0], edges[3]]
    store.change_edges(add=[Edge("a", "b", "semantic", 0.75)], remove=[edges[3], edges[0]])
    store.change_edges(remove=[edges[0], Edge("x", "y", "semantic", 1.0)])
    assert store.edges(["a", "c"]) == [edges[1], Edge("a", "b", "semantic", 0.75)]


def test_keys_find_memories_again(store: Store) -> None:
    store.add(Entry(note(each)) for each in ("b", "a", "C"))
    keys = {"a": ["who:Anna", "day:1"], "b": ["who:Ben", "day:1", "day:1"], "C": ["who:%"]}
    store.put_derived({}, keys=keys)
    assert store.keys(["a", "b", "nobody"]) == {
        "a": {"who:Anna", "day:1"},
        "b": {"who:Ben", "day:1"},
    }
    assert ids(store.with_keys(["day:1", "who:%", "who:"])) == ["C", "a", "b"]
    assert store.key_names("who:") == ["%", "Anna", "Ben"]
    assert store.key_names("day") == [":1"]
    assert store.key_names("x") == []
    assert store.with_keys([]) == []
    store.put_derived({}, keys={"a": [], "b": ["who:Bea"]})
    assert store.keys(["a", "b"]) == {"b": {"who:Bea"}}
    assert store.key_names("who:") == ["%", "Bea"]


def test_the_years_of_an_archive(store: Store) -> None:
    assert store.years() == range(0)
    store.add([Entry(Memory("none", "note", "x"))])
    assert store.years() == range(0)
    late = datetime(2023, 12, 31, 23, tzinfo=timezone(timedelta(hours=-2)))  # 2024 in UTC
    times = (datetime(1969, 5, 1, tzinfo=UTC), late, datetime(2001, 1, 1, tzinfo=UTC))
    store.add(Entry(Memory(f"m{i}", "note", "x", timestamp=t)) for i, t in enumerate(times))
    assert store.years() == range(1969, 2025)
    store.erase(["m0"])
    assert store.years() == range(2001, 2025)


def test_keys_have_the_days_of_their_memories(store: Store) -> None:
    times = {
        "a": datetime(2023, 7, 1, 23, 30, tzinfo=timezone(timedelta(hours=-2))),  # 2 July in UTC
        "b": datetime(2023, 7, 2, tzinfo=UTC),
        "c": datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC),
        "d": None,
    }
    store.add(Entry(Memory(name, "note", name, timestamp=when)) for name, when in times.items())
    store.put_derived({}, keys={name: ["cell:1", "day:9"] for name in times} | {"b": ["cell:2"]})
    second = date(2023, 7, 2)
    every = [(date(1969, 12, 31), "cell:1"), (second, "cell:1"), (second, "cell:2")]
    assert store.key_days("cell:") == every
    assert store.key_days("none") == []
    assert set(store.key_days("cell:", most=2)) < set(every)
    store.erase(["c"])
    assert store.key_days("cell:") == every[1:]


def test_neighbours_come_nearest_first(store: Store) -> None:
    store.add(Entry(note(each)) for each in ("a", "b", "c"))
    store.put_derived(
        {}, neighbours={"a": [("c", 0.5), ("b", 0.5)], "c": [("b", 1 / 3), ("a", 0.9)]}
    )
    assert store.neighbours() == {
        "a": [("b", 0.5), ("c", 0.5)],
        "c": [("a", 0.9), ("b", 1 / 3)],
    }
    store.put_derived({}, neighbours={"a": [("b", 0.25)]})
    assert store.neighbours()["a"] == [("b", 0.25)]
    store.erase(["b"])
    assert store.neighbours() == {"c": [("a", 0.9)]}


def test_only_neighbours_that_differ_are_written(store: Store) -> None:
    store.add([Entry(note(each)) for each in "abcd"])
    store.put_derived({}, neighbours={"a": [("b", 0.5), ("c", 0.25)], "b": [("a", 0.5)]})
    seen: list[str] = []
    if isinstance(store, SqliteStore):
        assert store._file._writer is not None
        store._file._writer.set_trace_callback(seen.append)
    store.put_derived({}, neighbours={"a": [("b", 0.5), ("d", 0.125)], "b": [("a", 0.75)]})
    assert store.neighbours() == {"a": [("b", 0.5), ("d", 0.125)], "b": [("a", 0.75)]}
    if seen:  # c goes, d comes, and b gets another cosine
        assert sum(sql.startswith("DELETE FROM neighbours") for sql in seen) == 2
        assert sum(sql.startswith("INSERT INTO neighbours") for sql in seen) == 2
    store.put_derived({}, neighbours={"a": [], "b": [("a", 0.75)]})
    assert store.neighbours() == {"b": [("a", 0.75)]}


def test_keys_and_neighbours_fail_with_the_rest_of_their_batch(store: Store) -> None:
    store.add([Entry(note("a")), Entry(note("b"))])
    before = everything(store)
    with pytest.raises(InvalidDataError):
        store.put_derived(
            {"a": derived("a", ["x"], [2 * axis(0)])},
            keys={"a": ["k"]},
            neighbours={"a": [("b", 0.5)]},
        )
    assert everything(store) == before


def test_the_state_is_another_after_every_change_of_views(store: Store) -> None:
    states = [store.state()]
    store.add([Entry(note("a")), Entry(note("b"), derived("b", ["x"], [axis(0)]))])
    states.append(store.state())
    store.put_derived({"a": derived("a", ["x"], [axis(1)])})
    states.append(store.state())
    store.update(note("a", text="another text"))
    states.append(store.state())
    store.erase(["b"])
    states.append(store.state())
    assert len(set(states)) == len(states)
    store.put_log(Log("x", "job", NOON, ""))
    store.find()
    assert store.state() == states[-1]


def test_speakers_are_listed_once(store: Store) -> None:
    names = ["Zoe", "anna", "Ännchen", "anna", None, ""]
    store.add(Entry(note(str(n), speaker=name)) for n, name in enumerate(names))
    assert store.speakers() == ["", "Zoe", "anna", "Ännchen"]


def test_logs_come_newest_first_and_are_replaced_by_id(store: Store) -> None:
    hour = timedelta(hours=1)
    old, new = Log("x", "job", NOON, "old"), Log("y", "job", NOON.astimezone(EAST) + hour, "new")
    trace = Log("z", "trace", NOON, "{}", ("a", "b"))
    for log in (new, trace, old):
        store.put_log(log)
    assert store.logs("job") == [new, old]
    assert store.logs("job", limit=1) == [new]
    assert store.logs("trace") == [trace]
    newest = Log("x", "job", NOON + 2 * hour, "newest", ("c",))
    store.put_log(newest)
    assert store.logs("job") == [newest, new]
    assert store.log_ids("job") == ["x", "y"]
    assert store.log_ids("trace") == ["z"]
    assert store.log("x") == newest
    with pytest.raises(MemoryNotFoundError):
        store.log("nothing")


def test_the_oldest_logs_of_a_kind_go_beyond_those_that_are_kept(store: Store) -> None:
    minute = timedelta(minutes=1)
    logs = [Log(f"t{n}", "trace", NOON + n * minute, f"{n}", ("m", f"m{n}")) for n in range(6)]
    jobs = [Log(f"j{n}", "job", NOON - n * minute, "") for n in range(3)]
    for log in (*jobs, *logs):
        store.put_log(log)
    store.put_log(logs[5], keep=4)  # the same id replaces it, and is no further one
    assert store.logs("trace") == logs[:1:-1]
    assert store.logs("job") == jobs
    with pytest.raises(MemoryNotFoundError):
        store.log("t1")
    assert store.erase(["m1"]).logs == 0  # what it mentioned is forgotten with it
    late = Log("late", "trace", NOON - 60 * minute, "from a clock that was wrong")
    store.put_log(late, keep=2)
    assert store.logs("trace") == [logs[5], late]
    store.put_log(logs[0], keep=0)
    assert len(store.logs("trace")) == 3


def test_many_old_logs_go_little_by_little(store: Store) -> None:
    second = timedelta(seconds=1)
    for n in range(420):
        store.put_log(Log(f"{n:03}", "trace", NOON + n * second, ""))
    left = []
    for n in range(420, 424):
        store.put_log(Log(f"{n:03}", "trace", NOON + n * second, ""), keep=10)
        left.append(len(store.logs("trace", limit=1000)))
    assert left == [221, 22, 10, 10]
    assert [log.id for log in store.logs("trace")] == [f"{n}" for n in range(423, 413, -1)]


def test_a_twentieth_more_goes_at_once_so_that_most_writes_remove_nothing(store: Store) -> None:
    left = []
    for n in range(50):
        store.put_log(Log(f"{n:02}", "trace", NOON + timedelta(seconds=n), ""), keep=40)
        left.append(len(store.logs("trace")))
    assert max(left) == 40
    assert left[40:] == [38, 39, 40, 38, 39, 40, 38, 39, 40, 38]


def test_both_stores_tell_the_same(pair: Pair) -> None:
    fill(pair.sqlite)
    fill(pair.postgres)
    pair.same(everything)
