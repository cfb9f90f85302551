"""Mattermost's bulk export."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from graphmemix.ingest.chats.mattermost import Mattermost
from tests.ingest.blind.social import mattermost
from tests.ingest.reading import met, read, written


def test_an_export_field_by_field(tmp_path: Path) -> None:
    (post, answer, direct), skipped = read(Mattermost(), mattermost(tmp_path / "in"))
    assert skipped == []
    assert (post.text, post.speaker) == ("Wer gießt?", "Jürgen Weiß")
    assert (post.session, post.sequence) == ("mattermost:haus/garten", 0)
    assert post.timestamp == datetime(2023, 11, 14, 22, 15, tzinfo=UTC)
    assert post.metadata == {
        "chat": "Garten",
        "team": "haus",
        "edited": True,
        "reactions": ["Mia: +1"],
    }
    assert [(each.name, bool(each.sha256)) for each in post.media] == [("plan.txt", True)]
    assert (answer.text, answer.speaker, answer.sequence) == ("Ich.", "Mia", 1)
    assert [reference.source_id for reference in answer.references] == [post.source_id]
    assert direct.session == "mattermost:jw~mia"
    assert direct.metadata["chat"] == "Jürgen Weiß, Mia"


def test_files_of_posts_are_read_with_them(tmp_path: Path) -> None:
    companions = Mattermost().companions(met(mattermost(tmp_path)))
    assert [path.name for path in companions] == ["plan.txt"]


def test_a_bad_line_costs_itself_alone(tmp_path: Path) -> None:
    path = mattermost(tmp_path / "in")
    bad = '{"type": "post", "post": {"message": "x"}}\nno JSON\n{"type": "novelty"}\n'
    path.write_text(path.read_text("utf-8") + bad, "utf-8")
    memories, skipped = read(Mattermost(), path)
    assert len(memories) == 3
    assert [skip.reason for skip in skipped] == [
        "is not a post", "is not a JSON object", "is of an unknown type"]  # fmt: skip


def test_two_posts_of_one_moment_are_two(tmp_path: Path) -> None:
    post = '{"type":"post","post":{"team":"t","channel":"c","user":"bot","create_at":1}}\n'
    text = '{"type":"version","version":1}\n' + post * 2
    memories, _ = read(Mattermost(), written(tmp_path, "in/a.jsonl", text))
    assert len({memory.id for memory in memories}) == 2


@pytest.mark.parametrize("text", [
    '{"type": "version", "version": 1}\n{"kind": "note"}\n', '{"type": "version", "version": 2}\n',
    '{"role": "user", "content": "x"}\n', "[]", "", "{",
])  # fmt: skip
def test_other_lines_are_not_recognised(tmp_path: Path, text: str) -> None:
    assert not Mattermost().recognises(met(written(tmp_path, "a.jsonl", text)))
