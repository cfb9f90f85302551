"""One message to memories: the mail, its attachments, and mails that it carries."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from graphmemix.ingest.mail.attachments import attachment, file_name
from graphmemix.ingest.mail.bodies import Content, content_of
from graphmemix.ingest.mail.mime import Part, parse
from graphmemix.ingest.mail.words import Address, addresses, decoded
from graphmemix.ingest.protocol import Skipped
from graphmemix.memory import Memory, Reference, content_id
from graphmemix.text.dates.mail_heads import sent_at

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import tzinfo

    from graphmemix.ingest.mail.attachments import Scratch
    from graphmemix.ingest.protocol import MediaSink, Reading
    from graphmemix.memory import Media
    from graphmemix.record import Json

SOURCE = "mail"

_MOST_RECIPIENTS = 200  # that are kept of one field
_MOST_ATTACHMENTS = 200
_MOST_CARRIED = 5  # mails within mails
_LONGEST_ID = 250  # characters of a Message-ID; a longer one is replaced by its hash
_MOST_REMEMBERED = 300_000  # messages whose thread is remembered while one file is read
_ID = re.compile(r"<([^<>\s]+)>")
_EXPUNGED = 0x8  # Thunderbird: deleted, and still in the file


class Threads:
    """Which thread a message belongs to, as far as the messages of one file tell.

    ``References`` names the whole thread, its first message first. Where a mail only says what it
    answers, the thread is that of the mail that it answers, if that was met before.
    """

    def __init__(self) -> None:
        self._first: dict[str, str] = {}

    def first_of(self, message_id: str, before: list[str], answers: str) -> str:
        """Return the id of the message that began the thread."""
        first = before[0] if before else answers or message_id
        first = self._first.get(first, first)
        if first != message_id and len(self._first) < _MOST_REMEMBERED:
            self._first[message_id] = first
        return first


@dataclass
class Letterbox:
    """What the place where a message lies says about it.

    Attributes:
        sink: Where files go.
        scratch: Where attachments lie while they are read.
        threads: Of the messages met before.
        labels: Of the folder.
        received: A date from outside the message, if there is one.
        zone: For clocks in attachments that tell none.
    """

    sink: MediaSink
    scratch: Scratch
    threads: Threads = field(default_factory=Threads)
    labels: tuple[str, ...] = ()
    received: str = ""
    zone: tzinfo | None = None


def read_message(data: bytes, label: str, box: Letterbox) -> Iterator[Reading]:
    """Yield the memories of one message; the mail comes before what is attached to it.

    Args:
        data: The message as it was found.
        label: What it is called in reports.
        box: Where it lies.
    """
    message = parse(data)
    reason = _no_mail(message)
    if reason:
        yield Skipped(label, reason)
        return
    yield from _read(message, label, box, None, 0)


def _no_mail(message: Part) -> str:
    if not message.fields.keys() & {"from", "to", "subject", "date", "message-id", "received"}:
        return "has not the header of a mail"
    status = message.raw("x-mozilla-status")
    if re.fullmatch(r"[0-9A-Fa-f]{4}", status) and int(status, 16) & _EXPUNGED:
        return "was deleted in Thunderbird, and the folder not compacted since"
    if "x-imap" in message.fields and "INTERNAL DATA" in message.raw("subject"):
        return "internal data of a mail server"
    return ""


def _read(
    message: Part, label: str, box: Letterbox, carrier: Memory | None, depth: int
) -> Iterator[Reading]:
    content = content_of(message)
    mail = _mail(message, content, box, carrier)
    yield mail
    if content.is_cut:
        yield Skipped(label, "text is longer than a mail may be; the rest was left out")
    if message.too_deep:
        yield Skipped(label, "parts that are nested too deeply, or too many, were left out")
    if len(content.attached) > _MOST_ATTACHMENTS:
        yield Skipped(label, f"attachments after the first {_MOST_ATTACHMENTS} were left out")
    for number, part in enumerate(content.attached[:_MOST_ATTACHMENTS], start=1):
        carried = _carried(part) if depth < _MOST_CARRIED else None
        if carried is not None:
            yield from _read(carried, f"{label}, mail {number}", box, mail, depth + 1)
        else:
            yield from attachment(part, number, mail, label, box.sink, box.scratch, box.zone)


def _carried(part: Part) -> Part | None:
    """Return the mail that a part is, or None."""
    if part.parts:
        inside = part.parts[0]
    elif part.filename.lower().endswith(".eml"):
        inside = parse(part.content())
    else:
        return None
    return None if _no_mail(inside) else inside


def _mail(message: Part, content: Content, box: Letterbox, carrier: Memory | None) -> Memory:
    subject = message.header("subject")
    sender = _sender(message)
    received = [box.received] if carrier is None else []
    when = sent_at([message.raw("date"), message.raw("received"), *received])
    text = "\n\n".join(part for part in (subject, content.text) if part)
    pictures = tuple(_picture(part, i, box.sink) for i, part in enumerate(content.pictures))
    written_id = _first_id(message.raw("message-id"))
    identity = content_id(
        [
            SOURCE,
            written_id,
            sender.address,
            when.isoformat() if when else None,
            text,
            [picture.sha256 for picture in pictures],
        ]
    )
    own_id = written_id or f"<{identity}@no-message-id>"
    before, answers = _ancestors(message)
    references = [Reference("reply_to", answers)] if answers and answers != own_id else []
    if carrier is not None:
        references.append(Reference("attachment_of", carrier.source_id))
    return Memory(
        identity,
        "email",
        text,
        source=SOURCE,
        source_id=own_id,
        session=box.threads.first_of(own_id, before, answers),
        speaker=sender.shown[:200] or None,
        timestamp=when,
        media=pictures,
        references=tuple(references),
        metadata=_metadata(message, content, subject, sender, box),
    )


def _metadata(
    message: Part, content: Content, subject: str, sender: Address, box: Letterbox
) -> dict[str, Json]:
    found: dict[str, Json] = {"subject": subject}
    if sender.address:
        found["from"] = sender.whole
    for name in ("to", "cc", "bcc"):
        named = addresses(message.raw(name))
        if named:
            found[name] = [each.whole for each in named[:_MOST_RECIPIENTS]]
    labels = [*box.labels, *_labels(message)]
    if labels:
        found["labels"] = list(dict.fromkeys(labels))
    if content.attached:
        listed = enumerate(content.attached[:_MOST_ATTACHMENTS], start=1)
        found["attachments"] = [file_name(part, number) for number, part in listed]
    mailing_list = message.header("list-id")
    if mailing_list:
        found["list"] = mailing_list
    return found


def _labels(message: Part) -> list[str]:
    """Return the labels that Gmail, mutt and others write into exported mails."""
    named = ",".join(
        decoded(message.raw(each)) for each in ("x-gmail-labels", "keywords", "x-label")
    )
    return [label for each in named.split(",") if (label := each.strip().strip('"'))]


def _sender(message: Part) -> Address:
    for name in ("from", "sender", "return-path"):
        found = [each for each in addresses(message.raw(name)) if each.shown.strip("<>")]
        if found:
            return found[0]
    return Address("", "")


def _picture(part: Part, number: int, sink: MediaSink) -> Media:
    name = file_name(part, number + 1)
    return sink.keep_bytes(part.content(), modality="image", mime=part.kind, name=name)


def _ancestors(message: Part) -> tuple[list[str], str]:
    """Return the thread so far, oldest first, and the message that this one answers."""
    before = [_bounded(each) for each in _ID.findall(message.raw("references"))]
    answers = _first_id(message.raw("in-reply-to")) or (before[-1] if before else "")
    return before, answers


def _first_id(text: str) -> str:
    found = _ID.search(text)
    if found:
        return _bounded(found.group(1))
    bare = text.strip("<> \t")
    return _bounded(bare) if bare and not re.search(r"\s", bare) else ""


def _bounded(message_id: str) -> str:
    if len(message_id) > _LONGEST_ID:
        message_id = f"{content_id(message_id)}@long-message-id"
    return f"<{message_id}>"
