"""Files that came for a memory which was never stored."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from graphmemix.errors import ArchiveNotFoundError
from graphmemix.memory import Media, Memory
from graphmemix.store import Entry, export_archive, open_store
from graphmemix.store.importing import import_archive
from graphmemix.store.sql.erase import Erasure
from tests.store.conftest import Archives


def pictured(memory_id: str, sha256: str) -> Memory:
    return Memory(memory_id, "note", "words", media=(Media("image", sha256, "image/png"),))


def test_a_file_without_its_memory_goes_with_the_next_writer(make_store: Archives) -> None:
    with make_store() as store:
        left = store.media.put(b"left behind", unclaimed=True)
    with make_store(mode="read") as store:
        assert left.sha256 in store.media
        assert store.check() == []  # it is known to be on its way
    with make_store() as store:
        assert left.sha256 not in store.media
        assert store.check() == []


def test_a_file_with_its_memory_stays(make_store: Archives) -> None:
    with make_store() as store:
        kept = store.media.put(b"kept", unclaimed=True)
        store.add([Entry(pictured("m", kept.sha256))])
        assert store.media.unclaimed() == []
    with make_store() as store:
        assert store.media.read(kept.sha256) == b"kept"


def test_a_file_stays_if_the_process_ended_before_it_was_claimed(make_store: Archives) -> None:
    with make_store() as store:
        kept = store.media.put(b"kept", unclaimed=True)
        store.add([Entry(pictured("m", kept.sha256))])
        (store.media.root / "incoming" / kept.sha256).touch()
    with make_store() as store:
        assert store.media.read(kept.sha256) == b"kept"
        assert store.media.unclaimed() == []


def test_a_file_that_its_owner_put_stays_without_a_memory(make_store: Archives) -> None:
    """Whoever has the address may name it in a memory later, such as a client of the server."""
    with make_store() as store:
        mine = store.media.put(b"mine")
        store.media.put(b"mine", unclaimed=True)  # the same file, in a mail
    with make_store() as store:
        assert mine.sha256 in store.media
        assert [finding.problem for finding in store.check()] == ["media_orphan"]


def test_an_import_that_ends_early_leaves_nothing_to_complain_about(
    make_store: Archives, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(tmp_path / "source") as source:
        file = source.media.put(b"picture")
        source.add([Entry(pictured("m", file.sha256))])
        export_archive(source, tmp_path / "export")
    with make_store() as store:

        def end(*_: object) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as ending:
            ending.setattr(store, "restore", end)
            with pytest.raises(KeyboardInterrupt):
                import_archive(tmp_path / "export", store)
        assert file.sha256 in store.media
        assert store.check() == []
    with make_store() as store:
        assert [*store.media] == []
        assert import_archive(tmp_path / "export", store) == 1
        assert store.check() == []


def test_files_of_an_erasure_that_ended_early_are_no_damage(
    make_store: Archives, monkeypatch: pytest.MonkeyPatch
) -> None:
    with make_store() as store:
        file = store.media.put(b"picture")
        store.add([Entry(pictured("m", file.sha256))])
        monkeypatch.setattr(Erasure, "finish", lambda _, quick=False: False)
        assert not store.erase(["m"]).purged
        assert file.sha256 in store.media
        assert store.check() == []


def test_an_archive_that_was_not_made_to_the_end_is_none(tmp_path: Path) -> None:
    """A process that ended between the tables and the row of the archive."""
    with open_store(tmp_path / "archive") as store, store.db.write() as session:  # type: ignore[attr-defined]
        session.run("DELETE FROM archives")
    with pytest.raises(ArchiveNotFoundError, match="interrupted"):
        open_store(tmp_path / "archive", mode="read")
    open_store(tmp_path / "archive").close()
    with open_store(tmp_path / "archive", mode="read") as store:
        assert store.check() == []


def test_an_archive_without_tables_is_none(tmp_path: Path) -> None:
    (tmp_path / "archive").mkdir()
    (tmp_path / "archive" / "archive.db").touch()
    with pytest.raises(ArchiveNotFoundError, match="interrupted"):
        open_store(tmp_path / "archive", mode="read")


def test_a_file_that_a_living_process_is_writing_is_left_alone(make_store: Archives) -> None:
    with make_store() as store:
        incoming = store.media.root / "incoming"
        written = incoming / f"{os.getppid()}-abc.part"
        forgotten = incoming / f"{os.getpid()}-abc.part"
        for path in (written, forgotten):
            path.touch()
    with make_store():
        assert [path.exists() for path in (written, forgotten)] == [True, False]
