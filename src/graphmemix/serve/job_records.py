"""Jobs as they are kept: what clients see of them, and a folder of each on disk.

::

    STATE/jobs/NAME-PLACE/JOB/job.json      state and progress
    STATE/jobs/NAME-PLACE/JOB/reading.json  which files are being read
    STATE/jobs/NAME-PLACE/JOB/files/        the uploaded files; removed when the job is done
"""

from __future__ import annotations

import json
import re
import secrets
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, Literal, TypeAlias

from graphmemix.errors import InvalidDataError
from graphmemix.fsio import make_folder, write_text, write_whole
from graphmemix.ingest.describe import Described
from graphmemix.ingest.report import IngestProgress, IngestReport
from graphmemix.record import Record
from graphmemix.serve.access_log import logger
from graphmemix.serve.problems import Problem, ProblemError
from graphmemix.serve.removal import discard, sweep

__all__ = ["Job", "JobKind", "JobRecord", "JobRecords", "JobState"]

JobState: TypeAlias = Literal["queued", "running", "done", "interrupted", "stopped", "failed"]
JobKind: TypeAlias = Literal["ingest", "describe"]

_ID: Final = re.compile(r"\d{8}-\d{6}-[0-9a-f]{8}\Z")
_JOB_FILE: Final = "job.json"
_READING: Final = "reading.json"
_FILES: Final = "files"
_MOST_KEPT: Final = 200


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
class JobRecord(Record):
    """A job as it is stored: with what to read, and with which importer."""

    job: Job
    paths: tuple[str, ...] = ()
    importer: str | None = None

    def changed(self, **changes: object) -> JobRecord:
        """Return it with other fields of the job, changed now."""
        job = replace(self.job, updated_at=datetime.now(UTC), **changes)  # type: ignore[arg-type]
        return replace(self, job=job)


class JobRecords:
    """The jobs of one archive, in memory and on disk."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, JobRecord] = {}

    def load(self) -> list[JobRecord]:
        """Read the jobs on disk, oldest first; remove uploads that never became a job."""
        sweep(self._folder)
        found = []
        for place in sorted(self._folder.glob("*")) if self._folder.is_dir() else ():
            if not _ID.match(place.name):
                continue
            try:
                found.append(JobRecord.from_json((place / _JOB_FILE).read_bytes()))
            except FileNotFoundError:
                discard(place, self._folder)
            except (OSError, InvalidDataError):
                logger.warning("job cannot be read", extra={"fields": {"job": place.name}})
        return sorted(found, key=lambda record: _order(record.job))

    def all(self) -> list[Job]:
        """Return all jobs, newest first."""
        return sorted((each.job for each in self._known.values()), key=_order, reverse=True)

    def __contains__(self, job_id: str) -> bool:
        return job_id in self._known

    def get(self, job_id: str) -> JobRecord:
        """Return a job as it is stored.

        Raises:
            ProblemError: There is no job with this id.
        """
        if job_id not in self._known:
            raise ProblemError(404, "not_found", f"there is no job {job_id!r} in this archive")
        return self._known[job_id]

    def new_folder(self) -> Path:
        """Return a new folder for the files of a job."""
        name = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(4)}"
        return make_folder(self._folder / name / _FILES)

    def new_time(self) -> datetime:
        """Return the time of a new job; they keep their order even if the clock was set back."""
        now = datetime.now(UTC)
        if not self._known:
            return now
        return max(now, self.all()[0].created_at + timedelta(microseconds=1))

    def hold(self, record: JobRecord) -> None:
        """Keep a job in memory, without saving it."""
        self._known[record.job.id] = record

    def save(self, record: JobRecord) -> None:
        """Save a job.

        Raises:
            OSError: It cannot be written; it is not changed in memory either.
        """
        write_whole(self._folder / record.job.id / _JOB_FILE, record.to_json())
        self.hold(record)

    def note(self, record: JobRecord) -> None:
        """Save a job's state; if the disk is full, keep it in memory and log a warning."""
        try:
            self.save(record)
        except OSError as error:
            self.hold(record)
            fields = {"job": record.job.id, "why": error.strerror}
            logger.warning("the state of a job could not be saved", extra={"fields": fields})

    def note_reading(self, job_id: str, names: tuple[str, ...]) -> None:
        """Save which files are being read, to name them if the process crashes."""
        with suppress(OSError):
            write_text(self._folder / job_id / _READING, json.dumps(names))

    def names_read(self, job_id: str) -> list[str]:
        """Return which files were being read."""
        try:
            return [
                str(name) for name in json.loads((self._folder / job_id / _READING).read_bytes())
            ]
        except (OSError, ValueError, TypeError):
            return []

    def discard_files(self, job_id: str) -> None:
        """Remove the uploaded files of a job, in the background."""
        discard(self._folder / job_id / _FILES, self._folder)

    def prune(self) -> None:
        """Delete the oldest jobs that have ended."""
        ended = [job for job in self.all() if job.state not in {"queued", "running"}]
        for job in ended[_MOST_KEPT:]:
            discard(self._folder / job.id, self._folder)
            self._known.pop(job.id, None)


def _order(job: Job) -> tuple[datetime, str]:
    return job.created_at, job.id
