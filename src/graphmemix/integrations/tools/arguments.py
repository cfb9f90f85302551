"""The arguments of the tools, as models see them."""

from __future__ import annotations

from typing import Final

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from graphmemix.evidence.question import LONGEST_QUESTION
from graphmemix.memory import Kind

__all__ = [
    "AddNoteArguments",
    "AskArguments",
    "GetArguments",
    "GetMemoryArguments",
    "ListSourcesArguments",
    "RecallArguments",
    "SearchArguments",
    "TimelineArguments",
]

LONGEST_TEXT: Final = 100_000
_MOST_KINDS: Final = 100  # there are fewer; a model may name one twice
_MOST_NAMES: Final = 50
_LONGEST_NAME: Final = 500
_LEAST_BUDGET: Final = 200  # tokens
_MOST_BUDGET: Final = 50_000
_ID: Final = "An id from a result of another tool."


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _Wanted(_Arguments):
    since: str | None = Field(
        None,
        max_length=_LONGEST_NAME,
        description="Only memories from then on: an ISO date, or words such as 'last May'.",
    )
    until: str | None = Field(
        None,
        max_length=_LONGEST_NAME,
        description="Only memories before then; a day or a period that is named is not included.",
    )
    kinds: list[Kind] = Field(
        [], max_length=_MOST_KINDS, description="Only memories of these kinds; empty for all."
    )
    people: list[str] = Field(
        [],
        max_length=_MOST_NAMES,
        description="Only what these people wrote, said or took, by name; empty for everybody.",
    )
    near: str | None = Field(
        None,
        max_length=_LONGEST_NAME,
        description="Only memories from near a place: its name, or 'LATITUDE,LONGITUDE,KM'.",
    )


def _budget(default: int) -> int:
    made: int = Field(
        default,
        ge=_LEAST_BUDGET,
        le=_MOST_BUDGET,
        description="About how many tokens the text of the result may take; longer ones are cut, "
        "and say so. Pictures come on top.",
    )
    return made


class _Question(_Wanted):
    question: str = Field(
        min_length=1,
        max_length=LONGEST_QUESTION,
        description="A complete question in plain words, such as 'Which hotel did we stay in when "
        "Mia lost her tooth?'. Dates, places and names in it are understood.",
    )


class SearchArguments(_Question):
    """Arguments of ``search``."""

    limit: int | None = Field(
        None, ge=1, le=50, description="Most memories to return; by default about ten."
    )
    pictures: bool = Field(
        True,  # noqa: FBT003  # a field's default
        description="Also return the photos, and frames of the videos, among the memories.",
    )
    budget: int = _budget(3_000)


RecallArguments = SearchArguments


class AskArguments(_Question):
    """Arguments of ``ask``."""

    budget: int = _budget(2_000)


class GetArguments(_Arguments):
    """Arguments of ``get``."""

    id: str = Field(min_length=1, max_length=1000, description=_ID)
    start: int = Field(
        0, ge=0, description="From which character on; a result that was cut says where it ended."
    )
    budget: int = _budget(4_000)


class GetMemoryArguments(_Arguments):
    """Arguments of ``get_memory``."""

    id: str = Field(min_length=1, max_length=1000, description=_ID)


class TimelineArguments(_Wanted):
    """Arguments of ``timeline``."""

    after: str | None = Field(
        None, max_length=1000, description="Continue after this id, which the last result named."
    )
    budget: int = _budget(2_000)


class AddNoteArguments(_Arguments):
    """Arguments of ``add_note``."""

    text: str = Field(
        min_length=1,
        max_length=LONGEST_TEXT,
        description="What to remember, in words that make sense on their own: names and dates, "
        "not 'he' or 'yesterday'.",
    )
    kind: Kind = Field("note", description="What it is.")
    when: AwareDatetime | None = Field(
        None, description="When it happened: ISO date and time with zone; leave out if unknown."
    )
    place: str | None = Field(None, max_length=500, description="Where it happened, as a name.")
    speaker: str | None = Field(None, max_length=500, description="Who said or wrote it.")


class ListSourcesArguments(_Arguments):
    """Arguments of ``list_sources``: none."""
