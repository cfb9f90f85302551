"""Worker processes that read untrusted files; killed when a file costs too much or a run stops.

They are started as new programs, not forked, because this process may have threads. One idle worker
is kept for the next run, because starting one takes as long as reading hundreds of files.
"""

from __future__ import annotations

import atexit
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from multiprocessing.connection import Pipe
from pathlib import Path
from threading import Condition, Lock
from typing import TYPE_CHECKING

from graphmemix.errors import ArchiveReadOnlyError, ImportSourceError, StorageFullError
from graphmemix.ingest import worker_start
from graphmemix.ingest.tasks import LimitExceededError, StoppedError, TaskResult, run_task
from graphmemix.ingest.worker import TaskEnvironment, TaskNotLoadable, TaskStarted
from graphmemix.ingest.zips import private_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from threading import Event

    from graphmemix.ingest.tasks import Task
    from graphmemix.store.media import MediaFolder

MOST = max(2, min(4, os.cpu_count() or 1))
"""How many workers one run uses; reading photos mostly waits for the disk."""

_POLL = 0.1  # seconds until a stop is noticed
_WAIT_FOR_IDLE = 0.3  # seconds to wait for a busy worker; starting another one takes longer
_START = 120.0  # seconds until a worker must have started its task, on a very busy machine
_ATTEMPTS = 3  # an idle worker may have been killed from outside
_EXIT = 5.0  # seconds that a worker has to exit
_FATAL = {each.__name__: each for each in (StorageFullError, ArchiveReadOnlyError)}


class _WorkerLostError(Exception):
    """A worker exited before it started its task."""


class Worker:
    """One worker process. Used by one thread at a time."""

    def __init__(self) -> None:
        """Start the process; it is ready once it answers."""
        self.path = _import_path()
        self._connection, theirs = Pipe()
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603  # this Python, and a file of ours
                [
                    sys.executable,
                    worker_start.__file__,
                    json.dumps(self.path),
                    str(theirs.fileno()),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                cwd="/",
                start_new_session=True,  # Ctrl-C must reach only the parent
            )
        self.pid = self._process.pid
        self.scratch: Path | None = None  # folder for temporary files during a run

    def is_usable(self) -> bool:
        """Return whether it is running and has the import path of this process."""
        return self._process.poll() is None and self.path == _import_path()

    def run_task(
        self, task: Task, pickled: bytes, take: Callable[[object], None], stop: Event
    ) -> TaskResult | TaskNotLoadable:
        """Run a task in the worker. If this raises, the worker must be killed.

        Raises:
            StoppedError: `stop` was set.
            LimitExceededError: As raised by `take`.
            _WorkerLostError: It exited before it started the task.
        """
        begun = False
        if self.scratch is None:
            self.scratch = private_folder("read")
        try:
            self._connection.send(TaskEnvironment(dict(os.environ), str(self.scratch)))
            self._connection.send_bytes(pickled)
            heard = time.monotonic()
            while True:
                if stop.is_set():
                    raise StoppedError
                if not self._connection.poll(_POLL):
                    silent = task.limits.silent_seconds
                    if time.monotonic() - heard > (silent if begun else max(silent, _START)):
                        return TaskResult(task.limits.too_silent(), leaving=True)
                    continue
                item = self._connection.recv()
                if isinstance(item, TaskResult | TaskNotLoadable):
                    return item
                if isinstance(item, TaskStarted):
                    begun = True
                else:
                    take(item)
                heard = time.monotonic()  # time spent in `take` is not the worker's
        except (EOFError, ConnectionError):
            if not begun:
                raise _WorkerLostError from None
            return TaskResult(self._exit_reason(task), leaving=True)

    def _exit_reason(self, task: Task) -> str:
        try:
            code = self._process.wait(_EXIT)
        except subprocess.TimeoutExpired:
            return "the worker process closed its connection"
        if code == -signal.SIGXCPU:
            return task.limits.too_slow(task.size)
        if code >= 0:
            return f"the worker process exited with code {code}"
        named = signal.Signals(-code).name if -code in {*signal.Signals} else f"signal {-code}"
        hint = "; the machine may be out of memory" if code == -signal.SIGKILL else ""
        return f"the worker process was killed by {named}{hint}"

    def kill(self) -> None:
        """Kill it and its child processes, whatever it is doing."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        with suppress(ProcessLookupError):
            self._process.kill()  # it may not be a session leader yet
        self._wait()

    def end(self) -> None:
        """Let it exit; it must be idle."""
        self._connection.close()
        self._wait()

    def _wait(self) -> None:
        try:
            self._process.wait(_EXIT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            with suppress(subprocess.TimeoutExpired):  # it may wait for an unresponsive disk
                self._process.wait(_EXIT)
        self._connection.close()
        assert self._process.stdin is not None  # noqa: S101  # for the type checker
        self._process.stdin.close()
        self.clear()

    def clear(self) -> None:
        """Remove its temporary files; it must be idle or have exited."""
        if self.scratch is not None:
            shutil.rmtree(self.scratch, ignore_errors=True)
            self.scratch = None


class Workers:
    """The workers of one run. Thread-safe."""

    def __init__(self, stop: Event, media: MediaFolder | None = None) -> None:
        """Prepare; workers are started on demand.

        Args:
            stop: Stops every task once it is set.
            media: Where tasks store files; partial files of killed workers are removed there.
        """
        self._stop = stop
        self._media = media
        self._idle: list[Worker] = []
        self._busy: set[Worker] = set()
        self._changed = Condition()

    def run_task(self, task: Task, take: Callable[[object], None]) -> TaskResult:
        """Run a task in a worker process; in this process if it cannot be pickled.

        Args:
            task: The task.
            take: Called with each result. May raise `LimitExceededError` or `StoppedError`.

        Raises:
            StoppedError: The run was stopped.
            StorageFullError: The disk is full.
            ArchiveReadOnlyError: The archive is read-only.
            ImportSourceError: No worker process can be started.
        """
        try:
            pickled = pickle.dumps(task, pickle.HIGHEST_PROTOCOL)
        except Exception:  # noqa: BLE001  # pickling an importer may raise anything
            done: TaskResult | TaskNotLoadable = TaskNotLoadable()
        else:
            done = self._sent(task, pickled, take)
        if isinstance(done, TaskNotLoadable):
            done = self._run_here(task, take)
        if done.fatal:
            raise _FATAL[done.fatal](done.reason)
        return done

    def _run_here(self, task: Task, take: Callable[[object], None]) -> TaskResult:
        def take_unless_stopped(item: object) -> None:
            if self._stop.is_set():
                raise StoppedError
            take(item)

        try:
            return run_task(task, take_unless_stopped)
        except LimitExceededError as error:
            return TaskResult(str(error))

    def _sent(
        self, task: Task, pickled: bytes, take: Callable[[object], None]
    ) -> TaskResult | TaskNotLoadable:
        for _ in range(_ATTEMPTS):
            with suppress(_WorkerLostError):
                return self._attempt(task, pickled, take)
        raise ImportSourceError("cannot read files: worker processes exit at once")

    def _attempt(
        self, task: Task, pickled: bytes, take: Callable[[object], None]
    ) -> TaskResult | TaskNotLoadable:
        worker = self._acquire()
        clean = False
        try:
            done = worker.run_task(task, pickled, take, self._stop)
            clean = isinstance(done, TaskNotLoadable) or not done.leaving
        except LimitExceededError as error:
            return TaskResult(str(error))
        else:
            return done
        finally:
            self._release(worker, clean=clean)

    def _acquire(self) -> Worker:
        """Return an idle worker, waiting for one shortly, or a new one."""
        until = time.monotonic() + _WAIT_FOR_IDLE
        with self._changed:
            while True:
                if self._stop.is_set():
                    raise StoppedError
                worker = self._idle.pop() if self._idle else None
                if worker is None and not self._busy:
                    worker = _spare()
                if worker is None:
                    wait = until - time.monotonic()
                    if self._busy and (wait > 0 or len(self._busy) >= MOST):
                        self._changed.wait(max(wait, _POLL))
                        continue
                    worker = Worker()
                self._busy.add(worker)
                return worker

    def _release(self, worker: Worker, *, clean: bool) -> None:
        if not clean:
            worker.kill()
            if self._media is not None:
                self._media.discard_incoming(worker.pid)
        with self._changed:
            self._busy.discard(worker)
            if clean:
                self._idle.append(worker)
            self._changed.notify_all()

    def close(self) -> None:
        """Keep one worker for the next run and end the others. No task may be running."""
        with self._changed:
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.clear()
            _keep(worker)


_kept: list[Worker] = []  # at most one
_keeping = Lock()


def _spare() -> Worker | None:
    with _keeping:
        worker = _kept.pop() if _kept else None
    if worker is not None and not worker.is_usable():
        worker.end()
        return None
    return worker


def _keep(worker: Worker) -> None:
    with _keeping:
        if not _kept:
            _kept.append(worker)
            return
    worker.end()


def end_spare() -> None:
    """End the worker that is kept for the next run."""
    with _keeping:
        workers, _kept[:] = [*_kept], []
    for worker in workers:
        worker.end()


def _import_path() -> tuple[str, ...]:
    here = str(Path.cwd()) if "" in sys.path else ""
    return tuple(each or here for each in sys.path)


atexit.register(end_spare)
os.register_at_fork(after_in_child=_kept.clear)  # the worker belongs to the parent
