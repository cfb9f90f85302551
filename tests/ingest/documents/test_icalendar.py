"""Calendars: written by hand from RFC 5545, by icalendar and by vobject."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import icalendar
import pytest
import vobject
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphmemix.ingest.documents.icalendar import ICalendar
from graphmemix.ingest.documents.recurrence import spoken_rule
from graphmemix.ingest.protocol import HEAD_BYTES
from graphmemix.memory import Memory
from tests.ingest.reading import met, read, read_anyway, written

VIENNA = ZoneInfo("Europe/Vienna")


def event(folder: Path, *lines: str, before: str = "") -> Memory:
    body = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//t//EN\r\n"
    body += before + "BEGIN:VEVENT\r\n" + "\r\n".join(lines)
    text = body + "\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    (memory,), skipped = read(ICalendar(VIENNA), written(folder, "c.ics", text))
    assert skipped == []
    return memory


def test_an_event_written_by_icalendar(tmp_path: Path) -> None:
    made = icalendar.Event()
    made.add("uid", "77@cal.example")
    made.add("summary", "Dentist, upper floor; bring card")
    made.add("dtstart", dt.datetime(2024, 7, 3, 15, 30, tzinfo=VIENNA))
    made.add("dtend", dt.datetime(2024, 7, 3, 16, 0, tzinfo=VIENNA))
    made.add("location", "Dr. Weiß, Ringstraße 1")
    made.add("geo", (48.2, 16.37))
    made.add("description", "First line\nsecond line " + "long " * 40)
    attendee = icalendar.vCalAddress("MAILTO:otto@mail.example")
    attendee.params["cn"] = icalendar.vText("Otto Blau")
    made.add("attendee", attendee, encode=False)
    made.add("rrule", {"freq": "weekly", "interval": 2, "byday": "we", "count": 5})
    calendar = icalendar.Calendar()
    calendar.add("prodid", "-//t//EN")
    calendar.add("version", "2.0")
    calendar.add("x-wr-calname", "Family")
    calendar.add_component(made)
    (memory,), skipped = read(ICalendar(), written(tmp_path, "c.ics", calendar.to_ical()))
    assert memory.kind == "event"
    assert memory.text.split("\n")[:5] == [
        "Dentist, upper floor; bring card",
        "Where: Dr. Weiß, Ringstraße 1",
        "With: Otto Blau",
        "Repeats: every 2 weeks on Wednesday 5 times",
        "First line",
    ]
    assert memory.timestamp == dt.datetime(2024, 7, 3, 13, 30, tzinfo=dt.UTC)
    assert memory.place is not None
    assert (memory.place.name, memory.place.latitude) == ("Dr. Weiß, Ringstraße 1", 48.2)
    assert memory.source_id == "77@cal.example"
    assert memory.metadata["calendar"] == "Family"
    assert memory.metadata["attendees"] == ["Otto Blau"]
    assert memory.metadata["end"] == "2024-07-03T16:00:00+02:00"
    assert skipped == []


def test_an_event_written_by_vobject(tmp_path: Path) -> None:
    calendar: Any = vobject.iCalendar()
    made = calendar.add("vevent")
    made.add("summary").value = "Konzert"
    made.add("dtstart").value = dt.datetime(2024, 12, 1, 19, 0, tzinfo=ZoneInfo("Europe/Vienna"))
    made.add("valarm").add("description").value = "not part of the event"
    (memory,), _ = read(ICalendar(), written(tmp_path, "c.ics", calendar.serialize()))
    assert memory.text == "Konzert"
    assert memory.timestamp == dt.datetime(2024, 12, 1, 18, 0, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("start", "utc"),
    [
        ("DTSTART:20240703T133000Z", "2024-07-03T13:30:00+00:00"),
        ("DTSTART;TZID=America/New_York:20240703T093000", "2024-07-03T13:30:00+00:00"),
        (
            "DTSTART;TZID=/mozilla.org/20070129_1/Europe/Berlin:20240703T153000",
            "2024-07-03T13:30:00+00:00",
        ),
        ("DTSTART:20240703T153000", "2024-07-03T13:30:00+00:00"),  # floating: the configured zone
        ("DTSTART;VALUE=DATE:20240703", "2024-07-02T22:00:00+00:00"),
        ('DTSTART;TZID="America/Sao_Paulo":20240703T103000', "2024-07-03T13:30:00+00:00"),
        # Labels of Windows: quoted, not quoted, by a region, and by their offset alone.
        (
            'DTSTART;TZID="(UTC+01:00) Amsterdam, Berlin, Bern":20240703T153000',
            "2024-07-03T13:30:00+00:00",
        ),
        (
            "DTSTART;TZID=(UTC+01:00) Amsterdam, Berlin, Bern, Rom:20240703T153000",
            "2024-07-03T13:30:00+00:00",
        ),
        (
            'DTSTART;TZID="(UTC-05:00) Eastern Time (US & Canada)":20240703T093000',
            "2024-07-03T13:30:00+00:00",
        ),
        ("DTSTART;TZID=(GMT-03.30) Atlantis:20240703T100000", "2024-07-03T13:30:00+00:00"),
    ],
)
def test_zones_of_many_kinds(tmp_path: Path, start: str, utc: str) -> None:
    memory = event(tmp_path, "UID:1", "SUMMARY:x", start)
    assert memory.timestamp is not None
    assert memory.timestamp.astimezone(dt.UTC).isoformat() == utc
    assert memory.metadata.get("all_day") == (True if "VALUE=DATE" in start else None)


@pytest.mark.parametrize(
    ("clock", "utc"),
    [
        ("20240115T120000", 11), ("20240715T120000", 10),
        ("20240331T015959", 0), ("20240331T030000", 1), ("20241027T040000", 3),
    ],
)  # fmt: skip
def test_a_zone_by_its_own_rules(tmp_path: Path, clock: str, utc: int) -> None:
    zone = (
        "BEGIN:VTIMEZONE\r\nTZID:W. Europe Standard Time\r\n"
        "BEGIN:STANDARD\r\nDTSTART:16010101T030000\r\nTZOFFSETFROM:+0200\r\nTZOFFSETTO:+0100\r\n"
        "RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10\r\nEND:STANDARD\r\n"
        "BEGIN:DAYLIGHT\r\nDTSTART:16010101T020000\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0200\r\n"
        "RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3\r\nEND:DAYLIGHT\r\nEND:VTIMEZONE\r\n"
    )
    start = f"DTSTART;TZID=W. Europe Standard Time:{clock}"
    memory = event(tmp_path, "UID:1", "SUMMARY:x", start, before=zone)
    assert memory.timestamp is not None
    assert memory.timestamp.astimezone(dt.UTC).hour == utc


@pytest.mark.parametrize(
    ("name", "utc"),
    [
        ("Tokyo Standard Time", 3), ("tokyo daylight time", 3), ("Russia Time Zone 3", 8),
        ("Central Standard Time (Mexico)", 18), ("UTC-02", 14),
    ],
)  # fmt: skip
def test_a_zone_by_the_name_that_windows_gives_it(tmp_path: Path, name: str, utc: int) -> None:
    start = f"DTSTART;TZID={name}:20240715T120000"
    memory = event(tmp_path, "UID:1", "SUMMARY:x", start)
    assert memory.timestamp is not None
    assert memory.timestamp.astimezone(dt.UTC).hour == utc


@pytest.mark.parametrize("name", ["Nowhere", "Tokyo", "Atlantis Standard Time"])
def test_a_zone_that_is_not_known_is_named(tmp_path: Path, name: str) -> None:
    text = f"BEGIN:VEVENT\r\nSUMMARY:x\r\nDTSTART;TZID={name}:20240703T153000\r\nEND:VEVENT\r\n"
    [memory], [skip] = read(ICalendar(VIENNA), written(tmp_path, "c.ics", text))
    assert memory.timestamp == dt.datetime(2024, 7, 3, 13, 30, tzinfo=dt.UTC)
    assert skip.reason == "its time zone is not known; that of the archive was taken"


def test_a_changed_occurrence_has_an_id_of_its_own(tmp_path: Path) -> None:
    memory = event(tmp_path, "UID:1", "RECURRENCE-ID:20240703T133000Z", "SUMMARY:moved",
                   "DTSTART:20240704T133000Z")  # fmt: skip
    assert memory.source_id == "1#20240703T133000Z"


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("FREQ=DAILY", "every day"),
        ("FREQ=WEEKLY;BYDAY=MO,FR;UNTIL=20240630T000000Z",
         "every week on Monday, Friday until 2024-06-30"),
        ("FREQ=YEARLY;INTERVAL=2;COUNT=3", "every 2 years 3 times"),
        ("FREQ=FORTNIGHTLY", "FREQ=FORTNIGHTLY"),
        ("FREQ=MONTHLY;BYDAY=1MO,-1FR", "every month on the first Monday, the last Friday"),
        ("FREQ=MONTHLY;BYDAY=TU;BYSETPOS=2", "every month on the second Tuesday"),
        ("FREQ=MONTHLY;BYDAY=SA,SU;BYSETPOS=-1", "every month on the last Saturday or Sunday"),
        ("FREQ=MONTHLY;BYMONTHDAY=15,-1", "every month on day 15, the last day"),
        ("FREQ=YEARLY;BYMONTH=7;BYDAY=-2SU", "every year on the second last Sunday in July"),
        ("FREQ=YEARLY;BYMONTH=13,0,x;BYMONTHDAY=99", "every year"),
    ],
)  # fmt: skip
def test_rules_in_words(rule: str, words: str) -> None:
    assert spoken_rule(rule) == words


def test_days_in_utc_are_told_by_the_clock_of_the_event(tmp_path: Path) -> None:
    memory = event(
        tmp_path, "UID:1", "SUMMARY:Study", "DTSTART;TZID=America/Chicago:20170503T190000",
        "RRULE:FREQ=WEEKLY;BYDAY=WE;UNTIL=20171102T045959Z", "EXDATE:20170601T000000Z",
        "EXDATE;TZID=America/Chicago:20170614T190000", "RDATE;VALUE=PERIOD:20170609T000000Z/PT1H",
    )  # fmt: skip
    assert memory.text == (
        "Study\nRepeats: every week on Wednesday until 2017-11-01, also on 2017-06-08, "
        "not on 2017-05-31, 2017-06-14"
    )


def test_days_without_a_rule_and_very_many(tmp_path: Path) -> None:
    days = ",".join(f"202401{day:02}" for day in range(1, 26))
    start = "DTSTART;VALUE=DATE:20240101"
    few = event(tmp_path, "UID:1", "SUMMARY:x", start, "RDATE;VALUE=DATE:20240120,20240127")
    assert few.text == "x\nRepeats: on 2024-01-20, 2024-01-27"
    many = event(tmp_path, "UID:1", "SUMMARY:x", start, "RRULE:FREQ=DAILY", f"EXDATE:{days}")
    assert many.text.endswith("2024-01-19, 2024-01-20 and 5 more")


CUT = "BEGIN:VEVENT\nUID:{0}\nSUMMARY:Dentist {0}\nDTSTART:20240603T163000Z\n"


def test_an_event_that_is_cut_off_is_read_and_named(tmp_path: Path) -> None:
    text = f"BEGIN:VCALENDAR\n{CUT.format(1)}{CUT.format(2)}END:VEVENT\n{CUT.format(3)}"
    memories, skipped = read(ICalendar(), written(tmp_path, "a.ics", text))
    assert [memory.text for memory in memories] == ["Dentist 1", "Dentist 2", "Dentist 3"]
    assert [(each.name, each.reason) for each in skipped] == [
        ("a.ics entry 1", "is cut off; what is there was read"),
        ("a.ics entry 3", "is cut off; what is there was read"),
    ]


def test_an_event_without_its_calendar_is_read(tmp_path: Path) -> None:
    path = written(tmp_path, "a.ics", CUT.format(1) + "END:VEVENT\n")
    [memory], skipped = read(ICalendar(), path)
    assert (memory.text, skipped) == ("Dentist 1", [])


def test_free_and_busy_times_are_named(tmp_path: Path) -> None:
    busy = "BEGIN:VFREEBUSY\nFREEBUSY:19970308T160000Z/PT3H\nEND:VFREEBUSY\n"
    path = written(tmp_path, "a.ics", f"BEGIN:VCALENDAR\n{busy}END:VCALENDAR\n")
    memories, [note] = read(ICalendar(), path)
    assert (memories, note.reason) == ([], "free and busy times, which are no events")


def test_tasks_journals_and_entries_without_content(tmp_path: Path) -> None:
    text = (
        "BEGIN:VCALENDAR\nBEGIN:VTODO\nSUMMARY:tax\nDUE;VALUE=DATE:20240430\nEND:VTODO\n"
        "BEGIN:VJOURNAL\nDTSTART:20240501T080000Z\nDESCRIPTION:quiet day\nEND:VJOURNAL\n"
        "BEGIN:VEVENT\nUID:9\nEND:VEVENT\nEND:VCALENDAR\n"
    )
    (task, journal), skipped = read(ICalendar(VIENNA), written(tmp_path, "c.ics", text))
    assert (task.text, task.metadata["entry"]) == ("tax", "task")
    assert (journal.text, journal.metadata["entry"]) == ("quiet day", "journal")
    assert [each.reason for each in skipped] == ["has neither text nor date"]


@settings(
    max_examples=2 * settings().max_examples,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(st.sampled_from([
    "BEGIN:VCALENDAR", "BEGIN:VEVENT", "END:VEVENT", "BEGIN:VTIMEZONE", "TZID:X", "END:VTIMEZONE",
    "BEGIN:STANDARD", "END:STANDARD", "TZOFFSETTO:+9999", "TZOFFSETTO:-0130", "SUMMARY:x\\", " y",
    "DTSTART:99999999T999999", "DTSTART;TZID=X:00010101T000000", "DTSTART:99991231T235959",
    "DTSTART;VALUE=DATE:0000", "RRULE:FREQ=YEARLY;BYDAY=9SU;BYMONTH=13", "RRULE:;=;", "GEO:91;x",
    "GEO:999;999", "DTSTART;TZID=../../etc/passwd:20240101T000000", 'ATTENDEE;CN="a:b":x', ";;:",
    "DTSTART;TZID=X:20240101T000000", "END:VCALENDAR", "\x00", "DTSTART:16010101T030000",
]), max_size=25))  # fmt: skip
def test_any_lines_have_a_typed_outcome(tmp_path: Path, lines: list[str]) -> None:
    path = written(tmp_path, "x.ics", "\r\n".join(["BEGIN:VCALENDAR", *lines]))
    assert len(met(path).head) <= HEAD_BYTES
    read_anyway(ICalendar(VIENNA), met(path))


def test_days_on_which_an_event_does_not_take_place_are_told(tmp_path: Path) -> None:
    memory = event(
        tmp_path,
        "SUMMARY:Choir",
        "DTSTART;TZID=Europe/Vienna:20240506T190000",
        "RRULE:FREQ=WEEKLY;BYDAY=MO",
        "EXDATE;TZID=Europe/Vienna:20240520T190000,20240527T190000",
        "EXDATE;VALUE=DATE:20240603",
    )
    assert memory.text == (
        "Choir\nRepeats: every week on Monday, not on 2024-05-20, 2024-05-27, 2024-06-03"
    )


def test_a_description_in_html_alone_is_read_and_a_comment_too(tmp_path: Path) -> None:
    memory = event(
        tmp_path,
        "SUMMARY:Dinner",
        "DTSTART:20240506T170000Z",
        "CATEGORIES:Family,Food",
        "COMMENT:Jan comes later",
        "X-ALT-DESC;FMTTYPE=text/html:<html><body><p>Bring <b>wine</b>.</p></body></html>",
    )
    assert memory.text == "Dinner\nBring wine.\nJan comes later"
    assert memory.metadata["categories"] == "Family,Food"


@pytest.mark.parametrize(
    "written_time",
    ["20240506T1930", "2024-05-06T19:30:00", "20240506t193000", "2024-05-06T19:30:00+02:00"],
)
def test_times_that_are_nearly_right_are_read(tmp_path: Path, written_time: str) -> None:
    memory = event(tmp_path, "SUMMARY:Choir", f"DTSTART:{written_time}")
    assert memory.timestamp == dt.datetime(2024, 5, 6, 19, 30, tzinfo=VIENNA)


def test_a_time_that_cannot_be_read_is_named_and_no_other_time_taken(tmp_path: Path) -> None:
    text = (
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Choir\nDTSTART:next Monday\n"
        "CREATED:20230101T000000Z\nEND:VEVENT\nEND:VCALENDAR\n"
    )
    (memory,), (skipped,) = read(ICalendar(VIENNA), written(tmp_path, "c.ics", text))
    assert (memory.text, memory.timestamp) == ("Choir", None)
    assert skipped.reason == "its time cannot be read; the rest was read"


def test_a_time_without_a_zone_is_in_that_of_its_calendar(tmp_path: Path) -> None:
    memory = event(
        tmp_path, "SUMMARY:Call", "DTSTART:20240506T090000",
        before="X-WR-TIMEZONE:America/New_York\r\nNAME:Work\r\n",
    )  # fmt: skip
    assert memory.timestamp is not None
    assert memory.timestamp.isoformat() == "2024-05-06T09:00:00-04:00"
    assert memory.metadata["calendar"] == "Work"


def test_a_task_without_a_day_keeps_its_id_whenever_it_is_exported(tmp_path: Path) -> None:
    made = [
        f"BEGIN:VCALENDAR\nBEGIN:VTODO\nSUMMARY:Buy ink\nCREATED:2023010{day}T080000Z\n"
        f"DTSTAMP:2024010{day}T000000Z\nEND:VTODO\nEND:VCALENDAR\n"
        for day in (1, 2)
    ]
    (first,), _ = read(ICalendar(VIENNA), written(tmp_path, "a.ics", made[0]))
    (second,), _ = read(ICalendar(VIENNA), written(tmp_path, "b.ics", made[1]))
    assert first.id == second.id
    assert first.timestamp == dt.datetime(2023, 1, 1, 8, tzinfo=dt.UTC)
    assert first.metadata["date_from"] == "created"


def test_a_calendar_without_entries_is_named(tmp_path: Path) -> None:
    text = "BEGIN:VCALENDAR\nVERSION:2.0\nX-WR-CALNAME:Empty\nEND:VCALENDAR\n"
    memories, (skipped,) = read(ICalendar(VIENNA), written(tmp_path, "c.ics", text))
    assert (memories, skipped.reason) == ([], "a calendar without entries")
