"""Readers beside a writer, in other processes and in other threads."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from graphmemix.errors import ArchiveBusyError
from graphmemix.memory import Memory
from graphmemix.store import open_store
from graphmemix.store.sqlite import database
from tests.store import processes
from tests.store.conftest import Postgres
from tests.store.processes import concurrency

T = TypeVar("T")

LOOKS = concurrency.Extent(looks=25)


def in_a_thread(act: Callable[[], T]) -> T:
    results: list[T] = []
    thread = threading.Thread(target=lambda: results.append(act()))
    thread.start()
    thread.join()
    return results[0]


def test_readers_in_other_processes_see_whole_transactions() -> None:
    report = concurrency.run(LOOKS)
    assert report.violations == []
    assert report.looks >= 4 * 25
    assert report.added > 0


def test_readers_of_a_server_see_whole_transactions(postgres: Postgres) -> None:
    address = postgres.new_database().url
    report = concurrency.run(LOOKS, store="postgres", server=address)
    assert report.violations == []
    assert report.looks >= 4 * 25
    assert report.added > 0


def test_threads_share_a_handle() -> None:
    report = concurrency.run_threads(LOOKS)
    assert report.violations == []
    assert report.looks >= 4 * 25
    assert report.added > 0


def test_a_snapshot_finds_its_own_state_after_another_thread_has_searched_a_newer_one(
    tmp_path: Path,
) -> None:
    """What another thread searched must not change what this snapshot sees."""
    query = processes.unit_vector(3)
    with open_store(tmp_path) as store:
        processes.fill(store, range(3))
        with store.snapshot():
            before = store.search_vectors(query, processes.ENCODER, limit=1)
            in_a_thread(lambda: processes.fill(store, range(3, 4)))  # this one is nearest
            in_a_thread(lambda: processes.search(store))
            assert store.count() == 3
            assert store.search_vectors(query, processes.ENCODER, limit=1) == before


def test_a_snapshot_finds_what_another_thread_has_changed_since(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        processes.fill(store, range(6))
        with store.snapshot():
            before = processes.search(store)
            in_a_thread(lambda: store.update(Memory("memory-00003", "note", "other words")))
            in_a_thread(lambda: processes.search(store))
            assert processes.search(store) == before
        assert processes.search(store) != before


def test_a_reader_that_loads_a_newer_cache_still_finds_its_own_state(tmp_path: Path) -> None:
    """The cache on disk may be ahead of the transaction that reads it."""
    with open_store(tmp_path) as writer:
        processes.fill(writer, range(6))
        before = processes.search(writer)
        with open_store(tmp_path, mode="read") as reader, reader.snapshot():
            assert reader.count() == 6
            processes.fill(writer, range(6, 12))
            writer.update(Memory("memory-00003", "note", "other words"))
            processes.search(writer)
            writer.close()  # saves its caches
            assert reader.count() == 6
            assert processes.search(reader) == before


def test_an_erasure_beside_a_snapshot_is_finished_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A snapshot keeps the log from being emptied."""
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.1)
    monkeypatch.setattr(database, "_PURGE_SECONDS", 0.1)
    with open_store(tmp_path) as writer:
        processes.fill(writer, range(6))
        before = writer.find()
        with open_store(tmp_path, mode="read") as reader, reader.snapshot():
            assert reader.count() == 6
            assert not writer.erase(["memory-00003"]).purged
            assert writer.count() == 5
            assert reader.find() == before
    with open_store(tmp_path) as store:
        assert store.count() == 5
        for path in filter(Path.is_file, tmp_path.rglob("*")):
            assert processes.word(3).encode() not in path.read_bytes()


def test_a_second_writer_is_told_who_is_writing(tmp_path: Path) -> None:
    code = (
        "import sys; from graphmemix.store import open_store\n"
        "store = open_store(sys.argv[1]); print('open', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"open\n"
        with pytest.raises(ArchiveBusyError, match=f"in use by process {writer.pid}"):
            open_store(tmp_path, wait=0.1)
        writer.kill()
    open_store(tmp_path, wait=1).close()
