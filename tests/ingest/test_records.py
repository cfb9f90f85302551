"""One bad record costs itself alone, such as one with a time at the ends of the calendar."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC
from pathlib import Path

import pytest

from graphmemix.errors import InvalidDataError, StorageFullError
from graphmemix.ingest.builtin import built_in
from graphmemix.ingest.protocol import Skipped
from graphmemix.ingest.records import read_record
from tests.ingest.reading import met, read_anyway, written

_IMPORTERS = {each.name: each for each in built_in(UTC)}

ISO = (
    "9999-12-31T23:59:59-12:00", "9999-12-31T23:59:59+12:00", "0001-01-01T00:00:00+14:00",
    "0001-01-01T00:00:00", "9999-12-31T23:59:59.999999", "2024-01-01T00:00:00+23:59:59",
)  # fmt: skip
NUMBERS: tuple[float | str, ...] = (
    253402300799, -62135596800, 253402300800, -62135596801, 99999999999, -99999999999,
    9.2e18, -9.2e18, 1e300, 1 << 70, "99999999999999999999", "1e400", "-inf", "nan", "\u00b2",
)  # fmt: skip


def telegram(when: object) -> str:
    messages = [{"id": i, "date_unixtime": w, "date": w, "text": t} for i, w, t in (
        (1, when, "bad"), (2, "1700000000", "good"))]  # fmt: skip
    return json.dumps({"name": "n", "type": "t", "id": 1, "messages": messages})


def signal(when: object) -> str:
    lines = [{"date": w, "sender": "a", "body": b} for w, b in ((when, "bad"), ("2024", "good"))]
    return "\n".join(map(json.dumps, lines))


def discord(when: object) -> str:
    messages = [{"id": i, "timestamp": w, "content": c} for i, w, c in (
        ("1", when, "bad"), ("2", "2024-01-01T00:00:00Z", "good"))]  # fmt: skip
    return json.dumps({"guild": {}, "channel": {}, "messages": messages})


def messenger(when: object) -> str:
    messages = [{"sender_name": "a", "timestamp_ms": w, "content": c} for w, c in (
        (when, "bad"), (1700000000000, "good"))]  # fmt: skip
    return json.dumps({"participants": [{"name": "a"}], "messages": messages})


def sms(when: object) -> str:
    records = [f'<sms address="1" date="{w}" type="1" body="{b}"/>' for w, b in (
        (when, "bad"), (1700000000000, "good"))]  # fmt: skip
    return f"<smses>{''.join(records)}</smses>"


def mattermost(when: object) -> str:
    posts = [{"team": "t", "channel": "c", "user": "u", "message": m, "create_at": w} for w, m in (
        (when, "bad"), (1700000000000, "good"))]  # fmt: skip
    lines = [{"type": "version", "version": 1}, *({"type": "post", "post": p} for p in posts)]
    return "\n".join(map(json.dumps, lines))


def evernote(when: object) -> str:
    notes = [f"<note><title>{t}</title><created>{w}</created></note>" for w, t in (
        (when, "bad"), ("20240101T000000Z", "good"))]  # fmt: skip
    return f"<en-export>{''.join(notes)}</en-export>"


def dialogue(when: object) -> str:
    lines = [{"role": "user", "content": c, "timestamp": w} for w, c in (
        (when, "bad"), (1700000000, "good"))]  # fmt: skip
    return "\n".join(map(json.dumps, lines))


def chatgpt(when: object) -> str:
    def node(parent: str | None, text: str, time: object) -> dict[str, object]:
        said = {"author": {"role": "user"}, "content": {"parts": [text]}, "create_time": time}
        return {"parent": parent, "children": [], "message": said}

    mapping = {"a": node(None, "bad", when), "b": node("a", "good", 1700000000)}
    return json.dumps([{"create_time": when, "current_node": "b", "mapping": mapping}])


def claude(when: object) -> str:
    turns = [{"sender": "human", "text": t, "created_at": w} for t, w in (
        ("bad", when), ("good", "2024-01-01T00:00:00Z"))]  # fmt: skip
    return json.dumps([{"uuid": "1", "chat_messages": turns}])


def jsonl(when: object) -> str:
    lines = [{"kind": "note", "text": "bad", "timestamp": when}, {"kind": "note", "text": "good"}]
    return "\n".join(map(json.dumps, lines))


def icalendar(when: object) -> str:
    stamp = "".join(c for c in str(when)[:19] if c.isalnum())
    zone = (
        "BEGIN:VTIMEZONE\r\nTZID:Own\r\nBEGIN:STANDARD\r\nTZOFFSETTO:-1200\r\n"
        "DTSTART:19701231T000000\r\nRRULE:FREQ=YEARLY;BYMONTH=12;BYDAY=-1SU\r\nEND:STANDARD\r\n"
        "BEGIN:DAYLIGHT\r\nTZOFFSETTO:+1400\r\nDTSTART:19700101T000000\r\n"
        "RRULE:FREQ=YEARLY;BYMONTH=\u00b2;BYDAY=1SU\r\nEND:DAYLIGHT\r\nEND:VTIMEZONE\r\n"
    )
    events = [
        f"BEGIN:VEVENT\r\nSUMMARY:{text}\r\nDTSTART;TZID=Own:{time}\r\nDTEND:{time}Z\r\nEND:VEVENT\r\n"
        for text, time in (("bad", stamp), ("good", "20240101T000000"))
    ]
    return f"BEGIN:VCALENDAR\r\n{zone}{''.join(events)}END:VCALENDAR\r\n"


def vcard(when: object) -> str:
    cards = [f"BEGIN:VCARD\r\nFN:{n}\r\nREV:{w}\r\nEND:VCARD\r\n" for n, w in (
        ("bad", when), ("good", "2024-01-01T00:00:00Z"))]  # fmt: skip
    return "".join(cards)


def mbox(when: object) -> str:
    head = "From a@b Mon Jul 14 21:22:00 2023\nFrom: a@x\nMessage-ID: <{0}@x>\nSubject: {0}\n"
    return f"{head.format('bad')}Date: {when}\n\nx\n\n{head.format('good')}\nx\n"


FILES: dict[str, tuple[str, Callable[[object], str]]] = {
    "telegram": ("result.json", telegram),
    "signal": ("data.json", signal),
    "discord": ("a.json", discord),
    "messenger": ("message_1.json", messenger),
    "sms": ("a.xml", sms),
    "mattermost": ("a.jsonl", mattermost),
    "evernote": ("a.enex", evernote),
    "dialogue": ("a.jsonl", dialogue),
    "chatgpt": ("conversations.json", chatgpt),
    "claude": ("conversations.json", claude),
    "jsonl": ("a.jsonl", jsonl),
    "icalendar": ("a.ics", icalendar),
    "vcard": ("a.vcf", vcard),
    "mail": ("a.mbox", mbox),
}


@pytest.mark.parametrize("importer", FILES)
@pytest.mark.parametrize("when", [*ISO, *NUMBERS], ids=repr)
def test_a_time_at_the_ends_of_the_calendar_costs_no_other_record(
    tmp_path: Path, importer: str, when: float | str
) -> None:
    name, make = FILES[importer]
    path = written(tmp_path, f"in/{name}", make(when))
    memories, skipped = read_anyway(_IMPORTERS[importer], met(path))
    assert any("good" in memory.text for memory in memories)
    notes = [each for each in skipped if each.reason.endswith("; the rest was read")]
    assert len(memories) + len(skipped) - len(notes) == 2
    for memory in memories:  # it can be shown anywhere
        assert memory.timestamp is None or memory.timestamp.astimezone(UTC)


def test_a_record_that_breaks_its_reader_is_skipped_by_name() -> None:
    def broken() -> str:
        raise ZeroDivisionError("with words of the record")

    assert read_record("a line 3", broken) == Skipped(
        "a line 3", "cannot be read (ZeroDivisionError)"
    )


def test_the_message_of_our_own_errors_is_kept() -> None:
    def faulty() -> str:
        raise InvalidDataError("kind: is missing")

    assert read_record("a line 3", faulty).reason == "kind: is missing"  # type: ignore[union-attr]


def test_a_full_disk_ends_the_run() -> None:
    def full() -> str:
        raise StorageFullError("no space left")

    with pytest.raises(StorageFullError):
        read_record("a line 3", full)
