"""Files and folders that hold what somebody remembers: only their owner may read them.

Files get mode 0600 and folders 0700, whatever the umask says. A file that was there before gets the
mode too; a folder that was there before keeps its own, since others may have business in it.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from itertools import takewhile
from typing import TYPE_CHECKING, Literal, TextIO, cast

if TYPE_CHECKING:
    from io import BufferedWriter
    from pathlib import Path

__all__ = ["make_folder", "open_binary", "open_text", "write_text"]


def make_folder(folder: Path) -> Path:
    """Make a folder, and those above it that are missing; return it.

    Raises:
        OSError: It cannot be made, or is something else than a folder.
    """
    missing = [*takewhile(lambda each: not each.exists(), folder.parents)]
    for each in (*reversed(missing), folder):
        each.mkdir(mode=0o700, exist_ok=True)
    return folder


def open_binary(path: Path, mode: Literal["wb", "xb", "ab"] = "wb") -> BufferedWriter:
    """Open a file for writing bytes."""
    return open(path, mode, opener=_private)


def open_text(path: Path, mode: Literal["w", "a"] = "w") -> TextIO:
    """Open a file for writing UTF-8, with line ends as they are."""
    stream = open(path, mode, encoding="utf-8", newline="", opener=_private)  # noqa: SIM115
    return cast("TextIO", stream)


def write_text(path: Path, text: str) -> None:
    """Write a text as UTF-8, with line ends as they are."""
    with open_text(path) as stream:
        stream.write(text)


def _private(path: str, flags: int) -> int:
    handle = os.open(path, flags | os.O_CLOEXEC, 0o600)
    if stat.S_ISREG(os.fstat(handle).st_mode):  # and not /dev/stdout
        with suppress(PermissionError):  # somebody else's file, or a disk that knows no modes
            os.fchmod(handle, 0o600)
    return handle
