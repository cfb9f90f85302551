"""``graphmemix ingest``: reads files, folders and exports into an archive."""

from __future__ import annotations

import shlex
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
from graphmemix.cli.output import counted, err, out
from graphmemix.cli.terminal import say
from graphmemix.errors import ArchiveNotFoundError
from graphmemix.ingest.report import (
    FileOutcome,
    IngestProgress,
    IngestReport,
    OnFile,
    OnProgress,
)
from graphmemix.ingest.run import ingest, require_existing
from graphmemix.settings import Settings

_MOST_REASONS = 12
_LINE_EVERY = 10.0  # seconds


def command(
    archive: ArchiveArgument,
    paths: Annotated[list[Path], typer.Argument(help="Files, folders and zip files to read.")],
    *,
    as_name: Annotated[
        str | None, typer.Option("--as", help="Read every file with this importer.")
    ] = None,
    dry_run: Annotated[bool, typer.Option(help="Read everything, write nothing.")] = False,
    again: Annotated[bool, typer.Option(help="Also read unchanged files.")] = False,
    index: Annotated[
        bool, typer.Option(help="Encode immediately; --no-index leaves it for later.")
    ] = True,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Print the outcome of each file.")
    ] = False,
    zone: Annotated[
        str | None,
        typer.Option(
            help="Time zone for timestamps without an offset, such as Europe/Vienna; default: the "
            "archive's, which is this machine's at the first run."
        ),
    ] = None,
    follow_links: Annotated[
        bool | None,
        typer.Option("--follow-links", help="Follow links that point outside the folder."),
    ] = None,
    describe: Annotated[
        bool, typer.Option("--describe", help="Then describe media, as graphmemix describe does.")
    ] = False,
    encoder: EncoderOption = None,
    profile: ProfileOption = None,
    override: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Read files, folders and exports into an archive. Run it again to add only what is new.

    Example: graphmemix ingest ~/archives/family ~/Pictures mail.mbox --zone Europe/Vienna
    """
    named = [] if zone is None else [f"ingest.zone={zone}"]
    named += ["ingest.follow_links=true"] if follow_links else []
    settings = settings_from(profile, [*(override or []), *named])
    require_existing(paths)  # before an archive is made
    console, results = err(), out()
    stop = _Stop()

    def on_file(outcome: FileOutcome) -> None:
        if verbose:
            (console if as_json else results).print(_line(outcome), markup=False)

    with _stopping(stop, console), _ProgressBars(console) as bars:
        report = _ingested(
            archive,
            paths,
            encoder,
            settings,
            as_=as_name,
            dry_run=dry_run,
            again=again,
            index=index,
            progress=bars.show,
            on_file=on_file,
            stop=stop,
        )
    if as_json:
        say(report.to_json())
    else:
        _show(results, report, verbose=verbose)
        if report.wordless and not describe:
            _offer(results, archive, report.wordless)
    if describe and not dry_run and not report.interrupted:
        from graphmemix.cli.describe import command as describe_media

        describe_media(archive, encoder=encoder, override=override, as_json=as_json)
    if report.interrupted:
        console.print("Stopped. What was read is kept; run the command again to continue.")
        raise typer.Exit(128 + stop.signal)


def _offer(console: Console, archive: str, wordless: int) -> None:
    what = "photo or recording has" if wordless == 1 else "photos and recordings have"
    console.print(
        f"{wordless} {what} no words: graphmemix describe {shlex.quote(archive)} reads texts in "
        "them and names places; ingest --describe does so at once.",
        markup=False,
        soft_wrap=True,
    )


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
    # A dry run does not create a missing archive.
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
    """Set by a signal; remembers which one."""

    signal: int = signal.SIGINT


@contextmanager
def _stopping(stop: _Stop, console: Console) -> Iterator[None]:
    """Let the first Ctrl-C, SIGTERM or SIGHUP end the run cleanly, a second Ctrl-C immediately.

    SIGHUP is sent when a terminal is closed; under nohup it stays ignored.
    """

    def interrupted(number: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        stop.signal = number
        stop.set()
        console.print("Stopping: storing what was read. Press Ctrl-C again to stop immediately.")

    handled = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        handled.append(signal.SIGHUP)
    before = [signal.signal(number, interrupted) for number in handled]
    try:
        yield
    finally:
        for number, handler in zip(handled, before, strict=True):
            signal.signal(number, handler)


class _ProgressBars:
    """Shows progress: a bar on a terminal, a line now and then elsewhere."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bar = Progress(
            TextColumn("{task.description:<9}"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[detail]}"),
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
        detail = _detail(at, (at.done - done) / (now - began) if now > began else 0.0)
        if self._console.is_terminal:
            if at.stage not in self._tasks:
                self._tasks[at.stage] = self._bar.add_task(at.stage, total=None, detail="")
            self._bar.update(
                self._tasks[at.stage], completed=at.done, total=at.total, detail=detail
            )
        elif now - self._line_at > _LINE_EVERY:
            self._line_at = now
            share = f"{100 * at.done / at.total:.0f} %, " if at.total else ""
            self._console.print(f"{at.stage}: {share}{detail}", markup=False)


def _detail(at: IngestProgress, rate: float) -> str:
    if at.stage == "encoding":
        return f"{at.done} of {at.total} memories, {rate:.0f}/s"
    return f"{at.files} files, {at.memories} memories, {rate / 1e6:.1f} MB/s"


def _line(outcome: FileOutcome) -> str:
    name = outcome.name.encode("unicode_escape").decode() if "\n" in outcome.name else outcome.name
    if outcome.outcome in {"skipped", "failed"}:
        return f"{outcome.outcome:<9}  {name}: {outcome.reason}"
    counts = [(outcome.new, "new"), (outcome.updated, "updated"), (outcome.known, "known")]
    changes = ", ".join(f"{count} {what}" for count, what in counts if count)
    return f"{outcome.outcome:<9}  {name} ({outcome.importer}{': ' if changes else ''}{changes})"


def _show(console: Console, report: IngestReport, *, verbose: bool) -> None:
    table = Table("source", "files", "unchanged", "failed", "new", "updated", "known", box=None)
    for count in report.sources:
        read = (count.files, count.unchanged, count.failed)
        table.add_row(count.importer, *map(str, (*read, count.new, count.updated, count.known)))
    if report.sources:
        console.print(table, markup=False)
    would = "would be " if report.dry_run else ""
    console.print(
        f"{counted(report.new, 'memory')} {would}added, {report.updated} {would}updated, "
        f"{report.known} unchanged; {counted(report.skipped_count, 'item')} skipped; "
        f"{report.seconds:.1f} s."
    )
    for note in report.notes:
        console.print(f"Note: {note}.", markup=False)
    for reason, times in list(report.reasons.items())[: None if verbose else _MOST_REASONS]:
        console.print(f"  {times} × {reason}", markup=False)
    if report.pending and not report.dry_run:
        console.print(
            f"{counted(report.pending, 'memory')} not encoded yet: run ingest without --no-index."
        )
    elif report.skipped_count and not verbose:
        console.print("Use --verbose to see each file.")
