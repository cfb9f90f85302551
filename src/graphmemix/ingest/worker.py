"""The worker process: runs tasks one by one within their limits and sends back the results.

Limits are enforced by the kernel where possible, because a regular expression or a C library cannot
be interrupted from Python. Memory is limited on Linux only.
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

from graphmemix.ingest.tasks import TaskResult, run_task

if TYPE_CHECKING:
    from graphmemix.ingest.limits import FileLimits
    from graphmemix.ingest.tasks import Task

_LARGEST_KEPT = 512 << 10  # kilobytes; a process that used more memory exits after its task


@dataclass(frozen=True)
class TaskEnvironment:
    """What a task may depend on besides its files, copied from the requesting process."""

    environment: dict[str, str]
    scratch: str

    def apply(self) -> None:
        """Apply it to this process."""
        if os.environ != self.environment:
            os.environ.clear()
            os.environ.update(self.environment)
            time.tzset()
        tempfile.tempdir = self.scratch


class TaskStarted:
    """Sent when a task was received and starts."""


class TaskNotLoadable:
    """Sent when a task cannot be unpickled: its classes cannot be imported in this process."""


def serve(number: int) -> None:
    """Run tasks until the other side closes the connection."""
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core dump would contain what was read
    connection = Connection(number)
    base = _data_bytes()
    while True:
        try:
            task = _received(connection)
        except Exception:  # noqa: BLE001  # importing its modules may raise anything
            connection.send(TaskNotLoadable())
            continue
        connection.send(TaskStarted())
        _limit(task.limits, task.size, base)
        done = run_task(task, connection.send)
        if _largest_size() > _LARGEST_KEPT:
            done = TaskResult(done.reason, done.fatal, leaving=True)
        connection.send(done)


def _largest_size() -> int:
    """Return the peak memory of this process in kilobytes; 0 if unknown.

    Not `ru_maxrss`, which starts at the size of the parent process.
    """
    try:
        status = Path("/proc/self/status").read_text("ascii")
    except (OSError, UnicodeError):
        return 0
    return next((int(line.split()[1]) for line in status.splitlines() if "VmHWM" in line), 0)


def _received(connection: Connection) -> Task:
    try:
        environment: TaskEnvironment = connection.recv()
        sent = connection.recv_bytes()
    except (EOFError, OSError):
        os._exit(0)
    environment.apply()
    return pickle.loads(sent)  # type: ignore[no-any-return]  # noqa: S301  # from our parent


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
    """Return how much data memory this process has allocated so far."""
    try:
        lines = Path("/proc/self/status").read_text("ascii", "replace").splitlines()
        [line] = [line for line in lines if line.startswith("VmData:")]
        return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        return 0
