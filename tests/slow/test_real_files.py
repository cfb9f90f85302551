"""Real files of other programs, in the folder that ``REAL_FILES`` names.

Nothing may crash, vanish or differ from one run to the next, and what other readers find in mails,
pictures and PDF files must be found here. ``exiftool`` and ``pdftotext`` are asked if they are
installed. `REAL_FILES=~/samples make test-slow`
"""

from __future__ import annotations

import email
import email.policy
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from datetime import datetime
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from graphmemix.archive import Archive
from graphmemix.errors import ImportSourceError
from graphmemix.ingest.builtin import built_in
from graphmemix.ingest.recognition import recognise
from graphmemix.ingest.report import IngestReport
from graphmemix.memory import Memory
from graphmemix.settings import Settings
from tests.ingest.reading import met, read_anyway

FOLDER = Path(os.environ.get("REAL_FILES", ""))
SETTINGS = Settings.load(
    environment={}, overrides={"encoder.model": "hashing", "ingest.zone": "Europe/Vienna"}
)
VIENNA = ZoneInfo("Europe/Vienna")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not os.environ.get("REAL_FILES"), reason="REAL_FILES is not set"),
]


def files(*suffixes: str) -> list[Path]:
    found = (path for path in sorted(FOLDER.rglob("*")) if path.is_file())
    return [path for path in found if not suffixes or path.suffix.lower() in suffixes]


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The files in a folder of their own, beside which importers may keep media."""
    return Path(shutil.copytree(FOLDER, tmp_path / "in" / "files"))


def ingested(archive: Path, *runs: list[Path]) -> tuple[dict[str, Memory], list[IngestReport]]:
    with Archive.open(archive, settings=SETTINGS) as opened:
        reports = [opened.ingest(paths, index=False) for paths in runs]
        return {memory.id: memory for memory in opened.find()}, reports


def test_every_file_is_read_or_named_and_nothing_is_printed(copied: Path, tmp_path: Path) -> None:
    options = ["--later", "--json", "--zone", "Europe/Vienna"]
    done = subprocess.run(
        [sys.executable, "-m", "graphmemix", "ingest", tmp_path / "a", copied, *options],
        capture_output=True,
        text=True,
        check=False,
    )
    progress = re.compile(r"(?:finding|reading|encoding): .*")  # on a slow machine
    assert [line for line in done.stderr.splitlines() if not progress.fullmatch(line)] == []
    assert done.returncode == 0
    report = IngestReport.from_json(done.stdout)
    crashed = [each for each in report.skipped if "failed:" in each.reason]
    assert crashed == []
    named = {each.name.split(" entry ")[0].split(",")[0] for each in report.skipped}
    read = sum(count.files + count.failed for count in report.sources)
    not_read = {name for name in named if (copied / name).is_file()}
    assert read + len(not_read) >= len(files())


def test_twice_in_two_orders_and_from_a_zip_it_is_one_archive(copied: Path, tmp_path: Path) -> None:
    expected, (_, again) = ingested(tmp_path / "a", [copied], [copied])
    assert (again.new, again.updated) == (0, 0)
    folders = sorted(path for path in copied.iterdir() if path.is_dir())
    apart, _ = ingested(tmp_path / "b", *([path] for path in folders))
    backwards, _ = ingested(tmp_path / "c", *([path] for path in reversed(folders)))
    assert backwards == apart
    packed = shutil.make_archive(str(tmp_path / "files"), "zip", copied)
    assert ingested(tmp_path / "d", [Path(packed)])[0] == expected


# Other readers


@cache
def importer_of(path: Path) -> str:
    number, _ = recognise(built_in(VIENNA), path, path.name, forced=False)
    return built_in(VIENNA)[number].name if isinstance(number, int) else ""


def memories_of(path: Path) -> list[Memory]:
    number, _ = recognise(built_in(VIENNA), path, path.name, forced=False)
    if not isinstance(number, int):
        return []
    try:
        return read_anyway(built_in(VIENNA)[number], met(path))[0]
    except ImportSourceError:
        return []


def words_of(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text.lower()))


def test_mails_have_what_the_standard_library_finds(copied: Path) -> None:
    differing: list[tuple[object, ...]] = []
    for path in (each for each in sorted(copied.rglob("*")) if each.is_file()):
        if importer_of(path) != "mail" or path.read_bytes().startswith(b"From "):
            continue
        parsed = email.message_from_bytes(path.read_bytes(), policy=email.policy.compat32)
        [mail, *_] = memories_of(path)
        sent = email.utils.parsedate_to_datetime(parsed["date"]) if parsed["date"] else None
        if sent is not None and sent.year > 1970 and mail.timestamp != sent:
            is_naive = sent.tzinfo is None and mail.timestamp is not None
            if not is_naive or mail.timestamp.replace(tzinfo=None) != sent:  # type: ignore[union-attr]
                differing.append((path.name, "date", mail.timestamp, sent))
        if (found := (parsed["message-id"] or "").strip()) and mail.source_id != found:
            differing.append((path.name, "id", mail.source_id, found))
        files_of = sum(bool(part.get_filename()) for part in parsed.walk())
        attached = mail.metadata.get("attachments", [])
        assert isinstance(attached, list)
        if files_of > len(attached) + len(mail.media):
            differing.append((path.name, "attachments", len(attached), files_of))
    assert differing == []


@pytest.mark.skipif(shutil.which("exiftool") is None, reason="exiftool is not installed")
def test_pictures_have_what_exiftool_finds(copied: Path) -> None:
    said = subprocess.run(
        ["exiftool", "-json", "-r", "-n", "-EXIF:all", "-Composite:GPSPosition", copied],
        capture_output=True,
        check=False,
    )
    differing: list[tuple[object, ...]] = []
    for tags in json.loads(said.stdout or "[]"):
        path = Path(tags["SourceFile"])
        memories = memories_of(path) if importer_of(path) == "photos" else []
        for photo in memories:
            taken = str(tags.get("DateTimeOriginal", ""))
            if re.fullmatch(r"(?:19|20)\d\d:\d\d:\d\d \d\d:\d\d:\d\d", taken):
                clock = datetime.strptime(taken, "%Y:%m:%d %H:%M:%S")  # noqa: DTZ007
                shown = photo.timestamp and photo.timestamp.replace(tzinfo=None, microsecond=0)
                if shown != clock and "notes" not in photo.metadata:
                    differing.append((path.name, shown, taken))
            if position := str(tags.get("GPSPosition", "")):
                where = photo.place and (photo.place.latitude, photo.place.longitude)
                expected = tuple(float(each) for each in position.split())
                near = where and all(
                    each is not None and abs(each - other) < 1e-4
                    for each, other in zip(where, expected, strict=True)
                )
                if not near and expected != (0.0, 0.0):
                    differing.append((path.name, where, position))
    assert differing == []


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="pdftotext is not installed")
def test_pdf_files_have_the_words_that_poppler_finds(copied: Path) -> None:
    poor = []
    for path in sorted(copied.rglob("*.pdf")):
        said = subprocess.run(["pdftotext", path, "-"], capture_output=True, check=False)
        there = words_of(said.stdout.decode("utf-8", "replace"))
        mine = words_of(" ".join(memory.text for memory in memories_of(path)))
        share = (there & mine).total() / max(1, there.total())
        if there.total() > 20 and share < 0.9:
            poor.append((path.name, round(share, 2)))
    assert poor == []
