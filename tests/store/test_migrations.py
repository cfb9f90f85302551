"""Archives of every earlier schema version open with this program, whole."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from graphmemix import Memory
from graphmemix.store import Entry, open_store
from graphmemix.store.postgres import database as postgres_database
from graphmemix.store.postgres.schema import MIGRATIONS as POSTGRES
from graphmemix.store.sqlite import database as sqlite_database
from graphmemix.store.sqlite.schema import MIGRATIONS as SQLITE
from tests.store.conftest import Postgres

NOTE = Memory("a", "note", "kept")


@pytest.mark.parametrize("version", range(1, len(SQLITE) + 1))
def test_a_folder_of_every_version_is_brought_up(
    version: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as old:
        old.setattr(sqlite_database, "MIGRATIONS", SQLITE[:version])
        with open_store(tmp_path / "archive") as store:
            store.add([Entry(NOTE)])
    with open_store(tmp_path / "archive") as store:
        assert store.get("a") == NOTE
        assert store.check() == []
        store.put_derived({}, keys={"a": ["day:1"]})
        assert store.with_keys(["day:1"]) == [NOTE]


@pytest.mark.parametrize("version", range(1, len(POSTGRES) + 1))
def test_a_database_of_every_version_is_brought_up(
    version: int, postgres: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"schema{version}"
    with psycopg.connect(postgres.url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    location = postgres.url.replace("/postgres?", f"/{name}?") + "#archive"
    with monkeypatch.context() as old:
        old.setattr(postgres_database, "MIGRATIONS", POSTGRES[:version])
        with open_store(location, media=tmp_path) as store:
            store.add([Entry(NOTE)])
    with open_store(location, media=tmp_path) as store:
        assert store.get("a") == NOTE
        store.put_derived({}, keys={"a": ["day:1"]})
        assert store.with_keys(["day:1"]) == [NOTE]
