"""Pictures, alternative texts and charts of Word and PowerPoint files."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import docx
import pptx
from PIL import Image
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from graphmemix.ingest.documents.docx import Docx
from graphmemix.ingest.documents.pptx import Pptx
from graphmemix.ingest.protocol import Skipped
from tests.ingest.reading import read


def png(colour: str = "red") -> io.BytesIO:
    out = io.BytesIO()
    Image.new("RGB", (8, 6), colour).save(out, "PNG")
    out.seek(0)
    return out


def document(folder: Path, *, words: bool = True) -> Path:
    made = docx.Document()
    if words:
        made.add_heading("Heating", 1)
        made.add_paragraph("The valve is here.")
    made.add_picture(png())
    drawn = made.inline_shapes[0]._inline.docPr
    if words:
        drawn.set("descr", "A valve behind the stove")
        made.add_heading("Bins", 1)
        made.add_picture(png())  # the same picture again
        made.add_picture(png("blue"))
    (folder / "in").mkdir()
    made.save(str(folder / "in/a.docx"))
    return folder / "in/a.docx"


def test_pictures_belong_to_their_section_with_their_texts(tmp_path: Path) -> None:
    (heating, bins), skipped = read(Docx(), document(tmp_path))
    assert heating.text == "Heating\nThe valve is here.\n\nPicture: A valve behind the stove"
    assert [(each.modality, each.name) for each in heating.media] == [
        ("image", "image1.png"),
        ("text", "a.docx"),
    ]
    assert [each.name for each in bins.media] == ["image2.png"]
    assert skipped == []


def test_a_document_of_pictures_alone_is_read(tmp_path: Path) -> None:
    [memory], skipped = read(Docx(), document(tmp_path, words=False))
    assert (memory.text, skipped) == ("", [])
    assert [each.modality for each in memory.media] == ["image", "text"]


def test_an_empty_document_is_kept_as_a_file(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    docx.Document().save(str(tmp_path / "in/a.docx"))
    [memory], skipped = read(Docx(), tmp_path / "in/a.docx")
    assert (memory.text, [each.name for each in memory.media]) == ("", ["a.docx"])
    assert skipped == []


def test_a_picture_in_a_format_that_is_not_read_is_named(tmp_path: Path) -> None:
    path = document(tmp_path, words=False)
    with zipfile.ZipFile(path) as packed:
        members = {name: packed.read(name) for name in packed.namelist()}
    members["word/media/image1.png"] = b"\1\0\0\0 EMF"
    with zipfile.ZipFile(path, "w") as packed:
        for name, data in members.items():
            packed.writestr(name, data)
    [memory], skipped = read(Docx(), path)
    assert [each.name for each in memory.media] == ["a.docx"]
    reason = "is too large, or a drawing in a format that is not read"
    assert skipped == [Skipped("a.docx image1.png", reason)]


def test_slides_have_their_pictures_and_charts(tmp_path: Path) -> None:
    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[5])
    slide.shapes.title.text = "Costs"
    picture = slide.shapes.add_picture(png(), Inches(1), Inches(1))
    picture._element.nvPicPr.cNvPr.set("descr", "The old stove")
    data = CategoryChartData()  # type: ignore[no-untyped-call]
    data.categories = ["2022", "2023"]
    data.add_series("Wood", (40, 55))  # type: ignore[no-untyped-call]
    size = (Inches(1), Inches(2), Inches(4), Inches(3))
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *size, data)
    (tmp_path / "in").mkdir()
    show.save(str(tmp_path / "in/a.pptx"))
    [memory], skipped = read(Pptx(), tmp_path / "in/a.pptx")
    title, alternative, chart = memory.text.split("\n")
    assert (title, alternative) == ("Costs", "Picture: The old stove")
    assert chart.startswith("Chart: Wood, 2022, 2023, 40")
    assert [each.modality for each in memory.media] == ["image", "text"]
    assert skipped == []
