"""Discord: JSON of DiscordChatExporter, and the messages of the official data package.

The package has a folder per channel with ``channel.json`` and ``messages.json`` (``messages.csv``
before 2024), with the messages of the account's owner only.
"""

from __future__ import annotations

import csv
import json
from datetime import UTC
from typing import TYPE_CHECKING

from graphmemix.errors import ImportSourceError
from graphmemix.ingest.attachments import Attachments, folder_of, is_inside, known, locate
from graphmemix.ingest.chats.message import message
from graphmemix.ingest.json_stream import JsonStream
from graphmemix.ingest.node import Node, iso_moment, short
from graphmemix.ingest.outline import outline
from graphmemix.ingest.protocol import Skipped
from graphmemix.ingest.records import read_record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from graphmemix.ingest.protocol import Found, MediaSink, Reading
    from graphmemix.memory import Media
    from graphmemix.record import Json

_EXPORTER = frozenset({"/guild", "/channel", "/messages"})
_PACKAGE = frozenset({"/*/ID", "/*/Timestamp", "/*/Contents"})
_CSV = b"ID,Timestamp,Contents,Attachments"
_LARGEST = 1 << 20  # bytes of channel.json
_LONGEST_SEARCHED = 40_000  # characters; Discord allows no longer messages
_SPOKEN = frozenset({"Default", "Reply", "", "0", "19", "20", "ThreadStarterMessage"})


class Discord:
    """Reads a channel as a session."""

    name = "discord"

    def recognises(self, found: Found) -> bool:
        """Return whether the file starts like one of the formats."""
        keys = outline(found.head)
        opening = {"/guild/id", "/channel/id", "/channel/name"} <= keys
        is_csv = found.head.lstrip(b"\xef\xbb\xbf").startswith(_CSV)
        return keys >= _EXPORTER or opening or keys >= _PACKAGE or is_csv

    def companions(self, found: Found) -> Iterator[Path]:
        """Yield the description of the channel, and media exported along with it."""
        folder = found.path.absolute().parent
        if (folder / "channel.json").is_file():
            yield folder / "channel.json"
            if (folder.parent / "index.json").is_file():  # the names of all channels
                yield folder.parent / "index.json"
        media = found.path.parent / f"{found.path.name}_Files"
        if media.is_dir() and not media.is_symlink():
            yield from sorted(path for path in media.iterdir() if path.is_file())

    def read(self, found: Found, sink: MediaSink) -> Iterator[Reading]:
        """Yield the messages in order of time."""
        keys = outline(found.head)
        if keys >= _PACKAGE:
            yield from self._package(found, _from_json(found))
        elif not keys:
            yield from self._package(found, _from_csv(found))
        else:
            yield from self._exported(found, Attachments(found, sink))

    def _exported(self, found: Found, attachments: Attachments) -> Iterator[Reading]:
        guild, channel = Node(None), Node(None)
        sequence = 0
        with JsonStream(found.path, found.name) as stream:
            for key in stream.members():
                if key == "guild":
                    guild = Node(stream.value())
                elif key == "channel":
                    channel = Node(stream.value())
                elif key == "messages":
                    for _ in stream.items():
                        node = Node(stream.value())
                        label = f"{found.name} message {sequence}"
                        if not node.name("id"):
                            yield Skipped(label, "is not a message")
                            continue
                        yield read_record(
                            label, self._message, node, guild, channel, sequence, attachments
                        )
                        yield from attachments.refused()
                        sequence += 1

    def _message(
        self, node: Node, guild: Node, channel: Node, sequence: int, attachments: Attachments
    ) -> Reading:
        author = node.node("author")
        embeds = [" ".join(filter(None, [e.text("title"), e.text("description"), e.text("url")]))
                  for e in node.nodes("embeds")]  # fmt: skip
        text = node.text("content")
        searched = text[:_LONGEST_SEARCHED]
        notes: dict[str, Json] = {
            "chat": short(channel.text("name")),
            "server": short(guild.text("name")),
            "system": node.name("type") not in _SPOKEN,
            "edited": bool(node.text("timestampEdited")),
        }
        return message(
            self.name, f"discord:{channel.name('id', 'name')}", sequence,
            "\n".join(filter(None, [text, *(e for e in embeds if e and e not in searched)])),
            speaker=author.name("nickname", "name"),
            timestamp=iso_moment(node.text("timestamp") or "-"),
            source_id=node.name("id"), replies_to=node.node("reference").name("messageId"),
            media=[_medium(each, attachments) for each in node.nodes("attachments")],
            metadata=notes,
        )  # fmt: skip

    def _package(self, found: Found, messages: Iterator[Node]) -> Iterator[Reading]:
        channel = _channel(found)
        listed = _small(found.path.absolute().parent.parent, "index.json")
        title = channel.name("name") or short(listed.text(channel.name("id")) or folder_of(found))
        session = f"discord:{channel.name('id') or folder_of(found)}"
        owner = _owner(found)
        ordered = sorted(messages, key=lambda node: (len(node.name("ID")), node.name("ID")))
        for sequence, node in enumerate(ordered):
            if not node.name("ID"):
                yield Skipped(f"{found.name} message {sequence}", "is not a message")
                continue
            links = node.text("Attachments").split()
            yield read_record(
                f"{found.name} message {sequence}", message,
                self.name, session, sequence, node.text("Contents"),
                speaker=owner, timestamp=iso_moment(node.text("Timestamp") or "-", UTC),
                source_id=node.name("ID"), media=[known(_file_of(link)) for link in links],
                metadata={"chat": title, "server": channel.node("guild").name("name")},
            )  # fmt: skip


def _medium(node: Node, attachments: Attachments) -> Media:
    """Return an attachment: the file if it was downloaded with the export, else only its name."""
    address, shown = node.text("url"), node.text("fileName")
    if address and (is_inside(address) or "://" not in address):
        return attachments.take(address, shown=shown)
    return known(shown or _file_of(address))


def _file_of(address: str) -> str:
    return address.split("?", 1)[0]


def _from_json(found: Found) -> Iterator[Node]:
    with JsonStream(found.path, found.name) as stream:
        for _ in stream.items():
            yield Node(stream.value())


def _from_csv(found: Found) -> Iterator[Node]:
    try:
        with found.path.open(encoding="utf-8-sig", errors="replace", newline="") as stream:
            rows = _rows(csv.reader(stream))
            names = next(rows, [])
            # Not DictReader, which fills up each row to the length of the first.
            for row in rows:
                yield Node(dict(zip(names, row, strict=False)))
    except OSError as error:
        raise ImportSourceError(f"{found.name}: cannot be read: {error.strerror}") from None


def _rows(reader: Iterator[list[str]]) -> Iterator[list[str]]:
    """Yield the rows that are not empty; an invalid row is an empty message."""
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error:
            row = [""]
        if row:
            yield row


def _channel(found: Found) -> Node:
    return _small(found.path.parent, "channel.json")


def _owner(found: Found) -> str:
    """Return the name of the account's owner, from a file two folders above the messages."""
    package = found.path.absolute().parent.parent.parent
    for folder in ("account", "Account"):
        user = _small(package, f"{folder}/user.json")
        if user:
            return user.name("global_name", "username") or "me"
    return "me"


def _small(folder: Path, name: str) -> Node:
    path = locate(folder, name)
    try:
        if path is None or path.stat().st_size > _LARGEST:
            return Node(None)
        return Node(json.loads(path.read_bytes()))
    except (OSError, ValueError, RecursionError):
        return Node(None)
