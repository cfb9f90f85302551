"""The embedded store: one folder per archive, nothing else to install or to run.

::

    ARCHIVE/            private to its owner (0700)
      archive.db        memories, views, vectors, postings, edges, logs (SQLite, WAL)
      media/            files by content hash
      cache/            rebuildable: float16 vectors for the scan, the index of words
      writer.lock       held by the one process that writes
      reserve           on a disk that fills up: room for an erasure
"""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from graphmemix.errors import (
    ArchiveBusyError,
    ArchiveNotFoundError,
    InvalidInputError,
    StorageFullError,
    StoreError,
)
from graphmemix.fsio import (
    FileLock,
    SharedLock,
    is_unfinished,
    make_folder,
    new_folder,
    storage_faults,
)
from graphmemix.store.media import MediaFolder
from graphmemix.store.sanitize import is_archive_name, is_storable, require_archive_name
from graphmemix.store.sql.core import Core
from graphmemix.store.sql.store import INSERT_ARCHIVE, OPENING_SECONDS, SqlStore, archive_row
from graphmemix.store.sqlite.database import SWEEPING, SqliteDatabase
from graphmemix.store.sqlite.schema import MIGRATIONS, WITH_SWEPT
from graphmemix.store.sqlite.vectors import SidecarIndex

if TYPE_CHECKING:
    from collections.abc import Iterator


_DATABASE = "archive.db"
_RESERVE = "reserve"
# What an opening that was interrupted may have left.
_OURS = frozenset(
    {_DATABASE + "-wal", _DATABASE + "-shm", "cache", "media", "writer.lock", _RESERVE, SWEEPING}
)
_FILES_IN_USE = "SELECT DISTINCT sha256 FROM media WHERE archive = :archive"


class SqliteStore(SqlStore):
    """An archive in a folder. See `Store` for what it promises."""

    def __init__(
        self,
        folder: Path | str,
        *,
        mode: Literal["write", "shared", "read"] = "write",
        wait: float = 5.0,
    ) -> None:
        """Open an archive; for writing, make it if it is not there.

        Args:
            folder: Where it is.
            mode: One process may write at a time; any number may read meanwhile. In mode
                ``shared`` this one is the writer only while it changes something.
            wait: Seconds to wait for another writer to finish.

        Raises:
            ArchiveBusyError: Another process is still writing.
            ArchiveNotFoundError: Nothing there to read, or the folder holds something else.
            ArchiveReadOnlyError: The place does not allow writing.
            ArchiveVersionError: A newer program made it.
        """
        self.folder = _checked_folder(folder, mode)
        if mode == "read":
            self._open(Reserve(self.folder), writable=False)
            return
        _make_private(self.folder)
        path = self.folder / "writer.lock"
        if mode == "shared":
            self._open_in_turn(_shared(path, wait), min(wait, OPENING_SECONDS))
            return
        with storage_faults(str(path)):
            lock = FileLock(path, wait=wait)
        try:
            self._open_to_write()
        except BaseException:
            lock.release()
            raise
        self._file.after_close = lock.release

    def _open_in_turn(self, lock: SharedLock, wait: float) -> None:
        """Open for writing in turn with other processes; one that writes now need not end first."""
        try:
            with lock.held(wait):
                self._open_to_write(lock)
        except ArchiveBusyError:
            if not _is_current(self.folder.resolve() / _DATABASE):
                raise
            self._open_to_write(lock)

    def _open_to_write(self, lock: SharedLock | None = None) -> None:
        reserve = Reserve(self.folder)
        try:
            self._open(reserve, writable=True, lock=lock)
        except StorageFullError:
            with reserve.given_up():  # a log and its index, of some hundred KB
                self._open(reserve, writable=True, lock=lock)

    def _open(self, reserve: Reserve, *, writable: bool, lock: SharedLock | None = None) -> None:
        cache = self.folder / "cache"
        database = self._file = SqliteDatabase(self.folder.resolve() / _DATABASE, writable=writable)
        database.lock = lock
        try:
            core = Core(database, MediaFolder(self.folder / "media", writable=writable))
            if database.holds_lock:
                _add_archive(database, self.folder)
                _make_private(cache)
            room = ReservedRoom(reserve, database)
            super().__init__(core, SidecarIndex(core, cache), room=room, cache=cache)
            if writable:
                database.after_commit = reserve.keep
                reserve.keep()
        except BaseException:
            database.close()
            raise

    def backup(self, target: Path) -> bool:
        """Write a copy of the archive, as it is at this moment, into a new folder.

        Others may read and write meanwhile. The copy is an archive: open it, or move it back.

        Returns:
            False, and nothing written, if just this copy is there already, whole.

        Raises:
            InvalidInputError: `target` exists and holds something else.
        """
        if (target / _DATABASE).exists() and not is_unfinished(target):
            self._require_same(target)
            return False
        with new_folder(target), storage_faults(str(target)):
            # Files first: what can be opened as an archive has all of them.
            draft = target / "copy.db"
            self._file.copy_to(draft)
            self._copy_media(draft, MediaFolder(target / "media"))
            draft.rename(target / _DATABASE)
        return True

    def _require_same(self, target: Path) -> None:
        """Raise unless a folder is a whole copy of the archive as it is at this moment."""
        if target.resolve() == self.folder.resolve():
            raise InvalidInputError(f"{target}: is the archive itself; name a new folder")
        copies = MediaFolder(target / "media", writable=False)
        with self.db.read() as session:
            same = self._file.same_as(target / _DATABASE) and all(
                sha256 in copies and copies.intact(sha256)
                for (sha256,) in session.run(_FILES_IN_USE)
            )
        if not same:
            raise InvalidInputError(
                f"{target}: holds another archive, or an earlier state of this one; name a new "
                "folder"
            )

    def _copy_media(self, draft: Path, copy: MediaFolder) -> None:
        snapshot = SqliteDatabase(draft.resolve(), writable=False)
        try:
            with snapshot.read() as session:
                for (sha256,) in session.run(_FILES_IN_USE):
                    copy.put(self.media.path(sha256))
        finally:
            snapshot.close()
            for suffix in ("-wal", "-shm"):  # empty; who reads only leaves them behind
                draft.with_name(draft.name + suffix).unlink(missing_ok=True)


def _shared(path: Path, wait: float) -> SharedLock:
    """Return the writer's lock, to be taken for every change."""
    held: list[FileLock] = []

    def take(patience: float) -> None:
        with storage_faults(str(path)):
            held.append(FileLock(path, wait=patience))

    release = lambda: held.pop().release()  # noqa: E731
    return SharedLock(take, release, place=str(path.parent), wait=wait)


def _is_current(file: Path) -> bool:
    """Return whether there is an archive that opening it for writing would not change."""
    try:
        database = SqliteDatabase(file, writable=False)
    except StoreError:
        return False
    database.close()
    return database.version == len(MIGRATIONS)


def _add_archive(database: SqliteDatabase, folder: Path) -> None:
    """Give a new archive its row."""
    with database.write() as session:
        if not session.run("SELECT 1 FROM archives"):
            session.run(INSERT_ARCHIVE, **archive_row(folder.resolve().name))
            if database.version >= WITH_SWEPT:
                session.run("UPDATE archives SET swept = 1")  # there is nothing yet


def _checked_folder(folder: Path | str, mode: str) -> Path:
    """Return the folder as an absolute path, if it is an archive or may become one."""
    if not is_storable(str(folder)):
        raise InvalidInputError(f"{str(folder)!r} cannot be a folder")
    try:
        path = Path(folder).absolute()
        if not is_archive_name(path.name) and not os.path.exists(path):  # noqa: PTH110  # never raises
            require_archive_name(path.name)
        if path.exists() and not path.is_dir():
            raise ArchiveNotFoundError(f"{path} is not a folder")
        strange = mode == "write" and path.exists() and not (path / _DATABASE).exists()
        if strange and any(each.name not in _OURS for each in path.iterdir()):
            raise ArchiveNotFoundError(
                f"{path} holds something else; name an empty or a new folder"
            )
    except InvalidInputError:
        raise
    except (ValueError, OSError) as error:  # such as a name that is too long
        raise InvalidInputError(f"{str(folder)!r} cannot be a folder: {error}") from None
    return path


def _make_private(folder: Path) -> None:
    with storage_faults(str(folder)):
        make_folder(folder).chmod(0o700)


_AMPLE: Final = 1 << 30  # bytes; with more than this free, nothing is set aside
_MOST: Final = 16 << 20  # twice what the log grows to before SQLite writes it back
_LEAST: Final = 1 << 20
_SHARE: Final = 8  # of what is free, one part in so many is set aside
_ERASED_AT_ONCE: Final = 16  # memories in one transaction while there is little room
_LEFT: Final = 256 << 10  # left free when the reserve is taken back, for locks and small writes


class Reserve:
    """Room that is set aside while a disk fills up, so that an archive can still be erased from.

    SQLite needs room to delete: changed pages go to its log first. On a disk that the archive has
    filled there would be none, and the one thing that helps, erasing, could not be done. So while
    less than a gigabyte is free, the writer keeps a file that holds nothing, and gives it up for an
    erasure. Whatever fails here is no reason for the archive to fail.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / _RESERVE
        self._kept = self._file.exists()

    def keep(self) -> None:
        """Set room aside, if there is little and none is yet. Cheap: called after every change."""
        if self._kept:
            return
        free = self.free()
        if free < _AMPLE:
            self._take(min(_MOST, free // _SHARE))

    def is_short(self, size: int) -> bool:
        """Return whether there may be too little room to change all of a database of this size."""
        return self.free() < max(2 * size, 2 * _MOST)

    def free(self) -> int:
        """Return how many bytes may still be written here; a lot if that is not known."""
        try:
            return shutil.disk_usage(self._file.parent).free
        except OSError:
            return _AMPLE

    @contextmanager
    def given_up(self) -> Iterator[None]:
        """Have the room inside; set aside again at the end what is left of it."""
        size = 0
        with suppress(OSError):
            size = self._file.stat().st_size
            self._file.unlink()
        self._kept = True  # as far as `keep` is concerned
        try:
            yield
        finally:
            self._kept = False
            if (free := self.free()) < _AMPLE:
                self._take(min(size, free - _LEFT))

    def _take(self, size: int) -> None:
        if size < _LEAST:
            return
        with suppress(OSError):
            try:
                _allocate(self._file, size)
                self._kept = True
            except OSError:
                self._file.unlink(missing_ok=True)


class ReservedRoom:
    """Implements `EraseRoom`."""

    def __init__(self, reserve: Reserve, database: SqliteDatabase) -> None:
        self._reserve = reserve
        self._database = database

    @contextmanager
    def open(self) -> Iterator[int | None]:
        """Give up the reserve on a disk that is nearly full, and keep transactions small there."""
        if not self._reserve.is_short(self._database.size()):
            yield None
            return
        with self._reserve.given_up():
            self.regain()
            yield _ERASED_AT_ONCE

    def regain(self) -> None:
        """Give back the room that the last transaction took, unless somebody still reads it."""
        with suppress(StorageFullError):
            self._database.empty_log()


def _allocate(file: Path, size: int) -> None:
    handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(handle, 0, size)
        else:  # macOS
            for _ in range(0, size, _LEAST):
                os.write(handle, bytes(_LEAST))
    finally:
        os.close(handle)
