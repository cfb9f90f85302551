"""A folder of vectors by the hash of what they encode.

::

    FOLDER/
      manifest.json            whose vectors these are: encoder, dimension
      shards/<sha256>.npy      records of key and vector, written whole, named by their own hash
      index.db                 key to shard and row; made from the shards, and again if it is gone
      lock                     one process writes

A shard is on disk, whole, before the index names it: a crash loses only what was being encoded.
"""

from __future__ import annotations

import hashlib
import io
import sqlite3
import threading
from collections import OrderedDict
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np

from graphmemix.errors import (
    EncoderError,
    InvalidDataError,
    InvalidInputError,
    StorageFullError,
    StoreError,
)
from graphmemix.fsio import PARTIAL, FileLock, make_folder, open_binary, storage_faults, write_whole
from graphmemix.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from graphmemix.encode.protocol import Matrix

__all__ = ["Origin", "VectorFolder"]

FORMAT: Final = 1
KEY_BYTES: Final = 32
_NAME_DIGITS: Final = 32
_OPEN_SHARDS: Final = 256  # mapped at a time
_ASKED_AT_ONCE: Final = 500  # keys in one statement
_CACHE_KIB: Final = 256 * 1024  # of the index, so that inserting in random places stays quick
_PLACES: Final = "SELECT key, name, row FROM vectors JOIN shards USING (shard)"
_TABLES: Final = """
CREATE TABLE IF NOT EXISTS shards (shard INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS vectors (
    key BLOB PRIMARY KEY, shard INTEGER NOT NULL, row INTEGER NOT NULL
) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class Origin(Record):
    """Whose vectors a folder holds.

    Attributes:
        encoder: The identity of the encoder.
        spec: How to open it again, such as ``clip:/models/clip``.
        dimension: How many numbers a vector has.
        sees_images: Whether pictures are among what was encoded.
        format: Of the folder.
    """

    encoder: str
    spec: str
    dimension: int
    sees_images: bool
    format: int = FORMAT


class VectorFolder:
    """Vectors by key. Threads may share it; one process at a time writes, any number read."""

    def __init__(self, folder: Path, origin: Origin, *, lock: FileLock | None = None) -> None:
        """Use `create` or `open`."""
        self.folder = folder
        self.origin = origin
        self._writer = lock
        self._lock = threading.Lock()
        self._mapped: OrderedDict[str, NDArray[Any]] = OrderedDict()
        self._checked: set[str] = set()
        self._dtype = np.dtype([("key", "u1", KEY_BYTES), ("vector", "<f4", origin.dimension)])
        self._index = _connect(folder / "index.db", writing=lock is not None)

    @classmethod
    def create(cls, folder: Path, origin: Origin) -> Self:
        """Open a folder for writing, and make it if it is not there.

        Shards that a crash left out of the index are taken in; shards that somebody deleted are
        forgotten, and their contents will be encoded again.

        Raises:
            InvalidInputError: It holds vectors of another encoder, or something else.
            ArchiveBusyError: Another process writes into it.
            StoreError: It cannot be written to.
        """
        manifest = folder / "manifest.json"
        with storage_faults(str(folder)):
            if folder.is_dir() and not manifest.exists():
                strangers = {path.name for path in folder.iterdir()} - {"lock", "shards"}
                if any(not name.endswith(PARTIAL) for name in strangers):
                    raise InvalidInputError(f"{folder}: holds other files; name another folder")
            make_folder(folder / "shards")
            lock = FileLock(folder / "lock", wait=0.0)
        try:
            if manifest.exists():
                _require_same(folder, origin)
            else:
                write_whole(manifest, origin.to_json().encode() + b"\n")
            made = cls(folder, origin, lock=lock)
            made._catch_up()
        except BaseException:
            lock.release()
            raise
        return made

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Open a folder for reading.

        Raises:
            InvalidDataError: There is none, or it is damaged.
        """
        origin = _origin(folder)
        if not (folder / "index.db").is_file():
            raise InvalidDataError(f"{folder}: has no index.db; `graphmemix encode` makes it")
        return cls(folder, origin)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Release everything. Closing twice is harmless."""
        self._mapped.clear()
        self._index.close()
        if self._writer is not None:
            self._writer.release()

    def __len__(self) -> int:
        with self._lock:
            return int(self._index.execute("SELECT count(*) FROM vectors").fetchone()[0])

    def known(self, keys: Iterable[bytes]) -> set[bytes]:
        """Return those keys that have a vector."""
        return {key for key, _, _ in self._places(list(keys))}

    def rows(self, keys: Sequence[bytes]) -> dict[bytes, NDArray[np.float32]]:
        """Return the vectors of those keys that have one.

        Raises:
            EncoderError: A shard is missing or is not what was written; names it.
        """
        found = {}
        for key, name, row in sorted(self._places(keys), key=lambda place: place[1:]):
            record = self._shard(name)[row]
            if record["key"].tobytes() != key:
                raise _damaged(self._path(name))
            found[key] = np.array(record["vector"], dtype=np.float32)
        return found

    def add(self, keys: Sequence[bytes], rows: Matrix) -> None:
        """Keep vectors, on disk when this returns. What is there already stays as it is.

        Raises:
            InvalidDataError: These are no vectors of this encoder.
            StoreError: It cannot be written to.
        """
        if rows.shape != (len(keys), self.origin.dimension) or not np.isfinite(rows).all():
            raise InvalidDataError(
                f"{self.folder}: {rows.shape} numbers for {len(keys)} contents, or not finite"
            )
        if not keys:
            return
        records = np.empty(len(keys), self._dtype)
        records["key"] = np.frombuffer(b"".join(keys), np.uint8).reshape(len(keys), KEY_BYTES)
        records["vector"] = rows
        data = _as_npy(records)
        name = hashlib.sha256(data).hexdigest()[:_NAME_DIGITS]
        with storage_faults(str(self.folder)):
            write_whole(self._path(name), data)
        self._enter(name, keys)

    def _path(self, name: str) -> Path:
        return self.folder / "shards" / f"{name}.npy"

    def _places(self, keys: Sequence[bytes]) -> list[tuple[bytes, str, int]]:
        found = []
        for first in range(0, len(keys), _ASKED_AT_ONCE):
            part = keys[first : first + _ASKED_AT_ONCE]
            statement = _PLACES + f" WHERE key IN ({','.join('?' * len(part))})"
            with self._lock, _faults(self.folder):
                found += self._index.execute(statement, part).fetchall()
        return found

    def _enter(self, name: str, keys: Sequence[bytes]) -> None:
        """Let the index know a shard that is on disk."""
        with self._lock, _faults(self.folder), self._index as change:
            change.execute("INSERT OR IGNORE INTO shards (name) VALUES (?)", (name,))
            (shard,) = change.execute("SELECT shard FROM shards WHERE name = ?", (name,)).fetchone()
            change.executemany(
                "INSERT OR IGNORE INTO vectors VALUES (?, ?, ?)",
                ((key, shard, row) for row, key in enumerate(keys)),
            )

    def _catch_up(self) -> None:
        """Bring the index up to date with the shards."""
        for left in (self.folder / "shards").glob(f"*{PARTIAL}"):
            left.unlink(missing_ok=True)
        there = {path.stem for path in (self.folder / "shards").glob("*.npy")}
        with _faults(self.folder):
            indexed = dict(self._index.execute("SELECT name, shard FROM shards"))
        with _faults(self.folder), self._index as change:
            for name in indexed.keys() - there:
                change.execute("DELETE FROM vectors WHERE shard = ?", (indexed[name],))
                change.execute("DELETE FROM shards WHERE shard = ?", (indexed[name],))
        for name in sorted(there - indexed.keys()):
            self._enter(name, [record.tobytes() for record in self._shard(name)["key"]])

    def _shard(self, name: str) -> NDArray[Any]:
        """Map a shard; the first time, check every byte of it."""
        with self._lock:
            if name in self._mapped:
                self._mapped.move_to_end(name)
                return self._mapped[name]
            path = self._path(name)
            try:
                if name not in self._checked:
                    with path.open("rb") as file:
                        digest = hashlib.file_digest(file, "sha256").hexdigest()
                    if not digest.startswith(name):
                        raise _damaged(path)
                    self._checked.add(name)
                records = np.load(path, mmap_mode="r", allow_pickle=False)
            except (OSError, ValueError) as error:
                raise _damaged(path) from error
            if records.dtype != self._dtype or records.ndim != 1:
                raise _damaged(path)
            self._mapped[name] = records
            if len(self._mapped) > _OPEN_SHARDS:
                self._mapped.popitem(last=False)
            return records  # type: ignore[no-any-return]


def _require_same(folder: Path, origin: Origin) -> None:
    stored = _origin(folder)
    if stored.encoder != origin.encoder:
        raise InvalidInputError(
            f"{folder}: holds vectors of {stored.encoder!r}, not of {origin.encoder!r}; "
            "name another folder"
        )


def _as_npy(records: NDArray[Any]) -> bytes:
    data = io.BytesIO()
    np.save(data, records, allow_pickle=False)
    return data.getvalue()


def _origin(folder: Path) -> Origin:
    try:
        origin = Origin.from_json((folder / "manifest.json").read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        raise InvalidDataError(
            f"{folder}: is no folder of vectors (no manifest.json); `graphmemix encode` makes one"
        ) from None
    except OSError as error:
        raise InvalidDataError(f"{folder}: cannot be read ({error.strerror})") from None
    if origin.format != FORMAT:
        raise InvalidDataError(
            f"{folder}: has format {origin.format}; this version supports {FORMAT}"
        )
    return origin


def _connect(path: Path, *, writing: bool) -> sqlite3.Connection:
    mode = "rwc" if writing else "ro"
    with _faults(path.parent), storage_faults(str(path)):
        if writing:
            open_binary(path, "ab").close()  # SQLite gives its journals the mode of the database
        index = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode={mode}",
            uri=True,
            timeout=30.0,
            check_same_thread=False,  # a lock of ours stands around every use
        )
        index.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        if writing:
            index.executescript(_TABLES)
    return index


@contextmanager
def _faults(folder: Path) -> Iterator[None]:
    """Turn what SQLite says about the index into our errors."""
    try:
        yield
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL:
            raise StorageFullError(f"{folder}: no space left; free some and try again") from error
        raise StoreError(
            f"{folder}: index.db cannot be used ({error}); if it is damaged, delete it and run "
            "`graphmemix encode` again: it is made from the shards"
        ) from error


def _damaged(path: Path) -> EncoderError:
    return EncoderError(
        f"{path}: is missing or damaged; delete it and run `graphmemix encode` again"
    )
