"""The worker process: takes tasks one by one, keeps to their limits, says what it finds.

Limits are the kernel's where there are any: a regular expression or a library in C never looks up
to see that it should end. Memory is limited on Linux only; other systems let it grow.
"""

from __future__ import annotations

import math
import os
import pickle
import resource
import signal
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING

from graphmemix.ingest.tasks import Done, carry_out

if TYPE_CHECKING:
    from graphmemix.ingest.limits import FileLimits
    from graphmemix.ingest.tasks import Task

_LARGEST_KEPT = 512 << 10  # kilobytes of memory with which a process goes on


@dataclass(frozen=True)
class Surroundings:
    """What a task may depend on beside its files, as it is in the process that asks for it."""

    environment: dict[str, str]
    scratch: str

    def apply(self) -> None:
        """Make this process see the same."""
        if os.environ != self.environment:
            os.environ.clear()
            os.environ.update(self.environment)
            time.tzset()
        tempfile.tempdir = self.scratch


class Begun:
    """Says that a task has arrived and is begun."""


class Unloadable:
    """Says that a task cannot be done here: what it is made of is not known in this process."""


def serve(number: int) -> None:
    """Do tasks until the other side hangs up."""
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # it would hold what was read
    connection = Connection(number)
    base = _data_bytes()
    while True:
        try:
            task = _received(connection)
        except Exception:  # noqa: BLE001  # whatever its modules raise while they are imported
            connection.send(Unloadable())
            continue
        connection.send(Begun())
        _limit(task.limits, task.size, base)
        done = carry_out(task, connection.send)
        if _largest_size() > _LARGEST_KEPT:
            done = Done(done.reason, done.fatal, leaving=True)
        connection.send(done)


def _largest_size() -> int:
    """Return the most memory that this process ever had, in kilobytes; 0 where nobody says.

    Not `ru_maxrss`, which begins with the size of the process that started this one.
    """
    try:
        status = Path("/proc/self/status").read_text("ascii")
    except (OSError, UnicodeError):
        return 0
    return next((int(line.split()[1]) for line in status.splitlines() if "VmHWM" in line), 0)


def _received(connection: Connection) -> Task:
    try:
        surroundings: Surroundings = connection.recv()
        sent = connection.recv_bytes()
    except (EOFError, OSError):
        os._exit(0)
    surroundings.apply()
    return pickle.loads(sent)  # type: ignore[no-any-return]  # noqa: S301  # from who started this


def _limit(limits: FileLimits, size: int, base: int) -> None:
    used = resource.getrusage(resource.RUSAGE_SELF)
    seconds = used.ru_utime + used.ru_stime + limits.processor_seconds(size)
    _set_limit(resource.RLIMIT_CPU, math.ceil(seconds))
    if sys.platform.startswith("linux"):
        _set_limit(resource.RLIMIT_DATA, base + limits.memory_megabytes * 1_000_000)


def _set_limit(which: int, soft: int) -> None:
    hard = resource.getrlimit(which)[1]
    allowed = soft if hard == resource.RLIM_INFINITY else min(soft, hard)
    with suppress(ValueError, OSError):
        resource.setrlimit(which, (allowed, hard))


def _data_bytes() -> int:
    """Return how much memory this process has asked for so far."""
    try:
        lines = Path("/proc/self/status").read_text("ascii", "replace").splitlines()
        [line] = [line for line in lines if line.startswith("VmData:")]
        return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        return 0
