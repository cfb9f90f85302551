"""All kinds of chats and documents in one folder: each is read by its own importer, once."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import docx
import openpyxl
import pptx
import pytest
from reportlab.pdfgen.canvas import Canvas

from graphmemix import Archive
from graphmemix.ingest.builtin import built_in
from tests.ingest.reading import met, written

MOMENT = "2024-05-01T08:00:00+00:00"


def exports(root: Path) -> dict[str, Path]:
    """Write one small source of each kind; return them by the importer that must read them."""
    said = {"id": 1, "type": "message", "date": "2024-05-01T10:00:00", "text": "one",
            "date_unixtime": "1714550400", "from": "Ida"}  # fmt: skip
    chatgpt = [{"title": "t", "create_time": 1714550400.0, "mapping": {"a": {
        "id": "a", "parent": None, "children": [], "message": {
            "id": "a", "author": {"role": "user"}, "create_time": 1714550400.0,
            "content": {"content_type": "text", "parts": ["two"]}}}},
        "current_node": "a", "conversation_id": "c"}]  # fmt: skip
    claude = [{"uuid": "u", "name": "n", "chat_messages": [
        {"uuid": "m", "sender": "human", "text": "three", "created_at": MOMENT}]}]  # fmt: skip
    discord = {"guild": {"id": "1", "name": "g"}, "channel": {"id": "2", "name": "c"}, "messages": [
        {"id": "3", "type": "Default", "timestamp": MOMENT, "content": "four",
         "author": {"name": "Kai"}}]}  # fmt: skip
    slack = root / "slack"
    written(slack, "users.json", '[{"id": "U1", "name": "mia"}]')
    written(slack, "channels.json", '[{"id": "C1", "name": "general"}]')
    day = [{"type": "message", "user": "U1", "text": "five", "ts": "1714550400.000100"}]
    written(slack, "general/2024-05-01.json", json.dumps(day))
    document = docx.Document()
    document.add_paragraph("six")
    document.save(str(root / "a.docx"))
    show = pptx.Presentation()
    show.slides.add_slide(show.slide_layouts[5]).shapes.title.text = "seven"
    show.save(str(root / "a.pptx"))
    book = openpyxl.Workbook()
    assert book.active is not None
    book.active.append(["eight"])
    book.save(root / "a.xlsx")
    canvas = Canvas(str(root / "a.pdf"))
    canvas.drawString(72, 700, "nine nine nine nine nine nine")
    canvas.save()
    return {
        "slack": slack,
        "docx": root / "a.docx",
        "pptx": root / "a.pptx",
        "xlsx": root / "a.xlsx",
        "pdf": root / "a.pdf",
        "telegram": written(root, "telegram/result.json", json.dumps(
            {"name": "Ida", "type": "personal_chat", "id": 1, "messages": [said]})),
        "chatgpt": written(root, "chatgpt/conversations.json", json.dumps(chatgpt)),
        "claude": written(root, "claude/conversations.json", json.dumps(claude)),
        "discord": written(root, "discord/channel.json", json.dumps(discord)),
        "signal": written(root, "Nora/data.json", json.dumps(
            {"date": MOMENT, "sender": "Nora", "body": "ten", "attachments": []})),
        "dialogue": written(root, "log.jsonl", '{"role": "user", "content": "eleven"}\n'),
        "jsonl": written(root, "own.jsonl", '{"kind": "note", "text": "twelve"}\n'),
        "whatsapp": written(root, "WhatsApp Chat with Vera.txt", "25/04/24, 10:00 - Vera: 13\n"),
        "icalendar": written(root, "a.ics", "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:fourteen\n"
                             "DTSTART:20240501T080000Z\nEND:VEVENT\nEND:VCALENDAR\n"),
        "vcard": written(root, "a.vcf", "BEGIN:VCARD\nFN:fifteen\nEND:VCARD\n"),
        "html": written(root, "a.html", "<!doctype html><p>sixteen</p>"),
        "markdown": written(root, "a.md", "# seventeen\n"),
        "text": written(root, "a.txt", "eighteen\n"),
    }  # fmt: skip


def test_each_source_is_claimed_by_its_own_importer_first(tmp_path: Path) -> None:
    for name, path in exports(tmp_path).items():
        claims = [each.name for each in built_in() if each.recognises(met(path))]
        assert claims[:1] == [name], (path.name, claims)


def test_a_folder_of_everything_and_a_second_run(tmp_path: Path) -> None:
    sources = exports(tmp_path / "in")
    with Archive.open(tmp_path / "a") as archive:
        report = archive.ingest([tmp_path / "in"], index=False)
        assert {
            count.importer: count.new for count in report.sources if count.new
        } == dict.fromkeys(sources, 1)
        assert report.skipped == ()
        again = archive.ingest([tmp_path / "in"], index=False)
        assert (again.new, again.updated) == (0, 0)


@pytest.mark.parametrize("name", ["WhatsApp Chat - Vera.zip"])
def test_a_chat_in_a_zip_is_named_by_the_zip(tmp_path: Path, name: str) -> None:
    with zipfile.ZipFile(tmp_path / name, "w") as archive:
        archive.writestr("_chat.txt", "[25.04.24, 10:00:00] Vera: \u200e<attached: 01-PHOTO.jpg>\n")
        archive.writestr("01-PHOTO.jpg", b"\xff\xd8\xff\xe0" + bytes(50))
    with Archive.open(tmp_path / "a") as target:
        target.ingest([tmp_path / name], index=False)
        (memory,) = target.find()
        assert memory.session == "whatsapp:Vera"
        assert memory.media[0].sha256 is not None


def test_a_mail_a_chat_and_an_event_of_one_moment_sort_together(tmp_path: Path) -> None:
    root = tmp_path / "in"
    written(
        root, "a.eml", "From: a@b.example\nDate: Wed, 1 May 2024 10:00:00 +0200\nSubject: x\n\nhi"
    )
    exports(root)
    with Archive.open(tmp_path / "a") as archive:
        archive.ingest([root], index=False)
        times = {m.source: m.timestamp for m in archive.find()}
    moments = {times[name] for name in ("mail", "telegram", "slack", "icalendar", "claude")}
    assert len({moment.replace(microsecond=0) for moment in moments if moment}) == 1
