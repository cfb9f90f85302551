"""What adding and encoding ask of SQLite is found by index: nothing reads a large table whole."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from graphmemix import Archive, Memory
from graphmemix.encode import HashingEncoder
from graphmemix.settings import Settings
from graphmemix.store.backend import Row
from graphmemix.store.sqlite.database import ARCHIVE, SqliteSession

LARGE = {"memories", "views", "vectors", "edges", "neighbours", "relation_keys"}
ALIASES = {"m": "memories", "v": "views", "x": "vectors", "k": "relation_keys", "n": "neighbours"}
WAITING = "memories_underived"  # holds only what waits for its vectors
LONG = "The boiler was repaired by Olga, and the bill is in the blue folder in the hall. " * 4


def test_adding_and_encoding_read_no_large_table_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: dict[str, dict[str, object]] = {}
    run, run_many = SqliteSession.run, SqliteSession.run_many

    def noted(session: SqliteSession, sql: str, **parameters: object) -> list[Row]:
        seen.setdefault(sql, {"archive": ARCHIVE, **parameters})
        return run(session, sql, **parameters)

    def noted_many(session: SqliteSession, sql: str, rows: Iterable[Mapping[str, object]]) -> None:
        listed = list(rows)
        for row in listed[:1]:
            seen[sql] = {"archive": ARCHIVE, **row}
        run_many(session, sql, listed)

    with Archive.open(tmp_path / "a", encoder=HashingEncoder(), settings=Settings()) as archive:
        archive.add([Memory("first", "note", LONG)])  # neighbours are read once, all of them
        monkeypatch.setattr(SqliteSession, "run", noted)
        monkeypatch.setattr(SqliteSession, "run_many", noted_many)
        archive.add([Memory("second", "note", LONG)])
        archive.add([Memory(f"m{i:02}", "note", f"{LONG} {i}") for i in range(20)])
        monkeypatch.undo()
    assert any("words_hash" in sql and "SELECT" in sql for sql in seen)
    database = sqlite3.connect(tmp_path / "a" / "archive.db")
    for sql, parameters in seen.items():
        plan = database.execute(f"EXPLAIN QUERY PLAN {sql}", parameters).fetchall()
        for *_, step in plan:
            words = step.split()
            table = ALIASES.get(words[1], words[1])
            whole = words[0] == "SCAN" or step.endswith("(archive=?)")
            assert table not in LARGE or not whole or WAITING in step, (sql, step)
    database.close()
