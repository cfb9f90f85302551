"""``encode``: vectors made ahead, then taken up."""

from __future__ import annotations

from pathlib import Path

from tests.cli.commands import run


def test_vectors_are_made_ahead_and_taken_up(family: Path, home: Path) -> None:
    told = run("encode", family, "--into", home / "v", "--encoder", "hashing:32", "--json").json
    assert told["encoder"] == "hashing/32"
    assert told["encoded"] == told["vectors"] == 6
    taken = run("reencode", family, "--encoder", f"prepared:{home / 'v'}", "--json").json
    assert taken == {"before": "hashing/256", "encoder": "hashing/32"}


def test_the_next_step_is_printed(family: Path, home: Path) -> None:
    result = run("encode", family, "--into", home / "v")
    assert result.out.splitlines() == [
        "6 contents encoded with hashing/256, 1 known already.",
        f"Next: graphmemix reencode ARCHIVE --encoder prepared:{home / 'v'}",
    ]


def test_another_encoder_for_the_same_folder_is_refused(family: Path, home: Path) -> None:
    run("encode", family, "--into", home / "v")
    result = run("encode", family, "--into", home / "v", "--encoder", "hashing:32")
    assert result.code == 2
    assert "holds vectors of 'hashing/256', not of 'hashing/32'; name another folder" in result.err


def test_an_archive_that_is_not_there_makes_no_folder(home: Path) -> None:
    result = run("encode", home / "nowhere", "--into", home / "v")
    assert result.code == 2
    assert result.err.startswith(f"graphmemix: there is no archive at {home / 'nowhere'}; ")
    assert not (home / "v").exists()
