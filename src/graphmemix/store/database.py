"""The thin layer between the store's SQL and a database driver.

The SQL of both stores is the same text. Parameters are written ``:name``; every table has a column
``archive``, and every statement names it. What differs (schema, lists as parameters, locks, vector
scan, care of files) is behind `Database`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager

Row: TypeAlias = tuple[Any, ...]
"""A database row. Only the functions that wrote the statement know its columns."""


class Session(Protocol):
    """Statements inside one transaction."""

    def run(self, sql: str, **parameters: object) -> list[Row]:
        """Execute a statement for the database's archive and return its rows."""

    def run_many(self, sql: str, rows: Iterable[Mapping[str, object]]) -> None:
        """Execute a statement once for each set of parameters."""


class Database(Protocol):
    """One archive in one database."""

    name: str
    version: int  # of the schema: a reader may find one that is older than the program's

    def read(self) -> AbstractContextManager[Session]:
        """Open a transaction that sees one consistent state and writes nothing."""

    def write(self) -> AbstractContextManager[Session]:
        """Open the one writing transaction; it commits durably, or not at all."""

    def require_writable(self) -> None:
        """Raise `ArchiveReadOnlyError` unless opened for writing."""

    def among(self, column: str, parameter: str) -> str:
        """Return the SQL condition that `column` is in the list parameter `parameter`."""

    def named(self, prefix: str = "") -> str:
        """Return the SQL condition that a row of memories has an id in the parameter ``ids``."""

    def keyed(self, prefix: str = "") -> str:
        """Return the SQL condition that a row of memories has a key in the parameter ``names``."""

    def sequence(self, values: Sequence[int] | Sequence[str]) -> object:
        """Return a list as this driver takes it for `among`."""

    def purge(self) -> bool:
        """Wipe what deleted rows left in logs and free pages; False if a reader is in the way."""

    def problems(self) -> list[str]:
        """Return what the database itself finds damaged."""

    def size(self) -> int:
        """Return the bytes that the database takes."""

    def close(self) -> None:
        """Release connections and the writer's lock."""
