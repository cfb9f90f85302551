"""Lost, damaged and foreign files: caches heal, and damage of what is true is told."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from graphmemix.errors import ArchiveDamagedError
from graphmemix.memory import Media
from graphmemix.store import Store, open_store
from tests.store import processes
from tests.store.processes import (
    COUNT,
    DIMENSION,
    ENCODER,
    entry,
    fill,
    look,
    search,
    unit_vector,
)

PAGE = 8192


# Caches


@pytest.mark.parametrize("mode", ["read", "write"])
def test_cache_deleted_before_opening(mode: str, archive: Path, seen: list[object]) -> None:
    shutil.rmtree(archive / "cache")
    with open_store(archive, mode="read" if mode == "read" else "write") as store:
        assert look(store) == seen


def test_cache_deleted_while_open(archive: Path, seen: list[object]) -> None:
    with open_store(archive) as store, open_store(archive, mode="read") as reader:
        assert search(store) == search(reader) == seen[-1]
        shutil.rmtree(archive / "cache")
        assert search(store) == search(reader) == seen[-1]
        store.add([entry(1000)])
        [hit] = reader.search_vectors(unit_vector(1000), ENCODER, limit=1)
        assert hit.memory_id == "memory-01000"
        assert store.erase(["memory-01000"]).memories == 1
        assert search(store) == search(reader) == seen[-1]
        shutil.rmtree(archive / "cache")
    with open_store(archive) as store:
        assert search(store) == seen[-1]


def caches(folder: Path) -> list[Path]:
    return sorted(path for path in (folder / "cache").iterdir() if path.is_file())


def halve(data: bytes) -> bytes:
    return data[: len(data) // 2]


def empty(_: bytes) -> bytes:
    return b""


def overwrite(data: bytes) -> bytes:
    return b"\xa5" * len(data)


def shift(data: bytes) -> bytes:
    return data[1:] + data[:1]


def flip(where: float) -> Callable[[bytes], bytes]:
    def flipped(data: bytes) -> bytes:
        at = int(where * (len(data) - 1))
        return data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1 :]

    return flipped


DAMAGES = [halve, empty, overwrite, shift, *(flip(where) for where in (0, 0.5, 1))]


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_cache_changes_no_result(
    damage: Callable[[bytes], bytes], example: Path, tmp_path: Path, seen: list[object]
) -> None:
    names = [path.name for path in caches(example)]
    assert any(name.startswith("sidecar") for name in names)
    assert any(name.startswith("lexical") for name in names)
    for name in names:
        folder = Path(shutil.copytree(example, tmp_path / name))
        file = folder / "cache" / name
        file.write_bytes(damage(file.read_bytes()))
        with open_store(folder, mode="read") as store:
            assert search(store) == seen[-1], name
        with open_store(folder) as store:
            assert search(store) == seen[-1], name
            store.add([entry(1000)])
            [hit] = store.search_vectors(unit_vector(1000), ENCODER, limit=1)
            assert hit.memory_id == "memory-01000"
        with open_store(folder) as store:
            assert [each.problem for each in store.check()] == ["media_orphan"], name


def test_a_first_save_that_was_interrupted_is_no_damage(archive: Path, seen: list[object]) -> None:
    """The files are written, and the manifest that makes them valid is not."""
    (archive / "cache" / "sidecar.manifest").unlink()
    with open_store(archive, mode="read") as store:
        assert [each.problem for each in store.check()] == ["media_orphan"]
        assert search(store) == seen[-1]


def test_cache_of_another_archive_is_not_believed(
    archive: Path, tmp_path: Path, seen: list[object]
) -> None:
    with open_store(tmp_path / "other") as other:
        fill(other, range(500, 500 + COUNT))
        search(other)
    shutil.rmtree(archive / "cache")
    shutil.copytree(tmp_path / "other" / "cache", archive / "cache")
    with open_store(archive) as store:
        assert search(store) == seen[-1]


def test_older_cache_catches_up(archive: Path, tmp_path: Path) -> None:
    """As when only the database was restored from a backup, or the cache could not be saved."""
    shutil.copytree(archive / "cache", tmp_path / "cache")
    with open_store(archive) as store:
        store.add([entry(1000)])
        store.update(entry(8).memory, entry(8).derived)
        store.erase(["memory-00003"])
        expected = search(store)
    shutil.rmtree(archive / "cache")
    shutil.copytree(tmp_path / "cache", archive / "cache")
    with open_store(archive, mode="read") as store:
        assert search(store) == expected


def test_database_from_before_its_cache_is_searched_as_it_is(
    archive: Path, tmp_path: Path, seen: list[object]
) -> None:
    """As when ``archive.db`` alone was put back from a backup: the cache tells of a later time."""
    shutil.copy(archive / "archive.db", tmp_path / "archive.db")
    with open_store(archive) as store:
        fill(store, range(1000, 1010))
        store.update(entry(8).memory, entry(8).derived)
        store.erase(["memory-00003"])
        search(store)
    shutil.copy(tmp_path / "archive.db", archive / "archive.db")
    with open_store(archive) as store:
        assert search(store) == seen[-1]
        fill(store, range(2000, 2020))
        for number in range(2000, 2020):
            [hit] = store.search_vectors(unit_vector(number), ENCODER, limit=1)
            assert hit.memory_id == f"memory-{number:05}"
            assert store.search_text(processes.word(number))[0].memory_id == hit.memory_id


# Files


def test_what_an_interrupted_put_left_is_gone_with_the_next_writer(archive: Path) -> None:
    """It may be part of something that was erased since; no other process may be putting now."""
    left = archive / "media" / "incoming" / "tmpleft"
    left.write_bytes(b"half a fi")
    with open_store(archive):
        assert not left.exists()


def test_missing_and_changed_files_are_found(archive: Path) -> None:
    with open_store(archive) as store:
        stored = [store.media.put(data) for data in (b"one", b"two")]
        media = [Media("image", each.sha256) for each in stored]
        store.add([entry(1000, media=media)])
        store.media.path(stored[0].sha256).unlink()
        store.media.path(stored[1].sha256).write_bytes(b"tow")
        found = {(each.problem, each.item) for each in store.check()}
        assert ("media_missing", stored[0].sha256) in found
        assert ("media_changed", stored[1].sha256) in found
        with pytest.raises(ArchiveDamagedError):
            store.media.read(stored[0].sha256)


# A damaged database


READS: dict[str, Callable[[Store], object]] = {
    "find": lambda store: store.find(),
    "count": lambda store: store.count(),
    "get": lambda store: [store.get(each) for each in sorted(processes.ids(range(COUNT)))],
    "history": lambda store: store.history("memory-00008"),
    "views": lambda store: store.views(processes.ids(range(COUNT))),
    "vectors": lambda store: store.vectors(processes.ids(range(COUNT))),
    "edges": lambda store: store.edges(processes.ids(range(COUNT))),
    "search_vectors": lambda store: store.search_vectors(unit_vector(3), ENCODER),
    "search_text": lambda store: store.search_text("common words"),
    "log": lambda store: store.log("log"),
    "stats": lambda store: store.stats(),
    "receipts": lambda store: store.receipts(),
    "export": lambda store: list(store.every_version()),
}


def read_in_every_way(folder: Path) -> bool:
    """Return whether damage was told; raise if it was told by any other error."""
    told = False
    for name, read in READS.items():
        try:
            with open_store(folder, mode="read") as store:
                read(store)
        except ArchiveDamagedError:
            told = True
        except Exception as error:
            raise AssertionError(f"{name} raised {error!r}") from error
    try:
        with open_store(folder, mode="read") as store:
            found = [each for each in store.check() if each.problem != "media_orphan"]
    except ArchiveDamagedError:
        found = []
        told = True
    return told or bool(found)


def put_bytes(folder: Path, start: int, data: bytes) -> None:
    with (folder / "archive.db").open("r+b") as file:
        file.seek(start)
        file.write(data)


@pytest.mark.parametrize("share", range(4))
def test_damaged_page_is_told_as_damage(share: int, archive: Path, tmp_path: Path) -> None:
    """Page after page is overwritten, and put back after a look."""
    shutil.rmtree(archive / "cache")  # so that everything is read from the database
    whole = (archive / "archive.db").read_bytes()
    for start in range(share * PAGE, len(whole), 4 * PAGE):
        put_bytes(archive, start, b"\xa5" * PAGE)
        assert read_in_every_way(archive), f"page {start // PAGE}: nobody noticed"
        put_bytes(archive, start, whole[start : start + PAGE])
    assert not read_in_every_way(archive)


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        pytest.param("memories", "body", '{"id": "memory-00003", "ki', id="half a record"),
        pytest.param("memories", "body", b"\xff\xfe\x00", id="record is no text"),
        pytest.param("memories", "kind", b"\xff\xfe", id="kind is no text"),
        pytest.param("versions", "body", "{}", id="empty record"),
        pytest.param("views", "kind", 99, id="no such kind of view"),
        pytest.param("views", "text", b"\xff\xfe\x00", id="text is no text"),
        pytest.param("views", "terms", b"\x01\x02\x03", id="no terms"),
        pytest.param("vectors", "vector", b"\x01\x02\x03\x04", id="short vector"),
        pytest.param("vectors", "vector", b"\x00\x00\xc0\x7f" * DIMENSION, id="NaN"),
        pytest.param("vectors", "kind", 99, id="no such kind of vector"),
    ],
)
def test_damaged_value_is_told_as_damage(
    table: str, column: str, value: object, archive: Path
) -> None:
    """What SQLite itself cannot notice: rows are whole, and what they hold is not."""
    shutil.rmtree(archive / "cache")
    connection = sqlite3.connect(archive / "archive.db")
    cast = f"CAST(? AS {'TEXT' if column in {'body', 'text', 'kind'} else 'BLOB'})"
    place = cast if isinstance(value, bytes) else "?"
    where = "version = 1" if table == "versions" else "mid = 4"
    with connection:
        assert connection.execute(f"UPDATE {table} SET {column} = {place} WHERE {where}", [value])
    connection.close()
    assert read_in_every_way(archive), "nobody noticed"


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 0.9])
def test_truncated_database_is_told_as_damage(share: float, archive: Path) -> None:
    file = archive / "archive.db"
    data = file.read_bytes()
    file.write_bytes(data[: max(100, int(share * len(data)))])
    with pytest.raises(ArchiveDamagedError), open_store(archive, mode="read") as store:
        look(store)
    with pytest.raises(ArchiveDamagedError), open_store(archive) as store:
        look(store)


def test_a_file_that_is_no_database_is_told_as_damage(archive: Path) -> None:
    (archive / "archive.db").write_bytes(b"Dear diary, " * 1000)
    for mode in ("read", "write"):
        with pytest.raises(ArchiveDamagedError):
            open_store(archive, mode="read" if mode == "read" else "write")
    assert (archive / "archive.db").read_bytes() == b"Dear diary, " * 1000


def test_damaged_log_loses_only_what_is_behind_the_damage(tmp_path: Path) -> None:
    """SQLite ends the log at the first broken frame: that is a whole transaction's end."""
    folder = tmp_path / "archive"
    processes.fill_and_die(folder, range(30))
    log = folder / "archive.db-wal"
    data = log.read_bytes()
    log.write_bytes(data[: len(data) * 3 // 4])
    with open_store(folder) as store:
        there = {memory.id for memory in store.find()}
        assert there in [processes.ids(range(count)) for count in (0, 10, 20, 30)]
        assert store.check() == []
