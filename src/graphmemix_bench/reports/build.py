"""From the scores of single questions to the parts of a report."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from graphmemix_bench.measures.comparison import Comparison, compare
from graphmemix_bench.measures.diagnostics import FrozenCase, net_gold
from graphmemix_bench.measures.evidence import (
    QuestionScores,
    by_type,
    metrics_at,
    recall_curve,
    summarise,
)
from graphmemix_bench.reports.record import ConfigurationResult, RecallCurve, SelectorResult

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from graphmemix_bench.measures.lifecycle import Lifecycle

DEPTHS = (1, 2, 3, 5, 10, 15, 20, 30, 48)
"""Where recall against K is measured."""


def configuration(
    name: str,
    rows: Sequence[QuestionScores],
    *,
    lifecycle: Lifecycle | None = None,
    seconds: float = 0.0,
    figures: Mapping[str, float] | None = None,
) -> ConfigurationResult:
    """Return a configuration's means and intervals, in all and by type.

    Rows of evidence and rows of answers to the same questions may be mixed.
    """
    return ConfigurationResult(
        name,
        summarise(rows),
        by_type(rows),
        lifecycle,
        seconds,
        dict(figures or {}),
    )


def steps(
    ladder: Sequence[tuple[str, Sequence[QuestionScores]]], metrics: Sequence[str]
) -> tuple[Comparison, ...]:
    """Return each rung compared with the one below, for the metrics that both have."""
    return tuple(
        compare(metric, below, above)
        for below, above in pairwise(ladder)
        for metric in metrics
        if all(any(metric in row.values for row in rows) for _, rows in (below, above))
    )


def selectors(
    cases: Sequence[FrozenCase],
    picks: Mapping[str, Sequence[tuple[str, ...]]],
    *,
    budget: int = 10,
) -> tuple[SelectorResult, ...]:
    """Return every selector's evidence metrics and net gold. `budget` is in the metrics' names."""
    return tuple(
        SelectorResult(
            name,
            summarise(
                QuestionScores(
                    case.context, case.question, case.type, metrics_at(budget, found, case.gold)
                )
                for case, found in zip(cases, chosen, strict=True)
                if case.gold
            ),
            net_gold(cases, chosen, picks.get("node_top_k")),
        )
        for name, chosen in picks.items()
    )


def curve(name: str, rankings: Sequence[tuple[Sequence[str], Collection[str]]]) -> RecallCurve:
    """Return recall against K of pairs (ranking, gold), up to the longest ranking."""
    longest = max((len(ranking) for ranking, _ in rankings), default=0)
    depths = tuple(depth for depth in DEPTHS if depth <= longest)
    return RecallCurve(name, depths, tuple(recall_curve(rankings, depths).values()))
