"""Recall and ask."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable
from contextlib import aclosing
from dataclasses import replace
from typing import Any, Final, TypeVar

from fastapi import APIRouter, Request
from starlette.responses import Response

from graphmemix.evidence import Trace
from graphmemix.llm.limits import Budget
from graphmemix.optimize.explanation import explain
from graphmemix.serve.archives import Served
from graphmemix.serve.asgi import request_id_of, state_of
from graphmemix.serve.problems import Problem, as_problem
from graphmemix.serve.routes.common import (
    MOST_IN_A_QUESTION,
    Reading,
    body_of,
    gives,
    json_reply,
    takes,
)
from graphmemix.serve.shapes import Asked, AskedForAnswer, Told
from graphmemix.serve.streaming import EventResponse, events

router = APIRouter(prefix="/v1/archives/{archive}", tags=["questions"])

_EVENTS: Final = "text/event-stream"
_T = TypeVar("_T")


@router.post(
    "/recall",
    responses=gives(Told, "The evidence; the answer is null."),
    openapi_extra=takes(Asked),
)
async def recall(request: Request, served: Reading) -> Response:
    """Find the few memories that answer a question together."""
    body = await body_of(request, Asked, most_values=MOST_IN_A_QUESTION)
    budget = _budget(served)
    asking = served.archive.arecall(body.asked(), filter=body.filter, budget=budget)
    trace = await _while_connected(request, asking, budget)
    return await _told(request, served, trace, wants=body.explain)


def _ask_responses() -> dict[int | str, dict[str, Any]]:
    told = gives(Told, "The answer and its evidence, or events.")
    told[200]["content"][_EVENTS] = {"schema": {"type": "string"}}
    return told


@router.post("/ask", responses=_ask_responses(), openapi_extra=takes(AskedForAnswer))
async def ask(request: Request, served: Reading) -> Response:
    """Answer a question, with `Accept: text/event-stream` as it comes."""
    body = await body_of(request, AskedForAnswer, most_values=MOST_IN_A_QUESTION)
    budget = _budget(served)
    question, instruction = body.asked(), body.instruction
    if _EVENTS in request.headers.get("accept", ""):
        pieces = served.archive.astream(
            question, filter=body.filter, instruction=instruction, budget=budget
        )
        stream = _stream(request, served, pieces, budget, wants=body.explain)
        return EventResponse(stream)
    asking = served.archive.aask(
        question, filter=body.filter, instruction=instruction, budget=budget
    )
    trace = await _while_connected(request, asking, budget)
    return await _told(request, served, trace, wants=body.explain)


async def _stream(
    request: Request,
    served: Served,
    pieces: AsyncIterator[str | Trace],
    budget: Budget,
    *,
    wants: bool,
) -> AsyncGenerator[bytes]:
    def tell(trace: Trace) -> str:
        state_of(request.scope)["costs"] = trace.costs
        return told_text(served, trace, wants=wants)

    def problem(error: Exception) -> Problem:
        return replace(as_problem(error), request_id=request_id_of(request.scope))

    try:
        async with aclosing(events(pieces, tell, problem)) as told:
            async for event in told:
                yield event
    finally:
        budget.cancel()


async def _while_connected(request: Request, asking: Awaitable[_T], budget: Budget) -> _T:
    """Await an answer; give it up if the client goes away, which saves a model's time."""
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


def _budget(served: Served) -> Budget:
    return Budget.from_settings(served.archive.settings.limits)


async def _told(request: Request, served: Served, trace: Trace, *, wants: bool) -> Response:
    state_of(request.scope)["costs"] = trace.costs
    return json_reply(await served.read(told_text, served, trace, wants=wants))


def told_text(served: Served, trace: Trace, *, wants: bool) -> str:
    """Return a trace, and explanations if they are wanted, as `Told`."""
    found = explain(trace, served.archive.settings) if wants else ()
    listed = ",".join(each.to_json() for each in found)
    return f'{{"trace":{trace.to_json()},"explanations":[{listed}]}}'
