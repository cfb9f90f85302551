"""Photos with the oddities of real cameras and programs."""

from __future__ import annotations

import io
import struct
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import piexif
import pytest
from PIL import ImageFile, PngImagePlugin

from graphmemix.errors import InvalidDataError
from graphmemix.imaging import decode_picture
from graphmemix.ingest.facts import is_machine_text
from graphmemix.ingest.media_sink import ArchiveMediaSink
from graphmemix.ingest.photos import Photos
from tests.ingest.camera import jpeg, picture, read_photo, skipped
from tests.ingest.reading import met, read, written

EXIF = piexif.ExifIFD
XMP = """<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF
 xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"
 xmlns:dc="http://purl.org/dc/elements/1.1/">
<rdf:Description photoshop:DateCreated="{date}"><dc:description><rdf:Alt>
<rdf:li xml:lang="x-default">{text}</rdf:li></rdf:Alt></dc:description></rdf:Description>
</rdf:RDF></x:xmpmeta>"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    return tmp_path / "in"


@pytest.mark.parametrize("suffix", ["jpg", "png"])
def test_a_picture_that_is_cut_off_is_read_with_a_note(folder: Path, suffix: str) -> None:
    jpeg(folder / "a.jpg", size=(200, 200), exif={EXIF.DateTimeOriginal: "2022:04:30 13:22:12"})
    picture(200, 200).save(folder / "a.png")
    whole = (folder / f"a.{suffix}").read_bytes()
    cut = written(folder, f"cut.{suffix}", whole[: len(whole) * 2 // 3])
    [memory], [note] = read(Photos(), cut)
    assert memory.metadata["notes"] == ["truncated or damaged; what can be shown was kept"]
    assert (note.name, note.reason) == (f"cut.{suffix}", memory.metadata["notes"][0])
    assert (memory.media[0].width, memory.media[0].height) == (200, 200)
    assert decode_picture(cut.read_bytes(), "cut").size == (200, 200)
    assert not ImageFile.LOAD_TRUNCATED_IMAGES


@pytest.mark.parametrize(("name", "options"), [("a.bmp", {}), ("a.tif", {"big_tiff": True})])
def test_bmp_and_bigtiff_are_photos(folder: Path, name: str, options: dict[str, Any]) -> None:
    picture(60, 40).save(folder / name, **options)
    memory = read_photo(folder / name)
    assert (memory.kind, memory.media[0].width, memory.media[0].height) == ("photo", 60, 40)


def test_a_bigtiff_that_pillow_cannot_open_is_named(folder: Path) -> None:
    path = written(folder, "a.tif", b"MM\0+\0\x08\0\0" + bytes(7) + b"\x10" + bytes(90))
    assert "Motorola" in skipped(Photos(), path).reason


def test_a_wrong_sum_of_a_chunk_costs_that_chunk(folder: Path) -> None:
    texts = PngImagePlugin.PngInfo()
    texts.add_text("Title", "Harbour")
    picture(60, 40).save(folder / "a.png", pnginfo=texts)
    data = (folder / "a.png").read_bytes()
    at = data.index(b"tEXt") + 4 + len(b"Title\0Harbour")
    [memory], [note] = read(
        Photos(), written(folder, "b.png", data[:at] + b"sums" + data[at + 4 :])
    )
    assert (memory.media[0].width, memory.media[0].height) == (60, 40)
    assert note.reason == "truncated or damaged; what can be shown was kept"


def test_a_rare_kind_of_bmp_is_not_called_damaged(folder: Path) -> None:
    masks = (0xFF0, 0xFFF000, 0xF000000F, 0)  # of red, green, blue and alpha
    info = struct.pack("<IiiHHIIiiIIIIII", 56, 8, 8, 1, 32, 3, 256, 0, 0, 0, 0, *masks)
    head = b"BM" + struct.pack("<IHHI", 326, 0, 0, 70)
    memories, [note] = read(Photos(), written(folder, "a.bmp", head + info + bytes(256)))
    assert memories == []
    assert note.reason == "a BMP picture of a rare kind, which Pillow cannot open"


def test_a_creator_is_a_name_on_one_line(folder: Path) -> None:
    texts = PngImagePlugin.PngInfo()
    texts.add_text("Author", "Willem Kay\n(willem@example.org)")
    picture(60, 40).save(folder / "a.png", pnginfo=texts)
    assert read_photo(folder / "a.png").speaker == "Willem Kay"


def test_a_text_that_begins_with_bm_is_no_picture(folder: Path) -> None:
    assert not Photos().recognises(met(written(folder, "a.txt", "BMW wants to see the car again")))


def test_libtiff_does_not_print(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    picture(40, 40).convert("1").save(folder / "a.tif", compression="group3")
    data = bytearray((folder / "a.tif").read_bytes())
    data[8:20] = b"\xaa" * 12
    path = written(folder, "b.tif", bytes(data))
    list(Photos().read(met(path), ArchiveMediaSink(None)))
    with suppress(InvalidDataError):
        decode_picture(bytes(data), "b")
    assert capfd.readouterr().err == ""


# What cameras write

CAMERA_TEXTS = [
    "OLYMPUS DIGITAL CAMERA",
    "SANYO DIGITAL CAMERA",
    "KONICA MINOLTA DIGITAL CAMERA",
    "DCF 1.0",
    "DCIM\\100GOPRO\\GOPR0001.JPG",
    "DCIM/100MEDIA/DJI_0001.JPG",
    "User comments",
    "Exif_JPEG_PICTURE",
    "<KENOX S730  / Samsung S730>",
    "IMG_0001.JPG",
    "Untitled",
    "My beautiful picture",
]


@pytest.mark.parametrize("text", CAMERA_TEXTS)
def test_the_texts_of_cameras_are_known(text: str) -> None:
    assert is_machine_text(text)


@pytest.mark.parametrize(
    "text", ["My Olympus and me", "Omas Kamera", "\u2764\ufe0f", "Image of the lake", "Anna 2019"]
)
def test_the_words_of_people_are_not_taken_for_those_of_cameras(text: str) -> None:
    assert not is_machine_text(text)


def iptc(fields: dict[int, bytes]) -> bytes:
    """Return the block of a JPEG file in which Photoshop keeps these fields."""
    data = b"".join(
        bytes([0x1C, 2, number]) + len(value).to_bytes(2) + value
        for number, value in fields.items()
    )
    block = (
        b"Photoshop 3.0\0" + b"8BIM\4\4\0\0" + len(data).to_bytes(4) + data + bytes(len(data) % 2)
    )
    return b"\xff\xed" + (len(block) + 2).to_bytes(2) + block


def with_iptc(path: Path, fields: dict[int, bytes]) -> Path:
    out = io.BytesIO()
    picture().save(out, "JPEG")
    path.write_bytes(b"\xff\xd8" + iptc(fields) + out.getvalue()[2:])
    return path


def with_texts(path: Path, texts: dict[str, str]) -> Path:
    info = PngImagePlugin.PngInfo()
    for key, value in texts.items():
        info.add_text(key, value)
    picture().save(path, pnginfo=info)
    return path


def test_they_are_dropped_on_every_path(folder: Path) -> None:
    says = "OLYMPUS DIGITAL CAMERA"
    jpeg(folder / "a.jpg", zeroth={piexif.ImageIFD.ImageDescription: says})
    picture().save(folder / "b.jpg", xmp=XMP.format(date="", text=says).encode())
    with_texts(folder / "c.png", {"Description": says, "Comment": "Created with GIMP"})
    with_iptc(folder / "d.jpg", {120: says.encode(), 5: b"DCF 1.0"})
    assert [read_photo(path).text for path in sorted(folder.iterdir())] == [""] * 4


def test_words_beside_them_are_kept(folder: Path) -> None:
    path = with_texts(folder / "a.png", {"Title": "Untitled", "Description": "Mia on the slide"})
    assert read_photo(path).text == "Mia on the slide"


# Times


def test_a_date_of_xmp_without_a_time_is_a_day(folder: Path) -> None:
    picture().save(folder / "a.jpg", xmp=XMP.format(date="1974-08-03", text="").encode())
    memory = read_photo(folder / "a.jpg", zone=UTC)
    assert memory.timestamp == datetime(1974, 8, 3, 12, tzinfo=UTC)
    assert (memory.metadata["time_source"], memory.metadata["time_precision"]) == ("xmp", "day")


def test_a_year_of_xmp_alone_is_no_time_and_said_so(folder: Path) -> None:
    picture().save(folder / "a.jpg", xmp=XMP.format(date="1974", text="").encode())
    memory = read_photo(folder / "a.jpg")
    assert memory.timestamp is None
    assert memory.metadata["notes"] == ["XMP time ignored: a year or month without a day"]


@pytest.mark.parametrize(
    ("text", "hour", "zone_source"),
    [
        ("Tue, 14 Jul 2015 21:22:39 +0200", 19, "png"),
        ("2015-07-14T21:22:39+02:00", 19, "png"),
        ("2015:07:14 21:22:39", 21, "assumed"),
        ("14 Jul 2015 21:22:39", 21, "assumed"),
        ("Tue 14 Jul 2015 21:22:39 GMT", 21, "png"),
    ],
)
def test_the_creation_time_of_png_is_read(
    folder: Path, text: str, hour: int, zone_source: str
) -> None:
    memory = read_photo(with_texts(folder / "a.png", {"Creation Time": text}), zone=UTC)
    assert memory.timestamp == datetime(2015, 7, 14, hour, 22, 39, tzinfo=UTC)
    assert (memory.metadata["time_source"], memory.metadata["zone_source"]) == ("png", zone_source)


def test_a_creation_time_that_is_none_is_noted(folder: Path) -> None:
    memory = read_photo(with_texts(folder / "a.png", {"Creation Time": "in the summer"}))
    assert memory.timestamp is None
    assert memory.metadata["notes"] == ["PNG time ignored: not a time"]


def test_the_time_of_iptc_is_read(folder: Path) -> None:
    memory = read_photo(with_iptc(folder / "a.jpg", {55: b"20040809", 60: b"101530+0200"}))
    assert memory.timestamp == datetime(2004, 8, 9, 8, 15, 30, tzinfo=UTC)
    assert memory.timestamp.utcoffset() == timedelta(hours=2)
    assert memory.metadata["time_source"] == "iptc"


def test_a_day_of_iptc_is_a_day(folder: Path) -> None:
    memory = read_photo(with_iptc(folder / "a.jpg", {62: b"20040809"}), zone=UTC)
    assert memory.timestamp == datetime(2004, 8, 9, 12, tzinfo=UTC)
    assert memory.metadata["time_precision"] == "day"
