"""Exports of chats, written out by hand in the forms that the programs' exports have."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.ingest.blind.mails import png

if TYPE_CHECKING:
    from pathlib import Path

LRM, NNBSP, NBSP = "\u200e", "\u202f", "\u00a0"

ANDROID_GERMAN = f"""\
24.03.24, 18:00 - Nachrichten und Anrufe sind Ende-zu-Ende-verschlüsselt.
24.03.24, 18:00 - Jana Roth hat die Gruppe „Kanu“ erstellt.
24.03.24, 18:05 - Jana Roth: Wer bringt Seile mit?
Und: wer fährt?

Bitte bis 19:00 antworten.
24.03.24, 18:06 - +43 660 1234567: Ich. Treffpunkt: Brücke
24.03.24, 18:07 - Jana Roth: {LRM}IMG-20240324-WA0001.jpg (Datei angehängt)
Die Boote
24.03.24, 18:08 - Jana Roth: <Medien ausgeschlossen>
31.03.24, 03:30 - Tom: Nach der Umstellung
"""

IOS_ENGLISH = f"""\
[3/24/24, 6:00:01{NNBSP}PM] Kanu: {LRM}Messages and calls are end-to-end encrypted.
[3/24/24, 6:05:12{NNBSP}PM] Jana Roth: Who brings ropes?
Second line: here
{LRM}[3/24/24, 6:06:30{NNBSP}PM] Tom: {LRM}<attached: 00000003-PHOTO-2024-03-24-18-06-30.jpg>
{LRM}[3/24/24, 6:07:00{NNBSP}PM] Tom: {LRM}image omitted
[3/25/24, 12:01:00{NNBSP}AM] ~{NBSP}Vera: Midnight has passed
[3/25/24, 12:30:00{NNBSP}PM] Jana Roth: {LRM}This message was deleted.
[3/25/24, 12:31:00{NNBSP}PM] Jana Roth: At noon {LRM}<This message was edited>
"""

BRAZILIAN = f"""\
24/03/2024 18:00 - As mensagens e as chamadas são protegidas com a criptografia.
24/03/2024 18:05 - Joana: Quem traz as cordas?
24/03/2024 18:06 - Tomás: {LRM}IMG-20240324-WA0002.jpg (arquivo anexado)
24/03/2024 18:07 - Joana: <Mídia oculta>
24/03/2024 18:08 - Tomás: Eu
levo duas
"""

INDIAN = f"""\
24/03/24, 6:00{NNBSP}pm - Messages and calls are end-to-end encrypted.
24/03/24, 6:05{NNBSP}pm - Asha: Who brings the ropes?
24/03/24, 6:06{NNBSP}pm - Ravi: <Media omitted>
25/03/24, 12:10{NNBSP}am - Asha: Good night
"""

ITALIAN = f"""\
[24/03/24, 18:00:00] Canoa: {LRM}I messaggi e le chiamate sono crittografati end-to-end.
[24/03/24, 18:05:12] Gianna: Chi porta le corde?
{LRM}[24/03/24, 18:06:30] Tommaso: {LRM}<allegato: 00000004-PHOTO-2024-03-24-18-06-30.jpg>
[24/03/24, 18:07:00] Gianna: {LRM}immagine omessa
[24/03/24, 18:08:00] Tommaso: Io: due
"""

AMBIGUOUS_MONTH_FIRST = """\
3/4/24, 6:05 PM - Jana: First
3/12/24, 6:06 PM - Jana: Second
3/13/24, 6:07 PM - Jana: Third
"""


def whatsapp(folder: Path, text: str, *media: str, name: str = "_chat.txt") -> Path:
    """Write an export with its media beside it."""
    folder.mkdir(parents=True)
    (folder / name).write_text(text, encoding="utf-8", newline="\n")
    for number, file in enumerate(media):
        (folder / file).write_bytes(png(size=(16 + number, 10)))
    return folder


def _telegram_chat() -> dict[str, object]:
    def message(
        number: int, seconds: int, who: str, text: object, **more: object
    ) -> dict[str, object]:
        return {
            "id": number,
            "type": "message",
            "date": f"2024-03-24T18:05:{seconds:02}",
            "date_unixtime": str(1711299900 + seconds),  # 2024-03-24T17:05:00Z
            "from": who,
            "from_id": f"user{len(who)}",
            "text": text,
            "text_entities": (
                [{"type": "plain", "text": text}] if isinstance(text, str) and text else []
            ),
            **more,
        }

    mixed = [
        "Look at ",
        {"type": "link", "text": "https://kanu.example"},
        " and ask ",
        {"type": "mention", "text": "@tom"},
        {"type": "bold", "text": " today"},
        ".",
    ]
    entities = [
        part if isinstance(part, dict) else {"type": "plain", "text": part} for part in mixed
    ]
    return {
        "name": "Kanu",
        "type": "private_group",
        "id": 424242,
        "messages": [
            {
                "id": 1,
                "type": "service",
                "date": "2024-03-24T18:04:00",
                "date_unixtime": "1711299840",
                "actor": "Jana",
                "actor_id": "user4",
                "action": "create_group",
                "title": "Kanu",
                "members": ["Jana", "Tom"],
                "text": "",
                "text_entities": [],
            },
            {**message(2, 1, "Jana", mixed), "text_entities": entities},
            message(3, 2, "Tom", "I will.", reply_to_message_id=2),
            message(
                4,
                3,
                "Tom",
                "The boats",
                photo="photos/photo_1@24-03-2024_18-05-03.jpg",
                width=16,
                height=10,
            ),
            message(
                5,
                4,
                "Jana",
                "",
                file="(File not included. Change data exporting settings to download.)",
                media_type="voice_message",
                mime_type="audio/ogg",
                duration_seconds=7,
            ),
            message(
                6,
                5,
                "Jana",
                "",
                location_information={"latitude": 48.3059, "longitude": 14.2862},
            ),
            message(
                7,
                6,
                "Tom",
                "Edited text",
                edited="2024-03-24T19:00:00",
                edited_unixtime="1711303200",
            ),
        ],
    }


def telegram(folder: Path, *, full: bool = False) -> Path:
    """Write a Telegram Desktop export of one chat, or of everything."""
    photos = folder / ("chats/chat_1/photos" if full else "photos")
    photos.mkdir(parents=True)
    (photos / "photo_1@24-03-2024_18-05-03.jpg").write_bytes(png(size=(16, 10)))
    chat = _telegram_chat()
    if full:
        for message in chat["messages"]:  # type: ignore[attr-defined]
            if "photo" in message:
                message["photo"] = "chats/chat_1/" + message["photo"]
        other = {
            "type": "saved_messages",
            "id": 7,
            "messages": [
                {
                    "id": 2,
                    "type": "message",
                    "date": "2024-03-25T08:00:00",
                    "date_unixtime": "1711350000",
                    "from": "Jana",
                    "from_id": "user4",
                    "text": "Note to myself",
                    "text_entities": [{"type": "plain", "text": "Note to myself"}],
                }
            ],
        }
        data: dict[str, object] = {
            "about": "Here is the data you requested.",
            "personal_information": {"user_id": 4, "first_name": "Jana", "phone_number": "+43 1"},
            "contacts": {"about": "", "list": [{"first_name": "Tom", "phone_number": "+43 2"}]},
            "chats": {"about": "This page lists all chats.", "list": [chat, other]},
            "left_chats": {"about": "", "list": []},
        }
    else:
        data = chat
    (folder / "result.json").write_text(json.dumps(data, ensure_ascii=False, indent=1))
    return folder


def slack(folder: Path) -> Path:
    """Write a Slack workspace export."""
    users = [
        {
            "id": "U01",
            "name": "jana",
            "real_name": "Jana Roth",
            "profile": {"real_name": "Jana Roth", "display_name": "jana.r"},
        },
        {"id": "U02", "name": "tom", "profile": {"real_name": "Tom Berg", "display_name": ""}},
    ]
    channels = [{"id": "C01", "name": "general", "created": 1711200000, "members": ["U01", "U02"]}]
    dms = [{"id": "D01", "created": 1711200000, "members": ["U01", "U02"]}]
    day = [
        {
            "type": "message",
            "subtype": "channel_join",
            "user": "U02",
            "text": "<@U02> has joined the channel",
            "ts": "1711299000.000100",
        },
        {
            "type": "message",
            "user": "U01",
            "text": "<@U02> lunch at &lt;noon&gt; in <#C01|general>? "
            "<https://menu.example|the menu> &amp; more",
            "ts": "1711299900.000200",
            "thread_ts": "1711299900.000200",
            "reply_count": 1,
            "replies": [{"user": "U02", "ts": "1711299960.000300"}],
        },
        {
            "type": "message",
            "user": "U02",
            "text": "Yes, fixed spelling",
            "ts": "1711299960.000300",
            "thread_ts": "1711299900.000200",
            "parent_user_id": "U01",
            "edited": {"user": "U02", "ts": "1711299999.000000"},
        },
        {
            "type": "message",
            "subtype": "bot_message",
            "bot_id": "B01",
            "username": "Weather",
            "text": "Rain at five",
            "ts": "1711300000.000400",
        },
        {
            "type": "message",
            "user": "U01",
            "text": "",
            "ts": "1711300060.000500",
            "files": [
                {
                    "id": "F01",
                    "name": "roof.png",
                    "title": "roof.png",
                    "mimetype": "image/png",
                    "size": 1234,
                    "url_private": "https://files.slack.example/F01/roof.png",
                }
            ],
        },
    ]
    (folder / "general").mkdir(parents=True)
    (folder / "D01").mkdir()
    for name, data in {"users": users, "channels": channels, "dms": dms}.items():
        (folder / f"{name}.json").write_text(json.dumps(data))
    (folder / "general" / "2024-03-24.json").write_text(json.dumps(day))
    private = [{"type": "message", "user": "U02", "text": "Between us", "ts": "1711386300.000100"}]
    (folder / "D01" / "2024-03-25.json").write_text(json.dumps(private))
    return folder


def signal(folder: Path) -> Path:
    """Write what signal-export writes: a folder for a chat, one JSON object a line."""
    chat = folder / "Jana Roth"
    (chat / "media").mkdir(parents=True)
    (chat / "media" / "2024-03-24_00_boats.png").write_bytes(png(size=(16, 10)))
    lines: list[dict[str, object]] = [
        {
            "date": "2024-03-24T18:05:00",
            "sender": "Jana Roth",
            "body": "Who brings ropes?\nAnd paddles?",
            "quote": "",
            "sticker": "",
            "reactions": [{"name": "Me", "emoji": "👍"}],
            "attachments": [],
        },
        {
            "date": "2024-03-24T18:06:00.500000",
            "sender": "Me",
            "body": "I do",
            "quote": "\n>\n> Who brings ropes?\n>\n",
            "sticker": None,
            "reactions": [["Jana Roth", "❤️"]],
            "attachments": [
                {"name": "2024-03-24_00_boats.png", "path": "media/2024-03-24_00_boats.png"}
            ],
            "deleted": False,
            "call": False,
            "missed": False,
        },
    ]
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    (chat / "data.json").write_text(text)
    return folder


def discord_exporter(folder: Path) -> Path:
    """Write a channel as DiscordChatExporter does, with downloaded assets."""

    def author(ident: str, name: str, nick: str | None, *, bot: bool = False) -> dict[str, object]:
        return {
            "id": ident,
            "name": name,
            "discriminator": "0000",
            "nickname": nick,
            "color": None,
            "isBot": bot,
            "roles": [],
            "avatarUrl": "x",
        }

    def message(
        ident: str, when: str, who: dict[str, object], text: str, **more: object
    ) -> dict[str, object]:
        return {
            "id": ident,
            "type": "Default",
            "timestamp": when,
            "timestampEdited": None,
            "callEndedTimestamp": None,
            "isPinned": False,
            "content": text,
            "author": who,
            "attachments": [],
            "embeds": [],
            "stickers": [],
            "reactions": [],
            "mentions": [],
            **more,
        }

    jana, tom = author("1", "jana_r", "Jana"), author("2", "tomb", "Tom")
    name = "Lake - general [500].json"
    assets = folder / f"{name}_Files"
    assets.mkdir(parents=True)
    (assets / "boats-1A2B3.png").write_bytes(png(size=(16, 10)))
    messages = [
        message("900", "2024-03-24T17:05:00+00:00", jana, "Who brings ropes?"),
        message(
            "901",
            "2024-03-24T19:05:30.123+01:00",
            tom,
            "I do",
            type="Reply",
            reference={"messageId": "900", "channelId": "500", "guildId": "400"},
            attachments=[
                {
                    "id": "77",
                    "url": f"{name}_Files\\boats-1A2B3.png".replace("\\", "/"),
                    "fileName": "boats.png",
                    "fileSizeBytes": (assets / "boats-1A2B3.png").stat().st_size,
                }
            ],
        ),
        message(
            "902",
            "2024-03-24T18:10:00+00:00",
            author("3", "Weather", None, bot=True),
            "",
            embeds=[
                {
                    "title": "Forecast",
                    "url": None,
                    "timestamp": None,
                    "description": "Rain at five",
                    "fields": [],
                    "images": [],
                }
            ],
        ),
        message(
            "903", "2024-03-24T18:11:00+00:00", tom, "Joined the server.", type="GuildMemberJoin"
        ),
    ]
    data = {
        "guild": {"id": "400", "name": "Lake", "iconUrl": "x"},
        "channel": {
            "id": "500",
            "type": "GuildTextChat",
            "categoryId": "1",
            "category": "Text",
            "name": "general",
            "topic": None,
        },
        "dateRange": {"after": None, "before": None},
        "exportedAt": "2024-04-01T10:00:00+00:00",
        "messages": messages,
        "messageCount": len(messages),
    }
    (folder / name).write_text(json.dumps(data, indent=2))
    return folder


def discord_package(folder: Path) -> Path:
    """Write the part of Discord's own data package that holds messages."""
    channel = folder / "Messages" / "c500"
    channel.mkdir(parents=True)
    (folder / "Account").mkdir()
    (folder / "README.txt").write_text("Welcome to your Discord Data Package!\n")
    (folder / "Account" / "user.json").write_text(
        json.dumps({"id": "1", "username": "jana_r", "discriminator": 0, "global_name": "Jana"})
    )
    (folder / "Messages" / "index.json").write_text(
        json.dumps({"500": "Direct Message with tomb#0"})
    )
    (channel / "channel.json").write_text(
        json.dumps({"id": "500", "type": "DM", "recipients": ["1", "2"]})
    )
    (channel / "messages.json").write_text(
        json.dumps(
            [
                {
                    "ID": 1221500000000000002,
                    "Timestamp": "2024-03-24 17:06:00",
                    "Contents": "And paddles?",
                    "Attachments": "https://cdn.discord.example/attachments/1/2/boats.png",
                },
                {
                    "ID": 1221500000000000001,
                    "Timestamp": "2024-03-24 17:05:00",
                    "Contents": "Who brings ropes?",
                    "Attachments": "",
                },
            ]
        )
    )
    return folder
