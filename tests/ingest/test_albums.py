"""Photos in several folders, with what Google Takeout and iCloud write beside them."""

from __future__ import annotations

import json
import shutil
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from graphmemix.archive import Archive
from graphmemix.memory import Memory
from graphmemix.settings import Settings
from tests.ingest.camera import jpeg, read_photo
from tests.ingest.reading import written

SETTINGS = Settings.load(
    environment={}, overrides={"encoder.model": "hashing", "ingest.zone": "UTC"}
)
TAKEN = {"photoTakenTime": {"timestamp": "1689354000"}, "title": "a.jpg"}


def takeout(folder: Path) -> Path:
    """Write a photo into the folder of its year and two albums."""
    for name in ("Photos from 2023", "Rom 2023_", "Familie"):
        jpeg(folder / name / "a.jpg")
        written(folder / name, "a.jpg.json", json.dumps(TAKEN))
    album: dict[str, object] = {
        "title": "Rom: unsere Reise",
        "description": "",
        "access": "protected",
    }
    written(folder / "Rom 2023_", "Metadaten.json", json.dumps(album))
    album = {"title": "Familie", "description": "", "date": {"timestamp": "1"}}
    written(folder / "Familie", "\u30e1\u30bf\u30c7\u30fc\u30bf.json", json.dumps(album))
    return folder


def ingested(archive: Path, *runs: list[Path]) -> tuple[list[Memory], int]:
    """Return the memories after some runs, and how many the last one changed."""
    changed = 0
    for paths in runs:
        with Archive.open(archive, settings=SETTINGS) as opened:
            report = opened.ingest(paths, index=False)
            changed = report.new + report.updated
            memories = opened.find()
    return memories, changed


def test_a_photo_in_a_year_and_two_albums_is_one_memory_with_its_albums(tmp_path: Path) -> None:
    folder = takeout(tmp_path / "Takeout")
    [memory], _ = ingested(tmp_path / "archive", [folder])
    assert memory.metadata["album"] == "Familie"
    assert memory.metadata["albums"] == ["Familie", "Photos from 2023", "Rom: unsere Reise"]
    assert memory.session == "Familie"
    assert memory.timestamp == datetime(2023, 7, 14, 17, tzinfo=UTC)


def test_it_is_the_same_whatever_is_read_first_and_from_a_zip(tmp_path: Path) -> None:
    folder = takeout(tmp_path / "Takeout")
    expected, _ = ingested(tmp_path / "archive", [folder])
    parts = sorted(folder.iterdir())
    for number, order in enumerate((parts[::-1], [parts[1], parts[0], parts[2]])):
        apart = tmp_path / f"apart{number}"
        for part in order:  # each in a run of its own, below the same name
            shutil.copytree(part, apart / "Takeout" / part.name)
            again, _ = ingested(tmp_path / f"archive{number}", [apart / "Takeout"])
        assert [_facts(each) for each in again] == [_facts(each) for each in expected]
    with zipfile.ZipFile(tmp_path / "Takeout.zip", "w") as packed:
        for path in sorted(folder.rglob("*.j*"), reverse=True):
            packed.write(path, path.relative_to(folder))
    again, _ = ingested(tmp_path / "zipped", [tmp_path / "Takeout.zip"])
    assert [each.metadata["albums"] for each in again] == [expected[0].metadata["albums"]]
    assert [each.id for each in again] == [expected[0].id]


def _facts(memory: Memory) -> tuple[object, ...]:
    return memory.id, memory.session, memory.source_id, memory.timestamp, memory.metadata


def test_a_second_run_changes_nothing(tmp_path: Path) -> None:
    folder = takeout(tmp_path / "Takeout")
    _, changed = ingested(tmp_path / "archive", [folder], [folder])
    assert changed == 0


def test_the_file_of_an_album_is_no_file_of_its_own(tmp_path: Path) -> None:
    folder = takeout(tmp_path / "Takeout")
    with Archive.open(tmp_path / "archive", settings=SETTINGS) as opened:
        assert opened.ingest([folder], index=False).skipped == ()


@pytest.mark.parametrize(
    "date", ["Friday July 14,2023 5:00 PM GMT", "Friday July 14, 2023 5:00\u202fPM GMT"]
)
def test_the_dates_of_icloud_are_in_its_list(tmp_path: Path, date: str) -> None:
    folder = tmp_path / "Photos"
    jpeg(folder / "IMG_0001.JPG")
    head = "imgName,fileChecksum,favorite,hidden,deleted,originalCreationDate,viewCount,importDate"
    row = f'IMG_0001.JPG,AbC=,yes,no,no,"{date}",10,"{date}"'
    written(folder, "Photo Details.csv", f"{head}\n{row}\n")
    memory = read_photo(folder / "IMG_0001.JPG", zone=UTC)
    assert memory.timestamp == datetime(2023, 7, 14, 17, tzinfo=UTC)
    assert (memory.metadata["time_source"], memory.metadata["favorite"]) == ("icloud", True)
