"""Photos and videos: times with their zones, places in all quadrants, sidecars under many names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import piexif
import pytest

from tests.ingest.blind import pictures
from tests.ingest.blind.gold import ingested, memories, offset, utc, words

if TYPE_CHECKING:
    from pathlib import Path

    from graphmemix.memory import Memory

TAKEN = 1672650672  # 2023-01-02T09:11:12Z


def _one(path: Path, home: Path, zone: str = "Europe/Vienna") -> Memory:
    (memory,) = memories(path, home=home, zone=zone)
    return memory


def test_offset_beside_the_time(tmp_path: Path) -> None:
    block = pictures.exif(
        taken="2023:04:05 06:07:08", offset="+09:00", camera=("FUJIFILM", "X100V"), orientation=6
    )
    photo = _one(pictures.picture(tmp_path / "a.jpg", block=block), tmp_path)
    assert (photo.kind, utc(photo), offset(photo)) == ("photo", "2023-04-04T21:07:08Z", "+0900")
    medium = photo.media[0]
    assert (medium.width, medium.height, medium.mime) == (20, 40, "image/jpeg")
    assert "X100V" in str(photo.metadata["camera"])


@pytest.mark.parametrize("where", pictures.QUADRANTS)
def test_quadrants(tmp_path: Path, where: str) -> None:
    north, east = pictures.QUADRANTS[where]
    block = pictures.exif(taken="2023:04:05 06:07:08", place=(north, east))
    photo = _one(pictures.picture(tmp_path / "a.jpg", block=block), tmp_path)
    assert photo.place is not None
    assert photo.place.latitude == pytest.approx(north, abs=1e-5)
    assert photo.place.longitude == pytest.approx(east, abs=1e-5)


def test_null_island_is_no_place(tmp_path: Path) -> None:
    block = pictures.exif(taken="2023:04:05 06:07:08", place=(0.0, 0.0))
    assert _one(pictures.picture(tmp_path / "a.jpg", block=block), tmp_path).place is None


def test_clock_without_zone_is_read_in_the_zone_that_was_set(tmp_path: Path) -> None:
    block = pictures.exif(taken="2023:07:05 06:07:08")
    photo = _one(pictures.picture(tmp_path / "a.jpg", block=block), tmp_path)
    assert (utc(photo), offset(photo)) == ("2023-07-05T04:07:08Z", "+0200")


@pytest.mark.parametrize("suffix", ["png", "webp", "tiff", "heic"])
def test_exif_in_other_formats(tmp_path: Path, suffix: str) -> None:
    if suffix == "heic":
        pytest.importorskip("pillow_heif").register_heif_opener()
    block = pictures.exif(taken="2023:04:05 06:07:08", offset="-05:00")
    path = pictures.picture(tmp_path / f"a.{suffix}", size=(64, 64), block=block)
    assert utc(_one(path, tmp_path)) == "2023-04-05T11:07:08Z"


@pytest.mark.parametrize("name", ["holiday.dat", "holiday.png", "holiday"])
def test_wrong_names_do_not_matter(tmp_path: Path, name: str) -> None:
    made = pictures.picture(tmp_path / "a.jpg")
    photo = _one(made.rename(tmp_path / name), tmp_path)
    assert (photo.kind, photo.media[0].mime) == ("photo", "image/jpeg")


SIDECARS = [
    ("IMG_0001.jpg", "IMG_0001.jpg.json", "IMG_0001.jpg"),
    ("IMG_0002.jpg", "IMG_0002.jpg.supplemental-metadata.json", "IMG_0002.jpg"),
    ("IMG_0003.jpg", "IMG_0003.jpg.suppl.json", "IMG_0003.jpg"),
    ("IMG_0004(1).jpg", "IMG_0004.jpg(1).json", "IMG_0004.jpg"),
    ("IMG_0005(1).jpg", "IMG_0005.jpg.supplemental-metadata(1).json", "IMG_0005.jpg"),
    ("IMG_0006-edited.jpg", "IMG_0006.jpg.json", "IMG_0006.jpg"),
    ("IMG_0007-bearbeitet.jpg", "IMG_0007.jpg.supplemental-metadata.json", "IMG_0007.jpg"),
    ("IMG_0008.JPG", "IMG_0008.JPG.supplemental-meta.json", "IMG_0008.JPG"),
    (
        "an_original_name_that_is_really_much_too_long_f.jpg",
        "an_original_name_that_is_really_much_too_long_.json",
        "an_original_name_that_is_really_much_too_long_for_google.jpg",
    ),
    (
        "another_name_of_about_forty_letters_or_so.jpg",
        "another_name_of_about_forty_letters_or_so.jpg..json",
        "another_name_of_about_forty_letters_or_so.jpg",
    ),
    ("IMG_0009.jpg", "IMG_0009.json", "IMG_0009.jpg"),
]


@pytest.mark.parametrize(("photo", "sidecar", "title"), SIDECARS)
def test_takeout_sidecar(tmp_path: Path, photo: str, sidecar: str, title: str) -> None:
    album = tmp_path / "Takeout" / "Google Photos" / "Photos from 2023"
    pictures.picture(album / photo)
    pictures.picture(album / "unrelated.jpg", colour=5)
    here = {"latitude": 47.5622, "longitude": 13.6493, "altitude": 511.0}
    pictures.takeout(
        album / sidecar,
        title,
        TAKEN,
        geoData=here,
        description="Lake view",
        people=[{"name": "Mara"}],
    )
    found = memories(tmp_path / "Takeout", home=tmp_path)
    assert len(found) == 2
    (memory,) = [m for m in found if m.media[0].name == photo]
    assert utc(memory) == "2023-01-02T09:11:12Z"
    assert memory.place is not None
    assert (memory.place.latitude, memory.place.longitude) == (47.5622, 13.6493)
    assert "Lake view" in memory.text
    assert "Mara" in memory.text


def test_takeout_still_and_video_of_a_live_photo(tmp_path: Path) -> None:
    album = tmp_path / "Photos from 2023"
    pictures.picture(album / "IMG_1.JPG")
    pictures.video(album / "IMG_1.MP4", {})
    pictures.takeout(album / "IMG_1.JPG.supplemental-metadata.json", "IMG_1.JPG", TAKEN)
    found = memories(album, home=tmp_path)
    assert sorted((m.kind, utc(m)) for m in found) == [
        ("photo", "2023-01-02T09:11:12Z"),
        ("video", "2023-01-02T09:11:12Z"),
    ]


def test_takeout_tells_the_zone_of_a_camera_clock(tmp_path: Path) -> None:
    block = pictures.exif(taken="2023:01:02 18:11:12")  # nine hours ahead of the same moment in UTC
    pictures.picture(tmp_path / "p" / "a.jpg", block=block)
    pictures.takeout(tmp_path / "p" / "a.jpg.json", "a.jpg", TAKEN)
    photo = _one(tmp_path / "p", tmp_path)
    assert (utc(photo), offset(photo)) == ("2023-01-02T09:11:12Z", "+0900")


@pytest.mark.parametrize("sidecar", ["a.xmp", "a.jpg.xmp"])
def test_xmp_sidecar(tmp_path: Path, sidecar: str) -> None:
    pictures.picture(tmp_path / "p" / "a.jpg")
    (tmp_path / "p" / sidecar).write_text(pictures.XMP)
    photo = _one(tmp_path / "p", tmp_path)
    assert (utc(photo), offset(photo), photo.speaker) == (
        "2021-08-09T13:11:12Z",
        "-0300",
        "Ines Prado",
    )
    assert photo.place is not None
    assert photo.place.latitude == pytest.approx(-22.9519, abs=1e-5)
    assert photo.place.longitude == pytest.approx(-43.2105, abs=1e-5)
    assert "Rio de Janeiro" in photo.place.name
    assert words(photo.text).startswith("On the sugar loaf")
    assert "mountain" in photo.text


def test_impossible_dates_are_left_out(tmp_path: Path) -> None:
    for number, taken in enumerate(
        ["0000:00:00 00:00:00", "2023:13:45 25:61:61", "    :  :     :  :  "]
    ):
        block = pictures.exif(taken=taken)
        pictures.picture(tmp_path / "p" / f"{number}.jpg", colour=number, block=block)
    found = memories(tmp_path / "p", home=tmp_path)
    assert [m.timestamp for m in found] == [None, None, None]


def test_same_photo_twice_is_one(tmp_path: Path) -> None:
    made = pictures.picture(tmp_path / "p" / "a.jpg")
    (tmp_path / "p" / "b").mkdir()
    (tmp_path / "p" / "b" / "copy.jpg").write_bytes(made.read_bytes())
    assert len(memories(tmp_path / "p", home=tmp_path)) == 1


def test_satellite_time(tmp_path: Path) -> None:
    block = piexif.load(pictures.exif(taken="2023:04:05 20:07:08", place=(35.0, 135.0)))
    block["GPS"][piexif.GPSIFD.GPSDateStamp] = "2023:04:05"
    block["GPS"][piexif.GPSIFD.GPSTimeStamp] = ((11, 1), (7, 1), (8, 1))
    photo = _one(pictures.picture(tmp_path / "a.jpg", block=piexif.dump(block)), tmp_path)
    assert (utc(photo), offset(photo)) == ("2023-04-05T11:07:08Z", "+0900")


def test_video_in_utc_with_a_place(tmp_path: Path) -> None:
    path = pictures.video(
        tmp_path / "v.mp4",
        {"creation_time": "2023-07-14T09:30:00.000000Z", "location": "+48.2082+016.3738+171.000/"},
    )
    video = _one(path, tmp_path)
    assert (video.kind, utc(video)) == ("video", "2023-07-14T09:30:00Z")
    assert video.place is not None
    assert video.place.latitude == pytest.approx(48.2082, abs=1e-4)
    assert video.place.longitude == pytest.approx(16.3738, abs=1e-4)
    medium = video.media[0]
    assert (medium.modality, medium.width, medium.height) == ("video", 64, 48)
    assert medium.duration == pytest.approx(2.0, abs=0.2)


def test_video_of_a_telephone(tmp_path: Path) -> None:
    path = pictures.video(
        tmp_path / "v.mov",
        {
            "creation_time": "2023-07-14T12:30:05.000000Z",
            "com.apple.quicktime.creationdate": "2023-07-14T09:30:00-0300",
            "com.apple.quicktime.location.ISO6709": "-22.9519-043.2105+012.3/",
            "com.apple.quicktime.model": "iPhone 13",
        },
    )
    video = _one(path, tmp_path)
    assert (utc(video), offset(video)) == ("2023-07-14T12:30:00Z", "-0300")
    assert video.place is not None
    assert (video.place.latitude, video.place.longitude) == (-22.9519, -43.2105)


def test_epoch_of_the_container_is_no_time(tmp_path: Path) -> None:
    path = pictures.video(tmp_path / "v.mp4", {"creation_time": "1904-01-01T00:00:00.000000Z"})
    assert _one(path, tmp_path).timestamp is None


@pytest.mark.parametrize("table", [b"stsz", b"stts", b"stco", b"keys", b"meta"])
def test_absurd_sizes_in_a_video_are_damage(tmp_path: Path, table: bytes) -> None:
    path = pictures.video(tmp_path / "v.mov", {"com.apple.quicktime.model": "iPhone 13"})
    data = bytearray(path.read_bytes())
    where = data.index(table)
    data[where - 4 : where] = b"\x7f\xff\xff\xf0"
    data[where + 8 : where + 16] = b"\x7f\xff\xff\xff" * 2
    path.write_bytes(data)
    report, _ = ingested(path, home=tmp_path)
    assert [reason for reason in report.reasons if "failed" in reason] == []
