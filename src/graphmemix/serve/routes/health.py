"""Health, readiness and metrics."""

from __future__ import annotations

from fastapi import APIRouter, Request
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from starlette.responses import Response

from graphmemix.errors import GraphMemixError
from graphmemix.serve.asgi import principal_of
from graphmemix.serve.keys import ALL
from graphmemix.serve.problems import ProblemError
from graphmemix.serve.routes.common import gives, json_reply, service_of
from graphmemix.serve.schemas import Status

router = APIRouter(prefix="/v1", tags=["server"])


@router.get("/health", responses=gives(Status, "The process is running."))
async def health() -> Response:
    """Check that the process is running. Needs no key."""
    return json_reply(Status(status="ok"))


@router.get("/ready", responses=gives(Status, "Requests are answered."))
async def ready(request: Request) -> Response:
    """Check that every archive can be read. Needs no key."""
    service = service_of(request)
    if not service.ready:
        raise ProblemError(503, "not_ready", "the server is starting or stopping")
    for served in service.archives:
        try:
            await served.read(served.archive.store.encoder)
        except GraphMemixError:
            raise ProblemError(503, "not_ready", "an archive cannot be read") from None
    return json_reply(Status(status="ready"))


@router.get(
    "/metrics",
    responses=gives(
        None, "Prometheus text.", content={"text/plain": {"schema": {"type": "string"}}}
    ),
)
async def metrics(request: Request) -> Response:
    """Get metrics. Needs a key with `*:admin`, because they name the archives."""
    if not principal_of(request.scope).may(ALL, "admin"):
        raise ProblemError(403, "forbidden", "metrics need a key with the grant *:admin")
    return Response(service_of(request).metrics.text(), media_type=CONTENT_TYPE_PLAIN_0_0_4)
