"""Questions beside a writer: they read, and save their trace by a short write afterwards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from graphmemix.archive import Archive
from graphmemix.store.sqlite import SqliteStore
from tests.cli.commands import run


def test_asking_never_takes_the_lock_of_the_writer_and_still_leaves_its_trace(
    family: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    modes = []
    opened = SqliteStore.__init__

    def noted(self: SqliteStore, folder: Path, **options: Any) -> None:
        modes.append(options.get("mode"))
        opened(self, folder, **options)

    monkeypatch.setattr(SqliteStore, "__init__", noted)
    asked = run("recall", family, "Who has the spare key?", "--json").json
    assert modes == ["read", "write"]  # once to ask, and for a moment to save the trace
    assert run("trace", family, asked["trace_id"]).code == 0
    assert (family / "cache" / "sidecar.manifest").is_file()  # the next question need not build it


def test_asking_while_another_process_writes_leaves_no_trace(family: Path) -> None:
    with Archive.open(family, encoder="hashing"):
        asked = run("recall", family, "Who has the spare key?", "--json").json
    assert asked["trace_id"] == ""
    assert asked["evidence"]
