"""Dialogues with assistants in the message form of the OpenAI API, as JSON or JSON Lines.

A line (or the file) is a dialogue ``{"messages": [...]}`` or one message ``{"role", "content"}``.
Pictures are data URLs, or paths below the folder of the file; nothing is ever fetched.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes

from graphmemix.ingest.attachments import Attachments, base_name, is_inside, known, locate
from graphmemix.ingest.chats.message import Rounds, message
from graphmemix.ingest.json_stream import JsonStream
from graphmemix.ingest.lines import json_lines
from graphmemix.ingest.node import Node, iso_moment, moment, short
from graphmemix.ingest.outline import outline
from graphmemix.ingest.protocol import Skipped
from graphmemix.ingest.records import read_record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime
    from pathlib import Path

    from graphmemix.ingest.protocol import Found, MediaSink, Reading
    from graphmemix.memory import Media
    from graphmemix.record import Json

_DATA_URL = re.compile(
    r"data:(?P<mime>[\w.+-]++/[\w.+-]++)?+(?P<options>[^,]{0,200}+),", re.IGNORECASE
)
_ROLES = {"user": "user", "assistant": "assistant", "system": "system", "developer": "system",
          "tool": "tool", "function": "tool", "human": "user", "gpt": "assistant"}  # fmt: skip
_LONGEST_CALL = 10_000  # characters of a tool call
_SHAPES = ("", "/*", "/messages/*", "/*/messages/*", "/conversations/*", "/*/conversations/*")


class Dialogue:
    """Reads each dialogue as a session; a user message and the reply are a round."""

    name = "dialogue"

    def recognises(self, found: Found) -> bool:
        """Return whether the first objects are messages or contain messages."""
        keys = outline(found.head)
        return any(
            {f"{at}/role", f"{at}/content"} <= keys or {f"{at}/from", f"{at}/value"} <= keys
            for at in _SHAPES
        )

    def companions(self, found: Found) -> Iterator[Path]:
        """Yield the existing pictures that messages refer to by path. Reads the whole file."""
        seen: set[str] = set()
        for _, value in _objects(found):
            for said in [] if isinstance(value, Skipped) else _messages(value) or [value]:
                for name in filter(is_inside, _addresses(said)):
                    if name not in seen and locate(found.path.parent, name) is not None:
                        seen.add(name)
                        yield found.path.parent / name

    def read(self, found: Found, sink: MediaSink) -> Iterator[Reading]:
        """Yield the messages in order. Holds one line at a time, or one dialogue of a JSON file."""
        attachments = Attachments(found, sink)
        single = _Session(f"dialogue:{found.path.stem}", attachments)
        for number, value in _objects(found):
            if isinstance(value, Skipped):
                yield value
                continue
            if _is_message(value):
                yield from single.turns([value], value)
                continue
            own = value.name("id", "session", "session_id", "conversation_id", "dialogue_id")
            session = _Session(f"dialogue:{own or f'{found.path.stem}:{number}'}", attachments)
            yield from session.turns(_messages(value), value)


class _Session:
    """One dialogue: numbers its turns and rounds."""

    def __init__(self, name: str, attachments: Attachments) -> None:
        self._name = name
        self._attachments = attachments
        self._rounds = Rounds()
        self._sequence = 0

    def turns(self, messages: Iterable[Node], dialogue: Node) -> Iterator[Reading]:
        for said in messages:
            label = f"{self._name} message {self._sequence}"
            yield read_record(label, self._turn, said, dialogue)
            yield from self._attachments.refused()

    def _turn(self, said: Node, dialogue: Node) -> Reading:
        role = _ROLES.get(said.name("role", "from").lower(), "")
        sequence = self._sequence
        self._sequence += 1
        if not role:
            return Skipped(f"{self._name} message {sequence}", "has no known role")
        functions = [call.node("function") for call in said.nodes("tool_calls")]
        functions += [said.node("function_call")] if said.node("function_call") else []
        calls = [each.name("name") for each in functions]
        asked = [f"{each.name('name')}({each.text('arguments')[:_LONGEST_CALL]})"
                 for each in functions if each.name("name")]  # fmt: skip
        notes: dict[str, Json] = {
            "title": short(dialogue.text("title", "name")) if dialogue is not said else "",
            "calls": [call for call in calls if call],
        }
        return message(
            Dialogue.name, self._name, sequence,
            "\n".join(filter(None, [_words(said), *asked])),
            speaker=said.name("name") or role, timestamp=_when(said) or _when(dialogue),
            source_id=said.name("id"), round=self._rounds.of(role),
            media=[self._medium(address) for address in _addresses(said)], metadata=notes,
        )  # fmt: skip

    def _medium(self, address: str) -> Media:
        match = _DATA_URL.match(address)
        if match is not None:
            return self._from_data_url(address, match)
        if "://" in address and not address.lower().startswith("file:"):
            return known(base_name(address.split("?", 1)[0]), "image/*")  # never downloaded
        return self._attachments.take(address)

    def _from_data_url(self, address: str, match: re.Match[str]) -> Media:
        mime, body = match["mime"] or "", address[match.end() :]
        try:
            if "base64" in match["options"].lower():
                data = base64.b64decode(unquote_to_bytes(body), validate=False)
            else:
                data = unquote_to_bytes(body)
        except (binascii.Error, ValueError):
            data = b""
        if not data:
            self._attachments.refuse(f"{self._name} data URL", "cannot be decoded")
            return known("", mime or "image/*")
        return self._attachments.keep(data, mime=mime)


def _objects(found: Found) -> Iterator[tuple[int, Node | Skipped]]:
    """Yield the numbered objects of the file: lines, elements of an array, or a single object."""
    if found.suffix == ".json" or found.head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
        with JsonStream(found.path, found.name) as stream:
            if stream.peek() == "[":
                for number, _ in enumerate(stream.items(), start=1):
                    yield number, Node(stream.value())
                return
            yield 1, Node(stream.value())
            if stream.peek() == "":
                return
        # More than one object: JSON Lines, whatever the extension is.
        yield from ((n, v) for n, v in _lines(found) if n > 1)
        return
    yield from _lines(found)


def _lines(found: Found) -> Iterator[tuple[int, Node | Skipped]]:
    for number, value in json_lines(found.path, found.name):
        yield number, value if isinstance(value, Skipped) else Node(value)


def _messages(value: Node) -> list[Node]:
    return value.nodes("messages") or value.nodes("conversations")


def _is_message(value: Node) -> bool:
    return not _messages(value) and ("role" in value or "from" in value)


def _words(said: Node) -> str:
    content = said.raw("content") if "content" in said else said.raw("value")
    if isinstance(content, str):
        return content
    parts = [Node(each).text("text", "refusal") if isinstance(each, dict) else each
             for each in (content if isinstance(content, list) else [])]  # fmt: skip
    return "\n".join(part for part in parts if isinstance(part, str) and part)


def _addresses(said: Node) -> Iterator[str]:
    """Yield the locations of a message's pictures and files: data URLs, paths, URLs."""
    for part in said.nodes("content"):
        for key in ("image_url", "file", "input_audio", "source", "image", "path", "file_path"):
            value = part.raw(key)
            if isinstance(value, str) and value:
                yield value
            inner = part.node(key)
            if inner.text("data", "file_data"):
                data = inner.text("data", "file_data")
                mime = inner.text("media_type") or _audio_type(inner.text("format"))
                yield data if data.startswith("data:") else f"data:{mime};base64,{data}"
            elif inner.text("url", "path"):
                yield inner.text("url", "path")
    for key in ("images", "image", "image_path"):
        values = said.values(key) or [said.raw(key)]
        yield from (value for value in values if isinstance(value, str) and value)


def _audio_type(form: str) -> str:
    return f"audio/{form}" if form.isalnum() else "application/octet-stream"


def _when(node: Node) -> datetime | None:
    for key in ("timestamp", "created_at", "create_time", "time", "date", "created"):
        found = moment(node.number(key)) or iso_moment(node.text(key) or "-")
        if found is not None:
            return found
    return None
