"""All parts of the shared store together."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Self

from graphmemix.store.sanitize import microseconds
from graphmemix.store.sql.checking import Checking
from graphmemix.store.sql.holders import Holders
from graphmemix.store.sql.logs import Logs
from graphmemix.store.sql.memories import Memories

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from graphmemix.store.database import Database
    from graphmemix.store.media import MediaFolder
    from graphmemix.store.protocol import Store


class SqlStore(Memories, Checking, Holders, Logs):
    """A store over a `Database`: everything but how vectors are scanned and copies are made."""

    def __init__(self, db: Database, media: MediaFolder) -> None:
        super().__init__(db, media)
        self._prepare_search()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Release everything. Closing twice is harmless."""
        self.db.close()

    def take_caches_of(self, other: Store) -> None:
        """Take nothing over: there is nothing on disk to save it in."""

    def snapshot(self) -> AbstractContextManager[object]:
        """Inside, every read of this thread sees one and the same state."""
        return self.db.read()

    def _uuid(self) -> str:
        """Return the archive's own name, by which caches know whose they are."""
        with self.db.read() as session:
            [(name,)] = session.run("SELECT uuid FROM archives WHERE archive = :archive")
        return str(name)


def archive_row(name: str) -> dict[str, object]:
    """Return the row of a new archive."""
    now = microseconds(datetime.now(UTC))
    return {"name": name, "uuid": uuid.uuid4().hex, "created": now}


INSERT_ARCHIVE = """
INSERT INTO archives (archive, name, uuid, created, next_mid, next_vid, change)
VALUES (:archive, :name, :uuid, :created, 1, 1, 0)
"""
