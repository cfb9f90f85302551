from __future__ import annotations

import json
from pathlib import Path

from graphmemix import Archive, HashingEncoder, Memory
from tests.cli.commands import MEMORIES, run


def test_it_tells_everything_and_where_files_are(family: Path) -> None:
    result = run("show", family, "tooth", "photo")
    assert result.code == 0
    for told in ("tooth", "2024-07-14", "Como", "chat", "beach.jpg", "linked with"):
        assert told in result.out
    with Archive.open(family, mode="read") as archive:
        sha256 = archive.get("photo").media[0].sha256
        assert sha256 is not None
        assert str(archive.media.path(sha256)) in result.out


def test_what_a_mail_says_does_not_command_the_terminal(family: Path) -> None:
    result = run("show", family, "tooth")
    assert "\x1b" not in result.out
    assert "first" in result.out


def test_for_machines_it_is_the_memory_and_the_days_that_it_is_about(family: Path) -> None:
    result = run("show", family, "key", "tooth", "--json")
    about = [line.pop("about") for line in result.lines]
    assert about == [[], []]
    lines = [{name: line[name] for name in line if name != "about"} for line in result.lines]
    assert [Memory.from_json(json.dumps(line)) for line in lines] == list(MEMORIES[:2])


def test_the_days_that_a_memory_states_are_shown(tmp_path: Path) -> None:
    stay = Memory("stay", "note", "We are at the lake from 10 to 12 July 2024.")
    party = Memory("party", "note", "The party is on 3 August 2024.")
    with Archive.open(tmp_path / "a", encoder=HashingEncoder()) as archive:
        archive.add([stay, party])
    result = run("show", tmp_path / "a", "stay", "party", "--json")
    assert [line["about"] for line in result.lines] == [
        [["2024-07-10", "2024-07-12"]],
        [["2024-08-03", "2024-08-03"]],
    ]
    shown = run("show", tmp_path / "a", "stay", "party").out
    assert "about      2024-07-10 to 2024-07-12\n" in shown
    assert "about      2024-08-03\n" in shown


def test_an_id_that_is_not_there_is_named(family: Path) -> None:
    result = run("show", family, "nobody")
    assert result.code == 2
    assert result.err == "graphmemix: there is no memory 'nobody' in this archive\n"
