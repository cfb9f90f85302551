"""``reencode`` and ``rebuild``: what is derived, made anew."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from graphmemix import Archive
from tests.cli.commands import MEMORIES, make_family, run


def derived(folder: Path, encoder: str) -> tuple[Any, ...]:
    ids = [*(memory.id for memory in MEMORIES), "photo"]
    with Archive.open(folder, mode="read", encoder=encoder) as archive:
        found = [each.memory_id for each in archive.candidates("Who has the key?").candidates]
        return archive.store.neighbours(), archive.store.edges(ids), found


def test_another_encoder_gives_what_it_would_have_given_from_the_start(
    family: Path, home: Path
) -> None:
    told = run("reencode", family, "--encoder", "hashing:32", "--json").json
    assert told == {"before": "hashing/256", "encoder": "hashing/32"}
    make_family(home / "fresh", "hashing:32")
    assert derived(family, "hashing:32") == derived(home / "fresh", "hashing:32")


def test_the_old_encoder_is_then_refused_with_the_way_back(family: Path) -> None:
    run("reencode", family, "--encoder", "hashing:32")
    result = run("candidates", family, "Who has the key?")
    assert result.code == 2
    assert "graphmemix reencode" in result.err


def test_rebuild_makes_the_same_again(family: Path) -> None:
    before = derived(family, "hashing")
    assert run("rebuild", family, "--json").json == {"memories": 4}
    assert derived(family, "hashing") == before
