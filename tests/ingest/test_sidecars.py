from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import piexif
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmemix.ingest.facts import Facts, merge_facts
from graphmemix.ingest.photos import Photos
from graphmemix.ingest.sidecars import sidecars, takeout_facts
from graphmemix.ingest.videos import Videos
from graphmemix.ingest.xmp import xmp_facts
from graphmemix.memory import Place
from tests.ingest.camera import found, jpeg, picture, place, read_photo, read_video, video

EXIF = piexif.ExifIFD

# In the form of Google's own export of 2024, with the keys in its order.
TAKEOUT: dict[str, Any] = {
    "title": "IMG_1.jpg",
    "description": "Mia loses her first tooth",
    "imageViews": "3",
    "creationTime": {"timestamp": "1651400000", "formatted": "01.05.2022, 10:13:20 UTC"},
    "photoTakenTime": {"timestamp": "1651317732", "formatted": "30.04.2022, 11:22:12 UTC"},
    "geoData": {"latitude": 48.1374, "longitude": 11.5755, "altitude": 520.0},
    "people": [{"name": "Mia"}, {"name": "Jonas"}],
    "url": "https://photos.google.com/photo/x",
    "googlePhotosOrigin": {"mobileUpload": {"deviceType": "ANDROID_PHONE"}},
}

XMP = """<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"
  xmlns:exif="http://ns.adobe.com/exif/1.0/" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"
  xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/"
  exif:DateTimeOriginal="2021-08-14T18:30:05+02:00" exif:GPSLatitude="48,8.25N"
  exif:GPSLongitude="11,34.5E" photoshop:City="München">
 <dc:title><rdf:Alt><rdf:li xml:lang="x-default">Evening</rdf:li></rdf:Alt></dc:title>
 <dc:subject><rdf:Bag><rdf:li>river</rdf:li><rdf:li>summer</rdf:li></rdf:Bag></dc:subject>
 <dc:creator><rdf:Seq><rdf:li>Ada Berg</rdf:li></rdf:Seq></dc:creator>
 <photoshop:Country>Deutschland</photoshop:Country>
 <Iptc4xmpExt:PersonInImage><rdf:Bag><rdf:li>Olga</rdf:li></rdf:Bag></Iptc4xmpExt:PersonInImage>
</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    return tmp_path / "in"


def takeout(path: Path, **changes: Any) -> Path:
    path.write_text(json.dumps({**TAKEOUT, **changes}), encoding="utf-8")
    return path


LONG = "A photo of the whole family in front of the old house.jpg"


@pytest.mark.parametrize(
    ("photo", "sidecar"),
    [
        ("IMG_1.jpg", "IMG_1.jpg.json"),
        ("IMG_1.jpg", "IMG_1.json"),
        ("IMG_1.jpg", "IMG_1.jpg.supplemental-metadata.json"),
        ("IMG_1.jpg", "IMG_1.jpg.supplemental-me.json"),
        ("IMG_1.jpg", "IMG_1.jpg.s.json"),
        ("Peanut butter.jpg", "Peanut butter.supplemental-metadata.json"),
        ("223408-edited.jpg", "223408.supplemental-metadata.json"),
        (
            "A family in front of the old house, 1985-ha.jpg",
            "A family in front of the old house, 1985.jpg.su.json",
        ),
        (
            "A family in front of the old house, 1985-edi(1).jpg",
            "A family in front of the old house, 1985.jpg.su(1).json",
        ),
        ("IMG_1.jpg", "IMG_1.jpg..json"),
        ("IMG_1(1).jpg", "IMG_1.jpg(1).json"),
        ("IMG_1(1).jpg", "IMG_1(1).jpg.json"),
        ("IMG_1(2).jpg", "IMG_1.jpg.supplemental-metadata(2).json"),
        ("IMG_1(2).jpg", "IMG_1.jpg.supplemental-met(2).json"),
        ("IMG_1-edited.jpg", "IMG_1.jpg.json"),
        ("IMG_1-edited(1).jpg", "IMG_1.jpg(1).json"),
        ("IMG_1-bearbeitet.jpg", "IMG_1.jpg.supplemental-metadata.json"),
        (LONG, LONG[:46] + ".json"),
        ("noextension", "noextension.json"),
        (
            "PXL_20220430_112212123.PORTRAIT.jpg",
            "PXL_20220430_112212123.PORTRAIT.jpg.supplement.json",
        ),
    ],
)
def test_takeouts_json_is_found_under_all_its_names(folder: Path, photo: str, sidecar: str) -> None:
    path = jpeg(folder / photo)
    beside = takeout(folder / sidecar)
    assert list(Photos().companions(found(path))) == [beside]
    memory = read_photo(path)
    assert memory.timestamp == datetime(2022, 4, 30, 11, 22, 12, tzinfo=UTC)
    assert memory.place == Place("", 48.1374, 11.5755)
    assert memory.text == "Mia loses her first tooth\nPeople: Mia, Jonas"
    assert memory.metadata["people"] == ["Mia", "Jonas"]


@pytest.mark.parametrize(
    ("photo", "sidecar"),
    [
        ("IMG_1.jpg", "IMG_12.jpg.json"),
        ("IMG_1.jpg", "IMG_1.jpg(1).json"),
        ("IMG_1(1).jpg", "IMG_1.jpg.json"),
        ("IMG_1.jpg", "IMG_1.jpg.other.json"),
    ],
)
def test_the_json_of_another_photo_is_left_alone(folder: Path, photo: str, sidecar: str) -> None:
    path = jpeg(folder / photo)
    takeout(folder / sidecar)
    assert list(Photos().companions(found(path))) == []


def test_json_that_is_not_takeouts_is_left_alone(folder: Path) -> None:
    path = jpeg(folder / "IMG_1.jpg")
    (folder / "IMG_1.jpg.json").write_text('{"title": "notes of mine"}')
    (folder / "IMG_1.json").write_text("[1, 2")
    assert list(Photos().companions(found(path))) == []
    assert read_photo(path).timestamp is None


def test_the_time_in_the_file_comes_first_and_takeout_tells_its_zone(folder: Path) -> None:
    path = jpeg(folder / "IMG_1.jpg", exif={EXIF.DateTimeOriginal: "2022:04:30 13:22:12"})
    takeout(folder / "IMG_1.jpg.json")
    memory = read_photo(path, zone=ZoneInfo("Asia/Tokyo"))
    assert memory.timestamp is not None
    assert memory.timestamp.isoformat() == "2022-04-30T13:22:12+02:00"
    assert memory.metadata["time_source"] == "exif"
    assert memory.metadata["zone_source"] == "takeout"


@pytest.mark.parametrize(
    "changes",
    [
        {"photoTakenTime": {"timestamp": "99999999999999"}},
        {"photoTakenTime": {"timestamp": "0"}},
        {"photoTakenTime": {"timestamp": ["x"]}},
        {"photoTakenTime": 7},
        {"photoTakenTime": {"timestamp": "-99999999999"}},
    ],
)
def test_an_impossible_time_of_takeout_is_ignored(folder: Path, changes: dict[str, Any]) -> None:
    path = jpeg(folder / "IMG_1.jpg")
    takeout(folder / "IMG_1.jpg.json", **changes)
    assert read_photo(path).timestamp is None


def test_takeouts_zero_coordinates_are_no_place(folder: Path) -> None:
    path = jpeg(folder / "IMG_1.jpg")
    nowhere = {"latitude": 0.0, "longitude": 0.0}
    takeout(folder / "IMG_1.jpg.json", geoData=nowhere, geoDataExif=nowhere)
    assert read_photo(path).place is None


def test_the_video_of_a_live_photo_shares_the_json_of_the_still(folder: Path) -> None:
    path = video(folder / "IMG_7.MP4")
    beside = takeout(folder / "IMG_7.HEIC.supplemental-metadata.json")
    assert list(Videos().companions(found(path))) == [beside]
    assert read_video(path).text.startswith("Mia loses")


@pytest.mark.parametrize("name", ["IMG_1.xmp", "IMG_1.jpg.xmp", "IMG_1.XMP"])
def test_an_xmp_sidecar_is_read_and_comes_first(folder: Path, name: str) -> None:
    path = jpeg(
        folder / "IMG_1.jpg",
        exif={EXIF.DateTimeOriginal: "2000:02:02 02:02:02"},
        gps=place(1.0, 2.0),
    )
    (folder / name).write_text(XMP, encoding="utf-8")
    assert list(Photos().companions(found(path))) == [folder / name]
    memory = read_photo(path)
    assert memory.timestamp == datetime(2021, 8, 14, 16, 30, 5, tzinfo=UTC)
    assert memory.place == Place("München, Deutschland", 48.1375, 11.575)
    assert memory.text == "Evening\nPeople: Olga\nTags: river, summer"
    assert memory.metadata["tags"] == ["river", "summer"]
    assert memory.speaker == "Ada Berg"


def test_xmp_inside_a_picture_is_read(folder: Path) -> None:
    picture().save(folder / "in.jpg", xmp=XMP.encode())
    picture().save(folder / "in.webp", xmp=XMP.encode())
    for path in (folder / "in.jpg", folder / "in.webp"):
        assert read_photo(path).metadata["tags"] == ["river", "summer"]


def test_entities_in_xmp_are_refused() -> None:
    bomb = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><x>&b;</x>'
    assert xmp_facts(bomb).notes == ("XMP ignored: damaged",)
    assert xmp_facts(bomb.decode().encode("utf-16")).notes == ("XMP ignored: damaged",)


def test_sidecars_of_a_name_that_no_file_can_have(tmp_path: Path) -> None:
    assert sidecars(tmp_path / ("x" * 250 + ".jpg")).paths == ()


def test_the_first_source_that_knows_tells_and_lists_are_joined() -> None:
    one = Facts(camera="", tags=("a",), others={"x": 1})
    two = Facts(camera="Leica", tags=("b", "a"), others={"x": 2, "y": 3})
    both = merge_facts([one, two])
    assert (both.camera, both.tags, both.others) == ("Leica", ("a", "b"), {"x": 1, "y": 3})


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["timestamp", "latitude", "longitude", "name"]), inner, max_size=3
        ),
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from([*TAKEOUT, "geoDataExif", "favorited"]), json_values))
def test_any_json_is_takeouts_or_not_and_never_raises(told: dict[str, Any]) -> None:
    facts = takeout_facts(json.dumps(told).encode())
    assert facts is None or isinstance(facts, Facts)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_sidecar_or_not(data: bytes) -> None:
    assert isinstance(xmp_facts(data), Facts)
    assert takeout_facts(data) is None or data.strip().startswith(b"{")


@given(at=st.integers(0, len(XMP)), junk=st.text(max_size=8), cut=st.integers(0, 8))
def test_damaged_xmp_is_read_or_noted(at: int, junk: str, cut: int) -> None:
    text = XMP[:at] + junk + XMP[at + cut :]
    assert isinstance(xmp_facts(text.encode("utf-8", "surrogatepass")), Facts)


def test_deeply_nested_xmp_and_json_do_no_harm() -> None:
    assert isinstance(xmp_facts(b"<a>" * 100_000), Facts)
    assert isinstance(xmp_facts(b"<a>" * 50_000 + b"</a>" * 50_000), Facts)
    assert takeout_facts(b'{"photoTakenTime":' * 100_000) is None
