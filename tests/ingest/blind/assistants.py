"""Exports of dialogues with assistants."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING

from tests.ingest.blind.mails import png

if TYPE_CHECKING:
    from pathlib import Path


def _node(
    ident: str, parent: str | None, children: list[str], message: dict[str, object] | None
) -> dict[str, object]:
    return {"id": ident, "message": message, "parent": parent, "children": children}


def _message(
    ident: str, role: str, when: float | None, parts: list[object], **more: object
) -> dict[str, object]:
    kind = "multimodal_text" if any(isinstance(part, dict) for part in parts) else "text"
    return {
        "id": ident,
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": when,
        "update_time": None,
        "content": {"content_type": kind, "parts": parts},
        "status": "finished_successfully",
        "end_turn": True,
        "weight": 1.0,
        "metadata": {},
        "recipient": "all",
        **more,
    }


def chatgpt(folder: Path) -> Path:
    """Write an export with a question that was asked anew, a picture and a hidden instruction."""
    folder.mkdir(parents=True)
    (folder / "file-Ab12Cd-stain.png").write_bytes(png("brown", (16, 10)))
    picture = {
        "content_type": "image_asset_pointer",
        "asset_pointer": "file-service://file-Ab12Cd",
        "size_bytes": 99,
        "width": 16,
        "height": 10,
    }
    hidden = _message(
        "m0", "system", None, [""], metadata={"is_visually_hidden_from_conversation": True}
    )
    mapping = {
        "root": _node("root", None, ["n0"], None),
        "n0": _node("n0", "root", ["n1", "n1b"], hidden),
        "n1": _node("n1", "n0", ["n2"], _message("m1", "user", 1711299900.5, ["Old wording?"])),
        "n2": _node("n2", "n1", [], _message("m2", "assistant", 1711299905.0, ["Old reply."])),
        "n1b": _node(
            "n1b",
            "n0",
            ["n2b"],
            _message("m3", "user", 1711299930.0, [picture, "How do I get this stain out?"]),
        ),
        "n2b": _node(
            "n2b",
            "n1b",
            ["n3b"],
            _message(
                "m4",
                "assistant",
                1711299940.0,
                ["Cold water,\nthen soap."],
                metadata={"model_slug": "gpt-4o"},
            ),
        ),
        "n3b": _node("n3b", "n2b", [], _message("m5", "user", 1711299960.0, ["Thanks"])),
    }
    data = [
        {
            "title": "Stain on the sofa",
            "create_time": 1711299900.5,
            "update_time": 1711299960.0,
            "mapping": mapping,
            "moderation_results": [],
            "current_node": "n3b",
            "conversation_id": "conv-1",
            "id": "conv-1",
        }
    ]
    (folder / "conversations.json").write_text(json.dumps(data))
    (folder / "user.json").write_text(json.dumps({"id": "user-1", "email": "jana@x.example"}))
    return folder


def claude(folder: Path) -> Path:
    """Write an export with an attachment's text, a tool's use and an empty conversation."""
    folder.mkdir(parents=True)

    def message(
        ident: str, sender: str, second: int, text: str, **more: object
    ) -> dict[str, object]:
        when = f"2024-03-24T17:05:{second:02}.250000Z"
        block = {
            "start_timestamp": when,
            "stop_timestamp": when,
            "type": "text",
            "text": text,
            "citations": [],
        }
        return {
            "uuid": ident,
            "text": text,
            "content": [block],
            "sender": sender,
            "created_at": when,
            "updated_at": when,
            "attachments": [],
            "files": [],
            **more,
        }

    lease = {
        "file_name": "lease.txt",
        "file_size": 30,
        "file_type": "text/plain",
        "extracted_content": "The rent is 840 euros.",
    }
    data = [
        {
            "uuid": "c-1",
            "name": "Lease",
            "summary": "",
            "created_at": "2024-03-24T17:05:00.000000Z",
            "updated_at": "2024-03-24T17:06:00.000000Z",
            "account": {"uuid": "a-1"},
            "chat_messages": [
                message("u-1", "human", 0, "How much is the rent?", attachments=[lease]),
                message("u-2", "assistant", 9, "It is 840 euros."),
            ],
        },
        {
            "uuid": "c-2",
            "name": "",
            "created_at": "2024-03-25T17:05:00.000000Z",
            "updated_at": "2024-03-25T17:05:00.000000Z",
            "account": {"uuid": "a-1"},
            "chat_messages": [],
        },
    ]
    (folder / "conversations.json").write_text(json.dumps(data))
    (folder / "users.json").write_text(
        json.dumps([{"uuid": "a-1", "full_name": "Jana Roth", "email_address": "jana@x.example"}])
    )
    (folder / "projects.json").write_text("[]")
    return folder


def dialogue(path: Path) -> Path:
    """Write dialogues in the form of OpenAI's messages, one a line."""
    url = "data:image/png;base64," + base64.b64encode(png("navy", (16, 10))).decode()
    first = {
        "messages": [
            {"role": "system", "content": "You are terse."},
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "What colour is this, and what is the weather?"},
                    {"type": "image_url", "image_url": {"url": url, "detail": "low"}},
                ],
            },
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "call_1",
                        "type": "function",
                        "function": {"name": "weather", "arguments": '{"city": "Linz"}'},
                    }
                ],
            },
            {"role": "tool", "tool_call_id": "call_1", "content": "11 degrees, rain"},
            {"role": "assistant", "content": "Navy. Rain, 11 degrees."},
        ]
    }
    second = {
        "messages": [
            {"role": "user", "content": "Name a fish."},
            {"role": "assistant", "content": "Pike."},
        ]
    }
    path.write_text(json.dumps(first) + "\n" + json.dumps(second) + "\n")
    return path
