from __future__ import annotations

from graphmemix_bench.measures.diagnostics import FrozenCase, NetGold
from graphmemix_bench.measures.evidence import QuestionScores
from graphmemix_bench.reports.build import (
    configuration,
    curve,
    selectors,
    steps,
)


def row(question: str, kind: str = "FR", **values: float) -> QuestionScores:
    return QuestionScores("c", question, kind, values)


def case(gold: tuple[str, ...]) -> FrozenCase:
    pool = ("x", "y", "z")
    return FrozenCase("c", gold[0] if gold else "none", "T", gold, pool, pool, (0.9, 0.5, 0.1))


def test_evidence_and_answers_stand_in_one_configuration() -> None:
    made = configuration(
        "e", [row("1", recall=50), row("2", "VS", recall=100), row("1", judge=100)], seconds=3
    )
    assert {name: each.value for name, each in made.metrics.items()} == {"recall": 75, "judge": 100}
    assert made.by_type["VS"]["recall"].count == 1
    assert made.seconds == 3


def test_each_rung_is_compared_with_the_one_below() -> None:
    ladder = [
        ("a", [row("1", r=10)]),
        ("b", [row("1", r=30, judge=0)]),
        ("c", [row("1", r=20, judge=100)]),
    ]
    found = steps(ladder, ["r", "judge"])
    told = [(each.first, each.second, each.metric, each.difference.value) for each in found]
    assert told == [("a", "b", "r", 20), ("b", "c", "r", -10), ("b", "c", "judge", 100)]


def test_selectors_have_metrics_and_net_gold() -> None:
    cases = [case(("z",)), case(("x", "y")), case(())]
    picks = {"top": [("x", "y")] * 3, "last": [("y", "z")] * 3}
    top, last = selectors(cases, picks, budget=2)
    assert (top.metrics["recall_at_2"].value, top.net) == (50, NetGold(0, 1))
    assert (last.metrics["recall_at_2"].value, last.net) == (75, NetGold(1, 1))


def test_net_gold_counts_against_the_top_k_that_was_selected() -> None:
    cases = [case(("x", "z"))]
    picks = {"node_top_k": [("y", "z")], "other": [("x", "z")]}  # by utility it would be x, y
    top, other = selectors(cases, picks, budget=2)
    assert (top.net, other.net) == (NetGold(0, 1), NetGold(1, 1))


def test_a_curve_ends_with_the_longest_ranking() -> None:
    made = curve("e", [(["x", "y", "z"], {"y"}), (["x"], {"x"})])
    assert (made.depths, made.recalls) == ((1, 2, 3), (50, 100, 100))
