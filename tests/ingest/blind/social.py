"""Exports of chats of social networks and phones, shaped as the programs write them."""

from __future__ import annotations

import base64
import json
import sqlite3
from contextlib import closing
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


def instagram(folder: Path) -> Path:
    """Write a chat of Instagram: a post that was shared, a voice message, a heart."""
    thread = "inbox/vera_1800"
    root = "your_instagram_activity/messages"
    said = {
        "participants": [{"name": garbled("Véra")}, {"name": "mia"}],
        "messages": [
            {"sender_name": "mia", "timestamp_ms": 1700000300000, "content": "Liked a message",
             "is_geoblocked_for_viewer": False, "is_unsent_image_by_messenger_kid_parent": False},
            {"sender_name": garbled("Véra"), "timestamp_ms": 1700000200000,
             "audio_files": [{"uri": f"{root}/{thread}/audio/1.mp4",
                              "creation_timestamp": 1700000200}],
             "reactions": [{"reaction": garbled("❤"), "actor": "mia", "timestamp": 1700000210}]},
            {"sender_name": "mia", "timestamp_ms": 1700000100000,
             "content": garbled("mia sent an attachment."),
             "share": {"link": "https://www.instagram.com/p/abc/",
                       "share_text": garbled("Käsekuchen ohne Boden"),
                       "original_content_owner": "backstube"}},
        ],
        "title": garbled("Véra"),
        "is_still_participant": True,
        "thread_path": thread,
        "magic_words": [],
    }  # fmt: skip
    chat = folder / root / thread
    written(chat, "audio/1.mp4", b"\0\0\0\x18ftypmp42" + bytes(60))
    return written(chat, "message_1.json", json.dumps(said, indent=2))


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


def sms(folder: Path) -> Path:
    """Write a backup of SMS Backup & Restore: two SMS, a draft, an MMS with a picture."""
    picture = base64.b64encode(PICTURE).decode()
    return written(
        folder,
        "sms-20231114.xml",
        f"""\
<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>
<!--File Created By SMS Backup & Restore v10.20.001 on 14/11/2023-->
<?xml-stylesheet type="text/xsl" href="sms.xsl"?>
<smses count="4" backup_set="x" backup_date="1700000900000" type="full">
  <sms protocol="0" address="+43660111" date="1700000200000" type="2" subject="null"
    body="Ja &#55357;&#56832; &amp; danke&#0;" read="1" status="-1" contact_name="Jürgen" />
  <sms protocol="0" address="+43660111" date="1700000100000" type="1" subject="null"
    body="Kommst du?&#10;Um acht?" read="1" status="-1" contact_name="Jürgen" />
  <sms protocol="0" address="+43660222" date="1700000300000" type="3" subject="null"
    body="Entwurf" read="1" contact_name="(Unknown)" />
  <mms date="1700000400000" msg_box="1" address="+43660111~+43660333" sub="Fotos"
    contact_name="Jürgen, Vera" m_id="m1" read="1">
    <parts>
      <part seq="-1" ct="application/smil" name="null" text="&lt;smil/&gt;" />
      <part seq="0" ct="image/jpeg" name="IMG_1.jpg" chset="null" cl="IMG_1.jpg" data="{picture}" />
      <part seq="0" ct="text/plain" name="null" text="Vom See" />
    </parts>
    <addrs>
      <addr address="+43660333" type="137" charset="106" />
      <addr address="+43660111" type="151" charset="106" />
    </addrs>
  </mms>
</smses>
""",
    )


def archived(text: str) -> bytes:
    """Return a text as Messages archives it."""
    data = text.encode()
    size = bytes([len(data)]) if len(data) < 0x80 else b"\x81" + len(data).to_bytes(2, "little")
    start = b"\x04\x0bstreamtyped\x81\xe8\x03\x84\x01@\x84\x84\x84\x12NSAttributedString\x00"
    inside = b"\x84\x84\x08NSObject\x00\x85\x92\x84\x84\x84\x08NSString\x01\x94\x84\x01+"
    return start + inside + size + data + b"\x86\x84\x02iI\x01"


def imessage(folder: Path) -> Path:
    """Write a database of Messages: two chats, a picture, a reaction, an answer."""
    written(folder, "Attachments/ab/11/at_0/IMG_1.jpg", PICTURE)
    path = folder / "chat.db"
    with closing(sqlite3.connect(path)) as database:
        database.executescript("""
            CREATE TABLE handle (ROWID INTEGER PRIMARY KEY, id TEXT, service TEXT);
            CREATE TABLE chat (ROWID INTEGER PRIMARY KEY, guid TEXT, chat_identifier TEXT,
                display_name TEXT);
            CREATE TABLE message (ROWID INTEGER PRIMARY KEY, guid TEXT, text TEXT,
                attributedBody BLOB, handle_id INTEGER, date INTEGER, is_from_me INTEGER,
                service TEXT, item_type INTEGER, group_title TEXT, subject TEXT,
                associated_message_guid TEXT, associated_message_type INTEGER,
                thread_originator_guid TEXT, date_edited INTEGER, date_retracted INTEGER);
            CREATE TABLE chat_message_join (chat_id INTEGER, message_id INTEGER);
            CREATE TABLE attachment (ROWID INTEGER PRIMARY KEY, filename TEXT, mime_type TEXT,
                transfer_name TEXT);
            CREATE TABLE message_attachment_join (message_id INTEGER, attachment_id INTEGER);
            INSERT INTO handle VALUES (1, '+43660111', 'iMessage'), (2, 'vera@example.org', 'SMS');
            INSERT INTO chat VALUES (1, 'iMessage;-;+43660111', '+43660111', ''),
                (2, 'iMessage;+;chat7', 'chat7', 'Ausflug');
            INSERT INTO attachment VALUES
                (1, '~/Library/Messages/Attachments/ab/11/at_0/IMG_1.jpg', 'image/jpeg',
                    'IMG_1.jpg'),
                (2, '~/Library/Messages/Attachments/gone.mov', 'video/quicktime', 'gone.mov');
            INSERT INTO message_attachment_join VALUES (3, 1), (3, 2);
        """)
        second = 1_000_000_000
        rows = [
            (1, "G1", "Kommst du?", None, 1, 721692000 * second, 0, 0, None, None, 0, None),
            (2, "G2", None, archived("Ja, um acht " + "é" * 70), 0, 721692060 * second, 1, 0, None,
             None, 0, "G1"),
            (3, "G3", "\ufffc", None, 2, 721692120 * second, 0, 0, None, None, 0, None),
            (4, "G4", "Loved “Kommst du?”", None, 0, 721692130 * second, 1, 0, None, "p:0/G1", 2000,
             None),
            (5, "G5", None, None, 2, 721692140, 0, 2, "Ausflug", None, 0, None),
        ]  # fmt: skip
        for row in rows:
            database.execute(
                "INSERT INTO message (ROWID, guid, text, attributedBody, handle_id, date, "
                "is_from_me, item_type, group_title, associated_message_guid, "
                "associated_message_type, thread_originator_guid) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
                row,
            )
        joined = [(1, 1), (1, 2), (2, 3), (1, 4), (2, 5)]
        database.executemany("INSERT INTO chat_message_join VALUES (?, ?)", joined)
        database.commit()
    return path


def mattermost(folder: Path) -> Path:
    """Write a bulk export: a channel with a thread and a file, and a direct message."""
    written(folder, "data/20231114/plan.txt", "Plan B")
    lines: list[dict[str, object]] = [
        {"type": "version", "version": 1},
        {"type": "team", "team": {"name": "haus", "display_name": "Haus", "type": "I"}},
        {"type": "channel", "channel": {"team": "haus", "name": "garten",
                                        "display_name": "Garten", "type": "O"}},
        {"type": "user", "user": {"username": "jw", "first_name": "Jürgen", "last_name": "Weiß"}},
        {"type": "user", "user": {"username": "mia", "nickname": "Mia"}},
        {"type": "post", "post": {
            "team": "haus", "channel": "garten", "user": "jw", "message": "Wer gießt?",
            "create_at": 1700000100000, "edit_at": 1700000150000,
            "reactions": [{"user": "mia", "emoji_name": "+1", "create_at": 1700000110000}],
            "replies": [{"user": "mia", "message": "Ich.", "create_at": 1700000200000}],
            "attachments": [{"path": "20231114/plan.txt"}]}},
        {"type": "direct_channel", "direct_channel": {"members": ["jw", "mia"]}},
        {"type": "direct_post", "direct_post": {
            "channel_members": ["jw", "mia"], "user": "mia", "message": "Schlüssel?",
            "create_at": 1700000300000}},
    ]  # fmt: skip
    text = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
    return written(folder, "import.jsonl", text + "\n")
