"""Bootstrap confidence intervals: of a mean, and of the difference of two.

Percentile bootstrap, seeded: the same values give the same interval. Questions about one archive
are not independent, so intervals can also be clustered: whole contexts are drawn with replacement,
and the mean is over all questions drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphmemix.errors import InvalidInputError
from graphmemix.record import Record

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

RESAMPLES = 2000
LEVEL = 0.95

_BATCH = 250  # resamples at a time, so that memory stays small


@dataclass(frozen=True)
class Estimate(Record):
    """A mean, or a difference of means, with its interval.

    Attributes:
        value: The mean of what was measured.
        low: Lower end of the interval.
        high: Upper end.
        count: How many questions it is over.
        level: The share of intervals that hold the truth.
        clusters: How many contexts were drawn from; 0 if questions were.
    """

    value: float
    low: float
    high: float
    count: int
    level: float = LEVEL
    clusters: int = 0


def mean_interval(
    values: Sequence[float],
    clusters: Sequence[Hashable] | None = None,
    *,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    seed: int = 0,
) -> Estimate:
    """Return the mean of `values` with its interval.

    Args:
        values: One per question.
        clusters: The context of each; None draws questions one by one.
        resamples: How often is drawn.
        level: Between 0 and 1.
        seed: Of the draws.

    Raises:
        InvalidInputError: No values, values that are no numbers, or other lengths.
    """
    array = _checked(values, level, resamples)
    means, count = _means(array, _groups(clusters, len(array)), resamples, seed)
    low, high = _ends(means, level)
    return Estimate(float(array.mean()), low, high, len(array), level, count)


def paired_difference(
    ours: Sequence[float],
    theirs: Sequence[float],
    clusters: Sequence[Hashable] | None = None,
) -> Estimate:
    """Return mean(ours) - mean(theirs) on the same questions, in the same order.

    Raises:
        InvalidInputError: They do not pair, or see `mean_interval`.
    """
    if len(ours) != len(theirs):
        raise InvalidInputError(f"{len(ours)} values do not pair with {len(theirs)}")
    gaps = [a - b for a, b in zip(ours, theirs, strict=True)]
    return mean_interval(gaps, clusters)


def _checked(values: Sequence[float], level: float, resamples: int) -> NDArray[np.float64]:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or not array.size:
        raise InvalidInputError("an interval needs at least one value")
    if not np.isfinite(array).all():
        raise InvalidInputError("an interval needs finite values")
    if not 0 < level < 1 or resamples < 1:
        raise InvalidInputError("an interval needs a level in (0, 1) and resamples >= 1")
    return array


def _groups(clusters: Sequence[Hashable] | None, length: int) -> NDArray[np.intp] | None:
    """Return each question's cluster as a number, in order of appearance."""
    if clusters is None:
        return None
    if len(clusters) != length:
        raise InvalidInputError(f"{len(clusters)} clusters do not go with {length} values")
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(each, len(numbers)) for each in clusters], dtype=np.intp)


def _means(
    values: NDArray[np.float64], groups: NDArray[np.intp] | None, resamples: int, seed: int
) -> tuple[NDArray[np.float64], int]:
    """Return the mean of each resample, and the number of clusters (0 without)."""
    if groups is None:
        sums: NDArray[np.float64] = values
        sizes, clusters = np.ones_like(values), 0
    else:
        sums = np.bincount(groups, weights=values).astype(np.float64)
        sizes = np.bincount(groups).astype(np.float64)
        clusters = len(sums)
    random = np.random.default_rng(seed)
    parts = []
    for first in range(0, resamples, _BATCH):
        drawn = random.integers(len(sums), size=(min(_BATCH, resamples - first), len(sums)))
        parts.append(sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1))
    return np.concatenate(parts), clusters


def _ends(means: NDArray[np.float64], level: float) -> tuple[float, float]:
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
