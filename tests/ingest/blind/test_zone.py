"""The zone of clocks that tell none: as a setting, as an option, and when it changes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from graphmemix.archive import Archive
from graphmemix.cli.root import app
from graphmemix.errors import SettingsError
from graphmemix.settings import Settings
from tests.ingest.blind import mails, pictures
from tests.ingest.blind.gold import ENCODER, memories, utc

if TYPE_CHECKING:
    from pathlib import Path

CHAT = "10/07/2024, 12:00 - Jana: Now.\n10/07/2024, 12:01 - Tom: Then.\n"


def test_a_zone_that_is_none_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"ingest\.zone"):
        Settings.load(environment={}, overrides={"ingest.zone": "Europe/Wien am Meer"})


def test_another_zone_moves_the_same_memories(tmp_path: Path) -> None:
    (tmp_path / "chat.txt").write_text(CHAT)
    first = memories(tmp_path / "chat.txt", home=tmp_path, zone="UTC")
    again = memories(tmp_path / "chat.txt", home=tmp_path, zone="Asia/Tokyo")
    assert [utc(m) for m in first] == ["2024-07-10T12:00:00Z", "2024-07-10T12:01:00Z"]
    assert [utc(m) for m in again] == ["2024-07-10T03:00:00Z", "2024-07-10T03:01:00Z"]
    assert [m.id for m in first] == [m.id for m in again]


def test_a_photo_in_a_mail_is_read_in_the_zone_too(tmp_path: Path) -> None:
    photo = pictures.picture(
        tmp_path / "a.jpg", block=pictures.exif(taken="2024:07:10 12:00:00")
    ).read_bytes()
    mail = mails.letter(1, "Photo", "Here.\n", date="Thu, 11 Jul 2024 12:00:00 +0200")
    mail.add_attachment(photo, maintype="image", subtype="jpeg", filename="a.jpg")
    (tmp_path / "one.eml").write_bytes(mail.as_bytes())
    found = memories(tmp_path / "one.eml", home=tmp_path, zone="America/New_York")
    assert [(m.kind, utc(m)) for m in found] == [
        ("photo", "2024-07-10T16:00:00Z"),
        ("email", "2024-07-11T10:00:00Z"),
    ]


@pytest.mark.parametrize("dry", [True, False])
def test_option(tmp_path: Path, dry: bool) -> None:
    (tmp_path / "chat.txt").write_text(CHAT)
    place = [str(tmp_path / "archive"), str(tmp_path / "chat.txt"), "--json", "--no-index"]
    called = ["ingest", *place, "--zone", "Asia/Kolkata", "--set", "encoder.model=hashing"]
    result = CliRunner().invoke(app, [*called, *(["--dry-run"] if dry else [])])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["sources"][0]["new"] == 2
    if not dry:
        with Archive.open(tmp_path / "archive", mode="read", encoder=ENCODER) as archive:
            assert utc(archive.find()[0]) == "2024-07-10T06:30:00Z"
