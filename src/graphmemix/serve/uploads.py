"""Uploaded files on their way into a job's folder; no name from outside leads out of it."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from graphmemix.fsio import make_folder, open_binary
from graphmemix.serve.problems import ProblemError

__all__ = ["Taken", "create", "safe_parts"]

_LONGEST: Final = 200  # bytes of one part; file systems allow 255
_DEEPEST: Final = 16


class Taken(NamedTuple):
    """What was written: how many files, bytes, and a hash of names and contents."""

    files: int
    size: int
    digest: bytes


def safe_parts(name: str) -> tuple[str, ...]:
    """Return the parts of an uploaded file's name, as folders and a file below some folder.

    Browsers send folders with their separators, which tell photos from their sidecars. Parts that
    lead elsewhere are dropped.

    Raises:
        ProblemError: Nothing is left of it.
    """
    parts = []
    for raw in name.replace("\\", "/").split("/"):
        part = "".join(c for c in raw if c.isprintable() and c != ":").strip()
        if part.strip(". "):
            parts.append(_shortened(part))
    if not parts:
        raise ProblemError(422, "invalid_input", "a file needs a name")
    return tuple(parts[-_DEEPEST:])


def _shortened(part: str) -> str:
    """Cut a long name before its extension, which says what the file is."""
    if len(part.encode()) <= _LONGEST:
        return part
    stem, dot, extension = part.rpartition(".")
    tail = dot + extension if dot and len(extension.encode()) < 20 else ""
    head = (stem if tail else part).encode()[: _LONGEST - len(tail.encode())]
    return head.decode(errors="ignore") + tail


def create(folder: Path, name: str) -> tuple[tuple[str, ...], BinaryIO]:
    """Open a new file below a folder; return the parts of its name, and the file to write.

    Raises:
        ProblemError: The name is none, or another file has it.
    """
    parts = safe_parts(name)
    target = folder.joinpath(*parts)
    try:
        make_folder(target.parent)
        return parts, open_binary(target, "xb")
    except (FileExistsError, NotADirectoryError):
        raise ProblemError(
            422, "invalid_input", f"two files are called {'/'.join(parts)!r}"
        ) from None
