"""Connections to SQLite that read, and its errors as those of the store."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from graphmemix.errors import (
    ArchiveBusyError,
    ArchiveDamagedError,
    ArchiveReadOnlyError,
    StorageFullError,
    StoreError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BUSY_SECONDS = 30.0
LITTLE_SPACE = 1 << 20
_MAPPED_BYTES = 4 << 30  # vectors are read from all over the file
_CACHE_KIB = 64 << 10  # pages that a reading thread keeps; 2 MB is SQLite's own default


def connect_reader(file: Path) -> tuple[sqlite3.Connection, bool]:
    """Return a connection for reading, and whether it takes the file for one that never changes."""
    options = {"timeout": BUSY_SECONDS, "isolation_level": None, "check_same_thread": False}
    connection = sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True, **options)  # type: ignore[call-overload]
    frozen = False
    try:
        connection.execute("SELECT 1 FROM sqlite_master").fetchone()
    except sqlite3.OperationalError as error:
        # On a read-only medium, or a full one, the log's index cannot be made; nobody can write
        # there either.
        connection.close()
        refused = "unable to open" in str(error) or "readonly" in str(error)
        if not refused and not isinstance(
            _as_store_error(error, str(file.parent)), StorageFullError
        ):
            raise
        log = log_of(file)
        if log.exists() and log.stat().st_size:
            if not refused:
                raise
            raise ArchiveReadOnlyError(
                f"{file.parent}: its log must be written back before it can be read from a "
                "read-only place; open it once where it can be written to"
            ) from error
        connection = sqlite3.connect(f"{file.as_uri()}?immutable=1", uri=True, **options)  # type: ignore[call-overload]
        frozen = not log.exists()
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    connection.execute(f"PRAGMA mmap_size = {_MAPPED_BYTES}")
    reader: sqlite3.Connection = connection
    return reader, frozen


def log_of(file: Path) -> Path:
    """Return the write-ahead log of a database."""
    return file.with_name(file.name + "-wal")


@contextmanager
def faults(place: str) -> Iterator[None]:
    """Turn SQLite's errors into the store's own."""
    try:
        yield
    except sqlite3.Error as error:
        raise _as_store_error(error, place) from error


def _is_full(name: str, place: str) -> bool:
    """Return whether a failed write or mapping was for want of space."""
    if name in {"SQLITE_IOERR_WRITE", "SQLITE_IOERR_TRUNCATE"}:
        return True  # also a limit on the size of files
    with suppress(OSError):
        return shutil.disk_usage(place).free < LITTLE_SPACE
    return False


def _as_store_error(error: sqlite3.Error, place: str) -> StoreError:
    name = getattr(error, "sqlite_errorname", "") or ""
    text = str(error)
    if name == "SQLITE_FULL" or (name.startswith("SQLITE_IOERR") and _is_full(name, place)):
        return StorageFullError(f"{place}: no space left; free some and try again")
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
        return ArchiveReadOnlyError(f"{place}: cannot be opened or written to ({text})")
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")) or "decode to UTF-8" in text:
        return ArchiveDamagedError(
            f"{place}: the database is damaged ({text}); restore it from a backup"
        )
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return ArchiveBusyError(place, None)
    return StoreError(f"{place}: {text}")
