"""Erasure: every trace of a memory, down to the bytes."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from graphmemix.errors import StorageFullError
from graphmemix.store.protocol import Filter, Receipt
from graphmemix.store.sql.columns import stored

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from graphmemix.store.backend import EraseRoom, Session
    from graphmemix.store.sql.core import Core
    from graphmemix.store.sql.derived import SqlDerivedData
    from graphmemix.store.sql.logs import Receipts, SqlLogs
    from graphmemix.store.sql.relations import SqlRelations

_COUNTS = (
    "memories",
    "versions",
    "views",
    "vectors",
    "edges",
    "media_files",
    "media_bytes",
    "logs",
)


class Erasure:
    """Erases memories.

    One transaction removes the rows, and notes the receipt and which files are to be removed.
    Files, caches, log and free pages are wiped afterwards; if the process dies in between,
    `finish` does the rest when the archive is next opened for writing, and the same erasure again
    returns the receipt. Only on a disk that is nearly full, many memories are erased in several
    transactions, which share a receipt.
    """

    def __init__(
        self,
        core: Core,
        derived: SqlDerivedData,
        relations: SqlRelations,
        logs: SqlLogs,
        receipts: Receipts,
        room: EraseRoom | None,
    ) -> None:
        self._core = core
        self._db = core.db
        self._media = core.media
        self._derived = derived
        self._relations = relations
        self._logs = logs
        self._receipts = receipts
        self._room = room

    def erase(
        self,
        memory_ids: Iterable[str],
        *,
        chosen_by: Filter | None = None,
        before: Callable[[Sequence[str]], None] | None = None,
    ) -> Receipt:
        """Remove memories and every trace of them. Ids that are not there are ignored."""
        ids = sorted(set(memory_ids))
        chosen = [] if chosen_by is None else [chosen_by]
        with nullcontext() if self._room is None else self._room.open() as most:
            number, erased = self._unfinished([*ids, *chosen]), False
            size = most or len(ids) or 1
            for first in range(0, len(ids), size):
                part = ids[first : first + size]
                if before is not None:
                    before(part)
                is_last = first + len(part) == len(ids)
                done = self._erase_part(part, chosen, number, is_last=is_last)
                number, erased = done or number, erased or done is not None
                if self._room is not None and not is_last:
                    self._room.regain()
            self.finish(quick=True)
        with self._db.write() as session:  # not `read`: that may be a snapshot from before
            if number is None:
                number = self._receipts.number_of(session, [*ids, *chosen])
            if number is None:
                return self._receipts.get(session, self._receipts.add(session, _nothing()))
            return replace(self._receipts.get(session, number), repeated=not erased)

    def _unfinished(self, asked: Sequence[str | Filter]) -> int | None:
        """Return the receipt of this same erasure, if it was ended between two transactions."""
        with self._db.write() as session:
            [(erasing,)] = session.run("SELECT erasing FROM archives WHERE archive = :archive")
            number = self._receipts.number_of(session, asked) if erasing else None
        return number if number == erasing else None

    def _erase_part(
        self, ids: Sequence[str], chosen: Sequence[Filter], number: int | None, *, is_last: bool
    ) -> int | None:
        """Erase rows in one transaction; return the receipt's number, None if there were none."""
        with self._db.write() as session:
            there = list(self._core.numbers(session, ids))
            erased = self._erase_rows(session, ids)
            found = bool(there or erased.logs)
            if found:
                number = self._add_to_receipt(session, number, erased)
                self._receipts.note(session, [*there, *chosen], number)
                session.run("UPDATE archives SET purge_pending = 1 WHERE archive = :archive")
            session.run(
                "UPDATE archives SET erasing = :number WHERE archive = :archive",
                number=0 if is_last else number or 0,
            )
        return number if found else None

    def _add_to_receipt(self, session: Session, number: int | None, erased: Receipt) -> int:
        if number is None:
            return self._receipts.add(session, erased)
        so_far = self._receipts.get(session, number)
        sums = {name: getattr(so_far, name) + getattr(erased, name) for name in _COUNTS}
        self._receipts.replace(session, number, replace(erased, **sums))
        return number

    def _erase_rows(self, session: Session, ids: Sequence[str]) -> Receipt:
        mids = list(self._core.numbers(session, ids).values())
        views, vectors = self._derived.remove(session, mids)
        listed = self._db.sequence(mids)
        mine = "archive = :archive AND " + self._db.among("mid", "mids")
        edges = self._relations.remove(session, mids)
        doomed = self._doom_media(session, mids)
        versions = self._count_and_delete(session, "versions", mine, listed)
        self._count_and_delete(session, "media", mine, listed)
        memories = self._count_and_delete(session, "memories", mine, listed)
        logs = self._logs.remove_mentions(session, ids)
        sizes = [
            self._media.path(sha256).stat().st_size for sha256 in doomed if sha256 in self._media
        ]
        return Receipt(
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

    def _count_and_delete(self, session: Session, table: str, where: str, mids: object) -> int:
        [(count,)] = session.run(f"SELECT COUNT(*) FROM {table} WHERE {where}", mids=mids)
        session.run(f"DELETE FROM {table} WHERE {where}", mids=mids)
        return int(count)

    def _doom_media(self, session: Session, mids: Sequence[int]) -> list[str]:
        """Note the files that no other memory uses; return their addresses."""
        among = self._db.among("mid", "mids")
        rows = session.run(
            "SELECT DISTINCT sha256 FROM media WHERE archive = :archive AND "
            f"{among} AND sha256 NOT IN "
            f"(SELECT sha256 FROM media WHERE archive = :archive AND NOT ({among}))",
            mids=self._db.sequence(mids),
        )
        doomed = sorted(row[0] for row in rows)
        session.run_many(
            "INSERT INTO doomed_media (archive, sha256) VALUES (:archive, :sha256) "
            "ON CONFLICT DO NOTHING",
            [{"sha256": sha256} for sha256 in doomed],
        )
        return doomed

    def clear_arrivals(self) -> None:
        """Remove files whose memory was never stored: the process that brought them was ended."""
        with self._db.write() as session:
            self._media.clear_incoming(lambda sha256: _names(session, sha256))

    def compact(self) -> bool:
        """Do what erasures left to do, however long it takes; False if that is not possible now."""
        with self._db.read() as session:
            [(pending,)] = session.run(
                "SELECT purge_pending FROM archives WHERE archive = :archive"
            )
        return not pending or self.finish(quick=False)

    def finish(self, *, quick: bool) -> bool:
        """Do what an erasure left to do; False if a reader is in the way, or there is no room.

        With `quick`, rewriting a large database is left to `compact`.
        """
        with self._db.write() as session:  # not `read`: that may be a snapshot from before
            [(pending,)] = session.run(
                "SELECT purge_pending FROM archives WHERE archive = :archive"
            )
            doomed = session.run("SELECT sha256 FROM doomed_media WHERE archive = :archive")
        if not pending:
            return True
        self._core.forget_caches()
        with self._db.write() as session:
            for (sha256,) in doomed:  # it may have come back with a memory added since
                if not _names(session, sha256):
                    self._media.remove(sha256)
            session.run("DELETE FROM doomed_media WHERE archive = :archive")
        try:
            if not self._db.purge(quick=quick):
                return False
        except StorageFullError:  # the rows are gone; their last bytes go once there is room
            return False
        with self._db.write() as session:
            session.run("UPDATE archives SET purge_pending = 0 WHERE archive = :archive")
            rows = session.run("SELECT number, body FROM receipts WHERE archive = :archive")
            for number, body in rows:
                receipt = stored(Receipt, body)
                if not receipt.purged:
                    finished = replace(receipt, purged=True, finished_at=datetime.now(UTC))
                    self._receipts.replace(session, number, finished)
        return True


def _nothing() -> Receipt:
    """Return the receipt of an erasure that found nothing, and nothing that it did before."""
    now = datetime.now(UTC)
    return Receipt(now, 0, 0, 0, 0, 0, 0, 0, 0, purged=True, finished_at=now)


def _names(session: Session, sha256: str) -> bool:
    """Return whether a memory, or an earlier version of one, has this file."""
    found = session.run(
        "SELECT 1 FROM media WHERE archive = :archive AND sha256 = :sha256 LIMIT 1", sha256=sha256
    )
    return bool(found)
