"""PDF, written by reportlab and pypdf."""

from __future__ import annotations

import datetime as dt
import io
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from zoneinfo import ZoneInfo

import pypdf
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw
from pypdf.generic import DictionaryObject, NameObject
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from graphmemix.errors import ImportSourceError
from graphmemix.ingest.documents.pdf import Pdf
from tests.ingest.reading import met, read, read_anyway, written


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
def test_else_that_of_the_file_and_metadata_say_so(tmp_path: Path, date: str | None) -> None:
    path = dated(tmp_path / "a.pdf", date)
    memory = read(Pdf(), path)[0][0]
    assert memory.metadata["date_from"] == "file"
    assert memory.timestamp is not None
    assert memory.timestamp.timestamp() == int(path.stat().st_mtime)


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
    assert "pip install 'graphmemix[documents]'" in run.stderr


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
