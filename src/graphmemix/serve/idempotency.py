"""Idempotency keys: a write that is sent twice is done once, and gets the same reply twice."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import re
import secrets
import sqlite3
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from graphmemix.fsio import make_folder, open_binary
from graphmemix.serve.access_log import logger
from graphmemix.serve.problems import ProblemError
from graphmemix.store.sqlite.connections import faults

__all__ = ["IdempotencyKeys", "StoredReply"]

_Name: TypeAlias = tuple[str, str, str]  # who, archive, key

_KEY: Final = re.compile(r"[\x21-\x7e]{1,128}\Z")
_TABLES: Final = """
CREATE TABLE IF NOT EXISTS secret (value BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS replies (
    caller TEXT NOT NULL, archive TEXT NOT NULL, key TEXT NOT NULL, request TEXT NOT NULL,
    at REAL NOT NULL, status INTEGER, body TEXT, PRIMARY KEY (caller, archive, key)
) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class StoredReply:
    """A reply that can be repeated: a status and JSON."""

    status: int
    body: str


class IdempotencyKeys:
    """Stores replies to writes by (caller, archive, idempotency key), on disk.

    Only a keyed hash of the request is stored, and replies to writes hold ids and counts only.
    Requests in progress are tracked in memory: after a crash, writes are safe to repeat.
    """

    def __init__(self, state: Path, *, hours: float) -> None:
        self._file = make_folder(state) / "replies.db"
        self._lock = threading.Lock()
        self._seconds = 3600 * hours
        self._under_way: dict[_Name, str] = {}
        self._unsaved: dict[_Name, tuple[str, StoredReply]] = {}  # for want of space
        try:
            self._db, self._secret = _opened(self._file)
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorname not in {"SQLITE_CORRUPT", "SQLITE_NOTADB"}:
                raise
            # It only saves repeating writes, and repeating them is safe.
            logger.warning("replies.db is damaged; starting with an empty one")
            for suffix in ("", "-wal", "-shm"):
                self._file.with_name(self._file.name + suffix).unlink(missing_ok=True)
            self._db, self._secret = _opened(self._file)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    async def run(
        self,
        caller: str,
        archive: str,
        key: str | None,
        request: bytes,
        act: Callable[[], Awaitable[StoredReply]],
    ) -> StoredReply:
        """Run `act`, or return the stored reply if it was run under this key before.

        Failures are not stored, so that they can be retried.

        Args:
            caller: Who sent the request; callers do not share keys.
            archive: The archive.
            key: The idempotency key; None to run `act` in any case.
            request: The request's content, to distinguish a repetition from another request.
            act: Does the write.

        Raises:
            ProblemError: The key is invalid, was used for another request, or is in use right now.
            StoreError: Earlier replies cannot be read.
        """
        if key is None:
            return await act()
        if not _KEY.match(key):
            raise ProblemError(
                400,
                "invalid_idempotency_key",
                "Idempotency-Key: must be 1 to 128 visible ASCII characters",
            )
        name = (caller, archive, key)
        mark = hmac.new(self._secret, request, hashlib.sha256).hexdigest()
        if (before := await self._begun(name, mark)) is not None:
            return before
        try:
            done = await act()
        except BaseException:
            self._under_way.pop(name, None)
            raise
        await asyncio.shield(asyncio.to_thread(self._keep, name, mark, done))
        return done

    async def _begun(self, name: _Name, mark: str) -> StoredReply | None:
        """Begin in a thread; if cancelled meanwhile, release the key."""
        beginning = asyncio.ensure_future(asyncio.to_thread(self._begin, name, mark))

        def let_go(begun: asyncio.Future[StoredReply | None]) -> None:
            if not begun.cancelled() and begun.exception() is None and begun.result() is None:
                self._under_way.pop(name, None)

        try:
            return await asyncio.shield(beginning)
        except asyncio.CancelledError:
            beginning.add_done_callback(let_go)
            raise

    def _begin(self, name: _Name, mark: str) -> StoredReply | None:
        with self._lock:
            before, done = self._known(name)
            if before is None:
                self._under_way[name] = mark
                return None
        if not hmac.compare_digest(before, mark):
            raise ProblemError(
                422, "idempotency_mismatch", "this Idempotency-Key was used for another request"
            )
        if done is None:
            raise ProblemError(
                409,
                "idempotency_in_progress",
                "the first request with this Idempotency-Key is still running",
            )
        return done

    def _known(self, name: _Name) -> tuple[str | None, StoredReply | None]:
        """Return the hash of an earlier request, and its reply if it is done."""
        if name in self._under_way:
            return self._under_way[name], None
        if name in self._unsaved:
            return self._unsaved[name]
        with faults(str(self._file.parent)):
            row = self._db.execute(
                "SELECT request, status, body FROM replies WHERE caller = ? AND archive = ? "
                "AND key = ? AND at >= ? AND status IS NOT NULL",
                (*name, time.time() - self._seconds),
            ).fetchone()
        return (None, None) if row is None else (row[0], StoredReply(row[1], row[2]))

    def _keep(self, name: _Name, mark: str, done: StoredReply) -> None:
        """Store a reply; if the disk is full, keep it in memory until there is room."""
        now = time.time()
        with self._lock:
            self._unsaved[name] = (mark, done)
            self._under_way.pop(name, None)
            rows = [
                (*each, request, now, reply.status, reply.body)
                for each, (request, reply) in self._unsaved.items()
            ]
            try:
                self._db.execute("BEGIN IMMEDIATE")
                self._db.execute("DELETE FROM replies WHERE at < ?", (now - self._seconds,))
                self._db.executemany("REPLACE INTO replies VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
                self._db.execute("COMMIT")
            except sqlite3.Error as error:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                logger.warning(
                    "a reply could not be saved", extra={"fields": {"why": error.sqlite_errorname}}
                )
            else:
                self._unsaved.clear()


def _opened(file: Path) -> tuple[sqlite3.Connection, bytes]:
    """Return the database, and the secret of its hashes."""
    open_binary(file, "ab").close()  # SQLite gives its journals the mode of the database
    database = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    try:
        database.execute("PRAGMA journal_mode = WAL")
        database.executescript(_TABLES)
        found = database.execute("SELECT value FROM secret").fetchone()
        if found is None:
            found = (secrets.token_bytes(32),)
            database.execute("INSERT INTO secret VALUES (?)", found)
    except BaseException:
        database.close()
        raise
    return database, found[0]
