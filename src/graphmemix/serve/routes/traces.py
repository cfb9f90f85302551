"""Traces of earlier questions."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from graphmemix.evidence import Trace
from graphmemix.optimize.explanation import explain
from graphmemix.serve.archives import ServedArchive
from graphmemix.serve.page.export import page_text
from graphmemix.serve.question_schemas import TraceList, TraceReply, TraceSummary
from graphmemix.serve.routes.common import Reading, gives, json_reply
from graphmemix.serve.routes.questions import trace_json
from graphmemix.serve.schemas import MOST_LISTED

router = APIRouter(prefix="/v1/archives/{archive}/traces", tags=["traces"])


@router.get("", responses=gives(TraceList, "Newest first."))
async def list_traces(
    served: Reading, limit: Annotated[int, Query(ge=1, le=MOST_LISTED)] = 50
) -> Response:
    """List summaries of traces."""

    def lines() -> list[TraceSummary]:
        return [_line(trace) for trace in served.archive.traces(limit=limit)]

    return json_reply(TraceList(traces=await served.read(lines)))


@router.get("/{trace_id}", responses=gives(TraceReply, "The trace."))
async def get_trace(
    served: Reading,
    trace_id: str,
    explained: Annotated[  # noqa: FBT002
        bool, Query(alias="explain", description="Explain each candidate.")
    ] = True,
) -> Response:
    """Get a trace, and why each candidate was chosen or left out."""
    return json_reply(await served.read(_saved_trace, served, trace_id, explained=explained))


@router.get(
    "/{trace_id}/page",
    responses=gives(None, "One HTML file.", content={"text/html": {"schema": {"type": "string"}}}),
)
async def get_trace_page(served: Reading, trace_id: str) -> Response:
    """Get a trace as one HTML file that works without a server.

    It holds the evidence in full, with pictures, and nothing of what was not chosen.
    """
    page = await served.read(_page, served, trace_id)
    headers = {"Content-Disposition": 'attachment; filename="answer.html"'}
    return Response(page, media_type="text/html", headers=headers)


def _page(served: ServedArchive, trace_id: str) -> str:
    archive = served.archive
    trace = served.archive.trace(trace_id)
    chosen = () if trace.forest is None else trace.forest.memory_ids
    memories = archive.store.get_many(chosen)
    reasons = [each for each in explain(trace, archive.settings) if each.memory_id in chosen]
    return page_text(
        trace, memories.values(), reasons, media=archive.media, settings=archive.settings
    )


def _saved_trace(served: ServedArchive, trace_id: str, *, explained: bool) -> str:
    return trace_json(served, served.archive.trace(trace_id), explained=explained)


def _line(trace: Trace) -> TraceSummary:
    return TraceSummary(
        id=trace.id,
        created_at=trace.created_at,
        question=trace.question.text,
        answer=None if trace.answer is None else trace.answer.text,
        memory_ids=() if trace.forest is None else trace.forest.memory_ids,
    )
