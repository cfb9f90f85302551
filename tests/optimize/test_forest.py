from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from graphmemix.evidence import Forest, Increment, Question, Scale, Support, Trace
from graphmemix.optimize.select import forest_of, terms_of, trusted_links
from graphmemix.pipeline import replay
from graphmemix.settings import Settings
from tests.verify.local_cases import settings_with

SCALES: tuple[Scale, ...] = ("utility", "chance")


def supports(*utilities: float) -> tuple[Support, ...]:
    return tuple(Support(f"m{i}", 5 * u, u) for i, u in enumerate(utilities))


def link(node: int, anchor: int, weight: float) -> Increment:
    return Increment(f"m{node}", f"m{anchor}", 4.0, "new_fact", weight, ("same_round",))


def forest(
    scored: Sequence[Support],
    links: Sequence[Increment] = (),
    *,
    settings: Settings | None = None,
    scale: Scale = "utility",
) -> Forest:
    used = settings or Settings()
    found = forest_of(scored, links, terms_of(used, scale, scored), used.forest.method)
    assert found is not None
    return found


def random_verdicts(seed: int) -> tuple[tuple[Support, ...], tuple[Increment, ...]]:
    rng = random.Random(seed)
    found = supports(*(rng.random() for _ in range(16)))
    links = tuple(link(i, rng.randrange(5), rng.uniform(0.2, 0.99)) for i in range(5, 16))
    return found, links


def test_nothing_has_no_forest() -> None:
    assert forest_of((), (), terms_of(Settings(), "utility")) is None


def test_trees_have_ids_parents_roles_and_weights() -> None:
    found = forest(supports(0.9, 0.5, 0.8), (link(1, 0, 0.9),))
    assert [node.memory_id for tree in found.trees for node in tree.nodes] == ["m0", "m1", "m2"]
    root, child = found.trees[0].nodes
    assert (root.parent_id, root.role, root.weight) == (None, None, None)
    assert (child.parent_id, child.role, child.weight) == ("m0", "new_fact", 0.9)
    assert found.links == (("m0", "m1"),)
    assert found.proven_optimal


def test_an_anchor_may_hang_on_what_it_anchored() -> None:
    found = forest(supports(0.4, 0.9), (link(1, 0, 0.9),))
    root, child = found.trees[0].nodes
    assert (root.memory_id, child.memory_id, child.parent_id) == ("m1", "m0", "m1")
    assert (child.role, child.weight) == ("new_fact", 0.9)


def test_of_two_links_between_the_same_two_the_heavier_is_shown() -> None:
    found = forest(supports(0.9, 0.8), (link(0, 1, 0.5), link(1, 0, 0.9)))
    assert found.trees[0].nodes[1].weight == 0.9


def test_links_without_weight_are_not_trusted() -> None:
    nothing = Increment("m1", None, 0.0, "irrelevant")
    again = Increment("m2", "m0", 0.0, "redundant")
    assert trusted_links(supports(1, 1, 1), (nothing, again)) == []
    assert forest(supports(0.9, 0.8, 0.7), (nothing, again)).links == ()


def test_chances_have_an_opening_cost_of_their_own() -> None:
    settings = settings_with(local__opening_cost=0.3, local__keep_above=0.05)
    chances, utilities = terms_of(settings, "chance"), terms_of(settings, "utility")
    assert chances.proposal_opening_cost == chances.refinement_opening_cost == 0.3
    assert utilities.proposal_opening_cost == settings.forest.proposal_opening_cost
    assert utilities.refinement_opening_cost == settings.forest.refinement_opening_cost
    assert chances.raised == pytest.approx(0.25)
    assert utilities.raised == 0


@pytest.mark.parametrize("seed", range(20))
def test_what_keeps_a_place_changes_no_proposal(seed: int) -> None:
    verdicts = random_verdicts(seed)
    found = [
        forest(*verdicts, settings=settings_with(local__keep_above=keep), scale="chance")
        for keep in (0.0, 0.02, 0.5)
    ]
    assert len({each.proposal for each in found}) == 1
    assert len({each.links for each in found}) == 1
    sizes = [len(each.memory_ids) for each in found]
    assert sizes == sorted(sizes, reverse=True)


def test_what_does_not_reach_the_bar_loses_its_place() -> None:
    settings = settings_with(local__keep_above=0.1)
    found = forest(supports(0.9, 0.11, 0.09), (), settings=settings, scale="chance")
    assert found.proposal == ("m0", "m1", "m2")
    assert found.memory_ids == ("m0", "m1")
    # A link lifts it above the bar: kappa + lambda ln 0.2 is about 0.04.
    linked = forest(
        supports(0.9, 0.11, 0.09), (link(2, 0, 0.2),), settings=settings, scale="chance"
    )
    assert set(linked.memory_ids) == {"m0", "m1", "m2"}


def test_utilities_in_the_forest_are_those_of_the_verdict() -> None:
    found = forest(supports(0.9, 0.5), (), scale="chance")
    assert [node.utility for tree in found.trees for node in tree.nodes] == [0.9, 0.5]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("method", ["exact", "published", "greedy"])
def test_a_saved_trace_gives_the_same_forest_again(scale: Scale, method: str) -> None:
    settings = settings_with(forest__method=method)
    for seed in range(5):
        scored, links = random_verdicts(seed)
        first = forest(scored, links, settings=settings, scale=scale)
        trace = Trace(
            Question("key"),
            "default",
            supports=scored,
            increments=links,
            forest=first,
        )
        saved = Trace.from_json(trace.to_json())
        assert saved == trace
        assert replay(saved, settings) == first


def test_a_small_archive_is_taken_whole() -> None:
    assert forest(supports(0.9, 0.8)).proposal == ("m0", "m1")


def test_hardly_any_chance_keeps_no_place_even_where_nothing_is_sure() -> None:
    settings = settings_with(local__keep_above=0.1, local__least_chance=0.02)
    scored = supports(0.05, 0.03, 0.019)
    found = forest_of(scored, (), terms_of(settings, "chance", scored))
    assert found is not None
    assert found.memory_ids == ("m0", "m1")
    nothing = supports(0.015, 0.01)
    alone = forest_of(nothing, (), terms_of(settings, "chance", nothing))
    assert alone is not None
    assert alone.memory_ids == ("m0",)


def test_in_a_conversation_smaller_chances_are_shown() -> None:
    settings = settings_with(local__least_chance=0.03, local__least_chance_in_talk=0.01)
    scored = supports(0.05, 0.025, 0.015, 0.005)
    shown = {}
    for talk in (0.0, 0.5, 1.0):
        found = forest_of(scored, (), terms_of(settings, "chance", scored, talk))
        assert found is not None
        shown[talk] = len(found.memory_ids)
    assert shown == {0.0: 1, 0.5: 2, 1.0: 3}


def test_the_forest_of_a_conversation_is_the_same_again() -> None:
    scored, settings = supports(0.05, 0.015), Settings()
    found = forest_of(scored, (), terms_of(settings, "chance", scored, 1.0))
    trace = Trace(Question("key"), "default", supports=scored, forest=found)
    assert found is not None
    assert found.memory_ids == ("m0", "m1")
    assert replay(Trace.from_json(trace.to_json()), settings) == found


def test_a_small_chance_is_kept_only_where_nothing_is_sure() -> None:
    settings = settings_with(local__keep_above=0.1)

    def kept(*chances: float) -> int:
        scored = supports(*chances)
        found = forest_of(scored, (), terms_of(settings, "chance", scored))
        assert found is not None
        return len(found.memory_ids)

    assert kept(0.9, 0.05) == 1
    assert kept(0.4, 0.05) == 2
