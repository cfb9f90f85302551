"""What is left when the process that writes is killed; benchmarks/crash.py tells how."""

from __future__ import annotations

import pytest

from tests.store.conftest import Postgres
from tests.store.processes import crash


def test_kill_loses_nothing_and_leaves_nothing_half_done() -> None:
    report = crash.run(50, seed=1)
    assert report.violations == []
    assert report.rounds == 50
    assert report.acknowledged["add"] > 0
    assert report.memories_compared > 0


@pytest.mark.slow
def test_kill_of_a_client_loses_nothing_on_the_server(postgres: Postgres) -> None:
    report = crash.run(10, seed=1, store="postgres", server=postgres.new_database().url)
    assert report.violations == []
    assert report.rounds == 10
    assert report.acknowledged["add"] > 0
