from __future__ import annotations

import pytest

from graphmemix.cli.ingest_progress import StageRate
from graphmemix.cli.output import duration


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.04, "0.0 s"), (9.6, "9.6 s"), (59.4, "59 s"), (59.6, "1 min 0 s"), (754, "12 min")],
)
def test_a_time_is_as_exact_as_it_matters(seconds: float, said: str) -> None:
    assert duration(seconds) == said


def test_the_time_left_is_unknown_at_first_and_without_a_total() -> None:
    pace = StageRate(0, 100.0)
    assert pace.left(5, 100, 101.0) is None
    assert pace.left(50, None, 200.0) is None
    assert pace.left(0, 100, 200.0) is None


def test_the_time_left_does_not_swing_with_single_batches() -> None:
    pace, now = StageRate(0, 0.0), 0.0
    told = []
    for batch in range(1, 101):  # batches of 64 take 5 and 20 seconds in turn
        now += 5.0 if batch % 2 else 20.0
        left = pace.left(64 * batch, 64 * 100, now)
        assert left is not None
        told.append((now + left) / 1250.0)  # the whole time, against the true one
    assert all(0.9 < share < 1.1 for share in told[10:])
