"""Files of every importer give the same archive: on another day, in another order, from a zip."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import piexif
import pytest

from graphmemix.archive import Archive
from graphmemix.ingest.builtin import BUILT_IN
from graphmemix.settings import Settings
from tests.ingest.blind.mutations import write_all
from tests.ingest.camera import jpeg

NOON = 1_700_049_600  # a file's time in a zip has no zone and two seconds of precision
OVERRIDES = {"encoder.model": "hashing", "ingest.zone": "Europe/Vienna"}
SETTINGS = Settings.load(environment={}, overrides=OVERRIDES)

# Python runs this at the start of each process, so the workers that read files have it too.
CLOCK = """
import copyreg, datetime, time

_later = datetime.timedelta(days={days})
_moment, _day, _time = datetime.datetime, datetime.date, time.time

class kind_of_moment(type):
    def __instancecheck__(cls, value):
        return isinstance(value, _moment)

class kind_of_day(type):
    def __instancecheck__(cls, value):
        return isinstance(value, _day)

class moment_later(_moment, metaclass=kind_of_moment):
    @classmethod
    def now(cls, tz=None):
        return _moment.now(tz) + _later

    @classmethod
    def today(cls):
        return _moment.now() + _later

class day_later(_day, metaclass=kind_of_day):
    @classmethod
    def today(cls):
        return (_moment.now() + _later).date()

def moment_of(text):
    return _moment.fromisoformat(text)

def day_of(text):
    return _day.fromisoformat(text)

for kind in (_moment, moment_later):  # pickle would look for them by their names
    copyreg.pickle(kind, lambda value: (moment_of, (value.isoformat(),)))
for kind in (_day, day_later):
    copyreg.pickle(kind, lambda value: (day_of, (value.isoformat(),)))
datetime.datetime, datetime.date = moment_later, day_later
time.time = lambda: _time() + _later.total_seconds()
"""


@pytest.fixture(scope="module")
def every(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of every importer, in two folders."""
    home = tmp_path_factory.mktemp("every")
    write_all(home / "all")
    for number, path in enumerate(sorted((home / "all").iterdir())):
        half = home / "in" / ("one", "two")[number % 2]
        half.mkdir(parents=True, exist_ok=True)
        shutil.move(path, half / path.name)
    for path in (home / "in").rglob("*"):
        os.utime(path, (NOON, NOON))
    return home / "in"


@pytest.fixture(scope="module")
def expected(every: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    archive = tmp_path_factory.mktemp("expected") / "archive"
    return ingested(archive, [every / "one", every / "two"])


def ingested(archive: Path, *runs: list[Path]) -> dict[str, object]:
    with Archive.open(archive, settings=SETTINGS) as opened:
        for paths in runs:
            opened.ingest(paths)
    return held(archive)


def held(archive: Path) -> dict[str, object]:
    """Return all memories and relations of an archive."""
    with Archive.open(archive, mode="read", settings=SETTINGS) as opened:
        memories = list(opened.find())
        edges = opened.store.edges([memory.id for memory in memories])
    found: dict[str, object] = {memory.id: json.loads(memory.to_json()) for memory in memories}
    kept = sorted((e.source, e.target, e.relation, round(e.confidence, 6)) for e in set(edges))
    return {**found, "relations": kept}


def by_clock(days: int, zone: str, home: Path, archive: Path, *paths: Path) -> None:
    """Ingest by a clock that is some days ahead, on a machine in another zone."""
    (home / "sitecustomize.py").write_text(CLOCK.format(days=days))
    settings = [f"--set={key}={value}" for key, value in OVERRIDES.items()]
    done = subprocess.run(
        [sys.executable, "-m", "graphmemix", "ingest", archive, *paths, *settings],
        env={**os.environ, "PYTHONPATH": str(home), "TZ": zone},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_every_importer_has_files_here(expected: dict[str, object]) -> None:
    sources = {str(each["source"]) for each in expected.values() if isinstance(each, dict)}
    # The memories of Outlook are mails, and those of our own format state their source.
    assert sources == {*BUILT_IN, ""} - {"outlook", "jsonl"}
    assert len(expected["relations"]) > 100  # type: ignore[arg-type]


def test_on_another_day_on_another_machine_and_again(
    every: Path, expected: dict[str, object], tmp_path: Path
) -> None:
    archive, both = tmp_path / "archive", (every / "one", every / "two")
    by_clock(4000, "Pacific/Auckland", tmp_path, archive, *both)
    assert held(archive) == expected
    by_clock(4900, "Asia/Tokyo", tmp_path, archive, *both, Path("--again"))
    assert held(archive) == expected


def test_in_another_order_and_in_two_runs(
    every: Path, expected: dict[str, object], tmp_path: Path
) -> None:
    assert ingested(tmp_path / "archive", [every / "two"], [every / "one"]) == expected


def test_from_zips(every: Path, expected: dict[str, object], tmp_path: Path) -> None:
    packed = [
        Path(shutil.make_archive(str(tmp_path / half), "zip", every / half))
        for half in ("one", "two")
    ]
    assert ingested(tmp_path / "archive", packed) == expected


def test_only_a_picture_from_the_future_depends_on_the_day(tmp_path: Path) -> None:
    """A camera with a wrong clock: it shows that the clock of the workers is ahead here, too."""
    (tmp_path / "in").mkdir()
    year = datetime.now(UTC).year + 5
    taken = {piexif.ExifIFD.DateTimeOriginal: f"{year}:04:30 13:22:12"}
    jpeg(tmp_path / "in" / "a.jpg", exif=taken)
    [today, _] = ingested(tmp_path / "now", [tmp_path / "in"]).values()
    by_clock(4000, "Europe/Vienna", tmp_path, tmp_path / "later", tmp_path / "in")
    [later, _] = held(tmp_path / "later").values()
    assert isinstance(today, dict)
    assert isinstance(later, dict)
    assert (today["id"], today["timestamp"]) == (later["id"], None)
    assert today["metadata"]["notes"] == ["EXIF time ignored: lies in the future"]
    assert later["timestamp"] == f"{year}-04-30T13:22:12+02:00"
