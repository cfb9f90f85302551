"""Outlook messages: what becomes of each property, and of damaged files."""

from __future__ import annotations

import struct
from datetime import UTC, datetime
from pathlib import Path

import pytest

from graphmemix.errors import ImportSourceError
from graphmemix.ingest.compound import Compound
from graphmemix.ingest.mail.outlook import OutlookMessage
from graphmemix.ingest.mail.outlook_body import unpacked_rtf
from tests.ingest.compound_files import below, compound, outlook_message, properties
from tests.ingest.reading import met, read, read_anyway, written

# The example of [MS-OXRTFCP] section 4.1.
COMPRESSED = bytes.fromhex(
    "2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af3"
    "2068656c090020627705b06c647d0a800fa0"
)


def test_a_message_field_by_field(tmp_path: Path) -> None:
    memories, skipped = read(OutlookMessage(UTC), outlook_message(tmp_path / "a.msg"))
    assert skipped == []
    mail, note, carried = memories
    assert (mail.kind, mail.source, mail.source_id) == ("email", "mail", "<1@example.org>")
    assert mail.text == "Ferienhaus in Kärnten\n\nDer Schlüssel liegt bei Olga."
    assert mail.speaker == "Huber, Anna"
    assert mail.timestamp == datetime(2023, 7, 14, 9, 30, tzinfo=UTC)
    assert mail.session == "<0@example.org>"
    assert [(each.relation, each.source_id) for each in mail.references] == [
        ("reply_to", "<0@example.org>")
    ]
    assert mail.metadata["from"] == "Huber, Anna <anna@example.org>"
    assert mail.metadata["to"] == ["Ben <ben@example.org>"]
    assert mail.metadata["cc"] == ["Cleo"]  # a mailbox within Exchange has no address
    assert [each.name for each in mail.media] == ["haus.png"]
    assert (note.text, note.metadata["filename"]) == ("Ring twice.", "Anreise.txt")
    assert carried.text == "Weitergeleitet\n\nAlte Nachricht"
    assert {each.source_id for each in carried.references} == {"<1@example.org>"}


def test_a_received_header_comes_before_properties(tmp_path: Path) -> None:
    header = "From: real@example.org\r\nMessage-ID: <9@x>\r\nContent-Type: text/html\r\n"
    streams = properties({0x7D: header, 0x5D02: "other@x", 0x1000: "hi"}, header=32)
    (mail,), _ = read(OutlookMessage(), written(tmp_path, "in/a.msg", compound(streams)))
    assert (mail.speaker, mail.source_id, mail.text) == ("real@example.org", "<9@x>", "hi")


def test_a_body_that_is_only_compressed_rich_text(tmp_path: Path) -> None:
    streams = properties({0x37: "s", 0x1009: COMPRESSED}, header=32)
    (mail,), _ = read(OutlookMessage(), written(tmp_path, "in/a.msg", compound(streams)))
    assert mail.text == "s\n\nhello world"


def test_compressed_rich_text_that_is_cut_or_is_not() -> None:
    assert unpacked_rtf(COMPRESSED).startswith(b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}")
    assert unpacked_rtf(COMPRESSED[:30]) == b"{\\rtf1\\ansi\\ansicpg1252"
    assert unpacked_rtf(b"") == b""
    assert unpacked_rtf(bytes(40)) == b""
    plain = (30).to_bytes(4, "little") + (5).to_bytes(4, "little") + b"MELA" + bytes(4)
    assert unpacked_rtf(plain + b"{\\rtf") == b"{\\rtf"


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("IPM.Contact", "an Outlook contact; save it as vCard"),
        ("IPM.Appointment", "an Outlook appointment; save it as iCalendar"),
    ],
)
def test_other_items_of_outlook_are_named(tmp_path: Path, kind: str, reason: str) -> None:
    data = compound(properties({0x1A: kind, 0x37: "x"}, header=32))
    memories, (skipped,) = read(OutlookMessage(), written(tmp_path, "in/a.msg", data))
    assert (memories, skipped.reason) == ([], reason)


def test_an_attachment_that_cannot_be_read_costs_itself_alone(tmp_path: Path) -> None:
    path = outlook_message(tmp_path / "a.msg")
    data = path.read_bytes().replace(b"\x89PNG", b"XXXX").replace(b"Ring twice.", b"\0" * 11)
    path.write_bytes(data)
    memories, _ = read(OutlookMessage(), path)
    assert [memory.kind for memory in memories] == ["email", "document", "email"]


def test_an_attachment_without_content_is_named(tmp_path: Path) -> None:
    streams = properties({0x37: "s", 0x1000: "hi"}, header=32)
    linked = properties({0x3707: "plan.docx", 0x3705: 7}, header=8)
    streams |= below("__attach_version1.0_#00000000", linked)
    path = written(tmp_path, "in/a.msg", compound(streams))
    (mail,), (skip,) = read(OutlookMessage(), path)
    assert (mail.text, skip.name) == ("s\n\nhi", "a.msg, attachment plan.docx")
    assert skip.reason == "its content is not in the file"


def test_files_of_other_programs_are_not_recognised(tmp_path: Path) -> None:
    word = written(tmp_path, "a.msg", compound({"WordDocument": bytes(10)}))
    assert not OutlookMessage().recognises(met(word))
    assert not OutlookMessage().recognises(met(written(tmp_path, "b.msg", "From: a@x\n\nhi")))


def test_a_file_that_is_cut_off_is_a_typed_error(tmp_path: Path) -> None:
    data = outlook_message(tmp_path / "a.msg").read_bytes()
    for size in (8, 400, 600, 2000):
        with pytest.raises(ImportSourceError, match=r"a\.msg: is damaged"):
            read_anyway(OutlookMessage(), met(written(tmp_path, "in/a.msg", data[:size])))


def test_streams_of_any_size_are_read_back(tmp_path: Path) -> None:
    streams = {"small": b"a" * 100, "deep/er/large": b"b" * 70_000, "deep/empty": b"", "z": b"c"}
    path = written(tmp_path, "a", compound(streams))
    with Compound(path, "a") as file:
        assert {name: file.read(name) for name in file.streams()} == streams
        assert file.storages("deep/") == ["deep/er/"]


def test_sectors_in_a_circle_end(tmp_path: Path) -> None:
    data = bytearray(compound({"large": b"b" * 70_000}))
    table = len(data) - 2 * 512
    data[table : table + 4] = bytes(4)  # the first sector follows itself
    with Compound(written(tmp_path, "a", bytes(data)), "a") as file:
        assert len(file.read("large")) <= 70_000


def test_a_page_that_is_in_the_rich_text_alone(tmp_path: Path) -> None:
    rich = (
        rb"{\rtf1\ansi\fromhtml1 {\*\htmltag64 <p>}Olga {\*\htmltag84 &amp;}\htmlrtf &\htmlrtf0 "
        rb" Ben"
        rb"{\*\htmltag72 </p>}{\*\htmltag64 <p>}at nine{\*\htmltag72 </p>}}"
    )
    packed = struct.pack("<II4sI", len(rich) + 12, len(rich), b"MELA", 0) + rich
    streams = properties({0x1A: "IPM.Note", 0x37: "Hut", 0x1009: packed}, header=32)
    [memory], _ = read(OutlookMessage(), written(tmp_path, "a.msg", compound(streams)))
    assert memory.text == "Hut\n\nOlga & Ben\n\nat nine"
