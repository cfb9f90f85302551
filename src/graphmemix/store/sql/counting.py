"""How much an archive holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmemix.store.protocol import Stats
from graphmemix.store.sanitize import moment
from graphmemix.store.sql.base import SqlBase, view_kind

if TYPE_CHECKING:
    from graphmemix.store.database import Session


class Counting(SqlBase):
    """The part of the store that counts."""

    def stats(self) -> Stats:
        """Return how much there is."""
        with self.db.read() as session:
            [(memories, first, last)] = session.run(
                "SELECT COUNT(*), MIN(time), MAX(time) FROM memories WHERE archive = :archive"
            )
            files = session.run("SELECT DISTINCT sha256 FROM media WHERE archive = :archive")
            views = self._counts(session, "kind", "views")
            encoders: dict[int, str] = dict(
                session.run("SELECT encoder, identity FROM encoders WHERE archive = :archive")
            )
            vectors = self._counts(session, "encoder", "vectors")
            kept = [sha256 for (sha256,) in files if sha256 in self.media]
            return Stats(
                memories=memories,
                versions=memories + self._total("versions"),
                kinds=self._counts(session, "kind", "memories"),
                sources=self._counts(session, "source", "memories"),
                views={view_kind(int(kind)): count for kind, count in views.items()},
                vectors={encoders[int(number)]: count for number, count in vectors.items()},
                edges=self._counts(session, "relation", "edges"),
                media_files=len(kept),
                media_bytes=sum(self.media.path(sha256).stat().st_size for sha256 in kept),
                database_bytes=self.db.size(),
                first=None if first is None else moment(first),
                last=None if last is None else moment(last),
            )

    def _counts(self, session: Session, column: str, table: str) -> dict[str, int]:
        rows = session.run(
            f"SELECT {column}, COUNT(*) FROM {table} WHERE archive = :archive "
            f"GROUP BY {column} ORDER BY {column}"
        )
        return {str(value): int(count) for value, count in rows}

    def _total(self, table: str, condition: str = "") -> int:
        with self.db.read() as session:
            [(total,)] = session.run(
                f"SELECT COUNT(*) FROM {table} WHERE archive = :archive {condition}"
            )
        return int(total)
