"""The same files give the same archive: twice, in another order, and from a zip."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest

from graphmemix.archive import Archive
from graphmemix.settings import Settings
from tests.ingest.blind.odd import write_odd

SETTINGS = Settings.load(
    environment={}, overrides={"encoder.model": "hashing", "ingest.zone": "Europe/Vienna"}
)
NOON = 1_700_049_600  # a file's time in a zip has no zone and two seconds of precision


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files") / "odd"
    write_odd(folder)
    (folder / "note.txt").write_text("The spare key is with Olga.")
    for path in folder.iterdir():
        os.utime(path, (NOON, NOON))
    return folder


def archived(archive: Path, *runs: list[Path]) -> list[tuple[object, ...]]:
    """Return what an archive holds after some runs, without the names of files."""
    with Archive.open(archive, settings=SETTINGS) as opened:
        for paths in runs:
            opened.ingest(paths, index=False)
        return sorted(
            (
                memory.id,
                memory.kind,
                memory.text,
                str(memory.timestamp),
                memory.session,
                memory.speaker,
                str(sorted(memory.metadata.items())),
                str([medium.sha256 for medium in memory.media]),
            )
            for memory in opened.find()
        )


def test_a_second_run_changes_nothing(odd: Path, tmp_path: Path) -> None:
    first = archived(tmp_path / "archive", [odd])
    assert len(first) > 12
    with Archive.open(tmp_path / "archive", settings=SETTINGS) as opened:
        report = opened.ingest([odd], index=False)
        again = opened.ingest([odd], index=False, again=True)
    assert (report.new, report.updated, again.new, again.updated) == (0, 0, 0, 0)
    assert archived(tmp_path / "archive") == first


def test_the_order_of_files_does_not_matter(odd: Path, tmp_path: Path) -> None:
    beside = {"Photo Details.csv", "Metadaten.json"}  # read with the photos
    paths = sorted((path for path in odd.iterdir() if path.name not in beside), reverse=True)
    apart = archived(tmp_path / "apart", paths[:4], paths[4:])
    assert apart == archived(tmp_path / "together", [odd])


def test_a_zip_is_a_folder(odd: Path, tmp_path: Path) -> None:
    packed = tmp_path / "odd.zip"
    with zipfile.ZipFile(packed, "w") as made:
        for path in sorted(odd.iterdir(), reverse=True):
            made.write(path, path.name)
    unpacked = archived(tmp_path / "unpacked", [odd])
    assert archived(tmp_path / "zipped", [packed]) == unpacked
