"""Archives of every earlier schema version open with this program, whole."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from graphmemix import Memory
from graphmemix.store import Entry, Store, open_store
from graphmemix.store.postgres import database as postgres_database
from graphmemix.store.postgres.schema import MIGRATIONS as POSTGRES
from graphmemix.store.sql import derived as sql_derived
from graphmemix.store.sqlite import database as sqlite_database
from graphmemix.store.sqlite.schema import MIGRATIONS as SQLITE
from tests.store.conftest import Postgres
from tests.store.contents import (
    ENCODER,
    INSERT_VIEW_BEFORE_HASHES,
    axis,
    derived,
    entry,
    found,
    found_words,
    note,
)

NOTE = Memory("a", "note", "kept")


def look_around(store: Store) -> None:
    """Search, change and erase what an older program wrote."""
    assert found(store, axis(0)) == found_words(store, "words") == ["b"]
    assert dict(store.graph_vectors())["b"].tolist() == axis(0).tolist()
    assert store.score_vectors(axis(0), ENCODER, ["a", "b"]) == {"b": 1.0}
    store.update(note("b", "other"), derived("b", ["other"], [axis(1)]))
    assert found_words(store, "words") == []
    assert found(store, axis(1)) == found_words(store, "other") == ["b"]
    assert store.erase(["b"]).vectors == 1
    assert found(store, axis(1)) == found_words(store, "other") == []


@pytest.mark.parametrize("version", range(1, len(SQLITE) + 1))
def test_a_folder_of_every_version_is_brought_up(
    version: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as old:
        old.setattr(sqlite_database, "MIGRATIONS", SQLITE[:version])
        if version < len(SQLITE):
            old.setattr(sql_derived, "_INSERT_VIEW", INSERT_VIEW_BEFORE_HASHES)
        with open_store(tmp_path / "archive") as store:
            store.add([Entry(NOTE), entry("b", "words", [axis(0)])])
    with open_store(tmp_path / "archive") as store:
        assert store.get("a") == NOTE
        assert store.check() == []
        look_around(store)
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
        if version < len(POSTGRES):
            old.setattr(sql_derived, "_INSERT_VIEW", INSERT_VIEW_BEFORE_HASHES)
        with open_store(location, media=tmp_path) as store:
            store.add([Entry(NOTE), entry("b", "words", [axis(0)])])
    with open_store(location, media=tmp_path) as store:
        assert store.get("a") == NOTE
        look_around(store)
        store.put_derived({}, keys={"a": ["day:1"]})
        assert store.with_keys(["day:1"]) == [NOTE]
