"""Every importer of texts against every hostile shape, and every function that cleans texts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias
from xml.sax.saxutils import escape

import pytest

from graphmemix.ingest.attachments import base_name, is_inside, mime_of
from graphmemix.ingest.charset import guess
from graphmemix.ingest.chats.whatsapp_lines import parse_line, split_sender
from graphmemix.ingest.chats.whatsapp_media import content_of
from graphmemix.ingest.documents.content_lines import ContentLine, content_lines, unescaped
from graphmemix.ingest.documents.html import to_text
from graphmemix.ingest.documents.markup import Tag, attributes_of, tokens
from graphmemix.ingest.documents.parts import split
from graphmemix.ingest.documents.recurrence import spoken_rule
from graphmemix.ingest.facts import Facts, clean, words
from graphmemix.ingest.mail.addresses import addresses
from graphmemix.ingest.mail.bodies import content_of as mail_content
from graphmemix.ingest.mail.bodies import text_of
from graphmemix.ingest.mail.headers import decoded, header_text, parameters
from graphmemix.ingest.mail.mime import MimePart, parse
from graphmemix.ingest.mail.tnef import unwrapped
from graphmemix.ingest.node import iso_moment, short
from graphmemix.ingest.outline import outline
from graphmemix.ingest.sidecars import takeout_facts
from graphmemix.ingest.text import decode, looks_like_text
from graphmemix.ingest.xmp import xmp_facts
from graphmemix.text.coordinates import iso_6709, xmp_degrees
from graphmemix.text.dates.file_names import name_burst, name_time, names_a_screenshot
from graphmemix.text.dates.mail_heads import sent_at
from tests.growth.doubling import assert_linear
from tests.growth.importing import Case, assert_reads_linearly

SHAPES: dict[str, Callable[[int], str]] = {
    "spaces": lambda n: " " * n + "x",
    "spaces-before-ends": lambda n: "x \t \t\n" * n,
    "ends-of-lines": lambda n: "\n" * n + "x",
    "carriage-returns": lambda n: "\r\r\n" * n + "x",
    "one-long-line": lambda n: "word" * n,
    "many-short-lines": lambda n: "a\n" * n,
    "opening-tags": lambda n: "<a " * n,
    "nested-tags": lambda n: "<div><table><tr><td><a href='x'>" * n,
    "less-than-signs": lambda n: "<" * n + ">",
    "unclosed-comments": lambda n: "<!-- " * n,
    "unclosed-scripts": lambda n: "<script>" * n,
    "tags-in-quotes": lambda n: "<a" + ' ">" "<b"' * n + " '",
    "attributes": lambda n: "<a " + "x='1' " * n + ">",
    "ampersands": lambda n: "&" * n,
    "entities": lambda n: "&#" + "1" * n + ";&amp",
    "quotes": lambda n: "\"'" * n,
    "quoted-names": lambda n: '"a\\' * n,
    "brackets": lambda n: "([{" * n,
    "brackets-and-back": lambda n: "(" * n + ")" * n,
    "backslashes": lambda n: "\\" * n + "x",
    "headings": lambda n: "# " * n,
    "underlines": lambda n: "=-" * n + "\n" + "=" * n,
    "fences": lambda n: "```\n~~~\n" * n,
    "one-long-fence": lambda n: "`" * n + "\n" + "`\n" * n,
    "front-matter": lambda n: "---\n" + "a: b\n" * n,
    "greater-than-signs": lambda n: ">" * n + "From x",
    "from-lines": lambda n: "\nFrom a@b Mon Jul 14 21:22:00 2023\n" * n,
    "years": lambda n: "From " + "2023 " * n + "x",
    "encoded-words": lambda n: "=?a?q?" * n,
    "adjacent-words": lambda n: "=?utf-8?q?=C3?= " * n,
    "boundaries": lambda n: "--edge\n" * n,
    "parameters": lambda n: ";a=b" * n,
    "half-parameters": lambda n: "; a " * n,
    "continued-parameters": lambda n: "".join(f"; a*{i % 1000}=x" for i in range(n)),
    "groups": lambda n: "g: " + "a@b, " * n + ";",
    "addresses": lambda n: "A <a@b>, " * n,
    "comments": lambda n: "(a) " * n,
    "folds": lambda n: "x:" + "\r\n y" * n,
    "begins": lambda n: "BEGIN:VEVENT\r\n" * n,
    "ends": lambda n: "END:VEVENT\r\n" * n,
    "dates": lambda n: "14.07.23, 21:22 - A: x\n" * n,
    "almost-dates": lambda n: "14.07.23, पपपपपपपप 21:22 पपपपपपपप x\n" * n,
    "attached-files": lambda n: "\u200e<attached: " + "a.b" * n + ">",
    "marks": lambda n: "\u200e" * n + "x",
    "edited-notes": lambda n: "\u200e<aaaaaa> " * n + "x",
    "links": lambda n: "<https://" + "a" * n,
    "mentions": lambda n: "<@a|" * n,
    "data-urls": lambda n: "data:a/" + "a" * n,
    "digits": lambda n: "1" * n + "x",
    "numbers": lambda n: "1.5," * n,
    "dots": lambda n: "a." * n,
    "no-utf-8": lambda n: "\udce9\udcfc " * n,
    "accents": lambda n: "e\u0301" * n,
    "nul": lambda n: "a\0" * n,
}
"""Texts; the argument is how often what is in them is repeated."""

Wrap: TypeAlias = Callable[[str], str]


def as_mail(text: str) -> str:
    return f"From: a@x\r\nSubject: {text[:50_000]}\r\nTo: {text[:50_000]}\r\n\r\n{text}"


def as_page(text: str) -> str:
    head = "From: a@x\r\nSubject: s\r\nDate: x\r\nContent-Type: text/html; charset=utf-8\r\n"
    return f"{head}\r\n<html>{text}"


def as_parts(text: str) -> str:
    head = "From: a@x\r\nSubject: s\r\nContent-Type: multipart/mixed; boundary=edge\r\n"
    return f"{head}\r\n--edge\r\nContent-Disposition: attachment; filename={text}\r\n\r\n{text}"


def quoted(text: str) -> str:
    return escape(text, {'"': "&quot;"})


FILES: dict[str, tuple[str, str, Wrap]] = {
    "markdown": ("markdown", "a.md", lambda text: text),
    "text": ("text", "a.txt", lambda text: text),
    "html": ("html", "a.html", lambda text: f"<html>{text}"),
    "head": ("html", "a.html", lambda text: f"<html><head><title>{text}</title>{text}</head>"),
    "mail": ("mail", "a.eml", as_mail),
    "mail-page": ("mail", "a.eml", as_page),
    "mail-parts": ("mail", "a.eml", as_parts),
    "mbox": ("mail", "a.mbox", lambda text: f"From a@b Mon Jul 14 21:22:00 2023\n{as_mail(text)}"),
    "event": ("icalendar", "a.ics", lambda text: (
        f"BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:x\r\nRRULE:{text}\r\nATTENDEE;CN={text}:x\r\n"
        f"DTSTART;TZID={text}:20240101T000000\r\nGEO:{text}\r\n{text}\r\nEND:VEVENT\r\n")),
    "card": ("vcard", "a.vcf", lambda text: (
        f"BEGIN:VCARD\r\nN:{text}\r\nADR;TYPE={text}:{text}\r\nREV:{text}\r\n{text}\r\nEND:VCARD")),
    "whatsapp": ("whatsapp", "a.txt", lambda text: f"14.07.23, 21:22 - A: x\n{text}\n"),
    "whatsapp-line": ("whatsapp", "a.txt", lambda text: f"14.07.23, 21:22 - A: {text}\n"),
    "telegram": ("telegram", "result.json", lambda text: json.dumps(
        {"name": "n", "type": "t", "id": 1, "messages": [{"id": 1, "file": text, "text": text}]})),
    "signal": ("signal", "data.json", lambda text: json.dumps(
        {"date": text, "sender": text, "body": text, "quote": text})),
    "discord": ("discord", "a.json", lambda text: json.dumps(
        {"guild": {}, "channel": {},
         "messages": [{"id": "1", "content": text, "timestamp": text}]})),
    "discord-table": ("discord", "messages.csv", lambda text: (
        f"ID,Timestamp,Contents,Attachments\n1,x,{text},y\n")),
    "chatgpt": ("chatgpt", "conversations.json", lambda text: json.dumps(
        [{"mapping": {"a": {"message": {
            "author": {"role": "user"}, "content": {"parts": [text]}}}}}])),
    "claude": ("claude", "conversations.json", lambda text: json.dumps(
        [{"uuid": "1", "chat_messages": [{"sender": "human", "text": text, "created_at": text}]}])),
    "dialogue": ("dialogue", "a.jsonl", lambda text: json.dumps(
        {"role": "user", "content": text, "images": [text], "created_at": text})),
    "jsonl": ("jsonl", "a.jsonl", lambda text: json.dumps({"kind": "note", "text": text})),
    "messenger": ("messenger", "message_1.json", lambda text: json.dumps(
        {"participants": [{"name": text}], "title": text, "messages": [
            {"sender_name": text, "timestamp_ms": 5, "content": text, "share": {"link": text},
             "photos": [{"uri": text}], "reactions": [{"actor": text, "reaction": text}]}]})),
    "mattermost": ("mattermost", "import.jsonl", lambda text: '{"type": "version"}\n' + json.dumps(
        {"type": "post", "post": {"team": text, "channel": text, "user": text, "message": text,
                                  "create_at": 5, "attachments": [{"path": text}]}})),
    "sms": ("sms", "a.xml", lambda text: (
        f'<smses><sms address="1" date="5" body="{quoted(text)}" contact_name="{quoted(text)}"/>'
        f"{text}</smses>")),
    "signal-backup": ("signal", "main.jsonl", lambda text: json.dumps(
        {"chatItem": {"chatId": "1", "authorId": text, "dateSent": text,
                      "standardMessage": {"text": {"body": text}}}})),
    "keep": ("keep", "a.json", lambda text: json.dumps(
        {"isTrashed": False, "isPinned": False, "isArchived": False, "title": text,
         "textContent": text, "labels": [{"name": text}], "attachments": [{"filePath": text}]})),
    "evernote": ("evernote", "a.enex", lambda text: (
        f"<en-export><note><title>{quoted(text)}</title><content>{quoted(text)}</content>"
        f"<created>{quoted(text)}</created><tag>{quoted(text)}</tag></note>{text}</en-export>")),
    "gpx": ("gpx", "a.gpx", lambda text: (
        f'<gpx><wpt lat="{quoted(text)}" lon="1"/><trk><name>{quoted(text)}</name>'
        f'<trkpt lat="1" lon="1"><time>{quoted(text)}</time></trkpt></trk>{text}</gpx>')),
    "kml": ("kml", "a.kml", lambda text: (
        f"<kml><Placemark><name>{quoted(text)}</name><description>{quoted(text)}</description>"
        f"<Point><coordinates>{quoted(text)}</coordinates></Point></Placemark>{text}</kml>")),
    "timeline": ("locations", "Timeline.json", lambda text: json.dumps({"semanticSegments": [
        {"startTime": text, "endTime": text, "timelinePath": [{"point": text, "time": text}],
         "visit": {"topCandidate": {"placeLocation": {"latLng": text}}}}]})),
    "rtf": ("rtf", "a.rtf", lambda text: "{\\rtf1 " + text + "\\par " + text),
    "no-json": ("dialogue", "a.json", lambda text: f'[{{"role": "user", "content": {text}'),
    "lines": ("jsonl", "a.jsonl", lambda text: f'{{"kind": "note", "text": ""}}\n{text}'),
}  # fmt: skip
"""Files around a text: by name, the importer, the name of the file, and what is around."""


def content(wrap: Wrap, shape: Callable[[int], str]) -> Callable[[int], bytes]:
    return lambda size: wrap(shape(size)).encode("utf-8", "surrogateescape")


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_every_importer_against_every_shape(name: str, tmp_path: Path) -> None:
    importer, file, wrap = FILES[name]
    for shape, make in SHAPES.items():
        case = Case(f"{name}-{shape}", importer, file, content(wrap, make), most=1 << 15)
        assert_reads_linearly(case, tmp_path / shape)


def data(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def part(kind: str, text: str, **fields: str) -> MimePart:
    given = {name.replace("_", "-"): [data(value)] for name, value in fields.items()}
    return MimePart(given, data(text), kind)


FUNCTIONS: dict[str, Callable[[str], object]] = {
    "addresses": addresses,
    "attributes_of": lambda text: attributes_of(Tag("a", closing=False, attributes=text)),
    "base64": lambda text: part("x/y", text, content_transfer_encoding="base64").content(),
    "base_name": base_name,
    "clean": clean,
    "content_id": lambda text: part("x/y", "", content_id=text).content_id,
    "content_lines": lambda text: list(content_lines(data(text))),
    "decode": lambda text: decode(data(text)),
    "decode declared": lambda text: decode(data(text), text),
    "decoded": decoded,
    "fields": lambda text: ContentLine("N", text).fields(),
    "filename": lambda text: part("x/y", "", content_disposition=f"x{text}").filename,
    "flowed": lambda text: mail_content(part("text/plain", text, content_type="x;format=flowed")),
    "guess": lambda text: guess(data(text)),
    "header_text": lambda text: header_text(data(text)),
    "is_inside": is_inside,
    "iso_6709": iso_6709,
    "iso_moment": iso_moment,
    "letter": lambda text: text_of(part("text/html", text)),
    "looks_like_text": lambda text: looks_like_text(data(text)),
    "mime_of": lambda text: mime_of(b"", text),
    "name_burst": lambda text: name_burst(text[:255]),
    "name_time": name_time,
    "names_a_screenshot": names_a_screenshot,
    "outline": lambda text: outline(b"{" + data(text)),
    "parameters": parameters,
    "parse": lambda text: parse(data(text)),
    "parse_line": parse_line,
    "printable": lambda text: part(
        "x/y", text, content_transfer_encoding="quoted-printable"
    ).content(),
    "sent_at": lambda text: sent_at([text]),
    "short": short,
    "split": split,
    "split_sender": split_sender,
    "spoken_rule": spoken_rule,
    "takeout_facts": lambda text: takeout_facts(
        json.dumps({"photoTakenTime": {"timestamp": text}}).encode()
    ),
    "tnef": lambda text: unwrapped(part("application/ms-tnef", "\x78\x9f\x3e\x22ab" + text)),
    "to_text": to_text,
    "tokens": lambda text: list(tokens(text)),
    "unescaped": unescaped,
    "uuencode": lambda text: part(
        "x/y", f"begin x\n{text}", content_transfer_encoding="uuencode"
    ).content(),
    "whatsapp content": content_of,
    "xmp_degrees": xmp_degrees,
    "xmp_facts": lambda text: xmp_facts(b"<a><b>" + data(text) + b"</b></a>"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_against_every_shape(name: str) -> None:
    function = FUNCTIONS[name]
    for shape in SHAPES.values():
        assert_linear(function, shape, most=1 << 15)


def xmp(inside: str) -> bytes:
    rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    names = f'xmlns:r="{rdf}" xmlns:d="http://purl.org/dc/elements/1.1/"'
    return f"<r:RDF {names}><r:Description>{inside}</r:Description></r:RDF>".encode()


XMP: dict[str, Callable[[int], bytes]] = {
    "titles": lambda n: xmp(
        "<d:title><r:Alt>"
        + "".join(f"<r:li>title {i}</r:li>" for i in range(n))
        + "</r:Alt></d:title>"
    ),
    "nested": lambda n: xmp("<d:title>" * n + "</d:title>" * n),
    "namespace": lambda n: f'<a xmlns:x="{"y" * n * 16}">{"<x:b/>" * n}</a>'.encode(),
    "attributes": lambda n: xmp("<d:title " + " ".join(f'd:a{i}="x"' for i in range(n)) + "/>"),
    "entities": lambda n: xmp("&#65;" * n),
}


@pytest.mark.parametrize("shape", XMP)
def test_xmp(shape: str) -> None:
    def facts(packet: bytes) -> str:
        return words(xmp_facts(packet))

    assert_linear(facts, XMP[shape], most=1 << 15)


def test_descriptions_of_a_picture() -> None:
    assert_linear(words, lambda n: Facts(texts=tuple(map(str, range(n)))), most=1 << 15)
