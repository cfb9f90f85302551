"""Dialogues with assistants: turns in order, branches, pictures, tools."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.ingest.blind import assistants
from tests.ingest.blind.gold import memories, utc

if TYPE_CHECKING:
    from pathlib import Path


def test_chatgpt(tmp_path: Path) -> None:
    found = memories(assistants.chatgpt(tmp_path / "g"), home=tmp_path, strange=("user.json",))
    turns = [m for m in found if m.kind == "message"]
    current = [m for m in turns if "Old" not in m.text]
    assert [(utc(m), m.text) for m in current] == [
        ("2024-03-24T17:05:30Z", "How do I get this stain out?"),
        ("2024-03-24T17:05:40Z", "Cold water,\nthen soap."),
        ("2024-03-24T17:06:00Z", "Thanks"),
    ]
    assert [m.speaker for m in current][0::2] == [current[0].speaker] * 2
    assert current[0].speaker != current[1].speaker
    (picture,) = current[0].media
    assert (picture.modality, picture.sha256 is not None, picture.width) == ("image", True, 16)
    assert len({m.session for m in current}) == 1
    sequence = [m.sequence for m in current]
    assert sequence == sorted(sequence, key=lambda number: number or 0)
    assert len(found) == len(turns)  # the picture is not a second time a photo of its own


def test_claude(tmp_path: Path) -> None:
    found = memories(
        assistants.claude(tmp_path / "c"), home=tmp_path, strange=("projects.json", "users.json")
    )
    turns = [m for m in found if m.kind == "message"]
    assert [utc(m) for m in turns] == ["2024-03-24T17:05:00Z", "2024-03-24T17:05:09Z"]
    assert turns[0].text.startswith("How much is the rent?")
    assert turns[1].text == "It is 840 euros."
    assert any("The rent is 840 euros." in m.text for m in found)
    assert turns[0].session == turns[1].session
    assert turns[0].speaker != turns[1].speaker


def test_dialogue(tmp_path: Path) -> None:
    found = memories(assistants.dialogue(tmp_path / "agent.jsonl"), home=tmp_path)
    sessions = sorted({m.session or "" for m in found})
    assert len(sessions) == 2
    fish = [m for m in found if m.text in {"Name a fish.", "Pike."}]
    assert len({m.session for m in fish}) == 1
    asked = next(m for m in found if "colour" in m.text)
    assert [(medium.modality, medium.mime, medium.width) for medium in asked.media] == [
        ("image", "image/png", 16)
    ]
    assert any("11 degrees, rain" in m.text for m in found)
    assert any("Linz" in m.text for m in found)
    answered = next(m for m in found if m.text.startswith("Navy"))
    assert answered.session == asked.session
    assert (answered.sequence or 0) > (asked.sequence or 0)
    assert answered.speaker != asked.speaker


def test_chatgpt_sound_that_is_not_in_the_export(tmp_path: Path) -> None:
    folder = assistants.chatgpt(tmp_path / "g")
    data = json.loads((folder / "conversations.json").read_text())
    sound = {"content_type": "audio_asset_pointer", "asset_pointer": "file-service://file-Xy9"}
    words = {"content_type": "audio_transcription", "text": "Thanks a lot", "direction": "in"}
    data[0]["mapping"]["n3b"]["message"]["content"] = {
        "content_type": "multimodal_text",
        "parts": [words, sound],
    }
    (folder / "conversations.json").write_text(json.dumps(data))
    last = memories(folder, home=tmp_path, strange=("user.json",))[-1]
    assert (last.text, [medium.modality for medium in last.media]) == ("Thanks a lot", ["audio"])
