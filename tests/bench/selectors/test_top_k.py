from __future__ import annotations

from graphmemix_bench.selectors import Pool
from graphmemix_bench.selectors.top_k import select


def test_falling_utility_then_lower_index() -> None:
    assert select(Pool((0.2, 0.7, 0.9, 0.7)), 3) == (2, 1, 3)
