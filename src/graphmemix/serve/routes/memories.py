"""Memories: add, get, list, search, update, erase."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from graphmemix.memory import Memory
from graphmemix.retrieve.facets import days_about
from graphmemix.serve.idempotency import StoredReply
from graphmemix.serve.problems import ProblemError
from graphmemix.serve.routes.common import (
    MOST_IN_A_QUESTION,
    IdempotencyKey,
    Reading,
    Writing,
    body_of,
    gives,
    json_reply,
    run_once,
    service_of,
    stored,
    takes,
)
from graphmemix.serve.routes.filters import WantedFilter
from graphmemix.serve.schemas import (
    MOST_LISTED,
    AboutDays,
    AddedIds,
    Days,
    EraseRequest,
    MemoryPage,
    NewMemories,
    NewMemory,
    NewVersion,
    SearchHit,
    SearchRequest,
    SearchResults,
    Versions,
)
from graphmemix.store.records import Receipt

router = APIRouter(prefix="/v1/archives/{archive}", tags=["memories"])


@router.get("/memories", responses=gives(MemoryPage, "A page of memories."))
async def list_memories(
    served: Reading,
    wanted: WantedFilter,
    *,
    limit: Annotated[int, Query(ge=1, le=MOST_LISTED)] = 50,
    after: Annotated[str | None, Query(description="`next` of the previous page.")] = None,
) -> Response:
    """List memories by time, then id; those without a time come last."""
    # One more than requested, to know whether there is a next page.
    found = await served.read(served.archive.find, wanted, limit=limit + 1, after=after)
    more = found[limit - 1].id if len(found) > limit else None
    return json_reply(MemoryPage(memories=found[:limit], next=more))


@router.post(
    "/memories",
    status_code=201,
    responses=gives(AddedIds, "The memories are stored.", status=201),
    openapi_extra=takes(NewMemories),
)
async def add_memories(
    request: Request, served: Writing, idempotency_key: IdempotencyKey = None
) -> Response:
    """Add memories, all or none; then encode and relate them."""
    body = await body_of(request, NewMemories)
    memories = [each.memory() for each in body.memories]
    _require_small(request, memories)

    async def act() -> StoredReply:
        added = await served.write(served.archive.add, memories)
        return stored(AddedIds(new=added.new, known=added.known), 201)

    return await run_once(request, served, idempotency_key, await request.body(), act)


def _require_small(request: Request, memories: Sequence[Memory]) -> None:
    """Refuse what would keep the archive's one writer busy for minutes.

    The length as JSON counts everything that a memory holds: text, media, descriptions, metadata.

    Raises:
        ProblemError: A memory, or all together, is too large; names which, and the bound.
    """
    limits = service_of(request).options.limits
    total = 0
    for place, memory in enumerate(memories):
        size = len(memory.to_json().encode())
        if size > limits.memory_bytes:
            raise ProblemError(
                413,
                "too_large",
                f"memories.{place}: has {size} bytes as JSON; a memory has at most "
                f"{limits.memory_bytes}. Send long documents to jobs: importers split them",
            )
        total += size
    if total > limits.added_bytes:
        raise ProblemError(
            413,
            "too_large",
            f"memories: have {total} bytes as JSON together; one request adds at most "
            f"{limits.added_bytes}. Send the rest in further requests",
        )


@router.get("/memories/{memory_id:path}", responses=gives(Memory, "The memory."))
async def get_memory(served: Reading, memory_id: str) -> Response:
    """Get a memory."""
    return json_reply(await served.read(served.archive.get, memory_id))


@router.put(
    "/memories/{memory_id:path}",
    responses=gives(NewVersion, "It is replaced; the old state stays in its history."),
    openapi_extra=takes(NewMemory),
)
async def update_memory(
    request: Request, served: Writing, memory_id: str, idempotency_key: IdempotencyKey = None
) -> Response:
    """Replace a memory and everything derived from it."""
    body = await body_of(request, NewMemory)
    if body.id not in {None, memory_id}:
        raise ProblemError(422, "invalid_input", "id: must equal the one in the URL, or be omitted")
    memory = body.memory(memory_id)
    _require_small(request, [memory])

    async def act() -> StoredReply:
        return stored(NewVersion(version=await served.write(served.archive.update, memory)))

    return await run_once(request, served, idempotency_key, await request.body(), act)


@router.delete("/memories/{memory_id:path}", responses=gives(Receipt, "The memory is erased."))
async def erase_memory(
    request: Request, served: Writing, memory_id: str, idempotency_key: IdempotencyKey = None
) -> Response:
    """Erase a memory and everything that mentions it; repeated, it returns the same receipt."""

    async def act() -> StoredReply:
        if await served.read(served.archive.store.receipt_of, memory_id) is None:
            await served.read(served.archive.get, memory_id)
        return stored(await served.write(served.archive.erase, [memory_id]))

    return await run_once(request, served, idempotency_key, b"", act)


@router.post(
    "/erase",
    responses=gives(Receipt, "The memories are erased."),
    openapi_extra=takes(EraseRequest),
)
async def erase_memories(
    request: Request, served: Writing, idempotency_key: IdempotencyKey = None
) -> Response:
    """Erase memories and everything that mentions them; unknown ids are ignored.

    If all of them were erased before, the reply is that receipt.
    """
    body = await body_of(request, EraseRequest)

    async def act() -> StoredReply:
        return stored(await served.write(served.archive.erase, body.ids))

    return await run_once(request, served, idempotency_key, await request.body(), act)


@router.get("/history/{memory_id:path}", responses=gives(Versions, "Oldest first."))
async def get_history(served: Reading, memory_id: str) -> Response:
    """Get all versions of a memory."""
    found = await served.read(served.archive.store.history, memory_id)
    return json_reply(Versions(versions=found))


@router.get("/about/{memory_id:path}", responses=gives(AboutDays, "The days, in order."))
async def get_about(served: Reading, memory_id: str) -> Response:
    """Get the days that a memory is about: those that its words state, or those of its event."""

    def read() -> AboutDays:
        served.archive.get(memory_id)  # or it is not found
        [days] = days_about(served.archive.store, [memory_id]).values()
        return AboutDays(about=[Days(first=first, last=last) for first, last in days])

    return json_reply(await served.read(read))


@router.post(
    "/search", responses=gives(SearchResults, "Best first."), openapi_extra=takes(SearchRequest)
)
async def search_memories(request: Request, served: Reading) -> Response:
    """Find memories by their words alone (BM25)."""
    body = await body_of(request, SearchRequest, most_values=MOST_IN_A_QUESTION)
    if body.filter is not None:
        body.filter.require_bounded()

    def find() -> list[SearchHit]:
        store = served.archive.store
        with store.snapshot():
            hits = store.search_text(body.text, limit=body.limit, filter=body.filter)
            memories = store.get_many(hit.memory_id for hit in hits)
        return [
            SearchHit(score=hit.score, view=hit.view_kind, memory=memories[hit.memory_id])
            for hit in hits
        ]

    return json_reply(SearchResults(hits=await served.read(find)))
