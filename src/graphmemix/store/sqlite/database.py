"""SQLite behind `Database`: one file, one writing connection, a read-only one per thread."""

from __future__ import annotations

import json
import shutil
import sqlite3
import threading
import time
from contextlib import closing, contextmanager, nullcontext, suppress
from itertools import zip_longest
from typing import TYPE_CHECKING

from graphmemix.errors import (
    ArchiveNotFoundError,
    ArchiveReadOnlyError,
    ArchiveVersionError,
    StoreError,
)
from graphmemix.store.backend import QUICKLY_REWRITTEN
from graphmemix.store.sanitize import storable
from graphmemix.store.sqlite.connections import (
    BUSY_SECONDS,
    LITTLE_SPACE,
    connect_reader,
    faults,
    log_of,
)
from graphmemix.store.sqlite.schema import MIGRATIONS, PAGE_BYTES, READABLE
from graphmemix.store.sqlite.sweep import MOST_PAGES, pages_in_log, wipe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from graphmemix.fsio import SharedLock
    from graphmemix.store.backend import Row

ARCHIVE = 1  # the number of the one archive in the file
_PURGE_SECONDS = 2.0  # how long to wait for readers
_FRAME_BYTES = 24  # beside each page in the log
_LOG_BYTES = 1000 * (PAGE_BYTES + _FRAME_BYTES)  # written back when it is longer
_FREE_SHARE = 4  # a database is rewritten to give back room if so large a part of it is free
SWEEPING = "sweeping"


class SqliteSession:
    """Statements inside one transaction of one connection."""

    def __init__(self, connection: sqlite3.Connection, *, writes: bool = False) -> None:
        self._connection = connection
        self.found: dict[str, tuple[int, int] | None] | None = None if writes else {}

    def run(self, sql: str, **parameters: object) -> list[Row]:
        """Execute a statement and return its rows."""
        return self._connection.execute(sql, {"archive": ARCHIVE, **parameters}).fetchall()

    def run_many(self, sql: str, rows: Iterable[Mapping[str, object]]) -> None:
        """Execute a statement once for each set of parameters."""
        filled = [{"archive": ARCHIVE, **row} for row in rows]
        if len(filled) == 1:
            self._connection.execute(sql, filled[0])
        elif filled:
            self._connection.executemany(sql, filled)


class SqliteDatabase:
    """The file ``archive.db``.

    Only the writer may checkpoint: SQLite before 3.51.3 can lose a commit when two connections
    reset the log at the same time. Readers are opened read-only, which cannot checkpoint.
    """

    def __init__(self, file: Path, *, writable: bool) -> None:
        self.name = str(file.parent)
        self.file = file
        self.writable = writable
        self._local = threading.local()
        self._opened: list[sqlite3.Connection] = []
        self._writing = threading.RLock()
        self._writer: sqlite3.Connection | None = None
        self.after_commit: Callable[[], None] = lambda: None
        self.after_close: Callable[[], None] = lambda: None
        self.lock: SharedLock | None = None  # None: the lock is held all the time
        if not writable and not file.is_file():
            raise ArchiveNotFoundError(f"there is no archive at {file.parent}")
        with faults(self.name):
            if writable:
                self._writer = self._connect_writer()
                self._migrate(self._writer)
            else:
                _require_ours(self._reader(), file)
                _require_readable(self._reader(), file)
            self.version = _version(self._writer or self._reader())

    def _connect_writer(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.file, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        self._opened.append(connection)
        for suffix in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                self.file.with_name(self.file.name + suffix).chmod(0o600)
        _require_ours(connection, self.file)
        connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA secure_delete = ON")  # erased means overwritten
        connection.execute("PRAGMA wal_autocheckpoint = 0")  # `_write_back` does it, then sweeps
        # A log that was written back is used again from its beginning. Cut then, so that its length
        # says how much there is to write back, and not how long it once was.
        connection.execute(f"PRAGMA journal_size_limit = {_LOG_BYTES // 4}")
        connection.execute("PRAGMA temp_store = MEMORY")  # no copies in the system's own folders
        return connection

    def _migrate(self, connection: sqlite3.Connection) -> None:
        version = _version(connection)
        for number, migration in enumerate(MIGRATIONS[version:], start=version + 1):
            connection.execute("BEGIN IMMEDIATE")
            try:
                migration(connection)
                connection.execute(f"PRAGMA user_version = {number}")
                connection.execute("COMMIT")
            except BaseException:
                _roll_back(connection)
                raise

    def _reader(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        frozen = connection is not None and self._local.frozen and not connection.in_transaction
        if frozen and log_of(self.file).exists():  # somebody may write after all
            connection = None
        if connection is None:
            connection, self._local.frozen = connect_reader(self.file)
            self._local.connection = connection
            self._opened.append(connection)
        return connection

    @contextmanager
    def read(self) -> Iterator[SqliteSession]:
        """See one consistent state. Nested calls in one thread share it."""
        with faults(self.name):
            connection = self._reader()
            if connection.in_transaction:
                yield self._local.session
                return
            connection.execute("BEGIN")
            self._local.session = SqliteSession(connection)
            try:
                yield self._local.session
            finally:
                self._local.session = None
                _roll_back(connection)

    @contextmanager
    def write(self) -> Iterator[SqliteSession]:
        """Commit durably at the end, or leave everything as it was."""
        self.require_writable()
        assert self._writer is not None  # noqa: S101  # for the type checker
        with self.writing(), self._writing, faults(self.name):
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                yield SqliteSession(self._writer, writes=True)
                self._writer.execute("COMMIT")
            except BaseException:
                _roll_back(self._writer)
                raise
            if _size_of(log_of(self.file)) > _LOG_BYTES:
                with suppress(sqlite3.Error):  # the change is safe in the log; later, then
                    self._write_back()
            self.after_commit()

    @property
    def holds_lock(self) -> bool:
        """Whether this process is the archive's one writer at this moment."""
        return self.writable and (self.lock is None or self.lock.is_held)

    def writing(self, wait: float | None = None) -> AbstractContextManager[object]:
        """Be the archive's one writer inside."""
        self.require_writable()
        return nullcontext() if self.lock is None else self.lock.held(wait)

    def require_writable(self) -> None:
        """Raise `ArchiveReadOnlyError` unless opened for writing."""
        if self._writer is None:
            raise ArchiveReadOnlyError(f"{self.name} was opened for reading")

    def among(self, column: str, parameter: str) -> str:
        """Return the condition that `column` is in a list."""
        return f"{column} IN (SELECT value FROM json_each(:{parameter}))"

    def named(self, prefix: str = "") -> str:
        """Return the condition that a memory has one of these ids."""
        return self.among(f"{prefix}id", "ids")

    def keyed(self, prefix: str = "") -> str:
        """Return the condition that a memory has one of these keys."""
        return (
            f"{prefix}mid IN (SELECT k.mid FROM relation_keys k WHERE k.archive = :archive AND "
            f"{self.among('k.name', 'names')})"
        )

    def clock(self, prefix: str = "") -> str:
        """Return a memory's time by its own clock."""
        time = f"json_extract({prefix}body, '$.timestamp')"
        return f"CASE WHEN substr({time}, -1) <> 'Z' THEN substr({time}, 1, 19) END"

    def sequence(self, values: Sequence[int] | Sequence[str]) -> object:
        """Return a list as a parameter, without texts that cannot be stored and so match nothing.

        SQLite reads a text in JSON only up to its first NUL, so that "a NUL b" would match "a".
        """
        return json.dumps(storable(values))

    def purge(self, *, quick: bool = False) -> bool:
        """Leave no byte of what was deleted, in the database or its write-ahead log.

        False if a reader is in the way, or there is no room for what has to be rewritten.

        Deleted rows are overwritten at once (`secure_delete`); `sweep` wipes what is left of them
        elsewhere, in time that depends on what was erased and not on the archive. The database is
        rewritten where sweeping may have missed something, and to give back room.
        """
        if self._writer is None:
            return False
        with self.writing(), self._writing, faults(self.name):
            if not self.empty_log():
                return False
            swept, pages = self._is_swept(), self._number("page_count")
            if swept and self._number("freelist_count") * _FREE_SHARE <= pages:
                return True
            put_off = quick and not swept and pages * PAGE_BYTES > QUICKLY_REWRITTEN
            if put_off or not self._has_room_to_rewrite():
                return swept
            self._writer.execute("VACUUM")
            self._writer.execute("UPDATE archives SET swept = 1")
            self._sweeping.unlink(missing_ok=True)
            return self.empty_log()

    def _is_swept(self) -> bool:
        """Return whether no page but those in the log may hold bytes of deleted rows."""
        assert self._writer is not None  # noqa: S101  # for the type checker
        [(swept,)] = self._writer.execute("SELECT MIN(swept) FROM archives").fetchall()
        small = self._number("page_count") < MOST_PAGES
        return bool(swept) and small and not self._sweeping.exists()

    @property
    def _sweeping(self) -> Path:
        """A file that is there while pages are swept: if it is found, a process was ended there."""
        return self.file.with_name(SWEEPING)

    def _write_back(self) -> bool:
        """Copy the log into the database and wipe unused bytes of its pages; False if not all."""
        assert self._writer is not None  # noqa: S101  # for the type checker
        if not _size_of(log_of(self.file)):
            return True
        ended = self._sweeping.exists()  # then only a rewrite is certain
        with suppress(OSError):  # on a full disk it goes on without
            self._sweeping.touch(mode=0o600)
        whole = False
        try:
            _, frames, done = self._writer.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            whole = bool(frames == done)
        finally:
            with suppress(OSError):  # if the disk fails, the file stays: the next erasure rewrites
                if whole:
                    wipe(self.file, pages_in_log(log_of(self.file), PAGE_BYTES), PAGE_BYTES)
                if not ended:
                    self._sweeping.unlink(missing_ok=True)
        return whole

    def _truncate(self) -> int:
        """Truncate the log, which was written back; return 1 if a reader is in the way."""
        assert self._writer is not None  # noqa: S101  # for the type checker
        return int(self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0])

    def _sweep_last(self) -> None:
        """Write the log back before SQLite does so on its own, as the last connection closes."""
        if self._writer is None or not _size_of(log_of(self.file)):
            return
        with suppress(StoreError, sqlite3.Error, OSError), self.writing(0), self._writing:
            self._write_back()

    def _has_room_to_rewrite(self) -> bool:
        """Return whether the log can take all pages in use, before minutes are spent on trying."""
        pages = self._number("page_count") - self._number("freelist_count")
        needed = pages * (PAGE_BYTES + _FRAME_BYTES) + LITTLE_SPACE
        return shutil.disk_usage(self.file.parent).free > needed

    def _number(self, pragma: str) -> int:
        assert self._writer is not None  # noqa: S101  # for the type checker
        return int(self._writer.execute(f"PRAGMA {pragma}").fetchone()[0])

    def empty_log(self) -> bool:
        """Write the log back and truncate it; False if a reader is in the way for seconds."""
        if self._writer is None:
            return False
        deadline = time.monotonic() + _PURGE_SECONDS
        with self.writing(), self._writing, faults(self.name):
            self._writer.execute("PRAGMA busy_timeout = 0")  # the deadline is ours
            try:
                while not self._write_back() or self._truncate():
                    if time.monotonic() > deadline:
                        return False
                    time.sleep(0.02)
            finally:
                self._writer.execute(f"PRAGMA busy_timeout = {int(1000 * BUSY_SECONDS)}")
        return True

    def problems(self) -> list[str]:
        """Return what SQLite's own check finds."""
        with faults(self.name):
            found = self._reader().execute("PRAGMA integrity_check").fetchall()
        return [row[0] for row in found if row[0] != "ok"]

    def size(self) -> int:
        """Return the bytes of the database and its log."""
        files = (self.file, log_of(self.file))
        return sum(file.stat().st_size for file in files if file.exists())

    def copy_to(self, target: Path) -> None:
        """Write a consistent copy while others go on reading and writing."""
        with faults(str(target)):
            copy = sqlite3.connect(target)
            try:
                target.chmod(0o600)
                self._reader().backup(copy)
            finally:
                copy.close()

    def same_as(self, file: Path) -> bool:
        """Return whether a file that nobody writes to has just the same rows. Reads all of both."""
        log = log_of(file)
        if log.exists() and log.stat().st_size:
            return False  # it was written to since it was copied
        try:
            copy = sqlite3.connect(f"{file.resolve().as_uri()}?immutable=1", uri=True)
            with closing(copy), self.read():
                return _same_rows(self._reader(), copy)
        except sqlite3.DatabaseError:
            return False

    def close(self) -> None:
        """Close all connections; the writer leaves an empty log behind if nobody reads."""
        self._sweep_last()
        connections, self._opened = self._opened, []
        self._writer = None
        for connection in reversed(connections):
            connection.close()
        self.after_close()


def _size_of(file: Path) -> int:
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


def _same_rows(one: sqlite3.Connection, other: sqlite3.Connection) -> bool:
    tables = "SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name"
    names = one.execute(tables).fetchall()
    if names != other.execute(tables).fetchall():
        return False
    for name, _ in names:
        cursors = [each.execute(f"SELECT * FROM {name}") for each in (one, other)]
        for row, copied in zip_longest(*cursors):
            if row != copied:
                return False
    return True


def _roll_back(connection: sqlite3.Connection) -> None:
    if connection.in_transaction:  # a full disk may have rolled back already
        connection.execute("ROLLBACK")


def _version(connection: sqlite3.Connection) -> int:
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > len(MIGRATIONS):
        raise ArchiveVersionError(version, len(MIGRATIONS))
    return version


def _require_ours(connection: sqlite3.Connection, file: Path) -> None:
    """Raise unless the file is empty or an archive; another program's is left alone."""
    if _version(connection) == 0 and connection.execute("SELECT 1 FROM sqlite_master").fetchone():
        raise ArchiveNotFoundError(f"{file} is the database of another program")


def _require_readable(connection: sqlite3.Connection, file: Path) -> None:
    version = _version(connection)
    if version == 0 or not connection.execute("SELECT 1 FROM archives").fetchone():
        raise ArchiveNotFoundError(
            f"there is no archive at {file.parent}: making it was interrupted; repeat the command "
            "that made it, or make it with `graphmemix init`"
        )
    if version < READABLE:
        raise StoreError(
            f"this archive has the older schema version {version}; open it for writing once, and "
            f"it is brought to version {len(MIGRATIONS)}"
        )
