"""Removes folders in the background, because ten thousand small files take a while.

A folder is renamed immediately and removed by a background thread. What is left when the process
ends is removed when the next one starts (`sweep`).
"""

from __future__ import annotations

import secrets
import threading
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from shutil import rmtree
from typing import Final

__all__ = ["discard", "sweep"]

_PREFIX: Final = ".removed-"
_queue: Final[SimpleQueue[Path]] = SimpleQueue()
_lock: Final = threading.Lock()
_thread: threading.Thread | None = None


def discard(folder: Path, trash: Path) -> None:
    """Remove a folder: its name is free immediately, its content is removed in the background.

    Args:
        folder: May be missing.
        trash: A folder on the same file system, where `sweep` finds what is left.
    """
    aside = trash / f"{_PREFIX}{secrets.token_hex(8)}"
    try:
        folder.rename(aside)
    except FileNotFoundError:
        return
    except OSError:  # no room to rename: remove it where it is
        aside = folder
    _remove(aside)


def sweep(trash: Path) -> None:
    """Remove what an earlier process left behind."""
    with suppress(FileNotFoundError):
        for aside in trash.glob(f"{_PREFIX}*"):
            _remove(aside)


def _remove(folder: Path) -> None:
    global _thread  # noqa: PLW0603  # one thread for the process, started when it is first needed
    _queue.put(folder)
    with _lock:
        if _thread is None:
            _thread = threading.Thread(target=_work, name="graphmemix-remove", daemon=True)
            _thread.start()


def _work() -> None:
    while True:
        folder = _queue.get()
        rmtree(folder, ignore_errors=True)
