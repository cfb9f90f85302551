"""Commands that ask an archive, run in this process with an empty home."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pytest

from graphmemix.archive import Archive
from graphmemix.cli import main
from graphmemix.memory import Memory
from graphmemix.settings import Settings
from tests.answering import HOUSEHOLD


@dataclass(frozen=True)
class Result:
    returncode: int
    stdout: str
    stderr: str


Run: TypeAlias = Callable[..., Result]

ODD = Memory("odd", "note", "[red]Thank[/red] you [/] for the \x1b[31mtent\x1b[0m, Robert.")


def made_archive(path: Path) -> Path:
    """An archive of the household with the packaged encoder."""
    with Archive.open(path, settings=Settings()) as opened:
        opened.add([*HOUSEHOLD, ODD])
    return path


def make_run(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    def run(*arguments: str) -> Result:
        monkeypatch.setenv("HOME", str(home))
        monkeypatch.setenv("COLUMNS", "200")
        monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
        monkeypatch.setattr("sys.argv", ["graphmemix", *arguments])
        with pytest.raises(SystemExit) as left:
            main()
        code = left.value.code
        return Result(code if isinstance(code, int) else 0, *capsys.readouterr())

    return run
