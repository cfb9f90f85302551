"""What the reader gets, and what it says (METHOD section 6)."""

from __future__ import annotations

from dataclasses import dataclass

from graphmemix.memory import Kind, Media, Modality
from graphmemix.record import Record

__all__ = ["Answer", "Block", "Citation", "Packet"]


@dataclass(frozen=True)
class Block(Record):
    """One memory as the reader gets it (METHOD section 6).

    Attributes:
        rank: Evidence rank, from 1.
        memory_id: Which memory.
        source_id: What its source calls it.
        modalities: What it holds.
        text: Cleaned canonical text.
        date: As shown to the reader; empty if unknown or not shown.
        place: The same for the place.
        media: Pictures and videos that go with it.
        kind: What it is; None if not shown.
        speaker: Who wrote, said or took it; empty if unknown or not shown.
    """

    rank: int
    memory_id: str
    source_id: str
    modalities: tuple[Modality, ...]
    text: str
    date: str = ""
    place: str = ""
    media: tuple[Media, ...] = ()
    kind: Kind | None = None
    speaker: str = ""


@dataclass(frozen=True)
class Packet(Record):
    """Everything that the reader gets besides the question.

    Attributes:
        blocks: The evidence, in order.
        instruction: The data set's or the user's instruction; empty if none.
        dropped_media: Media left out to fit the context, as (memory id, file name).
        unreadable_media: Media left out because the file is missing or damaged, named likewise.
        shortened: Memories whose text was cut to fit the context.
    """

    blocks: tuple[Block, ...]
    instruction: str = ""
    dropped_media: tuple[tuple[str, str], ...] = ()
    unreadable_media: tuple[tuple[str, str], ...] = ()
    shortened: tuple[str, ...] = ()


@dataclass(frozen=True)
class Citation(Record):
    """A claim's source.

    Attributes:
        memory_id: The memory cited.
        quote: The words of the memory that carry the claim; empty if the reader gave none.
    """

    memory_id: str
    quote: str = ""


@dataclass(frozen=True)
class Answer(Record):
    """What the user gets.

    Attributes:
        text: The answer.
        citations: Its sources, in order of appearance.
        extractive: True if it is quoted from memories because no reader model is set.
        answerable: Calibrated probability that the archive holds the answer; None if not computed.
    """

    text: str
    citations: tuple[Citation, ...] = ()
    extractive: bool = False
    answerable: float | None = None
