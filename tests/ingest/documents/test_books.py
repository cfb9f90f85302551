"""EPUB, OpenDocument and rich text."""

from __future__ import annotations

import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from graphmemix.errors import ImportSourceError
from graphmemix.ingest.documents.epub import Epub
from graphmemix.ingest.documents.opendocument import OpenDocument
from graphmemix.ingest.documents.rtf import Rtf
from graphmemix.ingest.documents.rtf_text import read_rtf
from tests.growth.importing import packed
from tests.ingest.blind.books import RICH_TEXT, SHEET, SLIDES, TEXT, epub, opendocument
from tests.ingest.reading import met, read, read_anyway, written

PARTLY = "<office:text><text:p>x</text:p></office:text>"


def test_a_book_chapter_by_chapter(tmp_path: Path) -> None:
    (first, last), skipped = read(Epub(), epub(tmp_path / "a.epub"))
    assert skipped == []
    assert (first.kind, first.text) == ("document", "Aufbruch\n\nDer Zug fuhr.\n\n[Zug]")
    assert last.text == "Sie kam im Mai zurück."
    assert [memory.metadata["section"] for memory in (first, last)] == ["Aufbruch", "Heimkehr"]
    assert (first.speaker, first.metadata["title"]) == ("Ada Berg", "Die Reise")
    assert first.metadata["language"] == "de"
    assert first.timestamp == datetime(2019, 5, 1, tzinfo=UTC)
    assert [(each.name, each.mime) for each in first.media] == [
        ("1.png", "image/png"),
        ("a.epub", "application/epub+zip"),
    ]


def test_an_encrypted_chapter_is_named(tmp_path: Path) -> None:
    (memory,), (skip,) = read(Epub(), epub(tmp_path / "a.epub", encrypted="OEBPS/a.xhtml"))
    assert memory.metadata["section"] == "Aufbruch"
    assert (skip.name, skip.reason) == ("a.epub OEBPS/a.xhtml", "is encrypted (DRM)")


def test_a_missing_chapter_costs_itself_alone(tmp_path: Path) -> None:
    path = epub(tmp_path / "whole.epub")
    with zipfile.ZipFile(path) as whole, zipfile.ZipFile(tmp_path / "a.epub", "w") as cut:
        for name in whole.namelist():
            if name != "OEBPS/a.xhtml":
                cut.writestr(name, whole.read(name))
    (memory,), (skip,) = read(Epub(), tmp_path / "a.epub")
    assert memory.metadata["section"] == "Aufbruch"
    assert skip.reason == "OEBPS/a.xhtml cannot be unpacked"


def test_a_book_whose_order_is_nearly_right(tmp_path: Path) -> None:
    """Prefixes that are not declared, types of old books, names in other letters, and files that
    are no chapters."""
    order = (
        "<opf:package xmlns:dc='d'><opf:metadata><dc:title>Alt</dc:title>"
        "<dc:creator opf:role='aut'>Ada Berg</dc:creator></opf:metadata><opf:manifest>"
        "<opf:item id='a' href='Text/A.html' media-type='text/x-oeb1-document'/>"
        "<opf:item id='b' href='b.xml' media-type='application/x-dtbook+xml'/>"
        "<opf:item id='c' href='c.svg' media-type='image/svg+xml'/></opf:manifest><opf:spine>"
        "<opf:itemref idref='a'/><opf:itemref idref='b'/><opf:itemref idref='c'/>"
        "<opf:itemref idref='gone'/></opf:spine></opf:package>"
    )
    members = {
        "META-INF/container.xml": "<c><rootfile full-path='b.opf'/></c>",
        "b.opf": order,
        "text/a.html": "<html><body>Der Anfang</body></html>",
        "b.xml": "<dtbook><book>Das Ende</book></dtbook>",
        "c.svg": "<svg/>",
    }
    path = written(tmp_path, "a.epub", packed({**members}))
    (first, last), skipped = read(Epub(), path)
    assert [first.text, last.text] == ["Der Anfang", "Das Ende"]
    assert (first.speaker, first.metadata["title"]) == ("Ada Berg", "Alt")
    assert [(skip.name, skip.reason) for skip in skipped] == [
        ("a.epub c.svg", "is not a text"),
        ("a.epub gone", "is no file of the book"),
    ]


@pytest.mark.parametrize(
    "container", ["<container/>", "no xml", '<!DOCTYPE a [<!ENTITY b "c">]><a/>']
)
def test_a_book_without_its_order_is_a_typed_error(tmp_path: Path, container: str) -> None:
    path = written(tmp_path, "a.epub", packed({"META-INF/container.xml": container}))
    with pytest.raises(ImportSourceError, match=r"a\.epub"):
        read_anyway(Epub(), met(path))


def test_a_text_of_libreoffice(tmp_path: Path) -> None:
    path = opendocument(tmp_path / "a.odt", "text", TEXT)
    (keys, costs), skipped = read(OpenDocument(UTC), path)
    assert skipped == []
    assert keys.text == "Schlüssel\nOlga  hat\tihn [seit Mai].\n- Haustor\n- Keller"
    assert costs.text == "Kosten\nDas Haus\nMiete | 900"
    assert [memory.metadata["section"] for memory in (keys, costs)] == ["Schlüssel", "Kosten"]
    assert (keys.speaker, keys.metadata["title"]) == ("Ruth", "Umzug")
    assert keys.metadata["keywords"] == "Wien"
    assert keys.timestamp == datetime(2023, 7, 14, 9, 30, 0, 123456, tzinfo=UTC)
    assert keys.media[0].mime == "application/vnd.oasis.opendocument.text"
    assert [medium.name for medium in costs.media] == ["1.png"]


def test_a_spreadsheet_without_its_filler(tmp_path: Path) -> None:
    path = opendocument(tmp_path / "a.ods", "spreadsheet", SHEET)
    (memory,), skipped = read(OpenDocument(), path)
    assert skipped == []
    assert memory.text == "Budget\nWas | Wann\nMiete | 2023-07-14\nStrom\nStrom"
    assert memory.metadata["sheet"] == "Budget"


def test_slides_with_their_notes(tmp_path: Path) -> None:
    path = opendocument(tmp_path / "a.odp", "presentation", SLIDES)
    (memory,), skipped = read(OpenDocument(), path)
    assert skipped == []
    assert memory.text == "Unser Umzug\nDas Haus\nNotes:\nOlga danken"
    assert (memory.metadata["slide"], memory.media[0].name) == (1, "1.png")


def test_charts_that_are_not_read_are_named(tmp_path: Path) -> None:
    chart = '<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>'
    body = f"<office:text><text:p>x{chart}</text:p>{chart}</office:text>"
    (memory,), (skip,) = read(OpenDocument(), opendocument(tmp_path / "a.odt", "text", body))
    assert (memory.text, skip.reason) == ("x", "charts or formulas not read: 2")


def test_a_document_with_a_password_is_named(tmp_path: Path) -> None:
    path = opendocument(tmp_path / "a.odt", "text", PARTLY, encrypted=True)
    with pytest.raises(ImportSourceError, match="is encrypted with a password"):
        read(OpenDocument(), path)


def test_repeated_cells_do_not_swell(tmp_path: Path) -> None:
    many = "repeated='999999999'"
    cell = f"<table:table-cell table:number-columns-{many}><text:p>x</text:p></table:table-cell>"
    row = f"<table:table-row table:number-rows-{many}>{cell}</table:table-row>"
    table = f"<table:table table:name='t'>{row * 5}</table:table>"
    body = f"<office:spreadsheet>{table}</office:spreadsheet>"
    path = opendocument(tmp_path / "a.ods", "spreadsheet", body)
    memories, skipped = read(OpenDocument(), path)
    assert sum(len(memory.text) for memory in memories) < 5_000_000
    assert "cells" in skipped[0].reason


def test_rich_text_field_by_field(tmp_path: Path) -> None:
    (memory,), (skip,) = read(Rtf(UTC), written(tmp_path, "in/a.rtf", RICH_TEXT))
    assert memory.text == "Grüße\nПривет €20 😊\nSeite {offen}\nMiete | 900"
    assert (memory.speaker, memory.metadata["title"]) == ("Ruth", "Schlüssel")
    assert memory.timestamp == datetime(2003, 7, 14, 9, 30, tzinfo=UTC)
    assert [medium.mime for medium in memory.media] == ["image/png", "application/rtf"]
    assert skip.reason == "1 picture is in a format that is not supported"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (rb"{\rtf1\ansicpg932 \'93\'fa\'96\'7b}", "日本"),
        (rb"{\rtf1\uc2 \u26085 ??\u26412 ??!}", "日本!"),
        (rb"{\rtf1 a\bin3 {{{b}", "ab"),
        (rb"{\rtf1{\deleted alt}neu}", "neu"),
        (rb"{\rtf1\fromhtml1{\*\htmltag <p>}\htmlrtf hidden\htmlrtf0 shown}", "<p>shown"),
        (rb"{\rtf1 }}}} after", " after"),
        (rb"{\rtf1 \'zz\x", "zz"),
    ],
)
def test_odd_rich_text(data: bytes, text: str) -> None:
    assert read_rtf(data).text == text


@pytest.mark.parametrize("importer", [Epub(), OpenDocument(), Rtf()], ids=lambda each: each.name)
def test_other_packages_are_not_recognised(
    tmp_path: Path, importer: Epub | OpenDocument | Rtf
) -> None:
    for name, data in {
        "a.odt": packed({"word/document.xml": "<a/>"}),
        "a.epub": packed({"mimetype": "application/x-other"}),
        "a.rtf": b"plain text",
        "b.odt": b"PK\x03\x04",
    }.items():
        assert not importer.recognises(met(written(tmp_path, name, data)))


def test_rich_text_made_of_html(tmp_path: Path) -> None:
    data = (
        rb"{\rtf1\ansi\ansicpg1252\fromhtml1 {\*\htmltag64 <p>}\htmlrtf {\htmlrtf0 Gr\'fc\'dfe "
        rb"{\*\htmltag84 &amp;}\htmlrtf &\htmlrtf0  K\'fcsse{\*\mhtmltag84 <x>}{\*\htmltag116 <br>}"
        rb"\htmlrtf \line\htmlrtf0 f\'fcr {\*\htmltag84 &#8364;}\htmlrtf \'80\htmlrtf0 20"
        rb"{\*\htmltag72 </p>}\htmlrtf }\htmlrtf0 }"
    )
    (memory,), _ = read(Rtf(), written(tmp_path, "a.rtf", data))
    assert memory.text == "Grüße & Küsse\nfür €20"
    assert read_rtf(rb"{\rtf1 {\*\htmltag84 <b>}no page}").text == "no page"
