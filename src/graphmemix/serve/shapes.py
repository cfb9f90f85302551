"""Bodies of requests and replies, besides the library's records. All are strict."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from graphmemix.asking import as_question
from graphmemix.evidence import Question, Trace
from graphmemix.evidence.question import LONGEST_QUESTION
from graphmemix.memory import Kind, Media, Memory, Place, Reference, ViewKind
from graphmemix.optimize.explanation import Explanation
from graphmemix.record import Json
from graphmemix.serve.jobs import Job
from graphmemix.serve.keys import Scope
from graphmemix.store.records import Filter, Stats, Version

MOST_ADDED = 1000
MOST_ERASED = 10_000
MOST_LISTED = 500
MOST_PATHS = 1000

Text: TypeAlias = Annotated[str, Field(max_length=LONGEST_QUESTION)]
ISO = "2023-07-14T10:31:00+02:00"


class Shape(BaseModel):
    """A body: strict, without unknown keys, records inside as they tell themselves."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
        ser_json_bytes="base64",
        val_json_bytes="base64",
    )


class NewMemory(Shape):
    """A memory on its way in. Without an id it gets one from its content."""

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
        """Return the memory, with this id, its own or one from its content."""
        fields: dict[str, Any] = {name: getattr(self, name) for name in type(self).model_fields}
        named = memory_id or fields.pop("id")
        fields.pop("id", None)
        return Memory(id=named, **fields) if named else Memory.new(**fields)


class NewMemories(Shape):
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


class AddedIds(Shape):
    """What was stored, and what was there already with the same content."""

    new: tuple[str, ...]
    known: tuple[str, ...]


class MemoryPage(Shape):
    """Some memories by time, and where the next ones begin."""

    memories: list[Memory]
    next: str | None = None


class NewVersion(Shape):
    """The number of the current version."""

    version: int


class Ids(Shape):
    """Memories to erase."""

    ids: list[str] = Field(min_length=1, max_length=MOST_ERASED, examples=[["a1b2c3d4"]])


class Versions(Shape):
    """All versions of a memory, oldest first."""

    versions: tuple[Version, ...]


class Search(Shape):
    """Words to look for."""

    text: Text = Field(min_length=1, examples=["hotel booking"])
    filter: Filter | None = None
    limit: int = Field(50, ge=1, le=MOST_LISTED)


class FoundMemory(Shape):
    """A memory that was found by its words."""

    score: float
    view: ViewKind
    memory: Memory


class Found(Shape):
    """What was found, best first."""

    hits: list[FoundMemory]


class StoredMedia(Shape):
    """The address of a file, and its length in bytes."""

    sha256: str
    size: int


class Asked(Shape):
    """A question."""

    question: Text | Question = Field(
        examples=["Which hotel did we stay in when Mia lost her tooth?"]
    )
    filter: Filter | None = None
    explain: bool = False

    def asked(self) -> Question:
        """Return the question as a record.

        Raises:
            InvalidInputError: It or its filter is larger than is accepted.
        """
        return as_question(self.question, self.filter)


class AskedForAnswer(Asked):
    """A question, and how its answer should look."""

    instruction: Text = ""


class Told(Shape):
    """The whole way of a question, and why each candidate was chosen or left out."""

    trace: Trace
    explanations: tuple[Explanation, ...] = ()


class TraceLine(Shape):
    """A trace in short."""

    id: str
    created_at: datetime | None
    question: str
    answer: str | None
    memory_ids: tuple[str, ...]


class TraceList(Shape):
    """Traces, newest first."""

    traces: list[TraceLine]


class JobPaths(Shape):
    """Files and folders of the server to ingest, below its root."""

    paths: list[str] = Field(min_length=1, max_length=MOST_PATHS, examples=[["exports/2023"]])
    importer: str | None = Field(None, alias="as")


class JobList(Shape):
    """Jobs, newest first."""

    jobs: list[Job]


class ArchiveLine(Shape):
    """An archive in short."""

    name: str
    scope: Scope
    writable: bool
    memories: int
    first: datetime | None = None
    last: datetime | None = None


class ArchiveList(Shape):
    """The archives that a key may see."""

    archives: list[ArchiveLine]


class ArchiveTold(Shape):
    """An archive and how much is in it."""

    name: str
    scope: Scope
    writable: bool
    profile: str
    encoder: str | None
    verifier_model: str
    stats: Stats


class Status(Shape):
    """How the server is."""

    status: Literal["ok", "ready"]
