"""What describes media: anything that turns a file into words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from graphmemix.record import Record

if TYPE_CHECKING:
    from pathlib import Path

    from graphmemix.memory import Media

Field: TypeAlias = Literal["ocr", "transcript", "caption"]
"""The part of a `Description` that a describer fills."""


@dataclass(frozen=True)
class Told(Record):
    """What was told about a medium.

    Attributes:
        text: The words; empty if there is nothing to tell.
        short: For captions, the same in one sentence.
    """

    text: str = ""
    short: str = ""


class Describer(Protocol):
    """Turns one kind of media into words.

    Attributes:
        field: What it fills.
        identity: Which model in which version: what decides what it tells. Names cached results.
        at_once: How many media it can take at a time.
    """

    field: Field
    identity: str
    at_once: int

    def wants(self, medium: Media) -> bool:
        """Say whether there may be something to tell about such a medium."""
        ...

    def tell(self, path: Path, medium: Media) -> Told:
        """Return what there is to tell about a stored file.

        Raises:
            InvalidDataError: The file cannot be read; others may be.
            ModelUnavailableError: The model cannot be reached; no other file can be described.
            LimitReachedError: A limit on calls, time or money does not allow more.
            ModelError: The model failed on this one.
        """
        ...
