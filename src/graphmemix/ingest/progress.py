"""Reports the progress of an ingestion through the caller's callbacks."""

from __future__ import annotations

import time
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

from graphmemix.ingest.report import IngestProgress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from graphmemix.ingest.report import FileOutcome, OnFile, OnProgress, OnReading, Tally

INTERVAL = 0.1  # seconds between two calls of `on_progress`


class ProgressReporter:
    """Collects positions from reader threads; the writing thread reports them.

    Attributes:
        total: Bytes to read; None until they are measured.
        last_name: The source that was processed last.
    """

    def __init__(
        self,
        tally: Tally,
        on_progress: OnProgress | None,
        on_file: OnFile | None,
        on_reading: OnReading | None,
    ) -> None:
        self._tally = tally
        self._on_progress, self._on_file, self._on_reading = on_progress, on_file, on_reading
        self.total: int | None = None
        self.last_name = ""
        self._finished = 0  # bytes of sources that were read or skipped
        self._positions: dict[str, int] = {}  # bytes read of the others, by key
        self._open: list[str] = []
        self._open_lock = Lock()
        self._reported_at = 0.0

    @property
    def is_wanted(self) -> bool:
        """Whether anybody listens to the progress in bytes."""
        return self._on_progress is not None

    def advance(self, key: str, position: int) -> None:
        """Note how many bytes of a source have been read."""
        self._positions[key] = position

    def finish(self, weight: int, key: str = "") -> None:
        """Note that a source of this many bytes was read or skipped."""
        self._positions.pop(key, None)
        self._finished += weight

    def file(self, outcome: FileOutcome) -> None:
        """Report the outcome of one file."""
        if self._on_file is not None:
            self._on_file(outcome)

    @contextmanager
    def reading(self, name: str) -> Iterator[None]:
        """Report the files being read, before this one is opened and after it is closed."""
        self._report_open(self._open.append, name)
        try:
            yield
        finally:
            self._report_open(self._open.remove, name)

    def _report_open(self, change: Callable[[str], None], name: str) -> None:
        with self._open_lock:
            change(name)
            if self._on_reading is not None:
                self._on_reading(tuple(self._open))

    def report(self, *, last: bool = False) -> None:
        """Report the progress if that is due; in any case if it is the last time."""
        now = time.monotonic()
        if self._on_progress is None or (now - self._reported_at < INTERVAL and not last):
            return
        self._reported_at = now
        done = self._finished + sum(list(self._positions.values()))
        total = self.total if self.total is None or last else max(self.total, done)
        tally = self._tally
        self._on_progress(
            IngestProgress("reading", done, total, tally.files, tally.memories, self.last_name)
        )
