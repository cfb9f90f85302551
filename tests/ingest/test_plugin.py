"""Importers join by name: those of this package, and the one that the documentation shows."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from graphmemix.archive import Archive
from graphmemix.encode.hashing import HashingEncoder
from graphmemix.errors import InvalidInputError
from graphmemix.ingest import builtin
from graphmemix.ingest.protocol import Found, Skipped
from graphmemix.settings import Settings

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "how-to" / "importer.md"


def install(site: Path, module: str, code: str, entry: str) -> None:
    """Put a package where Python finds it, with the metadata that an installer would write."""
    (site / f"{module}.py").write_text(code, "utf-8")
    info = site / f"{module}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[graphmemix.importers]\n{entry}\n")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    yield folder
    sys.modules.pop("my_diary", None)
    sys.modules.pop("odd", None)


def documented() -> str:
    blocks: list[str] = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    [code] = [block for block in blocks if "class Diary" in block]
    return code


@pytest.mark.parametrize("name", list(builtin.BUILT_IN))
def test_every_importer_of_this_package_is_there_under_its_name(name: str, tmp_path: Path) -> None:
    made = builtin.importer(name)
    assert made.name == name
    (tmp_path / "x").write_bytes(b"\0\1\2")
    assert not made.recognises(Found(tmp_path / "x", "x", b"\0\1\2"))
    assert not made.recognises(Found(tmp_path, "folder", is_folder=True))


def test_the_documentation_names_every_importer() -> None:
    listed = re.findall(r"^\| (`.*?) \|", (DOCS / "importers.md").read_text("utf-8"), re.MULTILINE)
    named = [name for cell in listed for name in re.findall(r"`([a-z]+)`", cell)]
    assert sorted(named) == sorted(builtin.BUILT_IN)


def test_the_documented_importer_reads_its_files_once_it_is_installed(
    site: Path, tmp_path: Path
) -> None:
    diary = tmp_path / "mine.txt"
    diary.write_text("DIARY 1\n2024-05-17T21:00:00+02:00\tMia lost a tooth.\nno date\tx\n", "utf-8")
    assert "diary" not in builtin.names()
    with Archive.open(tmp_path / "a", encoder=HashingEncoder(), settings=Settings()) as archive:
        assert archive.ingest([diary], dry_run=True).sources[0].importer == "text"
        install(site, "my_diary", documented(), "diary = my_diary:Diary")
        sys.path.insert(0, str(tmp_path))  # importers are listed anew for a new import path
        try:
            assert builtin.names()[0] == "diary"
            report = archive.ingest([diary])
        finally:
            sys.path.remove(str(tmp_path))
        [memory] = archive.find()
    assert report.sources[0].importer == "diary"
    assert report.skipped == (Skipped("mine.txt line 3", "has no date with a zone"),)
    assert (memory.text, memory.source) == ("Mia lost a tooth.", "diary")
    assert memory.timestamp == datetime.fromisoformat("2024-05-17T21:00:00+02:00")


def test_a_package_that_offers_something_else_is_named(site: Path) -> None:
    install(site, "odd", "class Odd:\n    pass\n", "odd = odd:Odd")
    with pytest.raises(InvalidInputError, match="importer 'odd' lacks name and recognises"):
        builtin.importers()


def test_an_unknown_name_is_reported_with_the_known_ones() -> None:
    with pytest.raises(
        InvalidInputError, match=r"unknown importer; choose one of .*mail.*whatsapp"
    ):
        builtin.importer("nonsense")
