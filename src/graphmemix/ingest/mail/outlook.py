"""Outlook's ``.msg`` ([MS-OXMSG]): one message, with its properties as streams of a compound file.

A message is made into the parts that a mail program would have sent, and then read as any mail.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import TYPE_CHECKING, Final

from graphmemix.errors import ImportSourceError
from graphmemix.ingest.compound import MAGIC, Compound
from graphmemix.ingest.documents.rtf_text import read_rtf
from graphmemix.ingest.mail.attachments import Scratch
from graphmemix.ingest.mail.message import MailContext, read_part
from graphmemix.ingest.mail.mime import MimePart, parse
from graphmemix.ingest.mail.outlook_body import unpacked_rtf
from graphmemix.ingest.mail.tnef import as_part
from graphmemix.ingest.node import short
from graphmemix.ingest.protocol import Skipped
from graphmemix.ingest.text import decode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import tzinfo
    from pathlib import Path

    from graphmemix.ingest.protocol import Found, MediaSink, Reading

_PROPERTIES: Final = "__properties_version1.0"
_TEXT, _WIDE_TEXT, _BINARY, _TIME = 0x1E, 0x1F, 0x102, 0x40
_CLASS, _SUBJECT, _HEADER, _BODY, _HTML, _RTF = 0x1A, 0x37, 0x7D, 0x1000, 0x1013, 0x1009
_CODE_PAGES = (0x3FDE, 0x3FFD)
_SENT_AT = (0x39, 0xE06, 0x3007)
_SENDER = ((0x42, 0x5D02, 0x65), (0xC1A, 0x5D01, 0xC1F))  # name, Internet address, other address
_RECIPIENT = (0x3001, 0x39FE, 0x3003)
_RECIPIENT_KIND = 0xC15
_FIELDS = {"message-id": 0x1035, "in-reply-to": 0x1042, "references": 0x1039}
_TO = {1: "to", 2: "cc", 3: "bcc"}
_DATA, _LONG_NAME, _SHORT_NAME, _MIME, _CONTENT_ID = 0x3701, 0x3707, 0x3704, 0x370E, 0x3712
_CARRIED = "__substg1.0_3701000D/"
_DEEPEST = 5  # messages within messages
_MOST_PARTS = 2_000  # recipients, and attachments
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
_OTHERS = {
    "ipm.contact": "an Outlook contact; save it as vCard",
    "ipm.appointment": "an Outlook appointment; save it as iCalendar",
    "ipm.task": "an Outlook task; export the tasks as CSV",
    "ipm.stickynote": "an Outlook note; save it as text",
    "ipm.distlist": "an Outlook contact group; save its contacts as vCard",
}


class OutlookMessage:
    """Reads a message, its attachments and the messages attached to it. Memories are of `mail`.

    Args:
        zone: Time zone for timestamps without an offset in attachments; None for this machine's.
    """

    name = "outlook"

    def __init__(self, zone: tzinfo | None = None) -> None:
        self.zone = zone

    def recognises(self, found: Found) -> bool:
        """Return whether this is a compound file with the properties of a message."""
        if not found.head.startswith(MAGIC):
            return False
        try:
            with Compound(found.path, found.name) as file:
                return _PROPERTIES in file
        except ImportSourceError:
            return False

    def companions(self, found: Found) -> Iterator[Path]:  # noqa: ARG002
        """Return nothing: a message carries its attachments."""
        yield from ()

    def read(self, found: Found, sink: MediaSink) -> Iterator[Reading]:
        """Yield the mail before its attachments.

        Raises:
            ImportSourceError: It is damaged.
        """
        with Compound(found.path, found.name) as file:
            message = _Properties(file, "", 32)
            kind = message.text(_CLASS).lower()
            reason = next((why for name, why in _OTHERS.items() if kind.startswith(name)), "")
            missing: list[str] = []
            part = _message(message, 0, missing)
        if reason:
            yield Skipped(found.name, reason)
            return
        with Scratch() as scratch:
            yield from read_part(part, found.name, MailContext(sink, scratch, zone=self.zone))
        for name in missing:
            yield Skipped(f"{found.name}, attachment {name}", "its content is not in the file")


@dataclass
class _Properties:
    """The properties of a message, a recipient or an attachment.

    Attributes:
        file: The file.
        folder: The path of the storage that holds them.
        header: How many bytes precede the properties of fixed size.
        charset: Of texts that are not in Unicode.
    """

    file: Compound
    folder: str
    header: int
    charset: str = ""
    _fixed: dict[tuple[int, int], bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        stream = self.folder + _PROPERTIES
        data = self.file.read(stream) if stream in self.file else b""
        for at in range(self.header, len(data) - 15, 16):
            kind, name = struct.unpack_from("<HH", data, at)
            self._fixed[name, kind] = data[at + 8 : at + 16]
        pages = [page for name in _CODE_PAGES if (page := self.number(name))]
        if pages and not self.charset:
            self.charset = "utf-8" if pages[0] == 65001 else f"cp{pages[0]}"

    def binary(self, name: int, kind: int = _BINARY) -> bytes | None:
        """Return the bytes of a property of varying size; None if it is missing."""
        stream = f"{self.folder}__substg1.0_{name:04X}{kind:04X}"
        return self.file.read(stream) if stream in self.file else None

    def text(self, name: int) -> str:
        """Return a text; empty if it is missing."""
        wide = self.binary(name, _WIDE_TEXT)
        if wide is not None:
            return wide.decode("utf-16-le", "replace").rstrip("\0")
        narrow = self.binary(name, _TEXT)
        return "" if narrow is None else decode(narrow.rstrip(b"\0"), self.charset)

    def number(self, name: int) -> int:
        """Return a 32-bit number; 0 if it is missing."""
        value = self._fixed.get((name, 3), b"")
        return int.from_bytes(value[:4], "little")

    def time(self, name: int) -> datetime | None:
        """Return a moment; None if it is missing or out of range."""
        ticks = int.from_bytes(self._fixed.get((name, _TIME), b""), "little")  # of 100 ns
        try:
            return _EPOCH + timedelta(microseconds=ticks // 10) if ticks else None
        except OverflowError:
            return None

    def below(self, kind: str) -> Iterator[str]:
        """Yield the storages of recipients or attachments."""
        start = f"{self.folder}__{kind}_version1.0_#"
        inside = [each for each in self.file.storages(self.folder) if each.startswith(start)]
        yield from inside[:_MOST_PARTS]


def _message(message: _Properties, depth: int, missing: list[str]) -> MimePart:
    """Return a message as a mail; attachments without content go into `missing`, by name."""
    fields = _fields(message)
    text, html = message.text(_BODY), _html(message)
    bodies = [MimePart(_typed("text/plain"), text.encode("utf-8", "replace"))] if text else []
    if html:
        bodies.append(MimePart(_typed("text/html"), html, "text/html"))
    if not bodies:
        rtf = read_rtf(unpacked_rtf(message.binary(_RTF) or b""))
        kind = "text/html" if rtf.is_html else "text/plain"
        bodies.append(MimePart(_typed(kind), rtf.text.encode("utf-8", "replace"), kind))
    body = MimePart({}, b"", "multipart/alternative", bodies)
    attached = [_attached(message, folder, depth, missing) for folder in message.below("attach")]
    parts = [body, *(each for each in attached if each is not None)]
    return MimePart(fields, b"", "multipart/mixed", parts)


def _typed(kind: str) -> dict[str, list[bytes]]:
    return {"content-type": [f"{kind}; charset=utf-8".encode()]}


def _html(message: _Properties) -> bytes:
    """Return the page of a message in UTF-8; empty if it has none."""
    data = message.binary(_HTML)
    page = message.text(_HTML) if data is None else decode(data, message.charset)
    return page.encode("utf-8", "replace")


def _fields(message: _Properties) -> dict[str, list[bytes]]:
    """Return the header: as it was received, and from the properties what that does not have."""
    received = parse(message.text(_HEADER).lstrip().encode("utf-8", "replace") + b"\n\n").fields
    fields = {k: v for k, v in received.items() if not k.startswith("content-")}
    made = {"subject": message.text(_SUBJECT), "from": _sender(message)}
    made |= {name: message.text(number) for name, number in _FIELDS.items()}
    when = next((time for each in _SENT_AT if (time := message.time(each))), None)
    made["date"] = format_datetime(when) if when else ""
    named: dict[str, list[str]] = {}
    for folder in message.below("recip"):
        person = _Properties(message.file, folder, 8, message.charset)
        name = _TO.get(person.number(_RECIPIENT_KIND) & 3, "to")
        named.setdefault(name, []).append(_address(person, _RECIPIENT))
    made |= {name: ", ".join(filter(None, people)) for name, people in named.items()}
    for name, value in made.items():
        if value:
            fields.setdefault(name, [value.encode("utf-8", "replace")])
    fields.setdefault("subject", [b""])  # all of them are mails
    return fields


def _sender(message: _Properties) -> str:
    return next(filter(None, (_address(message, names) for names in _SENDER)), "")


def _address(person: _Properties, names: Iterable[int]) -> str:
    """Return name and address; the address of a mailbox within Exchange is none."""
    name, *addresses = (person.text(each) for each in names)
    address = next((each for each in addresses if "@" in each), "")
    quoted = name.replace("\\", "").replace('"', "")
    if not quoted or quoted == address:
        return address
    return f'"{quoted}" <{address}>' if address else f'"{quoted}"'


def _attached(message: _Properties, folder: str, depth: int, missing: list[str]) -> MimePart | None:
    """Return an attachment; None for one without content, such as a link to a file."""
    attachment = _Properties(message.file, folder, 8, message.charset)
    name = attachment.text(_LONG_NAME) or attachment.text(_SHORT_NAME)
    data = attachment.binary(_DATA)
    if f"{folder}{_CARRIED}{_PROPERTIES}" in message.file and depth < _DEEPEST:
        carried = _Properties(message.file, folder + _CARRIED, 24)
        inside = _message(carried, depth + 1, missing)
        return MimePart({}, b"", "message/rfc822", [inside])
    if data is None:
        missing.append(short(name) or folder.rpartition("#")[2].strip("/"))
        return None
    return as_part(name, data, attachment.text(_CONTENT_ID), attachment.text(_MIME).lower())
