"""Memories, the source data of an archive, and the views that find them (METHOD section 1).

Views, vectors, postings and edges are derived from memories and can be rebuilt at any time. The
archive is not part of a memory: it is the store's first key, so that a memory can be moved between
archives unchanged.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, tzinfo
from itertools import chain
from typing import Final, Literal, Self, TypeAlias, TypeVar, get_args

from graphmemix.errors import InvalidDataError
from graphmemix.record import Json, Record, as_moment, named_zone, require_moment
from graphmemix.shown import first_words, html_card, short_id

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
    "shown_words",
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

_KINDS = frozenset(get_args(Kind))
_LONGEST_SHOWN = 2_000  # characters of a memory in a notebook

_T = TypeVar("_T", "Media", "Reference")

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
        if self.kind not in _KINDS:
            raise InvalidDataError(_unknown_kind(self.kind, self.text))
        for name in ("id", "text", "source", "source_id"):
            if not isinstance(getattr(self, name), str):
                raise _wrong_type(name, "a text", getattr(self, name))
        for name in ("session", "round", "speaker"):
            if not isinstance(getattr(self, name), str | None):
                raise _wrong_type(name, "a text or None", getattr(self, name))
        if not isinstance(self.sequence, int | None):
            raise _wrong_type("sequence", "a whole number or None", self.sequence)
        if not isinstance(self.place, Place | None):
            raise _wrong_type("place", "a Place or None", self.place)
        if not isinstance(self.timestamp, datetime | None):
            raise _wrong_type("timestamp", "a datetime or None", self.timestamp)
        if not self.id:
            raise InvalidDataError("memory.id: must not be empty")
        require_moment("memory.timestamp", self.timestamp)

    @classmethod
    def new(
        cls,
        kind: Kind,
        text: str = "",
        *,
        source: str = "",
        source_id: str = "",
        session: str | None = None,
        round: str | None = None,  # noqa: A002  # as the field
        sequence: int | None = None,
        speaker: str | None = None,
        timestamp: datetime | date | str | None = None,
        place: Place | str | None = None,
        media: Iterable[Media] = (),
        references: Iterable[Reference] = (),
        metadata: Mapping[str, Json] | None = None,
        zone: tzinfo | str | None = None,
    ) -> Self:
        """Return a memory whose id is derived from its content: the same content, the same id.

        Origin (`source`, `source_id`, `metadata`), place and descriptions added later do not count,
        so that the same file found twice is one memory.

        Args:
            kind: What it is, such as ``note``.
            text: Its words.
            source: As in `Memory`; so are all others.
            source_id: See `Memory`.
            session: See `Memory`.
            round: See `Memory`.
            sequence: See `Memory`.
            speaker: See `Memory`.
            timestamp: A `datetime`, a `date` or an ISO text. One without an offset is read by the
                clock of `zone`.
            place: A `Place` or its name.
            media: See `Memory`.
            references: See `Memory`.
            metadata: See `Memory`.
            zone: The zone of a `timestamp` without an offset, or its name, such as
                ``Europe/Vienna``; None for this machine's.

        Raises:
            InvalidDataError: Names the field and what is wrong with it.
        """
        when = None
        if timestamp is not None:
            when = as_moment("memory.timestamp", timestamp, named_zone("memory", zone))
        draft = cls(
            "new",
            kind,
            text,
            source,
            source_id,
            session,
            round,
            sequence,
            speaker,
            when,
            Place(place) if isinstance(place, str) else place,
            _all(Media, "media", media),
            _all(Reference, "references", references),
            {} if metadata is None else metadata,
        )
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

    def __repr__(self) -> str:
        known = [self.kind, f"{self.timestamp:%Y-%m-%d}" if self.timestamp else "", self.speaker]
        about = ", ".join(filter(None, known))
        return f"<Memory {short_id(self.id)}: {about}: {shown_words(self)}>"

    def _repr_html_(self) -> str:
        when = f"{self.timestamp:%Y-%m-%d %H:%M}" if self.timestamp else ""
        place = self.place.name if self.place else ""
        files = ", ".join(medium.name for medium in self.media if medium.name)
        about = (when, self.speaker or "", place, files, self.source, short_id(self.id))
        return html_card(self.kind, first_words(_words(self), _LONGEST_SHOWN), about)

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


def shown_words(memory: Memory, most: int = 60) -> str:
    """Return the first words of a memory in quotation marks; file names if it has none."""
    words = _words(memory)
    if not words.strip():
        return ", ".join(medium.name for medium in memory.media if medium.name)[:most] or "no words"
    return f"“{first_words(words, most)}”"


def _words(memory: Memory) -> str:
    """Return a memory's own words, or else the first that describe its media."""
    described = (medium.description for medium in memory.media)
    texts = ((d.caption, d.short_caption, d.ocr, d.transcript) for d in described)
    return memory.text or next(filter(None, chain.from_iterable(texts)), "")


def content_id(content: Json) -> str:
    """Return an id for some content: 32 hexadecimal digits of its SHA-256."""
    text = json.dumps(content, ensure_ascii=True, separators=(",", ":"), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _require_within(name: str, value: float | None, bound: float) -> None:
    if value is not None and not (math.isfinite(value) and -bound <= value <= bound):
        raise InvalidDataError(f"{name}: must be between -{bound:g} and {bound:g}, not {value!r}")


def _is_sha256(text: str) -> bool:
    return len(text) == _SHA256_HEX and not set(text) - set("0123456789abcdef")


def _unknown_kind(kind: object, text: object) -> str:
    known = ", ".join(get_args(Kind))
    if isinstance(kind, str) and not text and " " in kind:
        example = f"Memory.new('note', {first_words(kind, 30)!r})"
        return f"memory.kind: the kind comes before the words, as in {example}; kinds are {known}"
    return f"memory.kind: {kind!r:.80} is not one of {known}"


def _wrong_type(name: str, expected: str, value: object) -> InvalidDataError:
    return InvalidDataError(f"memory.{name}: must be {expected}, not {type(value).__name__}")


def _all(cls: type[_T], name: str, given: Iterable[_T]) -> tuple[_T, ...]:
    try:
        items = tuple(given)
    except TypeError:
        items = ()
        wrong: object = given
    else:
        wrong = next((each for each in items if not isinstance(each, cls)), None)
    if wrong is not None:
        expected = f"several {cls.__name__}"
        raise _wrong_type(name, expected, wrong)
    return items
