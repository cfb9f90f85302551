"""Statements inside one transaction of one connection to PostgreSQL.

Many rows at once are copied: an ``INSERT`` of plain values becomes a binary ``COPY``, which is ten
times as fast.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import psycopg
from pgvector.psycopg.halfvec import register_halfvec_info
from psycopg.types import TypeInfo

from graphmemix.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from graphmemix.store.backend import Row

Connection: TypeAlias = psycopg.Connection[tuple[Any, ...]]

_WORTH_COPYING = 8  # rows; for fewer, a pipeline of statements is faster
_INSERT = re.compile(r"\s*INSERT INTO (\w+) \(([\w\s,]+)\)\s+VALUES \(([\w\s,:]+)\)\s*")


@cache
def _translated(sql: str) -> str:
    """Return a statement with its ``:name`` parameters as this driver writes them."""
    return re.sub(r":(\w+)", r"%(\1)s", sql)


class PostgresSession:
    """Statements inside one transaction of one connection."""

    def __init__(
        self,
        connection: Connection,
        archive: int,
        types: dict[Target, tuple[str, ...]],
        *,
        writes: bool = False,
    ) -> None:
        self.connection = connection
        self._archive = archive
        self._types = types  # of columns, as far as they were needed before
        self.copied = 0
        self.found: dict[str, tuple[int, int] | None] | None = None if writes else {}

    def run(self, sql: str, **parameters: object) -> list[Row]:
        """Execute a statement and return its rows."""
        with self.connection.cursor(binary=True) as cursor:
            cursor.execute(_translated(sql), {"archive": self._archive, **parameters})
            return cursor.fetchall() if cursor.description else []

    def run_many(self, sql: str, rows: Iterable[Mapping[str, object]]) -> None:
        """Execute a statement once for each set of parameters, or copy many rows at once."""
        filled = [{"archive": self._archive, **row} for row in rows]
        into = target(sql) if len(filled) >= _WORTH_COPYING else None
        if into is not None:
            if into not in self._types:
                self._types[into] = _column_types(self.connection, into)
            _copy_rows(self.connection, into, self._types[into], filled)
            self.copied += len(filled)
        elif filled:
            with self.connection.cursor() as cursor:
                cursor.executemany(_translated(sql), filled)


class Target(NamedTuple):
    """What a statement fills: a table, its columns, and the parameters that they come from."""

    table: str
    columns: tuple[str, ...]
    parameters: tuple[str, ...]


@cache
def target(sql: str) -> Target | None:
    """Return what a statement fills, if all it does is to insert its parameters."""
    found = _INSERT.fullmatch(sql)
    if found is None:
        return None
    columns, values = (tuple(re.findall(r"[\w:]+", part)) for part in found.group(2, 3))
    if len(columns) != len(values) or not all(value.startswith(":") for value in values):
        return None
    return Target(found[1], columns, tuple(value[1:] for value in values))


def _copy_rows(
    connection: Connection, into: Target, types: Sequence[str], rows: Sequence[Mapping[str, object]]
) -> None:
    """Insert all rows; `types` are those of the columns."""
    columns = ", ".join(into.columns)
    with (
        connection.cursor() as cursor,
        cursor.copy(f"COPY {into.table} ({columns}) FROM STDIN (FORMAT BINARY)") as copy,
    ):
        copy.set_types(types)
        for row in rows:
            copy.write_row([row[name] for name in into.parameters])


def _column_types(connection: Connection, into: Target) -> tuple[str, ...]:
    """Return the types of the columns, as the server names them."""
    rows = connection.execute(
        "SELECT attname, format_type(atttypid, NULL) FROM pg_attribute "
        "WHERE attrelid = to_regclass(%s) AND attnum > 0",
        [into.table],
    ).fetchall()
    named: dict[str, str] = dict(rows)
    return tuple(named[column] for column in into.columns)


def register_halves(connection: Connection) -> None:
    """Let a connection send vectors of half precision as they are, not as text."""
    info = TypeInfo.fetch(connection, "halfvec")
    if info is None:
        raise StoreError("this database has no type halfvec: it needs pgvector 0.7 or later")
    register_halfvec_info(connection, info)
