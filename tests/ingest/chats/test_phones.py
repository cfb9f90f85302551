"""SMS Backup & Restore, and Apple's Messages."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from graphmemix.errors import ImportSourceError
from graphmemix.ingest.chats.imessage import IMessage, archived_text
from graphmemix.ingest.chats.sms import Sms
from graphmemix.ingest.media_sink import ArchiveMediaSink
from graphmemix.ingest.protocol import Reading
from graphmemix.memory import Memory
from tests.ingest.blind.social import archived, imessage, sms
from tests.ingest.reading import met, read, read_anyway, written


def test_a_backup_of_sms_field_by_field(tmp_path: Path) -> None:
    memories, skipped = read(Sms(), sms(tmp_path / "in"))
    assert skipped == []
    answer, question, draft, pictures = memories
    assert (question.text, question.speaker) == ("Kommst du?\nUm acht?", "Jürgen")
    assert question.timestamp == datetime(2023, 11, 14, 22, 15, tzinfo=UTC)
    assert (answer.text, answer.speaker) == ("Ja 😀 & danke\ufffd", "me")
    assert question.session == answer.session == "sms:+43660111"
    assert (question.sequence, answer.sequence) == (0, 1)
    assert question.metadata == {"chat": "Jürgen", "numbers": ["+43660111"]}
    assert (draft.metadata["status"], draft.metadata["chat"]) == ("draft", "+43660222")
    assert (pictures.text, pictures.speaker) == ("Fotos\nVom See", "Vera")
    assert pictures.session == "sms:+43660111~+43660333"
    assert [(each.name, each.mime) for each in pictures.media] == [("IMG_1.jpg", "image/jpeg")]


def test_a_backup_that_is_cut_off_keeps_what_came_before(tmp_path: Path) -> None:
    path = sms(tmp_path / "in")
    path.write_bytes(path.read_bytes().partition(b"<mms")[0])
    readings: list[Reading] = []
    with pytest.raises(ImportSourceError, match="ends too early"):
        readings.extend(Sms().read(met(path), ArchiveMediaSink(None)))
    assert [type(each) for each in readings] == [Memory] * 3


def test_a_damaged_picture_costs_itself_alone(tmp_path: Path) -> None:
    path = sms(tmp_path / "in")
    text = path.read_text("utf-8")
    start = text.index('data="') + 6
    path.write_text(text[:start] + "!" + text[text.index('"', start) :], "utf-8")
    memories, (skip,) = read(Sms(), path)
    assert len(memories) == 4
    assert skip.reason == "its content is missing or damaged"


def test_a_backup_with_entities_is_refused(tmp_path: Path) -> None:
    bomb = (
        '<!DOCTYPE smses [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><smses><sms body="&b;"/></smses>'
    )
    with pytest.raises(ImportSourceError, match="declares entities"):
        read(Sms(), written(tmp_path, "a.xml", bomb))


def test_a_record_without_sender_and_date_is_skipped_by_name(tmp_path: Path) -> None:
    text = '<smses><sms body="x"/><sms address="1" date="1700000000000" type="1" body="y"/></smses>'
    (memory,), (skip,) = read(Sms(), written(tmp_path, "in/a.xml", text))
    assert (memory.text, skip.name) == ("y", "a.xml message 1")


@pytest.mark.parametrize("text", ["<calls><call/></calls>", "smses", "<a/>", "<smsesx/>"])
def test_other_xml_is_not_recognised(tmp_path: Path, text: str) -> None:
    assert not Sms().recognises(met(written(tmp_path, "a.xml", text)))


def test_a_database_of_messages_field_by_field(tmp_path: Path) -> None:
    memories, skipped = read(IMessage(), imessage(tmp_path))
    assert skipped == []
    named, photo, question, answer = memories
    assert (question.text, question.speaker) == ("Kommst du?", "+43660111")
    assert question.timestamp == datetime(2023, 11, 14, 22, 0, tzinfo=UTC)
    assert (question.session, question.source_id) == ("imessage:iMessage;-;+43660111", "G1")
    assert question.metadata["reactions"] == ["me: loved"]
    assert (answer.text, answer.speaker) == ("Ja, um acht " + "é" * 70, "me")
    assert [reference.source_id for reference in answer.references] == ["G1"]
    assert (question.sequence, answer.sequence) == (0, 1)
    assert (photo.text, photo.metadata["chat"]) == ("", "Ausflug")
    assert [(each.name, bool(each.sha256)) for each in photo.media] == [
        ("IMG_1.jpg", True),
        ("gone.mov", False),
    ]
    assert (named.text, named.metadata["system"]) == ("named the conversation Ausflug", True)
    assert named.timestamp == datetime(2023, 11, 14, 22, 2, 20, tzinfo=UTC)  # in seconds


def test_messages_in_the_log_are_read_and_nothing_is_changed(tmp_path: Path) -> None:
    path = imessage(tmp_path / "in")
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("INSERT INTO message (guid, text, date) VALUES ('G9', 'newest', 1)")
        database.commit()
        shutil.copytree(tmp_path / "in", tmp_path / "copy")
    copy = tmp_path / "copy" / "chat.db"
    before = {each.name: each.read_bytes() for each in copy.parent.glob("chat.db*")}
    memories, _ = read(IMessage(), copy)
    assert "newest" in [memory.text for memory in memories]
    assert {each.name: each.read_bytes() for each in copy.parent.glob("chat.db*")} == before
    names = sorted(each.name for each in IMessage().companions(met(copy)))
    assert names == ["IMG_1.jpg", "chat.db-shm", "chat.db-wal"]


def test_a_database_of_an_old_version_is_read(tmp_path: Path) -> None:
    path = imessage(tmp_path)
    with closing(sqlite3.connect(path)) as database:
        for name in ("associated_message_type", "thread_originator_guid", "attributedBody"):
            database.execute(f"ALTER TABLE message DROP COLUMN {name}")
        database.execute("DROP TABLE message_attachment_join")
        database.commit()
    memories, skipped = read(IMessage(), path)
    assert (len(memories), skipped) == (5, [])


def test_a_damaged_database_is_a_typed_error(tmp_path: Path) -> None:
    path = imessage(tmp_path)
    data = bytearray(path.read_bytes())
    data[4096 * 3 :] = b"\xff" * (len(data) - 4096 * 3)
    path.write_bytes(data)
    with pytest.raises(ImportSourceError, match=r"chat\.db"):
        read_anyway(IMessage(), met(path))


def test_other_databases_are_not_recognised(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "a.db")) as database:
        database.execute("CREATE TABLE message (id)")
    assert not IMessage().recognises(met(tmp_path / "a.db"))
    assert not IMessage().recognises(
        met(written(tmp_path, "b.db", b"SQLite format 3\0" + bytes(90)))
    )


@pytest.mark.parametrize("text", ["", "kurz", "ä" * 70, "x" * 40_000])
def test_archived_texts_of_any_length(text: str) -> None:
    assert archived_text(archived(text)) == text


@pytest.mark.parametrize(
    "data", [b"", b"NSString", b"NSString+", b"NSString+\x81\xff", b"\xff" * 9]
)
def test_a_damaged_archived_text_has_no_words(data: bytes) -> None:
    assert archived_text(data) == ""


def test_a_message_of_two_chats_is_one_and_one_of_none_is_read(tmp_path: Path) -> None:
    path = imessage(tmp_path / "in")
    with closing(sqlite3.connect(path)) as database:
        for row, text in ((10, "of none"), (11, "of both")):
            database.execute(
                "INSERT INTO message (ROWID, guid, text, handle_id, date, is_from_me) "
                "VALUES (?, ?, ?, 1, 721692200000000000, 0)",
                (row, f"G{row}", text),
            )
        database.executemany("INSERT INTO chat_message_join VALUES (?, 11)", [(1,), (2,)])
        database.commit()
    memories, skipped = read(IMessage(), path)
    sessions = {memory.text: memory.session for memory in memories if memory.text[:2] == "of"}
    assert sessions == {
        "of none": "imessage:+43660111", "of both": "imessage:iMessage;+;chat7",
    }  # fmt: skip
    assert len({memory.source_id for memory in memories}) == len(memories)
    assert skipped == []
