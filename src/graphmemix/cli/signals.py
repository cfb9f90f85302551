"""Ctrl-C in commands that store as they go: the first ends the run, the second ends it at once."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from types import FrameType

from rich.console import Console

__all__ = ["Stop", "stopping"]


class Stop(Event):
    """Set by a signal; remembers which one."""

    signal: int = signal.SIGINT


@contextmanager
def stopping(stop: Stop, console: Console) -> Iterator[None]:
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
