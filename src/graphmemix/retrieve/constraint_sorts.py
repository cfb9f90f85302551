"""The sorts of constraints of a question: times, places, people, media, albums, files."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TypeAlias

from graphmemix.errors import InvalidDataError
from graphmemix.memory import Kind, Modality
from graphmemix.record import Record

__all__ = [
    "AlbumConstraint",
    "Constraint",
    "FileConstraint",
    "MediaConstraint",
    "PersonConstraint",
    "PlaceConstraint",
    "TimeConstraint",
]


@dataclass(frozen=True)
class TimeConstraint(Record):
    """A time, from `start` until before `end`.

    Attributes:
        text: The words of the question.
        start: With a time zone; `EARLIEST` if it is open ("before 2015").
        end: With a time zone; `LATEST` if it is open ("after 2015").
    """

    text: str
    start: datetime
    end: datetime

    def __post_init__(self) -> None:
        for name, moment in (("start", self.start), ("end", self.end)):
            if moment.utcoffset() is None:
                raise InvalidDataError(f"time constraint.{name}: needs a time zone")
        if self.start >= self.end:
            raise InvalidDataError("time constraint: must start before it ends")


@dataclass(frozen=True)
class PlaceConstraint(Record):
    """A place that the archive knows.

    Attributes:
        text: The words of the question.
        name: The name in the archive, or the part of it that was meant.
        inside: Of a country: places there, and other names of it. Any of them will do.
        cells: Of a country: the keys of the cells there in which memories were made.
    """

    text: str
    name: str
    inside: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()

    @cached_property
    def within(self) -> frozenset[str]:
        """The cells, to look one up: a question does so for each candidate."""
        return frozenset(self.cells)


@dataclass(frozen=True)
class PersonConstraint(Record):
    """A person that the archive knows.

    Attributes:
        text: The words of the question.
        name: The name in the archive.
    """

    text: str
    name: str


@dataclass(frozen=True)
class MediaConstraint(Record):
    """A kind of memory.

    Attributes:
        text: The words of the question.
        kinds: Memories of these kinds are meant,
        modalities: or such as hold one of these.
    """

    text: str
    kinds: tuple[Kind, ...] = ()
    modalities: tuple[Modality, ...] = ()


@dataclass(frozen=True)
class AlbumConstraint(Record):
    """An album that the archive knows.

    Attributes:
        text: The words of the question.
        name: The name in the archive; empty if it knows none of that name.
    """

    text: str
    name: str


@dataclass(frozen=True)
class FileConstraint(Record):
    """A file.

    Attributes:
        text: The words of the question.
        name: Its name in lower case, perhaps without what is behind the last point.
    """

    text: str
    name: str


Constraint: TypeAlias = (
    TimeConstraint
    | PlaceConstraint
    | PersonConstraint
    | MediaConstraint
    | AlbumConstraint
    | FileConstraint
)
