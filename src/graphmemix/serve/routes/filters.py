"""Which memories are wanted, as parameters of a URL."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import Depends, Query

from graphmemix.memory import Kind, Modality
from graphmemix.serve.problems import ProblemError
from graphmemix.serve.schemas import ISO
from graphmemix.store.records import Box, Filter

_Kinds = Annotated[list[Kind], Query()]
_Modalities = Annotated[list[Modality], Query()]
_Names = Annotated[list[str], Query()]
_Moment = Annotated[datetime | None, Query(description="With a time zone.", examples=[ISO])]
_Degrees = Annotated[
    str | None,
    Query(
        description="South, west, north and east in degrees, with commas.",
        examples=["45.5,10.6,45.9,11"],
        max_length=200,
    ),
]


def wanted_by(
    *,
    kind: _Kinds = [],  # noqa: B006  # FastAPI copies it
    modality: _Modalities = [],  # noqa: B006
    source: _Names = [],  # noqa: B006
    session: _Names = [],  # noqa: B006
    speaker: _Names = [],  # noqa: B006
    since: _Moment = None,
    until: _Moment = None,
    as_of: _Moment = None,
    box: _Degrees = None,
) -> Filter:
    """Return the filter that parameters describe."""
    return Filter(
        since=since,
        until=until,
        as_of=as_of,
        place=None if box is None else _box(box),
        kinds=tuple(kind),
        modalities=tuple(modality),
        sessions=tuple(session),
        sources=tuple(source),
        speakers=tuple(speaker),
    )


def _box(text: str) -> Box:
    try:
        south, west, north, east = map(float, text.split(","))
    except ValueError:
        raise ProblemError(
            422, "invalid_input", "box: must be four numbers: south,west,north,east"
        ) from None
    return Box(south, west, north, east)


WantedFilter = Annotated[Filter, Depends(wanted_by)]
