from __future__ import annotations

import json
import struct
import zlib
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import piexif
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, PngImagePlugin

from graphmemix.errors import ImportSourceError, MissingExtraError
from graphmemix.ingest import pictures
from graphmemix.ingest.photos import Photos
from graphmemix.ingest.protocol import Found, Skipped
from graphmemix.memory import Memory, Place
from tests.ingest.camera import (
    found,
    jpeg,
    picture,
    place,
    read_photo,
    readings,
    skipped,
)

ZEROTH, EXIF = piexif.ImageIFD, piexif.ExifIFD
BERLIN = ZoneInfo("Europe/Berlin")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    return tmp_path / "in"


@pytest.mark.parametrize(
    ("written", "mime"),
    [
        ("JPEG", "image/jpeg"),
        ("PNG", "image/png"),
        ("WEBP", "image/webp"),
        ("TIFF", "image/tiff"),
        ("GIF", "image/gif"),
        ("AVIF", "image/avif"),
        ("HEIF", "image/heic"),
    ],
)
def test_every_format_is_known_by_content_and_not_by_name(
    folder: Path, written: str, mime: str
) -> None:
    if written == "HEIF":
        pytest.importorskip("pillow_heif", reason="needs the extra heic").register_heif_opener()
    path = folder / "holiday.docx"
    picture(48, 32).save(path, written)
    memory = read_photo(path)
    [medium] = memory.media
    assert (memory.kind, memory.source, memory.source_id) == ("photo", "photos", "holiday.docx")
    assert (medium.mime, medium.width, medium.height) == (mime, 48, 32)
    assert medium.size == path.stat().st_size


@pytest.mark.parametrize("head", [b"", b"%PDF-1.7", b"From a@b", b"PK\3\4", b"\xff\xd8", b"{}"])
def test_other_files_are_not_recognised(head: bytes) -> None:
    assert not Photos().recognises(Found(Path("IMG_1.jpg"), "IMG_1.jpg", head))


def test_a_folder_is_not_a_photo() -> None:
    assert not Photos().recognises(Found(Path("x.jpg"), "x.jpg", is_folder=True))


def test_reading_what_is_no_picture_is_a_typed_error(folder: Path) -> None:
    (folder / "x.jpg").write_text("not a picture")
    with pytest.raises(ImportSourceError):
        list(Photos().read(found(folder / "x.jpg"), None))  # type: ignore[arg-type]


def test_the_same_bytes_are_one_memory_wherever_they_lie(folder: Path) -> None:
    one = jpeg(folder / "a" / "IMG_1.jpg")
    other = jpeg(folder / "b" / "copy.jpg")
    assert read_photo(one).id == read_photo(other).id
    assert read_photo(jpeg(folder / "c.jpg", size=(33, 20))).id != read_photo(one).id


@pytest.mark.parametrize("orientation", range(1, 9))
def test_width_and_height_are_those_of_the_upright_picture(folder: Path, orientation: int) -> None:
    path = jpeg(folder / "x.jpg", zeroth={ZEROTH.Orientation: orientation}, size=(40, 30))
    [medium] = read_photo(path).media
    assert (medium.width, medium.height) == ((40, 30) if orientation < 5 else (30, 40))


def test_a_heic_photo_tells_its_exif(folder: Path) -> None:
    pytest.importorskip("pillow_heif", reason="needs the extra heic").register_heif_opener()
    exif = piexif.dump(
        {
            "0th": {ZEROTH.Model: "iPhone 15"},
            "Exif": {
                EXIF.DateTimeOriginal: "2024:02:29 08:00:00",
                EXIF.OffsetTimeOriginal: "-05:00",
            },
            "GPS": place(40.7, -74.0),
        }
    )
    picture(64, 48).save(folder / "IMG_1.HEIC", "HEIF", exif=exif)
    memory = read_photo(folder / "IMG_1.HEIC")
    assert memory.timestamp == datetime(2024, 2, 29, 13, tzinfo=UTC)
    assert memory.place == Place("", 40.7, -74.0)
    assert memory.metadata["camera"] == "iPhone 15"


@pytest.mark.parametrize("written", ["PNG", "WEBP", "TIFF", "AVIF"])
def test_exif_is_read_in_every_format_that_holds_it(folder: Path, written: str) -> None:
    exif = Image.Exif()
    exif[ZEROTH.Model] = "Scanner"
    exif.get_ifd(0x8769)[EXIF.DateTimeOriginal] = "2024:02:29 08:00:00"
    exif.get_ifd(0x8769)[EXIF.OffsetTimeOriginal] = "+01:00"
    exif.get_ifd(0x8825).update({1: "S", 2: (33.0, 54.0, 0.0), 3: "E", 4: (18.0, 24.0, 0.0)})
    picture(64, 48).save(folder / "x", written, exif=exif.tobytes())
    memory = read_photo(folder / "x")
    assert memory.timestamp == datetime(2024, 2, 29, 7, tzinfo=UTC)
    assert memory.place == Place("", -33.9, 18.4)


def iptc(*records: tuple[int, str]) -> bytes:
    """Write IPTC records as Photoshop puts them into a JPEG file (IIM 4, 8BIM resource 0x0404)."""
    data = b"\x1c\x01\x5a\x00\x03\x1b%G"  # what follows is UTF-8
    for number, text in records:
        value = text.encode()
        data += b"\x1c\x02" + bytes([number]) + len(value).to_bytes(2) + value
    body = b"Photoshop 3.0\0" + b"8BIM\x04\x04\0\0" + len(data).to_bytes(4) + data
    body += b"\0" * (len(data) % 2)
    return b"\xff\xed" + (len(body) + 2).to_bytes(2) + body


def test_iptc_of_older_programs_is_read(folder: Path) -> None:
    path = jpeg(folder / "x.jpg")
    told = iptc((5, "Regatta"), (120, "Boote im Hafen – Südwind"), (25, "sea"), (25, "wind"),
                (80, "Ada"), (90, "Kiel"), (101, "Germany"))  # fmt: skip
    data = path.read_bytes()
    path.write_bytes(data[:2] + told + data[2:])
    memory = read_photo(path)
    assert memory.text == "Regatta\nBoote im Hafen – Südwind\nTags: sea, wind"
    assert (memory.speaker, memory.place) == ("Ada", Place("Kiel, Germany"))


def test_when_the_file_was_changed_counts_less_than_its_name_or_takeout(folder: Path) -> None:
    changed = {ZEROTH.DateTime: "2023:01:01 10:00:00"}
    named = jpeg(folder / "IMG_20190704_120000.jpg", zeroth=changed)
    assert read_photo(named, zone=UTC).timestamp == datetime(2019, 7, 4, 12, tzinfo=UTC)
    alone = read_photo(jpeg(folder / "scan.jpg", zeroth=changed), zone=UTC)
    assert alone.timestamp == datetime(2023, 1, 1, 10, tzinfo=UTC)


def test_without_the_extra_a_heic_photo_is_left_for_later_and_the_way_out_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pillow_heif", reason="needs the extra heic").register_heif_opener()
    picture().save(folder / "x.heic", "HEIF")
    monkeypatch.setattr(pictures, "register_heif", lambda: False)
    with pytest.raises(MissingExtraError, match=r"the extra 'heic': .*\[heic\]"):
        readings(Photos(), folder / "x.heic")


def test_words_of_people_become_the_text_and_keywords_become_tags(folder: Path) -> None:
    path = jpeg(
        folder / "x.jpg",
        zeroth={
            ZEROTH.ImageDescription: "Mia am See – müde".encode(),
            ZEROTH.XPTitle: tuple("First swim\0".encode("utf-16-le")),
            ZEROTH.XPKeywords: tuple("lake;Mia\0".encode("utf-16-le")),
            ZEROTH.Artist: "Jonas Berg",
        },
        exif={EXIF.UserComment: b"UNICODE\0" + "cold water".encode("utf-16-be")},
    )
    memory = read_photo(path)
    assert memory.text.splitlines() == [
        "First swim", "Mia am See – müde", "cold water", "Tags: lake, Mia"
    ]  # fmt: skip
    assert memory.metadata["tags"] == ["lake", "Mia"]
    assert memory.speaker == "Jonas Berg"


@pytest.mark.parametrize(
    "says", ["OLYMPUS DIGITAL CAMERA", "SONY DSC", "DCIM\\100", "   ", "DSC00012", "hdrpl"]
)
def test_what_the_camera_writes_as_a_description_is_not_kept(folder: Path, says: str) -> None:
    path = jpeg(folder / "x.jpg", zeroth={ZEROTH.ImageDescription: says})
    assert read_photo(path).text == ""


def test_texts_inside_a_png_are_kept(folder: Path) -> None:
    told = PngImagePlugin.PngInfo()
    told.add_text("Title", "Plan of the attic")
    told.add_itxt("Description", "Größe: 40 m²")
    told.add_text("Software", "Scanner 3")
    picture().save(folder / "plan.png", pnginfo=told)
    assert read_photo(folder / "plan.png").text == "Plan of the attic\nGröße: 40 m²"


def test_a_screenshot_is_known_by_its_name_or_by_what_ios_writes(folder: Path) -> None:
    picture().save(folder / "Screenshot_20220430-132212.png")
    named = read_photo(folder / "Screenshot_20220430-132212.png", zone=BERLIN)
    assert named.metadata["screenshot"] is True
    assert named.timestamp == datetime(2022, 4, 30, 11, 22, 12, tzinfo=UTC)
    ios = jpeg(folder / "IMG_9.jpg", exif={EXIF.UserComment: b"ASCII\0\0\0Screenshot"})
    assert read_photo(ios).metadata["screenshot"] is True
    assert read_photo(ios).text == ""


def test_shots_of_a_burst_share_session_and_round(folder: Path) -> None:
    names = ["20220430_132212_001.jpg", "20220430_132212_002.jpg", "20220430_132213.jpg"]
    one, two, other = (
        read_photo(jpeg(folder / "trip" / name, size=(30 + i, 20)), below=folder)
        for i, name in enumerate(names)
    )
    assert (one.session, one.round) == (two.session, two.round)
    assert one.session == "trip"
    assert one.round is not None
    assert other.round is None


def apple_note(burst: str) -> bytes:
    entry = b"\0\x0b" + b"\0\2" + len(burst).to_bytes(4) + (14 + 2 + 12 + 4).to_bytes(4)
    return b"Apple iOS\0\0\1MM" + b"\0\1" + entry + bytes(4) + burst.encode()


def test_the_burst_of_an_iphone_is_in_its_makers_note(folder: Path) -> None:
    burst = "5D2C9C9B-1B71-4B3C-9C55-BBAE3D3A9C01"
    path = jpeg(folder / "IMG_1.jpg", exif={EXIF.MakerNote: apple_note(burst)})
    memory = read_photo(path)
    assert memory.metadata["burst"] == burst
    assert memory.round == f"burst {burst}"


def test_what_phones_put_behind_a_jpeg_does_no_harm(folder: Path) -> None:
    path = jpeg(folder / "MVIMG_20220430_132212.jpg")
    path.write_bytes(path.read_bytes() + b"\0\0\0\x18ftypmp42" + bytes(70_000))
    assert read_photo(path, zone=UTC).timestamp == datetime(2022, 4, 30, 13, 22, 12, tzinfo=UTC)


def test_a_decompression_bomb_is_skipped_before_it_is_decoded(folder: Path) -> None:
    picture().save(folder / "small.png")
    data = (folder / "small.png").read_bytes()
    header = b"IHDR" + struct.pack(">II", 40_000, 40_000) + data[24:29]
    bomb = data[:12] + header + zlib.crc32(header).to_bytes(4) + data[33:]
    (folder / "bomb.png").write_bytes(bomb)
    assert "too many pixels" in skipped(Photos(), folder / "bomb.png").reason


def test_a_file_that_vanishes_is_a_typed_error(folder: Path) -> None:
    path = jpeg(folder / "x.jpg")
    met = found(path)
    path.unlink()
    with pytest.raises(ImportSourceError, match=r"x\.jpg: no longer exists"):
        list(Photos().read(met, None))  # type: ignore[arg-type]


def test_names_with_newlines_and_odd_bytes_are_read(folder: Path) -> None:
    path = jpeg(folder / "a\nb\udcff 20220430_132212.jpg")
    memory = readings(Photos(zone=UTC), path)[0]
    assert isinstance(memory, Memory)
    assert memory.timestamp is not None


def test_a_photo_a_takeout_and_a_wall_clock_of_one_moment_sort_together(folder: Path) -> None:
    zoned = {EXIF.DateTimeOriginal: "2022:04:30 13:22:12", EXIF.OffsetTimeOriginal: "+02:00"}
    wall = {EXIF.DateTimeOriginal: "2022:04:30 07:22:12"}
    times = [
        read_photo(jpeg(folder / "a.jpg", exif=zoned)).timestamp,
        read_photo(jpeg(folder / "b.jpg", exif=wall), zone=ZoneInfo("America/New_York")).timestamp,
        read_photo(jpeg(folder / "PXL_20220430_112212000.jpg")).timestamp,
    ]
    picture().save(folder / "c.png")
    (folder / "c.png.json").write_text(json.dumps({"photoTakenTime": {"timestamp": "1651317732"}}))
    times.append(read_photo(folder / "c.png").timestamp)
    assert set(times) == {datetime(2022, 4, 30, 11, 22, 12, tzinfo=UTC)}


def test_the_zone_of_the_place_is_used_where_a_camera_names_none(folder: Path) -> None:
    pytest.importorskip("tzfpy", reason="needs the extra places")
    path = jpeg(
        folder / "x.jpg",
        exif={EXIF.DateTimeOriginal: "2022:07:01 09:00:00"},
        gps=place(35.0, 135.77),
    )
    memory = read_photo(path, zone=UTC)
    assert memory.timestamp == datetime(2022, 7, 1, tzinfo=UTC)
    assert memory.timestamp.utcoffset() == timedelta(hours=9)
    assert memory.metadata["zone_source"] == "coordinates"


def test_an_assumed_zone_is_marked(folder: Path) -> None:
    path = jpeg(folder / "x.jpg", exif={EXIF.DateTimeOriginal: "2022:01:01 12:00:00"})
    memory = read_photo(path, zone=BERLIN)
    assert memory.timestamp == datetime(2022, 1, 1, 11, tzinfo=UTC)
    assert memory.metadata["zone_source"] == "assumed"


def test_a_memory_is_the_same_after_json_and_back(folder: Path) -> None:
    path = jpeg(
        folder / "album" / "x.jpg",
        exif={EXIF.DateTimeOriginal: "2022:01:01 12:00:00", EXIF.SubSecTimeOriginal: "5"},
        gps=place(-33.9, 18.4),
    )
    memory = read_photo(path, below=folder)
    assert Memory.from_json(memory.to_json()) == memory


@settings(max_examples=2 * settings().max_examples, deadline=None)
@given(cut=st.integers(0, 900), junk=st.binary(max_size=12), at=st.integers(0, 900))
def test_a_damaged_photo_is_read_or_skipped_and_never_stops_the_run(
    tmp_path_factory: pytest.TempPathFactory, cut: int, junk: bytes, at: int
) -> None:
    folder = tmp_path_factory.mktemp("fuzz") / "in"
    path = jpeg(
        folder / "x.jpg",
        zeroth={ZEROTH.Make: "Maker", ZEROTH.ImageDescription: "text"},
        exif={EXIF.DateTimeOriginal: "2022:01:01 12:00:00", EXIF.UserComment: b"UNICODE\0a\0b\0"},
        gps=place(48.0, 11.0),
    )
    data = path.read_bytes()
    data = data[:at] + junk + data[at + len(junk) :]
    path.write_bytes(data[: len(data) - cut])
    met = found(path)
    if Photos().recognises(met):
        [reading, *_] = readings(Photos(), path)
        assert isinstance(reading, Memory | Skipped)
        if isinstance(reading, Memory):
            assert Memory.from_json(reading.to_json()) == reading
