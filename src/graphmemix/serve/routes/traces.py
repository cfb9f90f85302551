"""Traces of earlier questions."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from graphmemix.evidence import Trace
from graphmemix.serve.archives import Served
from graphmemix.serve.problems import ProblemError
from graphmemix.serve.routes.common import Reading, gives, json_reply
from graphmemix.serve.routes.questions import told_text
from graphmemix.serve.shapes import MOST_LISTED, Told, TraceLine, TraceList

router = APIRouter(prefix="/v1/archives/{archive}/traces", tags=["traces"])


@router.get("", responses=gives(TraceList, "Newest first."))
async def list_traces(
    served: Reading, limit: Annotated[int, Query(ge=1, le=MOST_LISTED)] = 50
) -> Response:
    """List traces in short."""

    def lines() -> list[TraceLine]:
        return [_line(trace) for trace in served.archive.traces(limit=limit)]

    return json_reply(TraceList(traces=await served.read(lines)))


@router.get("/{trace_id}", responses=gives(Told, "The trace."))
async def get_trace(
    served: Reading,
    trace_id: str,
    explain: Annotated[bool, Query(description="Say why each candidate was chosen or not.")] = True,  # noqa: FBT002
) -> Response:
    """Get a trace, and why each candidate was chosen or left out."""
    return json_reply(await served.read(_told, served, trace_id, explain=explain))


def _told(served: Served, trace_id: str, *, explain: bool) -> str:
    # Jobs of the library keep logs beside traces; they are not told.
    if served.archive.store.log(trace_id).kind != "trace":
        raise ProblemError(404, "not_found", f"there is no trace {trace_id!r}")
    return told_text(served, served.archive.trace(trace_id), wants=explain)


def _line(trace: Trace) -> TraceLine:
    return TraceLine(
        id=trace.id,
        created_at=trace.created_at,
        question=trace.question.text,
        answer=None if trace.answer is None else trace.answer.text,
        memory_ids=() if trace.forest is None else trace.forest.memory_ids,
    )
