from __future__ import annotations

from pathlib import Path

import numpy as np

from graphmemix import Memory
from graphmemix.memory import View
from graphmemix.store import Derived, Entry, Filter, open_store
from graphmemix.store.postgres import PostgresStore
from tests.store.conftest import Postgres

COUNT, DIMENSION = 600, 24


def entries() -> list[Entry]:
    rows = np.random.default_rng(3).standard_normal((COUNT, DIMENSION)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    found = []
    for number, row in enumerate(rows):
        name = f"m{number:04}"
        memory = Memory(name, "note", f"word{number}", session=f"s{number % 2}")
        view = View(name, "text", 0, memory.text)
        found.append(Entry(memory, Derived((view,), (row,), "test/24")))
    return found


def test_hnsw_finds_nearly_what_the_exact_search_finds(postgres: Postgres, tmp_path: Path) -> None:
    query = np.eye(DIMENSION, dtype=np.float32)[0]
    exact = open_store(f"{postgres.url}#hnsw", media=tmp_path)
    with exact:
        exact.add(entries())
        best = exact.search_vectors(query, "test/24", limit=20)
        odd = exact.search_vectors(query, "test/24", limit=20, filter=Filter(sessions=("s1",)))
    with PostgresStore(postgres.url, "hnsw", tmp_path, scan="hnsw") as store:
        found = store.search_vectors(query, "test/24", limit=20)
        assert len(set(best) & set(found)) >= 18  # scores too: they are exact
        filtered = store.search_vectors(query, "test/24", limit=20, filter=Filter(sessions=("s1",)))
        assert len(set(odd) & set(filtered)) >= 18
        assert store.search_vectors(query, "test/24", limit=5, kinds=["image"]) == []
        with store.db.read() as session:
            made = session.run("SELECT 1 FROM pg_class WHERE relname = 'halves_hnsw_24'")
        assert len(made) == 1
