"""Telegram exports as its documented schema has them; contents are invented."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from PIL import Image

from graphmemix.errors import ImportSourceError
from graphmemix.ingest.chats.telegram import Telegram
from graphmemix.ingest.media_sink import ArchiveMediaSink
from graphmemix.memory import Memory, Reference
from tests.ingest.reading import met, read, read_anyway, written


def said(number: int, text: Any, **fields: Any) -> dict[str, Any]:
    return {
        "id": number,
        "type": "message",
        "date": f"2023-07-14T10:00:{number % 60:02}",
        "date_unixtime": str(1689328800 + number),
        "from": "Ida",
        "from_id": "user501",
        "text": text,
        "text_entities": [],
        **fields,
    }


def export(folder: Path, messages: list[dict[str, Any]], **fields: Any) -> Path:
    chat = {"name": "Ida Rot", "type": "personal_chat", "id": 4711, "messages": messages} | fields
    return written(folder / "ChatExport", "result.json", json.dumps(chat, indent=1))


def test_messages_have_speaker_time_session_and_position(tmp_path: Path) -> None:
    path = export(tmp_path, [said(1, "first"), said(2, "second", **{"from": "Ole"})])
    (first, second), skipped = read(Telegram(), path)
    assert (first.text, first.speaker, first.sequence, skipped) == ("first", "Ida", 0, [])
    assert (second.speaker, second.session) == ("Ole", "telegram:4711")
    assert first.timestamp == datetime(2023, 7, 14, 10, 0, 1, tzinfo=UTC)
    assert first.metadata == {"chat": "Ida Rot"}


def test_a_chat_that_other_programs_cut_down_is_recognised(tmp_path: Path) -> None:
    words = [{"type": "message", "date_unixtime": "1544006350", "from": "Ida", "text": "Hi"}]
    path = written(tmp_path / "Family", "chat.json", json.dumps({"messages": words}))
    (memory,), _ = read(Telegram(), path)
    assert (memory.speaker, memory.text, memory.session) == ("Ida", "Hi", "telegram:Family")
    assert memory.timestamp == datetime(2018, 12, 5, 10, 39, 10, tzinfo=UTC)


def test_a_text_of_entities_is_joined_and_links_keep_their_address(tmp_path: Path) -> None:
    parts = [
        "Tickets: ",
        {"type": "text_link", "text": "here", "href": "https://tickets.example/77"},
        " for ",
        {"type": "mention", "text": "@ole"},
        {"type": "bold", "text": "!"},
    ]
    (memory,), _ = read(Telegram(), export(tmp_path, [said(1, parts)]))
    assert memory.text == "Tickets: here <https://tickets.example/77> for @ole!"


def test_reactions_are_kept_with_who_gave_them(tmp_path: Path) -> None:
    given = [
        {"type": "emoji", "count": 2, "emoji": "❤", "recent": [
            {"from": "Ole", "from_id": "user2"}, {"from_id": "user3"}]},
        {"type": "emoji", "count": 5, "emoji": "👍"},
        {"type": "custom_emoji", "count": 1, "document_id": "(File not included)"},
    ]  # fmt: skip
    (memory,), _ = read(Telegram(), export(tmp_path, [said(1, "tickets!", reactions=given)]))
    assert memory.metadata["reactions"] == ["Ole: ❤", "user3: ❤", "👍 (5)"]


def test_a_reply_names_the_message_that_it_answers(tmp_path: Path) -> None:
    path = export(tmp_path, [said(7, "when?"), said(8, "at six", reply_to_message_id=7)])
    question, answer = read(Telegram(), path)[0]
    assert answer.references == (Reference("reply_to", question.source_id),)


def test_media_are_kept_and_missing_ones_are_known(tmp_path: Path) -> None:
    messages = [
        said(1, "the lake", photo="photos/photo_1@14-07-2023_10-00-01.jpg", width=4, height=3),
        said(2, "", file="files/plan.pdf", mime_type="application/pdf", file_name="plan.pdf"),
        said(3, "", file="(File not included. Change data exporting settings to download.)",
             media_type="voice_message", mime_type="audio/ogg", file_name="voice.ogg"),
    ]  # fmt: skip
    path = export(tmp_path, messages)
    (path.parent / "photos").mkdir()
    photo = path.parent / "photos/photo_1@14-07-2023_10-00-01.jpg"
    Image.new("RGB", (4, 3)).save(photo)
    memories, skipped = read(Telegram(), path)
    assert memories[0].media[0].sha256 is not None
    assert memories[0].media[0].modality == "image"
    assert (memories[1].media[0].sha256, memories[1].media[0].name) == (None, "plan.pdf")
    assert (memories[2].media[0].modality, memories[2].media[0].sha256) == ("audio", None)
    assert [each.reason for each in skipped] == ["file not found"]
    assert list(Telegram().companions(met(path))) == [photo]


def test_a_whole_account_is_read_chat_by_chat(tmp_path: Path) -> None:
    account = {
        "about": "Here is the data you requested.",
        "personal_information": {"user_id": 1, "first_name": "Ole", "phone_number": "+43"},
        "contacts": {"list": [{"first_name": "Ida"}]},
        "chats": {
            "about": "",
            "list": [
                {"name": "Ida", "type": "personal_chat", "id": 1, "messages": [said(1, "a")]},
                {"name": None, "type": "saved_messages", "id": 2, "messages": [said(1, "b")]},
            ],
        },
        "left_chats": {"list": [{"name": "Old", "type": "private_group", "id": 3,
                                 "messages": [said(1, "c")]}]},
    }  # fmt: skip
    path = written(tmp_path, "result.json", json.dumps(account))
    memories, _ = read(Telegram(), path)
    assert [(m.session, m.text) for m in memories] == [
        ("telegram:1", "a"), ("telegram:2", "b"), ("telegram:3", "c"),
    ]  # fmt: skip
    assert memories[1].metadata["chat"] == "Saved Messages"


def test_service_messages_places_contacts_and_polls_have_words(tmp_path: Path) -> None:
    messages = [
        {"id": 1, "type": "service", "date": "2023-07-14T10:00:00", "date_unixtime": "1689328800",
         "actor": "Ida", "actor_id": "user501", "action": "create_group", "title": "Hiking",
         "members": ["Ida", "Ole"], "text": ""},
        said(2, "", location_information={"latitude": 47.07, "longitude": 15.43},
             place_name="Schlossberg", address="Graz"),
        said(3, "", contact_information={"first_name": "Max", "last_name": "Grün",
                                         "phone_number": "+43 660 1"}),
        said(4, "", poll={"question": "Which day?", "closed": False,
                          "answers": [{"text": "Sat", "voters": 1}, {"text": "Sun", "voters": 2}]}),
    ]  # fmt: skip
    notice, place, contact, poll = read(Telegram(), export(tmp_path, messages))[0]
    assert (notice.text, notice.metadata["system"]) == ("create group: Hiking", True)
    assert place.place is not None
    assert (place.place.name, place.place.latitude) == ("Schlossberg", 47.07)
    assert contact.text == "Max Grün +43 660 1"
    assert poll.text == "Which day?\n- Sat\n- Sun"


def test_old_exports_have_clock_times_in_the_configured_zone(tmp_path: Path) -> None:
    old = said(1, "x")
    del old["date_unixtime"]
    (memory,), _ = read(Telegram(ZoneInfo("Europe/Vienna")), export(tmp_path, [old]))
    assert memory.timestamp == datetime(2023, 7, 14, 8, 0, 1, tzinfo=UTC)
    assert memory.metadata["zone"] == "Europe/Vienna"


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "photos/../../x", "link"])
def test_paths_never_lead_out(tmp_path: Path, name: str) -> None:
    path = export(tmp_path, [said(1, "x", file=name)])
    (path.parent / "link").symlink_to("/etc/hostname")
    (memory,), skipped = read(Telegram(), path)
    assert memory.media[0].sha256 is None
    assert [each.reason for each in skipped] == ["names a file outside its folder"]
    assert list(Telegram().companions(met(path))) == []


def test_what_was_read_before_the_file_breaks_off_stands(tmp_path: Path) -> None:
    path = export(tmp_path, [said(i, f"m{i}") for i in range(200)])
    path.write_bytes(path.read_bytes()[:-3000])
    readings = Telegram().read(met(path), ArchiveMediaSink(None))
    got = list(islice(readings, 150))
    assert [m.text for m in got if isinstance(m, Memory)] == [f"m{i}" for i in range(150)]
    with pytest.raises(ImportSourceError, match=r"result\.json"):
        list(readings)


def test_strange_fields_never_raise(tmp_path: Path) -> None:
    odd: list[Any] = [
        said(1, None), said(2, {"a": 1}), said(3, [1, None, {"text": 5}]), "no object", None, [],
        {"id": None}, said(4, "x", date_unixtime="1e400"), said(5, "y", date_unixtime=-(10**30)),
        said(6, "z", location_information={"latitude": 999, "longitude": "x"}, photo=7, file=[]),
    ]  # fmt: skip
    path = export(tmp_path, odd)
    memories, skipped = read_anyway(Telegram(), met(path))
    assert [m.text for m in memories] == ["", "", "", "", "x", "y", "z"]
    assert len(skipped) == 3


def test_deep_nesting_is_a_typed_error(tmp_path: Path) -> None:
    deep = '{"name":"a","type":"x","id":1,"messages":[' + "[" * 200_000 + "]" * 200_000 + "]}"
    with pytest.raises(ImportSourceError, match="nested too deeply"):
        read_anyway(Telegram(), met(written(tmp_path, "result.json", deep)))


def test_calls_lists_bills_and_songs_have_words(tmp_path: Path) -> None:
    call = {"type": "service", "action": "phone_call", "actor": "Ida"}
    answers = [{"text": "Rope", "id": 1}, {"text": ["Map ", {"type": "bold", "text": "A"}]}]
    bill = {"title": "Boat", "description": "two days", "amount": 5000, "currency": "EUR"}
    missing = "(File exceeds maximum size. Change data exporting settings to download.)"
    memories, _ = read(Telegram(), export(tmp_path, [
        said(1, "", **call, duration_seconds=65, discard_reason="hangup"),
        said(2, "", **call, discard_reason="missed"),
        said(3, "", todo_list={"title": "Packing", "answers": answers}),
        said(4, "", invoice_information=bill),
        said(5, "", file=missing, media_type="audio_file", performer="Band", title="Song"),
    ]))  # fmt: skip
    assert [memory.text for memory in memories] == [
        "phone call: 65 s", "phone call: missed", "Packing\n- Rope\n- Map A",
        "Boat\ntwo days\n50.00 EUR", "Band: Song",
    ]  # fmt: skip
