"""What every selector promises, on the same cases."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmemix.errors import InvalidInputError, InvalidProblemError
from graphmemix_bench.selectors import SELECTORS, Pool
from tests.bench.selectors.pools import SETTINGS, circle, pools

NEED_VECTORS = ("mmr", "relevance_redundancy", "dpp", "facility_location")

every_selector = pytest.mark.parametrize("name", SELECTORS)


def test_names_and_order_are_those_of_the_method() -> None:
    assert list(SELECTORS) == [
        "node_top_k",
        "mmr",
        "relevance_redundancy",
        "dpp",
        "facility_location",
        "anchor_neighbour",
        "ecv_pointwise",
        "greedy_forest",
        "forest_proposal",
        "exact_forest",
    ]


@every_selector
@SETTINGS
@given(pool=pools(), budget=st.integers(1, 12))
def test_the_right_number_of_different_candidates(name: str, pool: Pool, budget: int) -> None:
    picks = SELECTORS[name](pool, budget)
    assert len(picks) == min(budget, pool.size)
    assert len(set(picks)) == len(picks)
    assert set(picks) <= set(range(pool.size))
    assert all(type(pick) is int for pick in picks)


@every_selector
@SETTINGS
@given(pool=pools(), budget=st.integers(1, 12))
def test_the_same_pool_gives_the_same_picks(name: str, pool: Pool, budget: int) -> None:
    copy = dataclasses.replace(pool)
    assert SELECTORS[name](pool, budget) == SELECTORS[name](copy, budget)


@every_selector
@SETTINGS
@given(
    size=st.integers(1, 12),
    budget=st.integers(1, 14),
    prize=st.floats(-5, 5),
    angle=st.floats(0, 360),
)
def test_what_cannot_be_told_apart_goes_by_index(
    name: str, size: int, budget: int, prize: float, angle: float
) -> None:
    pool = Pool((prize,) * size, vectors=circle(*[angle] * size))
    assert SELECTORS[name](pool, budget) == tuple(range(min(size, budget)))


@every_selector
@SETTINGS
@given(
    prizes=st.lists(st.integers(0, 20).map(lambda n: n / 20), min_size=1, max_size=12),
    budget=st.integers(1, 14),
)
def test_without_links_and_likeness_all_are_top_k(
    name: str, prizes: list[float], budget: int
) -> None:
    pool = Pool(tuple(prizes), vectors=np.eye(len(prizes), dtype=np.float32))
    assert SELECTORS[name](pool, budget) == SELECTORS["node_top_k"](pool, budget)


@every_selector
def test_one_candidate(name: str) -> None:
    assert SELECTORS[name](Pool((-0.3,), vectors=circle(0)), 10) == (0,)


@every_selector
def test_a_difference_below_the_grid_is_a_tie(name: str) -> None:
    pool = Pool((0.3, 0.1 + 0.2), vectors=circle(0, 90))  # the second is 0.30000000000000004
    assert SELECTORS[name](pool, 1) == (0,)


@every_selector
@pytest.mark.parametrize("budget", [0, -1, True, 1.5])
def test_a_budget_that_is_none(name: str, budget: int) -> None:
    with pytest.raises(InvalidProblemError) as caught:
        SELECTORS[name](Pool((0.5, 0.6), vectors=circle(0, 90)), budget)
    assert caught.value.item == "budget"


@every_selector
def test_vectors_are_asked_for_only_where_needed(name: str) -> None:
    pool = Pool((0.5, 0.6), ((0, 1, 0.9),))
    if name in NEED_VECTORS:
        with pytest.raises(InvalidInputError, match=f"selector '{name}' needs vectors"):
            SELECTORS[name](pool, 1)
    else:
        assert len(SELECTORS[name](pool, 1)) == 1
