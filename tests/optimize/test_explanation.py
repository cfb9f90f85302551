from __future__ import annotations

import math
import random
from dataclasses import replace
from itertools import combinations

import pytest

from graphmemix.evidence import Candidate, Increment, Provenance, Question, Scale, Support, Trace
from graphmemix.memory import Media, Memory
from graphmemix.optimize.explanation import Explanation, explain
from graphmemix.optimize.problem import Problem
from graphmemix.optimize.select import forest_of, terms_of, trusted_links
from graphmemix.settings import Settings
from tests.optimize.reference import forest_problem
from tests.optimize.test_forest import SCALES, link, supports
from tests.verify.local_cases import settings_with

FEW = settings_with(forest__budget=3)


def traced(
    scored: tuple[Support, ...],
    links: tuple[Increment, ...] = (),
    settings: Settings = FEW,
    scale: Scale = "utility",
    **more: object,
) -> Trace:
    candidates = tuple(Candidate(s.memory_id, s.utility, i) for i, s in enumerate(scored))
    trace = Trace(
        Question("key"),
        "default",
        candidates,
        supports=scored,
        increments=links,
        forest=forest_of(scored, links, terms_of(settings, scale), settings.forest.method),
    )
    return replace(trace, **more)  # type: ignore[arg-type]


def by_id(trace: Trace, settings: Settings = FEW) -> dict[str, Explanation]:
    return {each.memory_id: each for each in explain(trace, settings)}


def best_with(problem: Problem, node: int) -> float:
    """The best forest of exactly K memories with this one among them, by trying all of them."""

    def value(nodes: tuple[int, ...]) -> float:
        taken: list[tuple[int, int, float]] = []
        group = {n: n for n in nodes}
        for edge in sorted(problem.edges, key=lambda e: -e[2]):
            a, c, weight = edge
            if a in group and c in group and group[a] != group[c] and problem.edge_gain(weight) > 0:
                old = group[c]
                group = {n: group[a] if g == old else g for n, g in group.items()}
                taken.append(edge)
        return problem.objective(nodes, taken)

    others = [n for n in range(len(problem.prizes)) if n != node]
    return max(value((node, *rest)) for rest in combinations(others, problem.budget - 1))


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("seed", range(8))
def test_what_a_rejected_candidate_would_cost_is_exact(seed: int, scale: Scale) -> None:
    rng = random.Random(seed)
    scored = supports(*(rng.random() for _ in range(9)))
    links = tuple(link(i, rng.randrange(3), rng.uniform(0.2, 0.99)) for i in range(3, 9))
    trace = traced(scored, links, scale=scale)
    assert trace.forest is not None
    terms = terms_of(FEW, scale)
    problem = forest_problem(
        [s.utility + terms.raised for s in scored],
        trusted_links(scored, links),
        budget=3,
        opening_cost=terms.proposal_opening_cost,
    )
    checked = 0
    for index, each in enumerate(explain(trace, FEW)):
        if each.fate == "rejected":
            lost = trace.forest.objective_after - best_with(problem, index)
            assert each.loss == pytest.approx(lost, abs=1e-9)
            checked += 1
        else:
            assert each.loss == 0
    assert checked == 6


def test_every_candidate_is_explained_once_in_retrieval_order_then_duplicates() -> None:
    # m1 was passed over as a seed and came back by an edge.
    duplicates = (("m1", "m0"), ("x", "m0"))
    trace = traced(supports(0.9, 0.8, 0.7, 0.1, 0.05), duplicates=duplicates)
    explained = explain(trace, FEW)
    assert [each.memory_id for each in explained] == ["m0", "m1", "m2", "m3", "m4", "x"]
    assert [each.fate for each in explained] == [*["chosen"] * 3, *["rejected"] * 2, "duplicate"]
    last = explained[-1]
    assert (last.rank, last.utility, last.loss) == (None, None, None)
    assert last.reasons == ("shows the same as m0",)


def test_the_chosen_have_their_rank_and_how_they_came() -> None:
    via = Candidate("m1", 0.5, None, (Provenance("m0", "same_round", 0.99),))
    trace = traced(supports(0.9, 0.5), (link(1, 0, 0.9),))
    trace = replace(trace, candidates=(trace.candidates[0], via))
    first, second = explain(trace, FEW)
    assert (first.rank, second.rank) == (1, 2)
    assert first.reasons == ("utility 0.90", "found by retrieval at rank 1")
    assert second.reasons == (
        "utility 0.50",
        "new fact beside m0 (same round), gain 0.109",
        "reached from m0 (same round)",
    )


def test_the_rejected_say_what_is_better() -> None:
    redundant = Increment("m4", "m0", 0.0, "redundant")
    found = by_id(traced(supports(0.9, 0.8, 0.7, 0.5, 0.1), (redundant,)))
    assert found["m3"].reasons == (
        "utility 0.50; the least of the chosen has 0.70",
        "taking it in place of another would lower the objective by 0.200 (budget 3)",
    )
    assert "redundant with m0" in found["m4"].reasons


def test_the_least_of_the_chosen_is_one_that_a_reader_sees() -> None:
    # m2 fills the proposal and does not pay: what is left has 0.80.
    found = by_id(traced(supports(0.9, 0.8, 0.004, 0.003)))
    assert found["m2"].fate == "refined_away"
    assert found["m2"].reasons == ("utility 0.004 does not pay for a place in the answer",)
    assert found["m3"].reasons[0] == "utility 0.003; the least of the chosen has 0.80"


def test_numbers_that_differ_look_different() -> None:
    found = by_id(traced(supports(0.9, 0.8, 0.7002, 0.6998)))
    assert found["m3"].reasons == (
        "utility 0.6998; the least of the chosen has 0.7002",
        "taking it in place of another would lower the objective by 0.0004 (budget 3)",
    )


def test_with_nothing_chosen_no_least_is_named() -> None:
    trace = traced(supports(0.01, 0.01, 0.01, 0.005))
    assert trace.forest is not None
    found = by_id(replace(trace, forest=replace(trace.forest, trees=())))
    assert found["m3"].reasons[0] == "utility 0.01; no memory pays for a place in the answer"


def test_with_memories_reasons_name_them_by_their_words() -> None:
    long = "0123456789abcdef" * 2
    words = {
        "m0": Memory("m0", "note", "The spare key is with Olga, who lives next door since May."),
        "m1": Memory("m1", "photo", media=(Media("image", name="hook.jpg"),)),
    }
    trace = traced(
        supports(0.9, 0.8, 0.7, 0.1),
        (link(1, 0, 0.9), Increment("m3", "m1", 0.0, "redundant")),
        duplicates=(("x", "m0"), ("y", long)),
    )
    reasons = [reason for each in explain(trace, FEW, words) for reason in each.reasons]
    key = "[1] “The spare key is with Olga, who lives next door…”"
    assert f"new fact beside {key} (same round), gain 0.109" in reasons
    assert "redundant with [2] hook.jpg" in reasons
    assert f"shows the same as {key}" in reasons
    assert "shows the same as 01234567" in reasons  # it was erased
    assert not any("m0" in reason or "m1" in reason for reason in reasons)


def test_a_better_utility_may_lose_to_links() -> None:
    linked = (link(3, 0, 0.99), link(2, 0, 0.99))
    found = by_id(traced(supports(0.9, 0.6, 0.5, 0.5), linked))
    assert found["m1"].fate == "rejected"
    assert found["m1"].reasons[0].startswith("utility 0.60; others add more together")


def test_what_was_proposed_and_does_not_pay_is_refined_away() -> None:
    found = by_id(traced(supports(0.9, 0.8, 0.01)))
    assert (found["m2"].fate, found["m2"].rank, found["m2"].loss) == ("refined_away", None, 0)


def test_a_search_that_proves_nothing_tells_no_loss() -> None:
    settings = settings_with(forest__budget=3, forest__method="published")
    trace = traced(supports(0.9, 0.8, 0.7, 0.1), settings=settings)
    assert explain(trace, settings)[-1].loss is None


def test_links_tell_what_they_add_to_the_stage_that_decided() -> None:
    # m1 hangs on m0; m2 does not pay for its place; m3 is not proposed, and m4 has a weak link.
    scored = supports(0.9, 0.8, 0.11, 0.0, 0.0)
    links = (link(1, 0, 0.9), link(3, 0, 0.3), link(4, 0, 0.1))
    found = by_id(traced(scored, links, settings_with(forest__budget=3)))
    assert [found[f"m{i}"].fate for i in range(5)] == [
        "chosen", "chosen", "refined_away", "rejected", "rejected"
    ]  # fmt: skip
    assert found["m0"].gain is None
    assert found["m1"].gain == pytest.approx(0.12 + 0.1 * math.log(0.9))
    assert found["m2"].gain is None
    assert found["m3"].gain == pytest.approx(0.2 + 0.1 * math.log(0.3))
    assert "as new fact beside m0 its link would add 0.080" in found["m3"].reasons
    assert found["m4"].gain == pytest.approx(0.2 + 0.1 * math.log(0.1))
    assert "its link to m0 is too weak to add anything" in found["m4"].reasons


def test_a_link_to_what_was_left_out_in_the_end_is_not_told_as_used() -> None:
    # m1 is worth its link to m0 in the proposal; in the end m0 goes, and m1 stands alone.
    chained = (link(1, 0, 0.35),)
    found = by_id(traced(supports(0.0, 0.9), chained))
    assert found["m0"].fate == "refined_away"
    assert not any("beside" in reason for reason in found["m1"].reasons)


def test_of_two_that_anchor_each_other_the_heavier_link_is_told() -> None:
    found = by_id(traced(supports(0.9, 0.5), (link(0, 1, 0.5), link(1, 0, 0.9))))
    assert not any("beside" in reason for reason in found["m0"].reasons)
    assert "new fact beside m0 (same round), gain 0.109" in found["m1"].reasons


def test_a_trace_is_explained_on_its_own_terms_whatever_is_set_now() -> None:
    scored = supports(0.9, 0.8, 0.7, 0.5, 0.1)
    trace = traced(scored, (link(4, 0, 0.9),))
    later = settings_with(forest__budget=1, forest__proposal_opening_cost=0.9)
    assert explain(trace, later) == explain(trace, FEW)


def test_without_a_forest_there_is_nothing_to_explain() -> None:
    assert explain(Trace(Question("key"), "default"), FEW) == ()


def test_explanations_are_the_same_after_json() -> None:
    for each in explain(traced(supports(0.9, 0.8, 0.7, 0.1)), FEW):
        assert Explanation.from_json(each.to_json()) == each
