"""Diagnostics on two small cases, with every figure worked out by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from graphmemix.errors import InvalidDataError
from graphmemix.settings import ForestSettings
from graphmemix_bench.measures.diagnostics import (
    EdgeComparison,
    FrozenCase,
    GoldAccessibility,
    NetGold,
    StructuralRecovery,
    edge_comparison,
    gold_accessibility,
    merged_trace,
    net_gold,
    search_trace,
    structural_recovery,
)

# m0 to m9 are the source's first ten, m10 and m11 came by expansion.
POOL = tuple(f"m{n}" for n in range(12))


def case(gold: tuple[str, ...], proposal: tuple[str, ...] = (), **changes: object) -> FrozenCase:
    made = FrozenCase(
        context="c",
        question="Q1",
        type="T",
        gold=gold,
        source=(*POOL[:10], "far", "m10"),
        candidates=POOL,
        utilities=tuple(0.9 - 0.05 * n for n in range(12)),
        proposal=proposal,
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def test_gold_is_direct_recoverable_or_out_of_reach() -> None:
    # m10 is the source's twelfth: not direct. "far" was retrieved but is no candidate.
    cases = [case(("m0", "m10", "far")), case(("m9",))]
    assert gold_accessibility(cases) == GoldAccessibility(50, 25, 25, 4)
    assert gold_accessibility([]) == GoldAccessibility(0, 0, 0, 0)


def test_structural_recovery_by_hand() -> None:
    cases = [
        case(("m0", "m10", "m11"), ("m0", "m10")),  # within reach: two, kept one of them
        case(("m11",), ("m0",)),  # within reach: one, not kept
        case(("m1", "m2"), ("m1", "m2")),  # nothing to recover
    ]
    # R.Q. 2, C.Q. 1; retained gold: 2 + 0 + 2, of which recovered: 1.
    assert structural_recovery(cases) == StructuralRecovery(2, 1, 50, 25)


def test_net_gold_counts_only_questions_with_something_to_gain() -> None:
    # Top-2 is m0, m1 everywhere.
    cases = [
        case(("m0", "m5")),  # the pool holds 2, top-2 has 1: counts; picks have 2, so +1
        case(("m0", "m1", "m7")),  # counts: 3 > 2; picks have 1, so -1
        case(("m0", "m1")),  # nothing to gain, whatever is picked
        case(("far",)),  # not in the pool
        case(("m9",)),  # counts; picks have none, top-2 has none: 0
    ]
    picks = [("m0", "m5"), ("m7", "m3"), ("m3", "m4"), ("m0", "m1"), ("m0", "m1")]
    assert net_gold(cases, picks) == NetGold(0, 3)
    assert net_gold(cases[:1], picks[:1]) == NetGold(1, 1)


def test_top_k_by_utility_gains_nothing() -> None:
    cases = [case(("m0", "m11")), case(("m5",))]
    assert net_gold(cases, [POOL[:10], POOL[:10]]).net == 0


TINY = ForestSettings(budget=2, proposal_opening_cost=0.2, edge_cost_weight=0.1)


def tiny(**changes: object) -> FrozenCase:
    """Three candidates; the third is worth it only with a link to the first."""
    made = FrozenCase(
        "c",
        "Q1",
        "T",
        gold=("z",),
        source=("x", "y"),
        candidates=("x", "y", "z"),
        utilities=(0.9, 0.5, 0.4),
        eligible=((0, 2),),
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def test_fixed_edges_link_what_the_verifier_does_not_trust() -> None:
    # With the link at 0.99: x and z give 0.7 + 0.2 + (0.2 + 0.1 ln 0.99) > 0.7 + 0.3 = x and y.
    found = edge_comparison([tiny()], settings=TINY)
    assert found == EdgeComparison(
        fixed_edges=1,
        ecv_edges=0,
        fixed_components=1,
        ecv_components=2,
        fixed_hit=100,
        ecv_hit=0,
    )
    exact = edge_comparison([tiny()], settings=TINY, method="exact")
    assert exact == found
    assert edge_comparison([]).fixed_edges == 0


def test_the_trace_of_one_swap_and_one_edge_by_hand() -> None:
    weight = 0.99 * 4 / 5
    gain = 0.2 + 0.1 * math.log(weight)  # B_e
    found = search_trace([tiny(edges=((0, 2, weight),)), tiny()], settings=TINY)
    assert (found.questions, found.improved) == (2, 1)
    (swap,) = found.swap_gains
    assert swap.value == pytest.approx(0.4 - 0.5 + gain)  # z for y, and the link
    assert swap.count == 1
    (edge,) = found.edge_gains
    assert edge.value == pytest.approx(gain)
    assert edge.count == 1


def test_a_question_with_fewer_edges_keeps_its_last_sum() -> None:
    settings = replace_settings(budget=3)
    strong, weak = 0.99, 0.5
    two = tiny(edges=((0, 2, strong), (0, 1, weak)))
    one = tiny(edges=((0, 2, strong),))
    first, second = (0.2 + 0.1 * math.log(weight) for weight in (strong, weak))
    found = search_trace([two, one], settings=settings)
    assert [each.value for each in found.edge_gains] == pytest.approx(
        [first, (first + second + first) / 2]
    )
    assert [each.count for each in found.edge_gains] == [2, 2]
    assert found.swap_gains == ()


def replace_settings(**changes: object) -> ForestSettings:
    return TINY.model_copy(update=changes)


def test_a_case_without_a_utility_for_each_candidate_is_refused() -> None:
    with pytest.raises(InvalidDataError, match="12 candidates have 1 utilities"):
        case(("m0",), utilities=(0.5,))


def test_cases_survive_json() -> None:
    made = tiny(edges=((0, 2, 0.75),))
    assert FrozenCase.from_json(made.to_json()) == made


def test_the_merged_trace_is_over_all_questions() -> None:
    found = merged_trace([[0.3, 0.1], [0.2], []])
    assert [each.value for each in found] == pytest.approx([0.5 / 3, 0.6 / 3])
    assert {each.count for each in found} == {3}


def test_recovery_can_count_what_the_reader_receives() -> None:
    case = FrozenCase(
        "c",
        "q",
        "",
        ("g", "h"),
        ("a",),
        ("a", "g", "h"),
        (0.9, 0.8, 0.7),
        (),
        (),
        ("g", "h"),
        ("g",),
    )
    assert structural_recovery([case]).recovered_questions == 1
    assert structural_recovery([replace(case, refined=("a",))], received=True).rate == 0
