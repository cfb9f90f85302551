from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from graphmemix.errors import (
    ArchiveBusyError,
    ArchiveReadOnlyError,
)
from graphmemix.store import Entry, Store, export_archive
from graphmemix.store.sql.erase import Erasure
from tests.store.conftest import Archives
from tests.store.contents import ENCODER, axis, entry, everything, fill, found_words, note

HOLD = """
import sys
from pathlib import Path
from graphmemix.store import open_store
with open_store(sys.argv[1], media=Path(sys.argv[2])):
    print("open", flush=True)
    sys.stdin.readline()
"""


@contextmanager
def other_writer(archives: Archives) -> Iterator[subprocess.Popen[str]]:
    """Run a process that holds the archive open for writing."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, archives.location(), str(archives.media())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        assert process.stdout.readline() == "open\n"
        try:
            yield process
        finally:
            process.kill()


def modes(folder: Path) -> dict[int, set[str]]:
    """Return the permissions of folders and files, each with who has it."""
    found: dict[int, set[str]] = {}
    for path in [folder, *folder.rglob("*")]:
        found.setdefault(stat.S_IMODE(path.stat().st_mode), set()).add(path.name)
    return found


# Private


@pytest.fixture
def no_umask() -> Iterator[None]:
    before = os.umask(0)
    try:
        yield
    finally:
        os.umask(before)


@pytest.mark.usefixtures("no_umask")
def test_an_archive_is_private_to_its_owner(make_sqlite: Archives, tmp_path: Path) -> None:
    store = make_sqlite()
    fill(store)
    store.search_vectors(axis(0), ENCODER)
    store.search_text("canal")
    folder = tmp_path / "sqlite" / "archive"
    assert (folder / "archive.db-wal").is_file()
    assert set(modes(folder)) == {0o700, 0o600}
    store.close()
    assert set(modes(folder)) == {0o700, 0o600}
    assert any(path.name.startswith("sidecar") for path in (folder / "cache").iterdir())


@pytest.mark.usefixtures("no_umask")
def test_media_of_a_server_are_private_too(make_postgres: Archives) -> None:
    fill(make_postgres())
    assert set(modes(make_postgres.media())) == {0o700, 0o600}


@pytest.mark.usefixtures("no_umask")
def test_copies_are_private_too(make_sqlite: Archives, tmp_path: Path) -> None:
    store = make_sqlite()
    fill(store)
    store.backup(tmp_path / "backup")
    assert set(modes(tmp_path / "backup")) == {0o700, 0o600}
    export_archive(store, tmp_path / "exported")
    assert set(modes(tmp_path / "exported")) == {0o700, 0o600}


def test_an_open_folder_is_closed_to_others(make_sqlite: Archives, tmp_path: Path) -> None:
    make_sqlite().close()
    folder = tmp_path / "sqlite" / "archive"
    folder.chmod(0o755)
    (folder / "archive.db").chmod(0o644)
    make_sqlite()
    assert set(modes(folder)) == {0o700, 0o600}


# One writer, many readers


def test_another_writer_is_named_after_the_wait(make_store: Archives) -> None:
    make_store().close()
    with other_writer(make_store) as process:
        with pytest.raises(ArchiveBusyError, match=f"in use by process {process.pid}") as caught:
            make_store(wait=0.2)
        assert caught.value.process == process.pid


def test_a_reader_opens_beside_a_writer(make_store: Archives) -> None:
    with make_store() as store:
        fill(store)
    with other_writer(make_store), make_store(mode="read") as reader:
        assert found_words(reader, "canal") == ["chat-1"]
        assert reader.count() == 5


def test_the_next_writer_gets_in_when_the_first_is_done(make_store: Archives) -> None:
    make_store().close()
    with other_writer(make_store) as process:
        assert process.stdin is not None
        timer = threading.Timer(0.3, process.kill)
        timer.start()
        with make_store(wait=10) as store:
            store.add([Entry(note("a"))])
        timer.join()


def test_two_writers_in_one_process_are_refused_too(make_store: Archives) -> None:
    first = make_store()
    with pytest.raises(ArchiveBusyError) as caught:
        make_store(wait=0)
    assert caught.value.process == os.getpid()
    first.add([Entry(note("a"))])
    first.close()
    assert make_store().count() == 1


def test_the_writer_of_another_archive_is_not_in_the_way(make_store: Archives) -> None:
    one, two = make_store("one"), make_store("two")
    one.add([Entry(note("a"))])
    two.add([Entry(note("a")), Entry(note("b"))])
    assert (one.count(), two.count()) == (1, 2)


def test_an_error_while_opening_releases_the_writer_s_lock(
    make_store: Archives, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: Erasure, *, quick: bool = False) -> bool:  # as it is called
        raise RuntimeError

    with monkeypatch.context() as patch:
        patch.setattr(Erasure, "finish", broken)
        with pytest.raises(RuntimeError):
            make_store()
    make_store(wait=0)


WRITES: dict[str, Callable[[Store], object]] = {
    "add": lambda store: store.add([entry("new", "x")]),
    "update": lambda store: store.update(note("note-2", "new")),
    "erase": lambda store: store.erase(["note-2"]),
    "put_derived": lambda store: store.put_derived({}),
    "change_edges": lambda store: store.change_edges(),
    "rebuild": lambda store: store.rebuild(),
    "reencode": lambda store: store.reencode("other", lambda views: [axis(0)] * len(views)),
}


@pytest.mark.parametrize("name", WRITES)
def test_a_reader_does_not_write(make_store: Archives, name: str) -> None:
    with make_store() as store:
        fill(store)
        before = everything(store)
    with make_store(mode="read") as reader:
        with pytest.raises(ArchiveReadOnlyError):
            WRITES[name](reader)
        assert everything(reader) == before


def test_closing_twice_is_harmless(make_store: Archives) -> None:
    for mode in ("write", "read"):
        store = make_store(mode=mode)
        store.close()
        store.close()


def test_many_readers_see_what_the_writer_commits(make_store: Archives) -> None:
    with make_store() as store:
        fill(store)
        readers = [make_store(mode="read") for _ in range(3)]
        store.add([entry("late", "canal")])
        assert all(len(found_words(reader, "canal")) == 2 for reader in readers)
