"""Shared by commands: opening archives, printing, progress and handling of Ctrl-C.

`progress` shows a bar; `working` shows the stage of a question, and for how many seconds.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import typer
from rich.console import Console
from rich.live import Live
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar
from rich.text import Text

from graphmemix.archive import Archive
from graphmemix.cli.terminal import SafeConsole, visible
from graphmemix.encode.views import all_words
from graphmemix.errors import ArchiveBusyError, InvalidInputError
from graphmemix.memory import Memory
from graphmemix.settings import Settings

PROBLEMS = 1
WRONG_USE = 2
INTERRUPTED = 130


_IN_TURN = 86_400.0  # seconds to wait for other writers, before and between changes
_SHOWN = 100  # characters of a memory in a line
_LINE_EVERY = 10.0  # seconds between lines of progress where there is no terminal

OnProgress: TypeAlias = Callable[[int, int], None]
QuietOption: TypeAlias = Annotated[
    bool, typer.Option("--quiet", "-q", help="Show no progress on the terminal.")
]

_SHOWN_AS = {"retrieve": "searching", "verify": "judging", "read": "answering"}


def out(*, width: int | None = None, soft_wrap: bool = True) -> Console:
    """Return the console for results: no colour in a pipe, no broken lines.

    Args:
        width: Columns; by default those of the terminal.
        soft_wrap: Whether long lines are left to the terminal.
    """
    return _console(width=width, soft_wrap=soft_wrap)


def err(*, soft_wrap: bool = True) -> Console:
    """Return the console for everything but results."""
    return _console(stderr=True, soft_wrap=soft_wrap)


def _console(**options: Any) -> Console:
    # No markup and no :emoji: by default: text from an archive must not be interpreted.
    return SafeConsole(markup=False, emoji=False, highlight=False, **options)


def reporter() -> Callable[[str], None]:
    """Return a function that prints status messages to standard error."""
    return partial(err(soft_wrap=False).print, style="dim")


def open_existing(
    archive: str,
    *,
    mode: Literal["read", "write"] = "read",
    encoder: str | None = None,
    settings: Settings | None = None,
    wait: float = 5.0,
) -> Archive:
    """Open an existing archive; never creates one. Arguments are those of `Archive.open`.

    Raises:
        ArchiveNotFoundError: It does not exist.
    """
    opened = Archive.open(archive, mode="read", encoder=encoder, settings=settings)
    if mode == "read":
        return opened
    opened.close()
    return Archive.open(
        archive, mode="write", encoder=opened.encoder, settings=opened.settings, wait=wait
    )


def open_in_turn(
    archive: str,
    *,
    mode: Literal["read", "shared"],
    encoder: str | None = None,
    settings: Settings | None = None,
) -> Archive:
    """Open an archive that other processes may write to as well; wait for one that does.

    Arguments are those of `Archive.open`.
    """
    opened = Archive.open(archive, mode=mode, encoder=encoder, settings=settings, wait=_IN_TURN)
    try:
        with opened.store.writing(0) if mode == "shared" else nullcontext():
            pass
    except ArchiveBusyError as error:
        who = f"process {error.process}" if error.process else "another process"
        err().print(f"Waiting for {who}, which writes to this archive.", markup=False)
    return opened


def shown(archive: str) -> str:
    """Return the location of an archive, without the password of its database."""
    return re.sub(r"(://[^/@:]*):[^/@]*@", r"\1@", archive)


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a count with its noun, such as ``1 memory`` or ``2,000 memories``."""
    regular = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count:,} {noun if count == 1 else plural or regular}"


def since_start() -> float:
    """Return the seconds since this process began, with all that was imported and opened."""
    from graphmemix.cli import STARTED

    return time.monotonic() - STARTED


def duration(seconds: float) -> str:
    """Return a time in words, as exactly as it matters.

    Examples:
        >>> duration(4.21), duration(200), duration(7500)
        ('4.2 s', '3 min 20 s', '2 h 5 min')
    """
    if seconds < 59.5:
        return f"{seconds:.{1 if seconds < 10 else 0}f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 10:
        return f"{minutes} min {rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def one_line(text: str, most: int) -> str:
    """Return the beginning of a text in one line."""
    words = " ".join(visible(text).split())
    return words if len(words) <= most else f"{words[: most - 1]}…"


def print_words(
    console: Console, text: str | Text, style: str | None = None, *, indent: int = 0
) -> None:
    """Print sentences: broken between words on a terminal, and not at all in a pipe."""
    words = Text(visible(text)) if isinstance(text, str) else text
    if console.is_terminal:
        console.print(Padding(words, (0, 0, 0, indent), expand=False), style=style, soft_wrap=False)
    else:
        console.print(Text.assemble(" " * indent, words), style=style)


def memory_line(memory: Memory | None) -> str:
    """Return a memory in one line: kind, date, author, place and its first words."""
    if memory is None:
        return "(erased)"
    parts: list[str] = [memory.kind]
    if memory.timestamp is not None:
        parts.append(f"{memory.timestamp:%Y-%m-%d}")
    if memory.speaker:
        parts.append(memory.speaker)
    words = all_words(replace(memory, speaker=None))  # the speaker is shown already
    if not words.strip():
        names = ", ".join(medium.name for medium in memory.media if medium.name)
        words = names or memory.source_id
    place = f" @ {memory.place.name}" if memory.place is not None and memory.place.name else ""
    return f"{visible(', '.join(parts) + place)}: {one_line(words, _SHOWN)}"


@contextmanager
def progress(doing: str) -> Iterator[OnProgress]:
    """Report progress on standard error: a bar on a terminal, elsewhere a line now and then."""
    console = err()
    bar = Bar(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        redirect_stdout=False,  # it would interpret printed text as styles and links
        redirect_stderr=False,
        disable=not console.is_terminal,
    )
    last = time.monotonic()

    def on_progress(done: int, total: int) -> None:
        nonlocal last
        bar.update(task, completed=done, total=total)
        if not console.is_terminal and time.monotonic() - last > _LINE_EVERY:
            last = time.monotonic()
            console.print(f"{doing}: {done} of {total}", markup=False)

    with bar:
        task = bar.add_task(doing, total=None)
        yield on_progress


@contextmanager
def interruptible(advice: str) -> Iterator[None]:
    """Let Ctrl-C end the command without a traceback, and print how to continue."""
    try:
        yield
    except KeyboardInterrupt:
        err().print(f"Stopped. {advice}", markup=False)
        raise typer.Exit(INTERRUPTED) from None


def read_text(source: str) -> str:
    """Return the text of a file, or of standard input if `source` is ``-``.

    Raises:
        InvalidInputError: It cannot be read.
    """
    if source == "-":
        return sys.stdin.read()
    try:
        return Path(source).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"{source}: cannot be read ({error})") from None


class Working:
    """A line on standard error while a question is worked on.

    Attributes:
        failures: What stood in for a model that failed, in words; complete before the first piece
            of the answer arrives.
    """

    def __init__(self, console: Console, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Prepare the line; nothing is shown before `start`, and nothing outside a terminal."""
        self.failures: list[str] = []
        self._clock = clock
        self._stage, self._since = "", clock()
        self._live = Live(
            self,
            console=console,
            transient=True,
            refresh_per_second=1,
            redirect_stdout=False,  # it would interpret printed text as styles and links
            redirect_stderr=False,
        )

    def __rich__(self) -> Text:
        seconds = int(self._clock() - self._since)
        return Text(f"{self._stage} … {seconds} s" if self._stage else "", style="dim")

    def begin(self, stage: str) -> None:
        """Show another stage; those that take no time are not worth a word."""
        if stage in _SHOWN_AS:
            self._stage, self._since = _SHOWN_AS[stage], self._clock()

    def start(self) -> None:
        """Show the line, if there is a terminal to show it on."""
        if self._live.console.is_terminal:
            self._live.start()

    def refresh(self) -> None:
        """Show the seconds of now, without waiting for the next one."""
        self._live.refresh()

    def stop(self) -> None:
        """Remove the line. May be called again."""
        self._live.stop()


@contextmanager
def working(*, shown: bool) -> Iterator[Working]:
    """Follow a question that is asked inside; show its stages unless `shown` is off.

    The line is gone when the block ends, also by Ctrl-C.
    """
    from graphmemix.pipeline import listening  # other commands start without the stages

    line = Working(err())
    with listening(line.begin, line.failures.append):
        if shown:
            line.start()
        try:
            yield line
        finally:
            line.stop()
