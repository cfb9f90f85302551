"""Notes and recorded positions, shaped as the programs write them."""

from __future__ import annotations

import base64
import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path

from tests.ingest.reading import written

PNG = b"\x89PNG\r\n\x1a\n" + bytes(60)


def keep(folder: Path) -> Path:
    """Write a note and a list of Google Keep; return the note."""
    common = {"color": "DEFAULT", "isTrashed": False, "isPinned": True, "isArchived": False}
    note = {
        **common,
        "textContent": "Beim Nachbarn, siehe https://example.org/a",
        "title": "Schlüssel",
        "userEditedTimestampUsec": 1700000100000000,
        "createdTimestampUsec": 1600000000000000,
        "labels": [{"name": "Haus"}],
        "attachments": [{"filePath": "1.jpeg", "mimetype": "image/png"}],
        "annotations": [
            {"title": "A", "source": "WEBLINK", "url": "https://example.org/a"},
            {"title": "B", "source": "WEBLINK", "url": "https://example.org/b"},
        ],
        "sharees": [
            {"isOwner": True, "type": "WRITER", "email": "ich@example.org"},
            {"isOwner": False, "type": "WRITER", "email": "mia@example.org"},
        ],
    }
    shopping = {
        **common,
        "title": "Einkauf",
        "userEditedTimestampUsec": 1700000200000000,
        "createdTimestampUsec": 1700000200000000,
        "listContent": [
            {"text": "Milch", "isChecked": True},
            {"text": "Brot", "isChecked": False},
        ],
    }
    written(folder, "1.jpg", PNG)
    written(folder, "Schlüssel.html", "<html><body>Beim Nachbarn</body></html>")
    written(folder, "Einkauf.json", json.dumps(shopping))
    return written(folder, "Schlüssel.json", json.dumps(note))


def evernote(folder: Path) -> Path:
    """Write a notebook of Evernote with two notes."""
    picture = base64.encodebytes(PNG).decode()
    return written(
        folder,
        "Haushalt.enex",
        f"""\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE en-export SYSTEM "http://xml.evernote.com/pub/evernote-export4.dtd">
<en-export export-date="20231114T221500Z" application="Evernote" version="10.60.4">
  <note>
    <title>Heizung &amp; Strom</title>
    <created>20200913T122640Z</created>
    <updated>20231114T221500Z</updated>
    <tag>Haus</tag><tag>Wien</tag>
    <note-attributes><author>Ruth</author><latitude>48.2082</latitude>
      <longitude>16.3738</longitude><source-url>https://example.org/x</source-url>
    </note-attributes>
    <content><![CDATA[<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<!DOCTYPE en-note SYSTEM "http://xml.evernote.com/pub/enml2.dtd"><en-note>
<div>Zähler ablesen</div><div><en-todo checked="true"/>Gas</div><div><en-todo/>Strom</div>
<en-crypt cipher="AES" length="128">QUJDREVGR0g=</en-crypt><en-media type="image/png"/></en-note>
    ]]></content>
    <resource><data encoding="base64">
{picture}</data><mime>image/png</mime><width>1</width>
      <resource-attributes><file-name>zähler.png</file-name></resource-attributes></resource>
  </note>
  <note><title>Leer</title><created>nie</created><content></content></note>
</en-export>
""",
    )


def points(
    start: int, count: int, *, step: int = 60, moving: float = 0.0
) -> list[tuple[int, float]]:
    """Return times and longitudes at a latitude of 48°: one place, or a way eastwards."""
    return [(start + step * at, 16.0 + moving * at) for at in range(count)]


def gpx(folder: Path) -> Path:
    """Write a hike with a rest, a planned route and a waypoint."""
    hike = [*points(1689321600, 30, moving=0.001), *points(1689323400, 30)]
    track = "".join(
        f'<trkpt lat="48.0" lon="{lon:.4f}"><ele>300</ele><time>{_iso(time)}</time></trkpt>'
        for time, lon in hike
    )
    return written(
        folder,
        "hike.gpx",
        f"""\
<?xml version="1.0" encoding="UTF-8"?>
<gpx creator="Watch" version="1.1" xmlns="http://www.topografix.com/GPX/1/1">
<wpt lat="48.01" lon="16.02"><time>2023-07-14T08:20:00Z</time><name>Gipfel</name>
<desc>1.200 m</desc></wpt>
<rte><name>Geplant</name><rtept lat="48.0" lon="16.0"/><rtept lat="48.1" lon="16.0"/></rte>
<trk><name>Schneeberg</name><trkseg>{track}</trkseg></trk>
</gpx>
""",
    )


def kml(folder: Path) -> Path:
    """Write a saved place, a visit, a drawn line and a recorded track."""
    track = "".join(f"<when>{_iso(time)}</when>" for time, _ in points(1689321600, 20))
    track += "".join(f"<gx:coord>{lon} 48.0 0</gx:coord>" for _, lon in points(0, 20, moving=0.01))
    return written(
        folder,
        "places.kml",
        f"""\
<?xml version="1.0" encoding="UTF-8"?>
<kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2"><Document>
<Placemark><name>Café</name><address>Herrengasse 14</address>
<description><![CDATA[<b>Gut</b>]]></description>
<Point><coordinates>16.365,48.21,0</coordinates></Point></Placemark>
<Placemark><name>Museum</name><TimeSpan><begin>2023-07-14T08:00:00Z</begin>
<end>2023-07-14T09:30:00Z</end></TimeSpan>
<Point><coordinates>16.36,48.2</coordinates></Point></Placemark>
<Placemark><name>Linie</name><LineString><coordinates>16,48,0 16.1,48,0
</coordinates></LineString></Placemark>
<Placemark><name>Fahrt</name><gx:Track>{track}</gx:Track></Placemark>
</Document></kml>
""",
    )


def kmz(folder: Path) -> Path:
    """Write the same places as Google Earth packs them."""
    path = folder / "places.kmz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        package.write(kml(folder), "doc.kml")
        package.writestr("images/icon.png", PNG)
    return path


def old_location_history(folder: Path) -> Path:
    """Write positions as Takeout had them until 2021: text of milliseconds, a broken sign."""
    records = [
        {"timestampMs": str(1420070400000 + 60_000 * at), "latitudeE7": 482082000,
         "longitudeE7": 163738000, "accuracy": 25, "activity": []}
        for at in range(30)
    ]  # fmt: skip
    over = {"timestampMs": "1420200000000", "latitudeE7": 404000000, "longitudeE7": 3555000000}
    return written(folder, "Location History.json", json.dumps({"locations": [*records, over]}))


def location_records(folder: Path) -> Path:
    """Write positions of Google Takeout: an hour at one place, then ten kilometres."""
    met = [*points(1689321600, 60), *points(1689325200, 20, moving=0.007)]
    records: list[dict[str, object]] = [
        {"latitudeE7": 480000000, "longitudeE7": round(lon * 1e7), "accuracy": 20,
         "source": "WIFI", "timestamp": _iso(time), "activity": [{"timestamp": _iso(time)}]}
        for time, lon in met
    ]  # fmt: skip
    records.append({"timestamp": "2023-07-14T08:00:00Z", "source": "CELL"})
    return written(folder, "Records.json", json.dumps({"locations": records}))


def semantic_months(folder: Path) -> Path:
    """Write a month of Google's semantic location history."""
    visit = {
        "location": {"latitudeE7": 482082000, "longitudeE7": 163738000, "placeId": "x",
                     "name": "Café Central", "address": "Herrengasse 14\n1010 Wien"},
        "duration": {"startTimestamp": "2023-07-14T08:00:00Z",
                     "endTimestamp": "2023-07-14T09:30:00.123Z"},
    }  # fmt: skip
    trips = [
        {"activitySegment": {
            "duration": {"startTimestampMs": str(at), "endTimestampMs": str(at + 600_000)},
            "distance": distance, "activityType": means}}
        for at, distance, means in (
            (1689327000000, 1200, "WALKING"), (1689328000000, 5000, "IN_SUBWAY"),
            (1689329000000, 800, "WALKING"))
    ]  # fmt: skip
    month = {"timelineObjects": [{"placeVisit": visit}, *trips]}
    return written(folder, "2023_JULY.json", json.dumps(month))


def phone_timeline(folder: Path) -> Path:
    """Write Timeline.json of an Android phone."""
    segments = [
        {"startTime": "2024-07-14T08:00:00.000+02:00", "endTime": "2024-07-14T10:00:00.000+02:00",
         "timelinePath": [{"point": "48.2°, 16.3°", "time": "2024-07-14T09:00:00.000+02:00"}]},
        {"startTime": "2024-07-14T08:00:00.000+02:00", "endTime": "2024-07-14T09:30:00.000+02:00",
         "visit": {"hierarchyLevel": 0, "probability": 0.9, "topCandidate": {
             "placeId": "y", "semanticType": "HOME", "probability": 0.9,
             "placeLocation": {"latLng": "48.2082000°, 16.3738000°"}}}},
        {"startTime": "2024-07-14T09:30:00.000+02:00", "endTime": "2024-07-14T09:50:00.000+02:00",
         "activity": {"start": {"latLng": "48.2°, 16.3°"}, "end": {"latLng": "48.2°, 16.4°"},
                      "distanceMeters": 3200.5, "topCandidate": {"type": "CYCLING"}}},
    ]  # fmt: skip
    return written(
        folder,
        "Timeline.json",
        json.dumps({"semanticSegments": segments, "rawSignals": [], "userLocationProfile": {}}),
    )


def iphone_timeline(folder: Path) -> Path:
    """Write the location history of an iPhone."""
    segments = [
        {"endTime": "2024-07-14T09:30:00.000+02:00", "startTime": "2024-07-14T08:00:00.000+02:00",
         "visit": {"hierarchyLevel": "0", "topCandidate": {
             "probability": "0.8", "semanticType": "Unknown", "placeID": "z",
             "placeLocation": "geo:48.208200,16.373800"}, "probability": "0.9"}},
        {"endTime": "2024-07-15T10:00:00.000+02:00", "startTime": "2024-07-15T08:00:00.000+02:00",
         "timelinePath": [
             {"point": "geo:48.0,16.0", "durationMinutesOffsetFromStartTime": "0"},
             {"point": "geo:48.0,16.0", "durationMinutesOffsetFromStartTime": "30"}]},
    ]  # fmt: skip
    return written(folder, "location-history.json", json.dumps(segments))


def _iso(time: int) -> str:
    return datetime.fromtimestamp(time, UTC).isoformat().replace("+00:00", "Z")
