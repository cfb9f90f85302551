"""The search for near vectors in PostgreSQL: a table of halfvec, scanned or by an HNSW index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from pgvector import HalfVector

from graphmemix.store.unit_vectors import ERROR

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphmemix.store.backend import Session, StoredEncoder, VectorIndex, VectorQuery
    from graphmemix.store.postgres.database import PostgresDatabase
    from graphmemix.store.protocol import Finding

_INSERT_HALF = """
INSERT INTO halves (archive, encoder, vid, mid, kind, half)
VALUES (:archive, :encoder, :vid, :mid, :kind, :half)
"""
_MOST_ROWS = 1 << 40
_VIEWS_PER_MEMORY = 4  # a first guess at how many views the best memories have


class HalfvecIndex:
    """Implements `VectorIndex` by the table ``halves``, which is always up to date."""

    tables: tuple[str, ...] = ("halves",)

    def __init__(self, database: PostgresDatabase, scan: Literal["exact", "hnsw"]) -> None:
        self._database = database
        self._scan = scan

    def insert(self, session: Session, rows: Sequence[dict[str, object]]) -> None:
        """Insert the same vectors as halfvec."""
        halves = []
        for row in rows:
            blob = row["vector"]
            assert isinstance(blob, bytes)  # noqa: S101  # for the type checker
            half = HalfVector(np.frombuffer(blob, dtype="<f4").astype(np.float16))
            named = {key: row[key] for key in ("encoder", "vid", "mid", "kind")}
            halves.append({**named, "half": half})
        session.run_many(_INSERT_HALF, halves)

    def note_late(self, session: Session, vids: Sequence[int], change: int) -> None:
        """Do nothing: the table is up to date."""

    def candidates(self, session: Session, query: VectorQuery) -> NDArray[np.int64]:
        """Take the nearest by halfvec, more and more, until no other view can matter.

        All views within twice the rounding error of the `limit`-th memory must be among them.
        """
        if self._scan == "hnsw":
            return self._approximate(session, query)
        where = "archive = :archive AND encoder = :encoder"
        parameters: dict[str, object] = {"encoder": query.encoder.number}
        if query.kinds is not None:
            where += " AND kind = ANY(:kinds)"
            parameters["kinds"] = list(query.kinds)
        if query.allowed is not None:
            where += " AND mid = ANY(:allowed)"
            parameters["allowed"] = query.allowed.tolist()
        half = HalfVector(query.vector.astype(np.float16))
        distance = "half <#> CAST(:query AS halfvec)"
        most = min(query.limit, _MOST_ROWS) * _VIEWS_PER_MEMORY
        while True:
            rows = session.run(
                f"SELECT vid, mid, {distance} FROM halves WHERE {where} "
                f"ORDER BY {distance} LIMIT :most",
                query=half,
                most=most,
                **parameters,
            )
            needed = _certain(rows, query.limit)
            if len(rows) < most or needed < len(rows):
                return np.array([vid for vid, _, _ in rows[:needed]], np.int64)
            most *= 4

    def _approximate(self, session: Session, query: VectorQuery) -> NDArray[np.int64]:
        """Take the nearest by HNSW; filters apply while the index is walked."""
        size, kinds, allowed = query.vector.size, query.kinds, query.allowed
        self._database.ensure_hnsw(size)
        session.run("SET LOCAL hnsw.iterative_scan = strict_order")
        half = f"halfvec({size})"
        distance = f"CAST(half AS {half}) <#> CAST(:query AS {half})"
        rows = session.run(
            f"SELECT vid FROM halves WHERE archive = :archive AND encoder = :encoder "
            f"AND vector_dims(half) = {size} AND (:any_kind OR kind = ANY(:kinds)) "
            f"AND (:any_memory OR mid = ANY(:allowed)) ORDER BY {distance} LIMIT :most",
            encoder=query.encoder.number,
            query=HalfVector(query.vector.astype(np.float16)),
            any_kind=kinds is None,
            kinds=list(kinds or ()),
            any_memory=allowed is None,
            allowed=[] if allowed is None else allowed.tolist(),
            most=min(query.limit, _MOST_ROWS) * _VIEWS_PER_MEMORY,
        )
        return np.array([vid for (vid,) in rows], np.int64)

    def views_of(
        self, session: Session, encoder: StoredEncoder, mids: Sequence[int]
    ) -> NDArray[np.int64]:
        """Return the views of these memories that have vectors."""
        rows = session.run(
            "SELECT x.vid FROM views v JOIN vectors x ON x.archive = v.archive AND x.vid = v.vid "
            "WHERE v.archive = :archive AND x.encoder = :encoder AND "
            + self._database.among("v.mid", "mids"),
            encoder=encoder.number,
            mids=self._database.sequence(mids),
        )
        return np.array([vid for (vid,) in rows], np.int64)

    def check(self, *, repair: bool) -> list[Finding]:  # noqa: ARG002  # there are no files
        """Find nothing: there are no files."""
        return []

    def save(self) -> None:
        """Do nothing: it is all in the database."""

    def take(self, other: VectorIndex) -> None:
        """Do nothing: it is all in the database."""


def _certain(rows: Sequence[tuple[int, int, float]], limit: int) -> int:
    """Return how many of the rows, nearest first, could matter for the best `limit` memories."""
    seen: set[int] = set()
    for _, mid, distance in rows:
        seen.add(mid)
        if len(seen) == limit:
            bound = distance + 2 * ERROR
            return sum(1 for row in rows if row[2] <= bound)
    return len(rows)
