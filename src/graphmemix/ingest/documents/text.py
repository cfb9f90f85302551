"""Plain text, in any charset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmemix.errors import ImportSourceError
from graphmemix.ingest.documents.parts import DocumentPart, DocumentProperties, memories, read_small
from graphmemix.ingest.text import decode, looks_like_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from graphmemix.ingest.protocol import Found, MediaSink, Reading

_SUFFIXES = frozenset(
    {"", ".txt", ".text", ".asc", ".rst", ".org", ".adoc", ".tex", ".csv", ".tsv", ".srt", ".vtt"}
)
_PROGRAMS = (b"#!", b"<?php", b"%!PS")


class Text:
    """Reads text files; programs and data, which have other extensions, are not memories."""

    name = "text"

    def recognises(self, found: Found) -> bool:
        """Return whether this is text with a text extension, or without any."""
        if found.is_folder or found.suffix not in _SUFFIXES or not looks_like_text(found.head):
            return False
        return bool(found.suffix) or not found.head.startswith((*_PROGRAMS, b"{", b"["))

    def companions(self, found: Found) -> Iterator[Path]:  # noqa: ARG002
        """Return nothing."""
        yield from ()

    def read(self, found: Found, sink: MediaSink) -> Iterator[Reading]:  # noqa: ARG002
        """Yield the text, in parts if it is long.

        Raises:
            ImportSourceError: It is not text, or is too large.
        """
        data = read_small(found)
        if data and not looks_like_text(data):
            raise ImportSourceError(f"{found.name}: is not text")
        text = decode(data).replace("\r\n", "\n").replace("\r", "\n")
        yield from memories(found, self.name, [DocumentPart(text)], DocumentProperties())
