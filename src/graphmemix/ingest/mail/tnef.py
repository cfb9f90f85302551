"""``winmail.dat``: attachments in Outlook's container format TNEF ([MS-OXTNEF])."""

from __future__ import annotations

import mimetypes
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from graphmemix.ingest.mail.mime import MimePart

if TYPE_CHECKING:
    from collections.abc import Iterator

_SIGNATURE = 0x223E9F78
_OF_ATTACHMENT = 2  # level of an attribute; 1 is the message's own
_BEGINS, _TITLE, _DATA, _PROPERTIES = 0x9002, 0x8010, 0x800F, 0x9005
_LONG_NAME, _CONTENT_ID = 0x3707, 0x3712
_TEXT, _WIDE_TEXT, _OBJECT, _BINARY = 0x1E, 0x1F, 0x0D, 0x102
_SIZES = {2: 4, 3: 4, 4: 4, 5: 8, 6: 8, 7: 8, 0x0A: 4, 0x0B: 4, 0x14: 8, 0x40: 8, 0x48: 16}
_MANY = 0x1000  # a property of several values
_NAMED = 0x8000
_MOST = 200  # attachments, and values of a property


@dataclass
class _Attached:
    title: str = ""
    long_name: str = ""
    content_id: str = ""
    data: bytes = b""


def unwrapped(part: MimePart) -> list[MimePart]:
    """Return the attachments in a TNEF part; the part itself if it is not TNEF or is broken."""
    if part.kind not in {"application/ms-tnef", "application/vnd.ms-tnef"} and (
        part.filename.lower() != "winmail.dat"
    ):
        return [part]
    try:
        found = [each for each in _attached(part.content()) if each.data]
    except (struct.error, ValueError, IndexError):
        return [part]
    parts = [
        as_part(each.long_name or each.title, each.data, each.content_id) for each in found[:_MOST]
    ]
    return parts or [part]


def _attached(data: bytes) -> list[_Attached]:
    if struct.unpack_from("<I", data)[0] != _SIGNATURE:
        raise ValueError("no envelope")
    found: list[_Attached] = []
    position = 6
    while position < len(data):
        level, attribute, size = struct.unpack_from("<BII", data, position)
        position += 9
        value = data[position : position + size]
        if len(value) < size:
            raise ValueError("cut off")
        position += size + 2  # skip the checksum, which Outlook ignores too
        if level == _OF_ATTACHMENT:
            _take(found, attribute & 0xFFFF, value)
    return found


def _take(found: list[_Attached], attribute: int, value: bytes) -> None:
    if attribute == _BEGINS or not found:
        found.append(_Attached())
    if attribute == _TITLE:
        found[-1].title = _narrow(value)
    elif attribute == _DATA:
        found[-1].data = value
    elif attribute == _PROPERTIES:
        for name, text in _texts(value):
            if name == _LONG_NAME:
                found[-1].long_name = text
            elif name == _CONTENT_ID:
                found[-1].content_id = text


def _texts(data: bytes) -> Iterator[tuple[int, str]]:
    """Yield the properties that are texts."""
    (count,) = struct.unpack_from("<I", data)
    position = 4
    for _ in range(min(count, len(data))):
        kind, name = struct.unpack_from("<HH", data, position)
        position += 4
        if name >= _NAMED:
            position = _behind_name(data, position)
        base = kind & ~_MANY
        varies = base in {_TEXT, _WIDE_TEXT, _OBJECT, _BINARY}
        values = 1
        if varies or kind & _MANY:
            (values,) = struct.unpack_from("<I", data, position)
            position += 4
        if values > _MOST:
            return
        for _ in range(values):
            size = _SIZES.get(base)
            if varies:
                (size,) = struct.unpack_from("<I", data, position)
                position += 4
            if size is None:
                return  # a type of unknown size: the rest cannot be located
            value = data[position : position + size]
            position += size + -size % 4
            if base == _WIDE_TEXT:
                yield name, value.decode("utf-16-le", "replace").strip("\0")
            elif base == _TEXT:
                yield name, _narrow(value)


def _behind_name(data: bytes, position: int) -> int:
    """Return where a named property continues, after its set id and its number or name."""
    (is_text,) = struct.unpack_from("<I", data, position + 16)
    (size,) = struct.unpack_from("<I", data, position + 20)
    return position + 24 + (size + -size % 4 if is_text else 0)


def _narrow(value: bytes) -> str:
    text = value.split(b"\0", 1)[0]
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        return text.decode("cp1252", "replace")


def as_part(name: str, data: bytes, content_id: str = "", kind: str = "") -> MimePart:
    """Return a file as the part of a mail that a mail program would have sent.

    Args:
        name: The file's name.
        data: Its content.
        content_id: The id by which HTML refers to it; empty if there is none.
        kind: Its media type; by its name unless given.
    """
    written = f"attachment; filename*=utf-8''{quote(name, errors='replace')}"
    fields = {"content-disposition": [written.encode()]}
    if content_id.isascii():
        fields["content-id"] = [content_id.encode()]
    kind = kind or mimetypes.guess_type(name)[0] or "application/octet-stream"
    return MimePart(fields, data, kind)
