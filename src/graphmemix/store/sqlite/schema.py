"""The SQLite schema, as numbered migrations. A migration is never changed once it is released."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

PAGE_BYTES = 8192  # five 384-dimensional vectors a page; 4,096 would fit only two

# `vid` and `mid` are whole numbers that the archive hands out once and never again. The column
# `archive` is constant here; it lets the same statements run on PostgreSQL, where it leads keys. It
# must lead keys of tables WITHOUT ROWID too, or SQLite 3.40 reports it as NULL in integrity checks.
_TABLES = """
CREATE TABLE archives (
    archive INTEGER PRIMARY KEY, name TEXT NOT NULL, uuid TEXT NOT NULL, created INTEGER NOT NULL,
    next_mid INTEGER NOT NULL, next_vid INTEGER NOT NULL, change INTEGER NOT NULL,
    purge_pending INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE memories (
    archive INTEGER NOT NULL, mid INTEGER PRIMARY KEY, id TEXT NOT NULL, version INTEGER NOT NULL,
    body TEXT NOT NULL, kind TEXT NOT NULL, source TEXT NOT NULL, session TEXT, speaker TEXT,
    time INTEGER, latitude REAL, longitude REAL, modalities INTEGER NOT NULL,
    derived INTEGER NOT NULL
);
CREATE UNIQUE INDEX memories_id ON memories (id);
CREATE INDEX memories_time ON memories (time, id);
CREATE INDEX memories_session ON memories (session) WHERE session IS NOT NULL;
CREATE INDEX memories_speaker ON memories (archive, speaker) WHERE speaker IS NOT NULL;
CREATE INDEX memories_underived ON memories (id) WHERE derived = 0;
CREATE TABLE versions (
    archive INTEGER NOT NULL, mid INTEGER NOT NULL, version INTEGER NOT NULL, body TEXT NOT NULL,
    replaced INTEGER NOT NULL, PRIMARY KEY (mid, version)
);
CREATE TABLE media (
    archive INTEGER NOT NULL, mid INTEGER NOT NULL, version INTEGER NOT NULL, sha256 TEXT NOT NULL,
    PRIMARY KEY (archive, mid, version, sha256)
) WITHOUT ROWID;
CREATE INDEX media_sha256 ON media (sha256);
CREATE TABLE doomed_media (
    archive INTEGER NOT NULL, sha256 TEXT NOT NULL, PRIMARY KEY (archive, sha256)
) WITHOUT ROWID;
CREATE TABLE views (
    archive INTEGER NOT NULL, vid INTEGER PRIMARY KEY, mid INTEGER NOT NULL,
    ordinal INTEGER NOT NULL, kind INTEGER NOT NULL, text TEXT NOT NULL, media_sha256 TEXT,
    seconds REAL, length INTEGER NOT NULL, terms BLOB NOT NULL
);
CREATE UNIQUE INDEX views_mid ON views (mid, ordinal);
CREATE TABLE encoders (
    archive INTEGER NOT NULL, encoder INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE,
    dimension INTEGER NOT NULL, serving INTEGER NOT NULL
);
CREATE TABLE vectors (
    archive INTEGER NOT NULL, encoder INTEGER NOT NULL, vid INTEGER NOT NULL, mid INTEGER NOT NULL,
    kind INTEGER NOT NULL, ordinal INTEGER NOT NULL, vector BLOB NOT NULL
);
CREATE UNIQUE INDEX vectors_vid ON vectors (archive, encoder, vid);
CREATE INDEX vectors_mid ON vectors (archive, encoder, mid);
CREATE TABLE removed_views (
    archive INTEGER NOT NULL, change INTEGER NOT NULL, vid INTEGER NOT NULL,
    PRIMARY KEY (archive, change, vid)
) WITHOUT ROWID;
CREATE TABLE edges (
    archive INTEGER NOT NULL, source INTEGER NOT NULL, target INTEGER NOT NULL,
    relation TEXT NOT NULL, confidence REAL NOT NULL
);
CREATE UNIQUE INDEX edges_source ON edges (archive, source, target, relation);
CREATE INDEX edges_target ON edges (archive, target);
CREATE TABLE logs (
    archive INTEGER NOT NULL, id TEXT PRIMARY KEY, kind TEXT NOT NULL, created INTEGER NOT NULL,
    body TEXT NOT NULL
);
CREATE INDEX logs_created ON logs (kind, created, id);
CREATE TABLE log_memories (
    archive INTEGER NOT NULL, log TEXT NOT NULL, memory TEXT NOT NULL,
    PRIMARY KEY (archive, log, memory)
) WITHOUT ROWID;
CREATE INDEX log_memories_memory ON log_memories (memory);
CREATE TABLE receipts (
    archive INTEGER NOT NULL, number INTEGER PRIMARY KEY, body TEXT NOT NULL
);
"""


def _initial(connection: sqlite3.Connection) -> None:
    for statement in _TABLES.split(";"):
        connection.execute(statement)


_RELATIONS = """
CREATE TABLE relation_keys (
    archive INTEGER NOT NULL, name TEXT NOT NULL, mid INTEGER NOT NULL,
    PRIMARY KEY (archive, name, mid)
) WITHOUT ROWID;
CREATE INDEX relation_keys_mid ON relation_keys (mid);
CREATE TABLE neighbours (
    archive INTEGER NOT NULL, mid INTEGER NOT NULL, other INTEGER NOT NULL, cosine REAL NOT NULL,
    PRIMARY KEY (archive, mid, other)
) WITHOUT ROWID;
CREATE INDEX neighbours_other ON neighbours (other);
"""


def _relations(connection: sqlite3.Connection) -> None:
    for statement in _RELATIONS.split(";"):
        connection.execute(statement)


def _lighter_writes(connection: sqlite3.Connection) -> None:
    """Vectors are found by view; caches are told from where on they may go by `removed_views`."""
    connection.execute("DROP INDEX vectors_mid")
    connection.execute("ALTER TABLE archives ADD COLUMN pruned INTEGER NOT NULL DEFAULT 0")


_ERASURES = """
CREATE TABLE erasures (
    archive INTEGER NOT NULL, mark TEXT NOT NULL, receipt INTEGER NOT NULL,
    PRIMARY KEY (archive, mark)
) WITHOUT ROWID;
ALTER TABLE archives ADD COLUMN secret TEXT NOT NULL DEFAULT '';
ALTER TABLE archives ADD COLUMN erasing INTEGER NOT NULL DEFAULT 0;
"""


def _erasures(connection: sqlite3.Connection) -> None:
    """Which receipt a repeated erasure gets: see `store.sql.receipts`."""
    for statement in _ERASURES.split(";"):
        connection.execute(statement)


_LATE_VECTORS = """
CREATE TABLE late_vectors (
    archive INTEGER NOT NULL, change INTEGER NOT NULL, vid INTEGER NOT NULL,
    PRIMARY KEY (archive, change, vid)
) WITHOUT ROWID
"""


def _late_vectors(connection: sqlite3.Connection) -> None:
    """Which views got their vectors after they were stored, for the float16 copy to catch up."""
    connection.execute(_LATE_VECTORS)


def _swept(connection: sqlite3.Connection) -> None:
    """Whether all pages were swept since the database was made, or rewritten: see `sweep`."""
    connection.execute("ALTER TABLE archives ADD COLUMN swept INTEGER NOT NULL DEFAULT 0")


def _same_words(connection: sqlite3.Connection) -> None:
    """Views by a hash of their words, so that the same words are encoded once."""
    connection.execute("ALTER TABLE views ADD COLUMN words_hash INTEGER")
    connection.execute(
        "CREATE INDEX views_words ON views (archive, words_hash) WHERE words_hash IS NOT NULL"
    )


MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (
    _initial,
    _relations,
    _lighter_writes,
    _erasures,
    _late_vectors,
    _swept,
    _same_words,
)
"""Migration ``n`` (from 1) leads from schema version ``n - 1`` to ``n``."""

READABLE = 3
"""The oldest version that readers know: later ones changed only what writers use."""

WITH_LATE_VECTORS = 5
"""The first version with the table ``late_vectors``."""

WITH_SWEPT = 6
"""The first version that knows whether all pages were swept."""
