"""Slack's export of a workspace: a folder with ``users.json`` and a folder of days per channel."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from graphmemix.errors import ImportSourceError
from graphmemix.ingest.attachments import Attachments, known, locate
from graphmemix.ingest.chats.message import message
from graphmemix.ingest.documents.markup import unescaped
from graphmemix.ingest.json_stream import JsonStream
from graphmemix.ingest.node import Node, moment
from graphmemix.ingest.outline import outline
from graphmemix.ingest.protocol import HEAD_BYTES, Skipped
from graphmemix.ingest.records import read_record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from graphmemix.ingest.protocol import Found, MediaSink, Reading
    from graphmemix.memory import Media
    from graphmemix.record import Json

_CHANNELS = ("channels.json", "groups.json", "dms.json", "mpims.json")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}\.json")
_MARKUP = re.compile(r"<([@#!]?)([^<>|]{1,2000})(?:\|([^<>]{0,2000}))?>")
_LARGEST_LIST = 64 << 20  # bytes of users.json
_MOST_BLOCKS = 500  # of a message, and pieces of a block
_LONGEST_SEARCHED = 40_000  # characters; Slack allows no longer messages


class Slack:
    """Reads the folder as a whole, channel by channel and day by day."""

    name = "slack"

    def recognises(self, found: Found) -> bool:
        """Return whether the folder has the files of an export."""
        if not found.is_folder:
            return False
        try:
            with (found.path / "users.json").open("rb") as stream:
                users = outline(stream.read(HEAD_BYTES))
            has_channels = any((found.path / name).is_file() for name in _CHANNELS)
        except (OSError, ValueError):
            return False
        return has_channels and {"/*/id", "/*/name"} <= users

    def companions(self, found: Found) -> Iterator[Path]:  # noqa: ARG002
        """Return nothing: everything of an export is below its folder."""
        yield from ()

    def read(self, found: Found, sink: MediaSink) -> Iterator[Reading]:
        """Yield the messages of each channel in order of time."""
        users = {node.name("id"): _display(node) for node in _listed(found, "users.json")}
        attachments = Attachments(found, sink, found.path)
        channels = dict(_channels(found, users))
        for folder in (path for path in _listing(found.path, found.name) if path.is_dir()):
            if folder.is_symlink():
                yield Skipped(f"{found.name}/{folder.name}", "leads out of the export")
                continue
            title = channels.get(folder.name, folder.name)
            yield from self._channel(found, folder, title, users, attachments)

    def _channel(
        self,
        found: Found,
        folder: Path,
        title: str,
        users: dict[str, str],
        attachments: Attachments,
    ) -> Iterator[Reading]:
        session = f"slack:{folder.name}"
        sequence = 0
        listing = _listing(folder, f"{found.name}/{folder.name}")
        for day in (path for path in listing if _DAY.fullmatch(path.name)):
            name = f"{found.name}/{folder.name}/{day.name}"
            if locate(folder, day.name) is None:
                yield Skipped(name, "leads out of the export")
                continue
            try:
                nodes = sorted(_stream(day, name), key=lambda node: node.number("ts") or 0.0)
            except ImportSourceError as error:
                yield Skipped(name, str(error).removeprefix(f"{name}: "))
                continue
            for node in nodes:
                label = f"{name} message {sequence}"
                yield read_record(
                    label, self._message, node, session, sequence, title, users, attachments
                )
                yield from attachments.refused()
                sequence += 1

    def _message(
        self,
        node: Node,
        session: str,
        sequence: int,
        title: str,
        users: dict[str, str],
        attachments: Attachments,
    ) -> Reading:
        stamp, thread = node.name("ts"), node.name("thread_ts")
        user = node.name("user", "bot_id")
        profile = node.node("user_profile")
        speaker = users.get(user) or profile.name("display_name", "real_name", "name")
        notes: dict[str, Json] = {
            "chat": title,
            "system": node.text("subtype") in _NOTICES,
            "edited": "edited" in node,
        }
        return message(
            self.name,
            session,
            sequence,
            _words(node, users),
            speaker=speaker
            or node.name("username")
            or node.node("bot_profile").name("name")
            or user,
            timestamp=moment(node.number("ts")),
            source_id=f"{session}/{stamp}" if stamp else "",
            replies_to=f"{session}/{thread}" if thread and thread != stamp else "",
            media=[_file(each, attachments) for each in _files(node)],
            metadata=notes,
        )


_NOTICES = frozenset(
    {"channel_join", "channel_leave", "channel_topic", "channel_purpose", "channel_name"}
    | {"group_join", "group_leave", "pinned_item", "channel_archive", "channel_unarchive"}
)


def _listing(folder: Path, name: str) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError as error:
        raise ImportSourceError(f"{name}: cannot be read: {error.strerror}") from None


def _listed(found: Found, name: str) -> list[Node]:
    """Return the objects of a small list of an export; empty if the file is missing."""
    path = locate(found.path, name)
    if path is None:
        return []
    try:
        if path.stat().st_size > _LARGEST_LIST:
            raise ImportSourceError(f"{found.name}/{name}: is too large")
        value = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        raise ImportSourceError(f"{found.name}/{name}: is not JSON") from None
    return [Node(each) for each in value] if isinstance(value, list) else []


def _channels(found: Found, users: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the folder and the display name of each channel."""
    for name in _CHANNELS:
        for node in _listed(found, name):
            members = [each for each in node.values("members")[:20] if isinstance(each, str)]
            people = ", ".join(users.get(each, each) for each in members)
            folder = node.name("name") or node.name("id")
            is_room = name in {"channels.json", "groups.json"}
            yield folder, f"#{folder}" if is_room else people or folder


def _stream(path: Path, name: str) -> Iterator[Node]:
    with JsonStream(path, name) as stream:
        for _ in stream.items():
            node = Node(stream.value())
            if node.text("type") in {"message", ""} and node:
                yield node


def _display(node: Node) -> str:
    profile = node.node("profile")
    return profile.name("display_name", "real_name") or node.name("real_name") or node.name("name")


def _words(node: Node, users: dict[str, str]) -> str:
    """Return the text with mentions resolved and links spelled out, and quoted attachments."""
    parts = [_spoken(node.text("text") or _blocks(node), users)]
    searched = parts[0][:_LONGEST_SEARCHED]
    for each in node.nodes("attachments"):
        shown = [each.text("title"), each.text("text") or each.text("fallback")]
        quoted = _spoken("\n".join(filter(None, shown)), users)
        if quoted and quoted not in searched:
            parts.append(quoted)
    return "\n".join(filter(None, parts))


def _blocks(node: Node) -> str:
    """Return the text of a message that has blocks only, one line per block."""
    lines: list[str] = []
    for block in node.nodes("blocks")[:_MOST_BLOCKS]:
        pieces: list[str] = []
        waiting = [block]
        while waiting and len(pieces) < _MOST_BLOCKS:
            piece = waiting.pop()
            written = piece.raw("text")  # a text, or an object that has one
            pieces.append(written if isinstance(written, str) else piece.text("name"))
            inside = [*piece.nodes("elements"), *piece.nodes("fields")]
            waiting += reversed([piece.node("text"), *inside] if piece.node("text") else inside)
        lines.append("".join(pieces))
    return "\n".join(filter(None, lines))


def _spoken(text: str, users: dict[str, str]) -> str:
    def resolved(match: re.Match[str]) -> str:
        sign, target, label = match.groups()
        if sign == "@":
            return "@" + (users.get(target) or label or target)
        if sign == "#":
            return "#" + (label or target)
        if sign == "!":
            return label or "@" + target.split("^", 1)[0]
        address = target.removeprefix("mailto:")
        return f"{label} <{target}>" if label and label not in {target, address} else address

    return unescaped(_MARKUP.sub(resolved, text))


def _files(node: Node) -> list[Node]:
    return node.nodes("files") or [each for each in [node.node("file")] if each]


def _file(node: Node, attachments: Attachments) -> Media:
    """Return a file. Exports only link to files; download tools put them below the folder."""
    name, mime = node.text("name", "title"), node.text("mimetype")
    local = node.text("local_path", "path")
    if not local:
        identity = node.name("id")
        candidates = [f"__uploads/{identity}/{name}", f"attachments/{identity}-{name}"]
        local = next((path for path in candidates if attachments.has(path)), "")
    return attachments.take(local, mime=mime, shown=name) if local else known(name, mime)
