from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import psycopg
import pytest

from graphmemix.errors import (
    ArchiveVersionError,
    StoreError,
)
from graphmemix.store.postgres import database as postgres_database
from graphmemix.store.sqlite import database as sqlite_database
from graphmemix.store.sqlite.schema import MIGRATIONS
from tests.store.conftest import Archives, Backend, Postgres
from tests.store.contents import entry, everything, fill, found_words


def sqlite_version(folder: Path, version: int) -> None:
    connection = sqlite3.connect(folder / "archive.db")
    connection.execute(f"PRAGMA user_version = {version}")
    connection.close()


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize("mode", ["write", "read"])
def test_a_newer_archive_is_refused_and_left_alone(
    make_sqlite: Archives, mode: Literal["write", "read"]
) -> None:
    with make_sqlite() as store:
        fill(store)
    folder = make_sqlite.folder / "archive"
    sqlite_version(folder, 99)
    before = contents(folder)
    with pytest.raises(ArchiveVersionError, match="upgrade") as caught:
        make_sqlite(mode=mode)
    assert caught.value.found == 99
    assert caught.value.supported == len(MIGRATIONS)
    after = contents(folder)
    assert {name: after[name] for name in before if name != "writer.lock"} == {
        name: data for name, data in before.items() if name != "writer.lock"
    }
    assert set(after) <= {*before, "archive.db-wal", "archive.db-shm"}
    sqlite_version(folder, len(MIGRATIONS))
    assert make_sqlite().count() == 5


@pytest.mark.parametrize("mode", ["write", "read"])
def test_a_newer_database_is_refused_and_left_alone(
    postgres: Postgres, tmp_path: Path, mode: Literal["write", "read"]
) -> None:
    database = postgres.new_database()
    archives = Archives("postgres", tmp_path, database.url)
    with archives() as store:
        fill(store)
    database.execute("UPDATE graphmemix_schema SET version = 99")
    before = dump(database)
    with pytest.raises(ArchiveVersionError):
        archives(mode=mode)
    with pytest.raises(ArchiveVersionError):
        archives("new", mode=mode)
    assert dump(database) == before


def dump(database: Postgres) -> object:
    relations = database.execute(
        "SELECT relname, relkind, relfilenode FROM pg_class WHERE relnamespace = "
        "'public'::regnamespace ORDER BY relname"
    )
    rows = [
        database.execute(f"SELECT * FROM {table} ORDER BY 1, 2")
        for table in ("archives", "memories", "views", "edges", "receipts")
    ]
    return relations, rows, database.execute("SELECT * FROM graphmemix_schema")


@pytest.fixture
def older(
    backend: Backend, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[tuple[Archives, Any]]:
    """An archive with something in it, in a database of its own, and the module to patch."""
    url = ""
    module: Any = sqlite_database
    if backend == "postgres":
        url = request.getfixturevalue("postgres").new_database().url
        module = postgres_database
    archives = Archives(backend, tmp_path / "older", url)
    with archives.opened:
        with archives() as store:
            fill(store)
        yield archives, module


def schema_version(archives: Archives) -> int:
    if archives.backend == "sqlite":
        [(version,)] = archives.run("PRAGMA user_version")
    else:
        [(version,)] = archives.run("SELECT version FROM graphmemix_schema")
    return int(version)


def add_column(connection: Any) -> None:
    connection.execute("ALTER TABLE memories ADD COLUMN mood text")
    connection.execute("UPDATE memories SET mood = 'fine'")


def add_column_and_fail(connection: Any) -> None:
    add_column(connection)
    raise RuntimeError("no luck")


def test_an_older_archive_is_brought_up_to_date(
    older: tuple[Archives, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    archives, module = older
    version = schema_version(archives)
    monkeypatch.setattr(module, "MIGRATIONS", (*module.MIGRATIONS, add_column))
    with archives() as store:
        assert store.count() == 5
        assert found_words(store, "canal") == ["chat-1"]
    assert schema_version(archives) == version + 1
    moods = archives.run("SELECT DISTINCT mood FROM memories WHERE archive = :archive")
    assert moods == [("fine",)]
    with archives() as store:  # it does not run twice
        store.add([entry("new", "x")])
    with archives(mode="read") as store:
        assert store.count() == 6


def test_a_reader_of_an_older_archive_is_told_what_to_do(
    older: tuple[Archives, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    archives, module = older
    version = schema_version(archives)
    monkeypatch.setattr(module, "MIGRATIONS", (*module.MIGRATIONS, add_column))
    with archives(mode="read") as store:  # what writers alone need is no reason
        assert store.count() == 5
    monkeypatch.setattr(module, "READABLE", len(module.MIGRATIONS))
    with pytest.raises(StoreError, match=r"open .* for writing"):
        archives(mode="read")
    assert schema_version(archives) == version


def test_a_migration_that_fails_changes_nothing(
    older: tuple[Archives, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    archives, module = older
    version = schema_version(archives)
    with archives(mode="read") as store:
        before = everything(store)
    with monkeypatch.context() as patch:
        patch.setattr(module, "MIGRATIONS", (*module.MIGRATIONS, add_column_and_fail))
        for _ in range(2):
            with pytest.raises(RuntimeError, match="no luck"):
                archives()
    assert schema_version(archives) == version
    with archives(wait=0) as store:
        assert everything(store) == before
    with pytest.raises((sqlite3.OperationalError, psycopg.errors.UndefinedColumn)):
        archives.run("SELECT mood FROM memories")


def test_migrations_that_succeeded_before_one_that_fails_are_kept(
    older: tuple[Archives, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    archives, module = older
    version = schema_version(archives)

    def fail(connection: Any) -> None:
        raise RuntimeError("no luck")

    with monkeypatch.context() as patch:
        patch.setattr(module, "MIGRATIONS", (*module.MIGRATIONS, add_column, fail))
        with pytest.raises(RuntimeError):
            archives()
    assert schema_version(archives) == version + 1


@pytest.mark.parametrize("version", range(len(MIGRATIONS)))
def test_every_earlier_version_can_be_opened(make_sqlite: Archives, version: int) -> None:
    folder = make_sqlite.folder / "archive"
    folder.mkdir(parents=True)
    connection = sqlite3.connect(folder / "archive.db")
    for migration in MIGRATIONS[:version]:
        migration(connection)
    connection.execute(f"PRAGMA user_version = {version}")
    connection.commit()
    connection.close()
    with make_sqlite() as store:
        fill(store)
        assert store.check() == []
