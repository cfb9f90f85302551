"""Signal: its own plain-text export, and exports by tools for the desktop version.

- ``main.jsonl``, the plain-text export of Signal itself: lines of its backup format as JSON, with
  recipients and chats before the messages that refer to them;
- ``data.json`` of signal-export: a line a message, in one folder a chat, with ``media/`` beside;
- a JSON object with ``messages`` (and ``conversations``) as Signal Desktop keeps them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmemix.ingest.attachments import Attachments, folder_of, known, locate
from graphmemix.ingest.chats.message import Stamps, message
from graphmemix.ingest.json_stream import JsonStream
from graphmemix.ingest.lines import json_lines
from graphmemix.ingest.node import Node, iso_moment, moment, short
from graphmemix.ingest.outline import outline
from graphmemix.ingest.protocol import Skipped
from graphmemix.ingest.records import read_record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import tzinfo
    from pathlib import Path

    from graphmemix.ingest.protocol import Found, MediaSink, Reading

_EXPORT = frozenset({"/date", "/sender", "/body"})
_DESKTOP = (frozenset({"conversationId", "body"}), frozenset({"conversationId", "sent_at"}))
_BACKUP = frozenset({"/backupTimeMs", "/account/profileKey", "/recipient/id", "/chatItem/chatId"})


class Signal:
    """Reads the three formats. Times without an offset are in the zone of the exporting machine.

    Args:
        zone: That time zone; None for this machine's.
    """

    name = "signal"

    def __init__(self, zone: tzinfo | None = None) -> None:
        self.zone = zone

    def recognises(self, found: Found) -> bool:
        """Return whether the file starts like one of the formats."""
        keys = outline(found.head)
        return keys >= _EXPORT or bool(keys & _BACKUP) or _desktop_at(keys) is not None

    def companions(self, found: Found) -> Iterator[Path]:
        """Yield the existing media of signal-export. Reads the whole file."""
        if outline(found.head) >= _EXPORT:
            for _, value in json_lines(found.path, found.name):
                for each in [] if isinstance(value, Skipped) else Node(value).nodes("attachments"):
                    name = each.text("path")
                    if locate(found.path.parent, name) is not None:
                        yield found.path.parent / name

    def read(self, found: Found, sink: MediaSink) -> Iterator[Reading]:
        """Yield the messages in order."""
        keys = outline(found.head)
        attachments = Attachments(found, sink)
        if keys >= _EXPORT:
            readings = self._exported(found, attachments)
        elif keys & _BACKUP:
            readings = self._backup(found)
        else:
            readings = self._desktop(found)
        for reading in readings:
            yield reading
            yield from attachments.refused()

    def _exported(self, found: Found, attachments: Attachments) -> Iterator[Reading]:
        title = short(folder_of(found))
        sequence, stamps = 0, Stamps()
        for number, value in json_lines(found.path, found.name):
            if isinstance(value, Skipped):
                yield value
                continue
            node = Node(value)
            reactions = [f"{each.text('name')}: {each.text('emoji')}"
                         for each in node.nodes("reactions")]  # fmt: skip
            media = [attachments.take(each.text("path"), shown=each.text("name"))
                     for each in node.nodes("attachments") if each.text("path")]  # fmt: skip
            date = node.text("date")
            yield read_record(
                f"{found.name} line {number}", message,
                self.name, f"signal:{title}", sequence, node.text("body") or node.text("sticker"),
                speaker=node.name("sender"), media=media,
                source_id=stamps.of(date, node.text("sender"), node.text("body")),
                timestamp=moment(node.number("date")) or iso_moment(date or "-", self.zone),
                metadata={"chat": title, "reactions": [*reactions],
                          "quote": " ".join(node.text("quote").replace(">", " ").split()),
                          "zone": str(self.zone or "machine")},
            )  # fmt: skip
            sequence += 1

    def _backup(self, found: Found) -> Iterator[Reading]:
        people: dict[str, str] = {}
        chats: dict[str, str] = {}
        counts: dict[str, int] = {}
        for number, value in json_lines(found.path, found.name):
            if isinstance(value, Skipped):
                yield value
                continue
            node = Node(value)
            recipient, chat, item = node.node("recipient"), node.node("chat"), node.node("chatItem")
            if recipient:
                people[recipient.name("id")] = _recipient_name(recipient)
            elif chat:
                chats[chat.name("id")] = people.get(chat.name("recipientId"), "")
            elif item.name("chatId"):
                own = item.name("chatId")
                sequence = counts.get(own, 0)
                counts[own] = sequence + 1
                label = f"{found.name} line {number}"
                yield read_record(label, self._item, item, sequence, people, chats.get(own, ""))
            elif item:
                yield Skipped(f"{found.name} line {number}", "belongs to no chat")

    def _item(self, item: Node, sequence: int, people: dict[str, str], title: str) -> Reading:
        session = f"signal:{title or item.name('chatId')}"
        said = item.node("standardMessage")
        quote = said.node("quote")
        pointers = [each.node("pointer") for each in said.nodes("attachments")]
        media = [known(each.text("fileName"), each.text("contentType")) for each in pointers]
        return message(
            self.name, session, sequence, said.node("text").text("body"),
            speaker=people.get(item.name("authorId"), "") or item.name("authorId"),
            timestamp=moment(item.number("dateSent")), media=media,
            source_id=_sent_id(session, item.name("dateSent")),
            replies_to=_sent_id(session, quote.name("targetSentTimestamp")),
            metadata={"chat": title, "system": not said, "edited": bool(item.nodes("revisions"))},
        )  # fmt: skip

    def _desktop(self, found: Found) -> Iterator[Reading]:
        titles: dict[str, str] = {}
        counts: dict[str, int] = {}
        with JsonStream(found.path, found.name) as stream:
            if stream.peek() == "[":
                yield from self._stored(stream, titles, counts)
                return
            for key in stream.members():
                if key == "conversations":
                    for node in (Node(stream.value()) for _ in stream.items()):
                        titles[node.name("id")] = node.name("name", "profileName", "e164", "id")
                elif key in {"messages", "messsages"}:  # signal_db_export spells it so
                    yield from self._stored(stream, titles, counts)

    def _stored(
        self, stream: JsonStream, titles: dict[str, str], counts: dict[str, int]
    ) -> Iterator[Reading]:
        for _ in stream.items():
            node = Node(stream.value())
            own = node.name("conversationId")
            if not own:
                yield Skipped("a message of Signal", "belongs to no chat")
                continue
            sequence = counts.get(own, 0)
            counts[own] = sequence + 1
            session = f"signal:{own}"
            outgoing = node.text("type") == "outgoing"
            sender = node.name("sourceServiceId", "sourceUuid", "source")
            media = [known(each.text("fileName"), each.text("contentType"))
                     for each in node.nodes("attachments")]  # fmt: skip
            yield read_record(
                f"{session} message {sequence}", message,
                self.name, session, sequence, node.text("body"),
                speaker="me" if outgoing else titles.get(sender, sender) or titles.get(own, ""),
                timestamp=moment(node.number("sent_at", "timestamp")), media=media,
                source_id=_sent_id(session, node.name("sent_at", "timestamp")),
                replies_to=_sent_id(session, node.node("quote").name("id")),
                metadata={"chat": node.name("conversationName") or titles.get(own, "")},
            )  # fmt: skip


def _desktop_at(keys: frozenset[str]) -> str | None:
    for at in ("/messages/*", "/messsages/*", "/*"):
        if any({f"{at}/{key}" for key in form} <= keys for form in _DESKTOP):
            return at
    conversations = {"/conversations/*/id", "/conversations/*/profileName"}
    return "/messages/*" if conversations <= keys else None


def _sent_id(session: str, stamp: str) -> str:
    """Return the id of a message: Signal identifies messages by the time of sending."""
    return f"{session}/{stamp}" if stamp and stamp != "0" else ""


def _recipient_name(node: Node) -> str:
    if "self" in node:
        return "me"
    if "releaseNotes" in node:
        return "Signal"
    group = node.node("group")
    if group:
        return short(group.node("snapshot").node("title").text("title")) or group.name("id")
    person = node.node("contact")
    nickname = person.node("nickname")
    for given, family in (
        (nickname.text("given"), nickname.text("family")),
        (person.text("systemGivenName"), person.text("systemFamilyName")),
        (person.text("profileGivenName"), person.text("profileFamilyName")),
    ):
        if given or family:
            return short(f"{given} {family}")
    return person.name("e164", "aci") or node.name("id")
