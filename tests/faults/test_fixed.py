"""Promises that faults once broke, each by itself."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graphmemix import cli
from graphmemix.archive import Archive
from graphmemix.encode import HashingEncoder
from graphmemix.errors import ArchiveReadOnlyError, StorageFullError
from graphmemix.memory import Memory, View
from graphmemix.store import Derived, Entry, Store, open_store
from graphmemix.store.lexical import LexicalIndex
from graphmemix.store.protocol import Vector
from graphmemix.text.dates import capture_time

ONE = np.eye(4, dtype=np.float32)[0]
TWO = np.eye(4, dtype=np.float32)[1]


def fill(folder: Path, memories: int = 300) -> None:
    """Make an archive whose memories have two views with the same words."""
    with open_store(folder) as store:
        store.add(
            Entry(
                Memory(f"m{number}", "note", "words"),
                Derived(
                    tuple(View(f"m{number}", kind, i, "words") for i, kind in enumerate(_KINDS)),
                    (ONE, None),
                    "first/4",
                ),
            )
            for number in range(memories)
        )


_KINDS: tuple[Any, ...] = ("text", "context")


class Encode:
    """Gives each memory one vector, as the indexer does, and fails after some calls."""

    def __init__(self, calls: int = 1000) -> None:
        self.calls = calls

    def __call__(self, views: Sequence[View]) -> list[Vector | None]:
        if not self.calls:
            raise RuntimeError("killed")
        self.calls -= 1
        seen: set[str] = set()
        made: list[Vector | None] = []
        for view in views:
            made.append(None if view.memory_id in seen else TWO)
            seen.add(view.memory_id)
        return made


def vectors(store: Store) -> list[list[bool]]:
    found = store.vectors([f"m{number}" for number in range(300)])
    return [[vector is not None for vector in each] for each in found.values()]


def test_reencoding_that_was_interrupted_gives_what_it_gives_at_once(tmp_path: Path) -> None:
    fill(tmp_path / "archive")
    with open_store(tmp_path / "archive") as store:
        with pytest.raises(RuntimeError, match="killed"):
            store.reencode("second/4", Encode(calls=1))
        store.reencode("second/4", Encode())
        assert store.encoder() == "second/4"
        assert vectors(store) == [[True, False]] * 300


def test_a_question_is_answered_on_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Archive.open(tmp_path / "archive", encoder=HashingEncoder()) as archive:
        archive.add([Memory("m", "note", "The key is under the mat.")])

        def full(*_: object, **__: object) -> None:
            raise StorageFullError("no space left")

        monkeypatch.setattr(archive.store, "put_log", full)
        trace = archive.recall("Where is the key?")
        assert [candidate.memory_id for candidate in trace.candidates] == ["m"]
        assert trace.id == ""  # it was not saved


def test_caches_that_may_not_be_removed_are_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tmp_path / "archive", memories=3)

    def refuse(_folder: Path) -> None:
        raise PermissionError(13, "Permission denied")

    with open_store(tmp_path / "archive") as store:
        monkeypatch.setattr(LexicalIndex, "discard", refuse)
        with pytest.raises(ArchiveReadOnlyError, match="cannot be written to"):
            store.rebuild()
        monkeypatch.undo()
        store.rebuild()
        assert store.check() == []


def test_a_clock_that_lost_its_time_does_not_judge_photos(monkeypatch: pytest.MonkeyPatch) -> None:
    class Lost(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:  # type: ignore[override]
            return datetime(1970, 1, 1, tzinfo=UTC)

    monkeypatch.setattr(capture_time, "datetime", Lost)
    capture_time.require_plausible(datetime(2023, 7, 14, 9, 30))  # noqa: DTZ001  # as cameras tell it
    with pytest.raises(ValueError, match="future"):
        capture_time.require_plausible(datetime(2190, 7, 14, 9, 30))  # noqa: DTZ001


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "a file: no space left; free some"),
        (PermissionError(errno.EACCES, "Permission denied", "r.md"), "r.md: Permission denied"),
    ],
)
def test_a_command_says_in_a_line_what_the_machine_refused(
    error: OSError, told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        raise error

    monkeypatch.setattr("graphmemix.cli.root.app", fail)
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code == 2
    assert capsys.readouterr().err.startswith(f"graphmemix: {told}")
