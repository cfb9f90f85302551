"""Opening archives: who may see them, one writer, versions, and where they are."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import psycopg
import pytest

from graphmemix.errors import (
    ArchiveBusyError,
    ArchiveDamagedError,
    ArchiveNotFoundError,
    ArchiveReadOnlyError,
    ArchiveVersionError,
    GraphMemixError,
    InvalidInputError,
    StoreError,
    StoreUnavailableError,
)
from graphmemix.store import Entry, SqliteStore, Store, export_archive, open_store
from graphmemix.store.location import default_media_folder
from graphmemix.store.postgres import PostgresStore
from graphmemix.store.postgres import database as postgres_database
from graphmemix.store.sqlite import database as sqlite_database
from graphmemix.store.sqlite.schema import MIGRATIONS
from tests.store.conftest import Archives, Backend, Postgres
from tests.store.contents import ENCODER, axis, entry, everything, fill, found_words, note

HOLD = """
import sys
from pathlib import Path
from graphmemix.store import open_store
with open_store(sys.argv[1], media=Path(sys.argv[2])):
    print("open", flush=True)
    sys.stdin.readline()
"""


@contextmanager
def other_writer(archives: Archives) -> Iterator[subprocess.Popen[str]]:
    """Run a process that holds the archive open for writing."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, archives.location(), str(archives.media())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        assert process.stdout.readline() == "open\n"
        try:
            yield process
        finally:
            process.kill()


def modes(folder: Path) -> dict[int, set[str]]:
    """Return the permissions of folders and files, each with who has it."""
    found: dict[int, set[str]] = {}
    for path in [folder, *folder.rglob("*")]:
        found.setdefault(stat.S_IMODE(path.stat().st_mode), set()).add(path.name)
    return found


# Private


@pytest.fixture
def no_umask() -> Iterator[None]:
    before = os.umask(0)
    try:
        yield
    finally:
        os.umask(before)


@pytest.mark.usefixtures("no_umask")
def test_an_archive_is_private_to_its_owner(make_sqlite: Archives, tmp_path: Path) -> None:
    store = make_sqlite()
    fill(store)
    store.search_vectors(axis(0), ENCODER)
    store.search_text("canal")
    folder = tmp_path / "sqlite" / "archive"
    assert (folder / "archive.db-wal").is_file()
    assert set(modes(folder)) == {0o700, 0o600}
    store.close()
    assert set(modes(folder)) == {0o700, 0o600}
    assert any(path.name.startswith("sidecar") for path in (folder / "cache").iterdir())


@pytest.mark.usefixtures("no_umask")
def test_media_of_a_server_are_private_too(make_postgres: Archives) -> None:
    fill(make_postgres())
    assert set(modes(make_postgres.media())) == {0o700, 0o600}


@pytest.mark.usefixtures("no_umask")
def test_copies_are_private_too(make_sqlite: Archives, tmp_path: Path) -> None:
    store = make_sqlite()
    fill(store)
    store.backup(tmp_path / "backup")
    assert set(modes(tmp_path / "backup")) == {0o700, 0o600}
    export_archive(store, tmp_path / "exported")
    assert stat.S_IMODE((tmp_path / "exported").stat().st_mode) == 0o700


def test_an_open_folder_is_closed_to_others(make_sqlite: Archives, tmp_path: Path) -> None:
    make_sqlite().close()
    folder = tmp_path / "sqlite" / "archive"
    folder.chmod(0o755)
    (folder / "archive.db").chmod(0o644)
    make_sqlite()
    assert set(modes(folder)) == {0o700, 0o600}


# One writer, many readers


def test_another_writer_is_named_after_the_wait(make_store: Archives) -> None:
    make_store().close()
    with other_writer(make_store) as process:
        with pytest.raises(ArchiveBusyError, match=f"in use by process {process.pid}") as caught:
            make_store(wait=0.2)
        assert caught.value.process == process.pid


def test_a_reader_opens_beside_a_writer(make_store: Archives) -> None:
    with make_store() as store:
        fill(store)
    with other_writer(make_store), make_store(mode="read") as reader:
        assert found_words(reader, "canal") == ["chat-1"]
        assert reader.count() == 5


def test_the_next_writer_gets_in_when_the_first_is_done(make_store: Archives) -> None:
    make_store().close()
    with other_writer(make_store) as process:
        assert process.stdin is not None
        timer = threading.Timer(0.3, process.kill)
        timer.start()
        with make_store(wait=10) as store:
            store.add([Entry(note("a"))])
        timer.join()


def test_two_writers_in_one_process_are_refused_too(make_store: Archives) -> None:
    first = make_store()
    with pytest.raises(ArchiveBusyError) as caught:
        make_store(wait=0)
    assert caught.value.process == os.getpid()
    first.add([Entry(note("a"))])
    first.close()
    assert make_store().count() == 1


def test_the_writer_of_another_archive_is_not_in_the_way(make_store: Archives) -> None:
    make_store("one").add([Entry(note("a"))])
    make_store("two").add([Entry(note("a"))])


def test_an_error_while_opening_releases_the_writer_s_lock(
    make_store: Archives, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: Store) -> bool:
        raise RuntimeError

    with monkeypatch.context() as patch:
        kind = SqliteStore if make_store.backend == "sqlite" else PostgresStore
        patch.setattr(kind, "finish_erasure", broken)
        with pytest.raises(RuntimeError):
            make_store()
    make_store(wait=0)


WRITES: dict[str, Callable[[Store], object]] = {
    "add": lambda store: store.add([entry("new", "x")]),
    "update": lambda store: store.update(note("note-2", "new")),
    "erase": lambda store: store.erase(["note-2"]),
    "put_derived": lambda store: store.put_derived({}),
    "change_edges": lambda store: store.change_edges(),
    "rebuild": lambda store: store.rebuild(),
    "reencode": lambda store: store.reencode("other", lambda views: [axis(0)] * len(views)),
}


@pytest.mark.parametrize("name", WRITES)
def test_a_reader_does_not_write(make_store: Archives, name: str) -> None:
    with make_store() as store:
        fill(store)
        before = everything(store)
    with make_store(mode="read") as reader:
        with pytest.raises(ArchiveReadOnlyError):
            WRITES[name](reader)
        assert everything(reader) == before


def test_closing_twice_is_harmless(make_store: Archives) -> None:
    for mode in ("write", "read"):
        store = make_store(mode=mode)
        store.close()
        store.close()


def test_many_readers_see_what_the_writer_commits(make_store: Archives) -> None:
    with make_store() as store:
        fill(store)
        readers = [make_store(mode="read") for _ in range(3)]
        store.add([entry("late", "canal")])
        assert all(len(found_words(reader, "canal")) == 2 for reader in readers)


# Versions


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


# Where archives are


def test_a_file_is_no_archive(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("mine")
    for mode in ("write", "read"):
        with pytest.raises(ArchiveNotFoundError):
            open_store(tmp_path / "letter.txt", mode=mode)
    with pytest.raises(StoreError):
        open_store(tmp_path / "letter.txt" / "below")
    assert (tmp_path / "letter.txt").read_text() == "mine"


def test_reading_what_is_not_there_makes_nothing(make_store: Archives) -> None:
    make_store("another").close()
    with pytest.raises(ArchiveNotFoundError):
        make_store("archive", mode="read")
    assert not make_store.media().exists()
    assert not (make_store.folder / "archive").exists()


def test_a_folder_that_holds_something_else_is_not_taken(tmp_path: Path) -> None:
    """It would be closed to others and filled with files that nobody expects there."""
    folder = tmp_path / "documents"
    folder.mkdir(mode=0o755)
    (folder / "letter.txt").write_text("mine")
    with pytest.raises(ArchiveNotFoundError):
        open_store(folder)
    assert [path.name for path in folder.iterdir()] == ["letter.txt"]
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755


def test_an_empty_folder_becomes_an_archive(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with open_store(tmp_path / "empty") as store:
        assert store.count() == 0


@pytest.mark.parametrize("data", [b"no database" * 400, b"\x00" * 4096], ids=["text", "zeros"])
@pytest.mark.parametrize("mode", ["write", "read"])
def test_what_is_no_database_is_damaged(
    tmp_path: Path, data: bytes, mode: Literal["write", "read"]
) -> None:
    file = tmp_path / "archive" / "archive.db"
    file.parent.mkdir()
    file.write_bytes(data)
    with pytest.raises(ArchiveDamagedError, match="backup"):
        open_store(file.parent, mode=mode)
    assert file.read_bytes() == data


@pytest.mark.parametrize("mode", ["write", "read"])
def test_another_program_s_database_is_left_alone(
    tmp_path: Path, mode: Literal["write", "read"]
) -> None:
    file = tmp_path / "archive" / "archive.db"
    file.parent.mkdir()
    connection = sqlite3.connect(file)
    connection.execute("CREATE TABLE letters (text)")
    connection.close()
    before = file.read_bytes()
    with pytest.raises(StoreError):
        open_store(file.parent, mode=mode)
    assert file.read_bytes() == before


NAMES = ["with space", "100%", "a#b?c", "käse", "'quoted\"", "-rf", "new\nline", "a" * 200]


@pytest.mark.parametrize("name", NAMES)
def test_any_name_will_do(make_store: Archives, name: str) -> None:
    with make_store(name) as store:
        fill(store)
    with make_store(name, mode="read") as store:
        assert found_words(store, "canal") == ["chat-1"]


def test_a_relative_folder_stays_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with open_store("here") as store:
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / "elsewhere")
        fill(store)
        assert store.check() == []
        store.search_vectors(axis(0), ENCODER)
    assert [*(tmp_path / "elsewhere").iterdir()] == []
    with open_store(tmp_path / "here") as store:
        assert store.check() == []


@pytest.mark.parametrize("address", ["{}", "{}#"])
def test_an_address_must_name_its_archive(postgres: Postgres, address: str) -> None:
    with pytest.raises(InvalidInputError, match="#NAME"):
        open_store(address.format(postgres.url))


def test_both_spellings_of_the_scheme_mean_the_same(
    make_postgres: Archives, tmp_path: Path
) -> None:
    with make_postgres() as store:
        fill(store)
    other = make_postgres.location().replace("postgresql://", "postgres://", 1)
    with open_store(other, mode="read", media=make_postgres.media()) as store:
        assert store.count() == 5


def test_an_encoded_name_is_decoded(postgres: Postgres, tmp_path: Path) -> None:
    with open_store(f"{postgres.url}#caf%C3%A9%20%23%2F", media=tmp_path / "media"):
        names = [name for (name,) in postgres.execute("SELECT name FROM archives")]
    assert "café #/" in names


@pytest.mark.parametrize(
    "name",
    ["../../etc", "..", ".", "/etc", "a/../../b", "~root", "C:\\x", "a\nb", "%2e%2e", "x" * 99],
)
def test_no_name_leaves_the_media_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    folder = default_media_folder(name)
    assert folder.parent == tmp_path / "graphmemix" / "media"
    assert folder.resolve() == folder


def test_different_names_have_different_media_folders() -> None:
    names = ["a", "A", "a.b", "a%2Eb", "a%252Eb", "a/b", "a%2Fb", "a b", "a+b", "..", "%2E%2E"]
    assert len({default_media_folder(name) for name in names}) == len(names)


def test_media_go_below_the_user_s_data_folder(
    make_postgres: Archives, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    with open_store(make_postgres.location("../../escape")) as store:
        store.media.put(b"picture")
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["graphmemix"]
    [folder] = (tmp_path / "data" / "graphmemix" / "media").iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.parametrize("name", ["a" * 5_000, "%00"], ids=["long", "nul"])
def test_impossible_names_get_typed_errors(
    postgres: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    with pytest.raises(GraphMemixError):
        open_store(f"{postgres.url}#{name}")


@pytest.mark.parametrize(
    "name", ["nul\x00byte", "a" * 5_000, "\ud800"], ids=["nul", "long", "surrogate"]
)
def test_impossible_folders_get_typed_errors(tmp_path: Path, name: str) -> None:
    for mode in ("write", "read"):
        with pytest.raises(GraphMemixError):
            open_store(tmp_path / name, mode=mode)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://127.0.0.1:1/postgres?connect_timeout=2",
        "postgresql:///postgres?host=/nowhere",
    ],
)
def test_a_server_that_does_not_answer(tmp_path: Path, url: str) -> None:
    with pytest.raises(StoreUnavailableError):
        open_store(f"{url}#name", media=tmp_path)


@pytest.mark.parametrize(
    "url", ["postgresql://[/x", "postgresql:///x?nonsense=1", "postgresql://h:p:q/x"]
)
def test_an_address_that_makes_no_sense(tmp_path: Path, url: str) -> None:
    with pytest.raises(GraphMemixError):
        open_store(f"{url}#name", media=tmp_path)
