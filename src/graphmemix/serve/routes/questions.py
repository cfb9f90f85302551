"""Recall, ask, and what is known of a picture before it is part of a question."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable
from contextlib import aclosing
from dataclasses import replace
from typing import Any, Final, TypeVar

from fastapi import APIRouter, Request
from starlette.responses import Response

from graphmemix.asking import wanted_filter, wanted_in
from graphmemix.evidence import Trace
from graphmemix.llm.limits import Budget
from graphmemix.optimize.explanation import explain
from graphmemix.read.chance import in_words
from graphmemix.serve.archives import ServedArchive
from graphmemix.serve.asgi import request_id_of, state_of
from graphmemix.serve.pictures import facts_of
from graphmemix.serve.problems import Problem, as_problem
from graphmemix.serve.question_schemas import (
    AskRequest,
    PictureReply,
    PictureRequest,
    RecallRequest,
    TraceReply,
)
from graphmemix.serve.routes.common import (
    MOST_IN_A_QUESTION,
    Reading,
    body_of,
    gives,
    json_reply,
    takes,
)
from graphmemix.serve.streaming import EventResponse, events
from graphmemix.store.protocol import Filter

router = APIRouter(prefix="/v1/archives/{archive}", tags=["questions"])

_EVENTS: Final = "text/event-stream"
_T = TypeVar("_T")


@router.post(
    "/picture",
    responses=gives(PictureReply, "What is known of it."),
    openapi_extra=takes(PictureRequest),
)
async def look_at_picture(request: Request, served: Reading) -> Response:
    """Find the same picture in the archive, the text in it, and when and where it was taken.

    Pass `caption` on with the picture in a question, so that an archive whose encoder does not see
    pictures can use it. Nothing is stored.
    """
    body = await body_of(request, PictureRequest)
    return json_reply(await served.read(_facts, served, body.image.data))


def _facts(served: ServedArchive, data: bytes) -> PictureReply:
    return PictureReply(**facts_of(served.archive, data)._asdict())


@router.post(
    "/recall",
    responses=gives(TraceReply, "The evidence; the answer is null."),
    openapi_extra=takes(RecallRequest),
)
async def recall(request: Request, served: Reading) -> Response:
    """Find the few memories that answer a question together."""
    body = await body_of(request, RecallRequest, most_values=MOST_IN_A_QUESTION)
    budget = _budget(served)
    wanted = await _wanted(served, body)
    asking = served.archive.arecall(body.asked(), filter=wanted, limit=body.limit, budget=budget)
    trace = await _while_connected(request, asking, budget)
    return await _trace_reply(request, served, trace, explained=body.explain)


def _ask_responses() -> dict[int | str, dict[str, Any]]:
    described = gives(TraceReply, "The answer and its evidence, or events.")
    described[200]["content"][_EVENTS] = {"schema": {"type": "string"}}
    return described


@router.post("/ask", responses=_ask_responses(), openapi_extra=takes(AskRequest))
async def ask(request: Request, served: Reading) -> Response:
    """Answer a question; with `Accept: text/event-stream` the answer is streamed."""
    body = await body_of(request, AskRequest, most_values=MOST_IN_A_QUESTION)
    budget = _budget(served)
    question, instruction = body.asked(), body.instruction
    wanted = await _wanted(served, body)
    archive = served.with_model(body.model)
    if _EVENTS in request.headers.get("accept", ""):
        pieces = archive.astream(
            question, filter=wanted, limit=body.limit, instruction=instruction, budget=budget
        )
        stream = _stream(request, served, pieces, budget, explained=body.explain)
        return EventResponse(stream)
    asking = archive.aask(
        question, filter=wanted, limit=body.limit, instruction=instruction, budget=budget
    )
    trace = await _while_connected(request, asking, budget)
    return await _trace_reply(request, served, trace, explained=body.explain)


async def _wanted(served: ServedArchive, body: RecallRequest) -> Filter | None:
    """Return which memories a question may use; a mistake is refused before an answer begins."""
    archive = served.archive
    zone, now = archive.settings.ingest.zone, body.asked().asked_at
    return await served.read(
        wanted_filter, archive.store, zone, body.filter, **wanted_in(body), now=now
    )


async def _stream(
    request: Request,
    served: ServedArchive,
    pieces: AsyncIterator[str | Trace],
    budget: Budget,
    *,
    explained: bool,
) -> AsyncGenerator[bytes]:
    def render(trace: Trace) -> str:
        state_of(request.scope)["costs"] = trace.costs
        return trace_json(served, trace, explained=explained)

    def problem(error: Exception) -> Problem:
        return replace(as_problem(error), request_id=request_id_of(request.scope))

    try:
        async with aclosing(events(pieces, render, problem)) as stream:
            async for event in stream:
                yield event
    finally:
        budget.cancel()


async def _while_connected(request: Request, asking: Awaitable[_T], budget: Budget) -> _T:
    """Await an answer; cancel it if the client disconnects, to save model calls."""
    answer = asyncio.ensure_future(asking)
    gone = asyncio.create_task(_gone(request))
    try:
        await asyncio.wait([answer, gone], return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            budget.cancel()
        return await answer
    finally:
        gone.cancel()
        answer.cancel()


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _budget(served: ServedArchive) -> Budget:
    return Budget.from_settings(served.archive.settings.limits)


async def _trace_reply(
    request: Request, served: ServedArchive, trace: Trace, *, explained: bool
) -> Response:
    state_of(request.scope)["costs"] = trace.costs
    return json_reply(await served.read(trace_json, served, trace, explained=explained))


def trace_json(served: ServedArchive, trace: Trace, *, explained: bool) -> str:
    """Return a trace, with explanations if wanted, as the JSON of `TraceReply`."""
    found = explain(trace, served.archive.settings) if explained else ()
    listed = ",".join(each.to_json() for each in found)
    holds = json.dumps(in_words(trace, served.archive.settings.reader))
    return f'{{"trace":{trace.to_json()},"holds":{holds},"explanations":[{listed}]}}'
