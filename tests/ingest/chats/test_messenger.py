"""Facebook Messenger and Instagram."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from graphmemix.errors import ImportSourceError
from graphmemix.ingest.chats.messenger import Messenger
from tests.ingest.blind import social
from tests.ingest.blind.social import encrypted_messenger, messenger
from tests.ingest.reading import met, read, read_anyway, written


def chat(messages: object) -> str:
    return json.dumps({"participants": [{"name": "Mia"}], "messages": messages})


def test_a_chat_field_by_field(tmp_path: Path) -> None:
    memories, skipped = read(Messenger(), messenger(tmp_path))
    assert skipped == []
    hello, left, photo, shared, called, unsent = memories
    assert (hello.text, hello.speaker) == ("Grüße 👋", "Jürgen Weiß")
    assert hello.timestamp == datetime(2023, 11, 14, 22, 15, tzinfo=UTC)
    assert {memory.session for memory in memories} == {"messenger:jurgen_1700"}
    assert [memory.sequence for memory in memories] == list(range(6))
    assert hello.metadata == {"chat": "Jürgen Weiß"}
    assert left.metadata["system"] is True
    assert [medium.name for medium in photo.media] == ["1.jpg"]
    assert photo.media[0].sha256 is not None
    assert photo.metadata["reactions"] == ["Mia: ❤"]
    assert shared.text == "Eisbären\nhttps://example.org/zoo"
    assert [(medium.mime, bool(medium.sha256)) for medium in shared.media] == [("image/png", True)]
    assert (called.text, called.metadata["call"]) == ("Mia hat dich angerufen.", "63 s")
    assert (unsent.text, unsent.metadata["unsent"]) == ("Mia unsent a message", True)


def test_files_of_a_chat_and_their_media_are_read_with_the_first(tmp_path: Path) -> None:
    first = messenger(tmp_path)
    names = sorted(path.name for path in Messenger().companions(met(first)))
    assert names == ["1.jpg", "7.png", "message_2.json"]
    assert list(Messenger().companions(met(first.with_name("message_2.json")))) == []


def test_an_encrypted_chat(tmp_path: Path) -> None:
    (asked, told), skipped = read(Messenger(), encrypted_messenger(tmp_path / "in"))
    assert skipped == []
    assert (asked.text, asked.speaker, asked.session) == ("Wo?", "Jürgen", "messenger:Jürgen_12")
    assert asked.metadata["reactions"] == ["Mia: 👍"]
    assert (told.text, told.media[0].name) == ("Das Café", "2.jpg")
    assert told.media[0].sha256 is not None


def test_a_later_export_keeps_the_ids_of_what_was_there(tmp_path: Path) -> None:
    old = [{"sender_name": "Mia", "timestamp_ms": 1000 * n, "content": "ok"} for n in (2, 1)]
    new = [{"sender_name": "Mia", "timestamp_ms": 3000, "content": "ok"}, *old]
    before, _ = read(Messenger(), written(tmp_path, "1/x_1/message_1.json", chat(old)))
    after, _ = read(Messenger(), written(tmp_path, "2/x_1/message_1.json", chat(new)))
    assert [memory.id for memory in after[:2]] == [memory.id for memory in before]


def test_a_bad_message_costs_itself_alone(tmp_path: Path) -> None:
    messages = [{"sender_name": "Mia", "content": "good", "timestamp_ms": 1}, 7, {"content": "x"}]
    memories, skipped = read(Messenger(), written(tmp_path, "x/message_1.json", chat(messages)))
    assert [memory.text for memory in memories] == ["good"]
    assert [skip.reason for skip in skipped] == ["is not a message"] * 2


def test_a_bad_file_of_a_chat_costs_itself_alone(tmp_path: Path) -> None:
    first = messenger(tmp_path)
    first.with_name("message_2.json").write_text('{"participants": [')
    memories, (skip,) = read(Messenger(), first)
    assert len(memories) == 4
    assert "message_2.json" in skip.name


def test_a_chat_without_its_media_names_them(tmp_path: Path) -> None:
    first = messenger(tmp_path)
    (first.parent / "photos/1.jpg").unlink()
    memories, (skip,) = read(Messenger(), first)
    assert memories[2].media[0].sha256 is None
    assert skip.reason == "file not found"


@pytest.mark.parametrize("uri", ["../../../secret.jpg", "/etc/passwd", "x_1/../../secret.jpg"])
def test_media_outside_the_chat_are_refused(tmp_path: Path, uri: str) -> None:
    written(tmp_path, "secret.jpg", b"\xff\xd8\xff")
    messages = [{"sender_name": "Mia", "timestamp_ms": 1, "photos": [{"uri": uri}]}]
    path = written(tmp_path, "in/x_1/message_1.json", chat(messages))
    (memory,), (skip,) = read(Messenger(), path)
    assert memory.media[0].sha256 is None
    assert "outside" in skip.reason
    assert list(Messenger().companions(met(path))) == []


@pytest.mark.parametrize("text", [
    '{"guild": {"id": "1"}, "channel": {"id": "2", "name": "c"}, "messages": [{"id": "1"}]}',
    '{"name": "n", "type": "personal_chat", "id": 1, "messages": [{"id": 1, "date": "x"}]}',
    '{"messages": [{"role": "user", "content": "x"}]}',
    '{"participants": [{"name": "a"}], "results": []}',
    "[]", "", "text",
])  # fmt: skip
def test_other_files_are_not_recognised(tmp_path: Path, text: str) -> None:
    assert not Messenger().recognises(met(written(tmp_path, "a.json", text)))


def test_a_chat_that_is_no_json_is_a_typed_error(tmp_path: Path) -> None:
    with pytest.raises(ImportSourceError, match=r"message_1\.json"):
        read_anyway(Messenger(), met(written(tmp_path, "x/message_1.json", '{"messages": [{')))


def test_a_chat_of_instagram(tmp_path: Path) -> None:
    (shared, voice, heart), skipped = read(Messenger(), social.instagram(tmp_path / "in"))
    assert skipped == []
    assert shared.text == (
        "mia sent an attachment.\nKäsekuchen ohne Boden\nPost by backstube\n"
        "https://www.instagram.com/p/abc/"
    )
    assert (voice.speaker, voice.metadata["reactions"]) == ("Véra", ["mia: ❤"])
    assert [(medium.modality, medium.name) for medium in voice.media] == [("audio", "1.mp4")]
    assert (heart.text, heart.session) == ("Liked a message", "messenger:vera_1800")


def test_a_shared_profile_and_letters_that_are_partly_repaired(tmp_path: Path) -> None:
    said = [
        {"sender_name": "V", "timestamp_ms": 1700000100000,
         "share": {"profile_share_username": "chef", "profile_share_name": social.garbled("Zoë")}},
        {"sender_name": "V", "timestamp_ms": 1700000200000,
         "content": f"{social.garbled('Café')} \U0001f600 \u00e9\u00e8"},
    ]  # fmt: skip
    chat = {"participants": [{"name": "V"}], "messages": said, "thread_path": "inbox/v_1"}
    path = written(tmp_path / "in" / "v_1", "message_1.json", json.dumps(chat))
    memories, _ = read(Messenger(), path)
    assert [memory.text for memory in memories] == ["Profile of Zoë", "Café \U0001f600 éè"]
