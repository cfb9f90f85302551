"""Processes that read foreign files, and that are ended when a file costs too much or a run stops.

They are started as programs of their own, not forked: this process may have threads. One that is
idle is kept for the next run, because starting one takes as long as reading hundreds of files.
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
from graphmemix.ingest.tasks import Done, EnoughError, StoppedError, carry_out
from graphmemix.ingest.worker import Begun, Surroundings, Unloadable
from graphmemix.ingest.zips import private_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from threading import Event

    from graphmemix.ingest.tasks import Task
    from graphmemix.store.media import MediaFolder

MOST = max(2, min(4, os.cpu_count() or 1))
"""How many processes read for one run; photos wait for the disk most of the time."""

_LOOK_UP = 0.1  # seconds until a stop is seen
_PATIENCE = 0.3  # seconds to wait for a busy process; starting another one takes longer
_START = 120.0  # seconds until a process must have begun, on a machine that is very busy
_ATTEMPTS = 3  # an idle process may have been ended by somebody
_FAREWELL = 5.0  # seconds that an idle process has to end
_FATAL = {each.__name__: each for each in (StorageFullError, ArchiveReadOnlyError)}


class _LostError(Exception):
    """A process was gone before it began its task."""


class Worker:
    """One process. Used by one thread at a time."""

    def __init__(self) -> None:
        """Start it; it is ready once it answers."""
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
                start_new_session=True,  # Ctrl-C is for the process that started it
            )
        self.pid = self._process.pid
        self.scratch: Path | None = None  # for temporary files, while it belongs to a run

    def is_usable(self) -> bool:
        """Return whether it runs, and imports what this process would."""
        return self._process.poll() is None and self.path == _import_path()

    def carry_out(
        self, task: Task, pickled: bytes, take: Callable[[object], None], stop: Event
    ) -> Done | Unloadable:
        """Let it do a task. However this raises, the process must be ended then.

        Raises:
            StoppedError: `stop` was set.
            EnoughError: As raised by `take`.
            _LostError: It was gone before the task reached it.
        """
        begun = False
        if self.scratch is None:
            self.scratch = private_folder("read")
        try:
            self._connection.send(Surroundings(dict(os.environ), str(self.scratch)))
            self._connection.send_bytes(pickled)
            heard = time.monotonic()
            while True:
                if stop.is_set():
                    raise StoppedError
                if not self._connection.poll(_LOOK_UP):
                    silent = task.limits.silent_seconds
                    if time.monotonic() - heard > (silent if begun else max(silent, _START)):
                        return Done(task.limits.too_silent(), leaving=True)
                    continue
                item = self._connection.recv()
                if isinstance(item, Done | Unloadable):
                    return item
                if isinstance(item, Begun):
                    begun = True
                else:
                    take(item)
                heard = time.monotonic()  # what `take` waits for is not the worker's time
        except (EOFError, ConnectionError):
            if not begun:
                raise _LostError from None
            return Done(self._why_it_ended(task), leaving=True)

    def _why_it_ended(self, task: Task) -> str:
        try:
            code = self._process.wait(_FAREWELL)
        except subprocess.TimeoutExpired:
            return "the process that read it hung up"
        if code == -signal.SIGXCPU:
            return task.limits.too_slow(task.size)
        if code >= 0:
            return f"the process that read it ended with code {code}"
        named = signal.Signals(-code).name if -code in {*signal.Signals} else f"signal {-code}"
        hint = "; the machine may be short of memory" if code == -signal.SIGKILL else ""
        return f"the process that read it was ended by {named}{hint}"

    def kill(self) -> None:
        """End it and what it started, at once, whatever it is doing."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        with suppress(ProcessLookupError):
            self._process.kill()  # it may not have its own session yet
        self._wait()

    def end(self) -> None:
        """End it in order; it must be idle."""
        self._connection.close()
        self._wait()

    def _wait(self) -> None:
        try:
            self._process.wait(_FAREWELL)
        except subprocess.TimeoutExpired:
            self._process.kill()
            with suppress(subprocess.TimeoutExpired):  # it waits for a disk that does not answer
                self._process.wait(_FAREWELL)
        self._connection.close()
        assert self._process.stdin is not None  # noqa: S101  # for the type checker
        self._process.stdin.close()
        self.clear()

    def clear(self) -> None:
        """Remove its temporary files; it must be idle or have ended."""
        if self.scratch is not None:
            shutil.rmtree(self.scratch, ignore_errors=True)
            self.scratch = None


class Workers:
    """The processes of one run. Used by many threads at once."""

    def __init__(self, stop: Event, media: MediaFolder | None = None) -> None:
        """Start none yet.

        Args:
            stop: Ends every task once it is set.
            media: Where tasks keep files: what a process that is killed leaves there is removed.
        """
        self._stop = stop
        self._media = media
        self._idle: list[Worker] = []
        self._busy: set[Worker] = set()
        self._changed = Condition()

    def carry_out(self, task: Task, take: Callable[[object], None]) -> Done:
        """Do a task in a worker process; in this one if it cannot be sent to another.

        Args:
            task: What to do.
            take: Is handed what it finds. May raise `EnoughError` or `StoppedError`.

        Raises:
            StoppedError: The run was stopped.
            StorageFullError: There is no room for files.
            ArchiveReadOnlyError: Files cannot be kept.
            ImportSourceError: No worker process can be started.
        """
        try:
            pickled = pickle.dumps(task, pickle.HIGHEST_PROTOCOL)
        except Exception:  # noqa: BLE001  # an importer that only this process can make
            done: Done | Unloadable = Unloadable()
        else:
            done = self._sent(task, pickled, take)
        if isinstance(done, Unloadable):
            done = self._done_here(task, take)
        if done.fatal:
            raise _FATAL[done.fatal](done.reason)
        return done

    def _done_here(self, task: Task, take: Callable[[object], None]) -> Done:
        def taken(item: object) -> None:
            if self._stop.is_set():
                raise StoppedError
            take(item)

        try:
            return carry_out(task, taken)
        except EnoughError as error:
            return Done(str(error))

    def _sent(
        self, task: Task, pickled: bytes, take: Callable[[object], None]
    ) -> Done | Unloadable:
        for _ in range(_ATTEMPTS):
            with suppress(_LostError):
                return self._once(task, pickled, take)
        raise ImportSourceError("files cannot be read: the process that reads them ends at once")

    def _once(
        self, task: Task, pickled: bytes, take: Callable[[object], None]
    ) -> Done | Unloadable:
        worker = self._taken()
        clean = False
        try:
            done = worker.carry_out(task, pickled, take, self._stop)
            clean = isinstance(done, Unloadable) or not done.leaving
        except EnoughError as error:
            return Done(str(error))
        else:
            return done
        finally:
            self._returned(worker, clean=clean)

    def _taken(self) -> Worker:
        """Return a process that is idle, now or soon, or a new one."""
        until = time.monotonic() + _PATIENCE
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
                        self._changed.wait(max(wait, _LOOK_UP))
                        continue
                    worker = Worker()
                self._busy.add(worker)
                return worker

    def _returned(self, worker: Worker, *, clean: bool) -> None:
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
        """Keep one process for the next run, end the others. No task may be under way."""
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
    """End the process that is kept for the next run."""
    with _keeping:
        workers, _kept[:] = [*_kept], []
    for worker in workers:
        worker.end()


def _import_path() -> tuple[str, ...]:
    here = str(Path.cwd()) if "" in sys.path else ""
    return tuple(each or here for each in sys.path)


atexit.register(end_spare)
os.register_at_fork(after_in_child=_kept.clear)  # they are the parent's
