"""The progress of an ingestion on a terminal: what is done, how fast, and how long it takes."""

from __future__ import annotations

import time
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn

from graphmemix.cli.output import counted, duration
from graphmemix.ingest.report import IngestProgress

__all__ = ["StageRate", "ProgressBars"]

_LINE_EVERY = 10.0  # seconds
_SURE_AFTER = 3.0  # seconds: earlier rates say little


class StageRate:
    """The rate of one stage since it began, and the time that is left at that rate.

    Batches differ: some files are large, some memories long. The mean since the beginning swings
    less the longer it takes, which is when somebody looks at it.
    """

    def __init__(self, done: int, now: float) -> None:
        self._done, self._began = done, now

    def rate(self, done: int, now: float) -> float:
        """Return how much is done in a second."""
        return (done - self._done) / (now - self._began) if now > self._began else 0.0

    def left(self, done: int, total: int | None, now: float) -> float | None:
        """Return the seconds that are left; None while that is not known."""
        rate = self.rate(done, now)
        if total is None or not rate or now - self._began < _SURE_AFTER:
            return None
        return max(total - done, 0) / rate


class ProgressBars:
    """Shows progress: a bar on a terminal, a line now and then elsewhere."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bar = Progress(
            TextColumn("{task.description:<9}"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[detail]}"),
            console=console,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._tasks: dict[str, TaskID] = {}
        self._line_at = time.monotonic()
        self._paces: dict[str, StageRate] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._tasks:
            self._bar.stop()

    def clear(self) -> None:
        """Remove the bars, before something else is printed; the next progress shows new ones."""
        if self._tasks:
            self._bar.stop()
            for task in self._tasks.values():
                self._bar.remove_task(task)
        self._tasks.clear()
        self._paces.clear()

    def show(self, at: IngestProgress) -> None:
        """Show how far an ingestion is."""
        now = time.monotonic()
        pace = self._paces.setdefault(at.stage, StageRate(at.done, now))
        left = pace.left(at.done, at.total, now)
        detail = _detail(at, pace.rate(at.done, now))
        detail += f", about {duration(left)} left" if left is not None else ""
        if self._console.is_terminal:
            if not self._tasks:
                self._bar.start()
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
        return f"{at.done} of {at.total} memories, {rate:.{1 if rate < 10 else 0}f}/s"
    read = f"{counted(at.files, 'file')}, {counted(at.memories, 'memory')} read and stored"
    return f"{read}, {rate / 1e6:.1f} MB/s"
