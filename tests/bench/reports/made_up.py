"""A small result, made up for the tests of reports: no figure in it was measured."""

from __future__ import annotations

from graphmemix_bench.datasets.counts import check
from graphmemix_bench.measures.comparison import compare
from graphmemix_bench.measures.diagnostics import (
    EdgeComparison,
    GoldAccessibility,
    NetGold,
    SearchTrace,
    StructuralRecovery,
)
from graphmemix_bench.measures.evidence import QuestionScores
from graphmemix_bench.measures.intervals import Estimate
from graphmemix_bench.measures.lifecycle import Cost, Lifecycle
from graphmemix_bench.measures.reliability import reliability
from graphmemix_bench.reports import (
    BenchReport,
    ConfigurationResult,
    RecallCurve,
    SelectorResult,
)

NAMES = ("embedding top-K", "+ multi-view", "+ node verifier", "+ ECV rerank", "+ forest")


def estimate(value: float, width: float = 3.0, count: int = 120) -> Estimate:
    return Estimate(value, value - width, value + width, count, clusters=6)


def scores(shift: float) -> list[QuestionScores]:
    return [
        QuestionScores(f"c{i % 3}", f"Q{i}", "FR", {"recall_at_10": float((i * 37 + shift) % 101)})
        for i in range(12)
    ]


def configurations() -> tuple[ConfigurationResult, ...]:
    made = []
    for index, name in enumerate(NAMES):
        value = 60 + 4.3 * index - 0.6 * index**2
        made.append(
            ConfigurationResult(
                name,
                {
                    "recall_at_10": estimate(value),
                    "hit_at_10": estimate(value + 18, 2),
                    "all_at_10": estimate(value - 22, 4),
                },
                {
                    "FR": {"recall_at_10": estimate(value + 5, 5, 70)},
                    "VS|x": {"recall_at_10": estimate(value - 9, 6, 50)},
                },
                Lifecycle(
                    Cost(31.5),
                    Cost(2.0 * 6**index, 120 * index, 90_000 * index, 4_000 * index, 0.02 * index),
                    900,
                    120,
                ),
                seconds=2.0 * 6**index,
                figures={"refined_size": 10 - index},
            )
        )
    return tuple(made)


def report() -> BenchReport:
    utilities = [i / 200 for i in range(200)]
    return BenchReport(
        dataset="mem-gallery",
        title="Mem-Gallery <made up>",
        contexts=("c0", "c1", "c2"),
        questions=130,
        annotated=120,
        headline="recall_at_10",
        configurations=configurations(),
        published="mem_gallery",
        counts=check({"contexts": 3, "questions": 130}, {"contexts": 20, "questions": 1711}),
        selectors=(
            SelectorResult("node_top_k", {"recall_at_10": estimate(66.0)}, NetGold(0, 40)),
            SelectorResult("dpp", {"recall_at_10": estimate(61.0)}, NetGold(-7, 40)),
            SelectorResult("exact_forest", {"recall_at_10": estimate(69.5)}, NetGold(12, 40)),
        ),
        comparisons=(compare("recall_at_10", ("a", scores(0)), ("b", scores(11))),),
        joint=(compare("recall_at_10", ("joint", scores(3)), ("two calls", scores(9))),),
        accessibility=GoldAccessibility(60.0, 30.0, 10.0, 240),
        recovery=StructuralRecovery(50, 30, 60.0, 18.5),
        edges=EdgeComparison(7.1, 1.4, 2.9, 8.6, 91.0, 94.5),
        trace=SearchTrace(
            (estimate(0.21, 0.04, 44), estimate(0.12, 0.03, 21), estimate(0.05, 0.02, 6)),
            (estimate(0.15, 0.02, 80), estimate(0.22, 0.03, 80), estimate(0.25, 0.03, 80)),
            120,
            44,
        ),
        reliability={
            "utility": reliability(
                utilities, [p**1.3 > (i * 7919 % 200) / 200 for i, p in enumerate(utilities)]
            ),
        },
        curves=(
            RecallCurve(
                "embedding top-K", (1, 2, 5, 10, 20, 48), (21.0, 33.0, 50.0, 60.0, 71.0, 80.0)
            ),
            RecallCurve("+ forest", (1, 2, 5, 10, 20, 48), (28.0, 41.0, 58.0, 69.0, 78.0, 88.0)),
        ),
        command="graphmemix bench ladder --dataset mem-gallery --data DIR",
        identities={"encoder": "hashing/256", "verifier": "local/1"},
        environment={"python": "3.11", "cores": "2"},
        data="ab" * 32,
        seconds=83.2,
        notes=("Coefficients were refitted without the context asked.",),
    )
