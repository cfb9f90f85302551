"""Ingestion as jobs: upload files or name some of the server's, look, stop, resume."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Annotated, Any, Final

from fastapi import APIRouter, Request
from fastapi import Path as InPath
from starlette.responses import Response

from graphmemix.serve.archives import Served
from graphmemix.serve.asgi import media_type_of, principal_of
from graphmemix.serve.idempotency import Stored
from graphmemix.serve.jobs import Job
from graphmemix.serve.multipart import Receiver
from graphmemix.serve.problems import ProblemError
from graphmemix.serve.removal import discard
from graphmemix.serve.routes.common import (
    IdempotencyKey,
    Reading,
    Writing,
    body_of,
    gives,
    json_reply,
    once,
    require,
    service_of,
    stored,
    takes,
)
from graphmemix.serve.shapes import JobList, JobPaths

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
                "description": "Their names may hold folders.",
            },
            "as": {"type": "string", "description": "Read every file with this importer."},
        },
    }
}
_JobId = Annotated[str, InPath(pattern=r"^\d{8}-\d{6}-[0-9a-f]{8}$")]


@router.post(
    "",
    status_code=202,
    responses=gives(Job, "It is on disk and will be done.", status=202),
    openapi_extra=takes(JobPaths, multipart__form_data=_UPLOAD),
)
async def add_job(
    request: Request, served: Writing, idempotency_key: IdempotencyKey = None
) -> Response:
    """Ingest files in the background."""
    if not served.writable:
        raise ProblemError(403, "read_only", f"archive {served.name} is served for reading")
    if media_type_of(request.scope) == "multipart/form-data":
        return await _from_upload(request, served, idempotency_key)
    return await _from_paths(request, served, idempotency_key)


async def _from_paths(request: Request, served: Served, key: str | None) -> Response:
    require(principal_of(request.scope), served, "admin")
    root = service_of(request).options.root
    if root is None:
        raise ProblemError(403, "no_root", "this server reads no files by path; see --root")
    body = await body_of(request, JobPaths)
    paths = await served.read(lambda: [_below(root, path) for path in body.paths])
    jobs = service_of(request).jobs_of(served)

    async def act() -> Stored:
        folder = await served.read(jobs.new_folder)
        job = await jobs.submit(folder, paths, body.importer, files=len(paths), size=0)
        return stored(job, 202)

    return await once(request, served, key, await request.body(), act)


def _below(root: Path, path: str) -> Path:
    """Return a path below the root, links followed.

    Raises:
        ProblemError: It leads elsewhere, there is nothing, or a link below it leads elsewhere.
    """
    try:
        inside = root.resolve(strict=True)
        found = Path(os.path.realpath(inside / path, strict=True))
    except (OSError, ValueError):
        found = None
    # The same for what is not there and what is not to be seen.
    if found is None or not found.is_relative_to(inside):
        raise ProblemError(422, "invalid_input", f"there is no {path!r} below the server's root")
    for folder, folders, files in os.walk(found):
        for link in (Path(folder, name) for name in (*folders, *files)):
            if link.is_symlink() and not link.resolve().is_relative_to(inside):
                name = link.relative_to(inside)
                raise ProblemError(422, "invalid_input", f"{name}: a link leads out of the root")
    return found


async def _from_upload(request: Request, served: Served, key: str | None) -> Response:
    """Write the files where the job will find them, and submit it.

    A repetition has uploaded its files again for nothing: boundaries differ, so that only their
    content tells that it is one.
    """
    most = service_of(request).options.limits.upload_files
    jobs = service_of(request).jobs_of(served)
    folder = await served.read(jobs.new_folder)
    try:
        kind = request.headers["content-type"]
        with Receiver(kind, folder, most_files=most) as receiver:
            taken = await receiver.receive(request.stream(), served.read)
        importer = receiver.importer

        async def act() -> Stored:
            job = await jobs.submit(folder, [folder], importer, files=taken.files, size=taken.size)
            return stored(job, 202)

        content = taken.digest + (importer or "").encode()
        return await once(request, served, key, content, act)
    finally:
        if folder.parent.name not in jobs:
            await asyncio.to_thread(discard, folder.parent, folder.parent.parent)


@router.get("", responses=gives(JobList, "Newest first."))
async def list_jobs(request: Request, served: Reading) -> Response:
    """List jobs."""
    return json_reply(JobList(jobs=service_of(request).jobs_of(served).all()))


@router.get("/{job}", responses=gives(Job, "The job."))
async def get_job(request: Request, served: Reading, job: _JobId) -> Response:
    """Look how far a job is."""
    return json_reply(service_of(request).jobs_of(served).get(job))


@router.post("/{job}/resume", status_code=202, responses=gives(Job, "It will go on.", status=202))
async def resume_job(request: Request, served: Writing, job: _JobId) -> Response:
    """Go on with a job that was interrupted, stopped or has failed."""
    if not served.writable:
        raise ProblemError(403, "read_only", f"archive {served.name} is served for reading")
    return json_reply(await service_of(request).jobs_of(served).resume(job), 202)


@router.delete("/{job}", status_code=202, responses=gives(Job, "It will stop.", status=202))
async def stop_job(request: Request, served: Writing, job: _JobId) -> Response:
    """Stop a job; what was read stays."""
    return json_reply(await service_of(request).jobs_of(served).stop(job), 202)
