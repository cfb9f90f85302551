"""What each rung takes, with values worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from graphmemix.evidence import Increment, Support
from graphmemix.optimize.select import terms_of
from graphmemix.settings import Settings
from graphmemix_bench.runs.ladder import (
    from_ranking,
    from_scores,
    from_selector,
    prizes_of,
    rungs_of,
)
from graphmemix_bench.runs.stages import EdgeScores, NodeScores, Ranking
from graphmemix_bench.selectors import Pool

TWO = Settings.load(environment={"HOME": "/x"}, overrides={"forest.budget": 2})
SUPPORTS = tuple(
    Support(name, 0.0, utility)
    for name, utility in (("a", 0.5), ("b", 0.4), ("c", 0.3), ("d", 0.3))
)


def link(memory: str, anchor: str, weight: float) -> Increment:
    return Increment(memory, anchor, 4.0, "new_fact", weight)


def test_a_ranking_gives_its_first_in_order() -> None:
    chosen = from_ranking(Ranking(("x", "y", "z"), (0.9, 0.8, 0.7), 1.0), 2)
    assert chosen.picks == chosen.memory_ids == ("x", "y")
    assert chosen.forest is not None
    assert [len(tree.nodes) for tree in chosen.forest.trees] == [1, 1]


def test_nothing_retrieved_gives_nothing() -> None:
    assert from_ranking(Ranking((), (), 0.0), 2).memory_ids == ()
    for rung in ("node", "weights", "ecv", "forest"):
        chosen = from_scores(rung, NodeScores((), "llm:m"), EdgeScores(()), TWO)
        assert (chosen.picks, chosen.forest) == ((), None)


def test_the_node_rung_takes_utilities_and_ties_keep_the_order_of_retrieval() -> None:
    nodes, edges = NodeScores(SUPPORTS, "llm:m"), EdgeScores((link("d", "a", 0.9),))
    three = Settings.load(environment={"HOME": "/x"}, overrides={"forest.budget": 3})
    assert from_scores("node", nodes, edges, three).picks == ("a", "b", "c")


def test_the_pointwise_rung_adds_the_published_share_of_a_models_weight() -> None:
    nodes = NodeScores(SUPPORTS, "llm:m")
    # d: 0.3 + 0.4 * 0.6 = 0.54 comes first; c: 0.3 + 0.4 * 0.2 = 0.38 stays behind b at 0.4.
    edges = EdgeScores((link("d", "a", 0.6), link("c", "a", 0.2)))
    assert from_scores("ecv", nodes, edges, TWO).picks == ("d", "a")


def test_the_pointwise_rung_adds_a_local_links_gain() -> None:
    nodes = NodeScores(SUPPORTS, "local:x", terms=terms_of(TWO, "chance"))
    # A gain of 0.15 is told as w = exp((0.15 - kappa) / lambda): d has 0.45, between a and b.
    kappa, price = TWO.local.opening_cost, TWO.forest.edge_cost_weight
    edges = EdgeScores((link("d", "a", math.exp((0.15 - kappa) / price)),))
    assert from_scores("ecv", nodes, edges, TWO).picks == ("a", "d")


def test_the_weights_rung_adds_the_published_share_to_chances_too() -> None:
    nodes = NodeScores(SUPPORTS, "local:x", terms=terms_of(TWO, "chance"))
    # As between utilities: d has 0.3 + 0.4 * 0.6 = 0.54, c 0.3 + 0.4 * 0.2 = 0.38.
    edges = EdgeScores((link("d", "a", 0.6), link("c", "a", 0.2)))
    assert from_scores("weights", nodes, edges, TWO).picks == ("d", "a")


def test_the_forest_rung_takes_a_pair_that_is_worth_more_together() -> None:
    nodes = NodeScores(SUPPORTS, "llm:m")
    # a + d open one tree, a + b two: 0.8 + 0.1 ln 0.99 beats 0.9 - 0.2 at kappa 0.2.
    chosen = from_scores("forest", nodes, EdgeScores((link("d", "a", 0.99),)), TWO)
    assert set(chosen.picks) == {"a", "d"}
    assert chosen.forest is not None
    assert chosen.forest.links == (("a", "d"),)


def test_a_selector_picks_but_nobody_reads_it() -> None:
    chosen = from_selector("node_top_k", Pool((0.1, 0.9, 0.5)), ["x", "y", "z"], TWO)
    assert (chosen.picks, chosen.forest) == (("y", "z"), None)


ROWS = np.array([[1, 0, 0], [1, 0, 0], [0.8, 0.6, 0], [0, 0, 1]], dtype=np.float32)
POOL = Pool((0.9, 0.8, 0.75, 0.7), ((0, 3, 0.6),), ROWS)
OTHERWISE = {  # with these, a selector weighs utilities, links and likeness otherwise
    "mmr": {"selectors.mmr_redundancy": 1.0},
    "relevance_redundancy": {"selectors.pair_redundancy": 1.0},
    "dpp": {"selectors.dpp_quality": 0.0},
    "facility_location": {"selectors.coverage_weight": 2.0},
    "anchor_neighbour": {"selectors.neighbour_bonus": 0.0},
    "ecv_pointwise": {"selectors.pointwise_bonus": 0.0},
    "greedy_forest": {"forest.proposal_opening_cost": 0.0},
    "forest_proposal": {"forest.proposal_opening_cost": 0.0},
    "exact_forest": {"forest.edge_cost_weight": 9.0},
}


@pytest.mark.parametrize("name", OTHERWISE)
def test_a_selector_takes_its_constants_from_the_settings(name: str) -> None:
    changed = Settings.load(
        environment={"HOME": "/x"}, overrides={"forest.budget": 2, **OTHERWISE[name]}
    )
    published, ours = (from_selector(name, POOL, "abcd", each).picks for each in (TWO, changed))
    assert set(published) != set(ours)


def test_the_local_verifiers_chances_rank_and_its_utilities_make_forests() -> None:
    halves = (Support("a", 4.0, 0.8), Support("b", 3.0, 0.3))
    local = NodeScores(halves, "local:x", terms=terms_of(TWO, "chance"))
    model = NodeScores(halves, "llm:m")
    assert prizes_of("node_top_k", local) == pytest.approx((0.8, 0.6))
    assert prizes_of("exact_forest", local) == (0.8, 0.3)
    assert prizes_of("node_top_k", model) == prizes_of("exact_forest", model) == (0.8, 0.3)
    assert from_scores("node", local, EdgeScores(()), TWO).forest is not None


@pytest.mark.parametrize(("mode", "count"), [("hybrid", 6), ("dense", 5)], ids=["hybrid", "dense"])
def test_rungs_come_from_below_whatever_the_order_they_are_named_in(mode: str, count: int) -> None:
    chosen = Settings.load(environment={"HOME": "/x"}, overrides={"retrieval.mode": mode})
    assert len(rungs_of((), chosen)) == count
    assert [rung.key for rung in rungs_of(("forest", "embedding"), chosen)] == [
        "embedding",
        "forest",
    ]
