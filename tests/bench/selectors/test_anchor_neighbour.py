from __future__ import annotations

import pytest

from graphmemix.errors import InvalidProblemError
from graphmemix_bench.selectors import Pool
from graphmemix_bench.selectors.anchor_neighbour import select


def test_neighbours_of_the_best_in_either_direction() -> None:
    pool = Pool((0.5, 0.9, 0.4, 0.3), ((1, 2, 0.2), (3, 1, 0.5), (2, 0, 0.99)))
    # Anchor 1. 3: 0.3 + 1.6 * 0.5 = 1.1; 2: 0.4 + 1.6 * 0.2 = 0.72; 0 is linked to 2 only: 0.5.
    assert select(pool, 4) == (1, 3, 2, 0)
    assert select(pool, 1) == (1,)


def test_the_best_of_several_links_counts() -> None:
    pool = Pool((0.9, 0.5, 0.1), ((0, 2, 0.1), (2, 0, 0.3), (0, 2, 0.2)))
    # 0.1 + 1.6 * 0.3 = 0.58 against 0.5; with 0.2 it would be 0.42.
    assert select(pool, 2) == (0, 2)


def test_ties_go_to_the_lower_index() -> None:
    # Anchor 1 of the two at 0.9. Then 0 and 3 have 0.1 + 1.6 * 0.5 = 0.9, as 2 has.
    pool = Pool((0.1, 0.9, 0.9, 0.1), ((1, 3, 0.5), (0, 1, 0.5)))
    assert select(pool, 4) == (1, 0, 2, 3)


def test_the_weight_is_checked() -> None:
    with pytest.raises(InvalidProblemError, match="link_weight"):
        select(Pool((0.5,)), 1, link_weight=float("nan"))
