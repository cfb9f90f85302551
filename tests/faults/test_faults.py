"""A few rounds of each fault; benchmarks/faults has more, and docs/reliability.md the figures."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2]))  # benchmarks/ is no part of the package

from benchmarks.faults import FAULTS, World, new_world

# What a round of each costs decides how many there are; all together take half a minute of CPU.
ROUNDS = {
    "kill": 3,
    "kill-bench": 1,
    "kill-server": 1,
    "full": 2,
    "full-server": 1,
    "read-only": 2,
    "vanishing": 1,
    "clock": 1,
    "model": 1,
    "encoder": 1,
    "postgres": 1,
    "caches": 2,
    "state": 2,
    "writers": 1,
}


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with new_world(small=True) as found:
        yield found


@pytest.mark.parametrize("fault", FAULTS)
def test_promises_are_kept_under(fault: str, world: World) -> None:
    report = FAULTS[fault](world, ROUNDS[fault], random.Random(7))
    assert report.violations == []
    left_out = any(outcome.startswith("left out") for outcome in report.outcomes)
    assert left_out or (report.rounds == ROUNDS[fault] and report.checks > 0)
