"""Ours beside other systems, from the artefacts of a run: evidence, differences and cost."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any

from graphmemix_bench.measures.comparison import compare
from graphmemix_bench.measures.evidence import summarise
from graphmemix_bench.measures.lifecycle import add_up
from graphmemix_bench.runs.configurations import configurations, other_systems
from graphmemix_bench.runs.execute import read_sessions
from graphmemix_bench.runs.ladder import RUNGS
from graphmemix_bench.runs.outcome import RunReader
from graphmemix_bench.runs.stages import build_total_key, digest_key

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from graphmemix_bench.measures.evidence import QuestionScores
    from graphmemix_bench.runs.configurations import Configuration
    from graphmemix_bench.runs.outcome import Outcome

OURS = ("multi_view", "hybrid", "node", "forest")
"""The rungs of ours that stand beside other systems."""


def baselines_report(folder: Path) -> dict[str, Any]:
    """Return evidence metrics of our rungs and of all other systems, for JSON.

    Raises:
        InvalidInputError: There is no run in this folder, or a file of it is damaged.
    """
    run = RunReader(folder)
    ways = configurations([RUNGS[key] for key in OURS], run.verifiers)
    ways += other_systems(run.heads)
    found: dict[str, list[Outcome]] = {way.rung.key: [] for way in ways}
    for asked in run.asked:
        for way in ways:
            done = run.outcome(asked, way)
            if done is not None:
                found[way.rung.key].append(done)
    forest = _scores(found["forest"])
    who = run.about.coefficients
    return {
        "dataset": run.head.dataset,
        "contexts": list(dict.fromkeys(each.context for each in run.asked)),
        "questions": sum(bool(each.row.gold) for each in run.asked),
        "encoder": run.head.identities["encoder"],
        "budget": run.budget,
        "rows": [
            _row(way, found[way.rung.key], forest, run)
            for way in ways
            if _scores(found[way.rung.key])
        ],
        "coefficients": {
            "shipped": list(who.given if who else ()),
            "refitted_without_the_context": list(who.refitted if who else ()),
            "not_judged": list(who.skipped if who else ()),
        },
        "seconds": round(sum(each.seconds for each in read_sessions(folder)), 1),
    }


def _row(
    way: Configuration,
    outcomes: Sequence[Outcome],
    forest: Sequence[QuestionScores],
    run: RunReader,
) -> dict[str, Any]:
    rows = _scores(outcomes)
    means = summarise(rows)
    metrics = [f"{name}_at_{run.budget}" for name in ("recall", "hit", "all")]
    head = way.baseline
    kind = "ours" if head is None else "bound" if head.bound else "other"
    row: dict[str, Any] = {
        "name": way.rung.name,
        "key": way.rung.key if head is None else head.name,
        "kind": kind,
        "questions": means[metrics[0]].count,
        **{key: round(means[key].value, 2) for key in metrics},
        "memories": round(fmean(len(each.chosen.picks) for each in outcomes), 2),
        "store_seconds": round(_stored(way, run), 3),
        "question_ms": round(1000 * fmean(each.cost.seconds for each in outcomes), 2),
        "intervals": {
            key: [round(means[key].low, 2), round(means[key].high, 2)] for key in metrics
        },
        "differs": "" if head is None else head.differs,
    }
    if way.rung.key != "forest" and forest:
        row["forest_less_this"] = {
            key: _difference(key, way.rung.name, rows, forest) for key in metrics
        }
    return row


def _difference(
    metric: str, name: str, rows: Sequence[QuestionScores], forest: Sequence[QuestionScores]
) -> list[float]:
    gap = compare(metric, (name, rows), ("forest", forest)).difference
    return [round(value, 2) for value in (gap.value, gap.low, gap.high)]


def _stored(way: Configuration, run: RunReader) -> float:
    """Return the seconds that it took to store all contexts."""
    seconds = 0.0
    for context, content in dict.fromkeys((each.context, each.content) for each in run.asked):
        if way.baseline is None:
            ours = run.stages.get(digest_key(context, content))
            seconds += ours.cost.seconds if ours else 0.0
        else:
            key = build_total_key(context, content, way.baseline.identity)
            theirs = run.stages.get(key)
            seconds += add_up(theirs.costs).seconds if theirs else 0.0
    return seconds


def _scores(outcomes: Sequence[Outcome]) -> list[QuestionScores]:
    return [each.evidence for each in outcomes if each.evidence is not None]
