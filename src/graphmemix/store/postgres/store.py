"""The server store: many archives in one PostgreSQL database with pgvector (extra ``postgres``)."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Literal

from graphmemix.errors import ArchiveBusyError
from graphmemix.store.media import MediaFolder, default_media_folder
from graphmemix.store.portable import export_archive
from graphmemix.store.postgres.database import PostgresDatabase
from graphmemix.store.postgres.faults import faults
from graphmemix.store.postgres.vectors import HalfvecIndex
from graphmemix.store.sql.core import Core
from graphmemix.store.sql.store import OPENING_SECONDS, SqlStore

if TYPE_CHECKING:
    from pathlib import Path


class PostgresStore(SqlStore):
    """An archive in a PostgreSQL database. See `Store` for what it promises.

    Media are files in a folder of their own; everything else is in the database.
    """

    def __init__(
        self,
        url: str,
        archive: str,
        media: Path | None = None,
        *,
        mode: Literal["write", "shared", "read"] = "write",
        wait: float = 5.0,
        pool: int = 8,
        scan: Literal["exact", "hnsw"] = "exact",
    ) -> None:
        """Open an archive; for writing, make it if it is not there.

        Args:
            url: How to connect, such as ``postgresql://user@host/database``.
            archive: Its name in the database.
            media: The folder for its files; by default `default_media_folder`.
            mode: One process may write at a time; any number may read meanwhile. In mode
                ``shared`` this one is the writer only while it changes something.
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
        database = PostgresDatabase(url, archive, mode=mode, wait=wait, pool=pool)
        try:
            folder = media or default_media_folder(archive, database.uuid)
            core = Core(database, MediaFolder(folder, writable=mode != "read"))
            with ExitStack() as turn:
                if mode == "shared":
                    with suppress(ArchiveBusyError):  # another process writes, and need not end
                        turn.enter_context(database.writing(min(wait, OPENING_SECONDS)))
                super().__init__(core, HalfvecIndex(database, scan))
        except BaseException:
            database.abandon()
            raise

    def backup(self, target: Path) -> bool:
        """Write the archive, as it is at this moment, as a portable folder.

        Returns and raises as `export_archive` does.
        """
        with faults(str(target)):
            return export_archive(self, target)
