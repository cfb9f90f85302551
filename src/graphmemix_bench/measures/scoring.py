"""From what was selected and said to the scores of one question, in percent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmemix_bench.measures.evidence import QuestionScores, evidence_values, metrics_at
from graphmemix_bench.measures.native import choice_match, exact_match, lexical_recall, qs_value
from graphmemix_bench.measures.release import (
    release_choice_match,
    release_exact_match,
    release_list_overlap,
    release_recall,
)
from graphmemix_bench.measures.release_atm import atm_match

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from graphmemix_bench.datasets.base import GoldQuestion
    from graphmemix_bench.datasets.catalogue import NativeMetric
    from graphmemix_bench.judge import Judgment, Prediction


def evidence_scores(
    context: str,
    question: GoldQuestion,
    proposal: Sequence[str],
    *,
    refined: Collection[str] | None = None,
    pool: Collection[str] | None = None,
    budget: int = 10,
    counted: int | None = None,
) -> QuestionScores:
    """Return the evidence metrics of a question that has gold.

    Args:
        context: The archive that it was asked of.
        question: What was asked.
        proposal: What was selected, in order; its first `budget` count.
        refined: What the reader gets, after refinement; None if there was none.
        pool: All candidates; None if they are not of interest.
        budget: ``K``, part of the metrics' names.
        counted: How many of `proposal` count instead of `budget`, for bounds that take more.

    Raises:
        InvalidInputError: The question has no gold.
    """
    first = proposal[: budget if counted is None else counted]
    values = metrics_at(budget, first, question.gold)
    if refined is not None:
        inside = evidence_values(refined, question.gold)
        values |= {
            "refined_recall": inside.recall,
            "refined_hit": inside.hit,
            "refined_all": inside.all,
        }
    if pool is not None:
        values["pool_recall"] = evidence_values(pool, question.gold).recall
    return QuestionScores(context, question.id, question.type, values, question.group)


def answer_scores(
    context: str,
    question: GoldQuestion,
    prediction: Prediction,
    judgment: Judgment | None,
    metrics: Iterable[NativeMetric],
) -> QuestionScores:
    """Return the judge's verdict and the data set's own metrics of one answer.

    A metric that does not apply to the question (options where there are none, QS of an open
    question without a verdict) is not there. A reader that failed scores 0 in all that apply.
    """
    said = "" if prediction.error else prediction.text
    values: dict[str, float] = {}
    if judgment is not None:
        values["judge"] = 100.0 * judgment.correct
        if question.group != question.id:  # each rotation counts, as published figures do
            values["judge_rows"] = values["judge"]
    verdict = None if judgment is None else judgment.correct
    for metric in metrics:
        value = _native(metric, question, said, judged=verdict)
        if value is not None:
            values[metric] = value
    return QuestionScores(context, question.id, question.type, values, question.group)


def _native(
    metric: NativeMetric, question: GoldQuestion, said: str, *, judged: bool | None
) -> float | None:
    options = bool(question.choices)
    if metric == "mcq_exact_match":
        return choice_match(said, question) if options else None
    if metric == "exact_match":
        return None if options else exact_match(said, question.reference)
    if metric == "lexical_recall":
        return lexical_recall(said, question.reference)
    if metric.startswith("release_"):
        return _release(metric, question, said)
    if judged is None and question.response_type not in {"number", "list"}:
        return None
    return qs_value(question, said, judged=judged)


def _release(metric: NativeMetric, question: GoldQuestion, said: str) -> float | None:
    """Return a metric as the release computes it; None where it does not apply."""
    if metric == "release_choice_match":
        return release_choice_match(said, question) if question.choices else None
    if metric == "release_list_overlap":
        is_list = question.response_type == "list"
        return release_list_overlap(said, question.reference) if is_list else None
    if metric == "release_atm_match":
        is_list = question.response_type == "list"
        return None if is_list else atm_match(said, question.reference, question.question.text)
    if metric == "release_recall":
        return release_recall(said, question.reference)
    return None if question.choices else release_exact_match(said, question.reference)
