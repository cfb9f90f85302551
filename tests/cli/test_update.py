from __future__ import annotations

import json
from pathlib import Path

import pytest

from graphmemix import Archive
from tests.cli.commands import run


def test_a_change_is_found_at_once_and_the_old_state_stays_in_its_history(family: Path) -> None:
    result = run("update", family, "key", "--text", "The spare key is with Boris.", "--json")
    assert result.json == {"id": "key", "version": 2, "changed": True}
    with Archive.open(family, mode="read") as archive:
        graph = archive.candidates("Boris")
        assert graph.candidates[0].memory_id == "key"
    told = run("history", family, "key")
    assert "version 1, until" in told.out
    assert "text: The spare key is with Olga. → The spare key is with Boris." in told.out
    versions = run("history", family, "key", "--json").lines
    assert [version["number"] for version in versions] == [1, 2]


def test_place_time_and_speaker_leave_the_rest_alone(family: Path) -> None:
    run("update", family, "tooth", "--place", "Bellagio", "--when", "2024-07-15T08:00:00+02:00")
    run("update", family, "tooth", "--speaker", "Tom")
    with Archive.open(family, mode="read") as archive:
        memory = archive.get("tooth")
    assert memory.place is not None
    assert (memory.place.name, memory.speaker) == ("Bellagio", "Tom")
    assert memory.timestamp is not None
    assert memory.timestamp.isoformat() == "2024-07-15T08:00:00+02:00"
    assert memory.text.startswith("Mia lost her")


def test_a_whole_memory_comes_from_a_file_or_from_input(family: Path, tmp_path: Path) -> None:
    shown = json.loads(run("show", family, "key", "--json").out)
    shown["metadata"] = {"checked": True}
    (tmp_path / "key.json").write_text(json.dumps(shown), "utf-8")
    assert run("update", family, "key", "--from", tmp_path / "key.json").code == 0
    again = run("update", family, "key", "--from", "-", "--json", answer=json.dumps(shown))
    assert again.json == {"id": "key", "version": 2, "changed": False}


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ((), "say what to change"),
        (("--text", "x", "--from", "-"), "say what to change"),
        (("--from", "/nowhere.json"), "/nowhere.json: cannot be read"),
        (("--from", "-"), "not a Memory"),
        (("--when", "soon"), "--when: 'soon'"),
    ],
)
def test_wrong_use_changes_nothing(family: Path, options: tuple[str, ...], reason: str) -> None:
    result = run("update", family, "key", *options, answer="{}")
    assert result.code == 2
    assert reason in result.err
    assert len(run("history", family, "key", "--json").lines) == 1


def test_a_file_with_another_memory_is_refused(family: Path) -> None:
    other = run("show", family, "tooth", "--json").out
    result = run("update", family, "key", "--from", "-", answer=other)
    assert result.code == 2
    assert "contains memory 'tooth', not 'key'" in result.err
