from __future__ import annotations

from pathlib import Path

import pytest

from graphmemix import Archive
from tests.cli.commands import run


@pytest.fixture
def notes(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GRAPHMEMIX_ENCODER__MODEL", "hashing")
    folder = home / "notes"
    folder.mkdir()
    (folder / "key.txt").write_text("The spare key is with Olga.", "utf-8")
    return folder


def test_what_was_left_for_later_is_encoded_by_index(home: Path, notes: Path) -> None:
    stored = run("ingest", home / "a", notes, "--later")
    assert "1 memory not encoded yet" in stored.out
    assert "graphmemix index" in stored.out
    asked = run("recall", home / "a", "Who has the key?")
    assert "1 of 1 memories not encoded yet" in asked.out
    assert "Olga" in asked.out
    assert run("index", home / "a", "--json").json == {"encoded": 1, "pending": 0}
    assert "not encoded" not in run("recall", home / "a", "Who has the key?").out
    assert run("index", home / "a").out.startswith("0 memories encoded")


def test_index_makes_no_archive(home: Path) -> None:
    assert run("index", home / "nowhere").code != 0
    assert not (home / "nowhere").exists()


def test_the_summary_tells_what_was_encoded_and_the_whole_time(home: Path, notes: Path) -> None:
    told = run("ingest", home / "a", notes).out
    assert "1 memory encoded." in told
    assert "reading and storing" in told


def test_ingest_and_index_work_while_others_have_the_archive_open(home: Path, notes: Path) -> None:
    with Archive.open(home / "a", mode="shared", encoder="hashing") as held:
        assert run("ingest", home / "a", notes, "--later").code == 0
        assert run("index", home / "a").code == 0
        assert held.recall("Who has the key?").forest is not None
