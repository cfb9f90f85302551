"""Two ways on the same questions: joint against two calls, one rung of the ladder and the next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphmemix.errors import InvalidInputError
from graphmemix.record import Record
from graphmemix_bench.measures.evidence import QuestionScores, clusters_of, values_of
from graphmemix_bench.measures.intervals import Estimate, mean_interval, paired_difference

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True)
class Comparison(Record):
    """One metric under two configurations, on the questions that both answered.

    Attributes:
        metric: Which.
        first: The name of one.
        second: The name of the other.
        first_score: Its mean.
        second_score: The other's.
        difference: Second minus first, paired by question; see `metrics.clusters_of`.
        only_first: Questions where the first scored higher.
        only_second: Questions where the second did.
    """

    metric: str
    first: str
    second: str
    first_score: Estimate
    second_score: Estimate
    difference: Estimate
    only_first: int
    only_second: int


def compare(
    metric: str,
    first: tuple[str, Iterable[QuestionScores]],
    second: tuple[str, Iterable[QuestionScores]],
) -> Comparison:
    """Compare two configurations, each given as (name, rows).

    Raises:
        InvalidInputError: No question has the metric under both.
    """
    ours, theirs = values_of(first[1], metric), values_of(second[1], metric)
    both = [key for key in ours if key in theirs]
    if not both:
        raise InvalidInputError(f"{first[0]} and {second[0]} share no question with {metric!r}")
    a, b = [ours[key] for key in both], [theirs[key] for key in both]
    contexts = clusters_of([context for context, _ in both])
    return Comparison(
        metric,
        first[0],
        second[0],
        mean_interval(a, contexts),
        mean_interval(b, contexts),
        paired_difference(b, a, contexts),
        only_first=sum(x > y for x, y in zip(a, b, strict=True)),
        only_second=sum(y > x for x, y in zip(a, b, strict=True)),
    )
