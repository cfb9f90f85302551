"""Commands in this process, with an archive of their own: quick, and with what a user would see."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from graphmemix import Archive, Media, Memory, Place
from graphmemix.cli import main


@dataclass(frozen=True)
class Ran:
    """What a command left: its exit code, its results, and what else it said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


def run(*arguments: object, answer: str = "") -> Ran:
    """Run a command; `answer` is what somebody types."""
    out, err = io.StringIO(), io.StringIO()
    code: object = 0
    with (
        patch.object(sys, "argv", ["graphmemix", *map(str, arguments)]),
        patch.object(sys, "stdin", io.StringIO(answer)),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
    assert isinstance(code, int)
    return Ran(code, out.getvalue(), err.getvalue())


MEMORIES = (
    Memory(
        "key",
        "note",
        "The spare key is with Olga.",
        source="notes",
        timestamp=datetime(2024, 5, 1, 9, 30, tzinfo=UTC),
        speaker="Ann",
    ),
    Memory(
        "tooth",
        "message",
        "Mia lost her \x1b[31mfirst\x1b[0m tooth.",
        source="chat",
        session="family",
        timestamp=datetime(2024, 7, 14, tzinfo=UTC),
        place=Place("Como"),
    ),
    Memory("pillow", "message", "It is under the pillow.", source="chat", session="family"),
)


@contextlib.contextmanager
def quiet_home(folder: Path, encoder: str = "hashing") -> Iterator[None]:
    """Let commands see the settings of nobody, and by default an encoder that loads nothing."""
    with pytest.MonkeyPatch.context() as patched:
        for variable in [name for name in os.environ if name.startswith("GRAPHMEMIX_")]:
            patched.delenv(variable)
        patched.setenv("HOME", str(folder))
        patched.setenv("GRAPHMEMIX_ENCODER__MODEL", encoder)
        patched.setenv("COLUMNS", "200")
        patched.delenv("XDG_CONFIG_HOME", raising=False)
        yield


def make_family(folder: Path, encoder: str = "hashing") -> Path:
    """Make an archive of three memories and a file."""
    with Archive.open(folder, encoder=encoder) as archive:
        stored = archive.media.put(b"not really a photo")
        medium = Media("image", stored.sha256, "image/jpeg", "beach.jpg", stored.size)
        archive.add([*MEMORIES, Memory("photo", "photo", media=(medium,), source="camera")])
    return folder
