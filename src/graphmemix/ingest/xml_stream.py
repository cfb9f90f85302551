"""Reads large untrusted XML record by record, within the limits of `xml_tree`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, BinaryIO
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from graphmemix.errors import ImportSourceError
from graphmemix.ingest.xml_tree import refuse_entities, refuse_long_namespaces

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_CHUNK = 1 << 16  # bytes
_DEEPEST = 100  # elements within each other
_LARGEST = 256 << 20  # characters of one record, which must fit into memory
_PAIR = re.compile(rb"&#(5[5-6][0-9]{3});&#(5[6-7][0-9]{3});")
_REFERENCE = re.compile(rb"&#(x[0-9a-fA-F]{1,6}|[0-9]{1,7});")
_HALF = 8  # bytes of a reference to half of an emoji
_LONGEST_PAIR = 2 * _HALF
_BEFORE = b"\xef\xbb\xbf\xff\xfe\0 \t\r\n"  # byte order marks and white space


class _RootError(Exception):
    """The outermost element, by which the parser is stopped."""


def root_tag(head: bytes) -> str:
    """Return the local name of the outermost element of an XML file; empty if it is not XML.

    Args:
        head: The first bytes of the file.
    """
    if head.lstrip(_BEFORE)[:1] != b"<":
        return ""
    parser = expat.ParserCreate(None, "}")

    def start(tag: str, _attributes: dict[str, str]) -> None:
        raise _RootError(_local(tag))

    parser.StartElementHandler = start
    try:
        parser.Parse(head, False)  # noqa: FBT003  # expat has no name for it
    except _RootError as root:
        return str(root)
    except (expat.ExpatError, ValueError, LookupError):
        return ""
    return ""


def xml_records(path: Path, name: str, tags: frozenset[str]) -> Iterator[Element]:
    """Yield the outermost elements with these tags, each whole; nothing else is kept in memory.

    Tags and attributes have their local names. Characters that XML forbids, which some programs
    write as references (halves of an emoji, control characters), are repaired or replaced.

    Args:
        path: The file.
        name: Its name in errors.
        tags: Local names.

    Raises:
        ImportSourceError: It cannot be read, is not well-formed, declares entities, is nested too
            deeply, or has a record that is too large; the records before it were yielded.
    """
    reader = _Reader(name, tags)
    try:
        with path.open("rb") as stream:
            for chunk in _repaired(stream):
                yield from reader.feed(chunk)
            yield from reader.feed(b"", final=True)
    except OSError as error:
        raise ImportSourceError(f"{name}: cannot be read: {error.strerror}") from None


class _Reader:
    """Collects elements while a parser runs."""

    def __init__(self, name: str, tags: frozenset[str]) -> None:
        self._name = name
        self._tags = tags
        self._depth = 0
        self._size = 0
        self._builder: TreeBuilder | None = None
        self._outer = 0  # depth of the record under way
        self._ready: list[Element] = []
        self._held: list[bytes] = []  # not given to the parser yet
        self._stalled = 0  # bytes of the token that the parser waits for the end of
        self._moved = False
        self._parser = expat.ParserCreate(None, "}")
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        refuse_entities(self._parser, f"{name}:")
        refuse_long_namespaces(self._parser, f"{name}:")

    def feed(self, data: bytes, *, final: bool = False) -> Iterator[Element]:
        """Parse the next bytes, and yield the records that end in them.

        The parser starts over in a token that is not complete, such as an attribute with a whole
        picture. So it gets twice as much each time, and the work stays in proportion to the file.
        """
        self._held.append(data)
        if not final and sum(map(len, self._held)) < self._stalled:
            return
        data = b"".join(self._held)
        self._held, self._moved = [], False
        try:
            self._parser.Parse(data, final)
            error = None
        except (expat.ExpatError, ValueError, LookupError):
            error = ImportSourceError(f"{self._name}: is not XML, or ends too early")
        self._stalled = 0 if self._moved else self._stalled + len(data)
        yield from self._ready
        self._ready.clear()
        if error is not None:
            raise error
        if self._stalled > _LARGEST:
            raise ImportSourceError(f"{self._name}: has a record that is too large")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._moved = True
        self._depth += 1
        if self._depth > _DEEPEST:
            raise ImportSourceError(f"{self._name}: is nested too deeply")
        local = _local(tag)
        if self._builder is None and local in self._tags:
            self._builder, self._outer, self._size = TreeBuilder(), self._depth, 0
        if self._builder is not None:
            self._count(len(local) + sum(len(k) + len(v) for k, v in attributes.items()))
            self._builder.start(local, {_local(key): value for key, value in attributes.items()})

    def _end(self, tag: str) -> None:
        self._moved = True
        if self._builder is not None:
            self._builder.end(_local(tag))
            if self._depth == self._outer:
                self._ready.append(self._builder.close())
                self._builder = None
        self._depth -= 1

    def _text(self, text: str) -> None:
        self._moved = True
        if self._builder is not None:
            self._count(len(text))
            self._builder.data(text)

    def _count(self, size: int) -> None:
        self._size += size
        if self._size > _LARGEST:
            raise ImportSourceError(f"{self._name}: has a record that is too large")


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def _repaired(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the file with its references repaired; none is cut between two pieces."""
    data = b""
    while chunk := stream.read(_CHUNK):
        data += chunk
        end = data.find(b"&", max(0, len(data) - 2 * _LONGEST_PAIR))
        end = (
            len(data) if end < 0 else end - _HALF * _is_first_half(data[max(0, end - _HALF) : end])
        )
        yield _references(data[:end])
        data = data[end:]
    yield _references(data)


def _is_first_half(reference: bytes) -> bool:
    match = _REFERENCE.fullmatch(reference)
    return match is not None and 0xD800 <= _code(match) < 0xDC00


def _references(data: bytes) -> bytes:
    if b"&#" not in data:
        return data
    return _REFERENCE.sub(_allowed, _PAIR.sub(_joined, data))


def _joined(match: re.Match[bytes]) -> bytes:
    """Return the character of two halves, as a reference."""
    high, low = int(match[1]), int(match[2])
    if 0xD800 <= high < 0xDC00 <= low < 0xE000:
        return b"&#%d;" % (0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
    return match[0]


def _allowed(match: re.Match[bytes]) -> bytes:
    code = _code(match)
    forbidden = (code < 0x20 and code not in {9, 10, 13}) or 0xD800 <= code < 0xE000
    return b"&#65533;" if forbidden or code > 0x10FFFF or code in {0xFFFE, 0xFFFF} else match[0]


def _code(match: re.Match[bytes]) -> int:
    text = match[1].decode()
    return int(text[1:], 16) if text[0] == "x" else int(text)
