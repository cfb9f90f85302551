"""Gains of links are those that the optimiser used, whoever verified."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from graphmemix.evidence import EvidenceNode, Forest, Increment, Question, Scale, Support, Trace
from graphmemix.optimize.explanation import explain
from graphmemix.optimize.select import forest_of, terms_of
from graphmemix.pipeline import replay
from graphmemix.settings import Settings
from tests.answering import KEY, clever, household
from tests.optimize.test_forest import SCALES, link, random_verdicts, supports
from tests.verify.local_cases import settings_with

WAYS = {
    "as it is": Settings(),
    "in one stage": settings_with(forest__single_stage=True),
    "published": settings_with(forest__method="published"),
    "other costs": settings_with(
        forest__proposal_opening_cost=0.5,
        forest__refinement_opening_cost=0.4,
        forest__edge_cost_weight=0.3,
        local__opening_cost=0.3,
        local__keep_above=0.05,
    ),
}


def nodes_of(forest: Forest | None) -> list[EvidenceNode]:
    assert forest is not None
    return [node for tree in forest.trees for node in tree.nodes]


def chosen(
    scored: tuple[Support, ...], links: tuple[Increment, ...], settings: Settings, scale: Scale
) -> Forest | None:
    return forest_of(scored, links, terms_of(settings, scale), settings.forest.method)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("seed", range(4))
def test_utilities_and_gains_add_up_to_the_objective(seed: int, scale: Scale, way: str) -> None:
    scored, links = random_verdicts(seed)
    forest = chosen(scored, links, WAYS[way], scale)
    assert forest is not None
    assert forest.terms is not None
    kappa, raised = forest.terms.refinement_opening_cost, forest.terms.raised
    nodes = nodes_of(forest)
    worth = [node.utility + raised - kappa for node in nodes]
    gains = [node.gain for node in nodes if node.gain is not None]
    assert len(gains) == sum(node.parent_id is not None for node in nodes)
    assert gains
    assert min(gains) > 0  # Kruskal takes no other
    assert math.fsum([*worth, *gains]) == pytest.approx(forest.objective, abs=1e-9)


@pytest.mark.parametrize("scale", SCALES)
def test_the_proposal_has_its_own_terms(scale: Scale) -> None:
    scored, links = random_verdicts(7)
    forest = chosen(scored, links, WAYS["other costs"], scale)
    assert forest is not None
    assert forest.terms is not None
    terms, used = forest.terms, set(forest.links)
    inside = [s.utility + terms.raised for s in scored if s.memory_id in forest.proposal]
    gains = [
        terms.gain(each.weight, proposal=True)
        for each in links
        if (each.anchor_id, each.memory_id) in used
    ]
    assert gains
    worth = [utility - terms.proposal_opening_cost for utility in inside]
    assert math.fsum([*worth, *gains]) == pytest.approx(forest.objective_after, abs=1e-9)


def test_a_gain_is_worked_out_by_hand() -> None:
    forest = chosen(supports(0.9, 0.5), (link(1, 0, 0.9),), Settings(), "utility")
    root, child = nodes_of(forest)
    assert root.gain is None
    assert child.gain == pytest.approx(0.12 + 0.1 * math.log(0.9))
    assert terms_of(Settings(), "chance").gain(0.9) == pytest.approx(
        Settings().local.opening_cost + 0.1 * math.log(0.9)
    )


@pytest.mark.parametrize(
    ("with_model", "with_local", "scale"),
    [(True, True, "chance"), (True, False, "utility"), (False, True, "chance")],
)
def test_a_question_keeps_gains_and_terms(
    tmp_path: Path, *, with_model: bool, with_local: bool, scale: str
) -> None:
    chat = clever() if with_model else None
    settings = settings_with(verifier__with_local=with_local)
    with household(tmp_path / "a", chat=chat, settings=settings) as archive:
        asked = archive.ask(KEY)
        trace = archive.trace(asked.id)
    assert trace == asked
    assert trace.forest is not None
    assert trace.scale == scale
    assert trace.forest.terms == terms_of(archive.settings, trace.scale, trace.supports)


@pytest.mark.parametrize(
    ("verifier", "scale"), [("local:1f", "chance"), ("llm:m:two:1f", "utility")]
)
def test_the_scale_of_a_trace_from_before_scales_is_known(verifier: str, scale: str) -> None:
    old = Trace(Question("key"), "default", verifier=verifier)
    assert Trace.from_json(old.to_json()).scale == scale


def test_a_trace_from_before_gains_is_read_and_tells_none(tmp_path: Path) -> None:
    with household(tmp_path / "a") as archive:
        trace = archive.ask(KEY)
        told = json.loads(trace.to_json())
        del told["forest"]["terms"]
        for tree in told["forest"]["trees"]:
            for node in tree["nodes"]:
                del node["gain"]
        old = Trace.from_json(json.dumps(told))
        assert old.forest is not None
        assert old.forest.terms is None
        assert all(node.gain is None for node in nodes_of(old.forest))
        explained = explain(old, archive.settings)
        assert {each.gain for each in explained} == {None}
        assert not any("gain" in reason for each in explained for reason in each.reasons)
        again = replay(old, archive.settings)
        assert again == trace.forest
        assert replay(trace, archive.settings) == trace.forest
        # What a rejected one would cost is then told by the settings of today.
        losses = [each.loss for each in explain(trace, archive.settings)]
        assert [each.loss for each in explained] == losses
