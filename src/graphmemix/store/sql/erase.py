"""Erasure: every trace of a memory, down to the bytes."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from graphmemix.store.protocol import Receipt
from graphmemix.store.sql.base import stored
from graphmemix.store.sql.logs import Logs
from graphmemix.store.sql.search import Search

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from graphmemix.store.database import Session


class Erasure(Search, Logs):
    """The part of the store that forgets.

    Rows go in one transaction, which also notes which files must follow. Files, caches, log and
    free pages are wiped afterwards; if the process dies in between, `finish_erasure` does the rest
    when the archive is next opened for writing.
    """

    def erase(self, memory_ids: Iterable[str]) -> Receipt:
        """Remove memories and every trace of them. Ids that are not there are ignored."""
        ids = sorted(set(memory_ids))
        with self.db.write() as session:
            receipt = self._erase_rows(session, ids)
            session.run("UPDATE archives SET purge_pending = 1 WHERE archive = :archive")
        return replace(receipt, purged=self.finish_erasure())

    def _erase_rows(self, session: Session, ids: Sequence[str]) -> Receipt:
        mids = list(self._numbers(session, ids).values())
        views, vectors = self._remove_derived(session, mids)
        listed = self.db.sequence(mids)
        mine = "archive = :archive AND " + self.db.among("mid", "mids")
        edges = self._count_and_delete(
            session,
            "edges",
            f"archive = :archive AND ({self.db.among('source', 'mids')} "
            f"OR {self.db.among('target', 'mids')})",
            listed,
        )
        self._remove_relations(session, listed)
        doomed = self._doom_media(session, mids)
        versions = self._count_and_delete(session, "versions", mine, listed)
        self._count_and_delete(session, "media", mine, listed)
        memories = self._count_and_delete(session, "memories", mine, listed)
        logs = self._erase_logs(session, ids)
        sizes = [
            self.media.path(sha256).stat().st_size for sha256 in doomed if sha256 in self.media
        ]
        receipt = Receipt(
            erased_at=datetime.now(UTC),
            memories=memories,
            versions=versions,
            views=views,
            vectors=vectors,
            edges=edges,
            media_files=len(sizes),
            media_bytes=sum(sizes),
            logs=logs,
            purged=False,
        )
        self._keep_receipt(session, receipt)
        return receipt

    def _count_and_delete(self, session: Session, table: str, where: str, mids: object) -> int:
        [(count,)] = session.run(f"SELECT COUNT(*) FROM {table} WHERE {where}", mids=mids)
        session.run(f"DELETE FROM {table} WHERE {where}", mids=mids)
        return int(count)

    def _doom_media(self, session: Session, mids: Sequence[int]) -> list[str]:
        """Note the files that no other memory uses; return their addresses."""
        among = self.db.among("mid", "mids")
        rows = session.run(
            "SELECT DISTINCT sha256 FROM media WHERE archive = :archive AND "
            f"{among} AND sha256 NOT IN "
            f"(SELECT sha256 FROM media WHERE archive = :archive AND NOT ({among}))",
            mids=self.db.sequence(mids),
        )
        doomed = sorted(row[0] for row in rows)
        session.run_many(
            "INSERT INTO doomed_media (archive, sha256) VALUES (:archive, :sha256) "
            "ON CONFLICT DO NOTHING",
            [{"sha256": sha256} for sha256 in doomed],
        )
        return doomed

    def _erase_logs(self, session: Session, ids: Sequence[str]) -> int:
        """Remove the logs that mention any of these memories."""
        mentioned = (
            "SELECT DISTINCT log FROM log_memories WHERE archive = :archive AND "
            + self.db.among("memory", "ids")
        )
        logs = [row[0] for row in session.run(mentioned, ids=self.db.sequence(ids))]
        self._remove_logs(session, logs)
        return len(logs)

    def _keep_receipt(self, session: Session, receipt: Receipt) -> None:
        session.run(
            "INSERT INTO receipts (archive, number, body) SELECT :archive, "
            "COALESCE(MAX(number), 0) + 1, :body FROM receipts WHERE archive = :archive",
            body=receipt.to_json(),
        )

    def finish_erasure(self) -> bool:
        """Do what an earlier erasure left to do; False if a reader is still in the way."""
        with self.db.write() as session:  # not `read`: that may be a snapshot from before
            [(pending,)] = session.run(
                "SELECT purge_pending FROM archives WHERE archive = :archive"
            )
            doomed = session.run("SELECT sha256 FROM doomed_media WHERE archive = :archive")
        if not pending:
            return True
        self._forget_erased()
        with self.db.write() as session:
            for (sha256,) in doomed:  # it may have come back with a memory added since
                used = session.run(
                    "SELECT 1 FROM media WHERE archive = :archive AND sha256 = :sha256 LIMIT 1",
                    sha256=sha256,
                )
                if not used:
                    self.media.remove(sha256)
            session.run("DELETE FROM doomed_media WHERE archive = :archive")
        if not self.db.purge():
            return False
        with self.db.write() as session:
            session.run("UPDATE archives SET purge_pending = 0 WHERE archive = :archive")
            rows = session.run("SELECT number, body FROM receipts WHERE archive = :archive")
            for number, body in rows:
                receipt = stored(Receipt, body)
                if not receipt.purged:
                    session.run(
                        "UPDATE receipts SET body = :body "
                        "WHERE archive = :archive AND number = :number",
                        body=replace(receipt, purged=True).to_json(),
                        number=number,
                    )
        return True

    def _forget_erased(self) -> None:
        """Rewrite caches without what was erased."""
        self._forget_caches()

    def receipts(self) -> tuple[Receipt, ...]:
        """Return all receipts, oldest first."""
        with self.db.read() as session:
            rows = session.run("SELECT body FROM receipts WHERE archive = :archive ORDER BY number")
        return tuple(stored(Receipt, row[0]) for row in rows)

    def restore_receipt(self, receipt: Receipt) -> None:
        """Keep a receipt that another archive wrote (for import)."""
        with self.db.write() as session:
            self._keep_receipt(session, receipt)
