"""Encoding what was stored, with the progress and the report of an ingestion."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from graphmemix.ingest.report import IngestProgress

if TYPE_CHECKING:
    from collections.abc import Callable
    from threading import Event

    from graphmemix.ingest.report import IngestReport, OnProgress


class _StoppedError(Exception):
    """Stops indexing between two batches."""


def encode_after(
    report: IngestReport,
    index: Callable[..., int],
    pending: Callable[[], int],
    *,
    progress: OnProgress | None = None,
    stop: Event | None = None,
) -> IngestReport:
    """Encode what waits for it; return the report of an ingestion with what was encoded.

    Args:
        report: Of reading and storing.
        index: Encodes all that waits.
        pending: Returns how many memories wait.
        progress: Called with the progress a few times a second.
        stop: Ends it within seconds once it is set; what was encoded is kept.
    """
    started, total = time.monotonic(), report.pending

    def on_indexed(done: int, of: int) -> None:
        nonlocal total
        total = of
        if progress is not None:
            progress(IngestProgress("encoding", done, of, memories=report.new))
        if stop is not None and stop.is_set():
            raise _StoppedError

    try:
        index(progress=on_indexed)
    except _StoppedError:
        report = replace(report, interrupted=pending() > 0)
    spent, waiting = time.monotonic() - started, pending()
    return replace(
        report,
        indexed=max(total - waiting, 0),
        pending=waiting,
        encoding_seconds=spent,
        seconds=report.seconds + spent,
    )
