"""What importers are made of: readers of texts, names, times and records within a file.

An importer meets them behind its own checks; here bytes reach them as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from graphmemix.errors import ImportSourceError
from graphmemix.ingest.attachments import base_name, is_inside, known, mime_of
from graphmemix.ingest.charset import guess
from graphmemix.ingest.documents.content_lines import content_lines
from graphmemix.ingest.documents.html import read_page
from graphmemix.ingest.documents.markup import Tag, attributes_of, tokens
from graphmemix.ingest.documents.parts import LONGEST_PART, split
from graphmemix.ingest.exif import Tags, exif_facts
from graphmemix.ingest.facts import clean, words
from graphmemix.ingest.json_stream import JsonStream
from graphmemix.ingest.lines import json_lines
from graphmemix.ingest.mail.addresses import addresses
from graphmemix.ingest.mail.bodies import content_of
from graphmemix.ingest.mail.headers import decoded, header_text, parameters
from graphmemix.ingest.mail.mime import MimePart, parse
from graphmemix.ingest.mail.tnef import unwrapped
from graphmemix.ingest.node import iso_moment, moment, number
from graphmemix.ingest.outline import outline
from graphmemix.ingest.sidecars import takeout_facts
from graphmemix.ingest.text import decode
from graphmemix.ingest.xmp import xmp_facts
from graphmemix.text.coordinates import iso_6709, xmp_degrees
from graphmemix.text.dates.capture_time import parse_offset, parse_time
from graphmemix.text.dates.file_names import name_burst, name_time, names_a_screenshot
from graphmemix.text.dates.mail_heads import sent_at
from tests.fuzz.target import Prey, Target
from tests.ingest.blind import mails, pictures

Reader = Callable[[bytes, Path], None]


def _charset(data: bytes, _folder: Path) -> None:
    declared, _, text = data.partition(b"\n")
    decode(text).encode()  # no half of a character
    decode(text, declared.decode("latin-1")).encode()
    text.decode(guess(text[:4096]), "replace")


def _json(data: bytes, folder: Path) -> None:
    path = folder / "data.json"
    path.write_bytes(data)
    outline(data[:8192])
    list(json_lines(path, "data"))
    try:
        with JsonStream(path, "data") as stream:
            for _ in stream.members() if stream.peek() == "{" else stream.items():
                stream.peek()
    except ImportSourceError:
        pass


def _exif(data: bytes, _folder: Path) -> None:
    from PIL.Image import Exif

    exif = Exif()
    try:
        exif.load(data)
    except Exception:  # Pillow raises anything, and importers expect it  # noqa: BLE001
        return
    words(exif_facts(Tags(exif))).encode()


def _xmp(data: bytes, _folder: Path) -> None:
    words(xmp_facts(data)).encode()
    takeout_facts(data)


def _tnef(data: bytes, _folder: Path) -> None:
    for part in unwrapped(MimePart({}, data, "application/ms-tnef")):
        part.filename.encode()
        part.content()


def _names(data: bytes, _folder: Path) -> None:
    text = decode(data)
    for read in (name_time, name_burst, names_a_screenshot, base_name, is_inside, known, number):
        read(text)
    for read_more in (xmp_degrees, iso_6709, iso_moment, parse_offset):
        read_more(text)
    mime_of(data, text)
    moment(number(text))
    sent_at([text])
    with suppress(ValueError):
        parse_time(text)


def _content_lines(data: bytes, _folder: Path) -> None:
    for line in content_lines(data):
        line.text.encode()
        line.fields()
        line.parameter("TZID")


def _html(data: bytes, _folder: Path) -> None:
    page = decode(data)
    title, text = read_page(page)
    clean(title)
    for token in tokens(page):
        if isinstance(token, Tag):
            attributes_of(token)
    assert all(len(part) <= LONGEST_PART for part in split(text))


def _mime(data: bytes, _folder: Path) -> None:
    message = parse(data)
    content_of(message).text.encode()
    for part in message.walk():
        for values in part.fields.values():
            text = header_text(values[0])
            decoded(text)
            parameters(text)
            addresses(text)


_PAGE = (
    b"<html><title>T</title><p class='a'>x<br><a href=https://x.y>y</a>"
    b"<table><tr><td>1<td>2</table><pre>a\nb</pre><!-- c -->&amp;&#65;</html>"
)


def _calendars() -> list[bytes]:
    return [
        b'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY;X="a,b";Y=c:A\\, b\r\n c\r\nEND:VEVENT\r\n',
        b"BEGIN:VCARD\r\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=C3=A4=\r\n=C3=B6;b\r\nEND:VCARD",
    ]


def _envelope() -> bytes:
    parts = parse(mails.winmail()).walk()
    return max((part.content() for part in parts if not part.parts), key=len)


@contextmanager
def _open(read: Reader, seeds: Callable[[], list[bytes]], folder: Path) -> Iterator[Prey]:
    folder.mkdir(parents=True, exist_ok=True)

    def run(data: bytes) -> None:
        read(data, folder)

    yield Prey(seeds(), run)


_PARTS: dict[str, tuple[Reader, Callable[[], list[bytes]]]] = {
    "charset": (_charset, lambda: [
        "utf-8\nGrüße – 日本語".encode(), "\nПривет, мир".encode("cp1251"), b"utf-7\n+AOk-",
        "shift_jis\nこんにちは世界".encode("cp932"), "\nÁrvíztűrő".encode("cp1250")]),
    "json": (_json, lambda: [
        b'{"a": [1, 2.5, {"b": null}], "c": "d\\u00e9"}', b'[[], {}, "x"]\n{}']),
    "exif": (_exif, lambda: [pictures.exif(
        taken="2023:04:05 06:07:08", offset="+09:00", place=pictures.QUADRANTS["rio"],
        orientation=6, camera=("FUJIFILM", "X100V"))]),
    "xmp": (_xmp, lambda: [
        pictures.XMP.encode(),
        b'{"photoTakenTime": {"timestamp": "1672650672"}, "geoData": {"latitude": 1.5}}']),
    "tnef": (_tnef, lambda: [_envelope()]),
    "names": (_names, lambda: [
        b"IMG_20220430_132212_BURST001.jpg", b"Screenshot 2022-04-30 at 1.22.12 PM.png",
        b"48,8.25N", b"+48.1374+011.5755+520.1/", b"2022-04-30T13:22:12.5+02:00",
        b"Mon, 14 Jul 2023 21:22:00 +0200 (CEST)", b"1672650672000", b"a/../b.tgz"]),
    "lines": (_content_lines, _calendars),
    "html": (_html, lambda: [_PAGE]),
    "mime": (_mime, lambda: [mails.html_only(), mails.rfc2231(), mails.newsletter(),
                             mails.carried()]),
}  # fmt: skip


TARGETS = tuple(
    Target(name, "importers", partial(_open, read, seeds)) for name, (read, seeds) in _PARTS.items()
)
