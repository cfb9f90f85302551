from __future__ import annotations

from pathlib import Path

from graphmemix import Archive
from graphmemix.cli.output import shown
from tests.cli.commands import run


def test_it_makes_an_empty_archive_and_says_how_to_fill_it(home: Path) -> None:
    result = run("init", home / "new")
    assert result.code == 0
    assert "graphmemix ingest" in result.out
    with Archive.open(home / "new", mode="read") as archive:
        assert archive.store.count() == 0


def test_a_password_is_not_repeated() -> None:
    assert (
        shown("postgresql://ann:secret@db/memories#family") == "postgresql://ann@db/memories#family"
    )
    assert shown("postgresql://db:5432/memories#family") == "postgresql://db:5432/memories#family"


def test_an_archive_that_is_there_is_left_as_it_is(family: Path) -> None:
    result = run("init", family, "--json")
    assert result.code == 0
    assert result.json == {"archive": str(family), "made": False, "memories": 4}


def test_a_folder_with_something_else_in_it_is_refused(home: Path) -> None:
    (home / "letters").mkdir()
    (home / "letters" / "a.txt").write_text("hello", "utf-8")
    result = run("init", home / "letters")
    assert result.code == 2
    assert "holds something else" in result.err
    assert [each.name for each in (home / "letters").iterdir()] == ["a.txt"]
