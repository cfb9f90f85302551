"""Checks of files before they are read: which importer reads them, their companions, and links.

Recognition runs importers on untrusted bytes, so it runs in a worker process
(`graphmemix.ingest.tasks`).
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from graphmemix.ingest.protocol import HEAD_BYTES, Found, Importer, Skipped
from graphmemix.ingest.unsupported import is_package, is_zip, unknown

if TYPE_CHECKING:
    from collections.abc import Sequence

GONE = "no longer exists"
NOWHERE = "a link to something that is not there"
OUTSIDE = "link leads outside the folder; use --follow-links to read it"


def recognise(
    importers: Sequence[Importer], path: Path, name: str, *, forced: bool
) -> tuple[int | Skipped | None, tuple[str, ...]]:
    """Return a file's importer by number, why it is skipped, or None for a zip; and companions."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):  # reading a pipe would block
            return Skipped(name, "is not a file"), ()
        if status.st_size == 0:
            return Skipped(name, "is empty"), ()
        found = Found(path, name, head(path))
    except (OSError, ValueError) as error:
        is_link = isinstance(error, FileNotFoundError) and path.is_symlink()
        return Skipped(name, NOWHERE if is_link else reason(error)), ()
    number = importer_of(importers, found, forced=forced)
    if number is not None:
        return number, _companions(importers[number], found)
    if is_zip(found.head) and not is_package(found.path):
        return None, ()
    return Skipped(name, unknown(found)), ()


def importer_of(importers: Sequence[Importer], found: Found, *, forced: bool) -> int | None:
    """Return the number of the first importer that recognises a file or folder.

    With `forced`, the only importer reads every file, and folders that it recognises.
    """
    if forced and not found.is_folder:
        return 0
    numbers = (i for i, each in enumerate(importers) if _recognises(each, found))
    return next(numbers, None)


def head(path: Path) -> bytes:
    """Return the first bytes of a file."""
    with path.open("rb", buffering=0) as stream:
        return stream.read(HEAD_BYTES)


def reason(error: OSError | ValueError) -> str:
    """Return the message for a file that cannot be opened."""
    if isinstance(error, FileNotFoundError):
        return GONE
    if isinstance(error, OSError):
        return f"cannot be opened: {error.strerror or error}"
    return f"cannot be opened: {error}"


def leads_out(path: Path, root: Path) -> bool:
    """Return whether a path is below `root` by name but elsewhere after resolving links.

    `root` itself must not contain links.
    """
    named = Path(os.path.normpath(path))
    return _is_below(named, root) and not _is_below(Path(os.path.realpath(path)), root)


def _is_below(path: Path, root: Path) -> bool:
    return path == root or root in path.parents


def link_out(folder: Path, root: Path) -> str:
    """Return a link below `folder` that leads out of `root`, as relative path; empty if none."""
    waiting = [folder]
    while waiting:
        try:
            entries = sorted(os.scandir(waiting.pop()), key=lambda entry: os.fsencode(entry.name))
        except OSError:
            continue
        for entry in entries:
            if entry.is_symlink() and leads_out(Path(entry.path), root):
                return os.path.relpath(entry.path, folder)
            if entry.is_dir(follow_symlinks=False):
                waiting.append(Path(entry.path))
    return ""


def _recognises(importer: Importer, found: Found) -> bool:
    try:
        return importer.recognises(found)
    except Exception:  # noqa: BLE001  # an importer of another package may raise
        return False


def _companions(importer: Importer, found: Found) -> tuple[str, ...]:
    try:
        named = sorted({str(path.absolute()) for path in importer.companions(found)})
    except Exception:  # noqa: BLE001  # as above
        return ()
    return tuple(path for path in named if path != str(found.path))
