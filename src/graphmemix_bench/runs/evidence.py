"""How much of the gold evidence each step finds, from the artefacts of a run without a model."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any

from graphmemix_bench.measures.comparison import compare
from graphmemix_bench.measures.evidence import summarise
from graphmemix_bench.measures.reliability import auroc
from graphmemix_bench.runs.configurations import configurations
from graphmemix_bench.runs.execute import read_sessions
from graphmemix_bench.runs.ladder import EVIDENCE
from graphmemix_bench.runs.outcome import Outcome, RunReader

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from graphmemix_bench.measures.evidence import QuestionScores


def evidence_report(folder: Path) -> dict[str, Any]:
    """Return the evidence metrics of every step, and of the forest by context and type, for JSON.

    Raises:
        InvalidInputError: There is no run in this folder, or a file of it is damaged.
    """
    run = RunReader(folder)
    steps = configurations(EVIDENCE, ["local"])
    found: dict[str, list[Outcome]] = {each.rung.key: [] for each in steps}
    for asked in run.asked:  # one question after the other: its records are remembered
        for each in steps:
            done = run.outcome(asked, each)
            if done is not None:
                found[each.rung.key].append(done)
    who = run.about.coefficients
    forest = found["forest"]
    return {
        "dataset": run.head.dataset,
        "contexts": list(dict.fromkeys(each.context for each in run.asked)),
        "questions": sum(bool(each.row.gold) for each in run.asked),
        "encoder": run.head.identities["encoder"],
        "configurations": [
            _row(each.rung.name, found[each.rung.key], run.budget)
            for each in steps
            if _scores(found[each.rung.key])
        ],
        "by_context": _by_context(forest, run.budget),
        "by_type": _by_type(forest, run.budget),
        "coefficients": {
            "shipped": list(who.given if who else ()),
            "refitted_without_the_context": list(who.refitted if who else ()),
            "not_judged": list(who.skipped if who else ()),
        },
        **_forest(found, run.budget),
        "seconds": round(sum(each.seconds for each in read_sessions(folder)), 1),
    }


def _row(name: str, outcomes: Sequence[Outcome], budget: int) -> dict[str, Any]:
    found = summarise(_scores(outcomes))
    keys = _metrics(budget)
    refines = "refined_recall" in found
    sizes = [
        len(each.chosen.memory_ids) for each in outcomes if each.question.gold and each.chosen.picks
    ]
    refined: dict[str, float] = {
        name: round(found[f"refined_{name}" if refines else key].value, 2)
        for name, key in zip(("recall", "hit", "all"), keys, strict=True)
    }
    return {
        "name": name,
        **{key: round(found[key].value, 2) for key in keys},
        "refined": {**refined, "size": round(fmean(sizes), 2) if refines else float(budget)},
        "pool_recall": round(found["pool_recall"].value, 2),
        "seconds": round(sum(each.cost.seconds for each in outcomes), 2),
        "intervals": {key: [round(found[key].low, 2), round(found[key].high, 2)] for key in keys},
    }


def _by_context(outcomes: Sequence[Outcome], budget: int) -> list[dict[str, Any]]:
    names = dict.fromkeys(each.context for each in outcomes)
    parts = {name: [each for each in outcomes if each.context == name] for name in names}
    return [_part(name, mine, budget) for name, mine in parts.items() if _scores(mine)]


def _by_type(outcomes: Sequence[Outcome], budget: int) -> list[dict[str, Any]]:
    """Return the figures of each type of question.

    Unanswerable questions are often a type of their own, so the chances of each type's answerable
    questions are compared with those of all unanswerable ones.
    """
    refusals = [each for each in outcomes if not each.answerable]
    rows = []
    for name in sorted({each.question.type for each in outcomes}):
        mine = [each for each in outcomes if each.question.type == name]
        if _scores(mine):
            area = _auroc([*(each for each in mine if each.answerable), *refusals])
            rows.append({**_part(name, mine, budget), "auroc": area})
    return rows


def _part(name: str, mine: Sequence[Outcome], budget: int) -> dict[str, Any]:
    means = summarise(_scores(mine))
    return {
        "name": name,
        "questions": len(_scores(mine)),
        "pool_recall": round(means["pool_recall"].value, 2),
        "pool_size": round(fmean(len(each.pool) for each in mine if each.evidence), 2),
        **{key: round(means[key].value, 2) for key in _metrics(budget)},
        "auroc": _auroc(mine),
    }


def _auroc(outcomes: Sequence[Outcome]) -> float | None:
    """Return how well the stated chance separates answerable questions from the others."""
    pairs = [(each.chance, each.answerable) for each in outcomes if each.chance is not None]
    area = auroc([chance for chance, _ in pairs], [holds for _, holds in pairs])
    return None if area is None else round(area, 3)


def _forest(found: dict[str, list[Outcome]], budget: int) -> dict[str, Any]:
    """Return what the forest does that the other ways to choose from the same scores do not."""
    forests = [
        (each, other)
        for each, other in zip(found["forest"], found["node"], strict=True)
        if each.question.gold and each.chosen.forest is not None
    ]
    if not forests:
        return {}
    links = [len(each.chosen.forest.links) for each, _ in forests if each.chosen.forest]
    differs = [set(each.chosen.picks) != set(other.chosen.picks) for each, other in forests]
    name, *others = reversed([rung for rung in EVIDENCE if rung.variant is None])
    comparisons = []
    for other in reversed(others):
        for metric in _metrics(budget):
            both = compare(
                metric,
                (other.name, _scores(found[other.key])),
                (name.name, _scores(found[name.key])),
            )
            comparisons.append(
                {
                    "metric": metric,
                    "of": name.name,
                    "against": other.name,
                    "difference": round(both.difference.value, 2),
                    "low": round(both.difference.low, 2),
                    "high": round(both.difference.high, 2),
                }
            )
    return {
        "forest": {
            "links_per_proposal": round(fmean(links), 2),
            "differs_from_top_k": round(100 * fmean(differs), 1),
            "comparisons": comparisons,
        }
    }


def _scores(outcomes: Sequence[Outcome]) -> list[QuestionScores]:
    return [each.evidence for each in outcomes if each.evidence is not None]


def _metrics(budget: int) -> tuple[str, ...]:
    return tuple(f"{name}_at_{budget}" for name in ("recall", "hit", "all"))
