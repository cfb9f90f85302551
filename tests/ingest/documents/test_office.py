"""Word, PowerPoint and Excel files, written by python-docx, python-pptx and openpyxl."""

from __future__ import annotations

import datetime as dt
import zipfile
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pptx
import pytest
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml.ns import qn
from pptx.util import Inches

from graphmemix.errors import ImportSourceError
from graphmemix.ingest.documents.docx import Docx
from graphmemix.ingest.documents.packed import Packed
from graphmemix.ingest.documents.pptx import Pptx
from graphmemix.ingest.documents.xlsx import Xlsx
from graphmemix.ingest.protocol import Importer
from graphmemix.memory import Memory
from tests.ingest.reading import met, read, read_anyway, written

SAVED = dt.datetime(2024, 3, 2, 10, 30, tzinfo=dt.UTC)


def word(folder: Path) -> Path:
    document = docx.Document()
    document.core_properties.title = "House rules"
    document.core_properties.author = "Rosa Schwarz"
    document.core_properties.modified = SAVED.replace(tzinfo=None)
    document.add_heading("House rules", 0)
    document.add_paragraph("Welcome to the cabin.")
    document.add_heading("Heating", 1)
    paragraph = document.add_paragraph("The valve is ")
    paragraph.add_run("behind").bold = True
    paragraph.add_run(" the stove.")
    document.add_paragraph("Wood", style="List Bullet")
    document.add_heading("Costs", 1)
    table = document.add_table(rows=2, cols=2)
    for cell, text in zip(table._cells, ["Item", "Euro", "Cleaning", "40"], strict=True):
        cell.text = text
    path = folder / "in/rules.docx"
    path.parent.mkdir(exist_ok=True)
    document.save(str(path))
    return path


def slides(folder: Path) -> Path:
    show = pptx.Presentation()
    for title, body in (("Plan", "Day one\nDay two"), ("Budget", "300 Euro")):
        slide = show.slides.add_slide(show.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = body
    show.slides[0].notes_slide.notes_text_frame.text = "Mention the ferry"
    table = show.slides[1].shapes.add_table(2, 2, Inches(1), Inches(1), Inches(4), Inches(1)).table
    for i, text in enumerate(["Who", "Pays", "Rosa", "half"]):
        table.cell(i // 2, i % 2).text = text
    path = folder / "in/plan.pptx"
    path.parent.mkdir(exist_ok=True)
    show.save(str(path))
    return path


def workbook(folder: Path) -> Path:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Readings"
    sheet.append(["Day", "Meter", "Note"])
    sheet.append([dt.date(2024, 1, 31), 4711.0, "before the move"])
    sheet.append([dt.datetime(2024, 2, 29, 8, 15), 4800.5, None])  # noqa: DTZ001
    other = book.create_sheet("Contacts")
    other.append(["Plumber", "+43 1 234"])
    book.create_sheet("Empty")
    path = folder / "in/meter.xlsx"
    path.parent.mkdir(exist_ok=True)
    book.save(path)
    return path


def test_sections_of_a_document_are_linked_memories(tmp_path: Path) -> None:
    memories, skipped = read(Docx(), word(tmp_path))
    assert [memory.text for memory in memories] == [
        "House rules\nWelcome to the cabin.",
        "Heating\nThe valve is behind the stove.\n- Wood",
        "Costs\nItem | Euro\nCleaning | 40",
    ]
    assert [memory.sequence for memory in memories] == [0, 1, 2]
    (session,) = {memory.session for memory in memories}
    for memory in memories:
        assert [(r.relation, r.source_id) for r in memory.references] == [
            ("same_document", session)
        ]
    first = memories[0]
    assert (first.timestamp, first.metadata["date_from"]) == (SAVED, "document")
    assert (first.metadata["title"], first.speaker) == ("House rules", "Rosa Schwarz")
    assert first.media[0].mime.endswith("wordprocessingml.document")
    assert memories[1].media == ()
    assert skipped == []


def test_headings_are_known_by_the_name_of_their_style_in_any_language(tmp_path: Path) -> None:
    document = docx.Document()
    style = document.styles.add_style("Ueberschrift1", WD_STYLE_TYPE.PARAGRAPH)
    style.element.find(qn("w:name")).set(qn("w:val"), "heading 1")
    style.element.set(qn("w:styleId"), "berschrift1")
    for title in ("Eins", "Zwei"):
        document.add_paragraph(title).style = style
        document.add_paragraph("Text dazu")
    path = tmp_path / "de.docx"
    document.save(str(path))
    assert [m.metadata["section"] for m in read(Docx(), path)[0]] == ["Eins", "Zwei"]


def test_deleted_text_and_the_codes_of_fields_are_not_read(tmp_path: Path) -> None:
    body = (
        '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
        "<w:p><w:r><w:t>kept</w:t></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t xml:space='preserve'> added</w:t></w:r></w:ins>"
        "<w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:tab/><w:t>end</w:t></w:r></w:p>"
        "</w:body></w:document>"
    )
    path = tmp_path / "x.docx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", body)
    (memory,), _ = read(Docx(), path)
    assert memory.text == "kept added\tend"


def test_slides_come_in_order_with_notes_and_tables(tmp_path: Path) -> None:
    (plan, budget), skipped = read(Pptx(), slides(tmp_path))
    assert plan.text == "Plan\nDay one\nDay two\n\nNotes:\nMention the ferry"
    assert budget.text == "Budget\n300 Euro\nWho | Pays\nRosa | half"
    assert (plan.metadata["slide"], budget.metadata["slide"], skipped) == (1, 2, [])


def test_sheets_show_what_people_see_in_cells(tmp_path: Path) -> None:
    (readings, contacts), skipped = read(Xlsx(), workbook(tmp_path))
    assert readings.text == (
        "Readings\nDay | Meter | Note\n2024-01-31 | 4711 | before the move\n"
        "2024-02-29 08:15:00 | 4800.5"
    )
    assert contacts.text == "Contacts\nPlumber | +43 1 234"
    assert (readings.metadata["sheet"], skipped) == ("Readings", [])


def test_a_long_sheet_repeats_its_header(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["Number", "Word"])
    for i in range(2000):
        sheet.append([i, "word " * 3])
    path = tmp_path / "long.xlsx"
    book.save(path)
    memories, _ = read(Xlsx(), path)
    assert len(memories) > 3
    assert all(memory.text.split("\n")[1] == "Number | Word" for memory in memories)
    assert memories[-1].text.split("\n")[-1] == "1999 | word word word"


def test_the_same_file_found_twice_is_the_same_memories(tmp_path: Path) -> None:
    path = word(tmp_path)
    copy = written(tmp_path / "elsewhere", "other name.docx", path.read_bytes())
    assert [m.id for m in read(Docx(), path)[0]] == [m.id for m in read(Docx(), copy)[0]]


def test_formats_are_told_by_content_not_by_name(tmp_path: Path) -> None:
    paths = [word(tmp_path), slides(tmp_path), workbook(tmp_path)]
    renamed = [written(tmp_path / "r", f"{i}.zip", p.read_bytes()) for i, p in enumerate(paths)]
    importers: list[Importer] = [Docx(), Pptx(), Xlsx()]
    assert [[each.recognises(met(path)) for path in renamed] for each in importers] == [
        [True, False, False], [False, True, False], [False, False, True],
    ]  # fmt: skip


# hostile files


def packed(path: Path, members: dict[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


MAIN = [
    (Docx(), "word/document.xml"),
    (Pptx(), "ppt/presentation.xml"),
    (Xlsx(), "xl/workbook.xml"),
]


@pytest.mark.parametrize(("importer", "main"), MAIN)
def test_a_zip_bomb_is_refused_before_it_is_unpacked(
    tmp_path: Path, importer: Importer, main: str
) -> None:
    path = packed(tmp_path / "bomb", {main: b"0" * (64 << 20)})
    assert path.stat().st_size < 100_000
    with pytest.raises(ImportSourceError, match="far more than its size"):
        read_anyway(importer, met(path))


@pytest.mark.parametrize(("importer", "main"), MAIN)
@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (
            '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><x>&b;</x>',
            "document type",
        ),
        ('<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>', "document type"),
    ],
)
def test_entities_are_refused(
    tmp_path: Path, importer: Importer, main: str, content: str, reason: str
) -> None:
    with pytest.raises(ImportSourceError, match=reason):
        read_anyway(importer, met(packed(tmp_path / "x", {main: content})))


@pytest.mark.parametrize(("importer", "main"), MAIN)
@pytest.mark.parametrize("content", [b"", b"<x", b"<a><b></a>", b"\xff\xfe\0", b"<x>" * 5000])
def test_damaged_xml_is_a_typed_error(
    tmp_path: Path, importer: Importer, main: str, content: bytes
) -> None:
    with pytest.raises(ImportSourceError):
        read_anyway(importer, met(packed(tmp_path / "x", {main: content})))


@pytest.mark.parametrize("make", [word, slides, workbook])
def test_a_cut_or_scratched_file_has_a_typed_outcome(tmp_path: Path, make: Any) -> None:
    whole = make(tmp_path).read_bytes()
    importers: list[Importer] = [Docx(), Pptx(), Xlsx()]
    for i in range(30):
        if i % 2:
            data = whole[: len(whole) * i // 30]
        else:
            at = len(whole) * i // 30
            data = whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :]
        found = met(written(tmp_path, "broken", data))
        for importer in importers:
            try:
                memories, _ = read_anyway(importer, found)
                assert all(isinstance(memory, Memory) for memory in memories)
            except ImportSourceError:
                pass


def test_too_many_members_are_refused(tmp_path: Path) -> None:
    path = packed(tmp_path / "many", {f"{i}": b"" for i in range(20_001)})
    with pytest.raises(ImportSourceError, match="more than 20,000 files"):
        Packed(met(path))


def test_a_false_size_of_a_sheet_costs_nothing(tmp_path: Path) -> None:
    path = workbook(tmp_path)
    changed = tmp_path / "false.xlsx"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(changed, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "xl/worksheets/sheet1.xml":
                assert b'<dimension ref="A1:C3"' in data
                data = data.replace(b'ref="A1:C3"', b'ref="A1:XFD1048576"')
            new.writestr(name, data)
    memories, skipped = read(Xlsx(), changed)
    assert ([m.metadata["sheet"] for m in memories], skipped) == (["Readings", "Contacts"], [])


def test_a_table_in_a_table_is_read_once(tmp_path: Path) -> None:
    document = docx.Document()
    outer = document.add_table(rows=1, cols=2)
    outer.cell(0, 0).text = "Rooms"
    inner = outer.cell(0, 1).add_table(rows=1, cols=2)
    inner.cell(0, 0).text = "Attic"
    inner.cell(0, 1).text = "Cellar"
    path = tmp_path / "in" / "rooms.docx"
    path.parent.mkdir()
    document.save(str(path))
    (memory,), _ = read(Docx(), path)
    assert memory.text == "Rooms | Attic | Cellar"


def test_rows_in_a_content_control_are_read(tmp_path: Path) -> None:
    row = "<w:tr><w:tc><w:p><w:r><w:t>{}</w:t></w:r></w:p></w:tc></w:tr>"
    control = f"<w:sdt><w:sdtContent>{row.format('B')}</w:sdtContent></w:sdt>"
    path = _document(tmp_path, f"<w:tbl>{row.format('A')}{control}</w:tbl>")
    (memory,), _ = read(Docx(), path)
    assert memory.text == "A\nB"


def test_a_very_long_namespace_is_refused(tmp_path: Path) -> None:
    path = _document(tmp_path, "<w:p/>", namespace="x" * 5_000)
    with pytest.raises(ImportSourceError, match="namespace that is too long"):
        read(Docx(), path)


def _document(folder: Path, body: str, namespace: str = "w") -> Path:
    path = written(folder, "in/a.docx", b"")
    with zipfile.ZipFile(path, "w") as archive:
        text = f'<w:document xmlns:w="{namespace}"><w:body>{body}</w:body></w:document>'
        archive.writestr("word/document.xml", text)
    return path


def test_a_sheet_that_is_listed_twice_is_read_once(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["Key", "Olga"])
    path = tmp_path / "in" / "keys.xlsx"
    path.parent.mkdir()
    book.save(path)
    _rewrite(path, "xl/workbook.xml", lambda text: text.replace(
        "</sheets>", text[text.index("<sheet ") : text.index("</sheets>")].replace(
            'name="Sheet"', 'name="Again"') + "</sheets>"))  # fmt: skip
    memories, _ = read(Xlsx(), path)
    assert [memory.text for memory in memories] == ["Sheet\nKey | Olga"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_workbook_with_a_document_type_is_refused(tmp_path: Path, encoding: str) -> None:
    book = openpyxl.Workbook()
    path = tmp_path / "in" / "keys.xlsx"
    path.parent.mkdir()
    book.save(path)
    kind = f'<?xml version="1.0" encoding="{encoding}"?><!--{"-x" * 4000}--><!DOCTYPE x>'
    _rewrite(path, "xl/workbook.xml", lambda text: kind + text, encoding)
    with pytest.raises(ImportSourceError, match="declares a document type"):
        read(Xlsx(), path)


def _rewrite(path: Path, member: str, change: Any, encoding: str = "utf-8") -> None:
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members[member] = change(members[member].decode()).encode(encoding)
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)


def test_a_slide_that_is_listed_twice_is_read_once(tmp_path: Path) -> None:
    path = slides(tmp_path)

    def twice(text: str) -> str:
        first = text[text.index("<p:sldId ") :]
        first = first[: first.index(">") + 1]
        return text.replace("</p:sldIdLst>", f"{first}</p:sldIdLst>")

    before = len(read(Pptx(), path)[0])
    _rewrite(path, "ppt/presentation.xml", twice)
    assert len(read(Pptx(), path)[0]) == before
