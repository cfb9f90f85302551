"""Mail as other programs write it: Python's `email` and `mailbox`, and bytes where they balk."""

from __future__ import annotations

import mailbox
import struct
from email.headerregistry import Address
from email.message import EmailMessage
from io import BytesIO
from typing import TYPE_CHECKING

from PIL import Image

if TYPE_CHECKING:
    from pathlib import Path

LENA = Address("Lena Brandt", "lena", "brandt.example")
OTTO = Address("Otto Weiß", "otto", "weiss.example")


def png(colour: str = "teal", size: tuple[int, int] = (12, 8)) -> bytes:
    """Return a small picture."""
    out = BytesIO()
    Image.new("RGB", size, colour).save(out, "PNG")
    return out.getvalue()


def letter(
    number: int, subject: str, body: str, *, sender: Address = LENA, date: str, to: Address = OTTO
) -> EmailMessage:
    """Return a plain mail with Message-ID <number@brandt.example>."""
    mail = EmailMessage()
    mail["Message-ID"] = f"<{number}@brandt.example>"
    mail["From"] = sender
    mail["To"] = to
    mail["Subject"] = subject
    mail["Date"] = date
    mail.set_content(body)
    return mail


def thread() -> list[EmailMessage]:
    """Return four mails: a question, an answer, an answer to that, and one of its own."""
    first = letter(
        1,
        "Kanu für Ostern",
        "Lieber Otto,\n\nFrom Friday on we need two canoes.\n\nLena\n",
        date="Mon, 04 Mar 2024 09:15:00 +0100",
    )
    second = letter(
        2,
        "Re: Kanu für Ostern",
        "I asked the club. They lend us two.\n",
        sender=OTTO,
        to=LENA,
        date="Mon, 04 Mar 2024 08:40:30 +0000",
    )
    second["In-Reply-To"] = "<1@brandt.example>"
    second["References"] = "<1@brandt.example>"
    third = letter(
        3,
        "AW: Kanu für Ostern",
        "Wonderful, see plan.\n",
        date="Tue, 5 Mar 2024 01:02:03 -0800 (PST)",
    )
    third["References"] = "<1@brandt.example> <2@brandt.example>"
    third.add_attachment(png(), maintype="image", subtype="png", filename="Anfahrt Größe.png")
    third.add_attachment("Rope\nPaddles\n", subtype="plain", filename="packing.txt")
    third.add_attachment(
        b"\x00\x01\x02GPS", maintype="application", subtype="x-track", filename="route.trk"
    )
    fourth = letter(4, "Gas bill", "Paid 61.20 EUR.\n", date="Wed, 06 Mar 2024 12:00:00 GMT")
    return [first, second, third, fourth]


def write_mbox(path: Path) -> Path:
    """Write the thread with Python's `mailbox`, last mail first."""
    box = mailbox.mbox(path)
    for mail in reversed(thread()):
        box.add(mail)
    box.close()
    return path


def write_maildir(path: Path) -> Path:
    """Write the thread as a Maildir with a folder for what was sent."""
    box = mailbox.Maildir(path, create=True)
    first, second, third, fourth = thread()
    sent = box.add_folder("Sent")
    for mail in (first, third):
        kept = mailbox.MaildirMessage(mail)
        kept.set_subdir("cur")
        kept.set_flags("RS")
        sent.add(kept)
    box.add(second)
    box.add(fourth)
    box.close()
    return path


def raw(headers: str, body: bytes) -> bytes:
    """Return a mail of headers and a body as they are."""
    common = (
        "From: Lena Brandt <lena@brandt.example>\r\n"
        "To: otto@weiss.example\r\n"
        "Date: Thu, 07 Mar 2024 10:00:00 +0100\r\n"
        "MIME-Version: 1.0\r\n"
    )
    return (common + headers.strip().replace("\n", "\r\n") + "\r\n\r\n").encode("ascii") + body


def odd_charsets() -> dict[str, tuple[bytes, str, str]]:
    """Return mails in older encodings: bytes, subject and body."""
    russian, chinese, japanese = (
        "Ключ лежит под ковриком.",
        "钥匙在邻居家。",
        "鍵は隣の家にあります。",
    )
    curly = "The café’s “plat du jour” – 12 €."
    plain = "Content-Type: text/plain; charset={}\nContent-Transfer-Encoding: 8bit\n"
    return {
        "koi8": (
            raw(
                "Message-ID: <k@x.example>\nSubject: =?koi8-r?B?68zA3g==?=\n"
                + plain.format("koi8-r"),
                russian.encode("koi8-r"),
            ),
            "Ключ",
            russian,
        ),
        "gb2312": (
            raw(
                "Message-ID: <g@x.example>\nSubject: =?gb2312?B?1L+z1w==?=\n"
                + plain.format('"GB2312"'),
                chinese.encode("gb2312"),
            ),
            "钥匙",
            chinese,
        ),
        "shift_jis": (
            raw(
                "Message-ID: <s@x.example>\nSubject: =?shift_jis?B?jK4=?=\n"
                + plain.format("Shift_JIS"),
                japanese.encode("shift_jis"),
            ),
            "鍵",
            japanese,
        ),
        "iso-2022-jp": (
            raw(
                "Message-ID: <i@x.example>\nSubject: =?ISO-2022-JP?B?GyRCODAbKEI=?=\n"
                + plain.format("iso-2022-jp"),
                japanese.encode("iso-2022-jp"),
            ),
            "鍵",
            japanese,
        ),
        "windows-1252 called us-ascii": (
            raw(
                "Message-ID: <w@x.example>\nSubject: Menu\n" + plain.format("us-ascii"),
                curly.encode("cp1252"),
            ),
            "Menu",
            curly,
        ),
        "utf-8 called iso-8859-1": (
            raw(
                "Message-ID: <u@x.example>\nSubject: Menu 2\n" + plain.format("utf-8"),
                curly.encode(),
            ),
            "Menu 2",
            curly,
        ),
        "unheard-of charset": (
            raw(
                "Message-ID: <z@x.example>\nSubject: Menu 3\n" + plain.format("x-unknown"),
                curly.encode(),
            ),
            "Menu 3",
            curly,
        ),
    }


def html_only() -> bytes:
    """Return a mail that is a page, with entities, a style sheet, a list and a link."""
    page = (
        "<html><head><style>p {color: red}</style><title>Ignore me</title></head><body>"
        "<p>Dear Otto,</p><p>your&nbsp;booking <b>K7X-220</b> is&#32;confirmed &amp; paid.</p>"
        "<ul><li>Two canoes</li><li>Three nights</li></ul>"
        '<script>track("x")</script><p>See <a href="https://kanu.example/k7x">the page</a>.</p>'
        "</body></html>"
    )
    return raw(
        "Message-ID: <h@x.example>\nSubject: Booking\n"
        "Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: base64\n",
        __import__("base64").encodebytes(page.encode()),
    )


def rfc2231() -> bytes:
    """Return a mail whose attachment has a name in pieces, in a charset, in a language."""
    return raw(
        "Message-ID: <r@x.example>\nSubject: Minutes\n"
        'Content-Type: multipart/mixed; boundary="edge"\n',
        b"--edge\r\nContent-Type: text/plain\r\n\r\nMinutes attached.\r\n"
        b"--edge\r\nContent-Type: application/octet-stream\r\n"
        b"Content-Disposition: attachment;\r\n"
        b" filename*0*=iso-8859-1'de'Protokoll%20der%20;\r\n"
        b" filename*1*=B%FCrgerversammlung;\r\n"
        b' filename*2=" 2024.dat"\r\n'
        b"Content-Transfer-Encoding: base64\r\n\r\nAAECAwQ=\r\n--edge--\r\n",
    )


def tnef(name: str, data: bytes) -> bytes:
    """Return a winmail.dat ([MS-OXTNEF]) that carries one file."""

    def attribute(level: int, ident: int, payload: bytes) -> bytes:
        checksum = sum(payload) & 0xFFFF
        return (
            struct.pack("<BII", level, ident, len(payload)) + payload + struct.pack("<H", checksum)
        )

    rendering = struct.pack("<HIHHI", 1, 0xFFFFFFFF, 0, 0, 0)
    return (
        struct.pack("<IH", 0x223E9F78, 1)
        + attribute(1, 0x00089006, struct.pack("<I", 0x00010000))  # attTnefVersion
        + attribute(1, 0x00069007, struct.pack("<II", 1252, 0))  # attOemCodepage
        + attribute(2, 0x00069002, rendering)  # attAttachRenddata begins an attachment
        + attribute(2, 0x00018010, name.encode("cp1252") + b"\x00")  # attAttachTitle
        + attribute(2, 0x0006800F, data)  # attAttachData
    )


def winmail() -> bytes:
    """Return a mail as Outlook sends it to those who do not speak Outlook."""
    mail = letter(
        9, "From Outlook", "The list is attached.\n", date="Fri, 08 Mar 2024 08:00:00 +0100"
    )
    mail.add_attachment(
        tnef("shopping.txt", b"Flour\r\nYeast\r\n"),
        maintype="application",
        subtype="ms-tnef",
        filename="winmail.dat",
    )
    return mail.as_bytes()


def newsletter() -> bytes:
    """Return a mail in two forms with a picture in its page."""
    mail = letter(10, "Spring", "Plain: tulips.\n", date="Fri, 08 Mar 2024 09:00:00 +0100")
    mail.add_alternative('<p>Page: tulips.</p><img src="cid:tulip@x.example">', subtype="html")
    page = mail.get_payload()[1]  # type: ignore[index]
    page.add_related(png("red"), "image", "png", cid="<tulip@x.example>")  # type: ignore[union-attr]
    return mail.as_bytes()


def carried() -> bytes:
    """Return a mail that carries another as it was."""
    mail = letter(11, "FYI", "See below.\n", date="Sat, 09 Mar 2024 09:00:00 +0100")
    mail.add_attachment(thread()[3])
    return mail.as_bytes()
