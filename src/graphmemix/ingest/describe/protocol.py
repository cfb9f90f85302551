"""The protocol of describers: anything that turns a media file into text."""

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
class MediaText(Record):
    """Text that a describer produced for a medium.

    Attributes:
        text: The text; empty if there is nothing to read, hear or describe.
        short: For captions, one sentence.
    """

    text: str = ""
    short: str = ""


class Describer(Protocol):
    """Turns one kind of media into text.

    Attributes:
        field: The field that it fills.
        identity: The model and its version; cached results are valid for one identity.
        at_once: How many media it can process in parallel.
    """

    field: Field
    identity: str
    at_once: int

    def wants(self, medium: Media) -> bool:
        """Return whether this kind of medium is worth describing."""
        ...

    def describe(self, path: Path, medium: Media) -> MediaText:
        """Return the text of a stored file.

        Raises:
            InvalidDataError: This file cannot be read; the run continues.
            ModelUnavailableError: The model cannot be reached; this describer stops.
            LimitReachedError: A limit on calls, time or money is used up; this describer stops.
            ModelError: The model failed on this file; the run continues.
        """
        ...
