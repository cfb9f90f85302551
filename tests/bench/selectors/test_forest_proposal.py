from __future__ import annotations

import pytest

from graphmemix.errors import InvalidProblemError
from graphmemix_bench.selectors import Pool
from graphmemix_bench.selectors.forest_proposal import select


def test_a_swap_brings_a_pair_together() -> None:
    pool = Pool((0.50, 0.45, 0.46, 0.48), ((1, 3, 1.0),))
    # Top 2: 0 and 3, 0.30 + 0.28 = 0.58. 1 for 0: 0.25 + 0.28 + 0.2 = 0.73, told by utility.
    assert select(pool, 2) == (3, 1)


def test_what_needs_two_swaps_at_once_is_missed() -> None:
    pool = Pool((0.50, 0.50, 0.42, 0.42), ((2, 3, 1.0),))
    # 0.60 for the top 2; either swap alone 0.30 + 0.22; the pair 0.22 + 0.22 + 0.2 = 0.64.
    assert select(pool, 2) == (0, 1)


def test_the_costs_are_checked() -> None:
    with pytest.raises(InvalidProblemError, match="edge_cost_weight"):
        select(Pool((0.5,)), 1, edge_cost_weight=float("inf"))
