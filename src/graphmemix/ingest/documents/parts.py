"""Pages and sections of a document as linked memories."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from graphmemix.errors import ImportSourceError
from graphmemix.ingest.node import short
from graphmemix.memory import Media, Memory, Reference

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from graphmemix.ingest.protocol import Found, MediaSink
    from graphmemix.record import Json

LONGEST_PART = 8_000
"""Characters; a longer page or section is split between paragraphs."""
LARGEST_TEXT = 64 << 20
"""Bytes of a text file; a larger one is a log or data, not a document."""
_WORD = re.compile(r"\S")
_NO_AUTHOR = re.compile(
    r"(?:anonym\w*|un(?:specified|known|named|-named|titled)|none|null|author|autor|auteur|user"
    r"|owner|admin|administrator|python-docx|openpyxl|(?:microsoft|apache) (?:office user|poi)"
    r"|root|default|\W*)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class DocumentPart:
    """A page, a section, a slide or a sheet.

    Attributes:
        text: Its text.
        media: Its pictures.
        metadata: For example the page number.
    """

    text: str
    media: tuple[Media, ...] = ()
    metadata: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True)
class DocumentProperties:
    """The properties of a document.

    Attributes:
        title: Its title.
        author: Its author.
        written: Its date, as the document states it.
        metadata: Anything else.
    """

    title: str = ""
    author: str = ""
    written: datetime | None = None
    metadata: Mapping[str, Json] = field(default_factory=dict)


def memories(
    found: Found,
    source: str,
    parts: Iterable[DocumentPart],
    about: DocumentProperties,
    *,
    file: Media | None = None,
) -> Iterator[Memory]:
    """Yield the parts of a document as memories that are linked to each other.

    The session is the hash of the document, so that two copies of a file yield the same memories.
    The date is the document's own. A document that states none has none: the day of the file is
    noted in the metadata, since copying may have changed it, and does not affect the ids.

    Args:
        found: The file.
        source: The name of its importer.
        parts: Its parts, in order.
        about: Its properties.
        file: The stored file; attached to the first part.
    """
    document = f"document:{digest(found)[:32]}"
    common: dict[str, Json] = {
        "file": found.path.name,
        "title": about.title,
        "author": about.author,
        "date_from": "document" if about.written else "",
        **about.metadata,
    }
    day = "" if about.written else file_day(found)
    hint: dict[str, Json] = {"file_date": day} if day else {}
    sequence = 0
    for part in parts:
        for number, text in enumerate(split(part.text) or [""]):
            media = part.media if number == 0 else ()
            if file is not None and sequence == 0:
                media = (*media, file)
            if not text and not media:
                continue
            notes = {k: v for k, v in {**common, **part.metadata}.items() if v not in ("", None)}
            memory = Memory.new(
                "document",
                text,
                source=source,
                source_id=f"{document}#{sequence}",
                session=document,
                sequence=sequence,
                speaker=about.author or None,
                timestamp=about.written,
                media=media,
                references=(Reference("same_document", document),),
                metadata=notes,
            )
            yield replace(memory, metadata={**memory.metadata, **hint})
            sequence += 1


def author(text: str) -> str:
    """Return the name of an author; empty for the words that programs write in its place."""
    name = short(text)
    return "" if _NO_AUTHOR.fullmatch(name.strip("()[]<>*- ")) else name


def split(text: str, longest: int = LONGEST_PART) -> list[str]:
    """Split a text into pieces of at most `longest` characters, between paragraphs if possible."""
    text = text.strip()
    pieces = []
    start = 0  # positions, because copying the rest for each piece would take quadratic time
    while len(text) - start > longest:
        cut = -1
        for mark in ("\n\n", "\n", ". ", " "):
            cut = text.rfind(mark, start + longest // 2, start + longest)
            if cut > 0:
                cut += len(mark)
                break
        cut = cut if cut > 0 else start + longest
        pieces.append(text[start:cut].strip())
        word = _WORD.search(text, cut)
        start = word.start() if word else len(text)
    return [piece for piece in [*pieces, text[start:]] if piece]


def digest(found: Found) -> str:
    """Return the SHA-256 of a file.

    Raises:
        ImportSourceError: It cannot be read.
    """
    try:
        with found.path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise ImportSourceError(f"{found.name}: cannot be read: {error.strerror}") from None


def file_day(found: Found) -> str:
    """Return the day on which a file was last modified; empty if its date is invalid."""
    try:
        return datetime.fromtimestamp(int(found.path.stat().st_mtime), UTC).date().isoformat()
    except (OSError, ValueError, OverflowError):
        return ""


def read_small(found: Found, most: int = LARGEST_TEXT) -> bytes:
    """Return the content of a file.

    Raises:
        ImportSourceError: It is larger than `most` bytes, or cannot be read.
    """
    try:
        with found.path.open("rb") as stream:
            data = stream.read(most + 1)
    except OSError as error:
        raise ImportSourceError(f"{found.name}: cannot be read: {error.strerror}") from None
    if len(data) > most:
        raise ImportSourceError(f"{found.name}: is larger than {most >> 20} MiB")
    return data


def keep_file(found: Found, sink: MediaSink, mime: str) -> Media:
    """Store the document itself, so that it can be opened from the archive."""
    return sink.keep_file(found.path, modality="text", mime=mime)
