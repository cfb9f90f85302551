"""Care: rebuild, re-encode, back up, check and count, in both stores."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
import pytest

from graphmemix.errors import (
    EncoderMismatchError,
    GraphMemixError,
    InvalidDataError,
    InvalidInputError,
    StoreError,
)
from graphmemix.evidence import Edge
from graphmemix.memory import Media, Memory, View
from graphmemix.store import Derived, Entry, Finding, Stats, Store, import_archive, open_store
from graphmemix.store.sidecar import Sidecar
from tests.store.conftest import (
    ENCODER,
    NOON,
    Archives,
    Floats,
    Pair,
    axis,
    derived,
    entry,
    everything,
    fill,
    found,
    found_words,
    note,
    unit_vectors,
)

OTHER = "other/5"


def other_vector(view: View) -> Floats:
    """What another encoder makes of a view."""
    seed = sum(view.memory_id.encode()) + view.ordinal
    [row] = unit_vectors(1, dimension=5, seed=seed)
    vector: Floats = row
    return vector


def other_encode(views: Sequence[View]) -> list[Floats]:
    return [other_vector(view) for view in views]


def crowd(store: Store, count: int) -> None:
    rows = unit_vectors(count)
    store.add(entry(f"m{n:04}", f"word {n}", [rows[n]]) for n in range(count))


# Rebuild


def shouted(memories: Sequence[Memory]) -> Iterable[Derived]:
    """Derive other views than before."""
    for memory in memories:
        yield derived(memory.id, [memory.text.upper(), "shouted"], [axis(3), None])


def test_rebuild_makes_views_and_vectors_anew(store: Store) -> None:
    fill(store)
    edges = store.edges(["chat-1", "mail-1"])
    store.rebuild(shouted)
    views = store.views(memory.id for memory in store.find())
    assert [view.text for view in views["note-2"]] == ["NOTHING WAS DERIVED FROM THIS", "shouted"]
    assert len(found_words(store, "shouted")) == 5
    assert [hit.score for hit in store.search_vectors(axis(3), ENCODER)] == [1.0] * 5
    assert store.without_vectors() == []
    assert store.edges(["chat-1", "mail-1"]) == edges
    assert store.check() == []


def test_rebuild_tells_its_progress_over_many_batches(store: Store) -> None:
    crowd(store, 600)
    asked: list[str] = []
    seen: list[tuple[int, int]] = []

    def derive(memories: Sequence[Memory]) -> Iterable[Derived]:
        asked.extend(memory.id for memory in memories)
        return shouted(memories)

    store.rebuild(derive, progress=lambda done, total: seen.append((done, total)))
    assert asked == [f"m{n:04}" for n in range(600)]
    assert seen == sorted(seen)
    assert seen[-1] == (600, 600)
    assert len(found_words(store, "shouted", limit=1000)) == 600


def test_rebuild_without_derive_keeps_views_and_mends_the_rest(make_store: Archives) -> None:
    with make_store() as store:
        fill(store)
        store.search_text("canal")
        before = everything(store)
    make_store.run("UPDATE views SET length = 1, terms = :nothing", nothing=b"")
    with make_store() as store:
        store.rebuild()
        assert everything(store) == before
        assert found_words(store, "canal") == ["chat-1"]
        assert store.check() == []


def test_a_reader_sees_rebuilt_postings(make_store: Archives) -> None:
    with make_store() as store:
        fill(store)
    make_store.run(
        "UPDATE views SET length = 0, terms = :nothing WHERE archive = :archive", nothing=b""
    )
    writer, reader = make_store(), make_store(mode="read")
    found_words(reader, "canal")
    writer.rebuild()
    assert found_words(reader, "canal") == found_words(writer, "canal") == ["chat-1"]


def test_rebuild_survives_deleted_caches(make_sqlite: Archives) -> None:
    with make_sqlite() as store:
        fill(store)
        hits = store.search_vectors(axis(0), ENCODER), store.search_text("words")
    for path in (make_sqlite.folder / "archive" / "cache").iterdir():
        path.unlink()
    with make_sqlite(mode="read") as store:
        assert (store.search_vectors(axis(0), ENCODER), store.search_text("words")) == hits


@pytest.mark.parametrize("count", [0, 4, 6])
def test_rebuild_refuses_another_count_than_asked(store: Store, count: int) -> None:
    fill(store)
    before = everything(store)
    with pytest.raises(GraphMemixError):
        store.rebuild(lambda memories: [Derived()] * count)
    assert everything(store) == before


def test_an_interrupted_rebuild_leaves_whole_memories(store: Store) -> None:
    crowd(store, 300)

    def derive(memories: Sequence[Memory]) -> Iterable[Derived]:
        if memories[0].id != "m0000":
            raise KeyboardInterrupt
        return shouted(memories)

    with pytest.raises(KeyboardInterrupt):
        store.rebuild(derive)
    assert store.check() == []
    assert {len(views) for views in store.views([m.id for m in store.find()]).values()} == {1, 2}


# Re-encode


def test_reencode_switches_all_vectors(store: Store) -> None:
    fill(store)
    views = store.views([memory.id for memory in store.find()])
    store.reencode(OTHER, other_encode)
    assert store.encoder() == OTHER
    vectors = store.vectors(views)
    for memory_id, mine in views.items():
        expected = [other_vector(view).tobytes() for view in mine]
        assert [None if v is None else v.tobytes() for v in vectors[memory_id]] == expected
    with pytest.raises(EncoderMismatchError):
        store.search_vectors(axis(0), ENCODER)
    assert len(store.search_vectors(axis(0, dimension=5), OTHER)) == 4
    assert store.stats().vectors == {OTHER: 6}
    assert store.check() == []


def test_the_old_vectors_serve_until_the_switch(store: Store) -> None:
    crowd(store, 600)
    before = store.search_vectors(axis(0), ENCODER)
    calls = []

    def encode(views: Sequence[View]) -> list[Floats]:
        calls.append(len(views))
        assert store.encoder() == ENCODER
        assert store.search_vectors(axis(0), ENCODER) == before
        with pytest.raises(EncoderMismatchError):
            store.search_vectors(axis(0, dimension=5), OTHER)
        return other_encode(views)

    store.reencode(OTHER, encode)
    assert len(calls) > 1
    assert sum(calls) == 600


def test_an_interrupted_reencoding_goes_on_where_it_stopped(make_store: Archives) -> None:
    encoded: list[str] = []

    def failing(views: Sequence[View]) -> list[Floats]:
        if len(encoded) >= 512:
            raise KeyboardInterrupt
        encoded.extend(view.memory_id for view in views)
        return other_encode(views)

    with make_store() as store:
        crowd(store, 700)
        with pytest.raises(KeyboardInterrupt):
            store.reencode(OTHER, failing)
        assert store.encoder() == ENCODER
        assert store.check() == []
    done = len(encoded)
    assert 0 < done < 700
    with make_store() as store:
        assert len(found(store, axis(0), limit=1000)) == 700
        rest: list[str] = []

        def encode(views: Sequence[View]) -> list[Floats]:
            rest.extend(view.memory_id for view in views)
            return other_encode(views)

        seen: list[tuple[int, int]] = []
        store.reencode(OTHER, encode, progress=lambda done, total: seen.append((done, total)))
        assert len(rest) == 700 - done
        assert sorted(encoded + rest) == [f"m{n:04}" for n in range(700)]
        assert seen[-1] == (700, 700)
        assert store.encoder() == OTHER
        assert len(store.search_vectors(axis(0, dimension=5), OTHER, limit=1000)) == 700
        assert store.stats().vectors == {OTHER: 700}


def test_an_interrupted_reencoding_can_go_elsewhere(store: Store) -> None:
    crowd(store, 300)

    def failing(views: Sequence[View]) -> list[Floats]:
        if views[0].memory_id != "m0000":
            raise KeyboardInterrupt
        return other_encode(views)

    with pytest.raises(KeyboardInterrupt):
        store.reencode(OTHER, failing)
    store.reencode("third/3", lambda views: [axis(0, dimension=3)] * len(views))
    assert store.encoder() == "third/3"
    assert store.stats().vectors == {"third/3": 300}
    assert store.check() == []


def test_what_changes_during_reencoding_is_encoded_too(store: Store) -> None:
    crowd(store, 300)
    first = True

    def encode(views: Sequence[View]) -> list[Floats]:
        nonlocal first
        if first:
            first = False
            store.add([entry("new", "came meanwhile", [axis(1)])])
            store.update(note("m0001", "changed"), derived("m0001", ["changed"], [axis(2)]))
            store.erase(["m0002"])
        return other_encode(views)

    store.reencode(OTHER, encode)
    ids = [memory.id for memory in store.find()]
    assert len(ids) == 300
    for memory_id, [vector] in store.vectors(ids).items():
        assert vector is not None
        assert vector.tobytes() == other_vector(View(memory_id, "text", 0)).tobytes()
    assert store.check() == []


def test_reencode_with_the_same_encoder_does_nothing(store: Store) -> None:
    fill(store)
    before = everything(store)

    def never(views: Sequence[View]) -> list[Floats]:
        raise AssertionError

    store.reencode(ENCODER, never)
    assert everything(store) == before


def test_reencode_keeps_what_the_new_encoder_does_not_see(store: Store) -> None:
    crowd(store, 4)
    seen = [axis(0, dimension=5), None, None, axis(1, dimension=5)]
    store.reencode(OTHER, lambda views: seen)
    assert [hit.memory_id for hit in store.search_vectors(axis(1, dimension=5), OTHER)] == [
        "m0003",
        "m0000",
    ]
    assert len(found_words(store, "word")) == 4


def test_an_archive_without_vectors_can_be_encoded(store: Store) -> None:
    store.add([entry("a", "x"), entry("b", "y")])
    store.reencode(OTHER, other_encode)
    assert store.encoder() == OTHER
    assert len(store.search_vectors(axis(0, dimension=5), OTHER)) == 2


def test_an_emptied_archive_can_change_its_encoder(store: Store) -> None:
    """The error for another encoder says to re-encode, so that must help."""
    crowd(store, 3)
    store.erase([memory.id for memory in store.find()])
    store.reencode(OTHER, other_encode)
    store.add([entry("a", "x", [axis(0, dimension=5)], encoder=OTHER)])
    assert store.encoder() == OTHER


def test_an_encoder_that_sees_nothing_serves_too(store: Store) -> None:
    crowd(store, 3)
    store.reencode(OTHER, lambda views: [None] * len(views))
    assert store.encoder() != ENCODER
    store.add([entry("a", "x", [axis(0, dimension=5)], encoder=OTHER)])
    assert [hit.memory_id for hit in store.search_vectors(axis(0, dimension=5), OTHER)] == ["a"]


BAD_VECTORS: dict[str, Callable[[int], list[Floats | None]]] = {
    "too few": lambda count: [axis(0, dimension=5)] * (count - 1),
    "too many": lambda count: [axis(0, dimension=5)] * (count + 1),
    "zero": lambda count: [np.zeros(5, np.float32)] * count,
    "nan": lambda count: [np.full(5, np.nan, np.float32)] * count,
    "other dimensions": lambda count: [
        axis(0, dimension=5),
        *[axis(0, dimension=6)] * (count - 1),
    ],
    "too large": lambda count: [axis(0, dimension=5_000)] * count,
}


@pytest.mark.parametrize("fault", BAD_VECTORS)
def test_reencode_refuses_bad_vectors(store: Store, fault: str) -> None:
    crowd(store, 3)
    before = everything(store)
    with pytest.raises(InvalidDataError):
        store.reencode(OTHER, lambda views: BAD_VECTORS[fault](len(views)))
    assert everything(store) == before
    store.reencode(OTHER, other_encode)
    assert store.encoder() == OTHER


# Back up


def restored(archives: Archives, folder: Path) -> Store:
    """Open a backup: a folder of SQLite is an archive, one of PostgreSQL is imported."""
    if archives.backend == "sqlite":
        store = open_store(folder)
        archives.opened.callback(store.close)
        return store
    store = archives("restored")
    import_archive(folder, store)
    return store


def test_a_backup_is_the_whole_archive(make_store: Archives, tmp_path: Path) -> None:
    store = make_store()
    fill(store)
    store.backup(tmp_path / "backup")
    copy = restored(make_store, tmp_path / "backup")
    assert everything(copy) == everything(store)
    assert copy.check() == []
    assert found_words(copy, "canal") == ["chat-1"]
    assert copy.search_vectors(axis(0), ENCODER) == store.search_vectors(axis(0), ENCODER)
    copy.add([entry("more", "x", [axis(0)])])
    assert store.count() == 5


def test_a_reader_can_back_up(make_store: Archives, tmp_path: Path) -> None:
    store = make_store()
    fill(store)
    make_store(mode="read").backup(tmp_path / "backup")
    assert everything(restored(make_store, tmp_path / "backup")) == everything(store)


def test_a_backup_while_writing_is_one_state(make_store: Archives, tmp_path: Path) -> None:
    store = make_store()
    stop = threading.Event()
    batches = 0

    def write() -> None:
        nonlocal batches
        while not stop.is_set():
            picture = store.media.put(b"%d" % batches)
            media = (Media("image", picture.sha256),)
            ids = [f"b{batches:04}-{n}" for n in range(5)]
            store.add(
                [entry(each, "x", [axis(n)], media=media) for n, each in enumerate(ids)],
                [Edge(ids[0], ids[4], "semantic", 0.5)],
            )
            batches += 1

    writing = threading.Thread(target=write)
    writing.start()
    try:
        while batches < 5:
            time.sleep(0.01)
        at_least = batches
        store.backup(tmp_path / "backup")
        at_most = batches + 1
    finally:
        stop.set()
        writing.join()
    copy = restored(make_store, tmp_path / "backup")
    assert copy.count() % 5 == 0
    assert at_least <= copy.count() // 5 <= at_most
    assert copy.check() == []
    assert copy.stats().edges == {"semantic": copy.count() // 5}
    assert copy.stats().media_files == copy.count() // 5


def test_a_backup_does_not_overwrite(store: Store, tmp_path: Path) -> None:
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "letter.txt").write_text("mine")
    with pytest.raises(InvalidInputError):
        store.backup(tmp_path / "used")
    with pytest.raises(GraphMemixError):
        store.backup(tmp_path / "used" / "letter.txt")
    assert [path.read_text() for path in (tmp_path / "used").iterdir()] == ["mine"]


# Check


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
    false = Sidecar.empty(f"{uuid}/1", 8)
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


# Statistics


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
