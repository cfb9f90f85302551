"""The data export of ChatGPT: ``conversations.json``, conversations as trees of messages.

Editing a question or regenerating a reply creates a branch; ``current_node`` is the end of the
branch that the user saw last, and only that branch is read.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from graphmemix.ingest.attachments import Attachments, known
from graphmemix.ingest.chats.message import Rounds, message
from graphmemix.ingest.json_stream import JsonStream
from graphmemix.ingest.node import Node, moment, short
from graphmemix.ingest.outline import outline
from graphmemix.ingest.protocol import Skipped
from graphmemix.ingest.records import read_record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    from graphmemix.ingest.protocol import Found, MediaSink, Reading
    from graphmemix.memory import Media
    from graphmemix.record import Json

_ASSET = re.compile(r"file[-_][A-Za-z0-9]+")
_FOLDERS = ("dalle-generations", "user-*", "file-*", "file_*", "*/audio")
_UNSPOKEN = frozenset(
    {
        "thoughts",
        "reasoning_recap",
        "user_editable_context",
        "model_editable_context",
        "system_error",
    }
)


class ChatGpt:
    """Reads each conversation as a session; a question and its reply are a round."""

    name = "chatgpt"

    def recognises(self, found: Found) -> bool:
        """Return whether the file is an array of conversations with a ``mapping``, or one."""
        keys = outline(found.head)
        many = "/*/mapping" in keys
        return many or ("/mapping" in keys and bool({"/title", "/current_node"} & keys))

    def companions(self, found: Found) -> Iterator[Path]:
        """Return the asset files of the export."""
        for name in _assets(found.path.parent).values():
            yield found.path.parent / name

    def read(self, found: Found, sink: MediaSink) -> Iterator[Reading]:
        """Yield the messages of each conversation in order. Holds one conversation at a time."""
        attachments = Attachments(found, sink)
        assets = _assets(found.path.parent)
        with JsonStream(found.path, found.name) as stream:
            if stream.peek() == "{":
                yield from self._conversation(Node(stream.value()), found, 0, attachments, assets)
                return
            for number, _ in enumerate(stream.items()):
                node = Node(stream.value())
                yield from self._conversation(node, found, number, attachments, assets)

    def _conversation(
        self,
        node: Node,
        found: Found,
        number: int,
        attachments: Attachments,
        assets: dict[str, str],
    ) -> Iterator[Reading]:
        if "mapping" not in node:
            yield Skipped(f"{found.name} conversation {number}", "has no messages")
            return
        own = node.name("conversation_id", "id") or f"{found.path.name}:{number}"
        session = f"chatgpt:{own}"
        when = moment(node.number("create_time"))
        rounds = Rounds()
        sequence = 0
        for said in _branch(node):
            text = _words(said)
            media = list(_media(said, attachments, assets))
            role = said.node("author").name("role")
            if not _is_shown(said, role, has_media=bool(media)) or not (text or media):
                continue
            role = "user" if role == "user" else "assistant"
            when = moment(said.number("create_time")) or when
            label = f"{found.name} {session} message {sequence}"
            yield read_record(
                label, self._turn, node, said, session, sequence, text, role, rounds, when, media
            )
            yield from attachments.refused()
            sequence += 1

    def _turn(
        self,
        node: Node,
        said: Node,
        session: str,
        sequence: int,
        text: str,
        role: str,
        rounds: Rounds,
        when: datetime | None,
        media: list[Media],
    ) -> Reading:
        recipient = said.name("recipient")
        notes: dict[str, Json] = {
            "title": short(node.text("title")),
            "model": said.node("metadata").name("model_slug"),
            "recipient": "" if recipient == "all" else recipient,
        }
        return message(
            self.name, session, sequence, text,
            speaker=role, timestamp=when, source_id=said.name("id"),
            round=rounds.of(role), media=media, metadata=notes,
        )  # fmt: skip


def _branch(node: Node) -> list[Node]:
    """Return the messages from the first to ``current_node``, or to the newest leaf without one."""
    mapping = node.node("mapping")
    here = node.name("current_node")
    if here not in mapping:
        leaves = [key for key in mapping.keys() if not mapping.node(key).values("children")]  # noqa: SIM118
        here = max(
            leaves,
            key=lambda key: mapping.node(key).node("message").number("create_time") or 0.0,
            default="",
        )
    branch: list[Node] = []
    seen: set[str] = set()
    while here and here in mapping and here not in seen:
        seen.add(here)
        branch.append(mapping.node(here).node("message"))
        here = mapping.node(here).name("parent")
    return [said for said in reversed(branch) if said]


def _is_shown(said: Node, role: str, *, has_media: bool) -> bool:
    if said.node("metadata").flag("is_visually_hidden_from_conversation"):
        return False
    if said.node("content").text("content_type") in _UNSPOKEN:
        return False
    return role in {"user", "assistant"} or (role == "tool" and has_media)


def _words(said: Node) -> str:
    """Return the text of a message: text parts, code, transcripts."""
    content = said.node("content")
    parts = []
    for each in content.values("parts"):
        if isinstance(each, str):
            parts.append(each)
        elif isinstance(each, dict):
            parts.append(Node(each).text("text"))
    return "\n".join(filter(None, parts)).strip() or content.text("text", "result").strip()


def _media(said: Node, attachments: Attachments, assets: dict[str, str]) -> Iterator[Media]:
    """Yield the pictures, sounds and files of a message, each once."""
    listed = {
        _asset_id(each.name("id")): each for each in said.node("metadata").nodes("attachments")
    }
    pointers = {
        _asset_id(part.text("asset_pointer")): "audio/*" if "audio" in part.text("content_type")
        else "image/*"
        for part in said.node("content").nodes("parts")
    }  # fmt: skip
    for asset in dict.fromkeys(filter(None, [*pointers, *listed])):
        attachment = listed.get(asset, Node(None))
        shown, mime = attachment.text("name"), attachment.text("mime_type")
        if asset in assets:
            yield attachments.take(assets[asset], mime=mime, shown=shown)
        else:
            yield known(shown or asset, mime or pointers.get(asset, ""))


def _asset_id(pointer: str) -> str:
    match = _ASSET.match(pointer.rsplit("/", 1)[-1])
    return match[0] if match else ""


def _assets(folder: Path) -> dict[str, str]:
    """Return the files of an export by the id that their names start with, relative to `folder`."""
    found: dict[str, str] = {}
    for pattern in ("*", *(f"{inner}/*" for inner in _FOLDERS)):
        for path in sorted(folder.glob(pattern)):
            match = _ASSET.match(path.name)
            if match and path.is_file():
                found.setdefault(match[0], path.relative_to(folder).as_posix())
    return found
