"""Background work: one job at a time per archive, each with a folder on disk.

::

    STATE/jobs/NAME-PLACE/JOB/job.json      state and progress
    STATE/jobs/NAME-PLACE/JOB/reading.json  which files are being read
    STATE/jobs/NAME-PLACE/JOB/files/        the uploaded files; removed when the job is done

A job that was running when the server stopped continues at the next start. If the server crashed
twice during a job, the job is not started again, so that a file that crashes the process does not
do so forever: its state is interrupted, and it names the files being read. `resume` retries it.
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
from graphmemix.ingest.describe import Described
from graphmemix.ingest.encoding import encode_after
from graphmemix.ingest.report import IngestProgress, IngestReport, OnProgress
from graphmemix.record import Record
from graphmemix.serve.access_log import logger
from graphmemix.serve.archives import ServedArchive
from graphmemix.serve.describing import describe
from graphmemix.serve.problems import Problem, ProblemError, as_problem
from graphmemix.serve.removal import discard, sweep

__all__ = ["Job", "JobKind", "JobState", "Jobs"]

JobState: TypeAlias = Literal["queued", "running", "done", "interrupted", "stopped", "failed"]
JobKind: TypeAlias = Literal["ingest", "describe"]

_ID: Final = re.compile(r"\d{8}-\d{6}-[0-9a-f]{8}\Z")
_JOB_FILE: Final = "job.json"
_READING: Final = "reading.json"
_FILES: Final = "files"
_MOST_ATTEMPTS: Final = 2
_MOST_KEPT: Final = 200
_WRITE_EVERY: Final = 1.0  # seconds between states on disk
_IDLE_SECONDS: Final = 5.0  # without a job, before it is looked whether something waits
_RESUMABLE: Final = frozenset({"interrupted", "stopped", "failed"})


@dataclass(frozen=True)
class Job(Record):
    """One job as clients see it: an ingestion, or a description of media.

    Attributes:
        id: Unique in its archive.
        archive: The archive's name.
        state: Interrupted, stopped and failed jobs can be resumed.
        created_at: When it was submitted.
        updated_at: When any of this last changed.
        files: Number of uploaded files or given paths.
        bytes: Size of the upload.
        attempts: How often it was started.
        progress: None before it starts.
        report: The result; None until it ends.
        error: Why it failed or was interrupted.
        kind: What it does.
        described: The result of a description; None until it ends.
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
    kind: JobKind = "ingest"
    described: Described | None = None


@dataclass(frozen=True)
class _JobRecord(Record):
    """A job as it is stored: with what to read, and with which importer."""

    job: Job
    paths: tuple[str, ...] = ()
    importer: str | None = None


class _ClosingError(Exception):
    """Ends encoding when the server stops."""


class Jobs:
    """The jobs of one archive. Everything but the ingestion itself runs in the event loop."""

    def __init__(self, served: ServedArchive, state: Path) -> None:
        self._served = served
        self._folder = state / "jobs" / f"{served.name}-{served.place}"
        self._records: dict[str, _JobRecord] = {}
        self._queue: asyncio.Queue[str] = asyncio.Queue()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"graphmemix-job-{served.name}")
        self._stop = threading.Event()  # ends the one that runs
        self._running = ""
        self._closing = threading.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Load the jobs on disk and continue the unfinished ones."""
        for record in _read(self._folder):
            waits = record.job.state in {"queued", "running", "interrupted"}
            if waits and self._served.writable:
                if record.job.attempts < _MOST_ATTEMPTS:
                    record = _with(record, state="queued")  # noqa: PLW2901
                    self._queue.put_nowait(record.job.id)
                else:
                    record = self._give_up(record)  # noqa: PLW2901
            self._records[record.job.id] = record
        self._task = asyncio.create_task(self._run())

    def _give_up(self, record: _JobRecord) -> _JobRecord:
        """Mark a job that crashed the server repeatedly, so that it is not started again."""
        if record.job.error is not None:  # marked by an earlier server
            return record
        names = _names(self._folder / record.job.id / _READING)
        detail = f"the server stopped {record.job.attempts} times while this job ran"
        detail += f"; it was reading {', '.join(map(repr, names))}" if names else ""
        logger.warning(
            "job crashed the server repeatedly; not started again",
            extra={"fields": {"job": record.job.id}},
        )
        problem = Problem(500, "set_aside", detail, "Internal Server Error")
        record = _with(record, state="interrupted", error=problem)
        self._note(record)
        return record

    async def close(self) -> None:
        """Stop the running job cleanly; it continues when the server starts again."""
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
        return sorted((s.job for s in self._records.values()), key=_order, reverse=True)

    def __contains__(self, job_id: str) -> bool:
        return job_id in self._records

    def get(self, job_id: str) -> Job:
        """Return a job.

        Raises:
            ProblemError: There is no job with this id.
        """
        return self._record(job_id).job

    def _record(self, job_id: str) -> _JobRecord:
        if job_id not in self._records:
            raise ProblemError(404, "not_found", f"there is no job {job_id!r} in this archive")
        return self._records[job_id]

    def new_folder(self) -> Path:
        """Return a new folder for uploads; pass it to `submit`, or remove its parent."""
        name = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(4)}"
        return make_folder(self._folder / name / _FILES)

    async def submit(
        self,
        folder: Path,
        paths: Sequence[Path] = (),
        importer: str | None = None,
        *,
        files: int = 0,
        size: int = 0,
        kind: JobKind = "ingest",
    ) -> Job:
        """Queue a job; it is on disk when this returns."""
        now = datetime.now(UTC)
        if self._records:  # keep the order of jobs even if the clock was set back
            now = max(now, self.all()[0].created_at + timedelta(microseconds=1))
        job = Job(folder.parent.name, self._served.name, "queued", now, now, files, size, kind=kind)
        record = _JobRecord(job, tuple(map(str, paths)), importer)
        await asyncio.to_thread(self._save, record)
        self._queue.put_nowait(job.id)
        await asyncio.to_thread(self._prune)
        return job

    async def resume(self, job_id: str) -> Job:
        """Continue a job that was interrupted, was stopped or failed.

        Raises:
            ProblemError: There is no such job, or its state does not allow it.
        """
        record = self._record(job_id)
        if record.job.state not in _RESUMABLE:
            raise ProblemError(
                409, "not_resumable", f"job {job_id} is {record.job.state}, so it cannot be resumed"
            )
        queued = _with(record, state="queued", attempts=0, error=None, report=None, described=None)
        self._records[job_id] = queued  # before saving, so that a second call finds it queued
        try:
            await asyncio.to_thread(self._save, queued)
        except OSError:
            self._records[job_id] = record
            raise
        self._queue.put_nowait(job_id)
        return queued.job

    async def stop(self, job_id: str) -> Job:
        """Stop a job; what was read is kept. A job that has ended is not changed."""
        record = self._record(job_id)
        if record.job.state == "queued":
            record = _with(record, state="stopped")
            self._records[job_id] = record
            await asyncio.to_thread(self._save, record)
        elif job_id == self._running:
            self._stop.set()
        return record.job

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while not self._closing.is_set():
            job_id = await self._next_job()
            if self._records[job_id].job.state != "queued":  # stopped while it waited
                continue
            self._running = job_id
            self._stop.clear()
            try:
                async with self._served.writing():
                    if self._closing.is_set():
                        return
                    record = self._records[job_id]
                    report = await loop.run_in_executor(self._thread, self._read_files, record)
                if report is not None:  # others may write while vectors are made
                    record = self._records[job_id]
                    await loop.run_in_executor(self._thread, self._encode, record, report)
            finally:
                self._running = ""

    async def _next_job(self) -> str:
        """Wait for a job; encode meanwhile what waits for it, as long as nobody asks anything."""
        loop = asyncio.get_running_loop()
        has_more = False
        while self._served.writable:
            try:
                pause = _IDLE_SECONDS / 50 if has_more else _IDLE_SECONDS
                return await asyncio.wait_for(self._queue.get(), pause)
            except TimeoutError:
                if self._served.is_idle and not self._closing.is_set():
                    has_more = await loop.run_in_executor(self._thread, self._encode_some)
        return await self._queue.get()

    def _encode_some(self) -> bool:
        """Encode a batch of what an earlier ingestion left for later; return if there is more."""

        def stop_if_closing(_done: int, _total: int) -> None:
            if self._closing.is_set():
                raise _ClosingError

        archive = self._served.archive
        try:
            if archive.store.count_without_vectors():
                return archive.encode_some(progress=stop_if_closing) > 0
            archive.store.compact()
        except _ClosingError:
            pass
        except GraphMemixError as error:  # another process writes, or the encoder fails
            logger.info("encoding is put off", extra={"fields": {"why": str(error)}})
        except Exception:  # noqa: BLE001  # the next job must not wait for it
            logger.exception("encoding failed")
        return False

    def _read_files(self, record: _JobRecord) -> IngestReport | None:
        """Read and store the files of a job; None if that was the end of it."""
        record = _with(record, state="running", attempts=record.job.attempts + 1)
        self._note(record)
        try:
            if record.job.kind == "describe":
                done = describe(self._served.archive, self._progress(record), self._stop)
                self._finish(record, interrupted=done is None, described=done)
                return None
            report = self._served.archive.ingest(
                [Path(path) for path in record.paths],
                progress=self._progress(record),
                as_=record.importer,
                index=False,
                on_reading=partial(_write_names, self._folder / record.job.id / _READING),
                stop=self._stop,
                follow_links=False,  # clients must not reach files outside the given paths
            )
        except Exception as error:  # noqa: BLE001  # one job must not end the others
            self._fail(record, error)
            return None
        if report.interrupted:
            self._finish(record, interrupted=True, report=report)
            return None
        return report

    def _encode(self, record: _JobRecord, report: IngestReport) -> None:
        """Encode what a job has stored."""
        archive = self._served.archive
        try:
            report = encode_after(
                report,
                archive.index,
                archive.store.count_without_vectors,
                progress=self._progress(record),
                stop=self._stop,
            )
        except Exception as error:  # noqa: BLE001  # one job must not end the others
            self._fail(record, error)
            return
        self._finish(record, interrupted=report.interrupted, report=report)

    def _progress(self, record: _JobRecord) -> OnProgress:
        """Return what takes the progress of a job, and saves it now and then."""
        written = time.monotonic()

        def progress(at: IngestProgress) -> None:
            nonlocal written
            changed = _with(record, progress=at)
            self._records[record.job.id] = changed
            if time.monotonic() - written > _WRITE_EVERY:
                self._note(changed)
                written = time.monotonic()

        return progress

    def _fail(self, record: _JobRecord, error: Exception) -> None:
        if not isinstance(error, GraphMemixError):
            logger.error("job failed", exc_info=error, extra={"fields": {"job": record.job.id}})
        record = self._records[record.job.id]
        self._note(_with(record, state="failed", error=as_problem(error)))

    def _finish(self, record: _JobRecord, *, interrupted: bool, **results: object) -> None:
        record = self._records[record.job.id]  # with its last progress
        if not interrupted:
            discard(self._folder / record.job.id / _FILES, self._folder)
            self._note(_with(record, state="done", **results))
        elif self._closing.is_set():  # not the job's fault
            self._note(_with(record, state="interrupted", attempts=record.job.attempts - 1))
        else:
            self._note(_with(record, state="stopped", **results))

    def _note(self, record: _JobRecord) -> None:
        """Save a job's state; if the disk is full, keep it in memory and log a warning."""
        try:
            self._save(record)
        except OSError as error:
            self._records[record.job.id] = record
            fields = {"job": record.job.id, "why": error.strerror}
            logger.warning("the state of a job could not be saved", extra={"fields": fields})

    def _save(self, record: _JobRecord) -> None:
        write_whole(self._folder / record.job.id / _JOB_FILE, record.to_json())
        self._records[record.job.id] = record

    def _prune(self) -> None:
        """Delete the oldest jobs that have ended."""
        ended = [job for job in self.all() if job.state not in {"queued", "running"}]
        for job in ended[_MOST_KEPT:]:
            discard(self._folder / job.id, self._folder)
            self._records.pop(job.id, None)


def _order(job: Job) -> tuple[datetime, str]:
    return job.created_at, job.id


def _with(record: _JobRecord, **changes: object) -> _JobRecord:
    job = replace(record.job, updated_at=datetime.now(UTC), **changes)  # type: ignore[arg-type]
    return replace(record, job=job)


def _read(folder: Path) -> list[_JobRecord]:
    """Return the jobs on disk, oldest first; remove uploads that never became a job."""
    sweep(folder)
    found = []
    for place in sorted(folder.glob("*")) if folder.is_dir() else ():
        if not _ID.match(place.name):
            continue
        try:
            found.append(_JobRecord.from_json((place / _JOB_FILE).read_bytes()))
        except FileNotFoundError:
            discard(place, folder)
        except (OSError, InvalidDataError):
            logger.warning("job cannot be read", extra={"fields": {"job": place.name}})
    return sorted(found, key=lambda record: _order(record.job))


def _write_names(file: Path, names: tuple[str, ...]) -> None:
    """Save which files are being read, to name them if the process crashes."""
    with suppress(OSError):
        write_text(file, json.dumps(names))


def _names(file: Path) -> list[str]:
    try:
        return [str(name) for name in json.loads(file.read_bytes())]
    except (OSError, ValueError, TypeError):
        return []
