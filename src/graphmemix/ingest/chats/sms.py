"""SMS Backup & Restore (Android): all SMS and MMS of a phone in one XML file."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

from graphmemix.errors import ImportSourceError
from graphmemix.ingest.attachments import Attachments
from graphmemix.ingest.chats.message import Stamps, message
from graphmemix.ingest.node import moment, number, short
from graphmemix.ingest.records import read_record
from graphmemix.ingest.xml_stream import root_tag, xml_records

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from xml.etree.ElementTree import Element

    from graphmemix.ingest.protocol import Found, MediaSink, Reading
    from graphmemix.memory import Media
    from graphmemix.record import Json

_RECORDS = frozenset({"sms", "mms"})
_SENT = frozenset({"2", "4", "5", "6"})  # sent, or waiting to be sent
_KINDS = {"3": "draft", "4": "outbox", "5": "failed", "6": "queued"}
_SENDER = "137"  # among the addresses of an MMS
_LAYOUT = "application/smil"
_ME = "me"
_UNKNOWN = frozenset({"null", "(Unknown)", "insert-address-token"})


class Sms:
    """Reads messages; a session is the other person, or the group, by their numbers."""

    name = "sms"

    def recognises(self, found: Found) -> bool:
        """Return whether the file is XML whose outermost element is that of the program."""
        return root_tag(found.head) == "smses"

    def companions(self, found: Found) -> Iterator[Path]:  # noqa: ARG002
        """Return nothing: pictures are part of the file."""
        yield from ()

    def read(self, found: Found, sink: MediaSink) -> Iterator[Reading]:
        """Yield the messages as the file has them. Parses it twice, holding one message at a time.

        Raises:
            ImportSourceError: The rest of the file is not XML.
        """
        attachments = Attachments(found, sink)
        stamps = Stamps()
        positions = _positions(found)
        for at, element in enumerate(xml_records(found.path, found.name, _RECORDS)):
            label = f"{found.name} message {at + 1}"
            yield read_record(label, self._message, element, positions[at], stamps, attachments)
            yield from attachments.refused()

    def _message(
        self, element: Element, sequence: int, stamps: Stamps, attachments: Attachments
    ) -> Reading | str:
        is_mms = element.tag == "mms"
        numbers = _people(element.get("address", ""))
        names = _people(element.get("contact_name", ""), ",")
        if not numbers and not _said(element, "date"):
            return "is not a message"
        box = element.get("msg_box" if is_mms else "type", "")
        parts = element.findall("parts/part")
        texts = [_said(part, "text") for part in parts if part.get("ct") == "text/plain"]
        body = "\n".join(filter(None, texts)) if is_mms else _said(element, "body")
        subject = _said(element, "sub" if is_mms else "subject")
        text = "\n".join(filter(None, [subject, body]))
        speaker = _ME if box in _SENT else _speaker(element, numbers, names)
        session = _session(numbers)
        notes: dict[str, Json] = {
            "chat": short(", ".join(names or numbers)),
            "status": _KINDS.get(box, ""),
            "numbers": [*numbers],
        }
        clock = element.get("date", "")
        return message(
            self.name, session, sequence, text,
            speaker=speaker, timestamp=moment(number(clock)),
            source_id=f"{session}/{stamps.of(clock, speaker, text)}",
            media=[medium for part in parts if (medium := _medium(part, attachments))],
            metadata=notes,
        )  # fmt: skip


def _positions(found: Found) -> list[int]:
    """Return each message's position in its chat by time: the file mixes all chats."""
    met: list[tuple[str, float]] = []
    with suppress(ImportSourceError):  # raised again behind the messages that can be read
        for element in xml_records(found.path, found.name, _RECORDS):
            session = _session(_people(element.get("address", "")))
            met.append((session, number(element.get("date")) or 0.0))
    positions = [0] * len(met)
    counts: Counter[str] = Counter()
    for at in sorted(range(len(met)), key=lambda at: (met[at][1], at)):
        session, _ = met[at]
        positions[at] = counts[session]
        counts[session] += 1
    return positions


def _session(numbers: list[str]) -> str:
    return f"sms:{short('~'.join(sorted(numbers)))}"


def _said(element: Element, attribute: str) -> str:
    value = element.get(attribute, "")
    return "" if value == "null" else value


def _people(text: str, separator: str = "~") -> list[str]:
    """Return the numbers or names of a chat, without those that the phone did not know."""
    named = (short(each) for each in text.split(separator))
    return [each for each in dict.fromkeys(named) if each and each not in _UNKNOWN]


def _speaker(element: Element, numbers: list[str], names: list[str]) -> str:
    """Return who sent a message; in a group the address of the sender tells."""
    for each in element.findall("addrs/addr"):
        address = short(each.get("address", ""))
        if each.get("type") == _SENDER and address in numbers:
            at = numbers.index(address)
            return names[at] if len(names) == len(numbers) else address
    return next(iter(names or numbers), "")


def _medium(part: Element, attachments: Attachments) -> Media | None:
    """Return a picture, sound or file of an MMS; None for its words and its layout."""
    mime = _said(part, "ct")
    if mime in {_LAYOUT, "text/plain", ""}:
        return None
    name = _said(part, "name") or _said(part, "cl") or _said(part, "fn")
    return attachments.keep_base64(part.get("data", ""), mime=mime, shown=name)
