"""PDF, written by reportlab and pypdf."""

from __future__ import annotations

import datetime as dt
import io
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from zoneinfo import ZoneInfo

import pypdf
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw, TiffImagePlugin
from pypdf.annotations import FreeText
from pypdf.annotations import Text as Note
from pypdf.generic import DictionaryObject, NameObject
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from graphmemix.errors import ImportSourceError
from graphmemix.extras import install_command
from graphmemix.ingest.documents.pdf import Pdf
from graphmemix.text.words import tokens
from tests.ingest.reading import kept, met, read, read_anyway, written


def booking(path: Path) -> Path:
    canvas = Canvas(str(path))
    canvas.setTitle("Booking 8841")
    canvas.setAuthor("Hotel Alpenblick")
    canvas.drawString(72, 700, "Your booking number is ALP-8841.")
    canvas.showPage()
    canvas.drawString(72, 700, "Breakfast is served from seven.")
    canvas.showPage()
    canvas.save()
    return path


def dated(path: Path, date: str | None) -> Path:
    writer = pypdf.PdfWriter(clone_from=booking(path))
    writer.metadata = {"/CreationDate": date} if date else {}
    writer.write(path)
    return path


def test_pages_are_linked_memories(tmp_path: Path) -> None:
    (first, second), skipped = read(Pdf(), booking(tmp_path / "b.pdf"))
    assert first.text == "Your booking number is ALP-8841."
    assert second.text == "Breakfast is served from seven."
    assert (first.sequence, second.sequence, first.metadata["page"]) == (0, 1, 1)
    assert first.references == second.references
    assert first.session == first.references[0].source_id
    assert (first.metadata["title"], first.speaker) == ("Booking 8841", "Hotel Alpenblick")
    assert (first.media[0].mime, first.media[0].sha256 is not None) == ("application/pdf", True)
    assert (second.media, skipped) == ((), [])


def test_the_date_is_that_of_the_document(tmp_path: Path) -> None:
    memory = read(Pdf(), dated(tmp_path / "a.pdf", "D:20240302103000+01'00'"))[0][0]
    assert memory.timestamp == dt.datetime(2024, 3, 2, 9, 30, tzinfo=dt.UTC)
    assert memory.metadata["date_from"] == "document"
    bare = read(Pdf(ZoneInfo("Asia/Tokyo")), dated(tmp_path / "b.pdf", "D:20240302103000"))[0][0]
    assert bare.timestamp == dt.datetime(2024, 3, 2, 1, 30, tzinfo=dt.UTC)


@pytest.mark.parametrize("date", [None, "D:20249999", "yesterday", "D:00000000000000"])
def test_else_it_has_none_and_the_day_of_the_file_is_a_hint(
    tmp_path: Path, date: str | None
) -> None:
    path = dated(tmp_path / "a.pdf", date)
    os.utime(path, (1714557600, 1714557600))
    memory = read(Pdf(), path)[0][0]
    assert memory.timestamp is None
    assert memory.metadata["file_date"] == "2024-05-01"
    os.utime(path, (1814557600, 1814557600))
    assert read(Pdf(), path)[0][0].id == memory.id


def test_a_scanned_page_keeps_its_picture(tmp_path: Path) -> None:
    scan = Image.new("L", (400, 200), 255)
    ImageDraw.Draw(scan).text((20, 80), "RECEIPT 77", fill=0)
    data = io.BytesIO()
    scan.save(data, "JPEG")
    data.seek(0)
    path = tmp_path / "scan.pdf"
    canvas = Canvas(str(path))
    canvas.drawImage(ImageReader(data), 72, 500)
    canvas.save()
    (memory,), skipped = read(Pdf(), path)
    assert (memory.text, skipped) == ("", [])
    assert [medium.modality for medium in memory.media] == ["image", "text"]


def with_picture(path: Path, picture: dict[str, object], data: bytes) -> Path:
    """Write a page that shows a picture with these properties, before two pages of words."""
    writer = pypdf.PdfWriter(clone_from=booking(path))
    stream = pypdf.generic.DecodedStreamObject()
    stream.set_data(data)
    names = {"/Type": "/XObject", "/Subtype": "/Image", "/ColorSpace": "/DeviceGray", **picture}
    for key, value in names.items():
        stream[NameObject(key)] = (
            NameObject(value)
            if isinstance(value, str)
            else pypdf.generic.NumberObject(value)
            if isinstance(value, int)
            else value
        )
    writer.insert_blank_page(300, 200, 0)
    page = writer.pages[0]
    shown = DictionaryObject({NameObject("/I"): writer._add_object(stream)})
    page[NameObject("/Resources")] = DictionaryObject({NameObject("/XObject"): shown})
    contents = pypdf.generic.DecodedStreamObject()
    contents.set_data(b"q 300 0 0 200 0 0 cm /I Do Q")
    page[NameObject("/Contents")] = writer._add_object(contents)
    writer.write(path)
    return path


@pytest.mark.parametrize("coding", ["/JBIG2Decode", "/NoSuchDecode", "/JPXDecode"])
def test_a_picture_that_cannot_be_decoded_costs_itself_alone(tmp_path: Path, coding: str) -> None:
    size = {"/Width": 100, "/Height": 50, "/BitsPerComponent": 1}
    path = with_picture(tmp_path / "b.pdf", {"/Filter": coding, **size}, b"no picture")
    memories, skipped = read(Pdf(), path)
    assert [memory.metadata["page"] for memory in memories][-2:] == [2, 3]
    assert memories[-1].text == "Breakfast is served from seven."
    assert [(each.name, each.reason) for each in skipped] in (
        [],  # shown as a black or grey box
        [("b.pdf page 1, picture", "cannot be decoded")],
    )


def test_a_fax_of_a_scanner_is_kept_as_the_page_looks(tmp_path: Path) -> None:
    scan = Image.new("1", (1200, 800), 1)
    ImageDraw.Draw(scan).rectangle((100, 100, 600, 300), fill=0)
    out = io.BytesIO()
    scan.save(out, "TIFF", compression="group4")
    with Image.open(out) as tiff:
        assert isinstance(tiff, TiffImagePlugin.TiffImageFile)
        start, length = tiff.tag_v2[273][0], tiff.tag_v2[279][0]
    how = DictionaryObject(
        {
            NameObject("/K"): pypdf.generic.NumberObject(-1),
            NameObject("/Columns"): pypdf.generic.NumberObject(1200),
            NameObject("/Rows"): pypdf.generic.NumberObject(800),
        }
    )
    size = {"/Width": 1200, "/Height": 800, "/BitsPerComponent": 1, "/DecodeParms": how}
    fax = out.getvalue()[start : start + length]
    (tmp_path / "in").mkdir()
    path = with_picture(tmp_path / "in" / "b.pdf", {"/Filter": "/CCITTFaxDecode", **size}, fax)
    (page, *_), skipped = read(Pdf(), path)
    assert (page.text, page.media[0].name, page.media[0].mime) == ("", "page-1-1.jpg", "image/jpeg")
    assert skipped == []
    with Image.open(kept(tmp_path).path(page.media[0].sha256 or "")) as seen:
        assert seen.mode == "L"
        inside = seen.crop((250, 150, 350, 250)).resize((1, 1)).tobytes()[0]
        outside = seen.crop((1000, 600, 1100, 700)).resize((1, 1)).tobytes()[0]
    assert abs(inside - outside) > 200


def page_of(folder: Path, content: str) -> Path:
    canvas = Canvas(str(folder / "t.pdf"))
    canvas.drawString(72, 500, "A line of words as they should be.")
    canvas._code.append(content)
    canvas.save()
    return folder / "t.pdf"


def letters(text: str, apart: float) -> str:
    """Return commands that put each letter at its place, with more room between than usual."""
    x, made = 72.0, "BT /F1 12 Tf"
    for letter in text:
        made += f" 1 0 0 1 {x:.2f} 700 Tm ({letter}) Tj" if letter != " " else ""
        x += stringWidth(letter, "Helvetica", 12) + apart
    return f"{made} ET"


@pytest.mark.parametrize("apart", [0.0, 1.0, 3.0, 6.0])
def test_words_are_whole_however_far_their_letters_are_apart(tmp_path: Path, apart: float) -> None:
    path = page_of(tmp_path, letters("INVOICE for the quick brown fox", apart))
    [memory], _ = read(Pdf(), path)
    assert "INVOICE for the quick brown fox" in memory.text
    assert "A line of words as they should be." in memory.text


def test_words_without_a_blank_between_them_are_apart(tmp_path: Path) -> None:
    path = page_of(tmp_path, "BT /F1 12 Tf 72 700 Td [(The) -250 (quick) -250 (fox)] TJ ET")
    [memory], _ = read(Pdf(), path)
    assert "The quick fox" in memory.text


def test_a_divided_word_is_found_whole(tmp_path: Path) -> None:
    path = page_of(tmp_path, "BT /F1 12 Tf 14 TL 72 700 Td (the confir-) Tj T* (mation) Tj ET")
    [memory], _ = read(Pdf(), path)
    assert "confirmation" in tokens(memory.text)


@pytest.mark.parametrize("name", ["(anonymous)", "anonymous", "Unknown", "(unspecified)", "*", ""])
def test_what_programs_write_for_no_author_is_no_author(tmp_path: Path, name: str) -> None:
    writer = pypdf.PdfWriter(clone_from=booking(tmp_path / "b.pdf"))
    writer.metadata = {"/Author": name}
    writer.write(tmp_path / "b.pdf")
    memory = read(Pdf(), tmp_path / "b.pdf")[0][0]
    assert (memory.speaker, "author" in memory.metadata) == (None, False)


def test_what_was_filled_in_or_noted_on_a_page_is_read(tmp_path: Path) -> None:
    path = tmp_path / "form.pdf"
    canvas = Canvas(str(path))
    canvas.drawString(72, 700, "Name of the child and of the school")
    canvas.acroForm.textfield(name="child", value="Mia Kay", x=72, y=650)
    canvas.acroForm.textfield(name="none", x=72, y=620)
    canvas.acroForm.checkbox(name="box", checked=True, x=72, y=600)
    canvas.linkURL("https://school.example", (72, 500, 100, 510))
    canvas.showPage()
    canvas.save()
    writer = pypdf.PdfWriter(clone_from=path)
    box = (50, 50, 200, 100)
    writer.add_annotation(0, FreeText(text="Paid on 3 May", rect=box))
    writer.add_annotation(0, Note(text="Ask Olga\nfor the key", rect=box))
    writer.add_annotation(0, FreeText(text="of the school", rect=box))  # said before
    writer.write(path)
    (memory,), _ = read(Pdf(), path)
    assert memory.text.split("\n") == [
        "Name of the child and of the school",
        "Mia Kay",
        "Paid on 3 May",
        "Ask Olga",
        "for the key",
    ]


def test_a_locked_file_is_a_typed_error(tmp_path: Path) -> None:
    writer = pypdf.PdfWriter(clone_from=booking(tmp_path / "b.pdf"))
    writer.encrypt("secret", algorithm="RC4-128")
    path = tmp_path / "locked.pdf"
    writer.write(path)
    with pytest.raises(ImportSourceError, match="locked with a password"):
        read(Pdf(), path)


@pytest.mark.parametrize("data", [b"%PDF-1.7\n", b"%PDF-1.4\n%%EOF", b"%PDF-1.4\n" + b"<<" * 9000])
def test_damage_is_a_typed_error(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(ImportSourceError):
        read(Pdf(), written(tmp_path, "x.pdf", data))


@settings(
    max_examples=settings().max_examples,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.integers(0, 2**32), st.lists(st.integers(0, 255), min_size=1, max_size=8))
def test_scratched_files_have_a_typed_outcome(tmp_path: Path, at: int, junk: list[int]) -> None:
    whole = booking(tmp_path / "b.pdf").read_bytes()
    at %= len(whole)
    path = written(tmp_path, "x.pdf", whole[:at] + bytes(junk) + whole[at + len(junk) :])
    with suppress(ImportSourceError):
        read_anyway(Pdf(), met(path))


def test_without_the_extra_the_error_names_it(tmp_path: Path) -> None:
    path = booking(tmp_path / "b.pdf")
    code = f"""
import sys
from contextlib import suppress
from pathlib import Path
sys.modules["pypdf"] = None
from graphmemix.ingest.documents.pdf import Pdf
from graphmemix.ingest.media_sink import ArchiveMediaSink
from graphmemix.ingest.protocol import Found
list(Pdf().read(Found(Path({str(path)!r}), "b.pdf"), ArchiveMediaSink(None)))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert install_command("documents") in run.stderr


def showing(path: Path, shown: int, content: bytes) -> Path:
    """Write a page that shows a form a number of times, before a page with words."""
    writer = pypdf.PdfWriter(clone_from=booking(path))
    plain = pypdf.generic.DecodedStreamObject()
    plain.set_data(content)
    form = plain.flate_encode()
    form[NameObject("/Type")] = NameObject("/XObject")
    form[NameObject("/Subtype")] = NameObject("/Form")
    writer.insert_blank_page(100, 100, 0)
    page = writer.pages[0]
    names = DictionaryObject({NameObject("/F"): writer._add_object(form)})
    page[NameObject("/Resources")] = DictionaryObject({NameObject("/XObject"): names})
    contents = pypdf.generic.DecodedStreamObject()
    contents.set_data(b"/F Do " * shown)
    page[NameObject("/Contents")] = writer._add_object(contents)
    writer.write(path)
    return path


def test_a_page_that_would_unpack_to_far_more_than_the_file_is_skipped(tmp_path: Path) -> None:
    path = showing(tmp_path / "b.pdf", 1000, b"BT (x) Tj ET " * 10_000)
    memories, skipped = read(Pdf(), path)
    assert [memory.metadata["page"] for memory in memories] == [2, 3]
    assert skipped[0].name == "b.pdf page 1"
    assert skipped[0].reason == "would unpack to far more than the file is"


def test_a_page_that_shows_a_form_is_read(tmp_path: Path) -> None:
    memories, skipped = read(Pdf(), showing(tmp_path / "b.pdf", 3, b"BT (word) Tj ET"))
    assert len(memories) == 3
    assert not skipped
