"""Traces and job logs; receipts of erasures, and the journal that finds them again.

The journal names nothing that was erased. It holds a keyed hash of every id, and of every filter,
that was erased, and the number of the receipt. The key is random, one for each archive, and kept
beside the hashes. So nobody can read from the journal what was erased; but whoever has the archive
and already knows, or guesses, an exact id can find out that it was erased, and when. That is what a
repeated erasure needs. Exports hold neither the journal nor the key.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import TYPE_CHECKING, Final, Literal

from graphmemix.errors import MemoryNotFoundError
from graphmemix.store.protocol import Filter, Log, Receipt
from graphmemix.store.sanitize import (
    cleaned_record,
    is_storable,
    microseconds,
    moment,
    require_name,
)
from graphmemix.store.sql.columns import require_limit, stored

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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

    def log_ids(self, kind: Literal["trace", "job"]) -> list[str]:
        """Return the ids of all logs of a kind, newest first."""
        with self._db.read() as session:
            rows = session.run(
                "SELECT id FROM logs WHERE archive = :archive AND kind = :kind "
                "ORDER BY created DESC, id",
                kind=kind,
            )
        return [log_id for (log_id,) in rows]

    def _log(self, session: Session, row: Row) -> Log:
        log_id, kind, created, body = row
        mentioned = session.run(
            "SELECT memory FROM log_memories WHERE archive = :archive AND log = :log "
            "ORDER BY memory",
            log=log_id,
        )
        return Log(log_id, kind, moment(created), body, tuple(each for (each,) in mentioned))


_JOURNAL_VERSION = 4  # of the schema: a reader may have an archive from before


class Receipts:
    """The receipts of an archive."""

    def __init__(self, core: Core) -> None:
        self._db = core.db

    def receipt_of(self, erased: str | Filter) -> Receipt | None:
        """Return the receipt under which a memory, or all that pass a filter, were erased."""
        if self._db.version < _JOURNAL_VERSION:
            return None
        with self._db.read() as session:
            number = self.number_of(session, [erased])
            return None if number is None else self.get(session, number)

    def receipts(self) -> tuple[Receipt, ...]:
        """Return all receipts, oldest first."""
        with self._db.read() as session:
            rows = session.run("SELECT body FROM receipts WHERE archive = :archive ORDER BY number")
        return tuple(stored(Receipt, row[0]) for row in rows)

    def restore_receipt(self, receipt: Receipt) -> None:
        """Keep a receipt that another archive wrote (for import)."""
        with self._db.write() as session:
            self.add(session, receipt)

    def add(self, session: Session, receipt: Receipt) -> int:
        """Store a new receipt and return its number."""
        [(last,)] = session.run(
            "SELECT COALESCE(MAX(number), 0) FROM receipts WHERE archive = :archive"
        )
        session.run(
            "INSERT INTO receipts (archive, number, body) VALUES (:archive, :number, :body)",
            number=last + 1,
            body=receipt.to_json(),
        )
        return int(last) + 1

    def get(self, session: Session, number: int) -> Receipt:
        """Return a receipt by its number."""
        [(body,)] = session.run(
            "SELECT body FROM receipts WHERE archive = :archive AND number = :number", number=number
        )
        return stored(Receipt, body)

    def replace(self, session: Session, number: int, receipt: Receipt) -> None:
        """Store another state of a receipt."""
        session.run(
            "UPDATE receipts SET body = :body WHERE archive = :archive AND number = :number",
            number=number,
            body=receipt.to_json(),
        )

    def number_of(self, session: Session, erased: Iterable[str | Filter]) -> int | None:
        """Return the number of the newest receipt for any of these."""
        marks = _marks(_secret(session), erased)
        [(number,)] = session.run(
            "SELECT MAX(receipt) FROM erasures WHERE archive = :archive AND "
            + self._db.among("mark", "marks"),
            marks=self._db.sequence(marks),
        )
        return None if number is None else int(number)

    def note(self, session: Session, erased: Iterable[str | Filter], receipt: int) -> None:
        """Note the receipt of these, in the transaction that erases them."""
        secret = _secret(session)
        if not secret:
            secret = secrets.token_hex(32)
            session.run(
                "UPDATE archives SET secret = :secret WHERE archive = :archive", secret=secret
            )
        marks = _marks(secret, erased)
        session.run(
            "DELETE FROM erasures WHERE archive = :archive AND " + self._db.among("mark", "marks"),
            marks=self._db.sequence(marks),
        )
        session.run_many(
            "INSERT INTO erasures (archive, mark, receipt) VALUES (:archive, :mark, :receipt)",
            [{"mark": mark, "receipt": receipt} for mark in marks],
        )


def _secret(session: Session) -> str:
    [(secret,)] = session.run("SELECT secret FROM archives WHERE archive = :archive")
    return str(secret)


def _marks(secret: str, erased: Iterable[str | Filter]) -> Sequence[str]:
    """Return the keyed hashes of ids and filters, without repeats."""
    key = secret.encode()
    names = (
        f"filter {each.to_json()}" if isinstance(each, Filter) else f"memory {each}"
        for each in erased
    )
    marks = (
        hmac.new(key, name.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()
        for name in names
    )
    return list(dict.fromkeys(marks))
