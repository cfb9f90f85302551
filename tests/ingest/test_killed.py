"""Ingestion in a process that is killed, with the parts of benchmarks/killed.py."""

from __future__ import annotations

from pathlib import Path

from benchmarks.killed import run


def test_a_killed_ingestion_loses_nothing_and_ends_in_the_same_archive(tmp_path: Path) -> None:
    """It ends itself with a message if something is lost, or encoded again though it was stored."""
    outcome = run(tmp_path, rounds=2, count=25, seed=3)
    assert outcome.same
    assert outcome.again <= outcome.encoded / 2
