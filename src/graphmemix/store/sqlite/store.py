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
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from graphmemix.errors import (
    ArchiveDamagedError,
    ArchiveNotFoundError,
    InvalidDataError,
    InvalidInputError,
    StorageFullError,
    StoreError,
)
from graphmemix.fsio import FileLock, make_folder
from graphmemix.store.clean import is_storable
from graphmemix.store.exact import exact
from graphmemix.store.faults import is_unfinished, new_folder, storage_faults
from graphmemix.store.lexical import LexicalIndex
from graphmemix.store.media import MediaFolder
from graphmemix.store.names import is_archive_name, require_archive_name
from graphmemix.store.protocol import Finding
from graphmemix.store.sidecar import Sidecar
from graphmemix.store.sql.search import CacheAheadError, Wanted
from graphmemix.store.sql.store import INSERT_ARCHIVE, SqlStore, archive_row
from graphmemix.store.sqlite.database import SqliteDatabase
from graphmemix.store.sqlite.reserve import NAME as _RESERVE
from graphmemix.store.sqlite.reserve import Reserve
from graphmemix.text.words import RULES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from graphmemix.store.database import Session
    from graphmemix.store.exact import KeptVectors
    from graphmemix.store.protocol import Store
    from graphmemix.store.sql.base import Serving

_DATABASE = "archive.db"
# What an opening that was interrupted may have left.
_OURS = frozenset(
    {_DATABASE + "-wal", _DATABASE + "-shm", "cache", "media", "writer.lock", _RESERVE}
)
_ROWS_PER_READ = 20_000
_ERASED_AT_ONCE = 16  # memories in one transaction while there is little room
_FILES_IN_USE = "SELECT DISTINCT sha256 FROM media WHERE archive = :archive"


class SqliteStore(SqlStore):
    """An archive in a folder. See `Store` for what it promises."""

    def __init__(
        self, folder: Path | str, *, mode: Literal["write", "read"] = "write", wait: float = 5.0
    ) -> None:
        """Open an archive; for writing, make it if it is not there.

        Args:
            folder: Where it is.
            mode: One process may write at a time; any number may read meanwhile.
            wait: Seconds to wait for another writer to finish.

        Raises:
            ArchiveBusyError: Another process is still writing.
            ArchiveNotFoundError: Nothing there to read, or the folder holds something else.
            ArchiveReadOnlyError: The place does not allow writing.
            ArchiveVersionError: A newer program made it.
        """
        self.folder = _checked_folder(folder, mode)
        self._writable = mode == "write"
        self._lock: FileLock | None = None
        if self._writable:
            _make_private(self.folder)
            lock = self.folder / "writer.lock"
            with storage_faults(str(lock)):
                self._lock = FileLock(lock, wait=wait)
        self._reserve = Reserve(self.folder)
        try:
            self._open()
        except BaseException:
            self._release()
            raise

    def _open(self) -> None:
        try:
            self._open_files()
        except StorageFullError:
            if not self._writable:
                raise
            with self._reserve.given_up():  # a log and its index, of some hundred KB
                self._open_files()

    def _open_files(self) -> None:
        database = SqliteDatabase(self.folder.resolve() / _DATABASE, writable=self._writable)
        try:
            media = MediaFolder(self.folder / "media", writable=self._writable)
            super().__init__(database, media)
            self._file = database
            self._sidecar: Sidecar | None = None
            if self._writable:
                self._found()
                database.after_commit = self._reserve.keep
                self._reserve.keep()
        except BaseException:
            database.close()
            raise

    def _found(self) -> None:
        """Give a new archive its row; finish what an earlier process could not."""
        with self.db.write() as session:
            if not session.run("SELECT 1 FROM archives"):
                session.run(INSERT_ARCHIVE, **archive_row(self.folder.resolve().name))
        _make_private(self._cache)
        self.clear_arrivals()
        self.finish_erasure()

    @contextmanager
    def _room_to_erase(self) -> Iterator[int | None]:
        """Give up the reserve on a disk that is nearly full, and keep transactions small there."""
        if not self._reserve.is_short(self.db.size()):
            yield None
            return
        with self._reserve.given_up():
            self._shrink_log()
            yield _ERASED_AT_ONCE

    def _shrink_log(self) -> None:
        """Give back the room that the last transaction took, unless somebody still reads it."""
        with suppress(StorageFullError):
            self._file.empty_log()

    @property
    def _cache(self) -> Path:
        return self.folder / "cache"

    def close(self) -> None:
        """Save caches and release everything. Closing twice is harmless."""
        try:
            if self._lock is not None:
                self._save_caches()
        finally:
            super().close()
            self._release()

    def take_caches_of(self, other: Store) -> None:
        """Go on with what another handle of this archive has worked out; it is saved at the end."""
        if isinstance(other, SqliteStore):
            mine = other._sidecar, other._lexical  # noqa: SLF001  # of its own class
            self._sidecar, self._lexical = mine

    def _release(self) -> None:
        lock, self._lock = self._lock, None
        if lock is not None:
            lock.release()

    # Vectors

    def _vector_candidates(self, session: Session, wanted: Wanted) -> NDArray[np.int64]:
        with self._searching:
            vids, _ = self._fresh_sidecar(session, wanted.serving).candidates(
                wanted.query, wanted.limit, kinds=wanted.kinds, allowed=wanted.allowed
            )
        return vids

    def _views_with_vectors(
        self, session: Session, serving: Serving, mids: Sequence[int]
    ) -> NDArray[np.int64]:
        with self._searching:
            return self._fresh_sidecar(session, serving).views_of(np.array(mids, np.int64))

    def _fresh_sidecar(self, session: Session, serving: Serving) -> Sidecar:
        """Return the scan's matrix, brought up to what `session` sees."""
        [(change, pruned, uuid)] = session.run(
            "SELECT change, pruned, uuid FROM archives WHERE archive = :archive"
        )
        key = _sidecar_key(uuid, serving)
        sidecar = self._sidecar
        if sidecar is None or sidecar.key != key or sidecar.change < pruned:
            sidecar = Sidecar.load(self._cache, key, serving.dimension)
            if sidecar.change < pruned:
                sidecar = Sidecar.empty(key, serving.dimension)
            self._sidecar = sidecar
        if self._is_ahead(sidecar.change, change):
            sidecar = Sidecar.empty(key, serving.dimension)  # for this one search
        if sidecar.change != change:
            _catch_up(sidecar, session, serving, self._kept_of(serving))
            sidecar.change = change
            if self._writable and sidecar.should_save and sidecar is self._sidecar:
                with suppress(OSError):  # a cache that cannot be saved is made again
                    sidecar.save(self._cache)
        return sidecar

    # Words

    @property
    def _words_key(self) -> str:
        return f"{self._uuid()}/{RULES}"

    def _load_lexical(self) -> LexicalIndex | None:
        return LexicalIndex.load(self._cache, self._words_key)

    # Caches

    def _save_caches(self) -> None:
        """Write down what the next process would have to work out again."""
        # What cannot be saved, or is damaged, is told when it is next needed.
        unsaved = suppress(OSError, CacheAheadError, StoreError)
        with unsaved, self.db.read() as session, self._searching:
            serving = self._serving(session)
            if serving is not None and self._sidecar is not None:
                self._fresh_sidecar(session, serving).save(self._cache)
            if self._lexical is not None:
                self._fresh_lexical(session).save(self._cache, self._words_key)

    def _forget_erased(self) -> None:
        """Rewrite the caches on disk without what was erased, or at least remove them."""
        self._forget_caches()
        with storage_faults(str(self._cache)), self.db.read() as session, self._searching:
            LexicalIndex.discard(self._cache)
            serving = self._serving(session)
            try:
                if serving is not None:
                    self._fresh_sidecar(session, serving).compact(self._cache)
                    return
            except (OSError, CacheAheadError):
                pass
            self._sidecar = None
            Sidecar.discard(self._cache)

    def _check_caches(self, *, repair: bool) -> list[Finding]:
        """Compare the matrix on disk with the vectors in the database."""
        with self.db.read() as session, self._searching:
            serving = self._serving(session)
            if serving is None:
                return []
            key = _sidecar_key(self._uuid(), serving)
            if not Sidecar.is_there(self._cache, key):
                return []
            kept = Sidecar.load(self._cache, key, serving.dimension)
            wrong = [f"view {vid}" for vid in _differences(session, serving.number, kept)]
            if not kept.loaded:
                wrong = ["damaged"]
        if repair and wrong:
            Sidecar.discard(self._cache)
            self._sidecar = None
        return [Finding("sidecar", item, repaired=repair) for item in wrong]

    # Copies

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


def _sidecar_key(uuid: str, serving: Serving) -> str:
    return f"{uuid}/{serving.number}/{serving.identity}"


def _catch_up(sidecar: Sidecar, session: Session, serving: Serving, kept: KeptVectors) -> None:
    """Apply what has happened to views since the matrix was last brought up to date.

    Vectors that are read for this are kept too, as far as there is room.
    """
    removed = session.run(
        "SELECT vid FROM removed_views WHERE archive = :archive AND change > :seen "
        "AND vid <= :highest",
        seen=sidecar.change,
        highest=sidecar.highest,
    )
    if removed:
        sidecar.remove(np.array([vid for (vid,) in removed], dtype=np.int64))
    while rows := session.run(
        "SELECT vid, mid, ordinal, kind, vector FROM vectors WHERE archive = :archive "
        "AND encoder = :encoder AND vid > :highest ORDER BY vid LIMIT :most",
        encoder=serving.number,
        highest=sidecar.highest,
        most=_ROWS_PER_READ,
    ):
        vids = np.array([row[0] for row in rows], np.int64)
        views = exact([row[1:] for row in rows], serving.dimension)
        try:
            mids, _, kinds = views.views.T
            sidecar.append(vids, mids, kinds.astype(np.uint8), views.vectors)
        except InvalidDataError as error:
            raise ArchiveDamagedError(f"the archive holds a damaged vector: {error}") from None
        if kept.has_room(len(rows)) and not kept.holds(int(vids[0])):
            kept.keep(vids, views)


def _differences(session: Session, encoder: int, kept: Sidecar) -> list[int]:
    """Return the views whose row in the matrix is missing or not the vector of the database."""
    wrong = []
    highest = 0
    for first in range(0, len(kept), _ROWS_PER_READ):
        vids, rows = kept.rows(first, first + _ROWS_PER_READ)
        cached = dict(zip(vids.tolist(), rows, strict=True))
        stored = session.run(
            "SELECT vid, vector FROM vectors WHERE archive = :archive AND encoder = :encoder "
            "AND vid > :low AND vid <= :high ORDER BY vid",
            encoder=encoder,
            low=highest,
            high=int(vids[-1]),
        )
        highest = int(vids[-1])
        for vid, blob in stored:
            if len(blob) % 4:
                continue  # told as a wrong dimension
            exact = np.frombuffer(blob, dtype="<f4").astype(np.float16)
            if vid not in cached or not np.array_equal(exact, cached[vid]):
                wrong.append(vid)
    return wrong


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
