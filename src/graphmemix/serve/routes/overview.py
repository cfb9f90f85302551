"""What is in an archive: counts by kind, month, person and place; questions that fit it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Annotated, Final, Literal, TypeAlias

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from graphmemix.serve.archives import ServedArchive
from graphmemix.serve.routes.common import Reading, gives, json_reply, service_of
from graphmemix.serve.routes.filters import WantedFilter
from graphmemix.serve.schemas import Month, Overview, Person, PlaceCount, Suggestions
from graphmemix.store import Store
from graphmemix.store.records import DayCount, Filter, Spot

router = APIRouter(prefix="/v1/archives/{archive}", tags=["archives"])

Language: TypeAlias = Literal["en", "de", "fr", "es"]
_MOST_PEOPLE: Final = 50
_MOST_PLACES: Final = 300  # on a map
_FINEST: Final = 0.01  # degrees, about a kilometre: closer coordinates are one place


@router.get("/overview", responses=gives(Overview, "The counts."))
async def get_overview(served: Reading, wanted: WantedFilter) -> Response:
    """Count the memories that match, by kind, month, person and place. Months are in UTC."""
    return json_reply(await served.read(_overview, served, wanted))


@router.get("/suggestions", responses=gives(Suggestions, "At most five; none at worst."))
async def get_suggestions(
    request: Request,
    served: Reading,
    language: Annotated[Language, Query(description="Of the questions.")] = "en",
) -> Response:
    """Get questions that fit this archive. Each was tried: the archive holds its answer.

    They are tried in the background after the archive has changed; until `complete` is true, ask
    again for more.
    """
    found = await service_of(request).suggestions.get(served, language)
    return json_reply(Suggestions(questions=found.questions, complete=found.is_complete))


def _overview(served: ServedArchive, wanted: Filter) -> Overview:
    store = served.archive.store
    with store.snapshot():
        total = store.count(wanted)
        days = store.days(wanted)
        people = store.people(wanted, limit=_MOST_PEOPLE)
        places = _named(store, merged(store.spots(wanted)))
    dated = sum(each.memories for each in days)
    return Overview(
        memories=total,
        undated=total - dated,
        months=_months(days),
        people=[Person(name=each.name, memories=each.memories) for each in people],
        places=places,
    )


def _months(days: Iterable[DayCount]) -> list[Month]:
    counts: dict[str, Counter[str]] = {}
    for day, kind, memories in days:
        counts.setdefault(f"{day:%Y-%m}", Counter())[kind] += memories
    return [Month(month=month, kinds=dict(kinds)) for month, kinds in counts.items()]


def merged(spots: Sequence[Spot], most: int = _MOST_PLACES) -> list[Spot]:
    """Return at most so many spots: near ones count as the one of them with most memories."""
    cell = _FINEST
    while True:
        cells: dict[tuple[int, int], list[Spot]] = {}
        for spot in spots:
            at = int(spot.latitude // cell), int(spot.longitude // cell)
            cells.setdefault(at, []).append(spot)
        if len(cells) <= most:
            return [_one(group) for group in cells.values()]
        cell *= 2


def _one(group: Sequence[Spot]) -> Spot:
    most = max(group, key=lambda spot: spot.memories)
    return most._replace(memories=sum(spot.memories for spot in group))


def _named(store: Store, spots: Sequence[Spot]) -> list[PlaceCount]:
    memories = store.get_many(spot.memory_id for spot in spots)
    places = {i: memory.place for i, memory in memories.items() if memory.place is not None}
    return [
        PlaceCount(
            name=places[spot.memory_id].name if spot.memory_id in places else "",
            latitude=spot.latitude,
            longitude=spot.longitude,
            memories=spot.memories,
        )
        for spot in spots
    ]
