"""Looking for damage, and putting right what can be made again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphmemix.errors import ArchiveDamagedError
from graphmemix.memory import Memory
from graphmemix.store.protocol import Finding
from graphmemix.store.sql.base import from_blob, stored
from graphmemix.store.sql.remaking import Remaking
from graphmemix.text import words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graphmemix.store.database import Session

_TOLERANCE = 1e-3
_DOOMED = "SELECT sha256 FROM doomed_media WHERE archive = :archive"


class Checking(Remaking):
    """The part of the store that looks for damage."""

    def check(self, *, repair: bool = False) -> list[Finding]:
        """Look for damage; an empty list means that there is none.

        Reads everything: rows, files, vectors. With `repair`, whatever can be made again is.
        """
        if repair:
            self.db.require_writable()
        found = [Finding("database", problem) for problem in self.db.problems()]
        with self.db.read() as session:
            found += self._check_media(session, repair=repair)
            found += self._check_references(session)
            damaged = [*self._check_vectors(session), *self._check_postings(session)]
        found += self._check_caches(repair=repair)
        postings = [finding for finding in damaged if finding.problem == "postings"]
        if repair and postings:
            self.rebuild()
        for finding in damaged:
            mended = repair and finding.problem == "postings"
            found.append(Finding(finding.problem, finding.item, repaired=mended))
        return found

    def _check_media(self, session: Session, *, repair: bool) -> Iterator[Finding]:
        rows = session.run("SELECT DISTINCT sha256 FROM media WHERE archive = :archive")
        used = {sha256 for (sha256,) in rows}
        for sha256 in sorted(used):
            if sha256 not in self.media:
                yield Finding("media_missing", sha256)
            elif not self.media.intact(sha256):
                yield Finding("media_changed", sha256)
        # Files on their way in or out, of a process that was ended: the next writer takes them.
        passing = {sha256 for (sha256,) in session.run(_DOOMED)} | set(self.media.unclaimed())
        for sha256, _ in self.media:
            if sha256 not in used and sha256 not in passing:
                if repair:
                    self.media.remove(sha256)
                yield Finding("media_orphan", sha256, repaired=repair)

    def _check_references(self, session: Session) -> Iterator[Finding]:
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

    def _check_vectors(self, session: Session) -> Iterator[Finding]:
        rows = session.run(
            "SELECT x.vid, x.vector, e.dimension FROM vectors x JOIN encoders e "
            "ON e.archive = x.archive AND e.encoder = x.encoder WHERE x.archive = :archive"
        )
        for vid, blob, dimension in rows:
            if len(blob) != 4 * dimension:
                yield Finding("dimension", f"view {vid}: {len(blob) / 4:g}, not {dimension}")
            elif not abs(float(np.linalg.norm(from_blob(blob))) - 1) < _TOLERANCE:
                yield Finding("vector", f"view {vid}: is not a unit vector")

    def _check_postings(self, session: Session) -> Iterator[Finding]:
        for vid, text, blob in session.run(
            "SELECT vid, text, terms FROM views WHERE archive = :archive"
        ):
            try:
                same = bytes(blob) == words.pack(words.terms(text))
            except ArchiveDamagedError:
                same = False
            if not same:
                yield Finding("postings", f"view {vid}")

    def _check_caches(self, *, repair: bool) -> list[Finding]:
        """Compare what is cached on disk with the database."""
        del repair
        return []
