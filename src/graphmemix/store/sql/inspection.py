"""How much an archive holds, and whether it is damaged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphmemix.errors import ArchiveDamagedError
from graphmemix.memory import Memory
from graphmemix.store.protocol import Finding, Stats
from graphmemix.store.sanitize import moment
from graphmemix.store.sql.columns import from_blob, stored, view_kind
from graphmemix.text import words
from graphmemix.text.postings import pack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graphmemix.store.backend import Session, VectorIndex
    from graphmemix.store.sql.core import Core
    from graphmemix.store.sql.rebuild import Rebuild

_TOLERANCE = 1e-3
_DOOMED = "SELECT sha256 FROM doomed_media WHERE archive = :archive"


class Inspection:
    """Counts, and looks for damage."""

    def __init__(self, core: Core, index: VectorIndex, rebuild: Rebuild) -> None:
        self._core = core
        self._db = core.db
        self._media = core.media
        self._index = index
        self._rebuild = rebuild

    def stats(self) -> Stats:
        """Return how much there is."""
        with self._db.read() as session:
            [(memories, first, last)] = session.run(
                "SELECT COUNT(*), MIN(time), MAX(time) FROM memories WHERE archive = :archive"
            )
            files = session.run("SELECT DISTINCT sha256 FROM media WHERE archive = :archive")
            views = _counts(session, "kind", "views")
            encoders: dict[int, str] = dict(
                session.run("SELECT encoder, identity FROM encoders WHERE archive = :archive")
            )
            vectors = _counts(session, "encoder", "vectors")
            kept = [sha256 for (sha256,) in files if sha256 in self._media]
            return Stats(
                memories=memories,
                versions=memories + self._core.count_rows("versions"),
                kinds=_counts(session, "kind", "memories"),
                sources=_counts(session, "source", "memories"),
                views={view_kind(int(kind)): count for kind, count in views.items()},
                vectors={encoders[int(number)]: count for number, count in vectors.items()},
                edges=_counts(session, "relation", "edges"),
                media_files=len(kept),
                media_bytes=sum(self._media.path(sha256).stat().st_size for sha256 in kept),
                database_bytes=self._db.size(),
                first=None if first is None else moment(first),
                last=None if last is None else moment(last),
            )

    def check(self, *, repair: bool = False) -> list[Finding]:
        """Look for damage; an empty list means that there is none.

        Reads everything: rows, files, vectors. With `repair`, whatever can be made again is.
        """
        if repair:
            self._db.require_writable()
        found = [Finding("database", problem) for problem in self._db.problems()]
        with self._db.read() as session:
            found += self._check_media(session, repair=repair)
            found += _check_references(session)
            damaged = [*_check_vectors(session), *_check_postings(session)]
        found += self._index.check(repair=repair)
        postings = [finding for finding in damaged if finding.problem == "postings"]
        if repair and postings:
            self._rebuild.rebuild()
        for finding in damaged:
            repaired = repair and finding.problem == "postings"
            found.append(Finding(finding.problem, finding.item, repaired=repaired))
        return found

    def _check_media(self, session: Session, *, repair: bool) -> Iterator[Finding]:
        rows = session.run("SELECT DISTINCT sha256 FROM media WHERE archive = :archive")
        used = {sha256 for (sha256,) in rows}
        for sha256 in sorted(used):
            if sha256 not in self._media:
                yield Finding("media_missing", sha256)
            elif not self._media.intact(sha256):
                yield Finding("media_changed", sha256)
        # Files on their way in or out, of a process that was ended: the next writer removes them.
        pending = {sha256 for (sha256,) in session.run(_DOOMED)} | set(self._media.unclaimed())
        for sha256, _ in self._media:
            if sha256 not in used and sha256 not in pending:
                if repair:
                    self._media.remove(sha256)
                yield Finding("media_orphan", sha256, repaired=repair)


def _check_references(session: Session) -> Iterator[Finding]:
    for table, column in (
        ("views", "mid"),
        ("vectors", "mid"),
        ("versions", "mid"),
        ("media", "mid"),
        ("edges", "source"),
        ("edges", "target"),
    ):
        rows = session.run(
            f"SELECT DISTINCT {column} FROM {table} t WHERE archive = :archive AND NOT EXISTS "
            f"(SELECT 1 FROM memories m WHERE m.archive = :archive AND m.mid = t.{column})"
        )
        yield from (Finding("reference", f"{table}.{column} {mid}") for (mid,) in rows)
    for table in ("memories", "versions"):
        for mid, body in session.run(f"SELECT mid, body FROM {table} WHERE archive = :archive"):
            try:
                stored(Memory, body)
            except ArchiveDamagedError as error:
                yield Finding("database", f"{table} {mid}: {error}")


def _check_vectors(session: Session) -> Iterator[Finding]:
    rows = session.run(
        "SELECT x.vid, x.vector, e.dimension FROM vectors x JOIN encoders e "
        "ON e.archive = x.archive AND e.encoder = x.encoder WHERE x.archive = :archive"
    )
    for vid, blob, dimension in rows:
        if len(blob) != 4 * dimension:
            yield Finding("dimension", f"view {vid}: {len(blob) / 4:g}, not {dimension}")
        elif not abs(float(np.linalg.norm(from_blob(blob))) - 1) < _TOLERANCE:
            yield Finding("vector", f"view {vid}: is not a unit vector")


def _check_postings(session: Session) -> Iterator[Finding]:
    for vid, text, blob in session.run(
        "SELECT vid, text, terms FROM views WHERE archive = :archive"
    ):
        try:
            same = bytes(blob) == pack(words.terms(text))
        except ArchiveDamagedError:
            same = False
        if not same:
            yield Finding("postings", f"view {vid}")


def _counts(session: Session, column: str, table: str) -> dict[str, int]:
    rows = session.run(
        f"SELECT {column}, COUNT(*) FROM {table} WHERE archive = :archive "
        f"GROUP BY {column} ORDER BY {column}"
    )
    return {str(value): int(count) for value, count in rows}
