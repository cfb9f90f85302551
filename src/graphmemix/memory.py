"""Memories, the source data of an archive, and the views that find them (METHOD section 1).

Views, vectors, postings and edges are derived from memories and can be rebuilt at any time. The
archive is not part of a memory: it is the store's first key, so that a memory can be moved between
archives unchanged.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final, Literal, Self, TypeAlias, get_args

from graphmemix.errors import InvalidDataError
from graphmemix.record import Json, Record, require_moment

__all__ = [
    "Description",
    "Kind",
    "Media",
    "Memory",
    "Modality",
    "Place",
    "Reference",
    "View",
    "ViewKind",
    "content_id",
]

Kind: TypeAlias = Literal[
    "message",  # one turn of a chat or dialogue
    "email",
    "photo",
    "video",
    "audio",
    "document",  # a document, or a page or section of one
    "event",  # a calendar entry
    "contact",
    "profile",  # what is known about the archive's owner
    "note",
]
Modality: TypeAlias = Literal["text", "image", "video", "audio"]
ViewKind: TypeAlias = Literal[
    "text",
    "caption",
    "ocr",
    "transcript",
    "image",
    "frame",
    "context",  # all words of a memory and of its exchange, if the memory ends it
    "exchange",  # instead of "context", if the exchange continued after the memory: all of it
    "past",  # next to "exchange": only what came before, for questions with `as_of`
    "quoted",  # what a mail quotes, if the archive does not hold the mail that it answers
]
CONTEXTS: Final[frozenset[ViewKind]] = frozenset({"context", "exchange", "past"})
"""Views that hold more than a memory's own words."""

_LATITUDES = 90.0
_LONGITUDES = 180.0
_SHA256_HEX = 64


@dataclass(frozen=True)
class Place(Record):
    """Where something happened.

    Attributes:
        name: As people say it; may be empty.
        latitude: Degrees north, -90 to 90.
        longitude: Degrees east, -180 to 180. Set both coordinates or neither.
    """

    name: str = ""
    latitude: float | None = None
    longitude: float | None = None

    def __post_init__(self) -> None:
        if (self.latitude is None) != (self.longitude is None):
            raise InvalidDataError("place: set both latitude and longitude, or neither")
        _require_within("place.latitude", self.latitude, _LATITUDES)
        _require_within("place.longitude", self.longitude, _LONGITUDES)


@dataclass(frozen=True)
class Description(Record):
    """Text that was derived from a medium. All of it is optional and may come later.

    Attributes:
        caption: What can be seen, in detail.
        short_caption: The same in one sentence.
        ocr: Text read in the picture.
        transcript: Words heard.
    """

    caption: str = ""
    short_caption: str = ""
    ocr: str = ""
    transcript: str = ""


@dataclass(frozen=True)
class Media(Record):
    """A picture, a video, a sound or another file that belongs to a memory.

    Attributes:
        modality: What a reader perceives in it; "text" for an ordinary file.
        sha256: Hash of its bytes, its address in the archive; None if the archive does not hold
            the file itself.
        mime: Media type, such as ``image/jpeg``.
        name: The file name at its source.
        size: Bytes.
        width: Pixels, upright.
        height: Pixels, upright.
        duration: Seconds.
        description: Text derived from it.
    """

    modality: Modality
    sha256: str | None = None
    mime: str = ""
    name: str = ""
    size: int | None = None
    width: int | None = None
    height: int | None = None
    duration: float | None = None
    description: Description = field(default_factory=Description)

    def __post_init__(self) -> None:
        if self.sha256 is not None and not _is_sha256(self.sha256):
            raise InvalidDataError("media.sha256: must be 64 lower-case hexadecimal digits")


@dataclass(frozen=True)
class Reference(Record):
    """A link stated by the source, to another record by its id at the source.

    Attributes:
        relation: ``reply_to`` (a mail or message), ``attachment_of`` (the mail it came with) or
            ``same_document`` (the document that this is a part of).
        source_id: The other record's `Memory.source_id`, or the document's own name.
    """

    relation: Literal["reply_to", "attachment_of", "same_document"]
    source_id: str


@dataclass(frozen=True)
class Memory(Record):
    """One message, mail, photo, video, page or entry, as it was found.

    Attributes:
        id: Unique in its archive and stable: the same content has the same id.
        kind: What it is.
        text: Its own words; empty for a photo.
        source: Where it came from, such as ``mail`` or ``whatsapp``.
        source_id: Its id at the source, such as a Message-ID.
        session: The conversation, thread, document or album that it belongs to.
        round: The exchange within the session (a question and its reply), as the source names it.
        sequence: Its position within the session.
        speaker: Who wrote, said or took it.
        timestamp: When, with its time zone; in UTC, within the years 1 to 9999.
        place: Where.
        media: Pictures, videos, sounds and files, in order.
        references: Links that the source states.
        metadata: Anything else from the source.
    """

    id: str
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
    metadata: Mapping[str, Json] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("id", "text"):
            if not isinstance(getattr(self, name), str):
                raise InvalidDataError(f"memory.{name}: must be a text")
        if not self.id:
            raise InvalidDataError("memory.id: must not be empty")
        require_moment("memory.timestamp", self.timestamp)

    @classmethod
    def new(cls, kind: Kind, text: str = "", **fields: Any) -> Self:
        """Return a memory whose id is derived from its content: the same content, the same id.

        Origin (`source`, `source_id`, `metadata`) and descriptions added later do not count, so
        that the same file found twice is one memory.
        """
        draft = cls("new", kind, text, **fields)
        when = draft.timestamp
        content: list[Json] = [
            draft.kind,
            draft.text,
            draft.session,
            draft.round,
            draft.sequence,
            draft.speaker,
            None if when is None else when.astimezone(UTC).isoformat(),
            [medium.sha256 or medium.name for medium in draft.media],
        ]
        return replace(draft, id=content_id(content))

    @property
    def modalities(self) -> tuple[Modality, ...]:
        """What a reader perceives, text first, without repeats."""
        found: list[Modality] = ["text"] if self.text else []
        found += [medium.modality for medium in self.media]
        return tuple(dict.fromkeys(found))


@dataclass(frozen=True)
class View(Record):
    """One searchable aspect of a memory. Its best view determines its score (eq. 3).

    Attributes:
        memory_id: The memory.
        kind: What it holds.
        ordinal: Its position among all views of the memory; view 0 is the canonical one.
        text: The words to encode and to index; empty for pixels.
        media_sha256: The picture or video to encode; None for words.
        seconds: For a frame, its time in the video.
    """

    memory_id: str
    kind: ViewKind
    ordinal: int
    text: str = ""
    media_sha256: str | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        if self.kind not in get_args(ViewKind):
            raise InvalidDataError(f"view.kind: unknown kind {self.kind!r}")
        if self.media_sha256 is not None and not _is_sha256(self.media_sha256):
            raise InvalidDataError("view.media_sha256: must be 64 lower-case hexadecimal digits")
        if self.seconds is not None and not math.isfinite(self.seconds):
            raise InvalidDataError(f"view.seconds: must be finite, not {self.seconds!r}")


def content_id(content: Json) -> str:
    """Return an id for some content: 32 hexadecimal digits of its SHA-256."""
    text = json.dumps(content, ensure_ascii=True, separators=(",", ":"), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _require_within(name: str, value: float | None, bound: float) -> None:
    if value is not None and not (math.isfinite(value) and -bound <= value <= bound):
        raise InvalidDataError(f"{name}: must be between -{bound:g} and {bound:g}, not {value!r}")


def _is_sha256(text: str) -> bool:
    return len(text) == _SHA256_HEX and not set(text) - set("0123456789abcdef")
