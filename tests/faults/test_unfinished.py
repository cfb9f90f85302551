"""Copies of an archive that a killed process left half done."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from graphmemix.errors import ArchiveNotFoundError, InvalidDataError, InvalidInputError
from graphmemix.memory import Media, Memory
from graphmemix.store import Entry, Store, export_archive, open_store
from graphmemix.store.arrival import import_archive
from graphmemix.store.media import MediaFolder


def make(folder: Path) -> Store:
    store = open_store(folder)
    files = [store.media.put(b"file %d" % number) for number in range(3)]
    store.add(
        Entry(Memory(f"m{i}", "note", "words", media=(Media("image", each.sha256, "image/png"),)))
        for i, each in enumerate(files)
    )
    return store


def die_in(copy: object) -> None:
    """Run something in a process that ends at once when the second file is copied."""
    process = os.fork()
    if process == 0:
        puts, put = 0, MediaFolder.put

        def put_or_die(self: MediaFolder, source: object) -> object:
            nonlocal puts
            puts += 1
            if puts == 2:
                os._exit(7)
            return put(self, source)  # type: ignore[arg-type]

        MediaFolder.put = put_or_die  # type: ignore[method-assign,assignment]
        try:
            copy()  # type: ignore[operator]
        finally:
            os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 7


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_half_a_backup_is_no_archive_and_is_replaced(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    with make(tmp_path / "archive") as store:
        die_in(lambda: store.backup(copy))
        assert any(copy.iterdir())
        with pytest.raises(ArchiveNotFoundError):
            open_store(copy, mode="read")
        store.backup(copy)
    assert sorted(path.name for path in copy.iterdir()) == ["archive.db", "media"]
    with open_store(copy, mode="read") as found:
        assert (found.count(), found.check()) == (3, [])


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_half_an_export_cannot_be_imported_and_is_replaced(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    with make(tmp_path / "archive") as store:
        die_in(lambda: export_archive(store, copy))
        with open_store(tmp_path / "other") as other:
            with pytest.raises(InvalidDataError, match="is not an export"):
                import_archive(copy, other)
            export_archive(store, copy)
            assert import_archive(copy, other) == 3


def test_what_is_not_ours_is_left_alone(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / "letter.txt").write_text("mine")
    with make(tmp_path / "archive") as store:
        with pytest.raises(InvalidInputError, match="not empty"):
            store.backup(copy)
        with pytest.raises(InvalidInputError, match="not empty"):
            export_archive(store, copy)
    assert (copy / "letter.txt").read_text() == "mine"
