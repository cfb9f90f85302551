"""What commands have in common: opening, printing, progress, and an orderly end on Ctrl-C."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar
from rich.table import Table

from graphmemix.archive import Archive
from graphmemix.cli.terminal import SafeConsole, say, visible, visible_in_line
from graphmemix.errors import InvalidInputError
from graphmemix.settings import Settings

PROBLEMS = 1
WRONG_USE = 2
INTERRUPTED = 130


_LINE_EVERY = 10.0  # seconds between lines of progress where there is no terminal

Told: TypeAlias = Callable[[int, int], None]


def out(*, width: int | None = None, soft_wrap: bool = True) -> Console:
    """Return the console for results: no colour in a pipe, no line broken.

    Args:
        width: Columns; by default those of the terminal.
        soft_wrap: Whether long lines are left to the terminal.
    """
    return _console(width=width, soft_wrap=soft_wrap)


def err(*, soft_wrap: bool = True) -> Console:
    """Return the console for everything that is no result."""
    return _console(stderr=True, soft_wrap=soft_wrap)


def _console(**options: Any) -> Console:
    # No markup and no :emoji: by default: in the text of others they would be commands as well.
    return SafeConsole(markup=False, emoji=False, highlight=False, **options)


def reporter() -> Callable[[str], None]:
    """Return what tells, on standard error, what is being done."""
    return partial(err(soft_wrap=False).print, style="dim")


def open_existing(
    archive: str,
    *,
    mode: Literal["read", "write"] = "read",
    encoder: str | None = None,
    settings: Settings | None = None,
    wait: float = 5.0,
) -> Archive:
    """Open an archive that is there; none is ever made. Arguments are those of `Archive.open`.

    Raises:
        ArchiveNotFoundError: There is none.
    """
    opened = Archive.open(archive, mode="read", encoder=encoder, settings=settings)
    if mode == "read":
        return opened
    opened.close()
    return Archive.open(
        archive, mode="write", encoder=opened.encoder, settings=opened.settings, wait=wait
    )


def shown(archive: str) -> str:
    """Return where an archive is, without the password of its database."""
    return re.sub(r"(://[^/@:]*):[^/@]*@", r"\1@", archive)


def one_line(text: str, most: int) -> str:
    """Return the beginning of a text in one line."""
    words = " ".join(visible(text).split())
    return words if len(words) <= most else f"{words[: most - 1]}…"


def show_rows(console: Console, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table on a terminal; in a pipe plain lines, with a tab between columns."""
    if not console.is_terminal:
        for row in (columns, *rows):
            say("\t".join(map(visible_in_line, row)))
        return
    table = Table(*columns, box=None)
    for row in rows:
        table.add_row(*map(visible_in_line, row))
    console.print(table)


@contextmanager
def progress(doing: str) -> Iterator[Told]:
    """Tell how far it is, on standard error: a bar on a terminal, elsewhere a line now and then."""
    console = err()
    bar = Bar(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        redirect_stdout=False,  # it would read foreign text as styles and links
        redirect_stderr=False,
        disable=not console.is_terminal,
    )
    last = time.monotonic()

    def told(done: int, total: int) -> None:
        nonlocal last
        bar.update(task, completed=done, total=total)
        if not console.is_terminal and time.monotonic() - last > _LINE_EVERY:
            last = time.monotonic()
            console.print(f"{doing}: {done} of {total}", markup=False)

    with bar:
        task = bar.add_task(doing, total=None)
        yield told


@contextmanager
def interruptible(how_to_go_on: str) -> Iterator[None]:
    """Let Ctrl-C end the command without a traceback, saying how things stand."""
    try:
        yield
    except KeyboardInterrupt:
        err().print(f"Stopped. {how_to_go_on}", markup=False)
        raise typer.Exit(INTERRUPTED) from None


def read_text(source: str) -> str:
    """Return the text of a file, or of standard input for ``-``.

    Raises:
        InvalidInputError: It cannot be read.
    """
    if source == "-":
        return sys.stdin.read()
    try:
        return Path(source).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"{source}: cannot be read ({error})") from None
