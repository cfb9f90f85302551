"""Turns one message into memories: the mail, its attachments, and attached mails."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from graphmemix.ingest.mail.addresses import Address, addresses
from graphmemix.ingest.mail.attachments import attachment, file_name
from graphmemix.ingest.mail.bodies import MailContent, content_of
from graphmemix.ingest.mail.headers import decoded
from graphmemix.ingest.mail.mime import MimePart, parse
from graphmemix.ingest.protocol import Skipped
from graphmemix.memory import Memory, Reference, content_id
from graphmemix.text.bulk_mail import has_bulk_headers
from graphmemix.text.dates.mail_heads import sent_at

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import tzinfo

    from graphmemix.ingest.mail.attachments import Scratch
    from graphmemix.ingest.protocol import MediaSink, Reading
    from graphmemix.memory import Media
    from graphmemix.record import Json

SOURCE = "mail"

_MOST_RECIPIENTS = 200  # kept per field
_MOST_ATTACHMENTS = 200
_MOST_CARRIED = 10  # mails within mails
_LONGEST_ID = 250  # characters of a Message-ID; a longer one is replaced by its hash
_MOST_REMEMBERED = 300_000  # messages whose thread is remembered while one file is read
_ID = re.compile(r"<([^<>\s]+)>")
_FIELDS = frozenset(
    {"from", "to", "subject", "date", "message-id", "received", "mime-version", "content-type"}
)
_BEFORE_ADDRESS = re.compile(r"\bfrom\b", re.IGNORECASE)
_EXPUNGED = 0x8  # Thunderbird: deleted but still in the file


class Threads:
    """Assigns the messages of one file to threads.

    ``References`` lists the whole thread, oldest first. A mail with only ``In-Reply-To`` belongs to
    the thread of the mail that it answers, if that was read before.
    """

    def __init__(self) -> None:
        self._first: dict[str, str] = {}

    def first_of(self, message_id: str, before: list[str], answers: str) -> str:
        """Return the id of the first message of the thread."""
        first = before[0] if before else answers or message_id
        first = self._first.get(first, first)
        if first != message_id and len(self._first) < _MOST_REMEMBERED:
            self._first[message_id] = first
        return first


@dataclass
class MailContext:
    """What is needed to read a message besides its bytes.

    Attributes:
        sink: Stores files.
        scratch: Holds attachments while they are read.
        threads: Threads of the messages read before.
        labels: Labels of the folder.
        received: A date from outside the message, if any.
        zone: Time zone for timestamps without an offset in attachments.
    """

    sink: MediaSink
    scratch: Scratch
    threads: Threads = field(default_factory=Threads)
    labels: tuple[str, ...] = ()
    received: str = ""
    zone: tzinfo | None = None


def read_message(data: bytes, label: str, context: MailContext) -> Iterator[Reading]:
    """Yield the memories of one message; the mail comes before its attachments.

    Args:
        data: The raw message.
        label: Its name in reports.
        context: Where it comes from.
    """
    yield from read_part(parse(data), label, context)


def read_part(message: MimePart, label: str, context: MailContext) -> Iterator[Reading]:
    """Yield the memories of a message that is already parsed; see `read_message`."""
    reason = _no_mail(message)
    if reason:
        yield Skipped(label, reason)
        return
    yield from _read(message, label, context, None, 0)


def _no_mail(message: MimePart) -> str:
    if not message.fields.keys() & _FIELDS:
        return "has no mail header"
    status = message.raw("x-mozilla-status")
    if re.fullmatch(r"[0-9A-Fa-f]{4}", status) and int(status, 16) & _EXPUNGED:
        return "was deleted in Thunderbird; the folder was not compacted"
    if "x-imap" in message.fields and "INTERNAL DATA" in message.raw("subject"):
        return "internal data of a mail server"
    return ""


def _read(
    message: MimePart, label: str, context: MailContext, carrier: Memory | None, depth: int
) -> Iterator[Reading]:
    content = content_of(message)
    mail = _mail(message, content, context, carrier)
    yield mail
    if message.odd_lines:
        yield Skipped(label, "lines of its header are no fields; the rest was read")
    if content.is_cut:
        yield Skipped(label, "text is too long; the rest was left out")
    if message.too_deep:
        yield Skipped(label, "parts nested too deeply, or too many parts, were left out")
    if len(content.attached) > _MOST_ATTACHMENTS:
        yield Skipped(label, f"attachments after the first {_MOST_ATTACHMENTS} were left out")
    for number, part in enumerate(content.attached[:_MOST_ATTACHMENTS], start=1):
        carried = _carried(part)
        if carried is not None and depth >= _MOST_CARRIED:
            yield Skipped(f"{label}, mail {number}", "is nested too deeply in other mails")
        elif carried is not None:
            yield from _read(carried, f"{label}, mail {number}", context, mail, depth + 1)
        else:
            file = part.parts[0] if part.parts else part  # what is carried is no mail
            yield from attachment(
                file, number, mail, label, context.sink, context.scratch, context.zone
            )


def _carried(part: MimePart) -> MimePart | None:
    """Return the attached mail of a part, or None."""
    if part.parts:
        inside = part.parts[0]
    elif part.filename.lower().endswith(".eml"):
        inside = parse(part.content())
    else:
        return None
    return None if _no_mail(inside) else inside


def _mail(
    message: MimePart, content: MailContent, context: MailContext, carrier: Memory | None
) -> Memory:
    subject = message.header("subject")
    sender = _sender(message)
    received = [context.received] if carrier is None else []
    when = sent_at([message.raw("date"), message.raw("received"), *received])
    text = "\n\n".join(part for part in (subject, content.text) if part)
    pictures = tuple(_picture(part, i, context.sink) for i, part in enumerate(content.pictures))
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
        session=context.threads.first_of(own_id, before, answers),
        speaker=sender.shown[:200] or None,
        timestamp=when,
        media=pictures,
        references=tuple(references),
        metadata=_metadata(message, content, subject, sender, context),
    )


def _metadata(
    message: MimePart, content: MailContent, subject: str, sender: Address, context: MailContext
) -> dict[str, Json]:
    found: dict[str, Json] = {"subject": subject}
    if sender.address:
        found["from"] = sender.whole
    for name in ("to", "cc", "bcc"):
        named = addresses(message.raw(name))
        if named:
            found[name] = [each.whole for each in named[:_MOST_RECIPIENTS]]
    labels = [*context.labels, *_labels(message)]
    if labels:
        found["labels"] = list(dict.fromkeys(labels))
    if content.attached:
        listed = enumerate(content.attached[:_MOST_ATTACHMENTS], start=1)
        found["attachments"] = [file_name(part, number) for number, part in listed]
    mailing_list = message.header("list-id")
    if mailing_list:
        found["list"] = mailing_list
    if has_bulk_headers({name: message.raw(name) for name in ("list-unsubscribe", "precedence")}):
        found["bulk"] = True
    return found


def _labels(message: MimePart) -> list[str]:
    """Return the labels that Gmail, mutt and others write into exported mails."""
    named = ",".join(
        decoded(message.raw(each)) for each in ("x-gmail-labels", "keywords", "x-label")
    )
    return [label for each in named.split(",") if (label := each.strip().strip('"'))]


def _sender(message: MimePart) -> Address:
    for name in ("from", "sender", "return-path"):
        found = [each for each in addresses(message.raw(name)) if each.shown.strip("<>")]
        if found:
            return found[0]
    return Address("", "")


def _picture(part: MimePart, number: int, sink: MediaSink) -> Media:
    name = file_name(part, number + 1)
    return sink.keep_bytes(part.content(), modality="image", mime=part.kind, name=name)


def _ancestors(message: MimePart) -> tuple[list[str], str]:
    """Return the thread so far, oldest first, and the message that this one answers."""
    people = frozenset(
        each.address.lower()
        for name in ("from", "to", "cc", "reply-to")
        for each in addresses(message.raw(name))
    )
    before = _ids(message.raw("references"), people)
    answered = _ids(message.raw("in-reply-to"), people)
    answers = next((each for each in answered if each in before), next(iter(answered), ""))
    return before, answers or (before[-1] if before else "")


def _ids(text: str, people: frozenset[str]) -> list[str]:
    """Return the ids in a field, in order, without the addresses of people.

    MH writes ``Message from Anna <anna@example.org> of "Mon, 3 Jun" <id@host>``.
    """
    found: list[str] = []
    position = 0
    for match in _ID.finditer(text):
        is_address = _BEFORE_ADDRESS.search(text, position, match.start()) is not None
        position = match.end()
        if not is_address and match[1].lower() not in people:
            found.append(_bounded(match[1]))
    bare = text.strip("<> \t")
    if not found and position == 0 and bare.lower() not in people:
        found = [_bounded(bare)] if bare and not re.search(r"\s", bare) else []
    return found


def _first_id(text: str) -> str:
    return next(iter(_ids(text, frozenset())), "")


def _bounded(message_id: str) -> str:
    if len(message_id) > _LONGEST_ID:
        message_id = f"{content_id(message_id)}@long-message-id"
    return f"<{message_id}>"
