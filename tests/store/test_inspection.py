from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from graphmemix.errors import GraphMemixError, StoreError
from graphmemix.memory import Media
from graphmemix.store import Entry, Finding, Stats, Store
from graphmemix.store.sidecar import Sidecar
from tests.store.conftest import Archives, Pair
from tests.store.contents import ENCODER, NOON, axis, crowd, fill, found, found_words, note


def damaged(archives: Archives, sql: str, **parameters: object) -> Store:
    """Fill an archive, change it past the store, and open it again."""
    with archives() as store:
        fill(store)
        assert store.check() == []
    archives.run(sql, **parameters)
    return archives()


def problems(findings: list[Finding]) -> set[str]:
    return {finding.problem for finding in findings}


def test_a_new_archive_has_no_damage(store: Store) -> None:
    assert store.check() == []
    assert store.check(repair=True) == []


def test_check_finds_missing_media(make_store: Archives) -> None:
    store = make_store()
    fill(store)
    stored = next(iter(store.media))
    store.media.path(stored.sha256).unlink()
    assert store.check() == [Finding("media_missing", stored.sha256)]
    assert store.check(repair=True) == [Finding("media_missing", stored.sha256)]


def test_check_finds_changed_media(make_store: Archives) -> None:
    store = make_store()
    fill(store)
    stored = next(iter(store.media))
    store.media.path(stored.sha256).write_bytes(b"other")
    assert store.check() == [Finding("media_changed", stored.sha256)]


def test_check_finds_orphaned_media_and_removes_them(store: Store) -> None:
    fill(store)
    orphan = store.media.put(b"nobody's")
    assert store.check() == [Finding("media_orphan", orphan.sha256)]
    assert orphan.sha256 in store.media
    assert store.check(repair=True) == [Finding("media_orphan", orphan.sha256, repaired=True)]
    assert orphan.sha256 not in store.media
    assert store.check() == []


ONE_VECTOR = "vid = (SELECT MIN(vid) FROM vectors WHERE archive = :archive)"


@pytest.mark.parametrize(
    ("problem", "blob"),
    [
        ("dimension", axis(0, dimension=7).tobytes()),
        ("dimension", b""),
        ("dimension", axis(0).tobytes()[:-1]),
        ("vector", (2 * axis(0)).tobytes()),
        ("vector", bytes(32)),
        ("vector", np.full(8, np.nan, np.float32).tobytes()),
    ],
    ids=["shorter", "none", "broken", "long", "zero", "nan"],
)
def test_check_finds_wrong_vectors(make_store: Archives, problem: str, blob: bytes) -> None:
    sql = f"UPDATE vectors SET vector = :blob WHERE archive = :archive AND {ONE_VECTOR}"
    store = damaged(make_store, sql, blob=blob)
    assert problem in problems(store.check())


@pytest.mark.parametrize(
    "blob", [axis(0, dimension=7).tobytes(), axis(0).tobytes()[:-1]], ids=["shorter", "broken"]
)
def test_a_wrong_vector_does_not_break_search_untyped(make_store: Archives, blob: bytes) -> None:
    sql = f"UPDATE vectors SET vector = :blob WHERE archive = :archive AND {ONE_VECTOR}"
    store = damaged(make_store, sql, blob=blob)
    if make_store.backend == "sqlite":  # or the float16 copy of the good vector would be used
        Sidecar.discard(make_store.folder / "archive" / "cache")
    with pytest.raises(StoreError):
        store.search_vectors(axis(0), ENCODER)


@pytest.mark.parametrize(
    "blob", [b"", b"\x00" * 12, b"\x01", b"\xff" * 24], ids=["none", "zero", "short", "other"]
)
def test_check_finds_wrong_postings_and_mends_them(make_store: Archives, blob: bytes) -> None:
    sql = "UPDATE views SET terms = :blob WHERE archive = :archive AND text LIKE :text"
    store = damaged(make_store, sql, blob=blob, text="%canal%")
    assert problems(store.check()) == {"postings"}
    mended = store.check(repair=True)
    assert problems(mended) == {"postings"}
    assert all(finding.repaired for finding in mended)
    assert store.check() == []
    assert found_words(store, "canal") == ["chat-1"]


DANGLING = {
    "edges": "UPDATE edges SET target = 999 WHERE archive = :archive AND source = 3",
    "versions": "UPDATE versions SET mid = 999 WHERE archive = :archive",
    "vectors": "UPDATE vectors SET mid = 999 WHERE archive = :archive",
    "views": "UPDATE views SET mid = mid + 999 WHERE archive = :archive",
    "media": "UPDATE media SET mid = mid + 999 WHERE archive = :archive",
    "memories": "DELETE FROM memories WHERE archive = :archive AND id = 'note-1'",
}


@pytest.mark.parametrize("table", DANGLING)
def test_check_finds_dangling_references(make_store: Archives, table: str) -> None:
    store = damaged(make_store, DANGLING[table])
    assert "reference" in problems(store.check())


@pytest.mark.parametrize("body", ["", "{}", "null", '{"id":"chat-1","kind":"smell"}'])
def test_check_finds_broken_records(make_store: Archives, body: str) -> None:
    sql = "UPDATE memories SET body = :body WHERE archive = :archive AND id = 'chat-1'"
    store = damaged(make_store, sql, body=body)
    assert "database" in problems(store.check())
    with pytest.raises(GraphMemixError):
        store.get("chat-1")
    assert store.get("note-2").id == "note-2"


def test_check_finds_broken_history(make_store: Archives) -> None:
    store = damaged(make_store, "UPDATE versions SET body = '{}' WHERE archive = :archive")
    assert problems(store.check()) == {"database"}


def test_check_finds_damaged_pages(make_sqlite: Archives) -> None:
    with make_sqlite() as store:
        crowd(store, 500)
    file = make_sqlite.folder / "archive" / "archive.db"
    data = bytearray(file.read_bytes())
    for page in range(len(data) // 8192 // 2, len(data) // 8192):
        data[page * 8192 : page * 8192 + 64] = b"\xa5" * 64
    file.write_bytes(data)
    store = make_sqlite(mode="read")
    try:
        found_problems = problems(store.check())
    except StoreError:
        return  # so damaged that not even the check can read it
    assert "database" in found_problems


def sidecar_of(archives: Archives) -> tuple[Path, list[Path]]:
    """Fill an archive with its float16 copy on disk; return the cache folder and the rows."""
    with archives() as store:
        fill(store)
        store.search_vectors(axis(0), ENCODER)
    cache = archives.folder / "archive" / "cache"
    return cache, sorted(cache.glob("sidecar-*.vectors"))


@pytest.mark.parametrize("damage", ["flipped", "truncated", "emptied"])
def test_check_finds_a_damaged_sidecar(make_sqlite: Archives, damage: str) -> None:
    _, [file] = sidecar_of(make_sqlite)
    data = file.read_bytes()
    changed = {
        "flipped": bytes([data[0] ^ 255]) + data[1:],
        "truncated": data[:-3],
        "emptied": b"",
    }
    file.write_bytes(changed[damage])
    with make_sqlite() as store:
        assert problems(store.check()) == {"sidecar"}
        assert [f.repaired for f in store.check(repair=True)] == [True]
        assert store.check() == []
        assert len(found(store, axis(0))) == 4


def test_a_damaged_sidecar_is_not_trusted(make_sqlite: Archives) -> None:
    _, [file] = sidecar_of(make_sqlite)
    with make_sqlite() as store:
        before = store.search_vectors(axis(0), ENCODER, limit=2)
    for change in (b"", b"\xff" * file.stat().st_size, b"x"):
        for path in file.parent.glob("sidecar-*.vectors"):
            path.write_bytes(change)
        with make_sqlite(mode="read") as store:
            assert store.search_vectors(axis(0), ENCODER, limit=2) == before
        with make_sqlite() as store:
            assert store.search_vectors(axis(0), ENCODER, limit=2) == before


@pytest.mark.parametrize("fault", ["wrong", "missing"])
def test_check_compares_the_sidecar_with_the_database(make_sqlite: Archives, fault: str) -> None:
    """A float16 copy that is whole, but of something else."""
    cache, _ = sidecar_of(make_sqlite)
    rows = make_sqlite.run("SELECT vid, mid, kind, vector FROM vectors ORDER BY vid")
    [(change, uuid)] = make_sqlite.run("SELECT change, uuid FROM archives")
    vids, mids, kinds, blobs = zip(*rows, strict=True)
    matrix = np.frombuffer(b"".join(blobs), np.float32).reshape(len(rows), 8).copy()
    keep = slice(None)
    if fault == "wrong":
        matrix[0] = -matrix[0]
    else:
        keep = slice(1, None)
    false = Sidecar.empty(f"{uuid}/1/{ENCODER}", 8)
    false.append(
        np.array(vids, np.int64)[keep],
        np.array(mids, np.int64)[keep],
        np.array(kinds, np.uint8)[keep],
        matrix[keep],
    )
    false.change = change
    Sidecar.discard(cache)
    false.save(cache)
    with make_sqlite() as store:
        assert problems(store.check()) == {"sidecar"}
        assert problems(store.check(repair=True)) == {"sidecar"}
        assert store.check() == []
        assert len(found(store, axis(0))) == 4


def test_a_reader_checks_but_does_not_repair(make_store: Archives) -> None:
    with make_store() as store:
        fill(store)
        orphan = store.media.put(b"nobody's")
    with make_store(mode="read") as store:
        assert problems(store.check()) == {"media_orphan"}
        with pytest.raises(StoreError):
            store.check(repair=True)
        assert orphan.sha256 in store.media


def test_stats_count_everything(pair: Pair) -> None:
    fill(pair.sqlite)
    fill(pair.postgres)
    for store in pair:
        stats = store.stats()
        assert stats.database_bytes > 0
        assert stats == Stats(
            memories=5,
            versions=7,
            kinds={"message": 1, "photo": 1, "email": 1, "note": 2},
            sources={"": 2, "whatsapp": 1, "camera": 1, "mail": 1},
            views={"text": 3, "context": 1, "caption": 1, "image": 1},
            vectors={ENCODER: 5},
            edges={"event_bridge": 1, "semantic": 1, "same_document": 1},
            media_files=3,
            media_bytes=15,
            database_bytes=stats.database_bytes,
            first=NOON,
            last=stats.last,
        )
        assert stats.last is not None
        assert stats.last > NOON


def test_stats_of_nothing(store: Store) -> None:
    stats = store.stats()
    empty = Stats(0, 0, {}, {}, {}, {}, {}, 0, 0, stats.database_bytes)
    assert stats == empty


def test_stats_leave_out_media_that_nobody_uses(store: Store) -> None:
    store.media.put(b"orphan")
    store.add([Entry(note("a", media=(Media("image"),)))])
    assert (store.stats().media_files, store.stats().media_bytes) == (0, 0)
