"""PostgreSQL behind `Database`: a pool for readers, one locked connection for the writer."""

from __future__ import annotations

import os
import threading
import time
from contextlib import contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING

import psycopg
from psycopg import errors as pg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg_pool import ConnectionPool, PoolTimeout

from graphmemix.errors import (
    ArchiveBusyError,
    ArchiveDamagedError,
    ArchiveNotFoundError,
    ArchiveReadOnlyError,
    ArchiveVersionError,
    InvalidInputError,
)
from graphmemix.fsio import SharedLock
from graphmemix.store.backend import QUICKLY_REWRITTEN
from graphmemix.store.postgres.faults import faults
from graphmemix.store.postgres.schema import MIGRATIONS, READABLE, TABLES
from graphmemix.store.postgres.session import Connection, PostgresSession, register_halves
from graphmemix.store.sanitize import is_archive_name, is_storable, require_archive_name, storable
from graphmemix.store.sql.store import archive_row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager

    from graphmemix.store.postgres.session import Target

_SCHEMA_LOCK = 0x67726D78  # "grmx": held while the schema is made or migrated
_ARCHIVE_LOCKS = 0x67726D79  # first key of the locks on single archives
_PAUSE_SECONDS = 0.05
_CONNECT_SECONDS = 5
_PROBE_SECONDS = 0.5  # then the server is asked whether it is there
_BUSY_SECONDS = 30.0  # how long to wait while all connections are in use
_PURGE_SECONDS = 2  # how long to wait for readers
_ANALYZED_ROWS = 4000
_INSERT_ARCHIVE = """
INSERT INTO archives (name, uuid, created, next_mid, next_vid, change)
VALUES (%(name)s, %(uuid)s, %(created)s, 1, 1, 0)
"""
# The memories that have one of many texts. There are no statistics of content, so the planner takes
# a list of texts for half of the table and would read all of it; like this it goes by the index.
_BY_INDEX = (
    "SELECT f.mid FROM unnest(CAST(:{2} AS text[])) w (name) CROSS JOIN LATERAL (SELECT t.mid "
    "FROM {0} t WHERE t.archive = :archive AND t.{1} = w.name OFFSET 0) f"
)
# The partition of a table that holds an archive.
_PARTITION = r"""
SELECT c.oid::regclass::text
FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid,
    LATERAL regexp_match(
        pg_get_expr(c.relpartbound, c.oid), 'modulus (\d+), remainder (\d+)'
    ) AS bound
WHERE i.inhparent = to_regclass(%s)
    AND satisfies_hash_partition(i.inhparent, bound[1]::int, bound[2]::int, %s::bigint)
"""


class PostgresDatabase:
    """One archive of a PostgreSQL database.

    The writer holds an advisory lock of the archive on the connection that it writes with: if that
    connection is lost, so is the lock, and no write can follow before it is taken again.
    """

    def __init__(self, url: str, archive: str, *, mode: str, wait: float, pool: int) -> None:
        self.name = f"archive {archive!r}"
        name = f"graphmemix {os.getpid()}"
        try:
            patience = conninfo_to_dict(url).get("connect_timeout", _CONNECT_SECONDS)
            self._url = make_conninfo(url, application_name=name, connect_timeout=patience)
        except psycopg.Error as error:
            raise InvalidInputError(f"not an address of a database: {error}") from None
        self._wait = wait
        self.writable = writable = mode != "read"
        self._made = False
        self._writing = threading.RLock()
        self._local = threading.local()
        self._writer: Connection | None = None
        self._locked = False
        self._shared = None if mode != "shared" else self._shared_lock()  # None: always held
        self._indexed: set[int] = set()  # dimensions that have an HNSW index
        self._types: dict[Target, tuple[str, ...]] = {}
        self._grown = self._analyzed = 0  # rows that came since, and until, the last analysis
        with faults(self.name):
            if not is_archive_name(archive) and not self._is_there(archive):
                require_archive_name(archive)  # before anything is made for it
            with psycopg.connect(self._url, autocommit=True) as connection:
                self._migrate(connection, may_change=writable)
                self.archive, self.uuid = self._archive(connection, archive, make=writable)
            self._pool = ConnectionPool(
                self._url, min_size=1, max_size=pool, timeout=_BUSY_SECONDS, open=True,
                check=ConnectionPool.check_connection, configure=_prepare_reader,
            )  # fmt: skip
            try:
                if mode == "write":
                    self._locked_writer()
            except BaseException:
                self._pool.close()
                raise

    def _migrate(self, connection: Connection, *, may_change: bool) -> None:
        version = self.version = self._version(connection)
        if version == len(MIGRATIONS) or (not may_change and version >= READABLE):
            return
        if not may_change:
            raise ArchiveNotFoundError(
                f"this database has schema version {version}; open an archive for writing "
                f"once, and it is brought to version {len(MIGRATIONS)}"
            )
        connection.execute("SELECT pg_advisory_lock(%s)", [_SCHEMA_LOCK])
        try:
            version = self._version(connection)  # another process may have been faster
            for number, migration in enumerate(MIGRATIONS[version:], start=version + 1):
                with connection.transaction():
                    migration(connection)
                    connection.execute("DELETE FROM graphmemix_schema")
                    connection.execute("INSERT INTO graphmemix_schema VALUES (%s)", [number])
            self.version = len(MIGRATIONS)
        finally:
            connection.execute("SELECT pg_advisory_unlock(%s)", [_SCHEMA_LOCK])

    @staticmethod
    def _version(connection: Connection) -> int:
        there = connection.execute("SELECT to_regclass('graphmemix_schema')").fetchone()
        if there is None or there[0] is None:
            connection.execute("CREATE TABLE IF NOT EXISTS graphmemix_schema (version integer)")
        row = connection.execute("SELECT max(version) FROM graphmemix_schema").fetchone()
        version = int(row[0]) if row and row[0] is not None else 0
        if version > len(MIGRATIONS):
            raise ArchiveVersionError(version, len(MIGRATIONS))
        return version

    def _is_there(self, archive: str) -> bool:
        """Return whether the database has an archive of this name; changes nothing."""
        if not is_storable(archive):
            return False
        with psycopg.connect(self._url, autocommit=True) as connection:
            table = connection.execute("SELECT to_regclass('archives')").fetchone()
            if table is None or table[0] is None:
                return False
            named = connection.execute("SELECT 1 FROM archives WHERE name = %s", [archive])
            return named.fetchone() is not None

    def _archive(self, connection: Connection, archive: str, *, make: bool) -> tuple[int, str]:
        """Return the archive's number and what no other archive is called; `make` it if new."""
        if make:
            made = connection.execute(
                _INSERT_ARCHIVE + " ON CONFLICT (name) DO NOTHING", archive_row(archive)
            )
            self._made = made.rowcount == 1
        row = connection.execute(
            "SELECT archive, uuid FROM archives WHERE name = %s", [archive]
        ).fetchone()
        if row is None:
            raise ArchiveNotFoundError(f"there is no archive {archive!r} in this database")
        return int(row[0]), str(row[1])

    def _locked_writer(self, wait: float | None = None) -> Connection:
        """Return the writing connection; connect and lock anew if it was lost."""
        connection = self._writer
        if connection is not None and not connection.closed:
            if not self._locked:
                self._lock(connection, wait)
            return connection
        connection = psycopg.connect(self._url, autocommit=True)
        try:
            register_halves(connection)
            self._lock(connection, wait)
        except BaseException:
            connection.close()
            raise
        self._writer = connection
        return connection

    def _shared_lock(self) -> SharedLock:
        """Return the writer's lock, to be taken for every change."""
        return SharedLock(self._take_lock, self._unlock, place=self.name, wait=self._wait)

    def _take_lock(self, wait: float) -> None:
        with faults(self.name):
            self._locked_writer(wait)

    def _unlock(self) -> None:
        self._locked = False
        if self._writer is not None and not self._writer.closed:
            with suppress(psycopg.Error):  # a connection that is lost has lost its lock too
                self._writer.execute(
                    "SELECT pg_advisory_unlock(%s, hashint8(%s))", [_ARCHIVE_LOCKS, self.archive]
                )

    @property
    def holds_lock(self) -> bool:
        """Whether this process is the archive's one writer at this moment."""
        return self.writable and (self._shared is None or self._shared.is_held)

    def writing(self, wait: float | None = None) -> AbstractContextManager[object]:
        """Be the archive's one writer inside."""
        self.require_writable()
        return nullcontext() if self._shared is None else self._shared.held(wait)

    def _lock(self, connection: Connection, wait: float | None = None) -> None:
        deadline = time.monotonic() + (self._wait if wait is None else wait)
        while not self._taken(connection):
            if time.monotonic() >= deadline:
                raise ArchiveBusyError(self.name, self._holder(connection))
            time.sleep(_PAUSE_SECONDS)
        self._locked = True

    def _taken(self, connection: Connection) -> bool:
        row = connection.execute(
            "SELECT pg_try_advisory_lock(%s, hashint8(%s))", [_ARCHIVE_LOCKS, self.archive]
        ).fetchone()
        return bool(row and row[0])

    def _holder(self, connection: Connection) -> int | None:
        """Return the process that writes: it stands in its connection's name."""
        row = connection.execute(
            "SELECT a.application_name FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid "
            "WHERE l.locktype = 'advisory' AND l.granted AND l.classid::bigint = %s "
            "AND l.objid::bigint = (hashint8(%s)::bigint & 4294967295)",
            [_ARCHIVE_LOCKS, self.archive],
        ).fetchone()
        number = str(row[0]).rpartition(" ")[2] if row else ""
        return int(number) if number.isdigit() else None

    @contextmanager
    def read(self) -> Iterator[PostgresSession]:
        """See one consistent state. Nested calls in one thread share it."""
        session: PostgresSession | None = getattr(self._local, "session", None)
        if session is not None:
            yield session
            return
        with faults(self.name), self._reader() as connection:
            self._local.session = PostgresSession(connection, self.archive, self._types)
            try:
                yield self._local.session
            finally:
                self._local.session = None
                connection.rollback()

    @contextmanager
    def _reader(self) -> Iterator[Connection]:
        """Borrow a connection; if none comes soon, ask the server itself why."""
        try:
            connection = self._pool.getconn(timeout=_PROBE_SECONDS)
        except PoolTimeout:
            psycopg.connect(self._url).close()  # raises if the server is gone
            connection = self._pool.getconn()  # it is there: all connections are in use
        try:
            yield connection
        finally:
            self._pool.putconn(connection)

    @contextmanager
    def write(self) -> Iterator[PostgresSession]:
        """Commit durably at the end, or leave everything as it was."""
        self.require_writable()
        with self.writing(), self._writing, faults(self.name):
            connection = self._locked_writer()
            session = PostgresSession(connection, self.archive, self._types, writes=True)
            with connection.transaction():
                yield session
            self._grown += session.copied
            if self._grown > max(_ANALYZED_ROWS, self._analyzed):
                with suppress(psycopg.Error):  # what was written is safe
                    self._analyze(connection)

    def _analyze(self, connection: Connection) -> None:
        """Update the planner statistics: until then it plans for an empty table.

        Repeated when as much has come again, so that loading an archive stays linear.
        """
        for table in ("memories", "views", "vectors", "halves"):
            row = connection.execute(_PARTITION, [table, self.archive]).fetchone()
            if row is not None:
                connection.execute(f"ANALYZE {row[0]}")
        self._analyzed += self._grown
        self._grown = 0

    def require_writable(self) -> None:
        """Raise `ArchiveReadOnlyError` unless opened for writing."""
        if not self.writable:
            raise ArchiveReadOnlyError(f"{self.name} was opened for reading")

    def among(self, column: str, parameter: str) -> str:
        """Return the condition that `column` is in a list."""
        return f"{column} = ANY(:{parameter})"

    def named(self, prefix: str = "") -> str:
        """Return the condition that a memory has one of these ids."""
        return f"{prefix}mid = ANY(ARRAY({_BY_INDEX.format('memories', 'id', 'ids')}))"

    def keyed(self, prefix: str = "") -> str:
        """Return the condition that a memory has one of these keys."""
        return f"{prefix}mid = ANY(ARRAY({_BY_INDEX.format('relation_keys', 'name', 'names')}))"

    def clock(self, prefix: str = "") -> str:
        """Return a memory's time by its own clock."""
        time = f"CAST({prefix}body AS json) ->> 'timestamp'"
        return f"(CASE WHEN right({time}, 1) <> 'Z' THEN left({time}, 19) END) COLLATE \"C\""

    def sequence(self, values: Sequence[int] | Sequence[str]) -> object:
        """Return a list as a parameter, without texts that cannot be stored: they match nothing."""
        return storable(values)

    def purge(self, *, quick: bool = False) -> bool:
        """Rewrite the partitions of this archive without what was deleted.

        False if a transaction that may still see the deleted rows keeps them from being dropped;
        with `quick`, also if they are large: a page of PostgreSQL keeps the bytes of rows that were
        removed from it, so that nothing less than a rewrite is certain.
        The server's own write-ahead log and backups are its operator's to expire.
        """
        with self.writing(), self._writing, faults(self.name):
            connection = self._locked_writer()
            rows = [
                connection.execute(_PARTITION, [table, self.archive]).fetchone() for table in TABLES
            ]
            parts = [str(row[0]) for row in rows if row is not None]
            if quick and self._bytes_of(connection, parts) > QUICKLY_REWRITTEN:
                return False
            connection.execute(f"SET lock_timeout = '{_PURGE_SECONDS}s'")
            try:
                if not self._nobody_looks_back(connection):
                    return False
                for part in parts:
                    connection.execute(f"VACUUM FULL {part}")
            except pg.LockNotAvailable:
                return False
            finally:
                connection.execute("RESET lock_timeout")
        return True

    @staticmethod
    def _bytes_of(connection: Connection, tables: Sequence[str]) -> int:
        total = "SELECT SUM(pg_total_relation_size(name::regclass)) FROM unnest(%s::text[]) name"
        row = connection.execute(total, [list(tables)]).fetchone()
        return int(row[0] or 0) if row else 0

    @staticmethod
    def _nobody_looks_back(connection: Connection) -> bool:
        """Wait until no other transaction is older than this moment; False if that takes long."""
        row = connection.execute("SELECT pg_current_xact_id()::xid::text").fetchone()
        now = row[0] if row else ""
        deadline = time.monotonic() + _PURGE_SECONDS
        while True:
            older = connection.execute(
                "SELECT 1 FROM pg_stat_activity WHERE backend_xmin IS NOT NULL "
                "AND pid <> pg_backend_pid() AND age(backend_xmin) >= age(%s::xid) LIMIT 1",
                [now],
            ).fetchone()
            if older is None:
                return True
            if time.monotonic() > deadline:
                return False
            time.sleep(_PAUSE_SECONDS)

    def ensure_hnsw(self, dimension: int) -> None:
        """Make the HNSW index for vectors of this dimension, if this is the writer."""
        if not self.writable or dimension in self._indexed:
            return
        with self.writing(), self._writing, faults(self.name):
            self._locked_writer().execute(
                f"CREATE INDEX IF NOT EXISTS halves_hnsw_{dimension} ON halves USING hnsw "
                f"((half::halfvec({dimension})) halfvec_ip_ops) "
                f"WHERE vector_dims(half) = {dimension}"
            )
        self._indexed.add(dimension)

    def problems(self) -> list[str]:
        """Return what the server finds damaged: it checks pages as they are read."""
        found = []
        for table in TABLES:
            try:
                with self.read() as session:
                    session.run(f"SELECT COUNT(*) FROM {table} WHERE archive = :archive")
            except ArchiveDamagedError as error:
                found.append(f"{table}: {error}")
        return found

    def size(self) -> int:
        """Return the bytes of this archive's rows."""
        total = 0
        with self.read() as session:
            for table in TABLES:
                [(size,)] = session.run(
                    f"SELECT COALESCE(SUM(pg_column_size(t.*)), 0) FROM {table} t "
                    "WHERE archive = :archive"
                )
                total += int(size)
        return total

    def abandon(self) -> None:
        """Close, and take back the archive's row if opening has made it."""
        if self._made and self._writer is not None:
            with suppress(psycopg.Error):
                self._writer.execute("DELETE FROM archives WHERE archive = %s", [self.archive])
        self.close()

    def close(self) -> None:
        """Release connections and, with the writer's, its lock."""
        self._pool.close()
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()


def _prepare_reader(connection: Connection) -> None:
    connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    connection.read_only = True
    register_halves(connection)
    connection.rollback()
