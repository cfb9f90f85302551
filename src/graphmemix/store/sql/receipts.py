"""Receipts of erasures, and the journal that finds them again without naming what was erased.

The journal holds a keyed hash of every id, and of every filter, that was erased, and the number of
the receipt. The key is random, one for each archive, and kept beside the hashes. So nobody can read
from the journal what was erased; but whoever has the archive and already knows, or guesses, an
exact id can find out that it was erased, and when. That is what a repeated erasure needs. Exports
hold neither the journal nor the key.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import TYPE_CHECKING

from graphmemix.store.protocol import Filter, Receipt
from graphmemix.store.sql.columns import stored

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from graphmemix.store.backend import Session
    from graphmemix.store.sql.core import Core

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
