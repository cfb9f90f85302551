"""Which memories hold a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmemix.store.sql.base import SqlBase, parsed

if TYPE_CHECKING:
    from graphmemix.memory import Memory


class Holders(SqlBase):
    """The part of the store that leads from files to memories."""

    def with_media(self, sha256: str) -> list[Memory]:
        """Return the memories whose current version has this file, lowest id first."""
        self.media.path(sha256)  # refuses what is no address
        with self.db.read() as session:
            rows = session.run(
                "SELECT m.body FROM media x JOIN memories m ON m.archive = x.archive "
                "AND m.mid = x.mid AND m.version = x.version "
                "WHERE x.archive = :archive AND x.sha256 = :sha256 ORDER BY m.id",
                sha256=sha256,
            )
        return parsed(rows)
