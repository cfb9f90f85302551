"""Times and places as EXIF, containers and file names write them."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import piexif
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmemix.errors import SettingsError
from graphmemix.memory import Memory
from graphmemix.text.coordinates import degrees, iso_6709, point, xmp_degrees
from graphmemix.text.dates.capture_time import Hint, parse_offset, parse_time, taken
from graphmemix.text.dates.file_names import name_burst, name_time, names_a_screenshot
from graphmemix.text.dates.zones import parse_zone, wall_offset
from tests.ingest.camera import jpeg, place, read_photo

EXIF, GPS = piexif.ExifIFD, piexif.GPSIFD


def wall(*parts: int) -> datetime:
    """What a clock showed."""
    return datetime(*parts)  # type: ignore[arg-type]  # noqa: DTZ001


def shot(folder: Path, **tags: Any) -> Memory:
    return read_photo(jpeg(folder / "in" / "x.jpg", **tags), zone=UTC)


@pytest.mark.parametrize(
    ("text", "offset", "fraction", "expected"),
    [
        ("2022:04:30 13:22:12", "+02:00", "", "2022-04-30T13:22:12+02:00"),
        ("2022:04:30 13:22:12", "", "", "2022-04-30T13:22:12"),
        ("2022:04:30 13:22:12", "Z", "12", "2022-04-30T13:22:12.120000+00:00"),
        ("2022:04:30 13:22:12", "-03:30", "123456789", "2022-04-30T13:22:12.123456-03:30"),
        ("2022:04:30 13:22:12", "+25:00", "x", "2022-04-30T13:22:12"),
        ("2022-04-30T13:22:12.5+02:00", "", "", "2022-04-30T13:22:12.500000+02:00"),
        ("2022-04-30T13:22:12+0200", "", "", "2022-04-30T13:22:12+02:00"),
        ("2016:12:31 23:59:60", "Z", "", "2016-12-31T23:59:59+00:00"),
        ("2022:04:30", "", "", "2022-04-30T00:00:00"),
        ("2022:4:3 1:2:3\0", "", "", "2022-04-03T01:02:03"),
    ],
)
def test_times_are_read_with_offset_and_fraction(
    text: str, offset: str, fraction: str, expected: str
) -> None:
    moment = parse_time(text, offset, fraction)
    assert moment is not None
    assert moment.isoformat() == expected


@pytest.mark.parametrize("text", ["", "    :  :     :  :  ", "0000:00:00 00:00:00", "\0\0"])
def test_a_blank_time_is_no_time_and_no_fault(text: str) -> None:
    assert parse_time(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "2022:13:45 25:61:00", "2021:02:29 12:00:00", "1700:01:01 00:00:00", "9999:01:01 00:00:00",
        "1970:01:01 00:00:00", "1904-01-01T00:00:00Z", "1980:01:01 00:00:00", "yesterday",
    ],
)  # fmt: skip
def test_an_impossible_time_is_ignored_with_a_note(tmp_path: Path, text: str) -> None:
    with pytest.raises(ValueError, match=r"is|must|day|month|future"):
        parse_time(text)
    memory = shot(tmp_path, exif={EXIF.DateTimeOriginal: text})
    assert memory.timestamp is None
    assert "EXIF time ignored" in str(memory.metadata["notes"])


def test_the_time_of_digitising_stands_in_for_an_impossible_one(tmp_path: Path) -> None:
    tags = {
        EXIF.DateTimeOriginal: "2022:00:00 00:00:00",
        EXIF.DateTimeDigitized: "2022:05:01 08:00:00",
    }
    assert shot(tmp_path, exif=tags).timestamp == datetime(2022, 5, 1, 8, tzinfo=UTC)


@pytest.mark.parametrize(
    ("shown", "gps", "expected"),
    [
        ("2022:04:30 13:22:12", (11, 22, 10), "+02:00"),
        ("2022:04:30 16:52:12", (11, 22, 10), "+05:30"),
        ("2022:05:01 00:07:12", (11, 22, 10), "+12:45"),
        ("2022:04:30 01:52:12", (11, 22, 10), "-09:30"),
        ("2022:04:30 13:19:12", (11, 22, 10), "+02:00"),
    ],
)
def test_the_clock_of_the_satellites_tells_the_zone(
    tmp_path: Path, shown: str, gps: tuple[int, ...], expected: str
) -> None:
    tags = {
        GPS.GPSDateStamp: "2022:04:30",
        GPS.GPSTimeStamp: tuple((number, 1) for number in gps),
    }
    memory = shot(tmp_path, exif={EXIF.DateTimeOriginal: shown}, gps=tags)
    assert memory.timestamp is not None
    assert memory.timestamp.isoformat().endswith(expected)
    assert memory.metadata["zone_source"] == "gps time"


def test_the_satellites_alone_tell_the_moment(tmp_path: Path) -> None:
    tags = {GPS.GPSDateStamp: "2022:04:30", GPS.GPSTimeStamp: ((11, 1), (22, 1), (1250, 100))}
    assert shot(tmp_path, gps=tags).timestamp == datetime(2022, 4, 30, 11, 22, 12, tzinfo=UTC)


def test_a_clock_that_no_zone_explains_leaves_the_zone_open() -> None:
    instant = datetime(2022, 4, 30, 11, tzinfo=UTC)
    assert wall_offset(wall(2022, 4, 30, 13, 20), instant, None) is None
    assert wall_offset(wall(2022, 5, 2, 13), instant, None) is None


def test_a_zone_that_cannot_be_at_the_place_is_refuted() -> None:
    instant, shown = datetime(2022, 4, 30, 11, tzinfo=UTC), wall(2022, 4, 30, 13)
    assert wall_offset(shown, instant, (48.0, 11.0)) == timezone(timedelta(hours=2))
    assert wall_offset(shown, instant, (35.0, 135.0)) is None
    kiribati = wall_offset(wall(2022, 5, 1, 1), instant, (1.9, -157.4))
    assert kiribati == timezone(timedelta(hours=14))


def test_takeout_that_took_the_clock_for_utc_does_not_count_as_a_zone() -> None:
    shown, utc = wall(2022, 4, 30, 13), datetime(2022, 4, 30, 13, tzinfo=UTC)
    hints = [Hint("exif", shown, "wall"), Hint("takeout", utc, "utc")]
    berlin = ZoneInfo("Europe/Berlin")
    known = taken(hints, None, berlin)
    assert known is not None
    assert known.how["zone_source"] == "assumed"
    there = taken(hints, (51.5, -0.1), berlin)
    assert there is not None
    assert there.how["zone_source"] == "takeout"


def test_an_hour_that_the_clocks_skip_is_still_a_moment() -> None:
    hint = Hint("exif", wall(2022, 3, 27, 2, 30), "wall")
    found = taken([hint], None, ZoneInfo("Europe/Berlin"))
    assert found is not None
    assert found.moment.utcoffset() in {timedelta(hours=1), timedelta(hours=2)}


@pytest.mark.parametrize("latitude", [48.1374, -33.9249])
@pytest.mark.parametrize("longitude", [11.5755, -70.6483])
def test_all_four_quarters_of_the_globe(tmp_path: Path, latitude: float, longitude: float) -> None:
    found = shot(tmp_path, gps=place(latitude, longitude)).place
    assert found is not None
    assert (found.latitude, found.longitude) == pytest.approx((latitude, longitude), abs=1e-6)


@pytest.mark.parametrize(
    "change",
    [
        {GPS.GPSLatitude: ((0, 0), (0, 0), (0, 0))},
        {GPS.GPSLatitude: ((95, 1), (0, 1), (0, 1))},
        {GPS.GPSLatitudeRef: "X"},
        {GPS.GPSStatus: "V"},
        {GPS.GPSLatitude: ((0, 1), (0, 1), (0, 1)), GPS.GPSLongitude: ((0, 1), (0, 1), (0, 1))},
    ],
)
def test_a_place_that_cannot_be_is_ignored_with_a_note(
    tmp_path: Path, change: dict[int, Any]
) -> None:
    memory = shot(tmp_path, gps={**place(48.1, 11.5), **change})
    assert memory.place is None
    assert "EXIF place ignored" in str(memory.metadata["notes"])


def test_seconds_with_a_zero_denominator_count_as_none(tmp_path: Path) -> None:
    found = shot(
        tmp_path, gps={**place(48.5, 11.5), GPS.GPSLatitude: ((48, 1), (30, 1), (0, 0))}
    ).place
    assert found is not None
    assert found.latitude == pytest.approx(48.5)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("+48.1374+011.5755/", ((48.1374, 11.5755), None)),
        ("+48.1374+011.5755+520.123/", ((48.1374, 11.5755), 520.123)),
        ("-3352.5+01824.6/", ((-33.875, 18.41), None)),
        ("+404201.2-0740044.4/", ((40.7003333, -74.0123333), None)),
        ("+00.0000+000.0000/", None),
        ("+91.0+000.0/", None),
        ("", None),
        ("Munich", None),
    ],
)
def test_iso_6709(text: str, expected: object) -> None:
    assert iso_6709(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("48,8.25N", 48.1375), ("48,8,15N", 48.1375), ("33,54W", -33.9), ("12.5s", -12.5),
        ("-12.5", -12.5), ("north", None), ("", None),
    ],
)  # fmt: skip
def test_coordinates_of_xmp(text: str, expected: float | None) -> None:
    assert xmp_degrees(text) == expected


@given(st.lists(st.one_of(st.none(), st.floats()), max_size=4), st.text(max_size=3))
def test_any_numbers_give_a_point_on_earth_or_none(parts: list[float | None], ref: str) -> None:
    value = degrees(parts, ref)
    found = point(value, 1.0)
    assert found is None or abs(found[0]) <= 90


@given(st.text(max_size=40))
def test_any_text_is_a_time_none_or_a_value_error(text: str) -> None:
    for read in (parse_offset, iso_6709, xmp_degrees):
        read(text)
    with suppress(ValueError):
        moment = parse_time(text)
        assert moment is None or moment.year >= 1826


@pytest.mark.parametrize(
    ("name", "clock", "expected"),
    [
        ("20220430_132212.jpg", "wall", "2022-04-30T13:22:12"),
        ("IMG_20220430_132212.jpg", "wall", "2022-04-30T13:22:12"),
        ("VID_20220430_132212123.mp4", "wall", "2022-04-30T13:22:12.123000"),
        ("PXL_20220430_112212123.jpg", "utc", "2022-04-30T11:22:12.123000+00:00"),
        ("PXL_20220430_112212123.MP.jpg", "utc", "2022-04-30T11:22:12.123000+00:00"),
        ("WhatsApp Image 2022-04-30 at 13.22.12.jpeg", "wall", "2022-04-30T13:22:12"),
        ("WhatsApp Image 2022-04-30 at 1.22.12 PM (2).jpeg", "wall", "2022-04-30T13:22:12"),
        ("Screenshot 2022-04-30 at 12.05.00\u202fAM.png", "wall", "2022-04-30T00:05:00"),
        ("Bildschirmfoto 2022-04-30 um 13.22.12.png", "wall", "2022-04-30T13:22:12"),
        ("Screenshot_2022-04-30-13-22-12-123_com.app.jpg", "wall", "2022-04-30T13:22:12"),
        ("Screenshot_20220430-132212.png", "wall", "2022-04-30T13:22:12"),
        ("photo_2022-04-30_13-22-12.jpg", "wall", "2022-04-30T13:22:12"),
        ("signal-2022-04-30-132212.jpg", "wall", "2022-04-30T13:22:12"),
        ("00000012-PHOTO-2022-04-30-13-22-12.jpg", "wall", "2022-04-30T13:22:12"),
        ("WIN_20220430_13_22_12_Pro.jpg", "wall", "2022-04-30T13:22:12"),
        ("DJI_20220430132212_0001.jpg", "wall", "2022-04-30T13:22:12"),
        ("FB_IMG_1651317732000.jpg", "utc", "2022-04-30T11:22:12+00:00"),
        ("trip/1651317732000.jpg", "utc", "2022-04-30T11:22:12+00:00"),
    ],
)
def test_file_names_tell_the_time(name: str, clock: str, expected: str) -> None:
    hint = name_time(name)
    assert hint is not None
    assert (hint.clock, hint.moment.isoformat(), hint.whole_day) == (clock, expected, False)


@pytest.mark.parametrize("name", ["IMG-20220430-WA0012.jpg", "PTT-20220430-WA0001.opus"])
def test_names_of_whatsapp_tell_the_day_only(tmp_path: Path, name: str) -> None:
    hint = name_time(name)
    assert hint is not None
    assert (hint.moment, hint.whole_day) == (wall(2022, 4, 30, 12), True)
    memory = read_photo(jpeg(tmp_path / "in" / name), zone=UTC)
    assert memory.metadata["time_precision"] == "day"
    assert memory.metadata["time_source"] == "file name"


@pytest.mark.parametrize(
    "name",
    ["IMG_1234.jpg", "DSC00012.JPG", "20221345_250000.jpg", "99991231.jpg", "invoice 2022.pdf",
     "12345678901234567890.jpg", "IMG_20990101_120000.jpg", ""],
)  # fmt: skip
def test_other_numbers_in_names_are_no_time(name: str) -> None:
    assert name_time(name) is None


@given(st.text(max_size=80))
def test_any_name_is_looked_at_without_harm(name: str) -> None:
    name_time(name)
    name_burst(name)
    names_a_screenshot(name)


@pytest.mark.parametrize(
    ("stem", "burst"),
    [
        ("00001IMG_00001_BURST20190102030405678_COVER", "BURST20190102030405678"),
        ("00002IMG_00002_BURST20190102030405678", "BURST20190102030405678"),
        ("IMG_20220430_132212_BURST001", "IMG_20220430_132212"),
        ("PXL_20210422_190032123.BURST-01.COVER", "PXL_20210422_190032123"),
        ("20220430_132212_003", "20220430_132212"),
        ("20220430_132212", None),
        ("sunburst", None),
    ],
)
def test_file_names_tell_bursts(stem: str, burst: str | None) -> None:
    assert name_burst(stem) == burst


@pytest.mark.parametrize("name", ["Europe/Vienna", "+02:00", "UTC"])
def test_a_zone_has_a_name_or_an_offset(name: str) -> None:
    assert datetime(2022, 1, 1, tzinfo=parse_zone(name)).utcoffset() is not None


@pytest.mark.parametrize("name", ["Mars/Olympus", "", "../etc/passwd"])
def test_a_zone_that_does_not_exist_is_a_typed_error(name: str) -> None:
    with pytest.raises(SettingsError):
        parse_zone(name)
