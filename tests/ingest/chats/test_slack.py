"""Slack exports as its help pages describe them; contents are invented."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from graphmemix.errors import ImportSourceError
from graphmemix.ingest.chats.slack import Slack
from graphmemix.memory import Reference
from tests.ingest.reading import met, read, written

USERS = [
    {"id": "U1", "name": "mia", "profile": {"real_name": "Mia Gelb", "display_name": "mia g"}},
    {"id": "U2", "name": "tom", "real_name": "Tom Weiss", "profile": {"display_name": ""}},
]


def export(folder: Path, days: dict[str, list[Any]]) -> Path:
    root = folder / "space"
    written(root, "users.json", json.dumps(USERS))
    written(root, "channels.json", json.dumps([{"id": "C1", "name": "garden", "members": ["U1"]}]))
    written(root, "dms.json", json.dumps([{"id": "D9", "members": ["U1", "U2"]}]))
    for name, messages in days.items():
        written(root, f"{name}.json", json.dumps(messages))
    return root


def said(ts: str, text: str, user: str = "U1", **fields: Any) -> dict[str, Any]:
    return {"type": "message", "user": user, "text": text, "ts": ts, **fields}


def test_channels_are_sessions_in_the_order_of_days(tmp_path: Path) -> None:
    root = export(tmp_path, {
        "garden/2023-07-15": [said("1689415200.000100", "later")],
        "garden/2023-07-14": [said("1689328800.000200", "second", "U2"),
                              said("1689328700.000100", "first")],
        "D9/2023-07-14": [said("1689328900.000000", "psst")],
    })  # fmt: skip
    memories, skipped = read(Slack(), root)
    assert [(m.session, m.sequence, m.text, m.speaker) for m in memories] == [
        ("slack:D9", 0, "psst", "mia g"),
        ("slack:garden", 0, "first", "mia g"),
        ("slack:garden", 1, "second", "Tom Weiss"),
        ("slack:garden", 2, "later", "mia g"),
    ]
    assert skipped == []
    assert memories[0].metadata["chat"] == "mia g, Tom Weiss"
    assert memories[1].metadata["chat"] == "#garden"
    assert memories[1].timestamp == datetime(2023, 7, 14, 9, 58, 20, 100, tzinfo=UTC)


def test_mentions_links_and_entities_become_what_people_see(tmp_path: Path) -> None:
    text = (
        "<@U2> &amp; <!here>: see <https://x.example/a|the plan>, <https://y.example>, "
        "<#C1|garden>, <mailto:a@b.example|a@b.example> &lt;3"
    )
    (memory,), _ = read(Slack(), export(tmp_path, {"garden/2023-07-14": [said("1.0", text)]}))
    assert memory.text == (
        "@Tom Weiss & @here: see the plan <https://x.example/a>, https://y.example, "
        "#garden, a@b.example <3"
    )


def test_a_thread_answers_its_first_message(tmp_path: Path) -> None:
    root = export(tmp_path, {"garden/2023-07-14": [
        said("10.5", "who waters?", thread_ts="10.5", reply_count=1),
        said("11.5", "I do", "U2", thread_ts="10.5", parent_user_id="U1"),
    ]})  # fmt: skip
    question, answer = read(Slack(), root)[0]
    assert question.references == ()
    assert answer.references == (Reference("reply_to", question.source_id),)


def test_files_are_known_and_kept_where_a_tool_fetched_them(tmp_path: Path) -> None:
    files = [
        {
            "id": "F1",
            "name": "bed.png",
            "mimetype": "image/png",
            "url_private": "https://f.example/1",
        },
        {"id": "F2", "name": "list.txt", "mimetype": "text/plain"},
    ]
    root = export(tmp_path, {"garden/2023-07-14": [said("1.0", "", files=files)]})
    written(root, "__uploads/F1/bed.png", b"\x89PNG\r\n\x1a\n" + bytes(20))
    (memory,), skipped = read(Slack(), root)
    picture, listed = memory.media
    assert (picture.modality, picture.sha256 is not None) == ("image", True)
    assert (listed.name, listed.sha256, skipped) == ("list.txt", None, [])


def test_a_broken_day_is_skipped_and_the_others_are_read(tmp_path: Path) -> None:
    root = export(tmp_path, {"garden/2023-07-15": [said("2.0", "fine")]})
    written(root, "garden/2023-07-14.json", '[{"type": "message", "te')
    written(root, "garden/2023-07-13.json", "[" * 300_000)
    (root / "garden/2023-07-12.json").symlink_to("/etc/hostname")
    memories, skipped = read(Slack(), root)
    assert [m.text for m in memories] == ["fine"]
    assert [each.name.rsplit("/", 1)[1] for each in skipped] == [
        "2023-07-12.json", "2023-07-13.json", "2023-07-14.json",
    ]  # fmt: skip


def test_joins_are_marked_as_notices(tmp_path: Path) -> None:
    joined = said("1.0", "<@U2> has joined the channel", "U2", subtype="channel_join")
    (memory,), _ = read(Slack(), export(tmp_path, {"garden/2023-07-14": [joined]}))
    assert (memory.text, memory.metadata["system"]) == ("@Tom Weiss has joined the channel", True)


def test_another_folder_is_not_an_export(tmp_path: Path) -> None:
    written(tmp_path, "pictures/users.json", "{}")
    assert not Slack().recognises(met(tmp_path / "pictures"))
    assert not Slack().recognises(met(tmp_path))


def test_a_damaged_list_of_users_is_a_typed_error(tmp_path: Path) -> None:
    root = export(tmp_path, {})
    written(root, "users.json", '[{"id": "U1", "name": "x"}, ')
    with pytest.raises(ImportSourceError, match=r"users\.json"):
        read(Slack(), root)
