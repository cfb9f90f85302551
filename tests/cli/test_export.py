"""``export``, ``import`` and ``backup``: an archive goes out and comes back whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphmemix import Archive
from graphmemix.store import MediaFolder
from tests.cli.commands import Ran, run


def contents(folder: Path) -> tuple[object, ...]:
    with Archive.open(folder, mode="read", encoder="hashing") as archive:
        ids = [memory.id for memory in archive.find()]
        return archive.find(), archive.store.edges(ids), archive.store.history("key")


def test_what_was_exported_comes_back_the_same(family: Path, home: Path) -> None:
    run("update", family, "key", "--speaker", "Tom")
    assert run("export", family, home / "out", "--json").json["memories"] == 4
    assert run("import", home / "copy", home / "out", "--json").json == {"new": 4, "memories": 4}
    assert contents(home / "copy") == contents(family)
    assert run("import", home / "copy", home / "out", "--json").json["new"] == 0


def test_a_backup_is_an_archive(family: Path, home: Path) -> None:
    assert "Copied 4 memories" in run("backup", family, home / "safe").out
    assert contents(home / "safe") == contents(family)


@pytest.mark.parametrize("command", ["export", "backup"])
def test_a_folder_that_holds_something_is_left_alone(
    family: Path, home: Path, command: str
) -> None:
    (home / "full").mkdir()
    (home / "full" / "mine.txt").write_text("mine", "utf-8")
    result = run(command, family, home / "full")
    assert result.code == 2
    assert [each.name for each in (home / "full").iterdir()] == ["mine.txt"]


@pytest.mark.parametrize("command", ["export", "backup"])
def test_a_copy_that_is_whole_is_found_to_be_so(family: Path, home: Path, command: str) -> None:
    first = run(command, family, home / "copy", "--json")
    again = run(command, family, home / "copy", "--json")
    assert (first.json["already_there"], again.json["already_there"]) == (False, True)
    assert again.json["memories"] == 4
    assert "is already complete: 4 memories" in run(command, family, home / "copy").out


@pytest.mark.parametrize("command", ["export", "backup"])
def test_ctrl_c_leaves_nothing_behind_and_says_how_to_go_on(
    family: Path, home: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(MediaFolder, "put", interrupted)  # memories are copied before files
    result = run(command, family, home / "out")
    assert result == Ran(130, "", f"Stopped. {home / 'out'} was removed; run the command again.\n")
    assert not (home / "out").exists()


def test_a_folder_that_is_no_export_makes_no_archive(home: Path) -> None:
    result = run("import", home / "copy", home)
    assert result.code == 2
    assert "not an export" in result.err
    assert not (home / "copy").exists()


def test_a_changed_export_is_refused_whole(family: Path, home: Path) -> None:
    run("export", family, home / "out")
    with (home / "out" / "edges.jsonl").open("a", encoding="utf-8") as stream:
        stream.write("{}\n")
    result = run("import", home / "copy", home / "out")
    assert result.code == 2
    assert "edges.jsonl: is not what was exported" in result.err
    with Archive.open(home / "copy", mode="read") as archive:
        assert archive.store.count() == 0
