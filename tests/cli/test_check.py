"""``check`` and ``stats``."""

from __future__ import annotations

from pathlib import Path

from graphmemix import Archive
from tests.cli.commands import run


def test_an_archive_that_is_sound_has_no_problems(family: Path) -> None:
    result = run("check", family)
    assert (result.code, result.out) == (0, "No problems.\n")


def test_damage_is_named_with_exit_code_1(family: Path) -> None:
    with Archive.open(family, mode="read") as archive:
        sha256 = archive.get("photo").media[0].sha256
        assert sha256 is not None
        archive.media.path(sha256).write_bytes(b"something else")
    result = run("check", family, "--json")
    assert result.code == 1
    assert result.json == {
        "findings": [{"problem": "media_changed", "item": sha256, "repaired": False}]
    }
    assert f"media changed: {sha256}" in run("check", family).out


def test_repair_mends_what_it_can_and_ends_well(family: Path) -> None:
    with Archive.open(family) as archive:
        archive.media.put(b"nobody's file")
    assert run("check", family).code == 1
    result = run("check", family, "--repair")
    assert result.code == 0
    assert "media orphan" in result.out
    assert "(repaired)" in result.out
    assert run("check", family).code == 0


def test_stats_count_what_is_there(family: Path) -> None:
    told = run("stats", family)
    assert "4 in 4 versions, 2024-05-01 to 2024-07-14" in told.out
    assert "2 message, 1 note, 1 photo" in told.out
    counted = run("stats", family, "--json").json
    assert (counted["memories"], counted["sources"]["chat"]) == (4, 2)
