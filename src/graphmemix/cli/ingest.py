"""``graphmemix ingest``: reads files, folders and exports into an archive."""

from __future__ import annotations

import shlex
from pathlib import Path
from threading import Event
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.table import Table

from graphmemix.cli import completion
from graphmemix.cli.ingest_progress import ProgressBars
from graphmemix.cli.options import (
    PRINTING,
    ArchiveArgument,
    EncoderOption,
    JsonOption,
    ProfileOption,
    SetOption,
    settings_from,
)
from graphmemix.cli.output import (
    counted,
    duration,
    err,
    one_line,
    open_in_turn,
    out,
    since_start,
)
from graphmemix.cli.signals import Stop, stopping
from graphmemix.cli.terminal import say
from graphmemix.errors import ArchiveNotFoundError, InvalidInputError
from graphmemix.ingest.builtin import importer
from graphmemix.ingest.report import FileOutcome, IngestReport, OnFile, OnProgress
from graphmemix.ingest.run import ingest, require_existing
from graphmemix.settings import Settings

_MOST_REASONS = 12
_MOST_NAMES = 20  # listed for each reason
_LONGEST_NAME = 200  # characters


def command(
    archive: ArchiveArgument,
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="PATH", help="Files, folders and zip files to read."),
    ],
    *,
    as_name: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="IMPORTER",
            help="Read every file with this importer, such as mail.",
            autocompletion=completion.importers,
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Read everything, write nothing.")
    ] = False,
    again: Annotated[bool, typer.Option("--again", help="Also read unchanged files.")] = False,
    watch: Annotated[
        bool,
        typer.Option(
            "--watch",
            help="Then stay, and read what is new or changed as it appears. Stop with Ctrl-C.",
        ),
    ] = False,
    later: Annotated[
        bool,
        typer.Option(
            "--later",
            "--no-index",
            help="Leave encoding to `graphmemix index`, or to `graphmemix serve` when it is idle. "
            "Until then memories are found by words, dates, places and people.",
        ),
    ] = False,
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose", "-v", help="Print the outcome of each file.", rich_help_panel=PRINTING
        ),
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

    Memories can be searched by words as soon as they are stored; encoding, which finds them by
    meaning, comes last and may be interrupted. Others may use the archive meanwhile.

    Example: graphmemix ingest ~/archives/family ~/Pictures mail.mbox --zone Europe/Vienna

    Example: graphmemix ingest ~/archives/family ~/Documents --dry-run

    Example: graphmemix ingest ~/archives/family ~/Documents --watch
    """
    if watch and (dry_run or again or later or describe):
        raise InvalidInputError(
            "--watch: reads what is new as it appears; leave out --dry-run, --again, --later and "
            "--describe"
        )
    named = [] if zone is None else [f"ingest.zone={zone}"]
    named += ["ingest.follow_links=true"] if follow_links else []
    settings = settings_from(profile, [*(override or []), *named])
    require_existing(paths)  # before an archive is made
    if as_name is not None:
        importer(as_name)
    console, results = err(), out()
    stop = Stop()

    def on_file(outcome: FileOutcome) -> None:
        if verbose:
            (console if as_json else results).print(_line(outcome), markup=False)

    if watch:
        from graphmemix.cli.watching import watch_files

        watch_files(
            archive, paths, settings, encoder=encoder, as_=as_name, on_file=on_file, as_json=as_json
        )
        return
    with stopping(stop, console), ProgressBars(console) as bars:
        report = _ingested(
            archive,
            paths,
            encoder,
            settings,
            as_=as_name,
            dry_run=dry_run,
            again=again,
            index=not later,
            progress=bars.show,
            on_file=on_file,
            stop=stop,
        )
    if as_json:
        say(report.to_json())
    else:
        show_report(results, archive, report, seconds=since_start(), verbose=verbose)
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
        mode: Literal["read", "shared"] = "read" if dry_run else "shared"
        with open_in_turn(archive, mode=mode, encoder=encoder, settings=settings) as opened:
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


def _line(outcome: FileOutcome) -> str:
    name = outcome.name.encode("unicode_escape").decode() if "\n" in outcome.name else outcome.name
    if outcome.outcome in {"skipped", "failed"}:
        return f"{outcome.outcome:<9}  {name}: {outcome.reason}"
    counts = [(outcome.new, "new"), (outcome.updated, "updated"), (outcome.known, "known")]
    changes = ", ".join(f"{count} {what}" for count, what in counts if count)
    return f"{outcome.outcome:<9}  {name} ({outcome.importer}{': ' if changes else ''}{changes})"


def show_report(
    console: Console, archive: str, report: IngestReport, *, seconds: float, verbose: bool
) -> None:
    """Print what an ingestion did.

    Args:
        console: Where to.
        archive: As it was typed.
        report: What it did.
        seconds: What it took, all in all.
        verbose: Whether each file was printed before.
    """
    table = Table("source", "files", "unchanged", "failed", "new", "updated", "known", box=None)
    for count in report.sources:
        read = (count.files, count.unchanged, count.failed)
        table.add_row(count.importer, *map(str, (*read, count.new, count.updated, count.known)))
    if report.sources:
        console.print(table, markup=False)
    would = "would be " if report.dry_run else ""
    console.print(
        f"{counted(report.new, 'memory')} {would}added, {report.updated:,} {would}updated, "
        f"{report.known:,} unchanged; {counted(report.skipped_count, 'item')} skipped. "
        f"{_spent(report, seconds)}",
        soft_wrap=not console.is_terminal,
    )
    for note in report.notes:
        console.print(f"Note: {note}.", markup=False)
    for reason, times in list(report.reasons.items())[: None if verbose else _MOST_REASONS]:
        console.print(f"  {times} × {reason}", markup=False)
        if verbose:
            _show_names(console, [each.name for each in report.skipped if each.reason == reason])
    if report.pending and not report.dry_run:
        console.print(
            f"{counted(report.pending, 'memory')} not encoded yet, and found by words alone: run "
            f"graphmemix index {shlex.quote(archive)}.",
            soft_wrap=True,
        )
    elif report.skipped_count and not verbose:
        console.print("Use --verbose to see each file.")


def _show_names(console: Console, names: list[str]) -> None:
    """Print what was skipped for one reason: files, and parts of files that were read."""
    for name in names[:_MOST_NAMES]:
        console.print(f"      {one_line(name, _LONGEST_NAME)}", markup=False)
    if len(names) > _MOST_NAMES:
        console.print(f"      and {len(names) - _MOST_NAMES} more; --json lists them")


def _spent(report: IngestReport, seconds: float) -> str:
    """Return what the whole command took, and its parts; the rest is starting and opening."""
    if not report.indexed:
        return f"{duration(seconds)}."
    reading = duration(report.seconds - report.encoding_seconds)
    return (
        f"{counted(report.indexed, 'memory')} encoded. {duration(seconds)}: reading and "
        f"storing {reading}, encoding {duration(report.encoding_seconds)}."
    )
