from __future__ import annotations

import errno
import threading
import time
from pathlib import Path

import pytest

from graphmemix.errors import (
    GraphMemixError,
    InvalidInputError,
    StorageFullError,
)
from graphmemix.evidence import Edge
from graphmemix.memory import Media
from graphmemix.store import MediaFolder, Store, import_archive, open_store
from tests.store.conftest import Archives
from tests.store.contents import ENCODER, axis, entry, everything, fill, found_words


def restored(archives: Archives, folder: Path) -> Store:
    """Open a backup: a folder of SQLite is an archive, one of PostgreSQL is imported."""
    if archives.backend == "sqlite":
        store = open_store(folder)
        archives.opened.callback(store.close)
        return store
    store = archives("restored")
    import_archive(folder, store)
    return store


def test_a_backup_is_the_whole_archive(make_store: Archives, tmp_path: Path) -> None:
    store = make_store()
    fill(store)
    store.backup(tmp_path / "backup")
    copy = restored(make_store, tmp_path / "backup")
    assert everything(copy) == everything(store)
    assert copy.check() == []
    assert found_words(copy, "canal") == ["chat-1"]
    assert copy.search_vectors(axis(0), ENCODER) == store.search_vectors(axis(0), ENCODER)
    copy.add([entry("more", "x", [axis(0)])])
    assert store.count() == 5


def test_a_reader_can_back_up(make_store: Archives, tmp_path: Path) -> None:
    store = make_store()
    fill(store)
    make_store(mode="read").backup(tmp_path / "backup")
    assert everything(restored(make_store, tmp_path / "backup")) == everything(store)


def test_a_backup_while_writing_is_one_state(make_store: Archives, tmp_path: Path) -> None:
    store = make_store()
    stop = threading.Event()
    batches = 0

    def write() -> None:
        nonlocal batches
        while not stop.is_set():
            picture = store.media.put(b"%d" % batches)
            media = (Media("image", picture.sha256),)
            ids = [f"b{batches:04}-{n}" for n in range(5)]
            store.add(
                [entry(each, "x", [axis(n)], media=media) for n, each in enumerate(ids)],
                [Edge(ids[0], ids[4], "semantic", 0.5)],
            )
            batches += 1

    writing = threading.Thread(target=write)
    writing.start()
    try:
        while batches < 5:
            time.sleep(0.01)
        at_least = batches
        store.backup(tmp_path / "backup")
        at_most = batches + 1
    finally:
        stop.set()
        writing.join()
    copy = restored(make_store, tmp_path / "backup")
    assert copy.count() % 5 == 0
    assert at_least <= copy.count() // 5 <= at_most
    assert copy.check() == []
    assert copy.stats().edges == {"semantic": copy.count() // 5}
    assert copy.stats().media_files == copy.count() // 5


def test_a_backup_does_not_overwrite(store: Store, tmp_path: Path) -> None:
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "letter.txt").write_text("mine")
    with pytest.raises(InvalidInputError):
        store.backup(tmp_path / "used")
    with pytest.raises(GraphMemixError):
        store.backup(tmp_path / "used" / "letter.txt")
    assert [path.read_text() for path in (tmp_path / "used").iterdir()] == ["mine"]


@pytest.mark.parametrize("was_there", [False, True])
def test_what_cannot_be_finished_is_removed_again(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, was_there: bool
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    fill(store)
    target = tmp_path / "copy"
    if was_there:
        target.mkdir()
    with monkeypatch.context() as patch:
        patch.setattr(MediaFolder, "put", full)
        with pytest.raises(StorageFullError, match="copy"):
            store.backup(target)
    assert target.exists() == was_there
    assert list(tmp_path.glob("copy/*")) == []
    store.backup(target)
