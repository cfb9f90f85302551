"""Statements inside one transaction of one connection to PostgreSQL."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from graphmemix.store.postgres.copying import (
    WORTH_COPYING,
    Connection,
    column_types,
    copy_rows,
    target,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from graphmemix.store.database import Row
    from graphmemix.store.postgres.copying import Target

__all__ = ["Connection", "PostgresSession"]


@cache
def _translated(sql: str) -> str:
    """Return a statement with its ``:name`` parameters as this driver writes them."""
    return re.sub(r":(\w+)", r"%(\1)s", sql)


class PostgresSession:
    """Statements inside one transaction of one connection."""

    def __init__(
        self, connection: Connection, archive: int, types: dict[Target, tuple[str, ...]]
    ) -> None:
        self.connection = connection
        self._archive = archive
        self._types = types  # of columns, as far as they were needed before
        self.copied = 0

    def run(self, sql: str, **parameters: object) -> list[Row]:
        """Execute a statement and return its rows."""
        with self.connection.cursor(binary=True) as cursor:
            cursor.execute(_translated(sql), {"archive": self._archive, **parameters})
            return cursor.fetchall() if cursor.description else []

    def run_many(self, sql: str, rows: Iterable[Mapping[str, object]]) -> None:
        """Execute a statement once for each set of parameters, or copy many rows at once."""
        filled = [{"archive": self._archive, **row} for row in rows]
        into = target(sql) if len(filled) >= WORTH_COPYING else None
        if into is not None:
            if into not in self._types:
                self._types[into] = column_types(self.connection, into)
            copy_rows(self.connection, into, self._types[into], filled)
            self.copied += len(filled)
        elif filled:
            with self.connection.cursor() as cursor:
                cursor.executemany(_translated(sql), filled)
