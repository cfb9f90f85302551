"""Jobs: ingest uploads, paths or the sample; describe media; list, stop, resume."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Annotated, Any, Final

from fastapi import APIRouter, Request
from fastapi import Path as InPath
from starlette.responses import Response

from graphmemix.sample import build
from graphmemix.serve.archives import ServedArchive
from graphmemix.serve.asgi import media_type_of, principal_of
from graphmemix.serve.idempotency import StoredReply
from graphmemix.serve.job_records import Job
from graphmemix.serve.problems import ProblemError
from graphmemix.serve.removal import discard
from graphmemix.serve.routes.common import (
    IdempotencyKey,
    Reading,
    Writing,
    body_of,
    gives,
    json_reply,
    require,
    run_once,
    service_of,
    stored,
    takes,
)
from graphmemix.serve.schemas import JobList, JobPaths
from graphmemix.serve.uploads import MultipartReceiver

router = APIRouter(prefix="/v1/archives/{archive}/jobs", tags=["jobs"])

_UPLOAD: Final[dict[str, Any]] = {
    "schema": {
        "type": "object",
        "required": ["files"],
        "properties": {
            "files": {
                "type": "array",
                "minItems": 1,
                "items": {"type": "string", "format": "binary"},
                "description": "File names may include folders.",
            },
            "as": {"type": "string", "description": "Read every file with this importer."},
        },
    }
}
_JobId = Annotated[str, InPath(pattern=r"^\d{8}-\d{6}-[0-9a-f]{8}$")]


@router.post(
    "",
    status_code=202,
    responses=gives(Job, "The job is saved and will run.", status=202),
    openapi_extra=takes(JobPaths, multipart__form_data=_UPLOAD),
)
async def add_job(
    request: Request, served: Writing, idempotency_key: IdempotencyKey = None
) -> Response:
    """Ingest files in the background."""
    _require_writable(served)
    if media_type_of(request.scope) == "multipart/form-data":
        return await _from_upload(request, served, idempotency_key)
    return await _from_paths(request, served, idempotency_key)


def _require_writable(served: ServedArchive) -> None:
    if not served.writable:
        raise ProblemError(403, "read_only", f"archive {served.name} is read-only")


async def _from_paths(request: Request, served: ServedArchive, key: str | None) -> Response:
    require(principal_of(request.scope), served, "admin")
    root = service_of(request).options.root
    if root is None:
        raise ProblemError(
            403, "no_root", "this server was started without --root, so it accepts no paths"
        )
    body = await body_of(request, JobPaths)
    paths = await served.read(lambda: [_below(root, path) for path in body.paths])
    jobs = service_of(request).jobs_of(served)

    async def act() -> StoredReply:
        folder = await served.read(jobs.new_folder)
        job = await jobs.submit(folder, paths, body.importer, files=len(paths), size=0)
        return stored(job, 202)

    return await run_once(request, served, key, await request.body(), act)


def _below(root: Path, path: str) -> Path:
    """Return a path below the root, with links resolved.

    Raises:
        ProblemError: It does not exist, is outside the root, or contains a link that leads out.
    """
    try:
        inside = root.resolve(strict=True)
        found = Path(os.path.realpath(inside / path, strict=True))
    except (OSError, ValueError):
        found = None
    # The same reply for a missing path and one outside the root.
    if found is None or not found.is_relative_to(inside):
        raise ProblemError(422, "invalid_input", f"there is no {path!r} below the server's root")
    for folder, folders, files in os.walk(found):
        for link in (Path(folder, name) for name in (*folders, *files)):
            if link.is_symlink() and not link.resolve().is_relative_to(inside):
                name = link.relative_to(inside)
                raise ProblemError(422, "invalid_input", f"{name}: a link points outside the root")
    return found


async def _from_upload(request: Request, served: ServedArchive, key: str | None) -> Response:
    """Write the files to the job's folder, and submit the job.

    A repeated request is recognised only after its upload, by the files' content, because multipart
    boundaries differ.
    """
    most = service_of(request).options.limits.upload_files
    jobs = service_of(request).jobs_of(served)
    folder = await served.read(jobs.new_folder)
    try:
        kind = request.headers["content-type"]
        with MultipartReceiver(kind, folder, most_files=most) as receiver:
            taken = await receiver.receive(request.stream(), served.read)
        importer = receiver.importer

        async def act() -> StoredReply:
            job = await jobs.submit(folder, [folder], importer, files=taken.files, size=taken.size)
            return stored(job, 202)

        content = taken.digest + (importer or "").encode()
        return await run_once(request, served, key, content, act)
    finally:
        if folder.parent.name not in jobs:
            await asyncio.to_thread(discard, folder.parent, folder.parent.parent)


@router.post(
    "/describe", status_code=202, responses=gives(Job, "The job is saved and will run.", status=202)
)
async def describe_media(request: Request, served: Writing) -> Response:
    """Describe media that have no words yet, in the background, with what is installed.

    If that is under way already, the reply is the job that does it.
    """
    _require_writable(served)
    jobs = service_of(request).jobs_of(served)
    for job in jobs.all():
        if job.kind == "describe" and job.state in {"queued", "running"}:
            return json_reply(job, 202)
    folder = await served.read(jobs.new_folder)
    return json_reply(await jobs.submit(folder, kind="describe"), 202)


@router.post(
    "/sample", status_code=202, responses=gives(Job, "The job is saved and will run.", status=202)
)
async def add_sample(request: Request, served: Writing) -> Response:
    """Fill an empty archive with the sample, an invented household, in the background."""
    _require_writable(served)
    if await served.read(served.archive.store.count):
        raise ProblemError(
            409, "not_empty", f"archive {served.name} is not empty; the sample is for empty ones"
        )
    jobs = service_of(request).jobs_of(served)
    folder = await served.read(jobs.new_folder)
    sample = await served.read(build, folder)
    return json_reply(await jobs.submit(folder, [sample.files], files=1), 202)


@router.get("", responses=gives(JobList, "Newest first."))
async def list_jobs(request: Request, served: Reading) -> Response:
    """List jobs."""
    return json_reply(JobList(jobs=service_of(request).jobs_of(served).all()))


@router.get("/{job}", responses=gives(Job, "The job."))
async def get_job(request: Request, served: Reading, job: _JobId) -> Response:
    """Get a job and its progress."""
    return json_reply(service_of(request).jobs_of(served).get(job))


@router.post(
    "/{job}/resume", status_code=202, responses=gives(Job, "The job will continue.", status=202)
)
async def resume_job(request: Request, served: Writing, job: _JobId) -> Response:
    """Resume a job that was interrupted, was stopped or failed."""
    _require_writable(served)
    return json_reply(await service_of(request).jobs_of(served).resume(job), 202)


@router.delete("/{job}", status_code=202, responses=gives(Job, "The job will stop.", status=202))
async def stop_job(request: Request, served: Writing, job: _JobId) -> Response:
    """Stop a job; what was read is kept."""
    return json_reply(await service_of(request).jobs_of(served).stop(job), 202)
