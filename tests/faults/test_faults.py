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
    "kill": 2,
    "points": 4,
    "kill-bench": 1,
    "kill-server": 1,
    "full": 1,
    "full-erase": 1,
    "full-server": 1,
    "read-only": 1,
    "vanishing": 1,
    "clock": 1,
    "model": 1,
    "encoder": 1,
    "postgres": 1,
    "caches": 1,
    "state": 1,
    "writers": 1,
}


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with new_world(small=True) as found:
        yield found


# They start many processes; what they broke is tried in the other files here and in those of their
# subjects. `make test-slow` tries them all, in more rounds.
SLOW = {"clock", "postgres", "encoder", "vanishing", "full-server", "kill-server", "caches"}


@pytest.mark.parametrize(
    "fault", [pytest.param(f, marks=pytest.mark.slow) if f in SLOW else f for f in FAULTS]
)
def test_promises_are_kept_under(fault: str, world: World) -> None:
    report = FAULTS[fault](world, ROUNDS[fault], random.Random(7))
    assert report.violations == []
    left_out = any(outcome.startswith("left out") for outcome in report.outcomes)
    assert left_out or (report.rounds == ROUNDS[fault] and report.checks > 0)
