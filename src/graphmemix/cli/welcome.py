"""What ``graphmemix`` alone says: the archives that are here, or how to get one."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Final

from graphmemix.cli.completion import is_archive
from graphmemix.cli.terminal import say

__all__ = ["archives_in", "welcome"]

_WHAT: Final = """\
GraphMemix answers questions from your own mail, photos, chats and documents, on this machine.
"""

_FIRST: Final = """
Three steps:

  1. See it work on an invented household:    graphmemix demo
  2. Make an archive of files of your own:    graphmemix ingest my-archive ~/Documents
  3. Ask it:                                  graphmemix ask my-archive "Who has our spare key?"
"""

_MORE: Final = """
All commands: graphmemix --help"""

_SHOWN: Final = 8  # archives


def welcome() -> None:
    """Print what to do next in this folder."""
    found = archives_in(Path())
    say(_WHAT + (_next(found) if found else _FIRST) + _MORE)


def archives_in(folder: Path) -> list[str]:
    """Return the names of the archives in a folder, the folder itself first if it is one."""
    try:
        here = ["."] if is_archive(folder) else []
        return here + sorted(each.name for each in folder.iterdir() if is_archive(each))
    except OSError:  # it cannot be listed, or is gone
        return []


def _next(found: list[str]) -> str:
    named = ", ".join(found[:_SHOWN]) + (", …" if len(found) > _SHOWN else "")
    first = shlex.quote(found[0])
    return f"""
Archives in this folder: {named}

  Ask:              graphmemix ask {first} "Who has our spare key?"
  Add more files:   graphmemix ingest {first} ~/Documents
  In a browser:     graphmemix serve {first}
"""
