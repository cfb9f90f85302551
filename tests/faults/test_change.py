"""Changes that end at any point: the next indexing brings relations to where a rebuild would."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from graphmemix.archive import Archive
from graphmemix.encode import HashingEncoder
from graphmemix.memory import Memory
from graphmemix.store.sql.erase import Erasure

NOON = datetime(2024, 5, 17, 12, tzinfo=UTC)
WORDS = (
    "key",
    "mat",
    "boat",
    "lake",
    "dog",
    "cake",
    "tooth",
    "train",
    "hotel",
    "bill",
    "cat",
    "sea",
)
CHANGED = "m5"


class KilledError(BaseException):
    """Stands for the end of the process."""


def talk() -> list[Memory]:
    return [
        Memory(
            f"m{number}",
            "message",
            f"About the {word} and the {WORDS[number - 1]}.",
            session="talk",
            sequence=number,
            speaker="Ann" if number % 2 else "Ben",
            timestamp=NOON + timedelta(minutes=number),
        )
        for number, word in enumerate(WORDS)
    ]


def relations(archive: Archive) -> dict[str, object]:
    """Return what is derived; of neighbours those that count, the rest is a reserve."""
    ids = [memory.id for memory in archive.find()]
    store = archive.store
    return {
        "memories": archive.find(),
        "views": store.views(ids),
        "edges": set(store.edges(ids)),
        "keys": store.keys(ids),
        "neighbours": {i: [*near][:8] for i, near in store.neighbours().items() if i in ids},
        "waiting": store.without_vectors(),
    }


def opened(folder: Path) -> Archive:
    return Archive.open(folder, encoder=HashingEncoder())


def rebuilt(folder: Path, memories: list[Memory]) -> dict[str, object]:
    with opened(folder) as archive:
        archive.add(memories)
        return relations(archive)


def kill_at(archive: Archive, monkeypatch: pytest.MonkeyPatch, call: str, number: int) -> None:
    """Let the process end before the given call of a method of the store."""
    whole: Callable[..., Any] = getattr(archive.store, call)
    calls = 0

    def until_then(*arguments: Any, **keywords: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == number:
            raise KilledError
        return whole(*arguments, **keywords)

    monkeypatch.setattr(archive.store, call, until_then)


def killed(*_arguments: Any, **_keywords: Any) -> Any:
    raise KilledError


@pytest.mark.parametrize(
    ("call", "number"), [("put_derived", 1), ("update", 1), ("put_derived", 2)]
)
def test_a_change_that_was_killed(
    call: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = talk()
    changed = replace(before[5], session="elsewhere", text="About something else, and the lake.")
    with opened(tmp_path / "archive") as archive:
        archive.add(before)
        kill_at(archive, monkeypatch, call, number)
        with pytest.raises(KilledError):
            archive.update(changed)
    with opened(tmp_path / "archive") as archive:
        archive.index()
        found = relations(archive)
        now = archive.get(CHANGED)
    assert now in (before[5], changed)  # whole, one or the other
    after = [now if memory.id == CHANGED else memory for memory in before]
    assert found == rebuilt(tmp_path / "other", after)


def test_an_erasure_that_was_killed_halfway(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path / "archive") as archive:
        archive.add(talk())
        with monkeypatch.context() as killing:
            killing.setattr(Erasure, "_erase_part", killed)
            with pytest.raises(KilledError):
                archive.erase([CHANGED])
    with opened(tmp_path / "archive") as archive:
        archive.index()
        assert relations(archive) == rebuilt(tmp_path / "whole", talk())
        assert archive.erase([CHANGED]).memories == 1
        left = [memory for memory in talk() if memory.id != CHANGED]
        assert relations(archive) == rebuilt(tmp_path / "less", left)


def test_describing_again_indexes_what_a_run_changed_that_was_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = replace(talk()[5], text="About the sea.")

    def killed() -> None:
        raise KilledError

    with opened(tmp_path / "archive") as archive:
        archive.add(talk())
        with monkeypatch.context() as killing:
            killing.setattr(archive._upkeep, "index", killed)
            with pytest.raises(KilledError):
                archive._upkeep.replace([now])
    with opened(tmp_path / "archive") as archive:
        archive.describe()
        after = [now if memory.id == CHANGED else memory for memory in talk()]
        assert relations(archive) == rebuilt(tmp_path / "other", after)


def test_a_change_that_is_refused_changes_no_relation(tmp_path: Path) -> None:
    from graphmemix.errors import InvalidDataError
    from graphmemix.memory import Media

    with opened(tmp_path / "archive") as archive:
        archive.add(talk())
        before = relations(archive)
        missing = Media("image", "0" * 64, "image/png")
        with pytest.raises(InvalidDataError):
            archive.update(replace(talk()[5], media=(missing,)))
        assert relations(archive) == before
