"""GPX, KML and Google's location history."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from graphmemix.ingest.tracks import Gpx, Kml, Locations
from graphmemix.ingest.tracks.days import Days, Point, Stay, length, stays_of
from graphmemix.memory import Place
from tests.ingest.blind import diaries
from tests.ingest.reading import met, read, written

VIENNA = ZoneInfo("Europe/Vienna")


def test_a_hike_is_its_rest_and_its_way(tmp_path: Path) -> None:
    memories, skipped = read(Gpx(VIENNA), diaries.gpx(tmp_path / "in"))
    assert skipped == []
    summit, planned, rest, way = memories
    assert (summit.text, summit.place) == ("Gipfel\n1.200 m", Place("Gipfel", 48.01, 16.02))
    assert summit.timestamp == datetime(2023, 7, 14, 8, 20, tzinfo=UTC)
    assert (planned.text, planned.timestamp) == ("Geplant: 11.1 km", None)
    assert rest.text == "Stayed in one place, 2023-07-14 10:30 to 10:58"
    assert rest.place == Place("", 48.0, 16.0)
    assert rest.metadata == {"end": "2023-07-14T10:58:00+02:00", "stay": True}
    assert way.text == "Schneeberg: 4.2 km, 2023-07-14 10:00 to 10:58"
    assert (way.kind, way.session) == ("note", "gpx:2023-07-14")
    assert way.timestamp == datetime(2023, 7, 14, 8, 0, tzinfo=UTC)


def test_placemarks(tmp_path: Path) -> None:
    memories, skipped = read(Kml(UTC), diaries.kml(tmp_path / "in"))
    assert skipped == []
    saved, visit, line, track = memories
    assert saved.text == "Café\nHerrengasse 14\nGut"
    assert saved.place == Place("Café", 48.21, 16.365)
    assert visit.text == "At Museum, 2023-07-14 08:00 to 09:30"
    assert line.metadata["way"] == [[48.0, 16.0], [48.0, 16.1], [48.0, 16.1]]
    assert track.text == "Fahrt: 13.4 km, 2023-07-14 08:00 to 08:18"


def test_thousands_of_positions_are_a_few_memories_a_day(tmp_path: Path) -> None:
    memories, (skip,) = read(Locations(UTC), diaries.location_records(tmp_path / "in"))
    assert [memory.text for memory in memories] == [
        "Stayed in one place, 2023-07-14 08:00 to 09:00",
        "On the way: 9.4 km, 2023-07-14 08:00 to 09:18",
    ]
    assert (skip.name, skip.reason) == ("Records.json", "1 record has no usable time or position")


def test_a_month_with_named_visits_is_not_told_twice(tmp_path: Path) -> None:
    records = diaries.location_records(tmp_path / "in")
    diaries.semantic_months(tmp_path / "in" / "Semantic Location History" / "2023")
    memories, skipped = read(Locations(UTC), records)
    assert memories == []
    assert skipped[0].reason == "days that the semantic months have: 1"


def test_named_visits_and_ways_by_means(tmp_path: Path) -> None:
    (visit, way), skipped = read(Locations(VIENNA), diaries.semantic_months(tmp_path / "in"))
    assert skipped == []
    assert visit.text == ("At Café Central, Herrengasse 14, 1010 Wien, 2023-07-14 10:00 to 11:30")
    assert visit.place == Place("Café Central, Herrengasse 14, 1010 Wien", 48.2082, 16.3738)
    assert way.text == "On the way: 2.0 km on foot, 5.0 km by subway, 2023-07-14 11:30 to 12:13"


def test_the_timeline_of_an_android_phone(tmp_path: Path) -> None:
    (visit, way), skipped = read(Locations(VIENNA), diaries.phone_timeline(tmp_path / "in"))
    assert skipped == []
    assert visit.text == "At home, 2024-07-14 08:00 to 09:30"
    assert way.text == "On the way: 3.2 km by bicycle, 2024-07-14 09:30 to 09:50"


def test_the_timeline_of_an_iphone(tmp_path: Path) -> None:
    (visit, stay), skipped = read(Locations(VIENNA), diaries.iphone_timeline(tmp_path / "in"))
    assert skipped == []
    assert visit.place == Place("", 48.2082, 16.3738)
    assert stay.text == "Stayed in one place, 2024-07-15 08:00 to 08:30"


def test_a_day_has_at_most_its_longest_stays() -> None:
    days = Days("x", UTC)
    for at in range(40):
        days.add_stay(Stay(1000.0 * at, 1000.0 * at + at, Place("", 48.0, 16.0)))
    memories = list(days.memories())
    assert len(memories) == 24
    assert [memory.sequence for memory in memories] == list(range(24))


def test_a_short_stop_is_no_stay() -> None:
    assert stays_of([Point(60 * at, 48.0, 16.0) for at in range(10)]) == []
    assert len(stays_of([Point(60 * at, 48.0, 16.0) for at in range(11)])) == 1


def test_a_jump_that_nothing_can_make_has_no_length() -> None:
    assert length([Point(0, 48.0, 16.0), Point(60, 10.0, 16.0)]) == 0.0
    assert length([Point(0, 48.0, 16.0), Point(60, 48.01, 16.0)]) == pytest.approx(1.11, abs=0.01)


def test_the_order_of_positions_does_not_matter() -> None:
    points = [Point(60 * at, 48.0, 16.0 + at / 500) for at in range(0, 200, 2)]
    forth, back = Days("x", UTC), Days("x", UTC)
    for one, other in zip(points, reversed(points), strict=True):
        forth.add_point(one)
        back.add_point(other)
    assert list(forth.memories()) == list(back.memories())


@pytest.mark.parametrize("seconds", [1e18, -1e18, float(10**30), 253402300799.0, -62135596800.0])
def test_times_at_the_ends_of_the_calendar_cost_no_other(seconds: float) -> None:
    days = Days("x", VIENNA)
    days.add_point(Point(seconds, 48.0, 16.0))
    days.add_stay(Stay(0.0, 900.0, Place("Bad", 48.0, 16.0)))
    assert "At Bad, 1970-01-01 01:00 to 01:15" in [memory.text for memory in days.memories()]


def test_a_bad_part_costs_itself_alone(tmp_path: Path) -> None:
    text = (
        '<gpx><wpt lat="x" lon="1"><name>bad</name></wpt><trk><name>empty</name></trk>'
        '<wpt lat="48" lon="16"><name>good</name></wpt></gpx>'
    )
    (memory,), skipped = read(Gpx(), written(tmp_path, "in/a.gpx", text))
    assert memory.text == "good"
    assert [skip.reason for skip in skipped] == ["has no position", "has no positions"]


@pytest.mark.parametrize("importer", [Gpx(), Kml(), Locations()], ids=lambda each: each.name)
def test_other_files_are_not_recognised(tmp_path: Path, importer: Gpx | Kml | Locations) -> None:
    for text in ("<html/>", "<gpxx/>", "<kmlx/>", '{"locations": []}', '[{"startTime": 1}]', "x"):
        assert not importer.recognises(met(written(tmp_path, "a.json", text)))
