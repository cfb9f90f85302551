"""Evidence metrics (METHOD section 8), in percent over annotated questions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING

from graphmemix.errors import InvalidInputError
from graphmemix.record import Record
from graphmemix_bench.measures.intervals import Estimate, mean_interval

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence


@dataclass(frozen=True)
class EvidenceScore:
    """How much of the gold was found.

    Attributes:
        recall: Mean share of the gold that was found.
        hit: Share of questions with any gold found.
        all: Share of questions with all gold found.
    """

    recall: float
    hit: float
    all: float


@dataclass(frozen=True)
class QuestionScores(Record):
    """What one question scored under one configuration, in percent.

    Attributes:
        context: The archive that it was asked of; intervals are clustered by it.
        question: Its id there.
        type: The data set's kind of question.
        values: Metric to score; a metric that does not apply is not there.
        group: Rows of one group (rotated options) count as one question.
    """

    context: str
    question: str
    type: str
    values: Mapping[str, float] = field(default_factory=dict)
    group: str = ""


def evidence_score(
    pairs: Iterable[tuple[Sequence[str] | Collection[str], Collection[str]]],
) -> EvidenceScore:
    """Return the metrics over pairs of (found, gold); questions without gold must not be there."""
    scores = [evidence_values(found, gold) for found, gold in pairs]
    if not scores:
        return EvidenceScore(0.0, 0.0, 0.0)
    return EvidenceScore(
        recall=fmean(score.recall for score in scores),
        hit=fmean(score.hit for score in scores),
        all=fmean(score.all for score in scores),
    )


def evidence_values(found: Collection[str], gold: Collection[str]) -> EvidenceScore:
    """Return the metrics of one question.

    Raises:
        InvalidInputError: It has no gold.
    """
    wanted = set(gold)
    if not wanted:
        raise InvalidInputError("a question without gold has no evidence metrics")
    share = len(wanted & set(found)) / len(wanted)
    return EvidenceScore(100 * share, 100.0 * (share > 0), 100.0 * (share == 1))


def metrics_at(budget: int, found: Collection[str], gold: Collection[str]) -> dict[str, float]:
    """Return the metrics of one question under their names at K; raises as `evidence_values`."""
    score = evidence_values(found, gold)
    return {
        f"recall_at_{budget}": score.recall,
        f"hit_at_{budget}": score.hit,
        f"all_at_{budget}": score.all,
    }


def recall_curve(
    rankings: Iterable[tuple[Sequence[str], Collection[str]]], depths: Sequence[int]
) -> dict[int, float]:
    """Return mean recall at each depth, in percent, of pairs (ranking, gold)."""
    rows = [(list(ranking), set(gold)) for ranking, gold in rankings]
    return {
        depth: evidence_score((ranking[:depth], gold) for ranking, gold in rows).recall
        for depth in depths
    }


MIN_CLUSTERS = 5
"""With fewer contexts, drawing contexts says little about the spread: questions are drawn."""


def clusters_of(contexts: Sequence[str]) -> Sequence[str] | None:
    """Return what intervals are drawn by: contexts if there are enough, or None for questions."""
    return contexts if len(set(contexts)) >= MIN_CLUSTERS else None


def summarise(rows: Iterable[QuestionScores]) -> dict[str, Estimate]:
    """Return every metric's mean and interval over the questions that have it.

    Rows of one group are averaged first, so that a question with four rotations counts once; but
    of metrics whose name ends in ``_rows`` every row counts.
    """
    metrics: dict[str, dict[tuple[str, str], list[float]]] = {}
    for row in rows:
        for name, value in row.values.items():
            each = row.question if name.endswith("_rows") else row.group or row.question
            key = (row.context, each)
            metrics.setdefault(name, {}).setdefault(key, []).append(value)
    return {
        name: mean_interval(
            [fmean(values) for values in found.values()],
            clusters_of([context for context, _ in found]),
        )
        for name, found in metrics.items()
    }


def by_type(rows: Iterable[QuestionScores]) -> dict[str, dict[str, Estimate]]:
    """Return `summarise` for each type of question, by name."""
    kinds: dict[str, list[QuestionScores]] = {}
    for row in rows:
        kinds.setdefault(row.type, []).append(row)
    return {kind: summarise(kinds[kind]) for kind in sorted(kinds)}


def values_of(rows: Iterable[QuestionScores], metric: str) -> dict[tuple[str, str], float]:
    """Return one metric's score by (context, question or group), in order."""
    found: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        if metric in row.values:
            found.setdefault((row.context, row.group or row.question), []).append(
                row.values[metric]
            )
    return {key: fmean(values) for key, values in found.items()}
