"""Parses the lines of iCalendar and vCard: folded, with parameters, in all dialects."""

from __future__ import annotations

import quopri
import re
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING

from graphmemix.ingest.text import decode

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_NAME = re.compile(r"(?:([\w-]{1,60})\.)?([A-Za-z0-9-]{1,60})(?=[;:])")
_PARAMETER = re.compile(
    r""";([A-Za-z0-9-]{1,60})(?:=((?:"[^"]*"|[^";:,]*)(?:,(?:"[^"]*"|[^";:,]*))*))?"""
)
_NEXT = re.compile(
    rb"(?:[\w-]{1,60}\.)?(?:ADR|BDAY|EMAIL|FN|LABEL|N|NOTE|ORG|PHOTO|REV|TEL|TITLE|UID|URL|X-[A-Z-]+)"
    rb"[;:]|END:VCARD"
)
_LINE_BREAKS = (b"=0A=", b"=0a=", b"=0D=", b"=0d=")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_LONGEST = 32 << 20  # characters of a line, which may contain a contact's picture


@dataclass(frozen=True)
class ContentLine:
    """A property.

    Attributes:
        name: In upper case, without its group.
        value: Decoded from quoted-printable, but still with backslash escapes.
        parameters: By name in upper case; the unnamed types of vCard 2.1 are under ``TYPE``.
        group: What the properties of one thing, such as a number and its label, have in common.
    """

    name: str
    value: str
    parameters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    group: str = ""

    @property
    def text(self) -> str:
        """The value as a text."""
        return unescaped(self.value)

    def parameter(self, name: str) -> str:
        """Return the first value of a parameter; empty if there is none."""
        return (self.parameters.get(name) or ("",))[0]

    def fields(self, separator: str = ";") -> list[str]:
        """Return the parts of a structured value."""
        parts = re.split(rf"(?<!\\){re.escape(separator)}", self.value)
        return [unescaped(part) for part in parts]


def content_lines(data: bytes) -> Iterator[ContentLine]:
    """Yield the properties of a file; other lines are ignored. Never raises."""
    for line in _unfolded(data):
        found = _parsed(line)
        if found is not None:
            yield found


def unescaped(text: str) -> str:
    """Resolve the backslash escapes of commas, semicolons and line breaks."""
    return _ESCAPE.sub(lambda match: "\n" if match[1] in "nN" else match[1], text).strip()


def _unfolded(data: bytes) -> Iterator[bytes]:
    """Yield lines; a line that starts with a space continues the one before.

    Bytes, because folding may cut within a character.
    """
    current = bytearray()  # grows in place: a picture is folded into thousands of lines
    soft = False
    for whole in BytesIO(data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")):
        line = whole.removesuffix(b"\n")
        if line[:1] in {b" ", b"\t"} and not soft:
            if len(current) < _LONGEST:
                current += line[1:]
            continue
        # Some phones end a value with "=" as well: what follows is no continuation.
        ended = soft and _NEXT.match(line) and not current.endswith(_LINE_BREAKS)
        if soft and not ended:
            del current[-1:]
            current += line
        else:
            if current:
                yield bytes(current)
            current = bytearray(line)
        # vCard 2.1 breaks quoted-printable with "=" at the end of the line, and does not fold it.
        soft = current.endswith(b"=") and b"QUOTED-PRINTABLE" in current[:400].upper()
    if current:
        yield bytes(current)


def _parsed(line: bytes) -> ContentLine | None:
    head, _, _ = line.partition(b":")
    text = decode(line, "utf-8")
    match = _NAME.match(text.lstrip("\ufeff"))
    if match is None:
        return None
    text = text.lstrip("\ufeff")
    parameters: dict[str, list[str]] = {}
    position = match.end()
    while (found := _PARAMETER.match(text, position)) is not None:
        position = found.end()
        key, given = found[1].upper(), found[2]
        values = [found[1]] if given is None else _values(given)
        if given is None:
            key = "ENCODING" if key in {"QUOTED-PRINTABLE", "BASE64"} else "TYPE"
        parameters.setdefault(key, []).extend(values)
    if text[position : position + 1] != ":":
        return None
    value = text[position + 1 :]
    if "TZID" in parameters and ":" in value:  # not quoted: TZID=(UTC+01:00) Rome:20240703T090000
        rest, _, value = value.rpartition(":")
        parameters["TZID"] = [f"{','.join(parameters['TZID'])}:{rest}"]
    if "QUOTED-PRINTABLE" in (each.upper() for each in parameters.get("ENCODING", ())):
        raw = line[len(head) + 1 :] if b'"' not in head else value.encode("latin-1", "replace")
        value = decode(quopri.decodestring(raw), (parameters.get("CHARSET") or (None,))[0])
        value = value.replace("\r\n", "\n")
    given_values = {key: tuple(values) for key, values in parameters.items()}
    return ContentLine(match[2].upper(), value, given_values, (match[1] or "").lower())


def _values(given: str) -> Iterator[str]:
    for value in re.findall(r'"[^"]*"|[^",]+', given):
        yield value.strip('"').replace("^n", "\n").replace("^'", '"').replace("^^", "^")
