"""Documents, calendars, contacts, notes and our own lines."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.ingest.blind import papers
from tests.ingest.blind.gold import at, ingested, memories, of_kind, offset, utc, words
from tests.ingest.blind.mails import png

if TYPE_CHECKING:
    from pathlib import Path

    from graphmemix.memory import Memory


def _all(found: list[Memory]) -> str:
    return words(" ".join(m.text for m in found))


def test_pdf(tmp_path: Path) -> None:
    report, found = ingested(papers.pdf(tmp_path / "ticket.pdf"), home=tmp_path)
    del report  # the empty page may be told
    first = next(m for m in found if "cabin 217" in m.text)
    last = next(m for m in found if "two bags" in m.text)
    assert first.id != last.id
    assert (first.kind, first.session) == ("document", last.session)
    assert (first.sequence or 0) < (last.sequence or 0)
    assert [r.relation for r in last.references] == ["same_document"]
    assert "Ferry ticket" in json.dumps([dict(m.metadata) for m in found]) + _all(found)


def test_docx(tmp_path: Path) -> None:
    found = memories(papers.word(tmp_path / "rules.docx", tmp_path), home=tmp_path)
    texts = [words(m.text) for m in found]
    quiet = next(t for t in texts if "No drilling after 20:00." in t)
    bins = next(t for t in texts if "See the table." in t)
    assert "Quiet hours" in quiet
    assert "Bins" in bins
    assert quiet != bins
    assert "Tuesday" in bins
    assert bins.index("Tuesday") < bins.index("Paper")
    assert len({m.session for m in found}) == 1


def test_pptx(tmp_path: Path) -> None:
    found = memories(papers.slides(tmp_path / "garden.pptx"), home=tmp_path)
    first = next(m for m in found if "Tomatoes by the wall" in m.text)
    second = next(m for m in found if "Soil 40 euros" in m.text)
    assert "Garden plan" in first.text
    assert "Ask about the hose." in first.text
    assert "Costs" in second.text
    assert (first.sequence or 0) < (second.sequence or 0)


def test_xlsx(tmp_path: Path) -> None:
    found = memories(papers.sheets(tmp_path / "budget.xlsx"), home=tmp_path)
    budget = next(m for m in found if "Insurance" in m.text)
    meters = next(m for m in found if "Water" in m.text)
    assert budget.id != meters.id
    assert "Budget" in budget.text
    assert "312.5" in budget.text
    assert "2024-04-01" in budget.text
    assert "Meters" in meters.text
    assert "1042" in meters.text


@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-1", "windows-1252"])
def test_html(tmp_path: Path, charset: str) -> None:
    (tmp_path / "a.html").write_bytes(papers.PAGE.format(charset=charset).encode(charset))
    text = _all(memories(tmp_path / "a.html", home=tmp_path))
    for wanted in ("Marillenknödel", "Für vier Personen – 30 Minuten.", "Grieß", "Rezept"):
        assert wanted in text.replace("*", "")
    for noise in ("margin", "alert", "<"):
        assert noise not in text


def test_markdown(tmp_path: Path) -> None:
    (tmp_path / "bike.md").write_text(papers.MARKDOWN)
    found = memories(tmp_path / "bike.md", home=tmp_path)
    text = _all(found)
    for wanted in ("Bought in Graz.", "New chain", "39 euros", "# not a heading"):
        assert wanted in text
    repairs = next(m for m in found if "New chain" in m.text)
    assert "Repairs" in repairs.text
    assert "not a heading" in repairs.text


@pytest.mark.parametrize(
    ("charset", "text"),
    [
        ("utf-8", "Grüße – 日本語"),
        ("utf-8-sig", "Grüße mit Zeichen vorne"),
        ("utf-16", "Grüße – 日本語"),
        ("utf-16-le", "Grüße aus dem Notizblock, lang genug"),
        ("cp1252", "Die Rechnung über 30 € – „bezahlt“"),
        ("cp1251", "Ключ лежит под ковриком у входной двери, как всегда."),
        ("koi8-r", "Ключ лежит под ковриком у входной двери, как всегда."),
        ("shift_jis", "鍵は隣の家にあります。明日の朝に取りに行ってください。"),
        ("gb18030", "钥匙在邻居家里，请明天早上去拿。谢谢你的帮助。"),
    ],
)
def test_text(tmp_path: Path, charset: str, text: str) -> None:
    (tmp_path / "note.txt").write_bytes(text.encode(charset))
    assert _all(memories(tmp_path / "note.txt", home=tmp_path)) == words(text)


def test_calendar(tmp_path: Path) -> None:
    found = memories(papers.calendar(tmp_path / "home.ics"), home=tmp_path)
    events = {m.source_id.split("@")[0]: m for m in of_kind(found, "event")}
    dentist = events["e1"]
    assert (utc(dentist), offset(dentist)) == ("2024-03-24T09:05:00Z", "+0900")
    for wanted in ("Dentist, Dr. Sato; bring card", "Second line:\nsee letter", "Shibuya 2-1"):
        assert wanted in dentist.text
    assert dentist.place is not None
    assert (dentist.place.latitude, dentist.place.longitude) == (35.658, 139.7016)
    assert dentist.place.name == "Shibuya 2-1"
    assert events["e2"].timestamp == at("2024-05-01T00:00:00+02:00")
    assert utc(events["e3"]) == "2024-03-24T17:05:00Z"
    assert utc(events["e4"]) == "2024-01-08T18:00:00Z"
    assert "week" in (events["e4"].text + json.dumps(dict(events["e4"].metadata))).lower()
    assert events["e5"].timestamp == at("2024-07-01T09:00:00+02:00")


def test_calendar_zone_of_outlook_and_zone_of_its_own(tmp_path: Path) -> None:
    text = (
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\n"
        "BEGIN:VTIMEZONE\r\nTZID:My Zone\r\nBEGIN:STANDARD\r\nDTSTART:19700101T000000\r\n"
        "TZOFFSETFROM:-0330\r\nTZOFFSETTO:-0330\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n"
        "BEGIN:VEVENT\r\nUID:a@x\r\nSUMMARY:Own\r\n"
        "DTSTART;TZID=My Zone:20240324T120000\r\nEND:VEVENT\r\n"
        "BEGIN:VEVENT\r\nUID:b@x\r\nSUMMARY:Office\r\n"
        "DTSTART;TZID=W. Europe Standard Time:20240724T120000\r\nEND:VEVENT\r\n"
        "BEGIN:VEVENT\r\nUID:c@x\r\nSUMMARY:Olson\r\n"
        "DTSTART;TZID=/mozilla.org/20050126_1/America/New_York:20240724T120000\r\nEND:VEVENT\r\n"
        "END:VCALENDAR\r\n"
    )
    (tmp_path / "o.ics").write_bytes(text.encode())
    found = memories(tmp_path / "o.ics", home=tmp_path, zone="Asia/Tokyo")
    assert {m.source_id.split("@")[0]: utc(m) for m in found} == {
        "a": "2024-03-24T15:30:00Z",
        "b": "2024-07-24T10:00:00Z",
        "c": "2024-07-24T16:00:00Z",
    }


def test_vcards(tmp_path: Path) -> None:
    (tmp_path / "people.vcf").write_bytes(
        (papers.VCARD_21 + papers.vcard30() + papers.VCARD_40).encode()
    )
    found = memories(tmp_path / "people.vcf", home=tmp_path)
    assert {m.kind for m in found} == {"contact"}
    assert len(found) == 3
    joerg = next(m for m in found if "Jörg Müller" in m.text)
    for wanted in ("+43 664 1112223", "+43 1 9998887", "joerg@mueller.example"):
        assert wanted in joerg.text
    assert "Has the spare key" in joerg.text
    ines = next(m for m in found if "Inês Prado" in m.text)
    for wanted in ("ines@prado.example", "+55 21 555", "Sugar Loaf Tours", "1984-02-29"):
        assert wanted in ines.text
    mai = next(m for m in found if "Mai Nguyen" in m.text)
    for wanted in ("+84-90-123", "mai@clinic.example", "Clinic, North", "12 Lotus, Street"):
        assert wanted in mai.text
    assert (
        "First line\nand a line that is long enough to be folded over two lines of the file"
        in mai.text
    )


def test_vcard_in_latin_1(tmp_path: Path) -> None:
    text = (
        "BEGIN:VCARD\r\nVERSION:2.1\r\nN;CHARSET=ISO-8859-1:Müller;Jörg\r\n"
        "FN;CHARSET=ISO-8859-1:Jörg Müller\r\nEND:VCARD\r\n"
    )
    (tmp_path / "old.vcf").write_bytes(text.encode("latin-1"))
    (card,) = memories(tmp_path / "old.vcf", home=tmp_path)
    assert "Jörg Müller" in card.text


def test_our_own_lines(tmp_path: Path) -> None:
    (tmp_path / "pics").mkdir()
    (tmp_path / "pics" / "lake.png").write_bytes(png())
    lines = [
        {"kind": "note", "text": "Key", "timestamp": "2024-03-02T18:30:00+01:00"},
        {
            "kind": "message",
            "text": "At the lake",
            "speaker": "Vera",
            "session": "trip",
            "sequence": 4,
            "source_id": "m4",
            "media": [{"modality": "image", "path": "pics/lake.png"}],
            "references": [{"relation": "reply_to", "source_id": "m3"}],
            "place": {"name": "Hallstatt", "latitude": 47.562, "longitude": 13.649},
        },
        {"kind": "note", "text": "No zone", "timestamp": "2024-03-02T18:30:00"},
        {"kind": "poem", "text": "Wrong kind"},
        {"kind": "note", "text": "Outside", "media": [{"modality": "image", "path": "../x.png"}]},
    ]
    path = tmp_path / "my.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    report, found = ingested(path, home=tmp_path)
    assert sorted(m.text for m in found) == ["At the lake", "Key", "Outside"]
    assert report.skipped_count == 3  # two lines, and a picture that must not be looked for
    assert [m.media[0].sha256 for m in found if m.text == "Outside"] == [None]
    lake = next(m for m in found if m.text == "At the lake")
    assert lake.place is not None
    assert (lake.speaker, lake.sequence, lake.place.name) == ("Vera", 4, "Hallstatt")
    assert lake.media[0].sha256 is not None
    key = next(m for m in found if m.text == "Key")
    assert (utc(key), offset(key)) == ("2024-03-02T17:30:00Z", "+0100")
