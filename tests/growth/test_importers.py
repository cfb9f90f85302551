"""Files that once took quadratic, cubic or exponential time, or that are built to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from graphmemix.ingest.documents.content_lines import ContentLine, content_lines
from graphmemix.ingest.documents.parts import split
from graphmemix.ingest.json_stream import JsonStream
from tests.growth.doubling import assert_linear
from tests.growth.importing import Case, assert_reads_linearly, packed
from tests.ingest.compound_files import below, compound, properties
from tests.ingest.reading import written

_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_ICS = "BEGIN:VCALENDAR\r\n{}END:VCALENDAR\r\n"
_RULE = (
    "BEGIN:DAYLIGHT\r\nTZOFFSETTO:+0100\r\nDTSTART:1970{month:02}{day:02}T{hour:02}{minute:02}00\r\n"
    "{more}END:DAYLIGHT\r\n"
)
_EVENT = "BEGIN:VEVENT\r\nSUMMARY:x\r\nDTSTART;TZID=Own:{year:04}0601T120000\r\nEND:VEVENT\r\n"
_MAIL = "From: a@example.org\r\nTo: b@example.org\r\nSubject: s\r\nMessage-ID: <1@x>\r\n"
_ANDROID = "14.07.23, 21:22 - "


def docx(body: str) -> bytes:
    text = f'<w:document xmlns:w="{_WORD}"><w:body>{body}</w:body></w:document>'
    return packed({"word/document.xml": text})


def long_namespace(size: int) -> bytes:
    inside = f"<w:body>{'<w:p/>' * size * 8}</w:body>"
    text = f'<w:document xmlns:w="{"x" * size * 64}">{inside}</w:document>'
    return packed({"word/document.xml": text})


def nested_tables(depth: int) -> bytes:
    row = "<w:tbl><w:tr><w:tc>", "</w:tc></w:tr></w:tbl>"
    return docx(row[0] * depth + "<w:p><w:r><w:t>x</w:t></w:r></w:p>" + row[1] * depth)


def zone_with_rules(size: int, *, yearly: bool) -> str:
    more = "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU\r\n" if yearly else ""
    rules = [
        _RULE.format(month=1 + i % 12, day=1 + i % 28, hour=i % 24, minute=i // 24 % 60, more=more)
        for i in range(size)
    ]
    zone = f"BEGIN:VTIMEZONE\r\nTZID:Own\r\n{''.join(rules)}END:VTIMEZONE\r\n"
    return _ICS.format(zone + "".join(_EVENT.format(year=1971 + i % 60) for i in range(size)))


def slides(size: int) -> bytes:
    """One slide that is named many times."""
    listed = "<sldIdLst>" + '<sldId r:id="rId1"/>' * size + "</sldIdLst>"
    related = '<Relationship Id="rId1" Type="x/slide" Target="slides/slide1.xml"/>'
    words = "<a:p><a:t>word</a:t></a:p>" * size
    return packed(
        {
            "ppt/presentation.xml": f'<p xmlns:r="x/relationships">{listed}</p>',
            "ppt/_rels/presentation.xml.rels": f"<Relationships>{related}</Relationships>",
            "ppt/slides/slide1.xml": f'<sld xmlns:a="x">{words}</sld>',
        }
    )


def discord(message: dict[str, object]) -> str:
    about = {"guild": {"id": "1", "name": "g"}, "channel": {"id": "2", "name": "c"}}
    return json.dumps({**about, "messages": [{"id": "3", **message}]})


def whatsapp(lines: str) -> str:
    return f"{_ANDROID}Anna: hello\n{lines}"


def open_document(body: str) -> bytes:
    stated = "application/vnd.oasis.opendocument.text"
    text = f'<c xmlns:text="t"><body>{body}</body></c>'
    return packed({"mimetype": stated, "content.xml": text})


def book(size: int) -> bytes:
    """One chapter and one picture that are named many times."""
    listed = "<itemref idref='a'/>" * size
    item = "<item id='a' href='a.xhtml' media-type='application/xhtml+xml'/>"
    return packed(
        {
            "META-INF/container.xml": "<c><rootfile full-path='b.opf'/></c>",
            "b.opf": f"<package><manifest>{item}</manifest><spine>{listed}</spine></package>",
            "a.xhtml": "<html>" + "<p>word<img src='1.png'></p>" * size,
            "1.png": b"\x89PNG\r\n\x1a\n" + bytes(100 * size),
        }
    )


def rich(body: str) -> bytes:
    return b"{\\rtf1 " + body.encode()


def outlook_recipients(size: int) -> bytes:
    streams = properties({0x37: "s"}, header=32)
    for number in range(size):
        person = properties({0x3001: f"P{number}", 0x3003: "a@x"}, header=8)
        streams |= below(f"__recip_version1.0_#{number:08X}", person)
    return compound(streams)


def messages(size: int) -> str:
    said = [{"sender_name": "a", "timestamp_ms": 1000 - n % 7, "content": "x"} for n in range(size)]
    return json.dumps({"participants": [{"name": "a"}], "messages": said})


def keep_links(size: int) -> str:
    flags = {"isTrashed": False, "isPinned": False, "isArchived": False}
    links = [{"url": f"https://example.org/{n}"} for n in range(size)]
    return json.dumps({**flags, "textContent": "word " * size * 8, "annotations": links})


def positions(size: int) -> str:
    met = [{"latitudeE7": 480000000 + n, "longitudeE7": 16 * n, "timestamp": 600 * n}
           for n in range(size)]  # fmt: skip
    return json.dumps({"locations": met})


def visits(size: int) -> str:
    """Return a phone's timeline: visits, paths, and positions that were not summed up."""
    where = {"topCandidate": {"placeLocation": {"latLng": "48.2°, 16.3°"}}}
    start, end = "2024-07-14T08:00:00.000+02:00", "2024-07-14T09:00:00.000+02:00"
    path = [{"point": "48.2°, 16.3°", "time": start}] * 4
    segments = [{"startTime": start, "endTime": end, "visit": where, "timelinePath": path}] * size
    signals = [{"position": {"LatLng": "48.2°, 16.3°", "timestamp": start}}] * size
    return json.dumps({"semanticSegments": segments, "rawSignals": signals})


def mattermost(size: int) -> str:
    """Return posts with answers by people that are not listed."""
    team = {"team": "a", "channel": "b", "user": "c", "message": "x"}
    post = {"type": "post", "post": {**team, "create_at": 5, "replies": [{**team}] * 4}}
    return '{"type": "version", "version": 1}\n' + (json.dumps(post) + "\n") * size


def backup(size: int) -> str:
    """Return Signal's own export: people, chats, and messages with reactions."""
    people = [{"recipient": {"id": str(n), "contact": {"e164": str(n)}}} for n in range(size)]
    chats = [{"chat": {"id": str(n), "recipientId": str(n)}} for n in range(size)]
    react = [{"emoji": "x", "authorId": "1"}] * 4
    said = {"standardMessage": {"text": {"body": "x"}, "reactions": react}}
    items = [{"chatItem": {"chatId": str(n), "authorId": str(n), "dateSent": "5", **said}}
             for n in range(size)]  # fmt: skip
    return "".join(json.dumps(each) + "\n" for each in [*people, *chats, *items])


def sheet(size: int) -> bytes:
    """Return a sheet whose rows and cells say that they are repeated."""
    cell = '<table-cell number-columns-repeated="9999"><p>x</p></table-cell>'
    row = f'<table-row number-rows-repeated="9999">{cell}</table-row>'
    body = f"<c><body><spreadsheet><table>{row * size}</table></spreadsheet></body></c>"
    stated = "application/vnd.oasis.opendocument.spreadsheet"
    return packed({"mimetype": stated, "content.xml": body})


_POINT = '<trkpt lat="48" lon="16"><time>2023-07-14T08:{:02}:00Z</time></trkpt>'

CASES = (
    Case("heading-spaces", "markdown", "a.md", lambda n: "# x" + " \t" * n + "x"),
    Case("heading-signs", "markdown", "a.md", lambda n: "# x" + "#" * n + "x"),
    Case("nested-tables", "docx", "a.docx", nested_tables, start=8, most=128),
    Case("long-heading", "docx", "a.docx", lambda n: docx(
        "<w:p><w:pPr><w:outlineLvl/></w:pPr><w:r><w:t>" + "word " * n * 50 + "</w:t></w:r></w:p>"),
        start=1 << 10),
    Case("long-namespace", "docx", "a.docx", long_namespace, start=512, most=1 << 12),
    Case("one-slide-many-times", "pptx", "a.pptx", slides, most=1 << 10),
    Case("rules-and-events", "icalendar", "a.ics", lambda n: zone_with_rules(n, yearly=False),
         most=1 << 11),
    Case("yearly-rules-and-events", "icalendar", "a.ics",
         lambda n: zone_with_rules(n, yearly=True), most=1 << 11),
    Case("parameters", "icalendar", "a.ics", lambda n: _ICS.format(
        "BEGIN:VEVENT\r\nSUMMARY" + ";X=a" * n + ":x\r\nEND:VEVENT\r\n")),
    Case("folded-lines", "icalendar", "a.ics", lambda n: _ICS.format(
        "BEGIN:VEVENT\r\nSUMMARY:" + ("\r\n " + "x" * 70) * n + "\r\nEND:VEVENT\r\n")),
    Case("unknown-zones", "icalendar", "a.ics", lambda n: _ICS.format(
        _EVENT.replace("Own", "/x/y/Nowhere/Atall").format(year=2024) * n), most=1 << 11),
    Case("folded-picture", "vcard", "a.vcf", lambda n: "BEGIN:VCARD\r\nFN:A\r\nPHOTO;ENCODING=b:"
         + ("\r\n " + "A" * 70) * n + "\r\nEND:VCARD\r\n"),
    Case("soft-breaks", "vcard", "a.vcf", lambda n: "BEGIN:VCARD\r\n"
         "NOTE;ENCODING=QUOTED-PRINTABLE:" + "abcd=\r\n" * n + "\r\nEND:VCARD\r\n"),
    Case("types", "vcard", "a.vcf", lambda n: "BEGIN:VCARD\r\nTEL" + ";HOME" * n
         + ":1\r\nEND:VCARD\r\n"),
    Case("events-that-do-not-end", "icalendar", "a.ics", lambda n: _ICS.format(
        "BEGIN:VEVENT\r\nSUMMARY:x\r\n" * n), most=1 << 11),
    Case("drawings", "docx", "a.docx", lambda n: docx(
        '<w:p><w:r><docPr descr="a stove"/><blip/></w:r></w:p>' * n), most=1 << 12),
    Case("odd-header-lines", "mail", "a.eml", lambda n: _MAIL + "odd line\r\nX-A: b\r\n" * n
         + "\r\nbody"),
    Case("empty-lines-with-blanks", "mail", "a.eml", lambda n: _MAIL + " \r\n x\r\n" * n
         + "\r\nbody"),
    Case("ids-that-do-not-end", "mail", "a.eml", lambda n: _MAIL + "References: " + "from <a " * n
         + "\r\n\r\nbody"),
    Case("links-that-do-not-end", "signal", "chat.md", lambda n:
         "[2023-07-14 10:00] A: " + "![x](media/" * n, most=1 << 14),
    Case("a-poll-that-does-not-end", "whatsapp", "a.txt", lambda n: whatsapp(
        f"{_ANDROID}A: \u200ePOLL:\n" + "\u200eOPTION: x (1 " * n)),
    Case("empty-cells", "html", "a.html", lambda n: "<html><table><tr>" + "<td> " * n),
    Case("open-formatting", "html", "a.html",
         lambda n: "<html>" + "".join(f"<font color={i}><p>" for i in range(n))),
    Case("open-lists", "html", "a.html", lambda n: "<html>" + "<ul><li>" * n + "</span>" * n),
    Case("many-attributes", "html", "a.html",
         lambda n: "<html><p " + " ".join(f"a{i}=1" for i in range(n)) + ">x"),
    Case("tags-in-quotes", "html", "a.html", lambda n: "<html><a" + ' ">" "<b"' * n + " '"),
    Case("number-of-many-digits", "html", "a.html", lambda n: "<html>&#" + "9" * n * 64 + ";"),
    Case("half-of-a-header", "whatsapp", "a.txt", lambda n: whatsapp(
        "14.07.23, कखगघचछजझ 9:22 कखगघचछजझ x\n" * n), most=1 << 11),
    Case("embeds", "discord", "a.json", lambda n: discord(
        {"content": "ab" * n * 32, "embeds": [{"title": "bb"}] * n}),
        start=1 << 10, most=1 << 13),
    Case("columns-and-rows", "discord", "messages.csv", lambda n:
         "ID,Timestamp,Contents,Attachments" + ",x" * n * 4 + "\n" + "1\n" * n, most=1 << 12),
    Case("many-messages", "messenger", "message_1.json", messages, most=1 << 11),
    Case("many-records", "sms", "a.xml", lambda n:
         '<smses><sms address="1" date="5" type="1" body="x"/>' + '<mms address="2" date="5"/>' * n,
         most=1 << 11),
    Case("halves-of-emoji", "sms", "a.xml", lambda n:
         f'<smses><sms address="1" date="5" body="{"&#55357;" * n * 4}{"&#" * n}"/></smses>',
         most=1 << 11),
    Case("pictures-in-attributes", "sms", "a.xml", lambda n:
         f'<smses><mms address="1" date="5"><parts><part ct="image/png" data="{"A" * n}"/>'
         "</parts></mms></smses>", start=1 << 21, most=1 << 24),
    Case("namespaces", "sms", "a.xml", lambda n:
         f'<smses xmlns:x="{"y" * n}">' + "<x:sms/>" * n, most=1 << 11),
    Case("links", "keep", "a.json", keep_links, most=1 << 11),
    Case("encrypted-parts", "evernote", "a.enex", lambda n:
         f"<en-export><note><title>x</title><content>{'&lt;en-crypt' * n}"
         f"{'&lt;en-todo ' * n}</content></note></en-export>", most=1 << 11),
    Case("many-points", "gpx", "a.gpx", lambda n:
         "<gpx><trk>" + "".join(_POINT.format(i % 60) for i in range(n)) + "</trk></gpx>",
         most=1 << 11),
    Case("many-days", "locations", "Records.json", positions, most=1 << 11),
    Case("visits-and-signals", "locations", "Timeline.json", visits, most=1 << 11),
    Case("posts-and-answers", "mattermost", "import.jsonl", mattermost, most=1 << 11),
    Case("people-and-chats", "signal", "main.jsonl", backup, most=1 << 11),
    Case("repeated-cells", "opendocument", "a.ods", sheet, start=8, most=256),
    Case("dates-and-exceptions", "icalendar", "a.ics", lambda n: _ICS.format(
        "BEGIN:VEVENT\r\nSUMMARY:x\r\nDTSTART;TZID=Europe/Vienna:20240101T000000\r\n"
        "RRULE:FREQ=MONTHLY;BYDAY=" + "1MO," * n + "\r\n"
        + ("EXDATE:20240101T000000Z" + ",20240102T000000Z" * 8 + "\r\nRDATE:20240103\r\n") * n
        + "END:VEVENT\r\n"), most=1 << 11),
    Case("coordinates", "kml", "a.kml", lambda n:
         f"<kml><Placemark><LineString><coordinates>{'1,2 ' * n}</coordinates></LineString>"
         "</Placemark></kml>", most=1 << 11),
    Case("recipients", "outlook", "a.msg", outlook_recipients, most=1 << 9),
    Case("one-chapter-many-times", "epub", "a.epub", book, most=1 << 11),
    Case("nested-spans", "opendocument", "a.odt", lambda n: open_document(
        "<text><p>" + "<span>x" * n + "</span>" * n + "</p></text>"), start=8, most=256),
    Case("open-groups", "rtf", "a.rtf", lambda n: rich("{" * n + "}" * n + "{\\v x"), most=1 << 11),
    Case("fonts", "rtf", "a.rtf", lambda n: rich("{\\fonttbl" + "".join(
        f"{{\\f{i}\\fcharset204 x;}}" for i in range(n)) + "}" + "\\f1 x" * n), most=1 << 11),
    Case("open-pictures", "rtf", "a.rtf", lambda n: rich("{\\pict\\pngblip 00" * n),
         most=1 << 11),
)  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=str)
def test_reading_takes_time_in_proportion_to_the_file(case: Case, tmp_path: Path) -> None:
    assert_reads_linearly(case, tmp_path)


def test_cutting_a_long_text_into_parts() -> None:
    def parts(text: str) -> list[str]:
        return split(text, longest=100)

    assert_linear(parts, lambda n: "word " * n, start=1 << 15, most=1 << 18)


def test_unfolding_a_picture() -> None:
    def lines(data: bytes) -> list[ContentLine]:
        return list(content_lines(data))

    assert_linear(lines, lambda n: b"PHOTO:" + b"\r\n AAAA" * n, start=1 << 14, most=1 << 17)


def test_small_values_behind_a_large_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphmemix.ingest.json_stream._CHUNK", 64)

    def make(size: int) -> Path:
        values = ["x" * size * 64, *["y" * 60] * size]
        return written(tmp_path, f"{size}.json", json.dumps(values))

    def read_values(path: Path) -> int:
        with JsonStream(path, "file") as stream:
            return sum(1 for _ in stream.items())

    assert_linear(read_values, make, start=1 << 11, most=1 << 14)
