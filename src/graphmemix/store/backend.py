"""What the back ends differ in: the database, the search for near vectors, the room on the disk.

The SQL of both stores is the same text. Parameters are written ``:name``; every table has a column
``archive``, and every statement names it. A back end hands its `Database`, its `VectorIndex` and,
if disks can fill up under it, its `EraseRoom` to the shared store (`store.sql`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager

    import numpy as np
    from numpy.typing import NDArray

    from graphmemix.store.records import Finding, Vector

Row: TypeAlias = tuple[Any, ...]
"""A database row. Only the functions that wrote the statement know its columns."""


class Session(Protocol):
    """Statements inside one transaction.

    Attributes:
        found: Numbers and versions of memories by id, None for those not there, as far as they were
            looked up; None for a transaction that writes, in which they change.
    """

    found: dict[str, tuple[int, int] | None] | None

    def run(self, sql: str, **parameters: object) -> list[Row]:
        """Execute a statement for the database's archive and return its rows."""

    def run_many(self, sql: str, rows: Iterable[Mapping[str, object]]) -> None:
        """Execute a statement once for each set of parameters."""


class Database(Protocol):
    """One archive in one database."""

    name: str
    version: int  # of the schema: a reader may find one that is older than the program's
    writable: bool

    def read(self) -> AbstractContextManager[Session]:
        """Open a transaction that sees one consistent state and writes nothing."""

    def write(self) -> AbstractContextManager[Session]:
        """Open the one writing transaction; it commits durably, or not at all."""

    @property
    def holds_lock(self) -> bool:
        """Whether this process is the archive's one writer at this moment."""

    def writing(self, wait: float | None = None) -> AbstractContextManager[object]:
        """Be the archive's one writer inside (`Store.writing`).

        Raises:
            ArchiveBusyError: Another process is still writing.
        """

    def require_writable(self) -> None:
        """Raise `ArchiveReadOnlyError` unless opened for writing."""

    def among(self, column: str, parameter: str) -> str:
        """Return the SQL condition that `column` is in the list parameter `parameter`."""

    def named(self, prefix: str = "") -> str:
        """Return the SQL condition that a row of memories has an id in the parameter ``ids``."""

    def keyed(self, prefix: str = "") -> str:
        """Return the SQL condition that a row of memories has a key in the parameter ``names``."""

    def clock(self, prefix: str = "") -> str:
        """Return the SQL expression for a memory's time by its own clock: ISO, to the second.

        NULL for a time in UTC, which is no clock on a wall.
        """

    def sequence(self, values: Sequence[int] | Sequence[str]) -> object:
        """Return a list as this driver takes it for `among`."""

    def purge(self, *, quick: bool) -> bool:
        """Wipe what deleted rows left in logs and free pages; False if a reader is in the way.

        With `quick`, also False if that needs a rewrite of more than `QUICKLY_REWRITTEN` bytes.
        """

    def problems(self) -> list[str]:
        """Return what the database itself finds damaged."""

    def size(self) -> int:
        """Return the bytes that the database takes."""

    def close(self) -> None:
        """Release connections and the writer's lock."""


QUICKLY_REWRITTEN: Final = 256 << 20
"""Bytes that are rewritten in a second or two."""


class StoredEncoder(NamedTuple):
    """An encoder that the archive has vectors of. Numbers may be reused, identities are unique."""

    number: int
    identity: str
    dimension: int


class VectorQuery(NamedTuple):
    """A search by vector.

    Attributes:
        encoder: Whose vectors are compared.
        vector: A unit vector.
        limit: How many memories, at least 1.
        kinds: Codes of the views that count; None for all.
        allowed: Numbers of the memories that may be found, ascending; None for all.
    """

    encoder: StoredEncoder
    vector: Vector
    limit: int
    kinds: Sequence[int] | None
    allowed: NDArray[np.int64] | None


class VectorIndex(Protocol):
    """A rounded copy of the table ``vectors`` that is fast to search.

    Attributes:
        tables: Tables of its own, which hold a row (encoder, vid, …) for each vector.
    """

    tables: tuple[str, ...]

    def insert(self, session: Session, rows: Sequence[dict[str, object]]) -> None:
        """Take in rows that were inserted into ``vectors``."""

    def note_late(self, session: Session, vids: Sequence[int], change: int) -> None:
        """Note that views that were stored earlier got their vectors by this change."""

    def candidates(self, session: Session, query: VectorQuery) -> NDArray[np.int64]:
        """Return views that are certain to include the best views of the best memories."""

    def views_of(
        self, session: Session, encoder: StoredEncoder, mids: Sequence[int]
    ) -> NDArray[np.int64]:
        """Return the views of these memories that have vectors."""

    def check(self, *, repair: bool) -> list[Finding]:
        """Compare files with the database."""

    def save(self) -> None:
        """Write down what the next process would have to compute again, if that is possible."""

    def take(self, other: VectorIndex) -> None:
        """Continue with what another handle of the same archive has computed."""


class EraseRoom(Protocol):
    """Room on the disk to delete rows in."""

    def open(self) -> AbstractContextManager[int | None]:
        """Make room; yield how many memories may be erased in one transaction, None for all."""

    def regain(self) -> None:
        """Give back the room that the last transaction took."""
