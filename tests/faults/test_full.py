"""Erasing where there is no room left, on a real file system of 64 MiB."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2]))  # benchmarks/ is no part of the package

from benchmarks.faults.places import NotPermittedError, fill_up, small_disk

from graphmemix.archive import Archive
from graphmemix.encode import HashingEncoder
from graphmemix.errors import StorageFullError
from graphmemix.memory import Media, Memory
from graphmemix.store import Entry, Store, open_store

WORDS = "canal bridge heron "


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    try:
        with small_disk(tmp_path / "disk", megabytes=64) as place:
            yield place
    except NotPermittedError:
        pytest.skip("no file system can be mounted here: that needs root")


def fill_with_texts(store: Store) -> list[str]:
    """Add memories until the disk is full; return their ids."""
    ids: list[str] = []
    with suppress(StorageFullError):
        while True:
            batch = [f"m{len(ids) + i:05}" for i in range(10)]
            store.add(Entry(Memory(i, "note", os.urandom(40_000).hex())) for i in batch)
            ids += batch
    return ids


def used(folder: Path) -> float:
    found = shutil.disk_usage(folder)
    return found.used / found.total


def test_one_of_many_can_be_erased_from_a_disk_that_the_archive_filled(disk: Path) -> None:
    with open_store(disk / "archive") as store:
        ids = fill_with_texts(store)
    assert used(disk) > 0.8
    open_store(disk / "archive").close()
    fill_up(disk, leave=0)  # what the end of the process gave back, another one takes
    with open_store(disk / "archive") as store:
        receipt = store.erase([ids[7]])
        assert (receipt.memories, receipt.purged) == (1, True)  # nothing else is rewritten
        assert store.count() == len(ids) - 1
        assert store.check() == []
        assert store.erase([ids[7]]).repeated
    (disk / "filler").unlink()
    with open_store(disk / "archive") as store:
        assert store.check() == []
        assert store.receipt_of(ids[7]) is not None


def test_everything_can_be_erased_from_a_disk_that_the_archive_filled(disk: Path) -> None:
    with open_store(disk / "archive") as store:
        ids = fill_with_texts(store)
        receipt = store.erase(ids)
        assert (receipt.memories, receipt.purged) == (len(ids), True)
        assert store.count() == 0
    assert used(disk) < 0.4  # the room is there again
    with open_store(disk / "archive") as store:
        assert store.check() == []
        store.add([Entry(Memory("new", "note", "There is room."))])


def test_a_large_file_can_be_erased_from_a_disk_that_files_filled(disk: Path) -> None:
    with open_store(disk / "archive") as store:
        ids: list[str] = []
        with suppress(StorageFullError):
            while True:
                put = store.media.put(os.urandom(4 << 20), unclaimed=True)
                medium = Media("video", put.sha256, "video/mp4")
                ids.append(f"m{len(ids)}")
                store.add([Entry(Memory(ids[-1], "video", media=(medium,)))])
    fill_up(disk, leave=0)
    with open_store(disk / "archive") as store:
        receipt = store.erase(ids[:1])
        assert (receipt.media_bytes, receipt.purged) == (4 << 20, True)
        assert store.check() == []


def test_an_archive_with_relations_can_be_erased_from_too(disk: Path) -> None:
    """The whole way: journal of what was read, neighbours, contexts, then the rows."""
    with Archive.open(disk / "archive", encoder=HashingEncoder()) as archive:
        memories = [Memory(f"m{i}", "note", f"Note {i}. " + WORDS * 40) for i in range(60)]
        archive.add(memories)
        fill_up(disk, leave=0)
        receipt = archive.erase([memory.id for memory in memories[:50]])
        assert receipt.memories == 50
        assert archive.store.count() == 10
        assert archive.store.check() == []


def test_without_any_room_an_erasure_says_so_and_changes_nothing(disk: Path) -> None:
    """Another process filled the disk before the archive had a chance to set some room aside."""
    with open_store(disk / "archive") as store:
        store.add(Entry(Memory(f"m{i}", "note", WORDS)) for i in range(40))
    (disk / "archive" / "reserve").unlink()
    fill_up(disk, leave=0)
    with pytest.raises(StorageFullError, match="no space left"), open_store(disk / "archive") as s:
        s.erase([f"m{i}" for i in range(40)])
    with open_store(disk / "archive", mode="read") as store:
        assert store.count() == 40
        assert store.check() == []
        (disk / "filler").unlink()
        with open_store(disk / "archive") as writer:
            assert writer.erase([f"m{i}" for i in range(40)]).memories == 40
        assert store.count() == 0  # a reader that began on the full disk goes on too


def test_room_is_set_aside_only_where_there_is_little(disk: Path, tmp_path: Path) -> None:
    open_store(disk / "archive").close()
    assert (disk / "archive" / "reserve").stat().st_blocks * 512 >= 4 << 20
    if shutil.disk_usage(tmp_path).free > 2 << 30:
        open_store(tmp_path / "archive").close()
        assert not (tmp_path / "archive" / "reserve").exists()
