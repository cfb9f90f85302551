from __future__ import annotations

import pytest

from graphmemix.errors import InvalidProblemError
from graphmemix_bench.selectors import Pool
from graphmemix_bench.selectors.ecv_pointwise import select


def test_the_candidate_of_a_link_gains_and_its_anchor_does_not() -> None:
    pool = Pool((0.5, 0.9, 0.3, 0.55), ((0, 2, 0.5), (0, 2, 0.2)))
    # 2: 0.3 + 0.4 * max(0.5, 0.2) = 0.5, a tie with its anchor that goes to the lower index.
    assert select(pool, 4) == (1, 3, 0, 2)


def test_a_tie_of_bonus_and_utility_goes_to_the_lower_index() -> None:
    # 0: 0.3 + 0.4 * 0.5 = 0.5, as 1 has without a link.
    assert select(Pool((0.3, 0.5), ((1, 0, 0.5),)), 2) == (0, 1)


def test_the_anchor_need_not_be_picked() -> None:
    pool = Pool((0.1, 0.5, 0.3), ((0, 2, 0.99),))
    # 2: 0.3 + 0.4 * 0.99 = 0.696
    assert select(pool, 2) == (2, 1)


def test_the_weight_is_checked() -> None:
    with pytest.raises(InvalidProblemError, match="link_weight"):
        select(Pool((0.5,)), 1, link_weight=-1.0)
