"""A place where commands are watched, and an archive to ask."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphmemix import Archive, Settings
from tests.privacy.watching import Room

NOTES = "# Keys\n\nThe spare key is with Olga next door.\n\n# Tent\n\nThe tent is in the cellar.\n"


@pytest.fixture
def room() -> Iterator[Room]:
    """An empty home, and a note to ingest."""
    with tempfile.TemporaryDirectory() as folder:
        room = Room(Path(folder))
        (room.work / "notes.md").write_text(NOTES, "utf-8")
        yield room


@pytest.fixture(scope="session")
def ingested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ingested")
    (folder / "notes.md").write_text(NOTES, "utf-8")
    with Archive.open(folder / "a", settings=Settings()) as archive:
        archive.ingest([folder / "notes.md"])
    return folder / "a"


@pytest.fixture
def asked(room: Room, ingested: Path) -> Room:
    """The same with the note ingested into the archive ``a``."""
    shutil.copytree(ingested, room.work / "a")
    return room
