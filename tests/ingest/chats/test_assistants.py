"""Dialogues with assistants: ChatGPT, Claude, and messages in the form of the OpenAI API."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from graphmemix.ingest.chats.chatgpt import ChatGpt
from graphmemix.ingest.chats.claude import Claude
from graphmemix.ingest.chats.dialogue import Dialogue
from graphmemix.memory import Memory, Reference
from tests.ingest.reading import met, read, read_anyway, written

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def turns(memories: list[Memory]) -> list[tuple[str | None, str | None, int | None, str]]:
    return [(m.speaker, m.round, m.sequence, m.text) for m in memories]


# ChatGPT


def node(
    own: str, parent: str | None, role: str, parts: list[Any], **fields: Any
) -> dict[str, Any]:
    kind = "multimodal_text" if any(isinstance(part, dict) for part in parts) else "text"
    content = {"content_type": kind, "parts": parts}
    said = {
        "id": own,
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": 1689328800.5,
        "content": content,
        "metadata": {},
        "recipient": "all",
    }
    return {"id": own, "message": said | fields, "parent": parent, "children": []}


def conversation(nodes: list[dict[str, Any]], current: str | None) -> dict[str, Any]:
    root: dict[str, Any] = {"id": "root", "message": None, "parent": None, "children": []}
    mapping = {each["id"]: each for each in [root, *nodes]}
    for each in nodes:
        mapping[each["parent"]]["children"].append(each["id"])
    return {"title": "Balcony", "create_time": 1689328800.0, "update_time": 1689328900.0,
            "mapping": mapping, "current_node": current, "conversation_id": "c-1"}  # fmt: skip


def test_the_branch_that_the_user_saw_last_is_read(tmp_path: Path) -> None:
    nodes = [
        node("s", "root", "system", [""]),
        node("q", "s", "user", ["What grows in shade?"]),
        node("a1", "q", "assistant", ["Moss."]),
        node("a2", "q", "assistant", ["Ferns."]),
        node("q2", "a2", "user", ["And herbs?"]),
        node("a3", "q2", "assistant", ["Mint."]),
    ]
    path = written(tmp_path, "conversations.json", json.dumps([conversation(nodes, "a3")]))
    memories, skipped = read(ChatGpt(), path)
    assert turns(memories) == [
        ("user", "1", 0, "What grows in shade?"), ("assistant", "1", 1, "Ferns."),
        ("user", "2", 2, "And herbs?"), ("assistant", "2", 3, "Mint."),
    ]  # fmt: skip
    assert {m.session for m in memories} == {"chatgpt:c-1"}
    assert memories[0].timestamp == datetime(2023, 7, 14, 10, 0, 0, 500_000, tzinfo=UTC)
    assert memories[0].metadata["title"] == "Balcony"
    assert skipped == []


def test_without_a_current_node_the_newest_leaf_counts(tmp_path: Path) -> None:
    nodes = [
        node("q", "root", "user", ["hi"]),
        node("old", "q", "assistant", ["old"], create_time=1.0),
        node("new", "q", "assistant", ["new"], create_time=2.0),
    ]
    path = written(tmp_path, "conversations.json", json.dumps([conversation(nodes, None)]))
    assert [m.text for m in read(ChatGpt(), path)[0]] == ["hi", "new"]


def test_pictures_are_found_by_the_id_of_their_asset(tmp_path: Path) -> None:
    pointer = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://file-Ab12",
               "width": 1, "height": 1}  # fmt: skip
    drawn = {"content_type": "image_asset_pointer", "asset_pointer": "sediment://file_99"}
    attached = {
        "attachments": [{"id": "file-Ab12", "name": "balcony.png", "mime_type": "image/png"}]
    }
    nodes = [
        node("q", "root", "user", [pointer, "What is this?"], metadata=attached),
        node("t", "q", "tool", [drawn]),
        node("x", "t", "tool", ["raw output"]),
        node("a", "x", "assistant", ["A balcony."]),
    ]
    path = written(tmp_path, "conversations.json", json.dumps([conversation(nodes, "a")]))
    image = written(tmp_path, "file-Ab12-balcony.png", PIXEL)
    made = written(tmp_path, "dalle-generations/file_99-1.webp", b"RIFF\0\0\0\0WEBP" + bytes(9))
    question, drawing, answer = read(ChatGpt(), path)[0]
    assert (question.text, question.media[0].name) == ("What is this?", "balcony.png")
    assert question.media[0].sha256 is not None
    assert (drawing.speaker, drawing.media[0].mime) == ("assistant", "image/webp")
    assert answer.text == "A balcony."
    assert set(ChatGpt().companions(met(path))) == {image, made}


def test_hidden_thoughts_and_loops_do_no_harm(tmp_path: Path) -> None:
    nodes = [
        node("q", "root", "user", ["hi"]),
        node("h", "q", "assistant", ["hidden"],
             metadata={"is_visually_hidden_from_conversation": True}),
        node("a", "h", "assistant", ["hello"]),
    ]  # fmt: skip
    looped = conversation(nodes, "a")
    looped["mapping"]["q"]["parent"] = "a"
    broken: list[Any] = [
        {"title": "x"},
        None,
        {"mapping": []},
        {"mapping": {"a": None}, "current_node": "a"},
    ]
    path = written(tmp_path, "conversations.json", json.dumps([looped, *broken]))
    memories, skipped = read_anyway(ChatGpt(), met(path))
    assert [m.text for m in memories] == ["hi", "hello"]
    assert len(skipped) == 2


# Claude


def test_a_question_and_its_reply_are_a_round(tmp_path: Path) -> None:
    chat = {
        "uuid": "u-1", "name": "Soup", "created_at": "2024-02-01T09:00:00.123456Z",
        "updated_at": "2024-02-01T09:01:00Z", "account": {"uuid": "acc"},
        "chat_messages": [
            {"uuid": "m1", "sender": "human", "text": "Is this soup vegan?",
             "content": [{"type": "text", "text": "Is this soup vegan?"}],
             "created_at": "2024-02-01T09:00:00.5Z",
             "attachments": [{"file_name": "recipe.txt", "file_size": 20, "file_type": "txt",
                              "extracted_content": "Leek, cream, salt"}],
             "files": [{"file_name": "soup.jpg"}]},
            {"uuid": "m2", "sender": "assistant", "text": "",
             "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "No."},
                         {"type": "tool_use", "name": "search", "input": {}},
                         {"type": "text", "text": "It has cream."}],
             "created_at": "2024-02-01T09:00:20Z", "attachments": [], "files": []},
        ],
    }  # fmt: skip
    memories, skipped = read(Claude(), written(tmp_path, "conversations.json", json.dumps([chat])))
    question, attached, answer = memories
    assert turns([question, answer]) == [
        ("user", "1", 0, "Is this soup vegan?"), ("assistant", "1", 1, "No.\n\nIt has cream."),
    ]  # fmt: skip
    assert [m.name for m in question.media] == ["recipe.txt", "soup.jpg"]
    assert question.media[1].modality == "image"
    assert (attached.kind, attached.text) == ("document", "Leek, cream, salt")
    assert attached.references == (Reference("attachment_of", "m1"),)
    assert answer.timestamp == datetime(2024, 2, 1, 9, 0, 20, tzinfo=UTC)
    assert skipped == []


def test_the_two_exports_of_the_same_name_are_told_apart(tmp_path: Path) -> None:
    claude = written(tmp_path, "a/conversations.json", '[{"uuid": "1", "chat_messages": []}]')
    chatgpt = written(tmp_path, "b/conversations.json", json.dumps([conversation([], None)]))
    assert [ChatGpt().recognises(met(path)) for path in (claude, chatgpt)] == [False, True]
    assert [Claude().recognises(met(path)) for path in (claude, chatgpt)] == [True, False]


# the form of the OpenAI API


def test_each_line_may_be_a_dialogue(tmp_path: Path) -> None:
    one = {"id": "d1", "created_at": "2024-05-01T08:00:00Z", "messages": [
        {"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello"}, {"role": "user", "content": "Bye"},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "c", "type": "function", "function": {"name": "wave", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c", "content": "waved"},
        {"role": "assistant", "content": [{"type": "text", "text": "Bye!"}]}]}  # fmt: skip
    two = {"messages": [{"role": "user", "content": "Other"}]}
    lines = "\n".join(map(json.dumps, [one, two]))
    memories, skipped = read(Dialogue(), written(tmp_path, "log.jsonl", lines))
    assert [(m.session, m.round, m.speaker, m.text) for m in memories] == [
        ("dialogue:d1", "0", "system", "Be brief."), ("dialogue:d1", "1", "user", "Hi"),
        ("dialogue:d1", "1", "assistant", "Hello"), ("dialogue:d1", "2", "user", "Bye"),
        ("dialogue:d1", "2", "assistant", "wave({})"), ("dialogue:d1", "2", "tool", "waved"),
        ("dialogue:d1", "2", "assistant", "Bye!"), ("dialogue:log:2", "1", "user", "Other"),
    ]  # fmt: skip
    assert memories[4].metadata == {"calls": ["wave"]}
    assert memories[0].timestamp == datetime(2024, 5, 1, 8, tzinfo=UTC)
    assert skipped == []


def test_each_line_may_be_a_message_of_one_dialogue(tmp_path: Path) -> None:
    lines = [
        {"role": "user", "content": "a", "timestamp": 1714550400},
        {"role": "assistant", "content": "b", "timestamp": "2024-05-01T08:00:05+00:00"},
    ]
    path = written(tmp_path, "talk.jsonl", "\n".join(map(json.dumps, lines)) + "\nnot json\n")
    memories, skipped = read(Dialogue(), path)
    assert turns(memories) == [("user", "1", 0, "a"), ("assistant", "1", 1, "b")]
    assert {m.session for m in memories} == {"dialogue:talk"}
    assert memories[0].timestamp == datetime(2024, 5, 1, 8, tzinfo=UTC)
    assert [(each.name, each.reason) for each in skipped] == [
        ("talk.jsonl line 3", "is not a JSON object")
    ]


def test_pictures_come_from_data_urls_and_paths_and_are_never_fetched(tmp_path: Path) -> None:
    data_url = "data:image/png;base64," + base64.b64encode(PIXEL).decode()
    parts = [
        {"type": "text", "text": "compare"},
        {"type": "image_url", "image_url": {"url": data_url}},
        {"type": "image_url", "image_url": {"url": "pics/cat.jpg"}},
        {"type": "image_url", "image_url": {"url": "https://example.org/dog.jpg?x=1"}},
        {"type": "input_image", "image_url": "../outside.jpg"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png",
                                     "data": base64.b64encode(PIXEL).decode()}},
        {"type": "image_url", "image_url": {"url": "file:///etc/hostname"}},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,@@@@"}},
    ]  # fmt: skip
    path = written(tmp_path / "in", "d.jsonl", json.dumps({"role": "user", "content": parts}))
    (tmp_path / "in/pics").mkdir()
    Image.new("RGB", (2, 2)).save(tmp_path / "in/pics/cat.jpg")
    Image.new("RGB", (2, 2)).save(tmp_path / "outside.jpg")
    (memory,), skipped = read(Dialogue(), path)
    kept = [(m.name, m.modality, m.sha256 is not None) for m in memory.media]
    assert memory.text == "compare"
    assert kept == [
        ("", "image", True), ("cat.jpg", "image", True), ("dog.jpg", "image", False),
        ("outside.jpg", "image", False), ("", "image", True), ("hostname", "text", False),
        ("", "image", False),
    ]  # fmt: skip
    assert sorted(each.reason for each in skipped) == [
        "cannot be decoded", "names a file outside its folder", "names a file outside its folder",
    ]  # fmt: skip
    assert [p.name for p in Dialogue().companions(met(path))] == ["cat.jpg"]


@pytest.mark.parametrize(
    ("name", "text", "count"),
    [
        ("x.json", '{"messages": [{"role": "user", "content": "a"}]}', 1),
        ("x.json", '[{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]', 2),
        ("x.json", '[{"messages": [{"role": "user", "content": "a"}]}]', 1),
        ("x.json", '{"role": "user", "content": "a"}\n{"role": "user", "content": "b"}', 2),
        ("x.jsonl", '{"conversations": [{"from": "human", "value": "a"}]}', 1),
    ],
)
def test_whole_files_are_read_as_well(tmp_path: Path, name: str, text: str, count: int) -> None:
    memories, skipped = read(Dialogue(), written(tmp_path, name, text))
    assert (len(memories), skipped) == (count, [])


def test_a_message_without_a_known_role_is_skipped(tmp_path: Path) -> None:
    text = '{"messages": [{"role": "ghost", "content": "x"}, {"role": "user", "content": "y"}]}'
    memories, skipped = read(Dialogue(), written(tmp_path, "d.jsonl", text))
    assert ([m.text for m in memories], len(skipped)) == (["y"], 1)
