"""Idempotency keys: a write that is sent twice is done once, and its reply is told again."""

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
from typing import Final

from graphmemix.serve.files import private_folder
from graphmemix.serve.problems import ProblemError

__all__ = ["Once", "Stored"]

_KEY: Final = re.compile(r"[\x21-\x7e]{1,128}\Z")
_TABLES: Final = """
CREATE TABLE IF NOT EXISTS secret (value BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS replies (
    caller TEXT NOT NULL, archive TEXT NOT NULL, key TEXT NOT NULL, request TEXT NOT NULL,
    at REAL NOT NULL, status INTEGER, body TEXT, PRIMARY KEY (caller, archive, key)
) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class Stored:
    """A reply as it is told, now and again: a status and JSON."""

    status: int
    body: str


class Once:
    """Remembers replies to writes by (who, archive, idempotency key), on disk.

    Of a request only a keyed hash is kept, and replies of writes hold ids and counts alone.
    """

    def __init__(self, state: Path, *, hours: float) -> None:
        file = private_folder(state) / "replies.db"
        self._db = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
        file.chmod(0o600)
        self._lock = threading.Lock()
        self._seconds = 3600 * hours
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.executescript(_TABLES)
        # What was under way when the server ended: writes are safe to repeat, so they may be.
        self._db.execute("DELETE FROM replies WHERE status IS NULL")
        self._secret = self._own_secret()

    def _own_secret(self) -> bytes:
        found = self._db.execute("SELECT value FROM secret").fetchone()
        if found is None:
            found = (secrets.token_bytes(32),)
            self._db.execute("INSERT INTO secret VALUES (?)", found)
        value: bytes = found[0]
        return value

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
        act: Callable[[], Awaitable[Stored]],
    ) -> Stored:
        """Do something, unless it was done under this key already: then return what it returned.

        Failures are not remembered, so that they may be tried again.

        Args:
            caller: Who asks; keys of others are others.
            archive: Where.
            key: The idempotency key; None to do it in any case.
            request: What is asked, to tell a repetition from another request.
            act: Does it.

        Raises:
            ProblemError: The key is none, was used for another request, or is in use right now.
        """
        if key is None:
            return await act()
        if not _KEY.match(key):
            raise ProblemError(
                400, "invalid_idempotency_key", "Idempotency-Key: 1 to 128 visible ASCII characters"
            )
        name = (caller, archive, key)
        mark = hmac.new(self._secret, request, hashlib.sha256).hexdigest()
        if (before := await asyncio.to_thread(self._begin, name, mark)) is not None:
            return before
        try:
            done = await act()
        except BaseException:
            await asyncio.shield(asyncio.to_thread(self._forget, name))
            raise
        await asyncio.shield(asyncio.to_thread(self._keep, name, done))
        return done

    def _begin(self, name: tuple[str, str, str], mark: str) -> Stored | None:
        now = time.time()
        with self._lock:
            self._db.execute("DELETE FROM replies WHERE at < ?", (now - self._seconds,))
            row = self._db.execute(
                "SELECT request, status, body FROM replies "
                "WHERE caller = ? AND archive = ? AND key = ?",
                name,
            ).fetchone()
            if row is None:
                self._db.execute(
                    "INSERT INTO replies (caller, archive, key, request, at) "
                    "VALUES (?, ?, ?, ?, ?)",
                    (*name, mark, now),
                )
                return None
        request, status, body = row
        if not hmac.compare_digest(request, mark):
            raise ProblemError(
                422, "idempotency_mismatch", "this Idempotency-Key was used for another request"
            )
        if status is None:
            raise ProblemError(
                409, "idempotency_in_progress", "the first request with this key is under way"
            )
        return Stored(status, body)

    def _keep(self, name: tuple[str, str, str], done: Stored) -> None:
        with self._lock:
            self._db.execute(
                "UPDATE replies SET status = ?, body = ? "
                "WHERE caller = ? AND archive = ? AND key = ?",
                (done.status, done.body, *name),
            )

    def _forget(self, name: tuple[str, str, str]) -> None:
        with self._lock:
            self._db.execute(
                "DELETE FROM replies WHERE caller = ? AND archive = ? AND key = ?", name
            )
