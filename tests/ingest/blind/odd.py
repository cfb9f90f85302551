"""Files with the oddities of real programs, written by hand, for the fuzzer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PIL import Image, PngImagePlugin

from tests.ingest.blind import pictures
from tests.ingest.compound_files import compound

if TYPE_CHECKING:
    from pathlib import Path

MAIL = """Return-Path: <anna@x.org>
To: Jan <jan@x.org>,
Zoe <zoe@x.org>
warning this line was put in by a gateway
From: Anna <anna@x.org>
In-Reply-To: Message from Jan <jan@x.org> of "Mon, 3 Jun 2002" <3@host>
References: Your message of Monday <1@host> <jan@x.org>
 \t
The body begins without an empty line: here.
"""
NETSCAPE = "".join(
    f"From - \nMessage-ID: <{number}@x.org>\nFrom: a@x.org\nContent-Length: {50 * number}\n"
    f"X-Mozilla-Status: 0001\nSubject: {number}\n\nwords {number}\n--edge--\n"
    for number in range(4)
)

CHAT_MD = """[2023-07-14 10:00:00] Nora: the hut
![hut.jpg](./media/hut.jpg)
(- Me: 👍, Jan: ❤ -)
[2023-07-14 10:05:00] Me: lovely
"""
WHATSAPP = """[18-06-13, 21:25:15] Ana: \u200eLocation: https://maps.google.com/?q=48.2,16.3
[18-06-14, 21:25:15] Ana: \u200ePOLL:
When?
\u200eOPTION: Friday (\u200e2 votes)
[18-07-15, 9:25:15 p. m.] Ben: hola
"""
SIGNAL = """{"recipient": {"id": "1", "self": {}}}
{"chat": {"id": "10", "recipientId": "1"}}
{"chatItem": {"chatId": "10", "authorId": "1", "dateSent": "1689328800000", "stickerMessage":
 {"sticker": {"emoji": "x"}, "reactions": [{"emoji": "y", "authorId": "1"}]}}}
{"chatItem": {"chatId": "10", "dateSent": "1", "updateMessage": {"groupCall": {"state": "X"}}}}
"""


def write_odd(folder: Path) -> None:
    """Write files of every kind with oddities."""
    folder.mkdir()
    (folder / "odd.eml").write_text(MAIL)
    (folder / "netscape").write_text(NETSCAPE)
    (folder / "chat.md").write_text(CHAT_MD)
    (folder / "_chat.txt").write_text(WHATSAPP)
    (folder / "main.jsonl").write_text(SIGNAL)
    (folder / "cut.ics").write_text(
        "BEGIN:VEVENT\nUID:1\nSUMMARY:Dentist\nDTSTART:20240603T163000Z\nBEGIN:VFREEBUSY\n"
    )
    (folder / "Photo Details.csv").write_text(
        'imgName,favorite,originalCreationDate\nb.bmp,yes,"Friday July 14,2023 5:00 PM GMT"\n'
    )
    apple = b"From: a@x.org\nSubject: Ferry\n\nAt nine.\n"
    (folder / "1.emlx").write_bytes(
        b"%-10d\n%s<?xml version='1.0'?><plist><dict/></plist>\n" % (len(apple), apple)
    )
    (folder / "old.doc").write_bytes(compound({"WordDocument": bytes(600)}))
    (folder / "old.xls").write_bytes(compound({"Workbook": bytes(600)}))
    pictures.takeout(folder / "b.bmp.supplemental-metadata.json", "b.bmp", 1672650672)
    (folder / "Metadaten.json").write_text('{"title": "Rom", "access": "protected"}')
    Image.new("RGB", (6, 4), "red").save(folder / "b.bmp")
    Image.new("RGB", (6, 4), "red").save(folder / "b.tif", big_tiff=True)
    info = PngImagePlugin.PngInfo()
    info.add_text("Creation Time", "Tue, 14 Jul 2015 21:22:39 +0200")
    Image.new("RGB", (6, 4), "red").save(folder / "b.png", pnginfo=info)
