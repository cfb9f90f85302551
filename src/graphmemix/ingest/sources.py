"""Sources to read, and their fingerprints, which show whether a source has changed."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphmemix.ingest.tasks import ReadSource

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from graphmemix.ingest.limits import FileLimits
    from graphmemix.ingest.protocol import Importer, Skipped
    from graphmemix.ingest.zips import UnpackedZip


@dataclass(frozen=True)
class Source:
    """A file or folder to read, and the importer that reads it.

    Attributes:
        key: Identifies its location in the journal; a hash, so that it reveals no path.
        fingerprint: Changes when the source or one of its companions changes.
        path: Where it is now; for a file of a zip, where it was unpacked.
        name: As `Found.name`.
        is_folder: Whether it is a folder that is read as a whole.
        importer: What reads it.
        weight: Bytes that it counts for in the progress.
        container: The zip that contains it.
        companions: Files that are read along with it.
        size: Bytes of all its files.
        within: The folder that links must not lead out of; None if they may.
    """

    key: str
    fingerprint: str
    path: Path
    name: str
    is_folder: bool
    importer: Importer
    weight: int = 0
    container: UnpackedZip | None = None
    companions: tuple[Path, ...] = ()
    size: int = 0
    within: Path | None = None

    def is_unchanged(self) -> bool:
        """Return whether all of its files still exist as the walker found them."""
        try:
            current, _ = fingerprint([self.path, *self.companions], [self.importer])
        except OSError:
            return False
        return current == self.fingerprint

    def read_task(self, media: Path | None, limits: FileLimits) -> ReadSource:
        """Return the task that reads it and stores its media in `media`."""
        return ReadSource(
            self.importer,
            self.path,
            self.name,
            self.is_folder,
            media,
            self.within,
            limits,
            self.size,
        )


@dataclass(frozen=True)
class NotRead:
    """Something that the walker met and that is not read.

    Attributes:
        skipped: What was skipped, and why; None for a zip that is unchanged since the last run.
        weight: As in `Source`.
    """

    skipped: Skipped | None
    weight: int = 0


def fingerprint(paths: list[Path], importers: Sequence[Importer]) -> tuple[str, int]:
    """Return a hash of sizes, dates, permissions and importer versions, and the total bytes.

    Contents are not read.

    Args:
        paths: Files and folders; the first one must exist.
        importers: The one that reads them; for a zip, all that may read its files.
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
            # A file that becomes readable counts as changed.
            lock = "" if os.access(below, os.R_OK) else ":locked"
            parts.append(f"{inside}:{status.st_size}:{status.st_mtime_ns}{lock}")
    return short_hash(" ".join(parts).encode()), total


def _all_files(path: Path) -> Iterator[Path]:
    """Yield a file, or the files below a folder in a stable order; links are not followed."""
    waiting = [path]
    while waiting:  # not os.walk, which recurses
        here = waiting.pop()
        if here.is_symlink() or not here.is_dir():
            yield here
        else:
            waiting += sorted(here.iterdir(), key=os.fsencode, reverse=True)


def short_hash(data: bytes) -> str:
    """Return the first 24 hex digits of the SHA-256."""
    return hashlib.sha256(data).hexdigest()[:24]
