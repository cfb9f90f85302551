"""WhatsApp's text export of a chat, with or without its media beside it."""

from __future__ import annotations

import codecs
import re
from dataclasses import replace
from typing import TYPE_CHECKING, TextIO, cast

from graphmemix.errors import ImportSourceError
from graphmemix.ingest.attachments import Attachments, folder_of, locate
from graphmemix.ingest.chats.message import Stamps, message
from graphmemix.ingest.chats.whatsapp_lines import ChatLine, date_order, parse_line, split_sender
from graphmemix.ingest.chats.whatsapp_media import ChatContent, content_of
from graphmemix.ingest.node import short, with_offset
from graphmemix.ingest.protocol import Skipped
from graphmemix.ingest.records import read_record
from graphmemix.ingest.text import decode, looks_like_text
from graphmemix.memory import Media

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime, tzinfo
    from pathlib import Path

    from graphmemix.ingest.chats.whatsapp_lines import Order
    from graphmemix.ingest.protocol import Found, MediaSink, Reading
    from graphmemix.memory import Modality
    from graphmemix.record import Json

_LONGEST_LINE = 1 << 20  # characters
_LONGEST_MESSAGE = 1 << 22
_LOG = re.compile(r"(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|CRITICAL|FATAL)\b")
_NO_NAME = re.compile(r"[/=\[\]{}]")  # in log lines, which also start with dates
_PROGRAM = re.compile("WhatsApp", re.IGNORECASE)
_BEFORE_TITLE = re.compile(
    r"\b(?:with|mit|con|com|avec|met|med|s|с|z|ile|kanssa)\s|[ ]-[ ]", re.IGNORECASE
)


class WhatsApp:
    """Reads ``WhatsApp Chat with Anna.txt`` and ``_chat.txt``.

    The file does not state its time zone, which is that of the phone at the time of the export.

    Args:
        zone: That time zone; None for this machine's.
    """

    name = "whatsapp"
    version = 3

    def __init__(self, zone: tzinfo | None = None) -> None:
        self.zone = zone

    def recognises(self, found: Found) -> bool:
        """Return whether the first lines are messages.

        No program writes Markdown for WhatsApp, but signal-export does, with the same lines.
        """
        if found.is_folder or found.suffix == ".md" or not looks_like_text(found.head):
            return False
        lines = decode(found.head).splitlines()[:40]
        headers = [line for line in map(parse_line, lines) if line is not None]
        first = next((line for line in lines if line.strip()), "")
        if not headers or parse_line(first) is None:
            return False
        logs = sum(bool(_LOG.match(line.rest)) for line in headers)
        senders = [name for line in headers if (name := split_sender(line.rest).sender)]
        people = sum(not _NO_NAME.search(name) for name in senders)
        named = "whatsapp" in found.name.lower()
        return 2 * logs < len(headers) and (2 * people > len(senders) or named)

    def companions(self, found: Found) -> Iterator[Path]:
        """Yield the existing media that the chat refers to. Reads the whole file."""
        for _, text in _messages(found):
            name = content_of(split_sender(text).text).file
            path = locate(found.path.parent, name) if name else None
            if path is not None:
                yield found.path.parent / name

    def read(self, found: Found, sink: MediaSink) -> Iterator[Reading]:
        """Yield the messages in order. Reads the file twice, first to find the order of dates."""
        order, certain = date_order(_days(found))
        attachments = Attachments(found, sink)
        title = _title(found)
        session = f"whatsapp:{title}"
        common: dict[str, Json] = {
            "chat": title,
            "zone": str(self.zone) if self.zone is not None else "machine",
            "date_order": "" if certain else _order_name(order) + " (assumed)",
        }
        previous: datetime | None = None
        stamps, people, group = Stamps(), set[str](), ""
        for sequence, (line, rest) in enumerate(_messages(found)):
            clock = line.clock(order)
            when = None if clock is None else self._moment(clock, previous)
            previous = when or previous
            if len(rest) >= _LONGEST_MESSAGE:
                yield Skipped(f"{found.name} message {sequence}", "is too long")
                continue
            sender, text = split_sender(rest, people)
            content = content_of(text)
            if content.notice and sequence == 0:
                group = sender
            elif not content.notice:
                people.add(sender)
            # The iPhone signs notices with the name of the group, or of whom the chat is with.
            signed = sender if sender != group or sender in people else ""
            digits: list[Json] = [*line.date, line.hour, line.minute, line.second]
            notes: dict[str, Json] = {
                **common,
                "system": not sender or content.notice,
                "omitted": content.omitted,
                "edited": content.edited,
                "poll": content.poll,
            }
            yield read_record(
                f"{found.name} message {sequence}", message,
                self.name, session, sequence, content.text,
                source_id=stamps.of(digits, sender, text),
                speaker=short(signed), timestamp=when, place=content.place,
                media=_media(content, attachments), metadata=notes,
            )  # fmt: skip
            yield from attachments.refused()
        if not certain and order[0] == 0:
            yield Skipped(found.name, "dates do not tell their order: assumed the year first")

    def _moment(self, clock: datetime, previous: datetime | None) -> datetime | None:
        """Return a moment. In the repeated hour of a clock change, time must not go backwards."""
        first = with_offset(clock, self.zone)
        if first is not None and previous is not None and first < previous:
            second = with_offset(clock.replace(fold=1), self.zone)
            if second is not None and second != first and second >= previous:
                return second
        return first


def _media(content: ChatContent, attachments: Attachments) -> list[Media]:
    if content.file:
        return [attachments.take(content.file)]
    if content.omitted in {"image", "video", "audio"}:
        return [Media(cast("Modality", content.omitted))]
    return []


def _days(found: Found) -> list[ChatLine]:
    """Return one line per run of messages of a day: enough to find the order of dates."""
    days: list[ChatLine] = []
    for line, _ in _messages(found):
        if not days or line.date != days[-1].date:
            days.append(replace(line, rest=""))
    return days


def _messages(found: Found) -> Iterator[tuple[ChatLine, str]]:
    """Yield the first line of each message, and its text after the date."""
    current: ChatLine | None = None
    parts: list[str] = []
    size = 0
    for raw in _lines(found):
        line = parse_line(raw)
        if line is None:
            if current is not None and size < _LONGEST_MESSAGE:
                parts.append(raw.rstrip("\r\n"))
                size += len(raw)
            continue
        if current is not None:
            yield current, "\n".join(parts)
        current, parts, size = line, [line.rest], len(line.rest)
    if current is not None:
        yield current, "\n".join(parts)


def _lines(found: Found) -> Iterator[str]:
    try:
        with _opened(found) as stream:
            while line := stream.readline(_LONGEST_LINE):
                yield line
    except OSError as error:
        raise ImportSourceError(f"{found.name}: cannot be read: {error.strerror}") from None


def _opened(found: Found) -> TextIO:
    wide = found.head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    encoding = "utf-16" if wide else "utf-8-sig"
    return found.path.open(encoding=encoding, errors="replace", newline="\n")


def _title(found: Found) -> str:
    """Return the name of the chat, from the name of the file or its folder."""
    stem = found.path.stem
    if stem.startswith("_chat"):
        stem = folder_of(found)
    # After its last mention; unless the chat itself is called so ("WhatsApp Chat with WhatsApp").
    mentions = [match.end() for match in _PROGRAM.finditer(stem)]
    for end in dict.fromkeys(mentions[-1:] + mentions[:1]):
        before = _BEFORE_TITLE.search(stem, end)
        if before is not None and before.end() < len(stem):
            return short(stem[before.end() :]) or "chat"
    return short(stem) or "chat"


def _order_name(order: Order) -> str:
    return "".join("ymd"[order.index(position)] for position in range(3))
