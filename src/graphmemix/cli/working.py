"""What a terminal shows while a question is worked on: the stage, and for how many seconds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, TypeAlias

import typer
from rich.console import Console
from rich.live import Live
from rich.text import Text

from graphmemix.cli.output import err
from graphmemix.pipeline import listening

QuietOption: TypeAlias = Annotated[
    bool, typer.Option("--quiet", "-q", help="Show no progress on the terminal.")
]

_SHOWN_AS = {"retrieve": "searching", "verify": "judging", "read": "answering"}


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
    line = Working(err())
    with listening(line.begin, line.failures.append):
        if shown:
            line.start()
        try:
            yield line
        finally:
            line.stop()
