"""Damaged files of every kind: each has an outcome in words, and no importer breaks."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from graphmemix.archive import Archive
from graphmemix.settings import Settings
from tests.ingest.blind.gold import ENCODER
from tests.ingest.blind.mutations import damaged, write_all

if TYPE_CHECKING:
    from pathlib import Path

    from graphmemix.ingest.report import FileOutcome

_ROUNDS = 3


def test_damaged_files(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    whole = {path: path.read_bytes() for path in write_all(folder)}
    settings = Settings.load(environment={}, overrides={"ingest.zone": "Europe/Vienna"})
    broken: list[FileOutcome] = []

    def told(outcome: FileOutcome) -> None:
        if "failed: " in outcome.reason:  # an importer met what it did not expect
            broken.append(outcome)

    with Archive.open(tmp_path / "archive", encoder=ENCODER, settings=settings) as archive:
        assert archive.ingest([folder], index=False, on_file=told).new > 60
        for seed in range(_ROUNDS):
            chance = random.Random(seed)
            for path, data in whole.items():
                path.write_bytes(damaged(data, chance))
            report = archive.ingest([folder], index=False, on_file=told)
            broken += [skip for skip in report.skipped if "failed: " in skip.reason]  # type: ignore[misc]
        assert archive.index() > 0
    assert broken == []
