"""``graphmemix ingest``: files, folders and exports into an archive."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from types import FrameType
from typing import Annotated, Literal, Self

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from graphmemix.archive import Archive
from graphmemix.cli.options import (
    ArchiveArgument,
    EncoderOption,
    JsonOption,
    ProfileOption,
    SetOption,
    settings_from,
)
from graphmemix.cli.output import err, out
from graphmemix.cli.terminal import say
from graphmemix.errors import ArchiveNotFoundError
from graphmemix.ingest.report import (
    FileOutcome,
    IngestProgress,
    IngestReport,
    OnFile,
    OnProgress,
)
from graphmemix.ingest.run import ingest
from graphmemix.settings import Settings

_MOST_REASONS = 12
_LINE_EVERY = 10.0  # seconds


def command(
    archive: ArchiveArgument,
    paths: Annotated[list[Path], typer.Argument(help="Files, folders and zips to read.")],
    *,
    as_name: Annotated[
        str | None, typer.Option("--as", help="Read every file with this importer.")
    ] = None,
    dry_run: Annotated[bool, typer.Option(help="Read everything, write nothing.")] = False,
    again: Annotated[bool, typer.Option(help="Read unchanged files too.")] = False,
    index: Annotated[
        bool, typer.Option(help="Encode at once; --no-index leaves it for later.")
    ] = True,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Say what became of each file.")
    ] = False,
    zone: Annotated[
        str | None,
        typer.Option(help="Of clocks that tell none, such as Europe/Vienna; else this machine's."),
    ] = None,
    follow_links: Annotated[
        bool | None,
        typer.Option("--follow-links", help="Follow links that lead out of a folder."),
    ] = None,
    encoder: EncoderOption = None,
    profile: ProfileOption = None,
    override: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Read files, folders and exports into an archive; again, and only what is new is added.

    Example: graphmemix ingest ~/archives/family ~/Pictures mail.mbox --zone Europe/Vienna
    """
    named = [] if zone is None else [f"ingest.zone={zone}"]
    named += ["ingest.follow_links=true"] if follow_links else []
    settings = settings_from(profile, [*(override or []), *named])
    console, results = err(), out()
    stop = _Stop()

    def told(outcome: FileOutcome) -> None:
        if verbose:
            (console if as_json else results).print(_line(outcome), markup=False)

    with _stopping(stop, console), _Told(console) as bar:
        report = _ingested(
            archive,
            paths,
            encoder,
            settings,
            as_=as_name,
            dry_run=dry_run,
            again=again,
            index=index,
            progress=bar.show,
            on_file=told,
            stop=stop,
        )
    if as_json:
        say(report.to_json())
    else:
        _show(results, report, verbose=verbose)
    if report.interrupted:
        console.print("Stopped. What was read is kept; the same command again goes on.")
        raise typer.Exit(128 + stop.signal)


def _ingested(
    archive: str,
    paths: list[Path],
    encoder: str | None,
    settings: Settings,
    *,
    as_: str | None,
    dry_run: bool,
    again: bool,
    index: bool,
    progress: OnProgress,
    on_file: OnFile,
    stop: Event,
) -> IngestReport:
    try:
        mode: Literal["read", "write"] = "read" if dry_run else "write"
        with Archive.open(archive, mode=mode, encoder=encoder, settings=settings) as opened:
            return opened.ingest(
                paths,
                as_=as_,
                dry_run=dry_run,
                again=again,
                index=index,
                progress=progress,
                on_file=on_file,
                stop=stop,
            )
    except ArchiveNotFoundError:
        if not dry_run:
            raise
    # A dry run does not make the archive that is missing.
    return ingest(
        None,
        paths,
        update=lambda _: None,
        as_=as_,
        dry_run=True,
        progress=progress,
        on_file=on_file,
        stop=stop,
        settings=settings.ingest,
    )


class _Stop(Event):
    """Is set by a signal, and knows which one."""

    signal: int = signal.SIGINT


@contextmanager
def _stopping(stop: _Stop, console: Console) -> Iterator[None]:
    """Let the first Ctrl-C, SIGTERM or SIGHUP end the run in order, a second Ctrl-C at once.

    SIGHUP comes when a terminal is closed; under nohup it is ignored, and stays so.
    """

    def interrupted(number: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        stop.signal = number
        stop.set()
        console.print("Stopping: what was read is being stored. Ctrl-C again stops at once.")

    handled = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        handled.append(signal.SIGHUP)
    before = [signal.signal(number, interrupted) for number in handled]
    try:
        yield
    finally:
        for number, handler in zip(handled, before, strict=True):
            signal.signal(number, handler)


class _Told:
    """Shows progress: a bar on a terminal, a line now and then elsewhere."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bar = Progress(
            TextColumn("{task.description:<9}"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[said]}"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._tasks: dict[str, TaskID] = {}
        self._line_at = time.monotonic()
        self._started: dict[str, tuple[float, int]] = {}

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._bar.start()
        return self

    def __exit__(self, *exception: object) -> None:
        if self._console.is_terminal:
            self._bar.stop()

    def show(self, at: IngestProgress) -> None:
        now = time.monotonic()
        began, done = self._started.setdefault(at.stage, (now, at.done))
        said = _said(at, (at.done - done) / (now - began) if now > began else 0.0)
        if self._console.is_terminal:
            if at.stage not in self._tasks:
                self._tasks[at.stage] = self._bar.add_task(at.stage, total=None, said="")
            self._bar.update(self._tasks[at.stage], completed=at.done, total=at.total, said=said)
        elif now - self._line_at > _LINE_EVERY:
            self._line_at = now
            share = f"{100 * at.done / at.total:.0f} %, " if at.total else ""
            self._console.print(f"{at.stage}: {share}{said}", markup=False)


def _said(at: IngestProgress, rate: float) -> str:
    if at.stage == "encoding":
        return f"{at.done} of {at.total} memories, {rate:.0f}/s"
    return f"{at.files} files, {at.memories} memories, {rate / 1e6:.1f} MB/s"


def _line(outcome: FileOutcome) -> str:
    name = outcome.name.encode("unicode_escape").decode() if "\n" in outcome.name else outcome.name
    if outcome.outcome in {"skipped", "failed"}:
        return f"{outcome.outcome:<9}  {name}: {outcome.reason}"
    counts = [(outcome.new, "new"), (outcome.updated, "updated"), (outcome.known, "known")]
    told = ", ".join(f"{count} {what}" for count, what in counts if count)
    return f"{outcome.outcome:<9}  {name} ({outcome.importer}{': ' if told else ''}{told})"


def _show(console: Console, report: IngestReport, *, verbose: bool) -> None:
    table = Table("source", "files", "unchanged", "failed", "new", "updated", "known", box=None)
    for count in report.sources:
        read = (count.files, count.unchanged, count.failed)
        table.add_row(count.importer, *map(str, (*read, count.new, count.updated, count.known)))
    if report.sources:
        console.print(table, markup=False)
    would = "would be " if report.dry_run else ""
    console.print(
        f"{report.new} memories {would}added, {report.updated} {would}updated, {report.known} were "
        f"there; {report.seconds:.1f} s; {report.skipped_count} items left out."
    )
    for reason, times in list(report.reasons.items())[: None if verbose else _MOST_REASONS]:
        console.print(f"  {times} × {reason}", markup=False)
    if report.pending and not report.dry_run:
        console.print(
            f"{report.pending} memories wait to be encoded: run ingest without --no-index."
        )
    elif report.skipped_count and not verbose:
        console.print("File by file: --verbose.")
