from __future__ import annotations

import time
from dataclasses import replace
from math import exp, log

import numpy as np
import pytest

from graphmemix.errors import InvalidDataError
from graphmemix.evidence import Candidate, CandidateGraph, Edge, Question
from graphmemix.llm import run_sync
from graphmemix.memory import Memory
from graphmemix.optimize.forest import forest_of
from graphmemix.settings import Settings
from graphmemix.settings.forest import terms_of
from graphmemix.verify.case import make_case
from graphmemix.verify.local import LocalVerifier
from graphmemix.verify.protocol import Case, Verdict
from graphmemix.verify.signals import Signals
from tests.verify.local_cases import (
    CANDIDATES,
    MEMORIES,
    empty_case,
    hand_case,
    hand_model,
    settings_with,
)

SIGMOID_2 = 1 / (1 + exp(-2))
SIGMOID_MINUS_1 = 1 / (1 + exp(1))
CHANCES = (SIGMOID_2, 0.5, 1 / (1 + exp(1.2)), 1 - SIGMOID_2)
SURENESS = -sum(log(1 - chance) for chance in (CHANCES[0], CHANCES[2], CHANCES[3]))  # a1 is half q1


def judge(case: Case | None = None, **overrides: object) -> Verdict:
    settings = settings_with(retrieval__lexical_weight=0.2, **overrides)
    return LocalVerifier(hand_model(), settings).judge(case or hand_case())


def gain(verdict: Verdict, memory_id: str, settings: Settings | None = None) -> float:
    """What a link is worth to the optimiser: kappa + lambda ln w."""
    chosen = settings or Settings()
    (found,) = [each for each in verdict.increments if each.memory_id == memory_id]
    return chosen.local.opening_cost + chosen.forest.edge_cost_weight * log(found.weight)


def test_scores_are_chances_and_the_lesser_half_of_an_exchange_counts_for_a_share() -> None:
    verdict = judge()
    assert [support.memory_id for support in verdict.supports] == ["q1", "a1", "q2", "p"]
    assert [support.score for support in verdict.supports] == pytest.approx(
        [5 * chance for chance in CHANCES]
    )
    utilities = [support.utility for support in verdict.supports]
    assert utilities == pytest.approx([CHANCES[0], 0.5 * 0.5, CHANCES[2], CHANCES[3]])
    whole = judge(local__half_share=1.0)
    assert [support.utility for support in whole.supports] == pytest.approx(CHANCES)


def test_a_link_is_worth_the_probability_that_its_anchor_adds() -> None:
    verdict = judge()
    u_q1, u_a1, u_q2 = CHANCES[0], 0.25, CHANCES[2]
    share = 0.15 * SURENESS
    assert gain(verdict, "a1") == pytest.approx(share * u_q1 * (SIGMOID_2 - u_a1))
    assert gain(verdict, "q2") == pytest.approx(share * u_a1 * (SIGMOID_MINUS_1 - u_q2))
    more = judge(local__edge_share=0.2)
    assert gain(more, "a1") == pytest.approx(0.2 * SURENESS * u_q1 * (SIGMOID_2 - u_a1))


def test_the_optimiser_gains_just_that_by_the_link() -> None:
    settings = settings_with(retrieval__lexical_weight=0.2, forest__budget=2)
    verdict = judge()
    forest = forest_of(verdict.supports, verdict.increments, terms_of(settings, "chance"))
    assert forest is not None
    assert forest.links == (("q1", "a1"),)
    alone = forest_of(verdict.supports, (), terms_of(settings, "chance"))
    assert alone is not None
    assert alone.proposal == forest.proposal
    assert forest.objective_after - alone.objective_after == pytest.approx(gain(verdict, "a1"))


def test_an_anchor_that_adds_nothing_gives_no_link() -> None:
    first = judge().increments[0]  # beside the lesser half, q1 is no likelier than alone
    assert (first.memory_id, first.anchor_id, first.weight) == ("q1", None, 0)
    assert first.role == "irrelevant"


def test_no_link_is_worth_more_than_a_component() -> None:
    settings = settings_with(retrieval__lexical_weight=0.2, local__edge_share=1.0)
    verdict = judge(local__edge_share=1.0)
    increment = verdict.increments[1]
    assert increment.weight == settings.edges.schema_weight == 0.99
    assert increment.score == 5
    assert gain(verdict, "a1", settings) < settings.local.opening_cost


def test_each_candidate_has_the_anchor_that_adds_most() -> None:
    case = hand_case()
    more = replace(
        case.graph, edges=(*case.graph.edges, Edge("q1", "q2", "consecutive_turn", 0.99))
    )
    increments = judge(replace(case, graph=more)).increments
    assert [(each.memory_id, each.anchor_id) for each in increments] == [
        ("q1", None),
        ("a1", "q1"),
        ("q2", "q1"),
    ]
    assert increments[1].relations == ("consecutive_turn", "same_round")


def test_what_says_the_same_again_is_shown_as_redundant_and_not_linked() -> None:
    increment = judge(local__redundant_likeness=0.5).increments[1]
    assert (increment.memory_id, increment.role) == ("a1", "redundant")
    assert (increment.anchor_id, increment.weight, increment.score) == ("q1", 0, 0)


def test_links_that_cost_nothing_have_the_ceiling() -> None:
    assert judge(forest__edge_cost_weight=0).increments[1].weight == 0.99


def test_without_links_in_the_archive_there_are_no_increments() -> None:
    assert judge(hand_case(graph=CandidateGraph(CANDIDATES))).increments == ()


def test_the_forest_takes_what_belongs_together_where_the_same_gains_pointwise_do_not() -> None:
    """Two doubtful halves are worth more together than a likelier memory and one of them."""
    settings = settings_with(
        retrieval__lexical_weight=0.2, forest__budget=2, local__half_share=1.0, local__edge_share=1
    )
    verdict = LocalVerifier(hand_model(), settings).judge(hand_case())
    supports = tuple(
        replace(support, utility=utility)
        for support, utility in zip(verdict.supports, (0.3, 0.2, 0.1, 0.35), strict=True)
    )
    (link,) = [each for each in verdict.increments if each.memory_id == "a1"]
    forest = forest_of(supports, (link,), terms_of(settings, "chance"))
    assert forest is not None
    assert set(forest.proposal) == {"q1", "a1"}
    worth = {support.memory_id: support.utility for support in supports}
    worth["a1"] += gain(verdict, "a1", settings)
    assert sorted(worth, key=lambda each: -worth[each])[:2] == ["a1", "p"]  # without its anchor


def test_the_chance_of_an_answer_is_told_with_and_without_the_verdict() -> None:
    case = hand_case()
    verifier = LocalVerifier(hand_model(), Settings())
    expected = 1 / (1 + exp(-0.5))
    assert verifier.judge(case).answerable == pytest.approx(expected)
    assert verifier.chance(case) == pytest.approx(expected)
    unknowing = LocalVerifier(hand_model(answerable=False), Settings())
    assert unknowing.judge(case).answerable is None
    assert unknowing.chance(case) is None
    assert verifier.chance(replace(case, signals=None)) is None


def test_nothing_holds_no_answer() -> None:
    verdict = judge(empty_case())
    assert (verdict.supports, verdict.increments, verdict.answerable) == ((), (), 0.0)
    assert LocalVerifier(hand_model(), Settings()).chance(empty_case()) == 0.0


def test_it_names_its_coefficients_and_calls_no_model() -> None:
    verdict = judge()
    assert verdict.verifier == f"local:{hand_model().digest}"
    assert [(cost.stage, cost.calls) for cost in verdict.costs] == [("verify", 0)]
    assert verdict.repairs == {}


def test_to_verify_is_to_judge() -> None:
    verifier = LocalVerifier(hand_model(), settings_with(retrieval__lexical_weight=0.2))
    verdict = run_sync(verifier.verify(hand_case()))
    assert (verdict.supports, verdict.increments) == (judge().supports, judge().increments)


def test_a_case_without_signals_is_refused() -> None:
    with pytest.raises(InvalidDataError, match="signals"):
        judge(hand_case(signals=None))


def test_the_case_by_hand_is_what_its_table_says() -> None:
    assert [memory.id for memory in MEMORIES] == [each.memory_id for each in CANDIDATES]


def test_of_anchors_that_add_the_same_the_first_retrieved_is_taken() -> None:
    memories = [Memory(name, "message", f"about {name}", session="s") for name in "xyc"]
    candidates = tuple(Candidate(m.id, 0.5, rank) for rank, m in enumerate(memories))
    edges = (Edge("c", "x", "same_record", 0.99), Edge("c", "y", "same_record", 0.99))
    same, eye = np.full(3, 0.5), np.eye(3, dtype=np.float32)
    known = Signals(same, same, same, same, np.array([5.0, 5.0, 1.0]), eye, eye, "key")
    graph, by_id = CandidateGraph(candidates, edges), {m.id: m for m in memories}
    case = make_case(Question("key"), graph, by_id, 3, known)
    increments = LocalVerifier(hand_model(), settings_with()).judge(case).increments
    assert [each.anchor_id for each in increments if each.memory_id == "c"] == ["x"]


def test_a_link_that_adds_nothing_has_no_score() -> None:
    first = LocalVerifier(hand_model(), settings_with()).judge(hand_case()).increments[0]
    assert (first.anchor_id, first.score) == (None, 0.0)


def test_a_verdict_on_nothing_names_its_verifier_and_cost_nothing() -> None:
    verifier = LocalVerifier(hand_model(), Settings())
    verdict = verifier.judge(empty_case())
    assert verdict.verifier == verifier.identity
    assert (verdict.costs, verdict.repairs) == ((), {})


def test_a_verdict_tells_the_seconds_that_it_took() -> None:
    start = time.perf_counter()
    (cost,) = LocalVerifier(hand_model(), Settings()).judge(hand_case()).costs
    assert 0 < cost.seconds <= time.perf_counter() - start


def test_a_link_has_the_role_that_the_rules_give_it() -> None:
    increments = LocalVerifier(hand_model(), Settings()).judge(hand_case()).increments
    assert [each.role for each in increments] == ["irrelevant", "clarification", "new_fact"]
