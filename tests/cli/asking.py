"""An archive that commands can ask, and what they are asked with."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from graphmemix.archive import Archive
from graphmemix.evidence import Trace
from graphmemix.memory import Memory
from graphmemix.settings import Settings
from tests.answering import HOUSEHOLD
from tests.cli.commands import Ran

Run: TypeAlias = Callable[..., Ran]

ODD = Memory("odd", "note", "[red]Thank[/red] you [/] for the \x1b[31mtent\x1b[0m, Robert.")


def trace_of(result: Ran) -> Trace:
    """The whole trace that a command printed with --json --trace."""
    return Trace.from_json(json.dumps(result.json["trace"]))


def made_archive(path: Path) -> Path:
    """An archive of the household with the packaged encoder."""
    with Archive.open(path, settings=Settings()) as opened:
        opened.add([*HOUSEHOLD, ODD])
    return path
