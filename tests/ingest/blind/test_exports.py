"""Exports of phones, networks, notes and tracks, and books: all in one folder, and in a zip."""

from __future__ import annotations

import shutil
from pathlib import Path

from graphmemix.archive import Archive
from graphmemix.ingest.builtin import built_in
from tests.ingest.blind.mutations import write_exports
from tests.ingest.reading import met


def test_each_export_is_claimed_by_its_own_importer_first(tmp_path: Path) -> None:
    for name, paths in write_exports(tmp_path / "in").items():
        for path in paths:
            claims = [each.name for each in built_in() if each.recognises(met(path))]
            assert claims[:1] == [name], (path.name, claims)


def test_nothing_is_read_as_something_else_or_twice(tmp_path: Path) -> None:
    exports = write_exports(tmp_path / "in")
    packed = shutil.make_archive(str(tmp_path / "exports"), "zip", tmp_path / "in")
    with Archive.open(tmp_path / "a") as archive:
        report = archive.ingest([tmp_path / "in"], index=False)
        assert {count.importer for count in report.sources if count.new} == set(exports)
        assert {memory.source for memory in archive.find(limit=1000)} == {*exports, "mail"} - {
            "outlook"  # its memories are mails
        }
        again = archive.ingest([tmp_path / "in"], index=False, again=True)
        assert (again.new, again.updated) == (0, 0)
        unpacked = archive.ingest([Path(packed)], index=False)
        assert (unpacked.new, unpacked.updated) == (0, 0)
