"""Traces and job logs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from graphmemix.errors import MemoryNotFoundError
from graphmemix.store.protocol import Log
from graphmemix.store.sanitize import (
    cleaned_record,
    is_storable,
    microseconds,
    moment,
    require_name,
)
from graphmemix.store.sql.columns import require_limit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphmemix.store.backend import Row, Session
    from graphmemix.store.sql.core import Core

_SHARE_PRUNED: Final = 20  # once there are too many, a twentieth goes besides
_MOST_PRUNED: Final = 200  # at a time: no question waits until thousands of old ones are gone


class SqlLogs:
    """Implements `Logs`. A log is erased with any memory that it mentions."""

    def __init__(self, core: Core) -> None:
        self._db = core.db

    def put_log(self, log: Log, *, keep: int = 0) -> None:
        """Save a trace or a job log; the same id replaces it.

        With `keep`, the oldest of its kind go beyond so many, in the same transaction. That is a
        count of the kind's index; rows go by the dozen, which takes a quarter of the time that they
        take one by one.
        """
        for name in (log.id, *log.memory_ids):
            require_name("log", name)
        log = cleaned_record(log)
        with self._db.write() as session:
            self._remove(session, [log.id])
            session.run(
                "INSERT INTO logs (archive, id, kind, created, body) "
                "VALUES (:archive, :id, :kind, :created, :body)",
                id=log.id,
                kind=log.kind,
                created=microseconds(log.created_at),
                body=log.body,
            )
            session.run_many(
                "INSERT INTO log_memories (archive, log, memory) VALUES (:archive, :log, :memory)",
                [{"log": log.id, "memory": each} for each in sorted(set(log.memory_ids))],
            )
            if keep > 0:
                self._prune(session, log, keep)

    def _prune(self, session: Session, newest: Log, keep: int) -> None:
        """Remove the oldest logs of a kind, whatever their clocks say never the one just saved."""
        [(count,)] = session.run(
            "SELECT COUNT(*) FROM logs WHERE archive = :archive AND kind = :kind", kind=newest.kind
        )
        if count > keep:
            rows = session.run(
                "SELECT id FROM logs WHERE archive = :archive AND kind = :kind AND id <> :newest "
                "ORDER BY created, id DESC LIMIT :most",
                kind=newest.kind,
                newest=newest.id,
                most=min(count - keep + keep // _SHARE_PRUNED, _MOST_PRUNED),
            )
            self._remove(session, [log_id for (log_id,) in rows])

    def _remove(self, session: Session, log_ids: Sequence[str]) -> None:
        listed = self._db.sequence(log_ids)
        for table, column in (("logs", "id"), ("log_memories", "log")):
            session.run(
                f"DELETE FROM {table} WHERE archive = :archive AND "
                + self._db.among(column, "logs"),
                logs=listed,
            )

    def remove_mentions(self, session: Session, memory_ids: Sequence[str]) -> int:
        """Remove the logs that mention any of these memories; return how many there were."""
        rows = session.run(
            "SELECT DISTINCT log FROM log_memories WHERE archive = :archive AND "
            + self._db.among("memory", "ids"),
            ids=self._db.sequence(memory_ids),
        )
        self._remove(session, [log_id for (log_id,) in rows])
        return len(rows)

    def log(self, log_id: str) -> Log:
        """Return a log, or raise `MemoryNotFoundError`."""
        with self._db.read() as session:
            rows = is_storable(log_id) and session.run(
                "SELECT id, kind, created, body FROM logs WHERE archive = :archive AND id = :id",
                id=log_id,
            )
            if not rows:
                raise MemoryNotFoundError(log_id)
            return self._log(session, rows[0])

    def logs(self, kind: Literal["trace", "job"], *, limit: int = 100) -> list[Log]:
        """Return the newest logs of a kind, newest first."""
        require_limit(limit)
        with self._db.read() as session:
            rows = session.run(
                "SELECT id, kind, created, body FROM logs "
                "WHERE archive = :archive AND kind = :kind ORDER BY created DESC, id LIMIT :most",
                kind=kind,
                most=limit,
            )
            return [self._log(session, row) for row in rows]

    def _log(self, session: Session, row: Row) -> Log:
        log_id, kind, created, body = row
        mentioned = session.run(
            "SELECT memory FROM log_memories WHERE archive = :archive AND log = :log "
            "ORDER BY memory",
            log=log_id,
        )
        return Log(log_id, kind, moment(created), body, tuple(each for (each,) in mentioned))
