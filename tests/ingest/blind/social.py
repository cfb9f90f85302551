"""Exports of chats of social networks and phones, shaped as the programs write them."""

from __future__ import annotations

import json
from pathlib import Path

from tests.ingest.reading import written

PICTURE = b"\xff\xd8\xff\xe0" + bytes(60)
STICKER = b"\x89PNG\r\n\x1a\n" + bytes(60)


def garbled(text: str) -> str:
    """Return a text as Meta writes it: each byte of UTF-8 as a character."""
    return text.encode().decode("latin-1")


def messenger(folder: Path) -> Path:
    """Write a chat in two files, newest first, with a photo and a sticker; return the first."""
    thread = "inbox/jurgen_1700"
    chat = folder / "your_activity_across_facebook/messages" / thread
    root = "your_activity_across_facebook/messages"
    about = {
        "participants": [{"name": garbled("Jürgen Weiß")}, {"name": "Mia"}],
        "title": garbled("Jürgen Weiß"),
        "is_still_participant": True,
        "thread_path": thread,
        "magic_words": [],
    }
    newest = [
        {"sender_name": "Mia", "timestamp_ms": 1700000600000, "is_unsent": True,
         "is_geoblocked_for_viewer": False},
        {"sender_name": "Mia", "timestamp_ms": 1700000500000, "call_duration": 63,
         "content": garbled("Mia hat dich angerufen.")},
        {"sender_name": "Mia", "timestamp_ms": 1700000400000,
         "share": {"link": "https://example.org/zoo", "share_text": garbled("Eisbären")},
         "sticker": {"uri": f"{root}/stickers_used/7.png", "ai_stickers": []}},
        {"sender_name": garbled("Jürgen Weiß"), "timestamp_ms": 1700000300000,
         "photos": [{"uri": f"{root}/{thread}/photos/1.jpg", "creation_timestamp": 1700000290}],
         "reactions": [{"reaction": garbled("❤"), "actor": "Mia"}]},
    ]  # fmt: skip
    oldest = [
        {"sender_name": "Mia", "timestamp_ms": 1700000200000, "content": "Mia left the group.",
         "type": "Unsubscribe"},
        {"sender_name": garbled("Jürgen Weiß"), "timestamp_ms": 1700000100000,
         "content": garbled("Grüße 👋")},
    ]  # fmt: skip
    written(chat, "photos/1.jpg", PICTURE)
    written(chat.parent.parent, "stickers_used/7.png", STICKER)
    written(chat, "message_2.json", json.dumps({**about, "messages": oldest}, indent=1))
    return written(chat, "message_1.json", json.dumps({**about, "messages": newest}, indent=1))


def encrypted_messenger(folder: Path) -> Path:
    """Write Messenger's export of an end-to-end encrypted chat."""
    written(folder, "media/2.jpg", PICTURE)
    said = {
        "participants": ["Jürgen", "Mia"],
        "threadName": "Jürgen_12",
        "messages": [
            {"isUnsent": False, "media": [{"uri": "./media/2.jpg"}], "reactions": [],
             "senderName": "Mia", "text": "Das Café", "timestamp": 1700000200000, "type": "media"},
            {"isUnsent": False, "media": [], "senderName": "Jürgen", "text": "Wo?",
             "reactions": [{"actor": "Mia", "reaction": "👍"}],
             "timestamp": 1700000100000, "type": "text"},
        ],
    }  # fmt: skip
    return written(folder, "Jürgen_12.json", json.dumps(said, ensure_ascii=False))
