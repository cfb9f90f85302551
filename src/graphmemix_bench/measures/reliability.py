"""Whether utilities mean what they say: of all candidates at 0.7, seven in ten should be gold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphmemix.errors import InvalidInputError
from graphmemix.record import Record

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class ReliabilityBin(Record):
    """Predictions of about the same size.

    Attributes:
        low: Where the bin starts.
        high: Where it ends; only the last bin holds its end.
        predicted: Their mean.
        observed: The share that came true.
        count: How many.
    """

    low: float
    high: float
    predicted: float
    observed: float
    count: int


@dataclass(frozen=True)
class Reliability(Record):
    """All bins that hold something.

    Attributes:
        bins: From low to high.
        error: Expected calibration error: the mean gap, weighted by count.
        brier: The mean squared error of single predictions.
        count: How many predictions.
    """

    bins: tuple[ReliabilityBin, ...]
    error: float
    brier: float
    count: int


def reliability(
    predictions: Sequence[float], outcomes: Sequence[bool], *, bins: int = 10
) -> Reliability:
    """Return the reliability of probabilities.

    Raises:
        InvalidInputError: There are none, they do not pair, or one is not within 0 and 1.
    """
    p = np.asarray(predictions, dtype=np.float64)
    y = np.asarray(outcomes, dtype=np.float64)
    if p.shape != y.shape or p.ndim != 1 or not p.size:
        raise InvalidInputError("reliability needs one outcome for each of some predictions")
    if not ((p >= 0) & (p <= 1)).all():
        raise InvalidInputError("reliability needs probabilities within 0 and 1")
    where = np.minimum((p * bins).astype(np.intp), bins - 1)
    found = []
    for number in range(bins):
        inside = where == number
        if inside.any():
            found.append(
                ReliabilityBin(
                    number / bins,
                    (number + 1) / bins,
                    float(p[inside].mean()),
                    float(y[inside].mean()),
                    int(inside.sum()),
                )
            )
    error = sum(abs(each.predicted - each.observed) * each.count for each in found) / p.size
    return Reliability(tuple(found), error, float(((p - y) ** 2).mean()), int(p.size))


def auroc(predictions: Sequence[float], outcomes: Sequence[bool]) -> float | None:
    """Return the chance that a true case has a higher prediction than a false one.

    Ties count half. None if all outcomes are the same.

    Raises:
        InvalidInputError: They do not pair.
    """
    p = np.asarray(predictions, dtype=np.float64)
    y = np.asarray(outcomes, dtype=bool)
    if p.shape != y.shape:
        raise InvalidInputError("auroc needs one outcome for each prediction")
    gaps = p[y][:, None] - p[~y][None, :]
    return float(((gaps > 0) + (gaps == 0) / 2).mean()) if gaps.size else None
