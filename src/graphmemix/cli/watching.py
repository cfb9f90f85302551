"""``graphmemix ingest --watch``: stays, and reads what is new or changed."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import typer

from graphmemix.cli.ingest_progress import ProgressBars
from graphmemix.cli.output import counted, err, open_in_turn, out
from graphmemix.cli.signals import Stop, stopping
from graphmemix.cli.terminal import say
from graphmemix.errors import GraphMemixError
from graphmemix.ingest.report import IngestReport, OnFile
from graphmemix.settings import Settings

__all__ = ["watch_files"]

_POLL = 0.2  # seconds


def watch_files(
    archive: str,
    paths: Sequence[Path],
    settings: Settings,
    *,
    encoder: str | None,
    as_: str | None,
    on_file: OnFile,
    as_json: bool,
) -> None:
    """Read files into an archive now and whenever they change, until Ctrl-C or SIGTERM.

    Raises:
        Exit: With 128 and the number of the signal, as every interrupted command.
    """
    console, results, stop = err(), out(), Stop()
    bars = ProgressBars(console)

    def on_report(report: IngestReport) -> None:
        bars.clear()
        if as_json:
            say(report.to_json())
        elif report.new or report.updated or report.skipped_count or not report.known:
            results.print(f"{datetime.now():%H:%M:%S}  {_line(report)}")  # noqa: DTZ005  # a clock

    def on_error(error: GraphMemixError) -> None:
        bars.clear()
        console.print(f"{error}; trying again.", markup=False)

    with (
        stopping(stop, console),
        bars,
        open_in_turn(archive, mode="shared", encoder=encoder, settings=settings) as opened,
    ):
        watcher = opened.watch(
            paths,
            on_report=on_report,
            on_error=on_error,
            as_=as_,
            progress=bars.show,
            on_file=on_file,
        )
        named = counted(len(paths), "path") if len(paths) > 1 else str(paths[0])
        console.print(f"Watching {named}; stop with Ctrl-C.", markup=False)
        watcher.start()
        while watcher.is_running and not stop.is_set():
            time.sleep(_POLL)  # a handler of signals may take no lock that this thread holds
        watcher.stop()
    console.print("Stopped. What was read is kept.")
    raise typer.Exit(128 + stop.signal)


def _line(report: IngestReport) -> str:
    parts = [
        f"{counted(report.new, 'memory')} added",
        f"{report.updated:,} updated" if report.updated else "",
        f"{counted(report.skipped_count, 'item')} skipped" if report.skipped_count else "",
    ]
    return ", ".join(filter(None, parts))
