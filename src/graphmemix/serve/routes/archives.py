"""Archives: list, and details of one."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from graphmemix.serve.asgi import principal_of
from graphmemix.serve.routes.common import Reading, gives, json_reply, service_of
from graphmemix.serve.schemas import ArchiveDetails, ArchiveList, ArchiveSummary

router = APIRouter(prefix="/v1/archives", tags=["archives"])


@router.get("", responses=gives(ArchiveList, "The archives that the key may read."))
async def list_archives(request: Request) -> Response:
    """List archives."""
    who = principal_of(request.scope)
    lines = []
    for served in service_of(request).archives:
        scope = who.scope(served.name)
        if scope is None:
            continue
        stats = await served.read(served.archive.store.stats)
        lines.append(
            ArchiveSummary(
                name=served.name,
                scope=scope,
                writable=served.writable,
                memories=stats.memories,
                first=stats.first,
                last=stats.last,
                zone=served.archive.settings.ingest.zone,
            )
        )
    return json_reply(ArchiveList(archives=lines))


@router.get("/{archive}", responses=gives(ArchiveDetails, "The archive."))  # noqa: FAST003
async def get_archive(request: Request, served: Reading) -> Response:
    """Get an archive's size and settings."""
    scope = principal_of(request.scope).scope(served.name)
    settings = served.archive.settings
    details = ArchiveDetails(
        name=served.name,
        scope=scope or "read",
        writable=served.writable,
        profile=settings.profile,
        encoder=await served.read(served.archive.store.encoder),
        verifier_model=settings.model.name,
        stats=await served.read(served.archive.store.stats),
    )
    return json_reply(details)
