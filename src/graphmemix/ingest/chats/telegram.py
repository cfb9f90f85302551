"""Telegram's ``result.json``: one chat, or a whole account, with its media below the same folder.

The format is documented as "Telegram Data Export Schema"; times are in UTC in ``date_unixtime``,
and in the zone of the exporting machine in ``date``, which is all that exports before 2022 have.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from graphmemix.ingest.attachments import Attachments, folder_of, known, locate, named_files
from graphmemix.ingest.chats.message import message
from graphmemix.ingest.json_stream import JsonStream
from graphmemix.ingest.node import Node, iso_moment, moment, place_at, short
from graphmemix.ingest.outline import outline
from graphmemix.ingest.protocol import Skipped
from graphmemix.ingest.records import read_record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import tzinfo
    from pathlib import Path

    from graphmemix.ingest.protocol import Found, MediaSink, Reading
    from graphmemix.memory import Media, Place
    from graphmemix.record import Json

_FILE = re.compile(rb'"(?:file|photo|contact_vcard)"\s*:\s*"((?:[^"\\]|\\.){1,500})"')


class Telegram:
    """Reads exports of Telegram Desktop.

    Args:
        zone: Time zone for times without an offset; None for this machine's.
    """

    name = "telegram"
    version = 3

    def __init__(self, zone: tzinfo | None = None) -> None:
        self.zone = zone

    def recognises(self, found: Found) -> bool:
        """Return whether the file contains a chat, or the chats of an account."""
        keys = outline(found.head)
        chat = (
            {"/messages", "/name", "/type", "/id"} <= keys
            or {"/messages", "/type", "/id", "/messages/*/date"} <= keys
            or {"/messages/*/date_unixtime", "/messages/*/from", "/messages/*/text"} <= keys
        )
        account = "/personal_information" in keys or "/chats/list" in keys
        if "/guild" in keys:  # an export of Discord
            return False
        return chat or (account and _about_telegram(found.head, keys))

    def companions(self, found: Found) -> Iterator[Path]:
        """Yield the existing media that the file refers to. Scans the whole file."""
        for name in named_files(found.path, _FILE):
            if locate(found.path.parent, name) is not None:
                yield found.path.parent / name

    def read(self, found: Found, sink: MediaSink) -> Iterator[Reading]:
        """Yield the messages of each chat in order. Holds one message at a time."""
        attachments = Attachments(found, sink)
        with JsonStream(found.path, found.name) as stream:
            yield from self._chat(stream, found, attachments, is_account=True)

    def _account(
        self, stream: JsonStream, found: Found, attachments: Attachments
    ) -> Iterator[Reading]:
        for key in stream.members():
            if key == "list":
                for _ in stream.items():
                    yield from self._chat(stream, found, attachments, is_account=False)

    def _chat(
        self, stream: JsonStream, found: Found, attachments: Attachments, *, is_account: bool
    ) -> Iterator[Reading]:
        about: dict[str, Json] = {}
        for key in stream.members():
            if is_account and key in {"chats", "left_chats"}:
                yield from self._account(stream, found, attachments)
            elif key == "messages":
                yield from self._messages(stream, Node(about), found, attachments)
            elif key in {"name", "type", "id"}:
                about[key] = stream.value()

    def _messages(
        self, stream: JsonStream, chat: Node, found: Found, attachments: Attachments
    ) -> Iterator[Reading]:
        title = chat.name("name") or ("Saved Messages" if "saved" in chat.name("type") else "")
        session = f"telegram:{chat.name('id') or title or folder_of(found)}"
        sequence = 0
        for _ in stream.items():
            node = Node(stream.value())
            label = f"{found.name} {session} message {sequence}"
            if not node:
                yield Skipped(label, "is not a message")
                continue
            yield read_record(label, self._message, node, session, sequence, title, attachments)
            yield from attachments.refused()
            sequence += 1

    def _message(
        self, node: Node, session: str, sequence: int, title: str, attachments: Attachments
    ) -> Reading:
        unix = moment(node.number("date_unixtime"))
        service = node.text("type") == "service"
        reply = node.name("reply_to_message_id")
        notes: dict[str, Json] = {
            "chat": title,
            "system": service,
            "edited": "edited" in node or "edited_unixtime" in node,
            "forwarded_from": short(node.text("forwarded_from")),
            "reactions": list(_reactions(node)),
            "zone": "" if unix else str(self.zone or "machine"),
        }
        return message(
            self.name,
            session,
            sequence,
            _service(node) if service else _words(node),
            speaker=node.name("from", "actor", "from_id", "actor_id"),
            timestamp=unix or iso_moment(node.text("date"), self.zone),
            source_id=_id(session, node.name("id")),
            replies_to=_id(session, reply),
            place=_place(node),
            media=_media(node, attachments),
            metadata=notes,
        )


def _about_telegram(head: bytes, keys: frozenset[str]) -> bool:
    account = {"/personal_information/user_id", "/personal_information/phone_number"}
    return bool(account & keys) or b"Telegram" in head or "/chats/list/*/messages" in keys


def _id(session: str, number: str) -> str:
    return f"{session}/{number}" if number else ""


def _words(node: Node) -> str:
    """Return the text: a string, or a list of strings and entities; links keep their address."""
    text = _joined(node.raw("text"))
    for key, title in (("poll", "question"), ("todo_list", "title")):
        listed = node.node(key)
        options = [f"- {_joined(each.raw('text'))}" for each in listed.nodes("answers")]
        text = "\n".join(filter(None, [text, _joined(listed.raw(title)), *options]))
    song = ": ".join(filter(None, [node.text("performer"), node.text("title")]))
    contact = node.node("contact_information")
    names = [contact.text("first_name"), contact.text("last_name"), contact.text("phone_number")]
    shared = " ".join(filter(None, names))
    place = " ".join(filter(None, [node.text("place_name"), node.text("address")]))
    game = node.text("game_title", "sticker_emoji")
    return "\n".join(filter(None, [text, shared, place, game, song, _invoice(node)]))


def _invoice(node: Node) -> str:
    bill = node.node("invoice_information")
    cents = bill.number("amount")
    price = f"{cents / 100:.2f} {bill.name('currency')}" if cents is not None else ""
    return "\n".join(filter(None, [bill.text("title"), bill.text("description"), price.strip()]))


def _joined(value: Json) -> str:
    if isinstance(value, str):
        return value
    parts: list[str] = []
    for each in value if isinstance(value, list) else []:
        if isinstance(each, str):
            parts.append(each)
            continue
        entity = Node(each)
        parts.append(entity.text("text"))
        if entity.text("type") == "text_link" and entity.text("href") not in entity.text("text"):
            parts.append(f" <{entity.text('href')}>")
    return "".join(parts)


def _reactions(node: Node) -> Iterator[Json]:
    """Yield who reacted with what; the number of people where the export names none."""
    for each in node.nodes("reactions"):
        sign = short(each.text("emoji"))
        people = [name for one in each.nodes("recent") if (name := one.name("from", "from_id"))]
        if sign and people:
            yield from (f"{short(name)}: {sign}" for name in people)
        elif sign:
            yield f"{sign} ({int(each.number('count') or 1)})"


def _service(node: Node) -> str:
    """Return the text of a service message: the action and its object."""
    members = ", ".join(each for each in node.values("members") if isinstance(each, str))
    action = node.text("action").replace("_", " ")
    seconds = node.number("duration_seconds")
    call = f"{seconds:.0f} s" if seconds else node.text("discard_reason").replace("_", " ")
    return ": ".join(filter(None, [action, node.text("title", "text") or members or call]))


def _place(node: Node) -> Place | None:
    where = node.node("location_information")
    return place_at(where.number("latitude"), where.number("longitude"), node.text("place_name"))


def _media(node: Node, attachments: Attachments) -> list[Media]:
    """Return photo, file and contact card. An export without media names them in parentheses."""
    found = []
    for key, mime in (("photo", "image/jpeg"), ("file", node.text("mime_type"))):
        name = node.text(key)
        shown = node.text("file_name") if key == "file" else ""
        if name.startswith("("):
            found.append(known(shown, mime))
        elif name:
            found.append(attachments.take(name, mime=mime, shown=shown))
    return found
