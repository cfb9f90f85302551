"""Parses MIME messages into trees of parts. Never raises, whatever the bytes are.

Replaces the standard library's parser, which recurses as deep as a message is nested and is slow
for large archives: this one slices and reads each byte once per level.
"""

from __future__ import annotations

import binascii
import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from graphmemix.ingest.mail.headers import decoded, header_text, parameters
from graphmemix.ingest.mail.recognition import is_mail_field

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MOST_DEPTH = 20
"""Nesting depth of parts; deeper ones are ignored."""
MOST_PARTS = 2_000
"""Number of parts of a message; further ones are ignored."""

_MOST_HEADER_BYTES = 1 << 20
_BLANK = re.compile(rb"\r?\n[ \t]*+\r?\n")
_HEADER_LINE = re.compile(rb"[!-9;-~\x80-\xff]{1,100}[ \t]*:|[ \t]")
_FIELD = re.compile(
    rb"^([!-9;-~\x80-\xff]{1,100})[ \t]*:[ \t]*((?:[^\r\n]++|\r(?!\n)|\r?\n[ \t])*+)", re.MULTILINE
)
_STRAY = re.compile(rb"(?:>?From [^\r\n]*)?\s*+")  # between fields, without a meaning
# Their values are often broken without the blank that marks a continued line.
_BROKEN = frozenset({"to", "cc", "bcc", "from", "reply-to", "subject", "references", "in-reply-to"})
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
        odd_lines: Number of places in the header with lines that are no fields.
    """

    fields: Mapping[str, list[bytes]]
    body: bytes
    kind: str = "text/plain"
    parts: list[MimePart] = field(default_factory=list)
    too_deep: bool = False
    odd_lines: int = 0

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
    header = _header(data, start, min(header_end, start + _MOST_HEADER_BYTES))
    if header.body_at is not None:
        body_start = header.body_at
    if not header.fields and start < header_end:
        body_start = start  # a text without a header
    written = header.fields.get("content-type", [b""])[0]
    kind = header_text(written[:1000]).split(";")[0].strip().lower()
    is_kind = re.fullmatch(r"[\w.+-]+/[\w.+-]+", kind)
    body = data[body_start:end]
    return MimePart(header.fields, body, kind if is_kind else default, odd_lines=header.odd)


class _Header(NamedTuple):
    fields: dict[str, list[bytes]]
    odd: int
    body_at: int | None  # if no blank line precedes the body


def _header(data: bytes, start: int, end: int) -> _Header:
    """Return the fields between two positions.

    Lines that are no fields are broken values, which are joined; odd lines, which are counted; or,
    if only such lines and unknown fields follow, the body of a mail without its blank line.
    """
    matches = list(_FIELD.finditer(data, start, end))
    gaps = [_gap(data, a.end() if a else start, b.start() if b else end)
            for a, b in pairwise([None, *matches, None])]  # fmt: skip
    last = _last_field(matches, gaps)
    fields: dict[str, list[bytes]] = {}
    odd = 0
    for match, gap in zip(matches[:last], gaps[1:], strict=False):
        name = match[1].decode("latin-1").lower()
        value = match[2]
        if gap and match is not matches[last - 1]:
            odd += name not in _BROKEN
            value = value + b" " + gap if name in _BROKEN else value
        fields.setdefault(name, []).append(value)
    cut = bool(matches) and (last < len(matches) or bool(gaps[last]))
    return _Header(fields, odd + bool(gaps[0]), matches[last - 1].end() if cut else None)


def _gap(data: bytes, start: int, end: int) -> bytes:
    """Return what stands between two fields; empty if it is only white space or "From "."""
    stray = _STRAY.match(data, start, end)
    return data[stray.end() if stray else start : end].strip()


def _last_field(matches: list[re.Match[bytes]], gaps: list[bytes]) -> int:
    """Return how many of the matches are fields of the header.

    Those before the first odd line, and all up to the last one that mails are known to have: prose
    may have a colon too.
    """
    first_odd = next((i for i in range(1, len(matches)) if gaps[i]), len(matches))
    known = (i for i in range(len(matches), first_odd, -1) if is_mail_field(matches[i - 1][1]))
    return next(known, first_odd)


def _split(data: bytes, start: int, end: int) -> tuple[int, int]:
    """Return where the header ends and where the body starts."""
    if data.startswith((b"\n", b"\r\n"), start, end):
        return start, data.index(b"\n", start) + 1
    for blank in _BLANK.finditer(data, start, end):
        # Some programs write blanks into the empty line, others continue a value after one.
        has_blanks = any(blank_or_tab in blank[0] for blank_or_tab in b" \t")
        if not has_blanks or not _HEADER_LINE.match(data, blank.end(), end):
            return blank.start() + 1, blank.end()
    return end, end


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
