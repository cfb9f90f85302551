"""Any input to any importer of chats and documents has a typed outcome."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphmemix.errors import ImportSourceError
from graphmemix.ingest.builtin import built_in
from graphmemix.ingest.chats.slack import Slack
from graphmemix.ingest.media_sink import ArchiveMediaSink
from graphmemix.ingest.protocol import Found, Importer, Skipped
from graphmemix.memory import Memory
from tests.ingest.reading import met, written

OURS = [each for each in built_in() if each.name not in {"mail", "photos", "videos"}]
KEYS = [
    "messages", "mapping", "chat_messages", "conversations", "chats", "list", "id", "uuid", "type",
    "name", "role", "content", "text", "parts", "message", "author", "current_node", "parent",
    "children",
    "date", "date_unixtime", "sender", "body", "attachments", "path", "guild",
    "channel",
    "timestamp", "ID", "Timestamp", "Contents", "chatItem", "chatId", "recipient", "metadata",
    "url",
    "image_url", "file", "photo", "kind", "media", "ts", "user", "location_information", "latitude",
    "participants", "sender_name", "timestamp_ms", "photos", "uri", "share", "version", "post",
    "create_at", "replies", "textContent", "listContent", "labels", "filePath", "locations",
    "latitudeE7", "longitudeE7", "semanticSegments", "visit", "startTime", "endTime",
]  # fmt: skip
NASTY = st.sampled_from([
    None, True, -1, 0, 1e308, 10**25, -(10**25), "", "x", "../../etc/passwd", "/etc/passwd",
    "\ud800",
    "\0",
    "2024-13-45", "99999-01-01", "0001-01-01T00:00:00+23:59", "data:image/png;base64,!!!",
    "1e999", "file:///etc/passwd", "a" * 3000, "\u202e\u200f",
])  # fmt: skip
JSON = st.recursive(
    NASTY,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6)
    ),
    max_leaves=25,
)


def outcome(importer: Importer, found: Found) -> None:
    """Read everything; only memories, skipped parts and typed errors may come."""
    assert importer.recognises(found) in {True, False}
    try:
        list(importer.companions(found))
        for reading in importer.read(found, ArchiveMediaSink(None)):
            assert isinstance(reading, (Memory, Skipped))
            if isinstance(reading, Memory):
                assert all(medium.sha256 is None or medium.size for medium in reading.media)
    except ImportSourceError:
        pass


CAREFULLY = settings(
    max_examples=settings().max_examples,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.mark.parametrize("importer", OURS, ids=lambda each: each.name)
@CAREFULLY
@given(value=JSON, lines=st.booleans())
def test_any_json(tmp_path: Path, importer: Importer, value: Any, lines: bool) -> None:
    text = json.dumps(value)
    path = written(tmp_path, "in/x.json", f"{text}\n{text}" if lines else text)
    outcome(importer, met(path))


@pytest.mark.parametrize("importer", OURS, ids=lambda each: each.name)
@CAREFULLY
@given(start=st.sampled_from([
    b"", b"PK\x03\x04", b"%PDF-1.4\n", b"BEGIN:VCALENDAR\n", b"BEGIN:VCARD\n", b"<html>", b"[{",
    b"14/07/23, 21:22 - A: x\n", b'{"messages":[', b"ID,Timestamp,Contents,Attachments\n", b"---\n",
]), rest=st.binary(max_size=300))  # fmt: skip
def test_any_bytes(tmp_path: Path, importer: Importer, start: bytes, rest: bytes) -> None:
    outcome(importer, met(written(tmp_path, "in/x.md", start + rest)))


@pytest.mark.parametrize("importer", OURS, ids=lambda each: each.name)
def test_a_file_that_vanished_is_a_typed_error(tmp_path: Path, importer: Importer) -> None:
    path = tmp_path / "gone.json"
    found = Found(path, "gone.json", b'{"messages": [')
    importer.recognises(found)
    with pytest.raises(ImportSourceError, match=r"gone\.json"):
        list(importer.read(found, ArchiveMediaSink(None)))


@pytest.mark.parametrize("importer", OURS, ids=lambda each: each.name)
def test_deep_nesting_is_a_typed_outcome(tmp_path: Path, importer: Importer) -> None:
    for text in ("[" * 100_000, '{"messages":' * 50_000, '{"mapping":{"a":' * 50_000):
        outcome(importer, met(written(tmp_path, "in/x.json", text)))


@pytest.mark.parametrize("importer", OURS, ids=lambda each: each.name)
def test_a_folder_is_a_typed_outcome(tmp_path: Path, importer: Importer) -> None:
    found = Found(tmp_path, "folder", is_folder=True)
    assert importer.recognises(found) is False


@CAREFULLY
@given(day=JSON, users=JSON)
def test_any_day_of_a_slack_export(tmp_path: Path, day: Any, users: Any) -> None:
    root = tmp_path / "space"
    written(root, "users.json", json.dumps(users))
    written(root, "channels.json", json.dumps(users))
    written(root, "general/2024-01-01.json", json.dumps(day))
    outcome(Slack(), met(root))
