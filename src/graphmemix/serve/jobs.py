"""Ingestion in the background: one job at a time for an archive, each with a folder on disk.

::

    STATE/jobs/NAME-PLACE/JOB/job.json      how far it is
    STATE/jobs/NAME-PLACE/JOB/reading.json  which files are being read
    STATE/jobs/NAME-PLACE/JOB/files/        what was uploaded; removed once it is done

A job that was under way when the server ended goes on when it starts again. One that was under way
twice when the server ended out of order is set aside as interrupted, with the files that were being
read, so that a file that brings the process down does not do so for ever; `resume` tries it again.
"""

from __future__ import annotations

import asyncio
import json
import re
import secrets
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final, Literal, TypeAlias

from graphmemix.errors import GraphMemixError, InvalidDataError
from graphmemix.fsio import make_folder, write_text, write_whole
from graphmemix.ingest.report import IngestProgress, IngestReport
from graphmemix.record import Record
from graphmemix.serve.access_log import logger
from graphmemix.serve.archives import Served
from graphmemix.serve.problems import Problem, ProblemError, as_problem
from graphmemix.serve.removal import discard, sweep

__all__ = ["Job", "JobState", "Jobs"]

JobState: TypeAlias = Literal["queued", "running", "done", "interrupted", "stopped", "failed"]

_ID: Final = re.compile(r"\d{8}-\d{6}-[0-9a-f]{8}\Z")
_SHEET: Final = "job.json"
_READING: Final = "reading.json"
_FILES: Final = "files"
_MOST_ATTEMPTS: Final = 2
_MOST_KEPT: Final = 200
_WRITE_EVERY: Final = 1.0  # seconds between states on disk
_RESUMABLE: Final = frozenset({"interrupted", "stopped", "failed"})


@dataclass(frozen=True)
class Job(Record):
    """One ingestion as clients see it.

    Attributes:
        id: Names it in its archive.
        archive: Where to.
        state: How it stands; interrupted, stopped and failed ones may be resumed.
        created_at: When it was sent.
        updated_at: When any of this last changed.
        files: How many were uploaded, or paths named.
        bytes: How much was uploaded.
        attempts: How often it was begun.
        progress: How far it is; None before it begins.
        report: What it did; None until it ends.
        error: Why it failed or was set aside.
    """

    id: str
    archive: str
    state: JobState
    created_at: datetime
    updated_at: datetime
    files: int
    bytes: int
    attempts: int = 0
    progress: IngestProgress | None = None
    report: IngestReport | None = None
    error: Problem | None = None


@dataclass(frozen=True)
class _Sheet(Record):
    """A job as it is kept: also what to read, and with which importer."""

    job: Job
    paths: tuple[str, ...] = ()
    importer: str | None = None


class Jobs:
    """The jobs of one archive. Everything but the ingestion itself runs in the event loop."""

    def __init__(self, served: Served, state: Path) -> None:
        self._served = served
        self._folder = state / "jobs" / f"{served.name}-{served.place}"
        self._sheets: dict[str, _Sheet] = {}
        self._queue: asyncio.Queue[str] = asyncio.Queue()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"graphmemix-job-{served.name}")
        self._stop = threading.Event()  # ends the one that runs
        self._running = ""
        self._closing = threading.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Read what an earlier server left, and go on with it."""
        for sheet in _read(self._folder):
            waits = sheet.job.state in {"queued", "running", "interrupted"}
            if waits and self._served.writable:
                if sheet.job.attempts < _MOST_ATTEMPTS:
                    sheet = _with(sheet, state="queued")  # noqa: PLW2901
                    self._queue.put_nowait(sheet.job.id)
                else:
                    sheet = self._set_aside(sheet)  # noqa: PLW2901
            self._sheets[sheet.job.id] = sheet
        self._task = asyncio.create_task(self._run())

    def _set_aside(self, sheet: _Sheet) -> _Sheet:
        """Return a job that is not begun again by itself, and why."""
        if sheet.job.error is not None:  # by an earlier server
            return sheet
        names = _names(self._folder / sheet.job.id / _READING)
        detail = f"the server ended {sheet.job.attempts} times while this job ran"
        detail += f"; it was reading {', '.join(map(repr, names))}" if names else ""
        logger.warning("job set aside", extra={"fields": {"job": sheet.job.id}})
        problem = Problem(500, "set_aside", detail, "Internal Server Error")
        sheet = _with(sheet, state="interrupted", error=problem)
        self._note(sheet)
        return sheet

    async def close(self) -> None:
        """Stop the job that runs, in order; it goes on when the server starts again."""
        self._closing.set()
        self._stop.set()
        if self._task is not None:
            if not self._running:
                self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        self._thread.shutdown()

    def all(self) -> list[Job]:
        """Return all jobs, newest first."""
        return sorted((s.job for s in self._sheets.values()), key=_order, reverse=True)

    def __contains__(self, job_id: str) -> bool:
        return job_id in self._sheets

    def get(self, job_id: str) -> Job:
        """Return a job.

        Raises:
            ProblemError: There is none of this id.
        """
        return self._sheet(job_id).job

    def _sheet(self, job_id: str) -> _Sheet:
        if job_id not in self._sheets:
            raise ProblemError(404, "not_found", f"there is no job {job_id!r} in this archive")
        return self._sheets[job_id]

    def new_folder(self) -> Path:
        """Return a new folder for uploads; hand it to `submit`, or remove its parent."""
        name = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(4)}"
        return make_folder(self._folder / name / _FILES)

    async def submit(
        self, folder: Path, paths: Sequence[Path], importer: str | None, *, files: int, size: int
    ) -> Job:
        """Take a job on; when this returns it is on disk."""
        now = datetime.now(UTC)
        if self._sheets:  # a clock may be set back; the order in which jobs came must stay
            now = max(now, self.all()[0].created_at + timedelta(microseconds=1))
        job = Job(folder.parent.name, self._served.name, "queued", now, now, files, size)
        sheet = _Sheet(job, tuple(map(str, paths)), importer)
        await asyncio.to_thread(self._save, sheet)
        self._queue.put_nowait(job.id)
        await asyncio.to_thread(self._prune)
        return job

    async def resume(self, job_id: str) -> Job:
        """Go on with a job that did not end well.

        Raises:
            ProblemError: There is none, or it is not one to resume.
        """
        sheet = self._sheet(job_id)
        if sheet.job.state not in _RESUMABLE:
            raise ProblemError(409, "not_resumable", f"job {job_id} is {sheet.job.state}")
        queued = _with(sheet, state="queued", attempts=0, error=None, report=None)
        self._sheets[job_id] = queued  # at once: a second call finds it queued
        try:
            await asyncio.to_thread(self._save, queued)
        except OSError:
            self._sheets[job_id] = sheet
            raise
        self._queue.put_nowait(job_id)
        return queued.job

    async def stop(self, job_id: str) -> Job:
        """End a job; what was read stays. One that has ended stays as it is."""
        sheet = self._sheet(job_id)
        if sheet.job.state == "queued":
            sheet = _with(sheet, state="stopped")
            self._sheets[job_id] = sheet
            await asyncio.to_thread(self._save, sheet)
        elif job_id == self._running:
            self._stop.set()
        return sheet.job

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while not self._closing.is_set():
            job_id = await self._queue.get()
            if self._sheets[job_id].job.state != "queued":  # stopped while it waited
                continue
            async with self._served.writing():
                if self._closing.is_set():
                    return
                self._running = job_id
                self._stop.clear()
                try:
                    await loop.run_in_executor(self._thread, self._work, self._sheets[job_id])
                finally:
                    self._running = ""

    def _work(self, sheet: _Sheet) -> None:
        sheet = _with(sheet, state="running", attempts=sheet.job.attempts + 1)
        self._note(sheet)
        written = time.monotonic()

        def progress(at: IngestProgress) -> None:
            nonlocal sheet, written
            sheet = _with(sheet, progress=at)
            self._sheets[sheet.job.id] = sheet
            if time.monotonic() - written > _WRITE_EVERY:
                self._note(sheet)
                written = time.monotonic()

        try:
            report = self._served.archive.ingest(
                [Path(path) for path in sheet.paths],
                progress=progress,
                as_=sheet.importer,
                on_reading=partial(_write_names, self._folder / sheet.job.id / _READING),
                stop=self._stop,
                follow_links=False,  # clients may name files, and are not to see others
            )
        except Exception as error:  # noqa: BLE001  # a job must not end the others
            if not isinstance(error, GraphMemixError):
                logger.exception("job failed", extra={"fields": {"job": sheet.job.id}})
            self._note(_with(sheet, state="failed", error=as_problem(error)))
            return
        self._finish(sheet, report)

    def _finish(self, sheet: _Sheet, report: IngestReport) -> None:
        if not report.interrupted:
            discard(self._folder / sheet.job.id / _FILES, self._folder)
            self._note(_with(sheet, state="done", report=report))
        elif self._closing.is_set():  # not the job's fault
            self._note(_with(sheet, state="interrupted", attempts=sheet.job.attempts - 1))
        else:
            self._note(_with(sheet, state="stopped", report=report))

    def _note(self, sheet: _Sheet) -> None:
        """Save how a job stands, if there is room: what it did counts, and is told in any case."""
        try:
            self._save(sheet)
        except OSError as error:
            self._sheets[sheet.job.id] = sheet
            fields = {"job": sheet.job.id, "why": error.strerror}
            logger.warning("state of a job could not be saved", extra={"fields": fields})

    def _save(self, sheet: _Sheet) -> None:
        write_whole(self._folder / sheet.job.id / _SHEET, sheet.to_json())
        self._sheets[sheet.job.id] = sheet

    def _prune(self) -> None:
        """Forget the oldest jobs that have ended."""
        ended = [job for job in self.all() if job.state not in {"queued", "running"}]
        for job in ended[_MOST_KEPT:]:
            discard(self._folder / job.id, self._folder)
            self._sheets.pop(job.id, None)


def _order(job: Job) -> tuple[datetime, str]:
    return job.created_at, job.id


def _with(sheet: _Sheet, **changes: object) -> _Sheet:
    job = replace(sheet.job, updated_at=datetime.now(UTC), **changes)  # type: ignore[arg-type]
    return replace(sheet, job=job)


def _read(folder: Path) -> list[_Sheet]:
    """Return what is on disk, oldest first; uploads that never became a job are removed."""
    sweep(folder)
    found = []
    for place in sorted(folder.glob("*")) if folder.is_dir() else ():
        if not _ID.match(place.name):
            continue
        try:
            found.append(_Sheet.from_json((place / _SHEET).read_bytes()))
        except FileNotFoundError:
            discard(place, folder)
        except (OSError, InvalidDataError):
            logger.warning("job cannot be read", extra={"fields": {"job": place.name}})
    return sorted(found, key=lambda sheet: _order(sheet.job))


def _write_names(file: Path, names: tuple[str, ...]) -> None:
    """Note which files are being read. A process that dies loses nothing that it has written."""
    with suppress(OSError):
        write_text(file, json.dumps(names))


def _names(file: Path) -> list[str]:
    try:
        return [str(name) for name in json.loads(file.read_bytes())]
    except (OSError, ValueError, TypeError):
        return []
