"""One moment in many sources: they sort together once the zone is set."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.ingest.blind import mails, pictures
from tests.ingest.blind.gold import memories, utc

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("zone", "clock"),
    [("Europe/Vienna", "12:00"), ("America/New_York", "06:00"), ("Asia/Kolkata", "15:30")],
)
def test_one_moment(tmp_path: Path, zone: str, clock: str) -> None:
    home = tmp_path / "files"
    home.mkdir()
    mail = mails.letter(1, "Now", "Mail.\n", date="Wed, 10 Jul 2024 12:00:30 +0200")
    (home / "now.eml").write_bytes(mail.as_bytes())
    pictures.picture(home / "now.jpg", block=pictures.exif(taken=f"2024:07:10 {clock}:20"))
    (home / "WhatsApp Chat with Jana.txt").write_text(
        f"10/07/2024, {clock} - Jana: Chat.\n10/07/2024, {clock} - Tom: Chat too.\n"
    )
    (home / "now.ics").write_text(
        "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:x\nBEGIN:VEVENT\nUID:n@x\nSUMMARY:Now\n"
        f"DTSTART:20240710T{clock.replace(':', '')}00\nEND:VEVENT\nEND:VCALENDAR\n"
    )
    pictures.video(home / "now.mp4", {"creation_time": "2024-07-10T10:00:10.000000Z"})
    found = memories(home, home=tmp_path, zone=zone)
    assert [(m.kind, utc(m)) for m in found if m.kind not in {"event", "message"}] == [
        ("video", "2024-07-10T10:00:10Z"),
        ("photo", "2024-07-10T10:00:20Z"),
        ("email", "2024-07-10T10:00:30Z"),
    ]
    assert {utc(m) for m in found if m.kind in {"event", "message"}} == {"2024-07-10T10:00:00Z"}
    assert len(found) == 6
