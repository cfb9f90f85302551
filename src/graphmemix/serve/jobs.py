"""Background work: one job at a time per archive; `job_records.py` keeps them.

A job that was running when the server stopped continues at the next start. If the server crashed
twice during a job, the job is not started again, so that a file that crashes the process does not
do so forever: its state is interrupted, and it names the files being read. `resume` retries it.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

from graphmemix.errors import GraphMemixError
from graphmemix.ingest.encoding import encode_after
from graphmemix.ingest.report import IngestProgress, IngestReport, OnProgress
from graphmemix.serve.access_log import logger
from graphmemix.serve.archives import ServedArchive
from graphmemix.serve.describing import describe
from graphmemix.serve.job_records import Job, JobKind, JobRecord, JobRecords
from graphmemix.serve.problems import Problem, ProblemError, as_problem

__all__ = ["Jobs"]

_MOST_ATTEMPTS: Final = 2
_WRITE_EVERY: Final = 1.0  # seconds between states on disk
_IDLE_SECONDS: Final = 5.0  # without a job, before it is looked whether something waits
_RESUMABLE: Final = frozenset({"interrupted", "stopped", "failed"})


class _ClosingError(Exception):
    """Ends encoding when the server stops."""


class Jobs:
    """The jobs of one archive. Everything but the ingestion itself runs in the event loop.

    Attributes:
        folder: Where they are kept.
    """

    def __init__(self, served: ServedArchive, state: Path) -> None:
        self._served = served
        self.folder = state / "jobs" / f"{served.name}-{served.place}"
        self._records = JobRecords(self.folder)
        self._queue: asyncio.Queue[str] = asyncio.Queue()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"graphmemix-job-{served.name}")
        self._stop = threading.Event()  # ends the one that runs
        self._running = ""
        self._closing = threading.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Load the jobs on disk and continue the unfinished ones."""
        for record in self._records.load():
            waits = record.job.state in {"queued", "running", "interrupted"}
            if waits and self._served.writable:
                if record.job.attempts < _MOST_ATTEMPTS:
                    record = record.changed(state="queued")  # noqa: PLW2901
                    self._queue.put_nowait(record.job.id)
                else:
                    record = self._give_up(record)  # noqa: PLW2901
            self._records.hold(record)
        self._task = asyncio.create_task(self._run())

    def _give_up(self, record: JobRecord) -> JobRecord:
        """Mark a job that crashed the server repeatedly, so that it is not started again."""
        if record.job.error is not None:  # marked by an earlier server
            return record
        names = self._records.names_read(record.job.id)
        detail = f"the server stopped {record.job.attempts} times while this job ran"
        detail += f"; it was reading {', '.join(map(repr, names))}" if names else ""
        logger.warning(
            "job crashed the server repeatedly; not started again",
            extra={"fields": {"job": record.job.id}},
        )
        problem = Problem(500, "set_aside", detail, "Internal Server Error")
        record = record.changed(state="interrupted", error=problem)
        self._records.note(record)
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
        return self._records.all()

    def __contains__(self, job_id: str) -> bool:
        return job_id in self._records

    def get(self, job_id: str) -> Job:
        """Return a job.

        Raises:
            ProblemError: There is no job with this id.
        """
        return self._records.get(job_id).job

    def new_folder(self) -> Path:
        """Return a new folder for uploads; pass it to `submit`, or remove its parent."""
        return self._records.new_folder()

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
        now = self._records.new_time()
        job = Job(folder.parent.name, self._served.name, "queued", now, now, files, size, kind=kind)
        record = JobRecord(job, tuple(map(str, paths)), importer)
        await asyncio.to_thread(self._records.save, record)
        self._queue.put_nowait(job.id)
        await asyncio.to_thread(self._records.prune)
        return job

    async def resume(self, job_id: str) -> Job:
        """Continue a job that was interrupted, was stopped or failed.

        Raises:
            ProblemError: There is no such job, or its state does not allow it.
        """
        record = self._records.get(job_id)
        if record.job.state not in _RESUMABLE:
            raise ProblemError(
                409, "not_resumable", f"job {job_id} is {record.job.state}, so it cannot be resumed"
            )
        queued = record.changed(state="queued", attempts=0, error=None, report=None, described=None)
        self._records.hold(queued)  # before saving, so that a second call finds it queued
        try:
            await asyncio.to_thread(self._records.save, queued)
        except OSError:
            self._records.hold(record)
            raise
        self._queue.put_nowait(job_id)
        return queued.job

    async def stop(self, job_id: str) -> Job:
        """Stop a job; what was read is kept. A job that has ended is not changed."""
        record = self._records.get(job_id)
        if record.job.state == "queued":
            record = record.changed(state="stopped")
            self._records.hold(record)
            await asyncio.to_thread(self._records.save, record)
        elif job_id == self._running:
            self._stop.set()
        return record.job

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while not self._closing.is_set():
            job_id = await self._next_job()
            if self._records.get(job_id).job.state != "queued":  # stopped while it waited
                continue
            self._running = job_id
            self._stop.clear()
            try:
                async with self._served.writing():
                    if self._closing.is_set():
                        return
                    record = self._records.get(job_id)
                    report = await loop.run_in_executor(self._thread, self._read_files, record)
                if report is not None:  # others may write while vectors are made
                    record = self._records.get(job_id)
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

    def _read_files(self, record: JobRecord) -> IngestReport | None:
        """Read and store the files of a job; None if that was the end of it."""
        record = record.changed(state="running", attempts=record.job.attempts + 1)
        self._records.note(record)
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
                on_reading=partial(self._records.note_reading, record.job.id),
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

    def _encode(self, record: JobRecord, report: IngestReport) -> None:
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

    def _progress(self, record: JobRecord) -> OnProgress:
        """Return what takes the progress of a job, and saves it now and then."""
        written = time.monotonic()

        def progress(at: IngestProgress) -> None:
            nonlocal written
            changed = record.changed(progress=at)
            self._records.hold(changed)
            if time.monotonic() - written > _WRITE_EVERY:
                self._records.note(changed)
                written = time.monotonic()

        return progress

    def _fail(self, record: JobRecord, error: Exception) -> None:
        if not isinstance(error, GraphMemixError):
            logger.error("job failed", exc_info=error, extra={"fields": {"job": record.job.id}})
        record = self._records.get(record.job.id)
        self._records.note(record.changed(state="failed", error=as_problem(error)))

    def _finish(self, record: JobRecord, *, interrupted: bool, **results: object) -> None:
        record = self._records.get(record.job.id)  # with its last progress
        if not interrupted:
            self._records.discard_files(record.job.id)
            self._records.note(record.changed(state="done", **results))
        elif self._closing.is_set():  # not the job's fault
            self._records.note(
                record.changed(state="interrupted", attempts=record.job.attempts - 1)
            )
        else:
            self._records.note(record.changed(state="stopped", **results))
