from __future__ import annotations

import pytest

from graphmemix.errors import InvalidProblemError
from graphmemix_bench.selectors import Pool
from graphmemix_bench.selectors.ranked import anchor_neighbour, ecv_pointwise, top_k


def test_falling_utility_then_lower_index() -> None:
    assert top_k(Pool((0.2, 0.7, 0.9, 0.7)), 3) == (2, 1, 3)


def test_neighbours_of_the_best_in_either_direction() -> None:
    pool = Pool((0.5, 0.9, 0.4, 0.3), ((1, 2, 0.2), (3, 1, 0.5), (2, 0, 0.99)))
    # Anchor 1. 3: 0.3 + 1.6 * 0.5 = 1.1; 2: 0.4 + 1.6 * 0.2 = 0.72; 0 is linked to 2 only: 0.5.
    assert anchor_neighbour(pool, 4) == (1, 3, 2, 0)
    assert anchor_neighbour(pool, 1) == (1,)


def test_the_best_of_several_links_counts() -> None:
    pool = Pool((0.9, 0.5, 0.1), ((0, 2, 0.1), (2, 0, 0.3), (0, 2, 0.2)))
    # 0.1 + 1.6 * 0.3 = 0.58 against 0.5; with 0.2 it would be 0.42.
    assert anchor_neighbour(pool, 2) == (0, 2)


def test_ties_go_to_the_lower_index() -> None:
    # Anchor 1 of the two at 0.9. Then 0 and 3 have 0.1 + 1.6 * 0.5 = 0.9, as 2 has.
    pool = Pool((0.1, 0.9, 0.9, 0.1), ((1, 3, 0.5), (0, 1, 0.5)))
    assert anchor_neighbour(pool, 4) == (1, 0, 2, 3)


def test_the_weight_is_checked() -> None:
    with pytest.raises(InvalidProblemError, match="link_weight"):
        anchor_neighbour(Pool((0.5,)), 1, link_weight=float("nan"))


def test_the_candidate_of_a_link_gains_and_its_anchor_does_not() -> None:
    pool = Pool((0.5, 0.9, 0.3, 0.55), ((0, 2, 0.5), (0, 2, 0.2)))
    # 2: 0.3 + 0.4 * max(0.5, 0.2) = 0.5, a tie with its anchor that goes to the lower index.
    assert ecv_pointwise(pool, 4) == (1, 3, 0, 2)


def test_a_tie_of_bonus_and_utility_goes_to_the_lower_index() -> None:
    # 0: 0.3 + 0.4 * 0.5 = 0.5, as 1 has without a link.
    assert ecv_pointwise(Pool((0.3, 0.5), ((1, 0, 0.5),)), 2) == (0, 1)


def test_the_anchor_need_not_be_picked() -> None:
    pool = Pool((0.1, 0.5, 0.3), ((0, 2, 0.99),))
    # 2: 0.3 + 0.4 * 0.99 = 0.696
    assert ecv_pointwise(pool, 2) == (2, 1)


def test_the_weight_is_checked_of_ecv_pointwise() -> None:
    with pytest.raises(InvalidProblemError, match="link_weight"):
        ecv_pointwise(Pool((0.5,)), 1, link_weight=-1.0)
