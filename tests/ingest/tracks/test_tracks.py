"""GPX, KML and Google's location history."""

from __future__ import annotations

import json
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


def test_places_of_one_name_are_not_one_place(tmp_path: Path) -> None:
    """Ids are made of words and times; what differs in its position alone is another memory."""
    points = "".join(
        f'<wpt lat="{lat}" lon="16"><name>Parking</name></wpt><wpt lat="{lat}" lon="17"/>'
        f'<rte><name>Loop</name><rtept lat="48" lon="16"/><rtept lat="{lat}" lon="16"/></rte>'
        for lat in (47, 49)
    )
    memories, _ = read(Gpx(UTC), written(tmp_path / "in", "a.gpx", f"<gpx>{points}</gpx>"))
    assert len({memory.id for memory in memories}) == 6
    assert len({memory.source_id for memory in memories}) == 6
    home = "<Placemark><name>Home</name><Point><coordinates>{},48</coordinates></Point></Placemark>"
    both = f"<kml>{home.format(16)}{home.format(17)}</kml>"
    memories, _ = read(Kml(UTC), written(tmp_path / "in", "a.kml", both))
    assert len({memory.id for memory in memories}) == 2


def test_what_is_said_about_a_track_or_a_visit_is_kept(tmp_path: Path) -> None:
    track = (
        "<gpx><trk><name>Rax</name><cmt>Rax</cmt><desc>With Ben, in fog</desc><trkseg>"
        '<trkpt lat="47.7" lon="15.7"><time>2023-07-14T08:00:00Z</time></trkpt>'
        "</trkseg></trk></gpx>"
    )
    [way], _ = read(Gpx(UTC), written(tmp_path / "in", "a.gpx", track))
    assert way.text == "Rax: 0.0 km, 2023-07-14 08:00 to 08:00\nRax\nWith Ben, in fog"
    visit = (
        "<kml><Placemark><name>Museum</name><address>Burgring 7</address><TimeSpan>"
        "<begin>2023-07-14T08:00:00Z</begin><end>2023-07-14T09:30:00Z</end></TimeSpan>"
        "<Point><coordinates>16.36,48.2</coordinates></Point></Placemark></kml>"
    )
    [stay], _ = read(Kml(UTC), written(tmp_path / "in", "a.kml", visit))
    assert stay.text == "At Museum, 2023-07-14 08:00 to 09:30\nBurgring 7"


def test_a_saved_place_with_an_address_alone(tmp_path: Path) -> None:
    saved = (
        "<kml><Placemark><name>Bakery</name><address>Herrengasse 14</address>"
        "<phoneNumber>01 234</phoneNumber><description>Ask for Olga</description><ExtendedData>"
        '<Data name="Opens"><value>7:00</value></Data><Data name="Tip"><value>Olga</value></Data>'
        "</ExtendedData></Placemark><Placemark><name>Nowhere</name></Placemark></kml>"
    )
    [bakery], [nowhere] = read(Kml(UTC), written(tmp_path / "in", "a.kml", saved))
    assert bakery.text == "Bakery\nHerrengasse 14\n01 234\nAsk for Olga\nOpens: 7:00"
    assert bakery.place == Place("Herrengasse 14")
    assert nowhere.reason == "has no position"


def test_positions_until_2021_and_their_broken_signs(tmp_path: Path) -> None:
    memories, skipped = read(Locations(UTC), diaries.old_location_history(tmp_path / "in"))
    assert skipped == []
    assert [memory.text for memory in memories] == [
        "Stayed in one place, 2015-01-01 00:00 to 00:28"
    ]
    over = {"latitudeE7": 404000000, "longitudeE7": 3555000000}
    stay = [{**over, "timestampMs": str(1420200000000 + 60_000 * at)} for at in range(15)]
    path = written(tmp_path / "in", "Records.json", json.dumps({"locations": stay}))
    [there], _ = read(Locations(UTC), path)
    assert there.place == Place("", 40.4, -73.99673)


def test_a_phone_that_has_positions_alone(tmp_path: Path) -> None:
    signals: list[dict[str, object]] = [
        {"position": {"LatLng": "48.2082°, 16.3738°", "accuracyMeters": 13, "source": "WIFI",
                      "timestamp": f"2024-07-14T08:{at:02}:00.000+02:00"}}
        for at in range(0, 30, 2)
    ]  # fmt: skip
    signals += [{"wifiScan": {"deliveryTime": "x"}}, {"activityRecord": {}}, {"position": {}}]
    timeline = {"semanticSegments": [], "rawSignals": signals, "userLocationProfile": {}}
    path = written(tmp_path / "in", "Timeline.json", json.dumps(timeline))
    [stay], [bad] = read(Locations(VIENNA), path)
    assert stay.text == "Stayed in one place, 2024-07-14 08:00 to 08:28"
    assert stay.place == Place("", 48.2082, 16.3738)
    assert bad.reason == "1 record has no usable time or position"
