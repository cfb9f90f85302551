"""What goes into a store, what comes out, and what it says about itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from graphmemix.errors import InvalidDataError, InvalidInputError
from graphmemix.memory import Kind, Memory, Modality, Place, View, ViewKind
from graphmemix.record import Record, require_moment

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


MOST_NAMES: Final = 1000
"""In each field of a filter; a database takes some 30,000 in a statement."""

LONGEST_NAME: Final = 10_000
"""Characters of a name in a filter."""

Vector: TypeAlias = "NDArray[np.float32]"
Neighbour: TypeAlias = tuple[str, float]
"""Another memory's id, and the cosine to it."""


@dataclass(frozen=True)
class Box(Record):
    """A rectangle on the map, in degrees. It crosses the 180th meridian if west > east."""

    south: float
    west: float
    north: float
    east: float

    def __post_init__(self) -> None:
        if not (-90 <= self.south <= self.north <= 90):
            raise InvalidDataError("box: needs -90 <= south <= north <= 90")
        if not (-180 <= self.west <= 180 and -180 <= self.east <= 180):
            raise InvalidDataError("box: west and east must be within -180 and 180")


@dataclass(frozen=True)
class Filter(Record):
    """Which memories may be found. Everything that is set must hold; a tuple means any of these.

    Attributes:
        since: Not before this moment; memories without a time are out.
        until: Before this moment; memories without a time are out.
        as_of: As `until`, but memories without a time stay in: hides only what came later.
        place: Inside this box; memories without coordinates are out.
        kinds: Of one of these kinds.
        modalities: With at least one of these modalities.
        sessions: In one of these sessions.
        sources: From one of these sources.
        speakers: By one of these.
    """

    since: datetime | None = None
    until: datetime | None = None
    as_of: datetime | None = None
    place: Box | None = None
    kinds: tuple[Kind, ...] = ()
    modalities: tuple[Modality, ...] = ()
    sessions: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("since", "until", "as_of"):
            require_moment(f"filter.{name}", getattr(self, name))

    def require_bounded(self) -> None:
        """Refuse more names than a search takes.

        Raises:
            InvalidInputError: Names the field and the bound.
        """
        for name in ("kinds", "modalities", "sessions", "sources", "speakers"):
            names: tuple[str, ...] = getattr(self, name)
            if len(names) > MOST_NAMES:
                raise InvalidInputError(
                    f"filter.{name}: has {len(names):,} names; at most {MOST_NAMES:,} are accepted"
                )
            if any(len(each) > LONGEST_NAME for each in names):
                raise InvalidInputError(
                    f"filter.{name}: a name has at most {LONGEST_NAME:,} characters"
                )


@dataclass(frozen=True)
class Facets:
    """What a memory has to satisfy to be fetched. Everything that is set must hold, any of each.

    Attributes:
        periods: From a moment until before another. A memory that was made then, or that is about
            one of the days (`about_prefix`).
        own_clocks: A memory was made then also if its own clock said so: an evening in New York is
            the next morning elsewhere. A time in UTC says nothing of where it was.
        keys: Has one of these keys.
        speakers: Was written, said or taken by one of these.
        kinds: Is of one of these kinds,
        modalities: or holds one of these.
        about_prefix: Of the keys that say which days a memory is about, in ISO format.
    """

    periods: tuple[tuple[datetime, datetime], ...] = ()
    keys: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()
    kinds: tuple[Kind, ...] = ()
    modalities: tuple[Modality, ...] = ()
    about_prefix: str = "about:"
    own_clocks: bool = False


@dataclass(frozen=True)
class Derived:
    """The views of a memory and their vectors; all of it can be made again from the memory.

    Attributes:
        views: In order; view 0 is the canonical one.
        vectors: One unit vector per view, None where the encoder does not see that view.
        encoder: The identity of the encoder that made them; empty if there is no vector.
    """

    views: tuple[View, ...] = ()
    vectors: tuple[Vector | None, ...] = ()
    encoder: str = ""


@dataclass(frozen=True)
class Entry:
    """A memory on its way in, with what was derived from it so far."""

    memory: Memory
    derived: Derived | None = None


@dataclass(frozen=True)
class Added(Record):
    """What `add` did.

    Attributes:
        new: Ids that were stored, in order.
        known: Ids that were there already with the same content.
    """

    new: tuple[str, ...]
    known: tuple[str, ...]


class Hit(NamedTuple):
    """A found memory, with the view that found it. A tuple: searches make hundreds of them."""

    memory_id: str
    score: float
    view_kind: ViewKind
    view_ordinal: int


class DayCount(NamedTuple):
    """How many memories of one kind a day has, in UTC."""

    day: date
    kind: Kind
    memories: int


class PersonCount(NamedTuple):
    """How many memories somebody wrote, said or took."""

    name: str
    memories: int


class Spot(NamedTuple):
    """How many memories were made at these coordinates, and the lowest id of theirs."""

    latitude: float
    longitude: float
    memories: int
    memory_id: str


class Outline(NamedTuple):
    """What the constraints of a question are compared with: a memory without the rest of it.

    Attributes:
        kind: Of the memory.
        timestamp: When, with its time zone.
        place: Where.
        speaker: Who wrote, said or took it.
        modalities: What a reader perceives, text first, without repeats.
        texts: Its own words, then those derived from its media (caption, short caption, text read
            in it, words heard), medium by medium; empty ones are left out.
    """

    kind: Kind
    timestamp: datetime | None
    place: Place | None
    speaker: str | None
    modalities: tuple[Modality, ...]
    texts: tuple[str, ...]

    @classmethod
    def of(cls, memory: Memory) -> Outline:
        """Return the outline of a memory."""
        texts = [memory.text]
        for medium in memory.media:
            words = medium.description
            texts += (words.caption, words.short_caption, words.ocr, words.transcript)
        return cls(
            memory.kind,
            memory.timestamp,
            memory.place,
            memory.speaker,
            memory.modalities,
            tuple(filter(None, texts)),
        )


@dataclass(frozen=True)
class Version(Record):
    """An earlier state of a memory.

    Attributes:
        number: From 1.
        memory: As it was.
        replaced_at: When the next version came; None for the current one.
    """

    number: int
    memory: Memory
    replaced_at: datetime | None


@dataclass(frozen=True)
class Restored(Record):
    """A memory on its way back from an export: all its versions, and what was derived from it."""

    versions: tuple[Version, ...]
    derived: Derived | None = None


@dataclass(frozen=True)
class Receipt(Record):
    """What an erasure removed: counts, and nothing that tells what it was.

    Attributes:
        erased_at: When the memories went.
        memories: How many; the others count what belonged to them.
        purged: False while bytes of them may be left in the database file: a reader keeps the
            write-ahead log from being emptied, or a large file has to be rewritten, or cannot be
            for want of room. The rest is done when the archive is next opened for writing, or by
            `Store.compact`.
        finished_at: When the last bytes went; None until then.
        repeated: There was nothing left to erase: this is the receipt of an earlier erasure.
    """

    erased_at: datetime
    memories: int
    versions: int
    views: int
    vectors: int
    edges: int
    media_files: int
    media_bytes: int
    logs: int
    purged: bool
    finished_at: datetime | None = None
    repeated: bool = False


@dataclass(frozen=True)
class Finding(Record):
    """Something that `check` found wrong.

    Attributes:
        problem: What kind of thing is wrong.
        item: Which one.
        repaired: Whether it was put right.
    """

    problem: Literal[
        "database",
        "media_missing",
        "media_changed",
        "media_orphan",
        "dimension",
        "vector",
        "postings",
        "reference",
        "sidecar",
    ]
    item: str
    repaired: bool = False


@dataclass(frozen=True)
class Stats(Record):
    """How much there is."""

    memories: int
    versions: int
    kinds: Mapping[str, int]
    sources: Mapping[str, int]
    views: Mapping[str, int]
    vectors: Mapping[str, int]
    edges: Mapping[str, int]
    media_files: int
    media_bytes: int
    database_bytes: int
    first: datetime | None = None
    last: datetime | None = None


@dataclass(frozen=True)
class Log(Record):
    """A trace or a job log; it is erased with any memory that it mentions."""

    id: str
    kind: Literal["trace", "job"]
    created_at: datetime
    body: str
    memory_ids: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        if self.created_at.utcoffset() is None:
            raise InvalidDataError("log.created_at: needs a time zone")


Derive: TypeAlias = Callable[[Sequence[Memory]], Iterable[Derived]]
"""Makes views and vectors: one `Derived` per memory, in order."""

EncodeViews: TypeAlias = Callable[[Sequence[View]], "Sequence[Vector | None]"]
"""Makes one vector per view, None where the encoder does not see it."""

Progress: TypeAlias = Callable[[int, int], None]
"""Called with how many are done and how many there are."""
