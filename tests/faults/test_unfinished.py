"""Copies of an archive that a killed process left half done."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from graphmemix.errors import ArchiveNotFoundError, InvalidDataError, InvalidInputError
from graphmemix.memory import Media, Memory
from graphmemix.store import Entry, Store, export_archive, open_store
from graphmemix.store.importing import import_archive
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


def copy_with(kind: str, store: Store, target: Path) -> bool:
    return store.backup(target) if kind == "backup" else export_archive(store, target)


def state_of(folder: Path) -> dict[str, tuple[int, bytes]]:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in files}


@pytest.mark.parametrize("kind", ["backup", "export"])
def test_a_copy_of_just_this_state_is_left_as_it_is(tmp_path: Path, kind: str) -> None:
    with make(tmp_path / "archive") as store:
        assert copy_with(kind, store, tmp_path / "copy")
        before = state_of(tmp_path / "copy")
        assert not copy_with(kind, store, tmp_path / "copy")
    assert state_of(tmp_path / "copy") == before


@pytest.mark.parametrize("kind", ["backup", "export"])
def test_a_copy_of_an_earlier_state_is_refused_and_kept(tmp_path: Path, kind: str) -> None:
    with make(tmp_path / "archive") as store:
        copy_with(kind, store, tmp_path / "copy")
        before = state_of(tmp_path / "copy")
        store.add([Entry(Memory("later", "note", "words"))])
        with pytest.raises(InvalidInputError, match="name a new folder"):
            copy_with(kind, store, tmp_path / "copy")
    assert state_of(tmp_path / "copy") == before


@pytest.mark.parametrize("kind", ["backup", "export"])
def test_a_copy_of_another_archive_is_refused(tmp_path: Path, kind: str) -> None:
    with make(tmp_path / "other") as other:
        other.add([Entry(Memory("other", "note", "words"))])
        copy_with(kind, other, tmp_path / "copy")
    with (
        make(tmp_path / "archive") as store,
        pytest.raises(InvalidInputError, match="name a new folder"),
    ):
        copy_with(kind, store, tmp_path / "copy")


@pytest.mark.parametrize("kind", ["backup", "export"])
@pytest.mark.parametrize("damage", ["missing", "changed"])
def test_a_damaged_copy_is_refused(tmp_path: Path, kind: str, damage: str) -> None:
    with make(tmp_path / "archive") as store:
        copy_with(kind, store, tmp_path / "copy")
        sha256, _ = next(iter(MediaFolder(tmp_path / "copy" / "media", writable=False)))
        path = MediaFolder(tmp_path / "copy" / "media", writable=False).path(sha256)
        path.unlink() if damage == "missing" else path.write_bytes(b"file X")
        with pytest.raises(InvalidInputError, match="name a new folder"):
            copy_with(kind, store, tmp_path / "copy")


def test_an_archive_is_no_backup_of_itself(tmp_path: Path) -> None:
    with (
        make(tmp_path / "archive") as store,
        pytest.raises(InvalidInputError, match="is the archive itself"),
    ):
        store.backup(tmp_path / "archive")


def test_an_unfinished_copy_is_known_as_such_until_the_last_of_it_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process may end while it removes what another one left."""
    copy = tmp_path / "copy"
    (copy / "media").mkdir(parents=True)
    (copy / ".graphmemix-unfinished").touch()
    (copy / "copy.db").write_bytes(b"half")

    def end(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with make(tmp_path / "archive") as store:
        with monkeypatch.context() as ending:
            ending.setattr("graphmemix.fsio.shutil.rmtree", end)
            with pytest.raises(KeyboardInterrupt):
                store.backup(copy)
        assert (copy / ".graphmemix-unfinished").exists()
        assert store.backup(copy)


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
