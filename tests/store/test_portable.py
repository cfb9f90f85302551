"""Exports: lossless between both stores, and refused whole when damaged."""

from __future__ import annotations

import hashlib
import json
import shutil
import stat
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from graphmemix.errors import (
    DuplicateMemoryError,
    EncoderMismatchError,
    GraphMemixError,
    InvalidDataError,
    InvalidInputError,
)
from graphmemix.evidence import Edge
from graphmemix.memory import Media
from graphmemix.store import Entry, Log, Store, export_archive, import_archive
from tests.store.conftest import Archives, Pair
from tests.store.contents import (
    NOON,
    axis,
    entry,
    everything,
    fill,
    note,
    portable_files,
    unit_vectors,
)

FILES = (
    "edges.jsonl",
    "logs.jsonl",
    "receipts.jsonl",
    "relations.jsonl",
    "vectors.f32",
    "versions.jsonl",
    "views.jsonl",
)


@pytest.fixture
def exported(make_sqlite: Archives, tmp_path: Path) -> Path:
    """A folder with a bit of everything in it."""
    with make_sqlite("origin") as store:
        fill(store)
        first, second, *_ = sorted(memory.id for memory in store.find())
        store.put_derived({}, keys={first: ["day:1"]}, neighbours={first: [(second, 0.5)]})
        export_archive(store, tmp_path / "exported")
    return tmp_path / "exported"


def rewrite(folder: Path, name: str, change: Callable[[bytes], bytes]) -> None:
    """Change a file, and the manifest so that it agrees."""
    data = change((folder / name).read_bytes())
    (folder / name).write_bytes(data)
    manifest = json.loads((folder / "manifest.json").read_bytes())
    manifest["files"][name] = hashlib.sha256(data).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest))


def declare(folder: Path, **values: object) -> None:
    """Change what the manifest says."""
    manifest = json.loads((folder / "manifest.json").read_bytes())
    (folder / "manifest.json").write_text(json.dumps({**manifest, **values}))


def is_empty(store: Store) -> bool:
    """Return whether nothing at all was imported."""
    logs = store.logs("trace") + store.logs("job")
    return store.count() == 0 and not [*store.media, *logs, *store.receipts()]


# Lossless


def test_the_layout_is_as_documented(exported: Path) -> None:
    assert {path.name for path in exported.iterdir()} == {"manifest.json", "media", *FILES}
    manifest = json.loads((exported / "manifest.json").read_bytes())
    assert manifest["format"] == 1
    assert (manifest["memories"], manifest["versions"]) == (5, 7)
    assert (manifest["encoder"], manifest["dimension"]) == ("hash/8", 8)
    for name in FILES:
        digest = hashlib.sha256((exported / name).read_bytes()).hexdigest()
        assert manifest["files"][name] == digest
    assert stat.S_IMODE(exported.stat().st_mode) == 0o700


def test_there_and_back_again_is_the_same_archive(
    make_sqlite: Archives, make_postgres: Archives, tmp_path: Path
) -> None:
    first, second = make_sqlite("first"), make_postgres("second")
    third, fourth = make_postgres("third"), make_sqlite("fourth")
    fill(first)
    stores = [first, second, third, fourth]
    for number, (source, target) in enumerate(pairwise(stores)):
        export_archive(source, tmp_path / str(number))
        assert import_archive(tmp_path / str(number), target) == 5
    export_archive(fourth, tmp_path / "3")
    for store in stores[1:]:
        assert everything(store) == everything(first)
        assert store.receipts() == first.receipts()
        for memory in first.find():
            assert store.history(memory.id) == first.history(memory.id)
            timestamp = store.get(memory.id).timestamp
            assert str(timestamp) == str(memory.timestamp)  # its zone too
        assert store.check() == []
    folders = [portable_files(tmp_path / str(number)) for number in range(4)]
    assert all(folder == folders[0] for folder in folders)


def test_both_stores_write_the_same_bytes(pair: Pair, tmp_path: Path) -> None:
    files = []
    for name, store in zip(("here", "there"), pair, strict=True):
        rows = unit_vectors(450)
        store.add(
            entry(f"m{n * 7919 % 450:03}", f"words {n}", [rows[n]], session="é'\"\\\u2028")
            for n in range(450)
        )
        store.change_edges(
            add=[Edge("m001", f"m{n:03}", "semantic", n / 450) for n in range(2, 450)]
        )
        store.put_log(Log("b", "job", NOON, "x"))
        store.put_log(Log("a", "trace", NOON, "y"))
        export_archive(store, tmp_path / name)
        files.append(portable_files(tmp_path / name))
    assert files[0] == files[1]


def test_search_finds_the_same_after_a_move(
    exported: Path, make_sqlite: Archives, make_postgres: Archives
) -> None:
    stores = make_sqlite("origin"), make_sqlite("here"), make_postgres("there")
    for store in stores[1:]:
        import_archive(exported, store)
    for query in unit_vectors(5):
        hits = [store.search_vectors(query, "hash/8") for store in stores]
        assert hits[0] == hits[1] == hits[2] != []
    words = [store.search_text("canal words 東京") for store in stores]
    assert words[0] == words[1] == words[2] != []


def test_an_empty_archive_can_be_moved(
    make_sqlite: Archives, make_store: Archives, tmp_path: Path
) -> None:
    export_archive(make_sqlite("empty"), tmp_path / "exported")
    store = make_store("target")
    assert import_archive(tmp_path / "exported", store) == 0
    assert is_empty(store)


def test_export_is_one_state_while_another_writes(make_store: Archives, tmp_path: Path) -> None:
    writer = make_store()
    writer.add(entry(f"m{n:03}", "x", [axis(0)]) for n in range(300))
    reader = make_store(mode="read")

    def progress(done: int, total: int) -> None:
        assert total == 300
        if done in {1, 200}:
            writer.add([entry(f"z{done}", "later", [axis(1)])])
            writer.update(note("m299", f"later {done}"))

    export_archive(reader, tmp_path / "exported", progress=progress)
    assert writer.count() == 302
    with make_store("target") as target:
        assert import_archive(tmp_path / "exported", target) == 300
        assert len(target.history("m299")) == 1
        assert target.without_vectors() == []


def test_progress_counts_memories(exported: Path, store: Store) -> None:
    seen: list[tuple[int, int]] = []
    import_archive(exported, store, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (5, 5)


# Into what is there already


def test_import_again_changes_nothing(exported: Path, store: Store) -> None:
    import_archive(exported, store)
    before = everything(store)
    assert import_archive(exported, store) == 0
    assert everything(store) == before


def test_import_adds_to_what_is_there(exported: Path, store: Store) -> None:
    store.add([entry("mine", "canal", [axis(0)])])
    assert import_archive(exported, store) == 5
    assert store.count() == 6
    assert store.check() == []


def test_an_interrupted_import_can_be_repeated(
    make_sqlite: Archives, make_store: Archives, tmp_path: Path
) -> None:
    origin = make_sqlite("origin")
    fill(origin)
    origin.add(entry(f"m{n:03}", "x", [axis(0)]) for n in range(500))
    export_archive(origin, tmp_path / "exported")

    def interrupt(done: int, total: int) -> None:
        assert (done, total) == (200, 505)
        raise KeyboardInterrupt

    with make_store("target") as store:
        with pytest.raises(KeyboardInterrupt):
            import_archive(tmp_path / "exported", store, progress=interrupt)
        assert store.count() == 200
    with make_store("target") as store:
        assert import_archive(tmp_path / "exported", store) == 305
        assert everything(store) == everything(origin)


def test_a_conflicting_memory_is_refused_and_kept(exported: Path, store: Store) -> None:
    store.add([Entry(note("mail-1", "something else"))])
    before = everything(store)
    with pytest.raises(DuplicateMemoryError) as caught:
        import_archive(exported, store)
    assert caught.value.memory_id == "mail-1"
    assert {**everything(store), "media": []} == before


def test_another_encoder_s_archive_is_refused(exported: Path, store: Store) -> None:
    store.add([entry("mine", "x", [axis(0, dimension=3)], encoder="other/3")])
    with pytest.raises(EncoderMismatchError):
        import_archive(exported, store)
    assert store.count() == 1


# Refused


def test_export_into_a_folder_in_use_is_refused(store: Store, tmp_path: Path) -> None:
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "letter.txt").write_text("mine")
    with pytest.raises(InvalidInputError, match="not empty"):
        export_archive(store, tmp_path / "used")
    assert [path.name for path in (tmp_path / "used").iterdir()] == ["letter.txt"]


def test_export_over_a_file_is_refused(store: Store, tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("mine")
    with pytest.raises(GraphMemixError):
        export_archive(store, tmp_path / "letter.txt")
    assert (tmp_path / "letter.txt").read_text() == "mine"


def test_export_into_an_empty_folder_is_fine(store: Store, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    export_archive(store, tmp_path / "empty")
    assert (tmp_path / "empty" / "manifest.json").is_file()


@pytest.mark.parametrize("name", [*FILES, "manifest.json"])
@pytest.mark.parametrize("damage", ["missing", "truncated", "changed", "folder"])
def test_a_damaged_file_is_refused(exported: Path, store: Store, name: str, damage: str) -> None:
    path = exported / name
    data = path.read_bytes()
    path.unlink()
    if damage == "truncated":
        path.write_bytes(data[: len(data) // 2])
    elif damage == "changed":
        path.write_bytes(bytes([data[0] ^ 1]) + data[1:])
    elif damage == "folder":
        path.mkdir()
    with pytest.raises(InvalidDataError):
        import_archive(exported, store)
    assert is_empty(store)


@pytest.mark.parametrize("number", [0, 2, 99])
def test_another_format_is_refused(exported: Path, store: Store, number: int) -> None:
    declare(exported, format=number)
    with pytest.raises(InvalidDataError, match="format"):
        import_archive(exported, store)
    assert is_empty(store)


WRONG: dict[str, dict[str, Any]] = {
    "files": {"files": {}},
    "outside": {"files": {"../../etc/passwd": "0" * 64}},
    "memories": {"memories": 4},
    "versions": {"versions": 8},
    "dimension": {"dimension": 7},
    "no dimension": {"dimension": 0},
    "negative": {"dimension": -8},
    "encoder": {"encoder": ""},
    "unknown": {"and": "more"},
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_manifest_is_refused(exported: Path, store: Store, what: str) -> None:
    declare(exported, **WRONG[what])
    with pytest.raises(InvalidDataError):
        import_archive(exported, store)
    assert is_empty(store)


def test_what_is_no_export_is_refused(store: Store, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for place in (tmp_path / "folder", tmp_path / "nowhere", Path(__file__)):
        with pytest.raises(InvalidDataError):
            import_archive(place, store)


@pytest.mark.parametrize("damage", ["missing", "truncated", "changed"])
def test_damaged_media_are_refused(exported: Path, store: Store, damage: str) -> None:
    path = max(path for path in (exported / "media").rglob("*") if path.is_file())
    data = path.read_bytes()
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(data[:-1] if damage == "truncated" else data[:-1] + b"?")
    with pytest.raises(InvalidDataError):
        import_archive(exported, store)
    assert is_empty(store)


def test_damage_at_the_end_leaves_nothing_of_the_beginning(
    make_sqlite: Archives, store: Store, tmp_path: Path
) -> None:
    with make_sqlite("origin") as origin:
        picture = origin.media.put(b"picture")
        origin.add(entry(f"m{n:03}", "x") for n in range(450))
        origin.add([Entry(note("z", media=(Media("image", picture.sha256),)))])
        export_archive(origin, tmp_path / "exported")
    shutil.rmtree(tmp_path / "exported" / "media")
    with pytest.raises(InvalidDataError):
        import_archive(tmp_path / "exported", store)
    assert is_empty(store)


def test_damaged_media_do_not_take_the_archive_s_own_with_them(
    exported: Path, store: Store
) -> None:
    mine = store.media.put(b"mine")
    store.add([Entry(note("mine", media=(Media("image", mine.sha256),)))])
    for path in (exported / "media").rglob("*"):
        if path.is_file():
            path.write_bytes(b"mine")
    with pytest.raises(InvalidDataError):
        import_archive(exported, store)
    assert store.media.read(mine.sha256) == b"mine"
    assert store.check() == []


def _swapped(data: bytes) -> bytes:
    return b"".join(reversed(data.splitlines(keepends=True)))


CHANGES: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "no JSON": ("versions.jsonl", lambda data: data + b"{\n"),
    "no memory": ("versions.jsonl", lambda data: data + b'{"number":1}\n'),
    "broken text": ("versions.jsonl", lambda data: data.replace(b"third words", b"\xff\xfe")),
    "no zone": ("versions.jsonl", lambda data: data.replace(b"+02:00", b"")),
    "a repeat": ("versions.jsonl", lambda data: data + data.splitlines(keepends=True)[0]),
    "another order": ("versions.jsonl", _swapped),
    "no current version": (
        "versions.jsonl",
        lambda data: data.replace(b'"replaced_at":null', b'"replaced_at":"2024-01-01T00:00:00Z"'),
    ),
    "a view of nobody": ("views.jsonl", lambda data: data.replace(b"note-1", b"note-9")),
    "an unknown kind": ("views.jsonl", lambda data: data.replace(b'"caption"', b'"smell"')),
    "a vector too few": ("vectors.f32", lambda data: data[:-32]),
    "half a vector": ("vectors.f32", lambda data: data[:-1]),
    "a vector too many": ("vectors.f32", lambda data: data + data[:32]),
    "no unit vectors": ("vectors.f32", lambda data: bytes(len(data))),
    "an edge to nobody": ("edges.jsonl", lambda data: data.replace(b"note-1", b"note-9")),
    "an edge of no kind": ("edges.jsonl", lambda data: data.replace(b"semantic", b"friendly")),
    "a log without time": (
        "logs.jsonl",
        lambda data: data.replace(b"+02:00", b"").replace(b"Z", b""),
    ),
    "no log": ("logs.jsonl", lambda data: b"[]\n" + data),
    "no receipt": ("receipts.jsonl", lambda data: b"{}\n" + data),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_false_export_is_refused(exported: Path, store: Store, what: str) -> None:
    """Hashes that agree do not make the content true."""
    name, change = CHANGES[what]
    before = (exported / name).read_bytes()
    rewrite(exported, name, change)
    assert (exported / name).read_bytes() != before
    with pytest.raises(InvalidDataError):
        import_archive(exported, store)
    assert is_empty(store)
