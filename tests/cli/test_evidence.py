from __future__ import annotations

import pytest

from graphmemix.cli.evidence import cost_line
from graphmemix.evidence import StageCost


@pytest.mark.parametrize(
    ("cost", "line"),
    [
        (StageCost("retrieve", 0.0123), "retrieve: 12.3 ms"),
        (StageCost("node", 1.5, 1, 900, 60), "node: 1500.0 ms, 1 call, 960 tokens"),
        (
            StageCost("ecv", 0.5, 2, 900, 60, 0.0, 700),
            "ecv: 500.0 ms, 2 calls, 960 tokens, 700 of them cached",
        ),
    ],
)
def test_what_a_stage_took_is_one_line(cost: StageCost, line: str) -> None:
    assert cost_line(cost) == line
