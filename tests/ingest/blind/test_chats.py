"""Chats: who said what and when, answers, media, in the export's own clock."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.ingest.blind import chats
from tests.ingest.blind.gold import ingested, memories, replies, spoken, utc, words

if TYPE_CHECKING:
    from pathlib import Path

    from graphmemix.memory import Memory


def _pictures(found: list[Memory]) -> list[tuple[str | None, str, bool]]:
    return [
        (memory.speaker, medium.name, medium.sha256 is not None)
        for memory in found
        for medium in memory.media
        if medium.modality == "image"
    ]


def _said(found: list[Memory]) -> list[tuple[str | None, str | None, str]]:
    return [(who, when, words(text)) for who, when, text in spoken(found) if text]


def test_android_german(tmp_path: Path) -> None:
    name = "WhatsApp Chat mit Kanu.txt"
    folder = chats.whatsapp(
        tmp_path / "w", chats.ANDROID_GERMAN, "IMG-20240324-WA0001.jpg", name=name
    )
    found = memories(folder, home=tmp_path)
    said = _said(found)
    assert said[:2] == [
        (
            "Jana Roth",
            "2024-03-24T17:05:00Z",
            "Wer bringt Seile mit? Und: wer fährt? Bitte bis 19:00 antworten.",
        ),
        ("+43 660 1234567", "2024-03-24T17:06:00Z", "Ich. Treffpunkt: Brücke"),
    ]
    assert ("Jana Roth", "2024-03-24T17:07:00Z", "Die Boote") in said
    assert said[-1] == ("Tom", "2024-03-31T01:30:00Z", "Nach der Umstellung")  # summer time
    assert _pictures(found) == [("Jana Roth", "IMG-20240324-WA0001.jpg", True)]
    assert {m.speaker for m in found if m.speaker} == {"Jana Roth", "+43 660 1234567", "Tom"}
    sessions = {m.session for m in found if m.speaker}
    assert len(sessions) == 1
    assert "Kanu" in str(sessions.pop())
    first = next(m for m in found if "Seile" in m.text)
    assert "\n\nBitte" in first.text


def test_ios_english(tmp_path: Path) -> None:
    photo = "00000003-PHOTO-2024-03-24-18-06-30.jpg"
    found = memories(chats.whatsapp(tmp_path / "w", chats.IOS_ENGLISH, photo), home=tmp_path)
    said = _said(found)
    assert ("Jana Roth", "2024-03-24T17:05:12Z", "Who brings ropes? Second line: here") in said
    assert ("Jana Roth", "2024-03-25T11:31:00Z", "At noon") in said
    (midnight,) = [m for m in found if "Midnight" in m.text]
    assert (midnight.speaker, utc(midnight)) == ("Vera", "2024-03-24T23:01:00Z")
    assert _pictures(found)[0] == ("Tom", photo, True)
    assert not [m for m in found if "encrypted" in m.text and m.speaker]
    assert not [m for m in found if "attached" in m.text or "\u200e" in m.text]


def test_brazilian(tmp_path: Path) -> None:
    folder = chats.whatsapp(
        tmp_path / "w",
        chats.BRAZILIAN,
        "IMG-20240324-WA0002.jpg",
        name="Conversa do WhatsApp com Canoa.txt",
    )
    found = memories(folder, home=tmp_path, zone="America/Sao_Paulo")
    said = _said(found)
    assert said[0] == ("Joana", "2024-03-24T21:05:00Z", "Quem traz as cordas?")
    assert said[-1] == ("Tomás", "2024-03-24T21:08:00Z", "Eu levo duas")
    assert _pictures(found) == [("Tomás", "IMG-20240324-WA0002.jpg", True)]
    assert {m.speaker for m in found if m.speaker} == {"Joana", "Tomás"}


def test_indian(tmp_path: Path) -> None:
    folder = chats.whatsapp(tmp_path / "w", chats.INDIAN, name="WhatsApp Chat with Canoe.txt")
    found = memories(folder, home=tmp_path, zone="Asia/Kolkata")
    assert _said(found)[0] == ("Asha", "2024-03-24T12:35:00Z", "Who brings the ropes?")
    assert _said(found)[-1] == ("Asha", "2024-03-24T18:40:00Z", "Good night")


def test_italian(tmp_path: Path) -> None:
    photo = "00000004-PHOTO-2024-03-24-18-06-30.jpg"
    found = memories(chats.whatsapp(tmp_path / "w", chats.ITALIAN, photo), home=tmp_path)
    said = _said(found)
    assert ("Gianna", "2024-03-24T17:05:12Z", "Chi porta le corde?") in said
    assert said[-1] == ("Tommaso", "2024-03-24T17:08:00Z", "Io: due")
    assert _pictures(found)[0] == ("Tommaso", photo, True)
    assert {m.speaker for m in found if m.speaker} == {"Gianna", "Tommaso"}


def test_month_first(tmp_path: Path) -> None:
    folder = chats.whatsapp(tmp_path / "w", chats.AMBIGUOUS_MONTH_FIRST, name="chat.txt")
    assert [when for _, when, _ in _said(memories(folder, home=tmp_path, zone="UTC"))] == [
        "2024-03-04T18:05:00Z",
        "2024-03-12T18:06:00Z",
        "2024-03-13T18:07:00Z",
    ]


def test_whatsapp_again_with_more_keeps_what_was(tmp_path: Path) -> None:
    text = chats.AMBIGUOUS_MONTH_FIRST
    folder = chats.whatsapp(tmp_path / "w", text, name="chat.txt")
    before = {m.id for m in memories(folder, home=tmp_path)}
    (folder / "chat.txt").write_text(text + "3/14/24, 6:07 PM - Jana: Fourth\n")
    after = {m.id for m in memories(folder, home=tmp_path)}
    assert before < after
    assert len(after) == 4


@pytest.mark.parametrize("full", [False, True])
def test_telegram(tmp_path: Path, full: bool) -> None:
    found = memories(chats.telegram(tmp_path / "t", full=full), home=tmp_path)
    chat = [m for m in found if m.kind == "message" and "myself" not in m.text]
    said = _said(chat)
    assert said[-4:] == [
        ("Jana", "2024-03-24T17:05:01Z", "Look at https://kanu.example and ask @tom today."),
        ("Tom", "2024-03-24T17:05:02Z", "I will."),
        ("Tom", "2024-03-24T17:05:03Z", "The boats"),
        ("Tom", "2024-03-24T17:05:06Z", "Edited text"),
    ]
    by_text = {m.text: m for m in chat}
    asked = next(m for m in chat if m.text.startswith("Look at"))
    assert replies(chat) == {by_text["I will."].source_id: asked.source_id}
    photo = by_text["The boats"].media[0]
    assert (photo.modality, photo.sha256 is not None, photo.width, photo.height) == (
        "image",
        True,
        16,
        10,
    )
    (there,) = [m for m in chat if m.place is not None]
    assert there.place is not None
    assert (there.speaker, there.place.latitude, there.place.longitude) == (
        "Jana",
        48.3059,
        14.2862,
    )
    voice = [m for m in chat for medium in m.media if medium.modality == "audio"]
    assert len(voice) == 1  # not in the export, but known to have been sent
    assert voice[0].media[0].sha256 is None
    if full:
        (note,) = [m for m in found if "myself" in m.text]
        assert (note.speaker, utc(note)) == ("Jana", "2024-03-25T07:00:00Z")
        assert note.session != asked.session


def test_slack(tmp_path: Path) -> None:
    found = memories(chats.slack(tmp_path / "s"), home=tmp_path)
    lunch = next(m for m in found if "lunch" in m.text)
    assert utc(lunch) == "2024-03-24T17:05:00Z"
    assert lunch.speaker in {"Jana Roth", "jana.r"}
    assert "lunch at <noon> in #general?" in lunch.text
    assert "the menu" in lunch.text
    assert "& more" in lunch.text
    assert "U02" not in lunch.text
    assert "Tom Berg" in lunch.text or "@tom" in lunch.text
    answer = next(m for m in found if "fixed spelling" in m.text)
    assert answer.speaker in {"Tom Berg", "tom"}
    assert replies(found)[answer.source_id] == lunch.source_id
    weather = next(m for m in found if "Rain" in m.text)
    assert weather.speaker == "Weather"
    (roof,) = [m for m in found if any(medium.name == "roof.png" for medium in m.media)]
    assert (roof.media[0].modality, roof.media[0].sha256) == ("image", None)
    between = next(m for m in found if "Between" in m.text)
    assert between.session != lunch.session
    assert utc(between) == "2024-03-25T17:05:00Z"


def test_signal(tmp_path: Path) -> None:
    found = memories(chats.signal(tmp_path / "s"), home=tmp_path)
    assert [(m.speaker, utc(m)) for m in found] == [
        ("Jana Roth", "2024-03-24T17:05:00Z"),
        ("Me", "2024-03-24T17:06:00Z"),
    ]
    assert found[0].text == "Who brings ropes?\nAnd paddles?"
    assert "I do" in found[1].text
    assert found[1].media[0].sha256 is not None
    assert found[0].session == found[1].session


def test_discord_exporter(tmp_path: Path) -> None:
    found = memories(chats.discord_exporter(tmp_path / "d"), home=tmp_path)
    asked, forecast, answered = (
        next(m for m in found if "ropes" in m.text),
        next(m for m in found if "Rain at five" in m.text),
        next(m for m in found if m.text == "I do"),
    )
    assert (asked.speaker, utc(asked)) == ("Jana", "2024-03-24T17:05:00Z")
    assert (answered.speaker, utc(answered)) == ("Tom", "2024-03-24T18:05:30Z")
    assert replies(found) == {answered.source_id: asked.source_id}
    assert answered.media[0].sha256 is not None
    assert answered.media[0].name == "boats.png"
    assert "Forecast" in forecast.text
    assert forecast.speaker == "Weather"


def test_discord_package(tmp_path: Path) -> None:
    found = memories(
        chats.discord_package(tmp_path / "d"), home=tmp_path, strange=("index.json", "user.json")
    )
    said = [(utc(m), m.text) for m in found if m.source == "discord"]
    assert said == [
        ("2024-03-24T17:05:00Z", "Who brings ropes?"),
        ("2024-03-24T17:06:00Z", "And paddles?"),
    ]
    assert {m.speaker for m in found if m.source == "discord"} <= {"Jana", "jana_r"}
    assert {m.metadata["chat"] for m in found if m.source == "discord"} == {
        "Direct Message with tomb#0"
    }
    (attached,) = [medium for m in found for medium in m.media]
    assert attached.name == "boats.png"


def test_exports_are_told_from_other_json(tmp_path: Path) -> None:
    (tmp_path / "result.json").write_text(json.dumps({"name": "x", "messages": "many"}))
    (tmp_path / "conversations.json").write_text(json.dumps([{"title": "x"}]))
    _, found = ingested(
        tmp_path / "result.json", tmp_path / "conversations.json", home=tmp_path / "home"
    )
    assert [m.source for m in found if m.kind == "message"] == []


def test_slack_message_of_blocks_alone(tmp_path: Path) -> None:
    folder = chats.slack(tmp_path / "s")
    section = {"type": "rich_text_section", "elements": [{"type": "text", "text": "Roof is "}]}
    section["elements"].append({"type": "text", "text": "leaking"})  # type: ignore[attr-defined]
    blocks = [
        {"type": "section", "text": {"type": "mrkdwn", "text": "Alarm"}},
        {"type": "rich_text", "elements": [section]},
    ]
    said = {"type": "message", "bot_id": "B9", "bot_profile": {"name": "House"}, "text": ""}
    (folder / "general" / "2024-03-26.json").write_text(
        json.dumps([{**said, "blocks": blocks, "ts": "1711471500.000100"}])
    )
    last = memories(folder, home=tmp_path)[-1]
    assert (last.speaker, last.text) == ("House", "Alarm\nRoof is leaking")


def test_a_later_export_of_a_part_brings_only_what_is_new(tmp_path: Path) -> None:
    first = chats.telegram(tmp_path / "one")
    second = chats.telegram(tmp_path / "two")
    data = json.loads((second / "result.json").read_text())
    new = {**data["messages"][-1], "id": 8, "date_unixtime": "1711386300", "text": "New"}
    data["messages"] = [*data["messages"][3:], new]
    (second / "result.json").write_text(json.dumps(data))
    before = memories(first, home=tmp_path)
    after = memories(second, home=tmp_path)
    assert [m.text for m in after if m.id not in {old.id for old in before}] == ["New"]


def test_a_later_export_of_whatsapp_brings_only_what_is_new(tmp_path: Path) -> None:
    for name, text in {
        "one": chats.INDIAN,
        "two": "".join(chats.INDIAN.splitlines(True)[2:]),
    }.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "WhatsApp Chat with Canoe.txt").write_text(text)
    before = memories(tmp_path / "one", home=tmp_path)
    assert len(memories(tmp_path / "two", home=tmp_path)) == len(before)
