"""Bodies of requests and replies, besides the library's records.

Those of questions and traces are in `question_schemas.py`.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from graphmemix.evidence.question import LONGEST_QUESTION
from graphmemix.memory import Kind, Media, Memory, Place, Reference, ViewKind
from graphmemix.record import Json, require_moment
from graphmemix.serve.job_records import Job
from graphmemix.serve.keys import Scope
from graphmemix.store.records import Filter, Stats, Version

MOST_ADDED = 1000
MOST_ERASED = 10_000
MOST_LISTED = 500
MOST_PATHS = 1000
Text: TypeAlias = Annotated[str, Field(max_length=LONGEST_QUESTION)]
Name: TypeAlias = Annotated[str, Field(max_length=1000)]
ISO = "2023-07-14T10:31:00+02:00"


class Body(BaseModel):
    """A strict JSON body: unknown keys are rejected; nested records use their own JSON form."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
        ser_json_bytes="base64",
        val_json_bytes="base64",
    )


class NewMemory(Body):
    """A memory to store. Without an id, one is derived from its content."""

    id: str | None = Field(None, min_length=1)
    kind: Kind
    text: str = ""
    source: str = ""
    source_id: str = ""
    session: str | None = None
    round: str | None = None
    sequence: int | None = None
    speaker: str | None = None
    timestamp: datetime | None = None
    place: Place | None = None
    media: tuple[Media, ...] = ()
    references: tuple[Reference, ...] = ()
    metadata: dict[str, Json] = {}

    def memory(self, memory_id: str | None = None) -> Memory:
        """Return the memory, with the given id, its own or one derived from its content."""
        fields: dict[str, Any] = {name: getattr(self, name) for name in type(self).model_fields}
        require_moment("memory.timestamp", self.timestamp)  # over HTTP no clock is anybody's own
        named = memory_id or fields.pop("id")
        fields.pop("id", None)
        return Memory(id=named, **fields) if named else Memory.new(**fields)


class NewMemories(Body):
    """Memories to add."""

    memories: list[NewMemory] = Field(
        min_length=1,
        max_length=MOST_ADDED,
        examples=[
            [
                {
                    "kind": "message",
                    "text": "Mia lost her first tooth, on the beach!",
                    "speaker": "Lena",
                    "session": "family",
                    "timestamp": ISO,
                    "place": {"name": "Rimini", "latitude": 44.06, "longitude": 12.57},
                }
            ]
        ],
    )


class AddedIds(Body):
    """Ids of new memories, and of memories that existed already with the same content."""

    new: tuple[str, ...]
    known: tuple[str, ...]


class MemoryPage(Body):
    """A page of memories by time, and where the next page begins."""

    memories: list[Memory]
    next: str | None = None


class NewVersion(Body):
    """The number of the current version."""

    version: int


class EraseRequest(Body):
    """Memories to erase."""

    ids: list[str] = Field(min_length=1, max_length=MOST_ERASED, examples=[["a1b2c3d4"]])


class Versions(Body):
    """All versions of a memory, oldest first."""

    versions: tuple[Version, ...]


class Days(Body):
    """An interval of days, both included."""

    first: date
    last: date


class AboutDays(Body):
    """The days that a memory's words or its event are about, in order."""

    about: list[Days]


class SearchRequest(Body):
    """Words to search for."""

    text: Text = Field(min_length=1, examples=["hotel booking"])
    filter: Filter | None = None
    limit: int = Field(50, ge=1, le=MOST_LISTED)


class SearchHit(Body):
    """A memory that matches the words."""

    score: float
    view: ViewKind
    memory: Memory


class SearchResults(Body):
    """Matching memories, best first."""

    hits: list[SearchHit]


class StoredMedia(Body):
    """The hash of a stored file, and its size in bytes."""

    sha256: str
    size: int


class JobPaths(Body):
    """Files and folders to ingest, below the server's root."""

    paths: list[str] = Field(min_length=1, max_length=MOST_PATHS, examples=[["exports/2023"]])
    importer: str | None = Field(None, alias="as")


class JobList(Body):
    """Jobs, newest first."""

    jobs: list[Job]


class ArchiveSummary(Body):
    """The summary of an archive."""

    name: str
    scope: Scope
    writable: bool
    memories: int
    first: datetime | None = None
    last: datetime | None = None
    zone: str = ""


class ArchiveList(Body):
    """The archives that a key may read."""

    archives: list[ArchiveSummary]


class ArchiveDetails(Body):
    """An archive, its settings and its size.

    `models` are those that a question may be asked with, the usual first. `sees_images` says
    whether its encoder sees pictures; `pending` counts memories without vectors, which are found by
    words, dates, places and people alone.
    """

    name: str
    scope: Scope
    writable: bool
    profile: str
    encoder: str | None
    verifier_model: str
    models: list[str]
    sees_images: bool
    pending: int
    stats: Stats


class Status(Body):
    """The state of the server."""

    status: Literal["ok", "ready"]


class Month(Body):
    """How many memories of each kind a month has, such as 2023-07."""

    month: str
    kinds: dict[str, int]


class Person(Body):
    """How many memories somebody wrote, said or took."""

    name: str
    memories: int


class PlaceCount(Body):
    """How many memories were made at or near these coordinates."""

    name: str
    latitude: float
    longitude: float
    memories: int


class Overview(Body):
    """What the matching memories are: by month and kind, by person and by place.

    `undated` counts those without a time, which are in no month.
    """

    memories: int
    undated: int
    months: list[Month]
    people: list[Person]
    places: list[PlaceCount]


class Suggestions(Body):
    """Questions that fit the archive; more may come until they are complete."""

    questions: list[str]
    complete: bool


class Trial(Body):
    """Whether something works, how long it took, and what went wrong."""

    ok: bool
    seconds: float
    detail: str = ""


class Trials(Body):
    """The encoder and the model, tried; no model is set if `model` is null."""

    encoder: Trial
    model: Trial | None


class NewKey(Body):
    """A key to create: its name, its scope by archive (`*` for all), days until it expires."""

    name: str = Field(min_length=1, max_length=100, examples=["phone"])
    grants: dict[str, Scope] = Field(min_length=1, examples=[{"home": "read"}])
    days: float | None = None


class KeyLine(Body):
    """A key, without its secret."""

    id: str
    name: str
    grants: dict[str, Scope]
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None


class CreatedKey(Body):
    """A new key, and the token to send with requests: it is not stored."""

    key: KeyLine
    token: str


class KeyList(Body):
    """Keys, oldest first."""

    keys: list[KeyLine]
