"""The search for near vectors in SQLite: a scan of the float16 matrix in ``cache/``."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from graphmemix.errors import (
    ArchiveBusyError,
    ArchiveDamagedError,
    InvalidDataError,
    StoreError,
)
from graphmemix.fsio import storage_faults
from graphmemix.store.protocol import Finding
from graphmemix.store.sidecar import Sidecar
from graphmemix.store.sql.core import CacheAheadError, archive_uuid, serving_encoder
from graphmemix.store.sqlite.schema import WITH_LATE_VECTORS
from graphmemix.store.unit_vectors import exact_vectors

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from graphmemix.store.backend import Row, Session, StoredEncoder, VectorIndex, VectorQuery
    from graphmemix.store.sql.core import Core
    from graphmemix.store.unit_vectors import VectorCache

_ROWS_PER_READ = 20_000
_MOST_NOTED = 200_000  # late vectors, for matrices to catch up with


class SidecarIndex:
    """Implements `VectorIndex` by a `Sidecar`, which catches up with the database when searched."""

    tables: tuple[str, ...] = ()

    def __init__(self, core: Core, folder: Path) -> None:
        self._core = core
        self._folder = folder
        self._sidecar: Sidecar | None = None
        core.on_forget(self._forget)

    def insert(self, session: Session, rows: Sequence[dict[str, object]]) -> None:
        """Do nothing: the next search reads them from ``vectors``."""

    def note_late(self, session: Session, vids: Sequence[int], change: int) -> None:
        """Note them: a matrix that has read beyond these views would not look at them again."""
        session.run_many(
            "INSERT INTO late_vectors (archive, change, vid) VALUES (:archive, :change, :vid)",
            [{"change": change, "vid": vid} for vid in vids],
        )
        [(noted,)] = session.run("SELECT COUNT(*) FROM late_vectors WHERE archive = :archive")
        if noted > _MOST_NOTED:
            _prune(session, noted // 2)

    def candidates(self, session: Session, query: VectorQuery) -> NDArray[np.int64]:
        """Scan the whole matrix."""
        with self._core.cache_lock:
            vids, _ = self._fresh(session, query.encoder).candidates(
                query.vector, query.limit, kinds=query.kinds, allowed=query.allowed
            )
        return vids

    def views_of(
        self, session: Session, encoder: StoredEncoder, mids: Sequence[int]
    ) -> NDArray[np.int64]:
        """Return the views of these memories that have vectors."""
        with self._core.cache_lock:
            return self._fresh(session, encoder).views_of(np.array(mids, np.int64))

    def _fresh(self, session: Session, encoder: StoredEncoder) -> Sidecar:
        """Return the matrix, brought up to what `session` sees."""
        [(change, pruned, uuid)] = session.run(
            "SELECT change, pruned, uuid FROM archives WHERE archive = :archive"
        )
        key = _key(uuid, encoder)
        sidecar = self._sidecar
        if sidecar is None or sidecar.key != key or sidecar.change < pruned:
            sidecar = Sidecar.load(self._folder, key, encoder.dimension)
            if sidecar.change < pruned:
                sidecar = Sidecar.empty(key, encoder.dimension)
            self._sidecar = sidecar
        if self._core.is_ahead(sidecar.change, change):
            sidecar = Sidecar.empty(key, encoder.dimension)  # for this one search
        if sidecar.change != change:
            late = self._late(session, sidecar)
            _catch_up(sidecar, session, encoder, self._core.vector_cache(encoder), late)
            sidecar.change = change
            if self._core.db.holds_lock and sidecar.should_save and sidecar is self._sidecar:
                # A cache that cannot be saved is made again.
                with suppress(OSError, ArchiveBusyError), self._core.db.writing(0):
                    sidecar.save(self._folder)
        return sidecar

    def _late(self, session: Session, sidecar: Sidecar) -> list[int]:
        """Return the views that the matrix has passed, and that got their vectors since."""
        if not sidecar.highest or self._core.db.version < WITH_LATE_VECTORS:
            return []
        rows = session.run(
            "SELECT vid FROM late_vectors WHERE archive = :archive AND change > :seen "
            "AND vid <= :highest ORDER BY vid",
            seen=sidecar.change,
            highest=sidecar.highest,
        )
        return [vid for (vid,) in rows]

    def take(self, other: VectorIndex) -> None:
        """Continue with the matrix of another handle of the same archive."""
        if isinstance(other, SidecarIndex):
            self._sidecar = other._sidecar  # noqa: SLF001  # of its own class

    def save(self) -> None:
        """Write the matrix down for the next process, if it was used and that is possible."""
        if self._sidecar is None or not self._core.db.holds_lock:
            return
        # A cache that cannot be saved is made again; damage is reported when it is next read.
        with (
            suppress(OSError, CacheAheadError, StoreError),
            self._core.db.read() as session,
            self._core.cache_lock,
        ):
            encoder = serving_encoder(session)
            if encoder is not None:
                self._fresh(session, encoder).save(self._folder)

    def _forget(self) -> None:
        """Rewrite the files without what was erased, or at least remove them."""
        with (
            storage_faults(str(self._folder)),
            self._core.db.read() as session,
            self._core.cache_lock,
        ):
            encoder = serving_encoder(session)
            try:
                if encoder is not None:
                    self._fresh(session, encoder).compact(self._folder)
                    return
            except (OSError, CacheAheadError):
                pass
            self._sidecar = None
            Sidecar.discard(self._folder)

    def check(self, *, repair: bool) -> list[Finding]:
        """Compare the matrix on disk with the vectors in the database."""
        with self._core.db.read() as session, self._core.cache_lock:
            encoder = serving_encoder(session)
            if encoder is None:
                return []
            key = _key(archive_uuid(session), encoder)
            if not Sidecar.is_there(self._folder, key):
                return []
            saved = Sidecar.load(self._folder, key, encoder.dimension)
            late = self._late(session, saved)
            wrong = [f"view {v}" for v in _differences(session, encoder.number, saved, set(late))]
            if not saved.loaded:
                wrong = ["damaged"]
        if repair and wrong:
            Sidecar.discard(self._folder)
            self._sidecar = None
        return [Finding("sidecar", item, repaired=repair) for item in wrong]


def _key(uuid: str, encoder: StoredEncoder) -> str:
    """Return what files must have been saved under: this archive, and this encoder."""
    return f"{uuid}/{encoder.number}/{encoder.identity}"


def _prune(session: Session, count: int) -> None:
    """Forget the oldest notes of late vectors: matrices that are older start again."""
    [(change,)] = session.run(
        "SELECT change FROM late_vectors WHERE archive = :archive ORDER BY change, vid "
        "LIMIT 1 OFFSET :count",
        count=count,
    )
    session.run(
        "DELETE FROM late_vectors WHERE archive = :archive AND change <= :change", change=change
    )
    session.run(
        "UPDATE archives SET pruned = MAX(pruned, :change) WHERE archive = :archive", change=change
    )


def _catch_up(
    sidecar: Sidecar,
    session: Session,
    encoder: StoredEncoder,
    cache: VectorCache,
    late: Sequence[int],
) -> None:
    """Apply what has happened to views since the matrix was last brought up to date.

    Vectors that are read for this are kept too, as far as there is room.
    """
    select = "SELECT vid, mid, ordinal, kind, vector FROM vectors WHERE archive = :archive "
    removed = session.run(
        "SELECT vid FROM removed_views WHERE archive = :archive AND change > :seen "
        "AND vid <= :highest",
        seen=sidecar.change,
        highest=sidecar.highest,
    )
    if removed:
        sidecar.remove(np.array([vid for (vid,) in removed], dtype=np.int64))
    for first in range(0, len(late), _ROWS_PER_READ):
        rows = session.run(
            select
            + "AND encoder = :encoder AND vid IN (SELECT value FROM json_each(:vids)) ORDER BY vid",
            encoder=encoder.number,
            vids=json.dumps(late[first : first + _ROWS_PER_READ]),
        )
        _append(sidecar, rows, encoder, cache)
    while rows := session.run(
        select + "AND encoder = :encoder AND vid > :highest ORDER BY vid LIMIT :most",
        encoder=encoder.number,
        highest=sidecar.highest,
        most=_ROWS_PER_READ,
    ):
        _append(sidecar, rows, encoder, cache)


def _append(
    sidecar: Sidecar, rows: Sequence[Row], encoder: StoredEncoder, cache: VectorCache
) -> None:
    if not rows:  # they were removed again
        return
    vids = np.array([row[0] for row in rows], np.int64)
    views = exact_vectors([row[1:] for row in rows], encoder.dimension)
    try:
        mids, _, kinds = views.views.T
        sidecar.append(vids, mids, kinds.astype(np.uint8), views.vectors)
    except InvalidDataError as error:
        raise ArchiveDamagedError(f"the archive holds a damaged vector: {error}") from None
    if cache.has_room(len(rows)) and not cache.holds(int(vids[0])):
        cache.keep(vids, views)


def _differences(
    session: Session, encoder: int, saved: Sidecar, late: Collection[int]
) -> list[int]:
    """Return the views whose row in the matrix is missing or not the vector of the database.

    Vectors in `late` came after the matrix was saved: it will read them when it is next used.
    """
    wrong = []
    last = -1
    while stored := session.run(
        "SELECT vid, vector FROM vectors WHERE archive = :archive AND encoder = :encoder "
        "AND vid > :last AND vid <= :highest ORDER BY vid LIMIT :most",
        encoder=encoder,
        last=last,
        highest=saved.highest,
        most=_ROWS_PER_READ,
    ):
        last = stored[-1][0]
        vids, rows = saved.rows_of(np.array([vid for vid, _ in stored], np.int64))
        cached = dict(zip(vids.tolist(), rows, strict=True))
        for vid, blob in stored:
            if len(blob) % 4 or vid in late:
                continue  # another length is reported elsewhere
            exact = np.frombuffer(blob, dtype="<f4").astype(np.float16)
            if vid not in cached or not np.array_equal(exact, cached[vid]):
                wrong.append(vid)
    return wrong
