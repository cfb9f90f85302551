"""Keeps an archive current: looks at files and folders again and again, and reads what changed.

By looking, not by notices of the operating system: it works on every disk, network drives and
mounted phones included, and needs no other package. A look costs one ``stat`` a file.
"""

from __future__ import annotations

import logging
import os
import stat
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Final, Self

from graphmemix.errors import (
    ArchiveClosedError,
    ArchiveReadOnlyError,
    GraphMemixError,
    ImportSourceError,
    InvalidInputError,
)
from graphmemix.ingest.run import require_existing
from graphmemix.ingest.unsupported import is_junk
from graphmemix.ingest.walker import ARCHIVE_FILES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from graphmemix.ingest.report import IngestReport

__all__ = ["Watcher"]

_LOG: Final = logging.getLogger("graphmemix.watch")
_PATIENCE: Final = 15  # looks; a file that never rests, such as a log, keeps others out no longer
_LONGEST_PAUSE: Final = 60.0  # seconds between tries while reading fails
_FATAL: Final = (ArchiveClosedError, ArchiveReadOnlyError, InvalidInputError)


class Watcher:
    """Reads files into an archive when they appear or change; made by `Archive.watch`.

    ::

        with archive.watch("~/Documents") as watcher:   # in a thread of its own
            ...
        archive.watch("~/Documents").run()              # here, until `stop` or Ctrl-C

    - At first everything is read, as by `Archive.ingest`; then what is new or changed.
    - A file is read once it has kept its size and time from one look to the next, so that none is
      read while it is written. If a folder never rests, it is read after some looks anyway; what
      changes while it is read is read again.
    - Memories of a file that is deleted or moved stay: an archive forgets only what is erased.
    - If reading fails, as when another process writes to the archive or the disk is full, it is
      tried again, after pauses of up to a minute. A path that vanishes, such as a drive that is
      taken out, is read again when it is back.
    """

    def __init__(
        self,
        ingest: Callable[[Sequence[Path], Event], IngestReport],
        paths: Sequence[Path],
        *,
        on_report: Callable[[IngestReport], None] | None = None,
        on_error: Callable[[GraphMemixError], None] | None = None,
        every: float = 2.0,
        follow_links: bool = False,
        wait: Callable[[float], bool] | None = None,
    ) -> None:
        """Prepare; nothing is read yet.

        Args:
            ingest: Reads paths; is called with those that changed, and with what stops it.
            paths: Files and folders; they have to exist.
            on_report: Called with the report of every reading, from the thread that reads.
            on_error: Called with what failed and is tried again; by default it is logged as a
                warning of ``graphmemix.watch``.
            every: Seconds between two looks.
            follow_links: Whether to follow links to other folders.
            wait: Waits so many seconds and returns whether to stop; by default until `stop`.

        Raises:
            InvalidInputError: A path does not exist, there is none, or `every` is not positive.
        """
        if not paths:
            raise InvalidInputError("watch: name at least one file or folder")
        if not every > 0:
            raise InvalidInputError(f"watch: every must be more than 0 seconds, not {every!r}")
        require_existing(paths)
        self.paths = tuple(paths)
        self._ingest = ingest
        self._on_report = on_report
        self._on_error = on_error
        self._every = every
        self._follow_links = follow_links
        self._stopping = Event()
        self._wait = wait or self._stopping.wait
        self._roots = [_Root(path) for path in self.paths]
        self._failures = 0  # in a row
        self._looking = Lock()
        self._thread: Thread | None = None
        self._failed: BaseException | None = None

    def __repr__(self) -> str:
        state = "watching" if self.is_running else "stopped"
        return f"<Watcher of {', '.join(map(str, self.paths))}, {state}>"

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, kind: object, *rest: object) -> None:
        self._end()
        if kind is None:
            self._raise_failure()

    @property
    def is_running(self) -> bool:
        """Whether its thread is watching."""
        return self._thread is not None and self._thread.is_alive()

    def look(self) -> IngestReport | None:
        """Look once and read what is due; return the report, or None if nothing was read.

        Raises:
            GraphMemixError: Reading failed; the next look tries again.
        """
        with self._looking:
            due = [root for root in self._roots if root.look(follow_links=self._follow_links)]
            for root in self._roots:
                if root.vanished():
                    self._report_error(
                        ImportSourceError(f"{root.path} is gone; its memories stay, and it is "
                                          "read again when it is back")
                    )  # fmt: skip
            if not due:
                return None
            report = self._ingest([root.path for root in due], self._stopping)
            if not report.interrupted:
                for root in due:
                    root.was_read()
        if self._on_report is not None:
            self._on_report(report)
        return report

    def run(self) -> None:
        """Look and read until `stop` is called.

        Raises:
            ArchiveClosedError: The archive was closed meanwhile.
            ArchiveReadOnlyError: It is open for reading only.
            InvalidInputError: The importer is unknown.
        """
        while not self._stopping.is_set():
            try:
                self.look()
                self._failures = 0
            except _FATAL:
                raise
            except GraphMemixError as error:
                self._failures += 1
                self._report_error(error)
            pause = min(self._every * 2**self._failures, max(self._every, _LONGEST_PAUSE))
            if self._wait(pause):
                return

    def start(self) -> Self:
        """Watch in a thread of its own; does nothing if it is watching already."""
        if not self.is_running:
            self._stopping.clear()
            self._failed = None
            self._thread = Thread(target=self._watch, name="graphmemix-watch", daemon=True)
            self._thread.start()
        return self

    def stop(self) -> None:
        """Stop within seconds; nothing that was read is lost. Stopping twice is harmless.

        Raises:
            GraphMemixError: The thread had ended because of this error.
        """
        self._end()
        self._raise_failure()

    def _watch(self) -> None:
        try:
            self.run()
        except BaseException as error:  # noqa: BLE001  # raised again by `stop`
            self._failed = error

    def _end(self) -> None:
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()

    def _raise_failure(self) -> None:
        failed, self._failed = self._failed, None
        if failed is not None:
            raise failed

    def _report_error(self, error: GraphMemixError) -> None:
        if self._on_error is not None:
            self._on_error(error)
        else:
            _LOG.warning("%s", error)


class _Root:
    """A path that is watched: what was there when it was read, and at the last look."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._read: frozenset[int] | None = None
        self._seen: frozenset[int] | None = None
        self._waited = 0
        self._is_gone = self._says_gone = False

    def look(self, *, follow_links: bool) -> bool:
        """Look; return whether the path has to be read now."""
        before = self._seen
        if not os.path.lexists(self.path):
            self._says_gone = not self._is_gone
            self._is_gone = True
            return False
        self._is_gone = False
        self._seen = now = _files(self.path, follow_links=follow_links)
        if self._read is None:
            return True
        if now <= self._read:  # nothing new; what is deleted stays in the archive
            self._read, self._waited = now, 0
            return False
        self._waited += 1
        return now == before or self._waited >= _PATIENCE

    def vanished(self) -> bool:
        """Return whether the path is gone since the look before; True once."""
        said, self._says_gone = self._says_gone, False
        return said

    def was_read(self) -> None:
        """Note that what the last look saw was read."""
        self._read, self._waited = self._seen, 0


def _files(top: Path, *, follow_links: bool) -> frozenset[int]:
    """Return one number for every file below a path, which changes with its size and time.

    Numbers, because paths of a million files would take hundreds of megabytes.
    """
    found: set[int] = set()
    walked: set[tuple[int, int]] = set()
    waiting = [os.fspath(top)]
    while waiting:
        path = waiting.pop()
        try:
            status = os.stat(path)  # noqa: PTH116  # a million times
            if not stat.S_ISDIR(status.st_mode):
                found.add(hash((path, status.st_mtime_ns, status.st_size, status.st_ino)))
                continue
            if (status.st_dev, status.st_ino) in walked:
                continue
            walked.add((status.st_dev, status.st_ino))
            with os.scandir(path) as entries:
                inside = {entry.name: entry.is_symlink() for entry in entries}
        except OSError:  # it vanished, or may not be read: `ingest` says so
            continue
        if inside.keys() >= ARCHIVE_FILES:
            continue  # an archive changes whenever something is read
        waiting += [
            os.path.join(path, name)  # noqa: PTH118
            for name, is_link in inside.items()
            if not is_junk(name) and (follow_links or not (is_link and _is_folder(path, name)))
        ]
    return frozenset(found)


def _is_folder(path: str, name: str) -> bool:
    return os.path.isdir(os.path.join(path, name))  # noqa: PTH112, PTH118
