"""Discord and Signal in the forms of their exports and of the tools around them."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from PIL import Image

from graphmemix.archive import Archive
from graphmemix.ingest.chats.discord import Discord
from graphmemix.ingest.chats.signal import Signal
from graphmemix.ingest.chats.whatsapp import WhatsApp
from graphmemix.memory import Reference
from graphmemix.settings import Settings
from tests.ingest.reading import met, read, read_anyway, written

# DiscordChatExporter


def test_a_channel_of_the_exporter(tmp_path: Path) -> None:
    author = {"id": "5", "name": "kai", "discriminator": "0000", "nickname": "Kai", "isBot": False}
    messages = [
        {"id": "100", "type": "Default", "timestamp": "2023-07-14T10:00:00.123+02:00",
         "timestampEdited": None, "content": "board games?", "author": author,
         "attachments": [{"id": "1", "url": "talk.json_Files/dice.png", "fileName": "dice.png"},
                         {"id": "2", "url": "https://c.test/map.pdf?e=1", "fileName": "map.pdf"}],
         "embeds": [], "reactions": [], "mentions": []},
        {"id": "101", "type": "Reply", "timestamp": "2023-07-14T10:01:00+02:00",
         "timestampEdited": "2023-07-14T10:02:00+02:00", "content": "yes",
         "author": {"id": "6", "name": "lou"}, "attachments": [], "reactions": [],
         "embeds": [{"title": "Rules", "url": "https://r.example", "description": "of the game"}],
         "reference": {"messageId": "100", "channelId": "9", "guildId": "1"}},
        {"id": "102", "type": "GuildMemberJoin", "timestamp": "2023-07-14T10:03:00+02:00",
         "content": "Joined the server.", "author": author, "attachments": [], "embeds": []},
    ]  # fmt: skip
    export = {"guild": {"id": "1", "name": "Club", "iconUrl": ""},
              "channel": {"id": "9", "type": "GuildTextChat", "name": "play", "topic": None},
              "dateRange": {"after": None, "before": None}, "messages": messages,
              "messageCount": 3}  # fmt: skip
    path = written(tmp_path, "out/talk.json", json.dumps(export))
    (path.parent / "talk.json_Files").mkdir()
    Image.new("RGB", (2, 2)).save(path.parent / "talk.json_Files/dice.png")
    (asked, answered, joined), skipped = read(Discord(), path)
    assert (asked.text, asked.speaker, asked.session) == ("board games?", "Kai", "discord:9")
    assert asked.timestamp == datetime(2023, 7, 14, 8, 0, 0, 123_000, tzinfo=UTC)
    assert [(m.name, m.sha256 is not None) for m in asked.media] == [
        ("dice.png", True), ("map.pdf", False),
    ]  # fmt: skip
    assert answered.text == "yes\nRules of the game https://r.example"
    assert answered.references == (Reference("reply_to", asked.source_id),)
    assert answered.metadata["edited"] is True
    assert joined.metadata["system"] is True
    assert skipped == []
    assert [p.name for p in Discord().companions(met(path))] == ["dice.png"]


@pytest.mark.parametrize("form", ["json", "csv"])
def test_the_official_package_holds_what_its_owner_wrote(tmp_path: Path, form: str) -> None:
    written(tmp_path, "package/account/user.json", '{"id": "5", "username": "kai"}')
    folder = tmp_path / "package/messages/c9"
    written(folder, "channel.json",
            '{"id": "9", "name": "play", "guild": {"id": "1", "name": "Club"}}')  # fmt: skip
    if form == "json":
        rows = [
            {"ID": 1101, "Timestamp": "2023-07-14 10:00:01", "Contents": "later"},
            {"ID": 1100, "Timestamp": "2023-07-14 10:00:00", "Contents": 'a, "b"\nc',
             "Attachments": "https://cdn.example/1/x.png?y=1"},
        ]  # fmt: skip
        path = written(folder, "messages.json", json.dumps(rows))
    else:
        text = (
            "ID,Timestamp,Contents,Attachments\r\n"
            "1101,2023-07-14 10:00:01.000000+00:00,later,\r\n"
            '1100,2023-07-14 10:00:00.000000+00:00,"a, ""b""\nc",https://cdn.example/1/x.png?y=1\r\n'
        )
        path = written(folder, "messages.csv", text)
    (first, second), skipped = read(Discord(), path)
    assert (first.text, first.speaker, first.session) == ('a, "b"\nc', "kai", "discord:9")
    assert first.timestamp == datetime(2023, 7, 14, 10, tzinfo=UTC)
    assert [(m.name, m.modality) for m in first.media] == [("x.png", "image")]
    assert (second.text, second.sequence, skipped) == ("later", 1, [])
    assert first.metadata == {"chat": "play", "server": "Club"}


# Signal


def test_signal_export_writes_a_line_a_message(tmp_path: Path) -> None:
    lines = [
        {"date": "2023-07-14 10:00:00", "sender": "Nora", "body": "the hut", "quote": "",
         "sticker": "", "reactions": [{"name": "Me", "emoji": "👍"}],
         "attachments": [{"name": "hut.jpg", "path": "media/hut.jpg"}]},
        {"date": "2023-07-14 10:05:00", "sender": "Me", "body": "lovely",
         "quote": "\n>\n> the hut\n>\n", "sticker": "", "reactions": [], "attachments": []},
    ]  # fmt: skip
    path = written(tmp_path, "Nora/data.json", "\n".join(map(json.dumps, lines)))
    (path.parent / "media").mkdir()
    Image.new("RGB", (2, 2)).save(path.parent / "media/hut.jpg")
    (first, second), skipped = read(Signal(ZoneInfo("Europe/Vienna")), path)
    assert (first.session, first.speaker, first.text) == ("signal:Nora", "Nora", "the hut")
    assert first.timestamp == datetime(2023, 7, 14, 8, tzinfo=UTC)
    assert first.media[0].sha256 is not None
    assert first.metadata["reactions"] == ["Me: 👍"]
    assert (second.sequence, second.metadata["quote"], skipped) == (1, "the hut", [])
    assert [p.name for p in Signal().companions(met(path))] == ["hut.jpg"]


def test_signals_own_export_names_people_before_their_messages(tmp_path: Path) -> None:
    lines = [
        {"version": "1", "backupTimeMs": "1689330000000"},
        {"account": {"username": "me"}},
        {"recipient": {"id": "1", "self": {}}},
        {"recipient": {"id": "2", "contact": {"e164": "43660", "profileGivenName": "Nora",
                                              "profileFamilyName": "Lind"}}},
        {"recipient": {"id": "3", "group": {"snapshot": {"title": {"title": "Hut"}}}}},
        {"chat": {"id": "10", "recipientId": "3"}},
        {"chatItem": {"chatId": "10", "authorId": "2", "dateSent": "1689328800000", "incoming": {},
                      "standardMessage": {"text": {"body": "who cooks?"}, "attachments": [
                          {"pointer": {"contentType": "image/jpeg", "fileName": "pot.jpg"}}]}}},
        {"chatItem": {"chatId": "10", "authorId": "1", "dateSent": "1689328860000", "outgoing": {},
                      "standardMessage": {"text": {"body": "me"},
                                          "quote": {"targetSentTimestamp": "1689328800000"}}}},
        {"chatItem": {"chatId": "10", "authorId": "2", "dateSent": "1689328870000",
                      "updateMessage": {"simpleUpdate": {"type": "JOINED_SIGNAL"}}}},
    ]  # fmt: skip
    path = written(tmp_path, "signal/main.jsonl", "\n".join(map(json.dumps, lines)))
    (asked, answered, notice), skipped = read(Signal(), path)
    assert (asked.session, asked.speaker, asked.text) == ("signal:Hut", "Nora Lind", "who cooks?")
    assert asked.timestamp == datetime(2023, 7, 14, 10, tzinfo=UTC)
    assert asked.media[0].modality == "image"
    assert (answered.speaker, answered.references) == (
        "me", (Reference("reply_to", asked.source_id),),
    )  # fmt: skip
    assert (notice.metadata["system"], skipped) == (True, [])


def test_messages_as_the_desktop_version_keeps_them(tmp_path: Path) -> None:
    dump = {
        "conversations": [{"id": "c1", "name": "Nora", "type": "private", "profileName": "N"}],
        "messages": [
            {"id": "m1", "conversationId": "c1", "type": "incoming", "sent_at": 1689328800000,
             "body": "hello", "attachments": [], "sourceUuid": "x"},
            {"id": "m2", "conversationId": "c1", "type": "outgoing", "sent_at": 1689328801000,
             "body": "hi", "attachments": [{"contentType": "image/png", "fileName": "a.png"}]},
            {"id": "m3", "body": "lost"},
        ],
    }  # fmt: skip
    memories, skipped = read(Signal(), written(tmp_path, "dump.json", json.dumps(dump)))
    assert [(m.text, m.sequence, m.session) for m in memories] == [
        ("hello", 0, "signal:c1"), ("hi", 1, "signal:c1"),
    ]  # fmt: skip
    assert memories[0].metadata["chat"] == "Nora"
    assert memories[1].speaker == "me"
    assert len(skipped) == 1


CHAT_MD = """[2023-07-14 10:00:00] Nora: the hut
![hut.jpg](./media/hut.jpg)
(- Me: \U0001f44d, Jan: \u2764 -)
[2023-07-14 10:05:00] Me: lovely
and near
"""


def test_a_chat_is_read_once_from_a_folder_with_its_copies(tmp_path: Path) -> None:
    line = {"date": "2023-07-14 10:00:00", "sender": "Nora", "body": "the hut", "quote": "",
            "sticker": "", "reactions": [["Me", "\U0001f44d"]], "attachments": []}  # fmt: skip
    for name in ("Nora", "Jan"):
        written(tmp_path, f"out/{name}/data.json", json.dumps(line))
        written(tmp_path, f"out/{name}/chat.md", CHAT_MD)
        written(tmp_path, f"out/{name}/index.html", "<html><body>the hut</body></html>")
    with Archive.open(tmp_path / "archive", settings=Settings()) as archive:
        report = archive.ingest([tmp_path / "out"], index=False)
        memories = archive.find()
    assert [(count.importer, count.new) for count in report.sources] == [("signal", 2)]
    assert {memory.session for memory in memories} == {"signal:Nora", "signal:Jan"}
    assert all(memory.metadata["reactions"] == ["Me: \U0001f44d"] for memory in memories)
    assert report.skipped_count == 0


def test_a_chat_of_signal_export_is_read_from_its_markdown_alone(tmp_path: Path) -> None:
    path = written(tmp_path, "Nora/chat.md", CHAT_MD)
    (path.parent / "media").mkdir()
    Image.new("RGB", (2, 2)).save(path.parent / "media/hut.jpg")
    assert not WhatsApp().recognises(met(path))
    (first, second), skipped = read(Signal(ZoneInfo("Europe/Vienna")), path)
    assert (first.session, first.speaker, first.text) == ("signal:Nora", "Nora", "the hut")
    assert first.timestamp == datetime(2023, 7, 14, 8, tzinfo=UTC)
    assert (first.media[0].name, first.media[0].sha256 is not None) == ("hut.jpg", True)
    assert first.metadata["reactions"] == ["Me: \U0001f44d", "Jan: \u2764"]
    assert (second.text, second.speaker, skipped) == ("lovely\nand near", "Me", [])


def test_reactions_stickers_calls_and_deletions_of_signals_own_export(tmp_path: Path) -> None:
    def item(sent: int, **said: object) -> dict[str, object]:
        return {"chatItem": {"chatId": "10", "authorId": "2", "dateSent": str(sent), **said}}

    lines = [
        {"recipient": {"id": "1", "self": {}}},
        {"recipient": {"id": "2", "contact": {"profileGivenName": "Nora"}}},
        {"chat": {"id": "10", "recipientId": "2"}},
        item(1689328800000, standardMessage={"text": {"body": "who cooks?"}, "reactions": [
            {"emoji": "\U0001f44d", "authorId": "1"}]}),
        item(1689328801000, stickerMessage={"sticker": {"emoji": "\U0001f63a"}}),
        item(1689328802000, remoteDeletedMessage={}),
        item(1689328803000, updateMessage={"individualCall": {"type": "VIDEO_CALL",
                                                              "state": "MISSED"}}),
        item(1689328804000, poll={"question": "When?", "options": [{"option": "Friday"}]}),
    ]  # fmt: skip
    path = written(tmp_path, "signal/main.jsonl", "\n".join(map(json.dumps, lines)))
    memories, skipped = read(Signal(), path)
    assert [memory.text for memory in memories] == [
        "who cooks?", "\U0001f63a", "", "Video call, missed", "When?\n- Friday",
    ]  # fmt: skip
    notes = [{k: v for k, v in m.metadata.items() if k != "chat"} for m in memories]
    assert notes == [
        {"reactions": ["me: \U0001f44d"]}, {"sticker": True}, {"deleted": True},
        {"system": True, "call": True}, {},
    ]  # fmt: skip
    assert skipped == []


def test_reactions_stickers_calls_and_deletions_of_the_desktop_version(tmp_path: Path) -> None:
    def stored(sent: int, **said: object) -> dict[str, object]:
        return {"conversationId": "c1", "type": "incoming", "sent_at": sent, "body": "", **said}

    dump = {
        "conversations": [{"id": "c1", "name": "Nora", "profileName": "N"}],
        "messages": [
            stored(1689328800000, body="hello", reactions=[{"emoji": "\u2764", "fromId": "c1"}]),
            stored(1689328801000, sticker={"emoji": "\U0001f63a", "packId": "x"}),
            stored(1689328802000, deletedForEveryone=True),
            stored(1689328803000, type="call-history",
                   callHistoryDetails={"wasVideoCall": False, "acceptedTime": None}),
        ],
    }  # fmt: skip
    memories, _ = read(Signal(), written(tmp_path, "dump.json", json.dumps(dump)))
    assert [memory.text for memory in memories] == ["hello", "\U0001f63a", "", "Call, missed"]
    assert memories[0].metadata["reactions"] == ["Nora: \u2764"]
    assert memories[2].metadata["deleted"] is True
    assert (memories[3].metadata["call"], memories[3].metadata["system"]) == (True, True)


@pytest.mark.parametrize("importer", [Discord(), Signal()])
def test_a_path_out_of_the_folder_is_refused(tmp_path: Path, importer: Discord | Signal) -> None:
    if isinstance(importer, Discord):
        text = json.dumps({"guild": {"id": "1"}, "channel": {"id": "2", "name": "x"}, "messages": [
            {"id": "3", "attachments": [{"url": "../../etc/passwd"}]}]})  # fmt: skip
    else:
        text = json.dumps({"date": "2023-07-14", "sender": "a", "body": "x",
                           "attachments": [{"name": "p", "path": "../../etc/passwd"}]})  # fmt: skip
    memories, skipped = read_anyway(importer, met(written(tmp_path, "d/x.json", text)))
    assert [m.media[0].sha256 for m in memories] == [None]
    assert [each.reason for each in skipped] == ["names a file outside its folder"]


def test_rare_kinds_of_messages_of_signals_own_export(tmp_path: Path) -> None:
    person = {"name": {"givenName": "Olga", "familyName": "M"}, "number": [{"value": "+43 1"}],
              "email": [{"value": "o@x.org"}], "organization": "Hut"}  # fmt: skip
    said: list[dict[str, object]] = [
        {"directStoryReplyMessage": {"textReply": {"text": {"body": "lovely"}},
                                     "reactions": [{"emoji": "y", "authorId": "1"}]}},
        {"directStoryReplyMessage": {"emoji": "\U0001f525"}},
        {"contactMessage": {"contact": person}},
        {"paymentNotification": {"amountMob": "1.5", "note": "for the rope"}},
        {"giftBadge": {"state": "OPENED"}},
        {"viewOnceMessage": {"attachment": {"pointer": {"contentType": "image/jpeg"}}}},
        {"standardMessage": {"text": {"body": "see https://a.org"}, "longText": {},
                             "linkPreview": [{"url": "https://a.org", "title": "Prices"}]}},
        {"adminDeletedMessage": {"adminId": "1"}},
    ]  # fmt: skip
    lines: list[object] = [
        {"recipient": {"id": "1", "self": {}}},
        {"chat": {"id": "10", "recipientId": "1"}},
        *({"chatItem": {"chatId": "10", "authorId": "1", "dateSent": str(at), **each}}
          for at, each in enumerate(said, start=1689328800000)),
    ]  # fmt: skip
    path = written(tmp_path, "signal/main.jsonl", "\n".join(map(json.dumps, lines)))
    memories, skipped = read(Signal(), path)
    assert [memory.text for memory in memories] == [
        "lovely", "\U0001f525", "Olga M\nHut\n+43 1\no@x.org", "Payment: 1.5 MOB\nfor the rope",
        "Gift badge", "Picture to view once", "see https://a.org\nPrices", "",
    ]  # fmt: skip
    notes = [{k: v for k, v in m.metadata.items() if k != "chat"} for m in memories]
    assert notes == [
        {"story_reply": True, "reactions": ["me: y"]}, {"story_reply": True}, {}, {}, {}, {},
        {"truncated": True}, {"deleted": True},
    ]  # fmt: skip
    assert [medium.mime for medium in memories[5].media] == ["image/jpeg"]
    assert skipped == []
