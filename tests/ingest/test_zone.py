"""The time zone of an archive: remembered, and warned about when it changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphmemix.archive import Archive
from graphmemix.errors import InvalidInputError
from graphmemix.settings import Settings
from tests.cli.commands import run
from tests.ingest.camera import jpeg
from tests.ingest.reading import written

CHAT = "14/07/2023, 21:22 - Vera: hi\n"
EVENING = (
    "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nSUMMARY:Parents' evening\n"
    "DTSTART:20240603T163000Z\nEND:VEVENT\nEND:VCALENDAR\n"
)


def opened(folder: Path, zone: str = "") -> Archive:
    overrides = {"encoder.model": "hashing", **({"ingest.zone": zone} if zone else {})}
    return Archive.open(folder, settings=Settings.load(environment={}, overrides=overrides))


def test_a_second_run_without_a_zone_keeps_that_of_the_first(tmp_path: Path) -> None:
    chat = written(tmp_path, "in/chat.txt", CHAT)
    with opened(tmp_path / "archive", "Asia/Tokyo") as archive:
        archive.ingest([chat], index=False)
    with opened(tmp_path / "archive") as archive:
        assert archive.settings.ingest.zone == "Asia/Tokyo"
        report = archive.ingest([chat], index=False)
        again = archive.ingest([chat], index=False, again=True)
    assert (report.sources[0].unchanged, report.updated, report.notes) == (1, 0, ())
    assert (again.known, again.updated) == (1, 0)


def test_the_zone_of_the_machine_is_remembered_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tzlocal.unix._cache_tz_name", None)  # an earlier test may have asked
    monkeypatch.setenv("TZ", "Europe/Vienna")
    chat = written(tmp_path, "in/chat.txt", CHAT)
    with opened(tmp_path / "archive") as archive:
        archive.ingest([chat], index=False)
    monkeypatch.setenv("TZ", "America/New_York")
    with opened(tmp_path / "archive") as archive:
        assert archive.settings.ingest.zone == "Europe/Vienna"
        assert archive.ingest([chat], index=False).sources[0].unchanged == 1
        [memory] = archive.find()
    assert memory.metadata["zone"] == "Europe/Vienna"
    assert memory.timestamp is not None
    assert memory.timestamp.isoformat() == "2023-07-14T21:22:00+02:00"


def test_another_zone_is_warned_about(tmp_path: Path) -> None:
    chat = written(tmp_path, "in/chat.txt", CHAT)
    with opened(tmp_path / "archive", "Europe/Vienna") as archive:
        archive.ingest([chat], index=False)
    with opened(tmp_path / "archive", "Asia/Tokyo") as archive:
        report = archive.ingest([chat], index=False)
    assert report.updated == 1
    [note] = report.notes
    assert note.startswith("the time zone of this archive was Europe/Vienna and is now Asia/Tokyo")


def test_times_in_utc_are_shown_in_the_zone_of_the_archive(tmp_path: Path) -> None:
    calendar = written(tmp_path, "in/a.ics", EVENING)
    archive = tmp_path / "archive"
    run("ingest", archive, calendar, "--zone", "Europe/Vienna", "--no-index")
    listed = run("list", archive)
    assert "2024-06-03 18:30" in listed.out
    [line] = run("list", archive, "--json").lines
    assert line["timestamp"] == "2024-06-03T16:30:00Z"
    shown = run("show", archive, line["id"]).out
    assert "2024-06-03 18:30:00+02:00 (written 16:30 UTC)" in shown


ABROAD = (
    "From: Ken <ken@x.org>\nDate: Sat, 1 Jun 2024 01:30:00 +0900\nMessage-ID: <1@x.org>\n"
    "Subject: The kite\n\nIt flew over the harbour.\n"
)


def test_times_of_other_zones_are_shown_in_that_of_the_archive_too(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    run("ingest", archive, written(tmp_path, "a.eml", ABROAD), "--zone", "Europe/Vienna")
    assert "2024-05-31 18:30" in run("list", archive).out
    [line] = run("list", archive, "--json").lines
    assert line["timestamp"] == "2024-06-01T01:30:00+09:00"
    shown = " ".join(run("show", archive, line["id"]).out.split())
    assert "2024-05-31 18:30:00+02:00 (written 2024-06-01 01:30 UTC+0900)" in shown
    asked = run("ask", archive, "Where did the kite fly?").out
    assert "email, 2024-05-31, Ken" in asked


def test_a_day_without_a_time_stays_that_day(tmp_path: Path) -> None:
    day = EVENING.replace("DTSTART:20240603T163000Z", "DTSTART;VALUE=DATE:20240603")
    assert day != EVENING
    archive = tmp_path / "archive"
    run("ingest", archive, written(tmp_path, "a.ics", day), "--zone", "Europe/Vienna", "--later")
    run("ingest", archive, written(tmp_path, "note.txt", "x"), "--zone", "Asia/Tokyo", "--later")
    assert "2024-06-03 00:00" in run("list", archive).out


# Paths


def test_a_mistyped_path_is_an_error_and_makes_no_archive(tmp_path: Path) -> None:
    chat = written(tmp_path, "in/chat.txt", CHAT)
    ran = run("ingest", tmp_path / "archive", chat, tmp_path / "in" / "caht.txt")
    assert ran.code != 0
    assert "caht.txt" in ran.err
    assert not (tmp_path / "archive").exists()


def test_the_library_refuses_it_too(tmp_path: Path) -> None:
    with opened(tmp_path / "archive") as archive, pytest.raises(InvalidInputError, match="nowhere"):
        archive.ingest([tmp_path / "nowhere"])


# Photos without words


def test_ingest_offers_to_describe_what_has_no_words(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for number in range(3):
        jpeg(tmp_path / "in" / f"{number}.jpg", size=(32 + number, 20))
    written(tmp_path, "in/note.txt", "words")
    ran = run("ingest", tmp_path / "my archive", tmp_path / "in", "--no-index")
    assert "3 photos and recordings have no words: graphmemix describe" in ran.out
    assert f"'{tmp_path}/my archive'" in ran.out
    assert "no words" not in run("ingest", tmp_path / "my archive", tmp_path / "in").out


def test_describe_may_follow_at_once(tmp_path: Path) -> None:
    note = written(tmp_path, "note.txt", "words")
    ran = run("ingest", tmp_path / "archive", note, "--describe")
    assert (ran.code, "New descriptions for 0 of" in ran.out) == (0, True)
