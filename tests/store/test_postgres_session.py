from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from graphmemix.errors import InvalidInputError
from graphmemix.memory import Place
from graphmemix.store import Entry, open_store
from graphmemix.store.postgres import PostgresStore
from graphmemix.store.postgres import database as database_module
from graphmemix.store.postgres.session import Target, target
from tests.store.conftest import Archives, Pair, Postgres
from tests.store.contents import ENCODER, NOON, entry, note, unit_vectors


def test_only_plain_inserts_are_copied() -> None:
    plain = "INSERT INTO t (archive, a) VALUES (:archive, :b)"
    assert target(plain) == Target("t", ("archive", "a"), ("archive", "b"))
    for sql in (
        plain + " ON CONFLICT DO NOTHING",
        "INSERT INTO t (a, b) VALUES (:a, 1)",
        "INSERT INTO t (a, b) VALUES (:a, CAST(:b AS text))",
        "INSERT INTO t (a) SELECT :a",
        "DELETE FROM t WHERE a = :a",
    ):
        assert target(sql) is None


def test_many_rows_at_once_are_what_they_are_one_by_one(pair: Pair) -> None:
    rows = unit_vectors(40)
    fields: list[dict[str, Any]] = [
        {"place": Place("", 52, 4), "timestamp": NOON, "speaker": "Å \t\\N\n", "session": ""},
        {},
    ]
    entries = [
        entry(f"m{i:02}", f"\\. \t\n\\N {i} 東京", [rows[i], None], **fields[i % 2])
        for i in range(40)
    ]
    pair.sqlite.add(entries)
    pair.postgres.add(entries[:1])
    pair.postgres.add(entries[1:])
    ids = [each.memory.id for each in entries]
    pair.same(lambda store: store.get_many(ids))
    pair.same(lambda store: store.views(ids))
    pair.same(
        lambda store: [v[0].tobytes() for v in store.vectors(ids).values() if v[0] is not None]
    )
    pair.same(lambda store: store.search_vectors(rows[3], ENCODER))
    pair.same(lambda store: store.search_text("東京 7"))
    assert pair.postgres.check() == []


def test_the_planner_knows_how_much_there_is_after_a_bulk_load(
    postgres: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_module, "_ANALYZED_ROWS", 50)
    rows = unit_vectors(30)
    # A database of its own: statistics are of all archives in it.
    with PostgresStore(postgres.new_database().url, "bulk", tmp_path) as store:
        store.add(entry(f"m{i:02}", "word", [rows[i]]) for i in range(30))
        with store.db.read() as session:
            [(known,)] = session.run(
                "SELECT reltuples FROM pg_class WHERE oid = "
                "(SELECT tableoid FROM halves WHERE archive = :archive LIMIT 1)"
            )
            sampled = session.run(
                "SELECT tablename, attname FROM pg_stats WHERE attname IN "
                "('body', 'id', 'text', 'terms', 'vector', 'half', 'speaker', 'session', 'source')"
            )
    assert known >= 30
    assert sampled == []  # samples of what may be erased are never taken


@pytest.mark.parametrize("where", ["?scan=hnsw", "?scan=hnsw&connect_timeout=3"])
def test_an_address_can_ask_for_the_index(postgres: Postgres, tmp_path: Path, where: str) -> None:
    address, _, rest = postgres.url.partition("?")
    url = f"{address}{where}" + (f"&{rest}" if rest else "")
    with open_store(f"{url}#asked", media=tmp_path) as store:
        assert isinstance(store, PostgresStore)
        assert vars(vars(store)["_index"])["_scan"] == "hnsw"
    with open_store(f"{url.replace('hnsw', 'exact')}#asked", media=tmp_path) as store:
        assert vars(vars(store)["_index"])["_scan"] == "exact"
    with pytest.raises(InvalidInputError, match="exact or hnsw"):
        open_store(f"{url.replace('hnsw', 'fast')}#asked", media=tmp_path)


def test_a_reader_waits_while_all_connections_are_in_use(
    postgres: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_module, "_PROBE_SECONDS", 0.01)
    with (
        PostgresStore(postgres.url, "waiting", tmp_path, pool=1) as store,
        ThreadPoolExecutor(1) as thread,
    ):
        with store.snapshot():
            waiting = thread.submit(store.count)
            with pytest.raises(TimeoutError):
                waiting.result(timeout=0.3)
        assert waiting.result(timeout=20) == 0


def test_memories_are_found_by_index_without_statistics_of_content(
    make_postgres: Archives,
) -> None:
    store = make_postgres()
    store.add(Entry(note(f"m{i:04}", "word")) for i in range(5000))
    store.put_derived({}, keys={f"m{i:04}": [f"day:{i}"] for i in range(5000)})
    make_postgres.run("ANALYZE memories")
    make_postgres.run("ANALYZE relation_keys")
    assert isinstance(store, PostgresStore)
    with store.db.read() as session:
        for condition in (store.db.named("m."), store.db.keyed("m.")):
            plan = session.run(
                f"EXPLAIN SELECT body FROM memories m WHERE archive = :archive AND {condition}",
                **{
                    name: [f"m{i:04}" if name == "ids" else f"day:{i}" for i in range(0, 5000, 25)]
                    for name in ("ids", "names")
                    if f":{name}" in condition
                },
            )
            assert not [line for (line,) in plan if "Seq Scan" in line]
    assert len(store.with_keys(f"day:{i}" for i in range(0, 5000, 25))) == 200
