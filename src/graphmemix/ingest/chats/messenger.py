"""Facebook Messenger and Instagram: a folder per chat with ``message_1.json``, ``message_2.json``.

Both write each byte of UTF-8 as a character of its own (``Ã¼`` for ``ü``), which is undone. Files
are newest first, and so are the messages in them. Messenger exports end-to-end encrypted chats in
another form: one file per chat, in proper UTF-8, with its media in a folder beside it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from graphmemix.errors import ImportSourceError
from graphmemix.ingest.attachments import Attachments, folder_of, known, locate, named_files
from graphmemix.ingest.chats.message import Stamps, message
from graphmemix.ingest.json_stream import JsonStream
from graphmemix.ingest.node import Node, moment, short
from graphmemix.ingest.outline import outline
from graphmemix.ingest.protocol import Skipped
from graphmemix.ingest.records import read_record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from graphmemix.ingest.protocol import Found, MediaSink, Reading
    from graphmemix.memory import Media
    from graphmemix.record import Json

_PART = re.compile(r"message_(\d{1,6})\.json")
_URI = re.compile(rb'"uri"\s{0,9}:\s{0,9}"((?:[^"\\]|\\.){1,500})"')
_GARBLED = re.compile(r"[\u0080-\u00ff]{2,}")
_MEDIA = {
    "photos": "image/*", "videos": "video/*", "audio_files": "audio/mp4", "gifs": "image/*",
    "files": "", "sticker": "image/*", "media": "",
}  # fmt: skip
_MEMBERSHIP = frozenset({"Subscribe", "Unsubscribe"})
_STICKERS = "stickers_used/"
_DEEPEST = 8  # levels of a message; nothing that is read lies deeper
_LONGEST_SEARCHED = 40_000  # characters of a message in which a shared text may be repeated


class Messenger:
    """Reads a chat, with all of its numbered files, as a session."""

    name = "messenger"

    def recognises(self, found: Found) -> bool:
        """Return whether the file starts with the participants of a chat and its messages."""
        keys = outline(found.head)
        if {"/participants", "/threadName"} <= keys:
            return True
        named = _PART.fullmatch(found.path.name) or "/messages/*/timestamp_ms" in keys
        return "/participants/*/name" in keys and bool(named)

    def companions(self, found: Found) -> Iterator[Path]:
        """Yield the other files of the chat, and existing media that they refer to."""
        parts = _parts(found)
        if parts[-1] != found.path:  # the one with the lowest number is read with the others
            return
        yield from parts[:-1]
        for part in parts:
            for uri in named_files(part, _URI):
                folder, name = _located(found.path, uri)
                if locate(folder, name) is not None:
                    yield folder / name

    def read(self, found: Found, sink: MediaSink) -> Iterator[Reading]:
        """Yield the messages in order of time. Holds one file at a time.

        Raises:
            ImportSourceError: The only file of the chat is not JSON.
        """
        parts = _parts(found)
        chat = _Chat(found, sink)
        for part in parts:
            name = found.name if part == found.path else f"{found.name} ({part.name})"
            try:
                about, messages = _loaded(part, name)
            except ImportSourceError as error:
                if len(parts) == 1:
                    raise
                yield Skipped(name, str(error).removeprefix(f"{name}: "))
                continue
            yield from chat.messages(about, messages, name)


class _Chat:
    """Numbers the messages of a chat through all of its files."""

    def __init__(self, found: Found, sink: MediaSink) -> None:
        self._found = found
        self._attachments = {
            folder: Attachments(found, sink, folder) for folder in _folders(found.path)
        }
        self._stamps = Stamps()
        self._sequence = 0

    def messages(self, about: Node, messages: list[Json], name: str) -> Iterator[Reading]:
        thread = about.name("thread_path").rsplit("/", 1)[-1] or about.name("threadName")
        is_numbered = _PART.fullmatch(self._found.path.name)
        session = thread or (folder_of(self._found) if is_numbered else self._found.path.stem)
        people = [each.name("name") for each in about.nodes("participants")]
        title = about.name("title", "threadName") or ", ".join(filter(None, people[:20]))
        for value in messages:
            node = Node(value)
            label = f"{name} message {self._sequence}"
            if not node.name("sender_name", "senderName", "timestamp_ms", "timestamp"):
                yield Skipped(label, "is not a message")
                continue
            yield read_record(label, self._message, node, f"messenger:{session}", short(title))
            for each in self._attachments.values():
                yield from each.refused()
            self._sequence += 1

    def _message(self, node: Node, session: str, title: str) -> Reading:
        speaker = node.name("sender_name", "senderName")
        unsent = node.flag("is_unsent") or node.flag("isUnsent")
        text = _words(node) or (f"{speaker} unsent a message" if unsent else "")
        clock = node.raw("timestamp_ms") or node.raw("timestamp")
        media = [self._medium(each, mime) for each, mime in _media(node)]
        notes: dict[str, Json] = {
            "chat": title,
            "system": unsent or node.text("type") in _MEMBERSHIP,
            "unsent": unsent,
            "call": _call(node),
            "reactions": [_reaction(each) for each in node.nodes("reactions")],
        }
        return message(
            Messenger.name,
            session,
            self._sequence,
            text,
            speaker=speaker,
            timestamp=moment(node.number("timestamp_ms", "timestamp")),
            source_id=f"{session}/{self._stamps.of(clock, speaker, text)}",
            media=media,
            metadata=notes,
        )

    def _medium(self, node: Node, mime: str) -> Media:
        uri = node.text("uri")
        if not uri or "://" in uri:
            return known(uri.split("?", 1)[0], mime)
        folder, name = _located(self._found.path, uri)
        return self._attachments[folder].take(name, mime="" if mime.endswith("*") else mime)


def _parts(found: Found) -> list[Path]:
    """Return the files of a chat, the oldest first; only the file itself if it has no number."""
    if not _PART.fullmatch(found.path.name):
        return [found.path]
    numbered = {found.path: 0}
    try:
        for path in found.path.parent.iterdir():
            match = _PART.fullmatch(path.name)
            if match and path.is_file() and not path.is_symlink():
                numbered[path] = int(match[1])
    except OSError:  # reading the file itself says why
        return [found.path]
    return sorted(numbered, key=lambda path: (-numbered[path], path.name))


def _loaded(path: Path, name: str) -> tuple[Node, list[Json]]:
    """Return what a file says about its chat, and its messages from the oldest to the newest."""
    about: dict[str, Json] = {}
    messages: list[Json] = []
    with JsonStream(path, name) as stream:
        for key in stream.members():
            if key == "messages":
                messages += [_repaired(stream.value()) for _ in stream.items()]
            elif key in {"participants", "title", "thread_path", "threadName"}:
                about[key] = _repaired(stream.value())
    messages.reverse()
    messages.sort(key=_clock)  # stable: of one moment, the later in the file is the earlier
    return Node(about), messages


def _clock(value: Json) -> float:
    return Node(value).number("timestamp_ms", "timestamp") or 0.0


def _repaired(value: Json, depth: int = _DEEPEST) -> Json:
    """Return a value with the characters of its texts put together from their bytes."""
    if not depth:
        return value
    if isinstance(value, str):
        try:
            return value.encode("latin-1").decode("utf-8")
        except UnicodeError:  # only parts of it are so
            return _GARBLED.sub(_joined, value)
    if isinstance(value, list):
        return [_repaired(each, depth - 1) for each in value]
    if isinstance(value, dict):
        return {key: _repaired(each, depth - 1) for key, each in value.items()}
    return value


def _joined(match: re.Match[str]) -> str:
    try:
        return match[0].encode("latin-1").decode("utf-8")
    except UnicodeError:
        return match[0]


def _words(node: Node) -> str:
    """Return what was said, and what was shared: a link, a post, a place."""
    parts = [node.text("content", "text")]
    share = node.node("share")
    searched = parts[0][:_LONGEST_SEARCHED]
    owner = share.text("original_content_owner")
    profile = share.text("profile_share_name", "profile_share_username")
    shared = (
        share.text("share_text"),
        owner and f"Post by {owner}",
        profile and f"Profile of {profile}",
        share.text("link"),
    )
    parts += [each for each in shared if each not in searched]
    return "\n".join(filter(None, parts))


def _call(node: Node) -> str:
    if "call_duration" not in node:
        return ""
    seconds = node.number("call_duration") or 0.0
    return "missed" if node.flag("missed") or not seconds else f"{seconds:.0f} s"


def _reaction(node: Node) -> str:
    return f"{node.name('actor')}: {node.name('reaction')}"


def _media(node: Node) -> Iterator[tuple[Node, str]]:
    for key, mime in _MEDIA.items():
        single = node.node(key)
        for each in [single] if single else node.nodes(key):
            yield each, mime


def _folders(path: Path) -> list[Path]:
    """Return where media of a chat may lie: in its own folder, and in that of all stickers."""
    return [path.parent, path.absolute().parent.parent.parent]


def _located(path: Path, uri: str) -> tuple[Path, str]:
    """Return a medium's folder and its path there; addresses start at the root of the export."""
    own, messages = _folders(path)
    _, found, name = uri.rpartition(f"/{path.absolute().parent.name}/")
    if found:
        return own, name
    _, found, name = uri.rpartition(f"messages/{_STICKERS}")
    return (messages, _STICKERS + name) if found else (own, uri.removeprefix("./"))
