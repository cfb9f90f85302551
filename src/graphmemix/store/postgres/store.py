"""The server store: many archives in one PostgreSQL database with pgvector (extra ``postgres``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from pgvector import HalfVector

from graphmemix.store.media import MediaFolder, default_media_folder
from graphmemix.store.portable import export_archive
from graphmemix.store.postgres.database import PostgresDatabase, faults
from graphmemix.store.sql.store import SqlStore
from graphmemix.store.unit_vectors import ERROR

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from graphmemix.store.database import Session
    from graphmemix.store.sql.search import Wanted

_INSERT_HALF = """
INSERT INTO halves (archive, encoder, vid, mid, kind, half)
VALUES (:archive, :encoder, :vid, :mid, :kind, :half)
"""
_MOST_ROWS = 1 << 40
_VIEWS_PER_MEMORY = 4  # a first guess at how many views the best memories have


class PostgresStore(SqlStore):
    """An archive in a PostgreSQL database. See `Store` for what it promises.

    Media are files in a folder of their own; everything else is in the database.
    """

    vector_tables = ("halves", "vectors")

    def __init__(
        self,
        url: str,
        archive: str,
        media: Path | None = None,
        *,
        mode: Literal["write", "read"] = "write",
        wait: float = 5.0,
        pool: int = 8,
        scan: Literal["exact", "hnsw"] = "exact",
    ) -> None:
        """Open an archive; for writing, make it if it is not there.

        Args:
            url: How to connect, such as ``postgresql://user@host/database``.
            archive: Its name in the database.
            media: The folder for its files; by default `default_media_folder`.
            mode: One process may write at a time; any number may read meanwhile.
            wait: Seconds to wait for another writer to finish.
            pool: Connections for reading, at most.
            scan: How vectors are searched: ``exact``, or approximately by an HNSW index that the
                writer makes when it is first needed. Scores are exact either way.

        Raises:
            ArchiveBusyError: Another process is still writing.
            ArchiveNotFoundError: Nothing there to read.
            ArchiveVersionError: A newer program made the schema.
            StoreUnavailableError: The server does not answer.
        """
        writable = mode == "write"
        database = PostgresDatabase(url, archive, writable=writable, wait=wait, pool=pool)
        try:
            folder = media or default_media_folder(archive, database.uuid)
            super().__init__(database, MediaFolder(folder, writable=writable))
            self._postgres = database
            self._scan = scan
            if writable:
                self.clear_arrivals()
                self.finish_erasure()
        except BaseException:
            database.abandon()
            raise

    def _insert_vectors(self, session: Session, rows: Sequence[dict[str, object]]) -> None:
        super()._insert_vectors(session, rows)
        halves = []
        for row in rows:
            blob = row["vector"]
            assert isinstance(blob, bytes)  # noqa: S101  # for the type checker
            half = HalfVector(np.frombuffer(blob, dtype="<f4").astype(np.float16))
            named = {key: row[key] for key in ("encoder", "vid", "mid", "kind")}
            halves.append({**named, "half": half})
        session.run_many(_INSERT_HALF, halves)

    def _vector_candidates(self, session: Session, wanted: Wanted) -> NDArray[np.int64]:
        """Take the nearest by halfvec, more and more, until no other view can matter.

        All views within twice the rounding error of the `limit`-th memory must be among them.
        """
        if self._scan == "hnsw":
            return self._approximate(session, wanted)
        where = "archive = :archive AND encoder = :encoder"
        parameters: dict[str, object] = {"encoder": wanted.serving.number}
        if wanted.kinds is not None:
            where += " AND kind = ANY(:kinds)"
            parameters["kinds"] = list(wanted.kinds)
        if wanted.allowed is not None:
            where += " AND mid = ANY(:allowed)"
            parameters["allowed"] = wanted.allowed.tolist()
        half = HalfVector(wanted.query.astype(np.float16))
        distance = "half <#> CAST(:query AS halfvec)"
        most = min(wanted.limit, _MOST_ROWS) * _VIEWS_PER_MEMORY
        while True:
            rows = session.run(
                f"SELECT vid, mid, {distance} FROM halves WHERE {where} "
                f"ORDER BY {distance} LIMIT :most",
                query=half,
                most=most,
                **parameters,
            )
            needed = _certain(rows, wanted.limit)
            if len(rows) < most or needed < len(rows):
                return np.array([vid for vid, _, _ in rows[:needed]], np.int64)
            most *= 4

    def _approximate(self, session: Session, wanted: Wanted) -> NDArray[np.int64]:
        """Take the nearest by HNSW; filters apply while the index is walked."""
        size, kinds, allowed = wanted.query.size, wanted.kinds, wanted.allowed
        self._postgres.ensure_hnsw(size)
        session.run("SET LOCAL hnsw.iterative_scan = strict_order")
        half = f"halfvec({size})"
        distance = f"CAST(half AS {half}) <#> CAST(:query AS {half})"
        rows = session.run(
            f"SELECT vid FROM halves WHERE archive = :archive AND encoder = :encoder "
            f"AND vector_dims(half) = {size} AND (:any_kind OR kind = ANY(:kinds)) "
            f"AND (:any_memory OR mid = ANY(:allowed)) ORDER BY {distance} LIMIT :most",
            encoder=wanted.serving.number,
            query=HalfVector(wanted.query.astype(np.float16)),
            any_kind=kinds is None,
            kinds=list(kinds or ()),
            any_memory=allowed is None,
            allowed=[] if allowed is None else allowed.tolist(),
            most=min(wanted.limit, _MOST_ROWS) * _VIEWS_PER_MEMORY,
        )
        return np.array([vid for (vid,) in rows], np.int64)

    def backup(self, target: Path) -> bool:
        """Write the archive, as it is at this moment, as a portable folder.

        Returns and raises as `export_archive` does.
        """
        with faults(str(target)):
            return export_archive(self, target)


def _certain(rows: Sequence[tuple[int, int, float]], limit: int) -> int:
    """Return how many of the rows, nearest first, could matter for the best `limit` memories."""
    seen: set[int] = set()
    for _, mid, distance in rows:
        seen.add(mid)
        if len(seen) == limit:
            bound = distance + 2 * ERROR
            return sum(1 for row in rows if row[2] <= bound)
    return len(rows)
