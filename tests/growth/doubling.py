"""Measures how the cost of reading grows with its input: ``assert_linear`` is the one assertion.

Cost is processor time of this process, never wall time, and only ratios are compared: a busy
machine changes both sides of a ratio. The margin is wide. Eight times the input may cost 8^1.6 = 28
times as much; quadratic work costs 64 times as much, and exponential work never gets that far.
"""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

Input = TypeVar("Input")

DOUBLINGS = 3
STEEPEST = 1.6
"""The largest exponent that passes: work of n^1.6. n log n measures as 1.1 to 1.2 here."""

_LEAST = 0.004  # seconds: below, the clock and the first call weigh more than the work
_MOST = 30.0  # seconds of processor time for one measurement; what needs more does not end
_TRIES = 3


class NeverEndsError(Exception):
    """One input took more processor time than any linear reader could need."""


def assert_linear(
    work: Callable[[Input], object],
    make: Callable[[int], Input],
    *,
    start: int = 256,
    most: int = 1 << 20,
) -> None:
    """Fail if `work` on inputs of doubled size grows faster than the input.

    Args:
        work: Reads one input.
        make: Makes the input of a size; not measured.
        start: The smallest size that is tried. Sizes are doubled until the work can be measured.
        most: The largest size; work that is too quick to measure there has passed.
    """
    size = start
    small = _cost(work, make(size))
    while small < _LEAST and size < most >> DOUBLINGS:
        size *= 2
        small = _cost(work, make(size))
    large = math.inf
    for _ in range(_TRIES):  # noise only ever adds: what passes once has passed
        large = min(large, _cost(work, make(size << DOUBLINGS), tries=1))
        exponent = math.log2(max(large, _LEAST) / max(small, _LEAST)) / DOUBLINGS
        if exponent < STEEPEST:
            return
    shown = f"{size}: {small * 1000:.1f} ms, {size << DOUBLINGS}: {large * 1000:.1f} ms"
    raise AssertionError(f"cost grows with the power {exponent:.2f} of the size ({shown})")


def _cost(work: Callable[[Input], object], data: Input, *, tries: int = _TRIES) -> float:
    """Return the least processor time of a few calls: noise only ever adds."""
    least = math.inf
    for _ in range(tries):
        with _bounded():
            started = time.process_time()
            work(data)
            least = min(least, time.process_time() - started)
        if least < _LEAST / 2 or least > 1.0:  # too short to count, or too long to be noise
            break
    return least


@contextmanager
def _bounded() -> Iterator[None]:
    """Interrupt what never ends; `re` looks for signals while it matches."""

    def give_up(_number: int, _frame: FrameType | None) -> None:
        raise NeverEndsError(f"more than {_MOST:g} s of processor time for one input")

    before = signal.signal(signal.SIGPROF, give_up)
    signal.setitimer(signal.ITIMER_PROF, _MOST)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
