"""Mattermost's bulk export (``mmctl export create``): JSON lines, with files in ``data/`` beside.

Teams, channels and users come before the posts that name them; answers are part of a post.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from graphmemix.ingest.attachments import Attachments, locate
from graphmemix.ingest.chats.message import message
from graphmemix.ingest.lines import json_lines
from graphmemix.ingest.node import Node, moment, short
from graphmemix.ingest.protocol import Skipped
from graphmemix.ingest.records import read_record
from graphmemix.memory import content_id

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from graphmemix.ingest.protocol import Found, MediaSink, Reading
    from graphmemix.record import Json

_KINDS = frozenset(
    {"version", "scheme", "role", "emoji", "team", "channel", "user", "bot", "post"}
    | {"direct_channel", "direct_post"}
)
_POSTS = frozenset({"post", "direct_post"})
_FOLDER = "data"


class Mattermost:
    """Reads posts of channels and direct messages, with answers, reactions and files."""

    name = "mattermost"

    def recognises(self, found: Found) -> bool:
        """Return whether the first lines are a version and a record of an export."""
        first, _, rest = found.head.partition(b"\n")
        try:
            node = Node(json.loads(first))
        except (ValueError, RecursionError):
            return False
        is_version = node.text("type") == "version" and node.number("version") == 1
        second = rest.partition(b"\n")[0][:200].replace(b" ", b"")
        kinds = (f'{{"type":"{kind}","{kind}":'.encode() for kind in _KINDS)
        by_server = node.node("info").text("generator").startswith("mattermost")
        return is_version and (by_server or second.startswith(tuple(kinds)))

    def companions(self, found: Found) -> Iterator[Path]:
        """Yield the existing files of posts. Reads the whole file."""
        for _, value in json_lines(found.path, found.name):
            post = _post(Node(None if isinstance(value, Skipped) else value))
            for each in [post, *post.nodes("replies")]:
                for file in each.nodes("attachments"):
                    name = _located(found, file.text("path"))
                    if locate(found.path.parent, name) is not None:
                        yield found.path.parent / name

    def read(self, found: Found, sink: MediaSink) -> Iterator[Reading]:
        """Yield the posts in order, each before its answers; a bad line is skipped."""
        export = _Export(found, Attachments(found, sink))
        for number, value in json_lines(found.path, found.name):
            if isinstance(value, Skipped):
                yield value
            else:
                yield from export.line(Node(value), f"{found.name} line {number}")


@dataclass
class _Export:
    """What the lines so far have said."""

    found: Found
    attachments: Attachments
    people: dict[str, str] = field(default_factory=dict)
    channels: dict[str, str] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    met: Counter[str] = field(default_factory=Counter)

    def line(self, node: Node, label: str) -> Iterator[Reading]:
        kind = node.text("type")
        record = node.node(kind)
        if kind in {"user", "bot"}:
            names = f"{record.text('first_name')} {record.text('last_name')}".strip()
            shown = short(record.text("nickname") or names or record.text("display_name"))
            self.people[record.name("username")] = shown
        elif kind == "channel":
            self.channels[_channel(record)] = record.name("display_name")
        elif kind in _POSTS:
            yield from self._thread(record, label)
        elif kind not in _KINDS:
            yield Skipped(label, "is of an unknown type")

    def _thread(self, post: Node, label: str) -> Iterator[Reading]:
        members = [each for each in post.values("channel_members") if isinstance(each, str)]
        session = f"mattermost:{short('~'.join(sorted(members))) or _channel(post)}"
        people = ", ".join(self._person(each) for each in members[:20])
        title = short(people or self.channels.get(_channel(post)) or post.name("channel"))
        first = self._identity(session, post)
        yield read_record(label, self._message, post, session, title, first, "")
        yield from self.attachments.refused()
        for number, answer in enumerate(post.nodes("replies"), start=1):
            name = f"{label} reply {number}"
            own = self._identity(session, answer)
            yield read_record(name, self._message, answer, session, title, own, first)
            yield from self.attachments.refused()

    def _message(
        self, node: Node, session: str, title: str, own: str, answers: str
    ) -> Reading | str:
        if not node.name("user"):
            return "is not a post"
        sequence = self.counts[session]
        self.counts[session] += 1
        files = [_located(self.found, each.text("path")) for each in node.nodes("attachments")]
        notes: dict[str, Json] = {
            "chat": title,
            "team": node.name("team"),
            "system": node.text("type").startswith("system_"),
            "edited": bool(node.number("edit_at")),
            "reactions": [
                f"{self._person(each.name('user'))}: {each.name('emoji_name')}"
                for each in node.nodes("reactions")
            ],
        }
        return message(
            Mattermost.name,
            session,
            sequence,
            node.text("message"),
            speaker=self._person(node.name("user")),
            timestamp=moment(node.number("create_at")),
            source_id=own,
            replies_to=answers,
            media=[self.attachments.take(name) for name in files if name],
            metadata=notes,
        )

    def _identity(self, session: str, node: Node) -> str:
        """Return the id of a post, which the export does not have; edits keep it."""
        name = f"{session}/{content_id([node.name('create_at'), node.name('user')])[:32]}"
        self.met[name] += 1
        return f"{name}/{self.met[name]}" if self.met[name] > 1 else name

    def _person(self, name: str) -> str:
        return self.people.get(name) or name


def _post(node: Node) -> Node:
    kind = node.text("type")
    return node.node(kind) if kind in _POSTS else Node(None)


def _channel(record: Node) -> str:
    return "/".join(filter(None, [record.name("team"), record.name("channel", "name")]))


def _located(found: Found, name: str) -> str:
    """Return the path of a file from the export's folder; some versions leave ``data/`` out."""
    inside = f"{_FOLDER}/{name}"
    return inside if name and locate(found.path.parent, inside) is not None else name
