"""Traces and job logs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from graphmemix.errors import MemoryNotFoundError
from graphmemix.store.clean import cleaned_record, is_storable, microseconds, moment, require_name
from graphmemix.store.protocol import Log
from graphmemix.store.sql.base import SqlBase, require_limit

if TYPE_CHECKING:
    from graphmemix.store.database import Row, Session


class Logs(SqlBase):
    """The part of the store that keeps what happened. Logs go with the memories they mention."""

    def put_log(self, log: Log) -> None:
        """Save a trace or a job log; the same id replaces it."""
        for name in (log.id, *log.memory_ids):
            require_name("log", name)
        log = cleaned_record(log)
        with self.db.write() as session:
            session.run("DELETE FROM logs WHERE archive = :archive AND id = :id", id=log.id)
            session.run(
                "DELETE FROM log_memories WHERE archive = :archive AND log = :id", id=log.id
            )
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

    def log(self, log_id: str) -> Log:
        """Return a log, or raise `MemoryNotFoundError`."""
        with self.db.read() as session:
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
        with self.db.read() as session:
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
