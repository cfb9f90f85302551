"""Full disks, places that cannot be written to, a server that is gone."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from graphmemix.errors import (
    ArchiveReadOnlyError,
    StorageFullError,
    StoreUnavailableError,
)
from graphmemix.evidence import Edge
from graphmemix.store import Entry, Log, Receipt, Restored, Store, Version, open_store
from tests.store import processes
from tests.store.processes import COUNT, ENCODER, NOW, entry, fill, look, search, unit_vector

# A full disk


def add_until_full(store: Store, start: int) -> list[str]:
    """Return what was acknowledged before there was no more space."""
    acknowledged: list[str] = []
    for number in range(start, 100_000):
        try:
            acknowledged += store.add([entry(number)]).new
        except StorageFullError:
            return acknowledged
    raise AssertionError("the disk is not small")


def test_full_disk_loses_nothing_and_goes_on_when_there_is_space(
    tmp_path: Path, example: Path, seen: list[object]
) -> None:
    with processes.tmpfs(tmp_path / "small", size="6m") as place:
        folder = Path(shutil.copytree(example, place / "archive"))
        filler = processes.use_up(place, leave=1 << 20)
        with open_store(folder) as store:
            acknowledged = add_until_full(store, COUNT)
            expected = sorted({m.id for m in store.find()[:COUNT]} | {*acknowledged})
            assert [memory.id for memory in store.find()] == expected
            last = int(acknowledged[-1].removeprefix("memory-"))
            [nearest] = store.search_vectors(unit_vector(last), ENCODER, limit=1)
            assert nearest.memory_id == acknowledged[-1]
            filler.unlink()
            store.add([entry(last + 1), entry(last + 2)])
            expected += [f"memory-{last + 1:05}", f"memory-{last + 2:05}"]
        with open_store(folder) as store:
            assert [memory.id for memory in store.find()] == expected
            assert [f for f in store.check() if f.problem != "media_orphan"] == []


FULL = """
import json, resource, sys
from graphmemix.errors import StorageFullError
from graphmemix.store import open_store
from tests.store.processes import entry
store = open_store(sys.argv[1])
_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), hard))
number, full = int(sys.argv[3]), False
while not full:
    try:
        store.add([entry(number)])
        number += 1
    except StorageFullError:
        full = True
before = [memory.id for memory in store.find()]
try:
    store.media.put(bytes(int(sys.argv[2]) + 1))
    large = "stored"
except StorageFullError:
    large = "refused"
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
store.add([entry(number)])
store.close()
print(json.dumps([number, before, large]))
"""


def test_a_file_that_may_not_grow_is_a_full_disk(archive: Path) -> None:
    limit = (archive / "archive.db").stat().st_size + (1 << 18)
    number, before, large = json.loads(processes.python(FULL, str(archive), str(limit), str(COUNT)))
    assert large == "refused"
    assert before == [f"memory-{each:05}" for each in range(number)]
    with open_store(archive) as store:
        assert [memory.id for memory in store.find()] == [*before, f"memory-{number:05}"]
        assert [each for each in store.check() if each.problem != "media_orphan"] == []


def add_many(store: Store) -> None:
    store.add([entry(number) for number in range(COUNT, COUNT + 300)])


def update(store: Store) -> None:
    store.update(type(entry(9).memory)("memory-00009", "note", "new " * 50_000), None)


def erase(store: Store) -> None:
    store.erase(["memory-00009"])


def put_file(store: Store) -> None:
    store.media.put(bytes(1 << 20))


def put_log(store: Store) -> None:
    store.put_log(Log("large", "trace", NOW, "x" * (1 << 20)))


def rebuild(store: Store) -> None:
    store.rebuild()


def reencode(store: Store) -> None:
    store.reencode("another", lambda views: [unit_vector(1) for _ in views])


def nothing(store: Store) -> None:
    """Only opening and closing."""


WRITES: list[Callable[[Store], object]] = [
    add_many, update, erase, put_file, put_log, rebuild, reencode, search, nothing,
]  # fmt: skip


@pytest.mark.parametrize("leave", [0, 16 << 10, 160 << 10])
@pytest.mark.parametrize("act", WRITES)
def test_on_a_full_disk_everything_is_done_or_refused(
    act: Callable[[Store], object], leave: int, tmp_path: Path, example: Path
) -> None:
    """A typed error or success, nothing else; and later the archive is whole, and writable."""
    with processes.tmpfs(tmp_path / "small", size="6m") as place:
        folder = Path(shutil.copytree(example, place / "archive"))
        shutil.rmtree(folder / "cache")
        filler = processes.use_up(place, leave=leave)
        with suppress(StorageFullError), open_store(folder) as store:
            search(store)
            act(store)
        filler.unlink()
        with open_store(folder, wait=0.1) as store:
            there = {memory.id for memory in store.find()}
            kept = processes.ids(range(COUNT)) - ({"memory-00009"} if act is erase else set())
            assert kept <= there
            assert len(there) in {COUNT - 1, COUNT, COUNT + 300}
            assert [each for each in store.check() if each.problem != "media_orphan"] == []
            assert all(receipt.memories == 1 for receipt in store.receipts())
            store.add([entry(1000)])


def test_what_is_open_can_be_read_on_a_full_disk(
    tmp_path: Path, example: Path, seen: list[object]
) -> None:
    with processes.tmpfs(tmp_path / "small", size="6m") as place:
        folder = Path(shutil.copytree(example, place / "archive"))
        shutil.rmtree(folder / "cache")
        with open_store(folder, mode="read") as reader, open_store(folder) as writer:
            filler = processes.use_up(place, leave=0)
            assert look(reader) == seen
            assert look(writer) == seen
            filler.unlink()


def test_closing_on_a_full_disk_lets_the_next_writer_in(tmp_path: Path, example: Path) -> None:
    """Caches that cannot be saved are no reason to keep the lock, or to fail."""
    with processes.tmpfs(tmp_path / "small", size="6m") as place:
        folder = Path(shutil.copytree(example, place / "archive"))
        shutil.rmtree(folder / "cache")
        store = open_store(folder)
        search(store)
        filler = processes.use_up(place, leave=0)
        store.close()
        filler.unlink()
        open_store(folder, wait=0.1).close()


def test_an_erasure_that_the_full_disk_interrupts_is_finished_later(
    tmp_path: Path, example: Path
) -> None:
    """There is space for the transaction, but not for caches without what was erased."""
    with processes.tmpfs(tmp_path / "small", size="16m") as place:
        folder = Path(shutil.copytree(example, place / "archive"))
        with open_store(folder) as store:
            for start in range(COUNT, COUNT + 6000, 2000):
                store.add([entry(number) for number in range(start, start + 500)])
            search(store)
        size = sum(path.stat().st_size for path in (folder / "cache").iterdir())
        with open_store(folder) as store:
            filler = processes.use_up(place, leave=min(size, 200 << 10))
            with suppress(StorageFullError):
                store.erase(["memory-00003"])
            assert "memory-00003" not in store.get_many(["memory-00003"])
            filler.unlink()
        with open_store(folder) as store:
            assert store.count() == COUNT + 1500 - 1
            assert [each for each in store.check() if each.problem != "media_orphan"] == []
            assert store.erase(["memory-00004"]).purged


# A place that cannot be written to


@pytest.fixture
def read_only(tmp_path: Path, example: Path) -> Iterator[Path]:
    with processes.tmpfs(tmp_path / "read-only", size="16m") as place:
        folder = Path(shutil.copytree(example, place / "archive"))
        processes.make_read_only(place)
        yield folder


def test_read_only_archive_can_be_read_and_searched(read_only: Path, seen: list[object]) -> None:
    with open_store(read_only, mode="read") as store:
        assert look(store) == seen
        assert store.stats().memories == COUNT
        assert [each.problem for each in store.check()] == ["media_orphan"]


def test_read_only_archive_is_not_opened_for_writing(read_only: Path) -> None:
    with pytest.raises(ArchiveReadOnlyError):
        open_store(read_only)


def test_read_only_archive_can_be_backed_up(
    read_only: Path, tmp_path: Path, seen: list[object]
) -> None:
    with open_store(read_only, mode="read") as store:
        store.backup(tmp_path / "backup")
    with open_store(tmp_path / "backup") as copy:
        assert look(copy) == seen


def some_receipt() -> Receipt:
    return Receipt(NOW, 1, 1, 1, 1, 1, 1, 1, 1, purged=True)


@pytest.mark.parametrize(
    "act",
    [
        lambda store: store.add([entry(1000)]),
        lambda store: store.update(entry(9).memory),
        lambda store: store.erase(["memory-00009"]),
        lambda store: store.put_derived({"memory-00009": entry(9).derived}),
        lambda store: store.change_edges(
            add=[Edge("memory-00001", "memory-00005", "semantic", 0.5)]
        ),
        lambda store: store.put_log(Log("new", "job", NOW, "")),
        lambda store: store.rebuild(),
        lambda store: store.reencode("another", lambda views: [unit_vector(1) for _ in views]),
        lambda store: store.restore([Restored((Version(1, entry(1000).memory, None),))]),
        lambda store: store.restore_receipt(some_receipt()),
        lambda store: store.media.put(b"another file"),
    ],
    ids=[
        "add", "update", "erase", "put_derived", "change_edges", "put_log", "rebuild", "reencode",
        "restore", "restore_receipt", "put_media",
    ],
)  # fmt: skip
@pytest.mark.parametrize("place", ["read_only", "archive"])
def test_writing_through_a_reading_handle_is_refused(
    act: Callable[[Store], object], place: str, request: pytest.FixtureRequest, seen: list[object]
) -> None:
    folder: Path = request.getfixturevalue(place)
    with open_store(folder, mode="read") as store:
        with pytest.raises(ArchiveReadOnlyError):
            act(store)
        assert look(store) == seen


def test_read_only_archive_whose_writer_died_has_all_that_was_acknowledged(tmp_path: Path) -> None:
    with processes.tmpfs(tmp_path / "read-only", size="16m") as place:
        folder = abandoned(tmp_path, place)
        processes.make_read_only(place)
        with open_store(folder, mode="read") as store:
            assert {memory.id for memory in store.find()} == processes.ids(range(30))


def test_read_only_archive_never_hides_what_its_log_holds(tmp_path: Path) -> None:
    """A copy without the log's index: it is read wholly, or not at all."""
    with processes.tmpfs(tmp_path / "read-only", size="16m") as place:
        folder = abandoned(tmp_path, place)
        (folder / "archive.db-shm").unlink()
        processes.make_read_only(place)
        with suppress(ArchiveReadOnlyError), open_store(folder, mode="read") as store:
            assert {memory.id for memory in store.find()} == processes.ids(range(30))


def abandoned(scratch: Path, place: Path) -> Path:
    """Return an archive that holds 10 memories in its database and 20 more in its log."""
    with open_store(scratch / "abandoned") as store:
        fill(store, range(10))
    processes.fill_and_die(scratch / "abandoned", range(10, 30))
    assert (scratch / "abandoned" / "archive.db-wal").stat().st_size > 0
    return Path(shutil.copytree(scratch / "abandoned", place / "archive"))


# A server that is gone


def test_stopped_server_is_told_and_forgiven(tmp_path: Path) -> None:
    with processes.postgres_server(tmp_path / "server") as server:
        location = server.get_uri() + "#faults"
        media = tmp_path / "media"
        with open_store(location, media=media) as store:
            fill(store, range(10))
            before = look(store)
            server.stop()
            for act in (store.find, lambda: store.add([entry(10)])):
                with pytest.raises(StoreUnavailableError):
                    act()
            with pytest.raises(StoreUnavailableError):
                open_store(location, media=media)
            server.start()
            assert look(store) == before
            assert store.add([Entry(entry(10).memory)]).new == ("memory-00010",)
            assert store.count() == 11
            assert store.check() == []
