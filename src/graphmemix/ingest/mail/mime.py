"""Parses MIME messages into trees of parts. Never raises, whatever the bytes are.

Replaces the standard library's parser, which recurses as deep as a message is nested and is slow
for large archives: this one slices and reads each byte once per level.
"""

from __future__ import annotations

import binascii
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from graphmemix.ingest.mail.headers import decoded, header_text, parameters

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MOST_DEPTH = 20
"""Nesting depth of parts; deeper ones are ignored."""
MOST_PARTS = 2_000
"""Number of parts of a message; further ones are ignored."""

_MOST_HEADER_BYTES = 1 << 20
_BLANK = re.compile(rb"\r?\n\r?\n")
_FIELD = re.compile(
    rb"^([!-9;-~]{1,100})[ \t]*:[ \t]*((?:[^\r\n]++|\r(?!\n)|\r?\n[ \t])*+)", re.MULTILINE
)
_NEWLINE = ord("\n")
_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/]")


@dataclass
class MimePart:
    """A message, or a part of one.

    Attributes:
        fields: Raw header fields, by lower-case name, in order.
        body: The body, still encoded; empty if it is in `parts`.
        kind: Media type in lower case, such as ``text/plain``.
        parts: Parts of a multipart, or the one message inside ``message/rfc822``.
        too_deep: Whether parts were left out because they are nested too deeply or too many.
    """

    fields: Mapping[str, list[bytes]]
    body: bytes
    kind: str = "text/plain"
    parts: list[MimePart] = field(default_factory=list)
    too_deep: bool = False

    def header(self, name: str) -> str:
        """Return the first header field of this name, decoded; empty if there is none."""
        values = self.fields.get(name)
        return decoded(header_text(values[0])) if values else ""

    def raw(self, name: str) -> str:
        """Return a raw header field."""
        values = self.fields.get(name)
        return header_text(values[0]) if values else ""

    def parameter(self, name: str, key: str) -> str:
        """Return a parameter of a header field, such as the charset; empty if there is none."""
        values = self.fields.get(name)
        return parameters(header_text(values[0])).get(key, "") if values else ""

    @property
    def disposition(self) -> str:
        """``attachment``, ``inline`` or empty."""
        return self.raw("content-disposition").split(";")[0].strip().lower()

    @property
    def filename(self) -> str:
        """The name that the sender gave to this part; empty if there is none."""
        name = self.parameter("content-disposition", "filename")
        return decoded(name or self.parameter("content-type", "name")).strip()

    @property
    def content_id(self) -> str:
        """The id by which HTML refers to this picture after ``cid:``."""
        return self.raw("content-id").strip().strip("<>")

    def content(self) -> bytes:
        """Return the body without its transfer encoding."""
        encoding = self.raw("content-transfer-encoding").strip().lower()
        if encoding == "base64":
            return _from_base64(self.body)
        if encoding == "quoted-printable":
            return binascii.a2b_qp(self.body)
        if encoding in {"x-uuencode", "uuencode", "x-uue", "uue"}:
            return _from_uuencode(self.body)
        return self.body

    def walk(self) -> Iterator[MimePart]:
        """Yield this part and all parts inside, in order."""
        waiting = [self]
        while waiting:
            part = waiting.pop()
            yield part
            waiting += reversed(part.parts)


def parse(data: bytes) -> MimePart:
    """Return a message as a tree of parts."""
    root = _part(data, 0, len(data), "text/plain")
    count = 1
    waiting = [(root, 0)]
    while waiting:
        part, depth = waiting.pop()
        inside = list(_inside(part))
        if inside and (depth >= MOST_DEPTH or count + len(inside) > MOST_PARTS):
            part.too_deep = root.too_deep = True
            inside = inside[: max(0, MOST_PARTS - count)] if depth < MOST_DEPTH else []
        count += len(inside)
        part.parts = inside
        if inside:
            part.body = b""  # its parts have copies: keep a large mail in memory only once
        waiting += [(each, depth + 1) for each in inside]
    return root


def _part(data: bytes, start: int, end: int, default: str) -> MimePart:
    """Return the part between two positions; its body is copied once."""
    header_end, body_start = _split(data, start, end)
    fields: dict[str, list[bytes]] = {}
    for name, value in _FIELD.findall(data, start, min(header_end, start + _MOST_HEADER_BYTES)):
        fields.setdefault(name.decode("ascii").lower(), []).append(value)
    if not fields and body_start < end:
        body_start = start  # a text without a header
    written = fields.get("content-type", [b""])[0]
    kind = header_text(written[:1000]).split(";")[0].strip().lower()
    is_kind = re.fullmatch(r"[\w.+-]+/[\w.+-]+", kind)
    return MimePart(fields, data[body_start:end], kind if is_kind else default)


def _split(data: bytes, start: int, end: int) -> tuple[int, int]:
    """Return where the header ends and where the body starts."""
    if data.startswith((b"\n", b"\r\n"), start, end):
        return start, data.index(b"\n", start) + 1
    blank = _BLANK.search(data, start, end)
    return (end, end) if blank is None else (blank.start() + 1, blank.end())


def _inside(part: MimePart) -> Iterator[MimePart]:
    if part.kind.startswith("multipart/"):
        boundary = part.parameter("content-type", "boundary").rstrip()
        default = "message/rfc822" if part.kind == "multipart/digest" else "text/plain"
        if boundary:
            for start, end in _between(part.body, boundary):
                yield _part(part.body, start, end, default)
    elif part.kind in {"message/rfc822", "message/global", "message/news"}:
        data = part.content()
        yield _part(data, 0, len(data), "text/plain")


def _between(body: bytes, boundary: str) -> Iterator[tuple[int, int]]:
    """Yield where parts start and end between boundary lines; the last may lack its end."""
    mark = b"--" + boundary.encode("latin-1", "replace")
    start: int | None = None
    count = 0
    at = body.find(mark)
    while at >= 0:
        end = _behind_line(body, at)
        rest = body[at + len(mark) : end].strip()
        if (at == 0 or body[at - 1] == _NEWLINE) and rest in {b"", b"--"}:
            if start is not None:
                # The line end before the boundary belongs to it.
                before = at - 2 if body[max(start, at - 2) : at] == b"\r\n" else at - 1
                yield start, max(start, before)
                count += 1
            if rest or count > MOST_PARTS:
                return
            start = end
        at = body.find(mark, end)
    if start is not None:
        yield start, len(body)


def _behind_line(body: bytes, position: int) -> int:
    end = body.find(b"\n", position)
    return len(body) if end < 0 else end + 1


def _from_base64(data: bytes) -> bytes:
    """Decode base64, ignoring wrong padding and stray characters."""
    try:
        return binascii.a2b_base64(data)
    except binascii.Error:
        clean = _NOT_BASE64.sub(b"", data)
        clean = clean[: len(clean) - (len(clean) % 4 == 1)]
        return binascii.a2b_base64(clean + b"=" * (-len(clean) % 4))


def _from_uuencode(data: bytes) -> bytes:
    made = bytearray()
    begun = False
    for line in data.splitlines():
        if not begun:
            begun = line.startswith(b"begin ")
        elif line.strip() in {b"end", b"`", b""}:
            continue
        else:
            try:
                made += binascii.a2b_uu(line)
            except binascii.Error:  # trailing garbage that some programs write
                length = (((line[0] - 32) & 63) * 4 + 5) // 3
                try:
                    made += binascii.a2b_uu(line[:length])
                except binascii.Error:
                    continue
    return bytes(made) if begun else data
