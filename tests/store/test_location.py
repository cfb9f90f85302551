from __future__ import annotations

import sqlite3
import stat
from pathlib import Path
from typing import Literal
from urllib.parse import quote

import pytest

from graphmemix.errors import (
    ArchiveDamagedError,
    ArchiveNotFoundError,
    GraphMemixError,
    InvalidInputError,
    StoreError,
    StoreUnavailableError,
)
from graphmemix.store import open_store
from graphmemix.store.media import default_media_folder
from graphmemix.store.postgres import PostgresStore
from tests.store.conftest import Archives, Postgres
from tests.store.contents import ENCODER, axis, fill, found_words


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
    folder = default_media_folder(name, "1f")
    assert folder.parent == tmp_path / "graphmemix" / "media"
    assert folder.resolve() == folder


def test_different_names_have_different_media_folders() -> None:
    names = ["a", "A", "a.b", "a%2Eb", "a%252Eb", "a/b", "a%2Fb", "a b", "a+b", "..", "%2E%2E"]
    assert len({default_media_folder(name, "1f") for name in names}) == len(names)


def test_media_go_below_the_user_s_data_folder(
    make_postgres: Archives, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    with open_store(make_postgres.location("../../escape")) as store:
        store.media.put(b"picture")
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["graphmemix"]
    [folder] = (tmp_path / "data" / "graphmemix" / "media").iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_archives_of_one_name_in_two_databases_share_no_files(
    postgres: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    first, second = (f"{postgres.new_database().url}#family" for _ in range(2))
    for location in (first, second):
        with open_store(location) as store:
            fill(store)
            [photo, *_] = [each for memory in store.find() for each in memory.media if each.sha256]
    with open_store(first) as store:
        store.erase([memory.id for memory in store.find()])
    with open_store(second) as store:
        assert store.check() == []
        assert photo.sha256 is not None
        assert photo.sha256 in store.media


IMPOSSIBLE = {
    "300": "a" * 300,
    "5000": "a" * 5_000,
    "bytes": "é" * 128,
    "nul": "a\0b",
    "surrogate": "a\ud800",
    "blank": " ",
    "blanks": " \t\u3000",
}


@pytest.mark.parametrize("name", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_impossible_names_are_refused_and_leave_nothing(
    postgres: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    empty = postgres.new_database()
    modes: tuple[Literal["read", "write"], ...] = ("read", "write")
    for mode in modes:
        with pytest.raises(InvalidInputError):
            open_store(tmp_path / name, mode=mode)
        with pytest.raises(InvalidInputError):
            PostgresStore(empty.url, name, mode=mode)
    assert [*tmp_path.iterdir()] == []
    assert empty.execute("SELECT 1 FROM pg_tables WHERE schemaname = 'public'") == []


@pytest.mark.parametrize("length", [256, 300, 5_000])
def test_the_bound_of_a_name_is_told(postgres: Postgres, tmp_path: Path, length: int) -> None:
    for location in (tmp_path / ("a" * length), f"{postgres.url}#{'a' * length}"):
        with pytest.raises(InvalidInputError, match="at most 255 bytes"):
            open_store(location)


@pytest.mark.parametrize("fragment", ["%00", "%20", "%ff", "a%ED%A0%80", "a" * 300, ""])
def test_names_in_addresses_are_checked_as_they_are_meant(
    postgres: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fragment: str
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    empty = postgres.new_database()
    with pytest.raises(InvalidInputError):
        open_store(f"{empty.url}#{fragment}")
    assert [*tmp_path.iterdir()] == []
    assert empty.execute("SELECT 1 FROM pg_tables WHERE schemaname = 'public'") == []


@pytest.mark.parametrize("location", ["", " ", "\n"])
def test_an_empty_location_does_not_mean_this_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, location: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInputError):
        open_store(location)
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("name", ["a" * 255, "é" * 127, "%" * 255, "." * 255])
def test_the_longest_names_have_files_too(
    postgres: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Escaped for the folder of its media, a name takes up to three times its bytes."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    database = postgres.new_database()
    for location in (tmp_path / name, f"{database.url}#{quote(name, safe='')}"):
        with open_store(location) as store:
            fill(store)
        with open_store(location, mode="read") as store:
            assert store.check() == []


def test_two_spellings_of_a_letter_are_two_names(postgres: Postgres, tmp_path: Path) -> None:
    database = postgres.new_database()
    for number, name in enumerate(("caf\u00e9", "cafe\u0301")):
        with open_store(f"{database.url}#{quote(name)}", media=tmp_path / str(number)) as store:
            assert store.count() == 0
            fill(store)


def test_an_archive_with_a_name_of_earlier_days_stays_usable(
    postgres: Postgres, tmp_path: Path
) -> None:
    database = postgres.new_database()
    with PostgresStore(database.url, "short", tmp_path) as store:
        fill(store)
    database.execute(f"UPDATE archives SET name = '{'a' * 300}'")
    with PostgresStore(database.url, "a" * 300, tmp_path) as store:
        assert store.count() == 5


def test_an_archive_that_gets_no_folder_for_its_files_is_not_made(
    postgres: Postgres, tmp_path: Path
) -> None:
    database = postgres.new_database()
    (tmp_path / "file").write_text("mine")
    with pytest.raises(StoreError):
        PostgresStore(database.url, "family", tmp_path / "file" / "media")
    assert database.execute("SELECT name FROM archives") == []
    with PostgresStore(database.url, "family", tmp_path / "media") as store:
        fill(store)
    with pytest.raises(StoreError):  # one that was there before is left as it is
        PostgresStore(database.url, "family", tmp_path / "file" / "media")
    assert database.execute("SELECT name FROM archives") == [("family",)]


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
