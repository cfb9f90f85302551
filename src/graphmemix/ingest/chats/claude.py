"""The data export of Claude: ``conversations.json``, an array of conversations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmemix.ingest.attachments import known
from graphmemix.ingest.chats.message import Rounds, message
from graphmemix.ingest.json_stream import JsonStream
from graphmemix.ingest.node import Node, iso_moment, short
from graphmemix.ingest.outline import outline
from graphmemix.ingest.protocol import Skipped
from graphmemix.ingest.records import read_record
from graphmemix.memory import Memory, Reference

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from graphmemix.ingest.protocol import Found, MediaSink, Reading

_ROLES = {"human": "user", "user": "user", "assistant": "assistant"}
_LONGEST = 4_000_000  # characters


class Claude:
    """Reads each conversation as a session; a question and its reply are a round."""

    name = "claude"

    def recognises(self, found: Found) -> bool:
        """Return whether the file is an array of conversations with ``chat_messages``, or one."""
        keys = outline(found.head)
        return "/*/chat_messages" in keys or {"/uuid", "/chat_messages"} <= keys

    def companions(self, found: Found) -> Iterator[Path]:  # noqa: ARG002
        """Return nothing: the export contains the texts of attachments, and no files."""
        yield from ()

    def read(self, found: Found, sink: MediaSink) -> Iterator[Reading]:  # noqa: ARG002
        """Yield the messages of each conversation in order. Holds one conversation at a time."""
        with JsonStream(found.path, found.name) as stream:
            if stream.peek() == "{":
                yield from self._conversation(Node(stream.value()), found, 0)
                return
            for number, _ in enumerate(stream.items()):
                yield from self._conversation(Node(stream.value()), found, number)

    def _conversation(self, node: Node, found: Found, number: int) -> Iterator[Reading]:
        if "chat_messages" not in node:
            yield Skipped(f"{found.name} conversation {number}", "has no messages")
            return
        session = f"claude:{node.name('uuid') or f'{found.path.name}:{number}'}"
        rounds = Rounds()
        turns = [each for each in node.nodes("chat_messages") if each.name("sender") in _ROLES]
        for sequence, turn in enumerate(turns):
            role = _ROLES[turn.name("sender")]
            files = [*turn.nodes("attachments"), *turn.nodes("files")]
            reading = read_record(
                f"{found.name} {session} message {sequence}",
                message,
                self.name,
                session,
                sequence,
                _words(turn),
                speaker=role,
                timestamp=iso_moment(turn.text("created_at") or node.text("created_at")),
                source_id=turn.name("uuid"),
                round=rounds.of(role),
                media=[known(short(each.text("file_name"))) for each in files if each],
                metadata={"title": short(node.text("name"))},
            )
            yield reading
            if isinstance(reading, Memory):
                yield from _attached(reading, turn)


def _words(turn: Node) -> str:
    """Return the text blocks of a message, without thinking and tool use."""
    blocks = [b.text("text") for b in turn.nodes("content") if b.text("type") in {"text", ""}]
    return "\n\n".join(filter(None, blocks)) or turn.text("text")


def _attached(said: Memory, turn: Node) -> Iterator[Reading]:
    """Yield the texts of attached documents as memories of their own."""
    for each in turn.nodes("attachments"):
        text, name = each.text("extracted_content"), short(each.text("file_name"))
        if len(text) > _LONGEST:
            yield Skipped(f"{said.session} attachment {name!r}", "is too long")
        elif text.strip():
            yield Memory.new(
                "document",
                text.strip(),
                source=said.source,
                source_id=f"{said.source_id}/{name}",
                session=said.session,
                round=said.round,
                sequence=said.sequence,
                timestamp=said.timestamp,
                references=(Reference("attachment_of", said.source_id),) if said.source_id else (),
                metadata={"file": name} if name else {},
            )
