"""Bytes of erased memories go without a rewrite of the database."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphmemix.memory import Memory
from graphmemix.store import Entry, open_store
from graphmemix.store.sqlite import database as sqlite_database
from graphmemix.store.sqlite.database import SqliteDatabase
from graphmemix.store.sqlite.schema import MIGRATIONS, PAGE_BYTES
from graphmemix.store.sqlite.store import SqliteStore
from graphmemix.store.sqlite.sweep import pages_in_log, unused, wipe


def note(number: int, words: int) -> Memory:
    return Memory(f"m{number:04}", "note", " ".join([f"needle{number:04}"] * words))


def statements(store: SqliteStore) -> list[str]:
    """Return a list that will hold what the writer runs from now on."""
    seen: list[str] = []
    writer = store._file._writer
    assert writer is not None
    writer.set_trace_callback(seen.append)
    return seen


def traces(folder: Path, needle: str) -> list[str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return [path.name for path in files if needle.encode() in path.read_bytes()]


def opened(folder: Path) -> SqliteStore:
    store = open_store(folder)
    assert isinstance(store, SqliteStore)
    return store


sizes = st.lists(st.integers(1, 900), min_size=1, max_size=30)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(batches=st.lists(sizes, min_size=1, max_size=4), data=st.data())
def test_no_byte_is_left_whatever_was_moved_before(
    batches: list[list[int]], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("sweep") / "archive"
    known: list[str] = []
    with opened(folder) as store:
        store.add([Entry(Memory(f"stays{i}", "note", "kept " * 500)) for i in range(40)])
        for batch in batches:
            numbered = list(enumerate(batch, start=len(known)))
            store.add([Entry(note(number, words)) for number, words in numbered])
            known += [f"m{number:04}" for number, _ in numbered]
            updated = data.draw(st.sampled_from(known))
            if store.get_many([updated]):
                store.update(Memory(updated, "note", f"needle{updated[1:]} another text"))
            gone = data.draw(st.lists(st.sampled_from(known), min_size=1, max_size=3, unique=True))
            assert store.erase(gone).purged
            for each in gone:
                assert traces(folder, f"needle{each[1:]}") == []
        assert store.check() == []
        assert store.count() >= 40


def test_one_of_many_is_erased_without_a_rewrite(tmp_path: Path) -> None:
    folder = tmp_path / "archive"
    with opened(folder) as store:
        for first in range(0, 200, 50):
            store.add([Entry(note(number, 40)) for number in range(first, first + 50)])
        run = statements(store)
        assert store.erase(["m0077"]).purged
        assert "VACUUM" not in run
        assert traces(folder, "needle0077") == []
        assert traces(folder, "needle0078")


def test_room_is_given_back_once_a_quarter_is_free(tmp_path: Path) -> None:
    folder = tmp_path / "archive"
    with opened(folder) as store:
        store.add([Entry(note(number, 400)) for number in range(100)])
        run, before = statements(store), store._file.size()
        assert store.erase([f"m{number:04}" for number in range(60)]).purged
        assert "VACUUM" in run
        assert store._file.size() < 0.7 * before


def test_an_archive_of_an_earlier_version_is_rewritten_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "archive"
    with monkeypatch.context() as old:
        old.setattr(sqlite_database, "MIGRATIONS", MIGRATIONS[:5])
        with open_store(folder) as store:
            store.add([Entry(note(number, 40)) for number in range(100)])
    with opened(folder) as store:
        for erased, rewritten in (("m0001", True), ("m0002", False)):
            run = statements(store)
            assert store.erase([erased]).purged
            assert ("VACUUM" in run) == rewritten
            assert traces(folder, f"needle{erased[1:]}") == []


def test_a_process_that_ended_while_it_swept_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed between writing the log back and wiping: then only a rewrite is certain."""

    def killed(*_: object) -> int:
        raise KeyboardInterrupt

    folder = tmp_path / "archive"
    with opened(folder) as store:
        store.add([Entry(note(number, 40)) for number in range(100)])
        with monkeypatch.context() as ending:
            ending.setattr(sqlite_database, "wipe", killed)
            with pytest.raises(KeyboardInterrupt):
                store._file.empty_log()
    assert (folder / "sweeping").exists()
    with opened(folder) as store:
        run = statements(store)
        assert store.erase(["m0001"]).purged
        assert "VACUUM" in run
        assert not (folder / "sweeping").exists()
        run = statements(store)
        assert store.erase(["m0002"]).purged
        assert "VACUUM" not in run


def test_the_log_does_not_grow_without_end(tmp_path: Path) -> None:
    with opened(tmp_path / "archive") as store:
        for first in range(0, 1000, 100):
            store.add([Entry(note(number, 400)) for number in range(first, first + 100)])
        log = tmp_path / "archive" / "archive.db-wal"
        assert log.stat().st_size < 3 * sqlite_database._LOG_BYTES


# Pages


def test_a_log_that_was_long_once_is_not_written_back_after_every_change(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.add([Entry(note(number, 2000)) for number in range(600)])  # longer than the limit
        store.add([Entry(note(1000, 1))])
        seen = statements(store)
        for number in range(1001, 1011):
            store.add([Entry(note(number, 1))])
        assert not [statement for statement in seen if "wal_checkpoint" in statement]


def test_the_middle_of_a_page_is_what_its_head_says() -> None:
    leaf = bytearray(PAGE_BYTES)
    leaf[0], leaf[3:5], leaf[5:7] = 13, (2).to_bytes(2, "big"), (8000).to_bytes(2, "big")
    assert unused(bytes(leaf)) == (8 + 4, 8000)
    inner = bytes([5]) + bytes(leaf[1:])
    assert unused(inner) == (12 + 4, 8000)
    assert unused(bytes(100) + bytes(leaf[:-100]), is_first=True) == (108 + 4, 8000)


@pytest.mark.parametrize(
    "page", [b"", bytes(PAGE_BYTES), bytes([13]) + b"\xff" * (PAGE_BYTES - 1), b"\x0d"]
)
def test_what_is_no_page_with_cells_is_left_alone(page: bytes) -> None:
    first, last = unused(page)
    assert first == last


def test_only_the_middle_is_wiped_and_the_rows_stay(tmp_path: Path) -> None:
    file = tmp_path / "some.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        connection.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", [(i, "x" * 200) for i in range(500)])
        connection.execute("CREATE INDEX i ON t (b, a)")
        connection.execute("DELETE FROM t WHERE a % 3")
        connection.commit()
        rows = connection.execute("SELECT * FROM t").fetchall()
        [(count,)] = connection.execute("PRAGMA page_count").fetchall()
    data = bytearray(file.read_bytes())
    for number in range(1, count + 1):  # something in every middle
        start = (number - 1) * PAGE_BYTES
        first, last = unused(bytes(data[start : start + PAGE_BYTES]), is_first=number == 1)
        data[start + first : start + last] = b"s" * (last - first)
    file.write_bytes(data)
    assert wipe(file, range(1, count + 1), PAGE_BYTES) > 0
    assert b"ss" not in file.read_bytes()
    assert wipe(file, range(1, count + 1), PAGE_BYTES) == 0
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("SELECT * FROM t").fetchall() == rows
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_the_log_names_the_pages_that_were_written(tmp_path: Path) -> None:
    file = tmp_path / "archive.db"
    database = SqliteDatabase(file, writable=True)
    log = file.with_name("archive.db-wal")
    assert pages_in_log(tmp_path / "nothing", PAGE_BYTES) == set()
    database.empty_log()
    assert pages_in_log(log, PAGE_BYTES) == set()
    with database.write() as session:
        session.run("INSERT INTO receipts VALUES (1, 7, 'body')")
    assert 1 <= len(pages_in_log(log, PAGE_BYTES)) <= 3
    database.close()


@pytest.mark.parametrize("count", [0, 1, 255, 256, 257, 600])
@pytest.mark.parametrize("stale", [0, 3, 300])
def test_pages_are_those_of_the_frames_with_the_salt_of_the_log(
    tmp_path: Path, count: int, stale: int
) -> None:
    page_bytes, salt = 512, b"saltsalt"
    head = bytes(16) + salt + bytes(8)
    frames = [
        number.to_bytes(4, "big") + bytes(4) + salt + bytes(8) for number in range(7, 7 + count)
    ]
    frames += [
        (10_000 + i).to_bytes(4, "big") + bytes(4) + b"othersal" + bytes(8) for i in range(stale)
    ]
    log = tmp_path / "log"
    log.write_bytes(head + b"".join(frame + bytes(page_bytes) for frame in frames))
    assert pages_in_log(log, page_bytes) == set(range(7, 7 + count))
    with log.open("ab") as file:
        file.write(bytes(100))  # a frame that was not written to its end
    assert pages_in_log(log, page_bytes) == set(range(7, 7 + count))
