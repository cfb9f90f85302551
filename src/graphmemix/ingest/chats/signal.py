"""Signal: its own plain-text export, and exports by tools for the desktop version.

- ``main.jsonl``, the plain-text export of Signal itself: lines of its backup format as JSON, with
  recipients and chats before the messages that refer to them;
- ``data.json`` of signal-export: a line a message, in one folder a chat, with ``media/`` beside;
- its ``chat.md``, which says the same for people, if ``data.json`` is missing;
- a JSON object with ``messages`` (and ``conversations``) as Signal Desktop keeps them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from graphmemix.ingest.attachments import Attachments, folder_of, locate
from graphmemix.ingest.chats.message import Stamps, message
from graphmemix.ingest.chats.signal_items import backup_item, desktop_item, exported_reactions
from graphmemix.ingest.documents.parts import read_small
from graphmemix.ingest.json_stream import JsonStream
from graphmemix.ingest.lines import json_lines
from graphmemix.ingest.node import Node, iso_moment, moment, short
from graphmemix.ingest.outline import outline
from graphmemix.ingest.protocol import Skipped
from graphmemix.ingest.records import read_record
from graphmemix.ingest.text import decode

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import tzinfo
    from pathlib import Path

    from graphmemix.ingest.protocol import Found, MediaSink, Reading

_EXPORT = frozenset({"/date", "/sender", "/body"})
_DESKTOP = (frozenset({"conversationId", "body"}), frozenset({"conversationId", "sent_at"}))
_COPIES = ("chat.md", "index.md", "index.html", "chat.html")  # beside data.json, for people
_LINE = re.compile(r"\[(\d{4}-\d\d-\d\d),?[ T](\d\d:\d\d(?::\d\d)?)\] ([^:\n]{1,100}):[ ]?(.*)")
_LINK = re.compile(r"!?\[[^\]\n]{0,200}\]\(<?(?:\./)?(media/[^)>\n]{1,300})>?\)")
_REACTIONS = re.compile(r"\(- ([^\n]{1,500}) -\)")
_BACKUP = frozenset({"/backupTimeMs", "/account/profileKey", "/recipient/id", "/chatItem/chatId"})


class Signal:
    """Reads the four formats. Times without an offset are in the zone of the exporting machine.

    Args:
        zone: That time zone; None for this machine's.
    """

    name = "signal"
    version = 3

    def __init__(self, zone: tzinfo | None = None) -> None:
        self.zone = zone

    def recognises(self, found: Found) -> bool:
        """Return whether the file starts like one of the formats."""
        if found.suffix == ".md":
            return _LINE.match(decode(found.head).lstrip()) is not None
        keys = outline(found.head)
        return keys >= _EXPORT or bool(keys & _BACKUP) or _desktop_at(keys) is not None

    def companions(self, found: Found) -> Iterator[Path]:
        """Yield media and copies beside a chat of signal-export. Reads the whole file."""
        if found.suffix == ".md":
            names = _LINK.findall(decode(read_small(found)))
            yield from (
                found.path.parent / each for each in names if locate(found.path.parent, each)
            )
        elif outline(found.head) >= _EXPORT:
            beside = (found.path.parent / name for name in _COPIES)
            yield from (path for path in beside if path.is_file())
            for _, value in json_lines(found.path, found.name):
                for each in [] if isinstance(value, Skipped) else Node(value).nodes("attachments"):
                    name = each.text("path")
                    if locate(found.path.parent, name) is not None:
                        yield found.path.parent / name

    def read(self, found: Found, sink: MediaSink) -> Iterator[Reading]:
        """Yield the messages in order."""
        keys = outline(found.head)
        attachments = Attachments(found, sink)
        if found.suffix == ".md":
            readings = self._plain(found, attachments)
        elif keys >= _EXPORT:
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
            media = [attachments.take(each.text("path"), shown=each.text("name"))
                     for each in node.nodes("attachments") if each.text("path")]  # fmt: skip
            date = node.text("date")
            yield read_record(
                f"{found.name} line {number}", message,
                self.name, f"signal:{title}", sequence, node.text("body") or node.text("sticker"),
                speaker=node.name("sender"), media=media,
                source_id=stamps.of(date, node.text("sender"), node.text("body")),
                timestamp=moment(node.number("date")) or iso_moment(date or "-", self.zone),
                metadata={"chat": title, "reactions": exported_reactions(node),
                          "sticker": bool(node.text("sticker")), "deleted": node.flag("deleted"),
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
        said = backup_item(item, lambda person: people.get(person, person))
        return message(
            self.name, session, sequence, said.text,
            speaker=people.get(item.name("authorId"), "") or item.name("authorId"),
            timestamp=moment(item.number("dateSent")), media=said.media,
            source_id=_sent_id(session, item.name("dateSent")),
            replies_to=_sent_id(session, said.quoted),
            metadata={"chat": title, **said.notes},
        )  # fmt: skip

    def _plain(self, found: Found, attachments: Attachments) -> Iterator[Reading]:
        """Yield the messages of ``chat.md``: a line with a date, and what follows it."""
        title = short(folder_of(found))
        stamps, blocks = Stamps(), list[list[str]]()
        for line in decode(read_small(found)).splitlines():
            if _LINE.match(line):
                blocks.append([line])
            elif blocks:
                blocks[-1].append(line)
        for sequence, (first, *others) in enumerate(blocks):
            match = _LINE.match(first)
            if match is None:
                continue
            day, clock, sender, words = match.groups()
            body = "\n".join([words, *others])
            reactions = _REACTIONS.search(body)
            media = [attachments.take(each) for each in _LINK.findall(body)]
            text = _REACTIONS.sub("", _LINK.sub("", body))
            yield read_record(
                f"{found.name} message {sequence}", message,
                self.name, f"signal:{title}", sequence,
                "\n".join(line.rstrip() for line in text.splitlines()),
                speaker=short(sender), media=media, source_id=stamps.of([day, clock], sender, body),
                timestamp=iso_moment(f"{day} {clock}", self.zone),
                metadata={"chat": title, "zone": str(self.zone or "machine"),
                          "reactions": [*reactions[1].split(", ")] if reactions else []},
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
            said = desktop_item(node, lambda person: titles.get(person, person))
            yield read_record(
                f"{session} message {sequence}", message,
                self.name, session, sequence, said.text,
                speaker="me" if outgoing else titles.get(sender, sender) or titles.get(own, ""),
                timestamp=moment(node.number("sent_at", "timestamp")), media=said.media,
                source_id=_sent_id(session, node.name("sent_at", "timestamp")),
                replies_to=_sent_id(session, said.quoted),
                metadata={"chat": node.name("conversationName") or titles.get(own, ""),
                          **said.notes},
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
