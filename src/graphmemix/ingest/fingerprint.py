"""What tells whether a source has changed: sizes, dates, permissions, and no content."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from graphmemix.ingest.protocol import Importer


def fingerprint(paths: list[Path], importers: Sequence[Importer]) -> tuple[str, int]:
    """Return what changes when one of these files changes or is read otherwise, and their bytes.

    Args:
        paths: Files and folders; the first must be there.
        importers: The one that reads them; for a zip, all who may read what is in it.
    """
    parts = [
        f"{each.name}:{getattr(each, 'version', 1)}:{getattr(each, 'zone', None) or ''}"
        for each in importers
    ]
    total = 0
    for path in paths:
        for below in _all_files(path):
            try:
                status = below.stat()
            except FileNotFoundError:
                if below == paths[0]:
                    raise
                continue
            total += status.st_size
            inside = os.path.relpath(below, path).encode("utf-8", "surrogateescape").hex()
            # A file that may be read again some day is another one then.
            lock = "" if os.access(below, os.R_OK) else ":locked"
            parts.append(f"{inside}:{status.st_size}:{status.st_mtime_ns}{lock}")
    return digest(" ".join(parts).encode()), total


def _all_files(path: Path) -> Iterator[Path]:
    """Yield a file, or the files below a folder in a stable order; links are not followed."""
    waiting = [path]
    while waiting:  # not os.walk, which recurses
        here = waiting.pop()
        if here.is_symlink() or not here.is_dir():
            yield here
        else:
            waiting += sorted(here.iterdir(), key=os.fsencode, reverse=True)


def digest(data: bytes) -> str:
    """Return a short hash, from which nothing can be read."""
    return hashlib.sha256(data).hexdigest()[:24]
