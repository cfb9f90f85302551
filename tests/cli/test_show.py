from __future__ import annotations

from pathlib import Path

from graphmemix import Archive, Memory
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


def test_for_machines_it_is_the_memory_itself(family: Path) -> None:
    result = run("show", family, "key", "tooth", "--json")
    assert [Memory.from_json(line) for line in result.out.splitlines()] == list(MEMORIES[:2])


def test_an_id_that_is_not_there_is_named(family: Path) -> None:
    result = run("show", family, "nobody")
    assert result.code == 2
    assert result.err == "graphmemix: there is no memory 'nobody' in this archive\n"
