"""Mbox files: many messages in one file, each after a line that starts with "From ".

Four dialects differ in how they treat such lines within messages. ``mboxrd`` and ``mboxo`` prefix
them with ">", which is removed again; ``mboxcl`` and ``mboxcl2`` state the length of a message,
which is used if another message or the end of the file follows there. Many programs do neither. So
a line starts a message only if it contains a date and a header follows, or if the header that
follows is plainly that of a mail.

The file is read once, in pieces: it needs memory for the largest message, which is bounded.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from graphmemix.ingest.mail.recognition import is_delivered

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_BYTES = 64 << 20
"""Size of one message; a larger one is skipped."""

_CHUNK = 1 << 20
_AHEAD = 4096  # bytes after a line that decide whether it starts a message
_LINE = re.compile(rb"From [^\r\n]{0,500}\r?\n")
_LONGEST_SEPARATOR = 300  # bytes; a longer line that begins with "From " is prose
_DATE = re.compile(
    rb"\d{1,2}:\d{2}(?::\d{2})?\b.{0,40}\b(?:19|20)\d{2}\b|\b(?:19|20)\d{2}\b.*\d:\d{2}"
)
_ASCTIME = re.compile(
    rb"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? +(?:[A-Z][a-z]{2} +\d{1,2}|\d{1,2} +[A-Z][a-z]{2})"
)
_BARE = re.compile(rb"From (?:-|[^\s@]+@[^\s@]+)\s*\Z")
_FIELD = re.compile(rb"(?:>?From |[!-9;-~]+[ \t]*:)")
_LENGTH = re.compile(rb"^content-length:[ \t]*(\d{1,12})[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_QUOTED = re.compile(rb"^>(>*From )", re.MULTILINE)
_HEADER_END = re.compile(rb"\r?\n\r?\n")


class MboxMessage(NamedTuple):
    """A message in an mbox.

    Attributes:
        data: The message without its first line; None if it is too long.
        date: The date after the address in its first line.
        end: Where it ends in the file, in bytes.
    """

    data: bytes | None
    date: str
    end: int


def is_mbox(head: bytes) -> bool:
    """Return whether a file starts like an mbox."""
    start = head.lstrip(b"\r\n")
    line = _LINE.match(start)
    return line is not None and _begins(start, line.start(), line.end(), after_blank=True)


def messages(stream: BinaryIO) -> Iterator[MboxMessage]:
    """Yield the messages of a file, in order."""
    return _Splitter(stream).messages()


class _Splitter:
    """Holds the bytes of the current message. `_offset` is where they start in the file."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._bytes = bytearray()
        self._offset = 0
        self._ended = False

    def messages(self) -> Iterator[MboxMessage]:
        self._fill(_CHUNK)
        self._skip_to_first()
        while self._bytes:
            line_end = self._bytes.find(b"\n") + 1 or len(self._bytes)
            date = _date_in(bytes(self._bytes[:line_end]))
            end, dropped = self._end_of_message(line_end)
            data = None if dropped else self._copy(line_end, end)
            self._drop(end)
            data = None if data is None else _unquoted(data)
            yield MboxMessage(data, date, self._offset)
            if len(self._bytes) < _AHEAD:
                self._fill(_CHUNK)

    def _skip_to_first(self) -> None:
        start = 0
        while start < len(self._bytes) and self._bytes[start] in b"\r\n":
            start += 1
        self._drop(start)

    def _end_of_message(self, line_end: int) -> tuple[int, bool]:
        """Return where the message at the start of the buffer ends, and whether it was too long."""
        stated = self._stated_end(line_end)
        if stated is not None:
            return stated, False
        position, dropped = line_end, False
        while True:
            found, position = self._search(position)
            if found is not None:
                return found, dropped
            if self._ended:
                return len(self._bytes), dropped
            if len(self._bytes) > MOST_BYTES:
                keep = len(self._bytes) - position
                self._drop(position - 1)  # the byte before shows whether a line is blank
                position, dropped = len(self._bytes) - keep, True
            self._fill(_CHUNK)

    def _search(self, position: int) -> tuple[int | None, int]:
        """Return where the next message starts, or None and where to continue the search."""
        last = len(self._bytes) if self._ended else len(self._bytes) - _AHEAD
        at = self._bytes.find(b"\nFrom ", position - 1) + 1
        while 0 < at <= last:
            line = _LINE.match(self._bytes, at)
            if line and _begins(self._bytes, at, line.end(), self._is_after_blank(at)):
                return at, at
            at = self._bytes.find(b"\nFrom ", at) + 1
        # An incomplete line may start a message.
        return None, at or max(position, len(self._bytes) - _AHEAD)

    def _is_after_blank(self, start: int) -> bool:
        before = bytes(self._bytes[max(0, start - 4) : start])
        return before.endswith((b"\n\n", b"\n\r\n")) or len(before) <= 1

    def _stated_end(self, line_end: int) -> int | None:
        """Return the stated end of the message, if another one or nothing follows there."""
        header = _HEADER_END.search(self._bytes, line_end, line_end + 65536)
        stated = _LENGTH.search(self._bytes, line_end, header.end()) if header else None
        if header is None or stated is None:
            return None
        end = header.end() + int(stated.group(1))
        if end > MOST_BYTES:
            return None
        while len(self._bytes) < end + _AHEAD and not self._ended:
            self._fill(end + _AHEAD - len(self._bytes))
        if end > len(self._bytes):
            return None
        rest = bytes(self._bytes[end : end + _AHEAD])
        gap = len(rest) - len(rest.lstrip(b"\r\n"))
        line = _LINE.match(rest[gap:])
        if line is not None and gap <= 4:
            follows = _begins(rest[gap:], 0, line.end(), after_blank=True)
            return end + gap if follows else None
        return len(self._bytes) if self._ended and gap == len(rest) else None

    def _copy(self, start: int, end: int) -> bytes:
        """Return some of the bytes; a slice of a bytearray would be copied twice."""
        with memoryview(self._bytes) as view, view[start:end] as part:
            return bytes(part)

    def _fill(self, count: int) -> None:
        """Read at least `count` more bytes, if available."""
        wanted = len(self._bytes) + max(count, _CHUNK)
        while len(self._bytes) < wanted and not self._ended:
            chunk = self._stream.read(wanted - len(self._bytes))
            self._bytes += chunk
            self._ended = not chunk

    def _drop(self, count: int) -> None:
        del self._bytes[:count]
        self._offset += count


def _begins(
    data: bytes | bytearray,
    start: int,
    end: int,
    after_blank: bool,  # noqa: FBT001
) -> bool:
    """Return whether the line from `start` to `end` starts a message."""
    line = bytes(data[start:end])
    following = bytes(data[end : end + 200])
    has_header = _FIELD.match(following) is not None
    is_short = len(line) <= _LONGEST_SEPARATOR and (after_blank or _BARE.match(line) is not None)
    if has_header and is_short and is_delivered(bytes(data[end : end + _AHEAD])):
        return True
    if not after_blank:  # some writers forget the blank line
        return has_header and _ASCTIME.search(line) is not None
    if _DATE.search(line, 0, _LONGEST_SEPARATOR):
        return has_header or not following.strip() or following.startswith((b"\n", b"\r\n"))
    return has_header and _BARE.match(line) is not None


def _date_in(line: bytes) -> str:
    """Return the date of a first line, after the address, with the day before the month."""
    text = line.decode("ascii", "replace").strip()
    named = _ASCTIME.search(line)
    return text[named.start() :] if named else ""


def _unquoted(data: bytes) -> bytes:
    """Return a message without the quoting of its dialect."""
    return _QUOTED.sub(rb"\1", data) if b">From " in data else data
