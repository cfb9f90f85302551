"""What a link carries: what a memory owes to those around it, and what a pair is worth together."""

from __future__ import annotations

from dataclasses import replace
from math import exp

import numpy as np
import pytest

from graphmemix.evidence import Edge, Increment, Relation, Support, evidence_chance
from graphmemix.optimize.select import forest_of, terms_of
from graphmemix.settings import Settings
from graphmemix.verify.features import Features
from graphmemix.verify.links import Chances, Links
from graphmemix.verify.local import LocalVerifier
from graphmemix.verify.opinion import Combination, Opinion
from tests.verify.local_cases import hand_case, hand_model, settings_with

# The case by hand: chances beside all others, in the order q1, a1, q2, p.
CHANCES = np.array([0.9, 0.5, 0.3, 0.1])
NO_SHARE = {"retrieval__lexical_weight": 0.2, "local__half_share": 1.0, "local__edge_share": 0.0}


def links_of(alone: list[float], **changed: object) -> Links:
    settings = settings_with(**{**NO_SHARE, **changed})
    chances = Chances(np.array(alone), CHANCES)
    case = hand_case()
    return Links(case, Features(case, 0.2), chances, hand_model().pair_odds, settings)


def gains(links: Links, settings: Settings) -> dict[str, float]:
    terms = terms_of(settings, "chance")
    return {each.memory_id: terms.gain(each.weight) for each in links.increments if each.weight > 0}


def test_what_a_memory_owes_to_those_around_it_is_the_gain_of_its_link() -> None:
    links = links_of([0.9, 0.2, 0.3, 0.1])
    assert links.utilities == pytest.approx([0.9, 0.2, 0.3, 0.1])
    assert gains(links, settings_with(**NO_SHARE)) == {"a1": pytest.approx(0.3)}


def test_beside_its_anchor_a_memory_is_worth_its_whole_chance() -> None:
    links = links_of([0.9, 0.2, 0.1, 0.1])
    gained = gains(links, settings_with(**NO_SHARE))
    whole = links.utilities + np.array([gained.get(each, 0.0) for each in ("q1", "a1", "q2", "p")])
    assert whole == pytest.approx(CHANCES)


def test_a_memory_that_is_likelier_by_itself_owes_nothing() -> None:
    links = links_of([0.99, 0.8, 0.7, 0.6])
    assert links.utilities == pytest.approx(CHANCES)
    assert gains(links, settings_with(**NO_SHARE)) == {}


def test_a_memory_without_an_anchor_keeps_all_of_its_chance() -> None:
    """The photo is only alike, which is no relation that a link may rest on."""
    assert links_of([0.9, 0.5, 0.3, 0.0]).utilities[3] == pytest.approx(0.1)


def test_only_the_likeliest_are_owed_something() -> None:
    owing = links_of([0.9, 0.5, 0.1, 0.1], forest__budget=2)
    assert owing.utilities[2] == pytest.approx(0.1)  # its anchor a1 is one of two
    alone = links_of([0.9, 0.5, 0.1, 0.1], forest__budget=1)
    assert alone.utilities[2] == pytest.approx(0.3)


def test_what_repeats_its_anchor_has_no_link_and_keeps_its_chance() -> None:
    links = links_of([0.9, 0.2, 0.3, 0.1], local__redundant_likeness=0.5)
    assert links.utilities[1] == pytest.approx(0.5)
    assert links.increments[1].role == "redundant"
    assert links.increments[1].weight == 0


def test_a_link_carries_no_more_than_its_largest_gain() -> None:
    settings = settings_with(**NO_SHARE, local__opening_cost=0.2)
    links = links_of([0.9, 0.0, 0.3, 0.1], local__opening_cost=0.2)
    largest = terms_of(settings, "chance").gain(settings.edges.schema_weight)
    assert links.utilities[1] == pytest.approx(0.5 - largest)
    assert gains(links, settings)["a1"] == pytest.approx(largest)


def test_the_lesser_half_of_an_exchange_owes_its_share() -> None:
    links = links_of([0.9, 0.2, 0.3, 0.1], local__half_share=0.5)
    assert links.utilities[1] == pytest.approx(0.5 * 0.2)
    assert links.direct[1] == pytest.approx(0.2)
    nothing = links_of([0.9, 0.2, 0.3, 0.1], local__half_share=0.0)
    assert nothing.utilities[1] == 0
    assert nothing.direct[1] == pytest.approx(0.5)


def test_a_verdict_tells_the_direct_support_and_the_whole_chance() -> None:
    settings = settings_with(**NO_SHARE)
    verdict = LocalVerifier(hand_model(own=0.0), settings).judge(hand_case())
    by_itself = 1 / (1 + exp(2))
    supports = {support.memory_id: support for support in verdict.supports}
    assert supports["a1"].score / 5 == pytest.approx(by_itself)
    assert evidence_chance(supports["a1"]) == pytest.approx(0.5)
    assert supports["a1"].utility == pytest.approx(by_itself)


def test_the_chance_of_an_older_verdict_is_its_score() -> None:
    assert evidence_chance(Support("a", 2.5, 0.1)) == 0.5
    assert evidence_chance(Support("a", 2.5, 0.1, 0.75)) == 0.75


def test_two_that_make_each_other_likely_are_selected_together_or_not_at_all() -> None:
    """Alone neither would be: the forest weighs the pair against two others."""
    settings = settings_with(**NO_SHARE, forest__budget=2)
    terms = terms_of(settings, "chance")
    supports = tuple(
        Support(name, 5 * p, p) for name, p in (("x", 0.30), ("y", 0.05), ("z", 0.28), ("w", 0.27))
    )
    weight = exp((0.4 - settings.local.opening_cost) / settings.forest.edge_cost_weight)
    link = Increment("y", "x", 5.0, "new_fact", weight, ("within",))
    forest = forest_of(supports, (link,), terms)
    assert forest is not None
    assert set(forest.proposal) == {"x", "y"}
    without = forest_of(supports, (), terms)
    assert without is not None
    assert set(without.proposal) == {"x", "z"}


def test_a_model_s_opinion_moves_the_chance_alone_and_beside() -> None:
    verifier = LocalVerifier(hand_model(own=1.0), settings_with(**NO_SHARE))
    plain = verifier.judge(hand_case())
    praised = Opinion({"q1": 0.0, "a1": 5.0, "q2": 0.0, "p": 0.0}, (), Combination(1.0, 0.3))
    said = verifier.judge(hand_case(), praised)
    assert said.supports[1].memory_id == "a1"
    assert said.supports[1].score > plain.supports[1].score
    assert evidence_chance(said.supports[1]) > evidence_chance(plain.supports[1])
    same = Opinion(dict.fromkeys(("q1", "a1", "q2", "p"), 3.0), (), Combination(1.0, 0.3))
    for ours, theirs in zip(
        verifier.judge(hand_case(), same).supports, plain.supports, strict=True
    ):
        assert ours.utility == pytest.approx(theirs.utility)
        assert evidence_chance(ours) == pytest.approx(evidence_chance(theirs))


@pytest.mark.parametrize(
    ("relation", "is_bulk", "is_linked"),
    [("within", False, True), ("within", True, False), ("reply_to", True, True)],
)
def test_a_mail_that_many_got_is_not_linked_by_its_days_alone(
    relation: Relation, is_bulk: bool, is_linked: bool
) -> None:
    case = hand_case()
    assert case.signals is not None
    more = replace(case.graph, edges=(*case.graph.edges, Edge("p", "q1", relation, 0.99)))
    bulk = np.array([0.0, 0.0, 0.0, float(is_bulk)])
    case = replace(case, graph=more, signals=replace(case.signals, bulk=bulk))
    chances = Chances(np.array([0.9, 0.5, 0.3, 0.05]), CHANCES)
    pair_odds = hand_model().pair_odds
    links = Links(case, Features(case, 0.2), chances, pair_odds, settings_with(**NO_SHARE))
    assert ("p" in {each.memory_id for each in links.increments}) is is_linked
