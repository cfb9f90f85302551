"""Rich text (RTF), as WordPad, TextEdit and old word processors write it."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING

from graphmemix.errors import ImportSourceError
from graphmemix.ingest.attachments import Attachments
from graphmemix.ingest.documents.html import to_text
from graphmemix.ingest.documents.parts import (
    DocumentPart,
    DocumentProperties,
    keep_file,
    memories,
    read_small,
)
from graphmemix.ingest.documents.rtf_text import read_rtf
from graphmemix.ingest.node import short, with_offset
from graphmemix.ingest.protocol import Skipped

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import tzinfo
    from pathlib import Path

    from graphmemix.ingest.documents.rtf_text import RtfText
    from graphmemix.ingest.protocol import Found, MediaSink, Reading

_MAGIC = b"{\\rtf"
_MIME = "application/rtf"
_LARGEST = 256 << 20  # bytes; pictures are written in digits
_MANY_LINES = re.compile(r"\n{3,}")


class Rtf:
    """Reads text, tables and pictures, without text that is hidden or deleted.

    Args:
        zone: Time zone of the date of creation; None for this machine's.
    """

    name = "rtf"

    def __init__(self, zone: tzinfo | None = None) -> None:
        self.zone = zone

    def recognises(self, found: Found) -> bool:
        """Return whether the file starts as RTF does."""
        return _is_rtf(found.head)

    def companions(self, found: Found) -> Iterator[Path]:  # noqa: ARG002
        """Return nothing."""
        yield from ()

    def read(self, found: Found, sink: MediaSink) -> Iterator[Reading]:
        """Yield the text, in parts if it is long; pictures belong to the first part.

        Raises:
            ImportSourceError: It is not rich text, or is too large.
        """
        data = read_small(found, _LARGEST)
        if not _is_rtf(data):
            raise ImportSourceError(f"{found.name}: is not rich text")
        made = read_rtf(data)
        attachments = Attachments(found, sink)
        pictures = tuple(
            attachments.keep(data, mime=mime, shown=f"picture-{number}.{mime[6:]}")
            for number, (mime, data) in enumerate(made.pictures, start=1)
        )
        about = DocumentProperties(
            short(made.about.get("title", "")),
            short(made.about.get("author", "")),
            self._created(made),
            {name: made.about[name] for name in ("subject", "keywords") if name in made.about},
        )
        text = to_text(made.text) if made.is_html else made.text
        lines = "\n".join(line.strip(" \t|") for line in text.split("\n"))
        part = DocumentPart(_MANY_LINES.sub("\n\n", lines), pictures)
        yield from memories(found, self.name, [part], about, file=keep_file(found, sink, _MIME))
        if made.unread:
            count = "1 picture is" if made.unread == 1 else f"{made.unread} pictures are"
            yield Skipped(found.name, f"{count} in a format that is not supported")

    def _created(self, made: RtfText) -> datetime | None:
        if len(made.created) != 5:
            return None
        year, month, day, hour, minute = made.created
        try:
            clock = datetime(year, month, day, hour, minute)  # noqa: DTZ001  # the zone follows
        except (ValueError, OverflowError):
            return None
        return with_offset(clock, self.zone)


def _is_rtf(data: bytes) -> bool:
    return data[:100].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(_MAGIC)
