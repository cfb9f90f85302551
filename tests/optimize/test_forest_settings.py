"""Every setting of the forest reaches the optimiser, and what it found reaches the forest."""

from __future__ import annotations

from typing import Any

import pytest

from graphmemix.evidence import Forest, Increment, Support
from graphmemix.optimize import Selection, select
from graphmemix.optimize.select import forest_of, terms_of
from tests.verify.local_cases import settings_with

# Link 0-3 makes the weak memory 3 worth its place; link 1-4 is a doubtful one.
UTILITIES = (0.60, 0.50, 0.11, 0.10, 0.05, 0.08)
LINKS = ((0, 3, 1.0), (1, 4, 0.36))

CHANGES: list[dict[str, Any]] = [
    {},
    {"forest__budget": 2},
    {"forest__proposal_opening_cost": 0.05},
    {"forest__refinement_opening_cost": 0.01},
    {"forest__edge_cost_weight": 0.3},
    {"forest__method": "greedy"},
    {"forest__method": "published"},
    {"forest__single_stage": True},
]


def found(budget: int = 4, **changed: Any) -> Forest:
    settings = settings_with(**{"forest__budget": budget, **changed})
    supports = tuple(Support(f"m{i}", 5 * u, u) for i, u in enumerate(UTILITIES))
    links = tuple(Increment(f"m{c}", f"m{a}", 4.0, "new_fact", w) for a, c, w in LINKS)
    forest = forest_of(supports, links, terms_of(settings, "utility"), settings.forest.method)
    assert forest is not None
    return forest


def expected(**changed: Any) -> Selection:
    options = {"budget": 4, **{key.removeprefix("forest__"): changed[key] for key in changed}}
    published = {"proposal_opening_cost": 0.2, "refinement_opening_cost": 0.12}
    return select(UTILITIES, LINKS, **{**published, "edge_cost_weight": 0.1, **options})


def named(nodes: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(f"m{node}" for node in nodes)


@pytest.mark.parametrize("changed", CHANGES, ids=str)
def test_the_forest_is_what_the_optimiser_selects_under_its_settings(
    changed: dict[str, Any],
) -> None:
    forest, selection = found(**changed), expected(**changed)
    assert forest.proposal == named(selection.proposal.nodes)
    assert forest.memory_ids == named(selection.order)
    assert forest.links == tuple((f"m{a}", f"m{c}") for a, c, _ in selection.proposal.edges)
    assert forest.objective == selection.refinement.objective
    assert forest.objective_before == selection.objective_before
    assert forest.objective_after == selection.objective_after
    assert (forest.method, forest.swaps) == (selection.refinement.method, len(selection.swaps))


def test_each_setting_changes_something() -> None:
    plain = found()
    assert all(found(**changed) != plain for changed in CHANGES[1:])


def test_the_published_search_tells_its_swaps() -> None:
    assert found(forest__method="published").swaps == 1
    assert found().swaps == 0


def test_a_forest_is_proven_only_if_both_stages_are() -> None:
    # The published search prices all subsets of its proposal, and so proves the second stage only.
    assert found().proven_optimal
    forest = found(forest__method="published")
    selection = expected(forest__method="published")
    assert selection.refinement.proven_optimal
    assert not selection.proposal.proven_optimal
    assert not forest.proven_optimal
