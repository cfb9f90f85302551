"""Uploaded files on their way into a job's folder; no name from outside leads out of it."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from graphmemix.private import make_folder, open_binary
from graphmemix.serve.problems import ProblemError

__all__ = ["Taken", "safe_parts", "take"]

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


def take(files: Sequence[tuple[str, BinaryIO]], folder: Path) -> Taken:
    """Write files below a folder.

    Raises:
        ProblemError: A name is none, or two files have the same.
    """
    size = 0
    everything = hashlib.sha256()
    for name, stream in files:
        parts = safe_parts(name)
        target = folder.joinpath(*parts)
        try:
            make_folder(target.parent)
            written = open_binary(target, "xb")
        except (FileExistsError, NotADirectoryError):
            raise ProblemError(
                422, "invalid_input", f"two files are called {'/'.join(parts)!r}"
            ) from None
        with written:
            shutil.copyfileobj(stream, written, 1 << 20)
            size += written.tell()
        with target.open("rb") as content:
            digest = hashlib.file_digest(content, "sha256").digest()
        everything.update(hashlib.sha256("/".join(parts).encode()).digest() + digest)
    return Taken(len(files), size, everything.digest())
