"""Logistic regression, small and readable: named features, one weight each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from graphmemix.errors import InvalidDataError
from graphmemix.record import Record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_ITERATIONS = 50
_CLOSE_ENOUGH = 1e-7
_FARTHEST = 30.0  # log-odds beyond which a probability is practically 0 or 1
_SMALLEST = 1e-6  # distance that probabilities keep from 0 and 1 in log-odds


@dataclass(frozen=True)
class Weight(Record):
    """The weight of one feature: it contributes ``weight * (value - mean) / scale``."""

    weight: float
    mean: float
    scale: float


@dataclass(frozen=True)
class Logistic(Record):
    """``P = sigmoid(intercept + sum of the features' contributions)``.

    A feature that does not apply to a row is NaN there, and counts as if it were average.

    Attributes:
        intercept: The log-odds of an average row.
        weights: By feature name, in the order of the columns.
    """

    intercept: float
    weights: dict[str, Weight]

    def log_odds(self, rows: Floats) -> Floats:
        """Return the log-odds of rows whose columns are the features in order."""
        parts = list(self.weights.values())
        if rows.shape[1] != len(parts):
            raise InvalidDataError(
                f"model: has {len(parts)} features, but the rows have {rows.shape[1]}"
            )
        means = np.array([part.mean for part in parts])
        factors = np.array([part.weight / part.scale for part in parts])
        return np.asarray(_filled(rows - means) @ factors + self.intercept)

    def probability(self, rows: Floats) -> Floats:
        """Return the probabilities of rows."""
        return sigmoids(self.log_odds(rows))

    def plain(self) -> tuple[float, ...]:
        """Return the factor of each unstandardised feature, in order, and then the offset."""
        parts = list(self.weights.values())
        factors = [part.weight / part.scale for part in parts]
        means = [part.mean for part in parts]
        offset = self.intercept - sum(f * m for f, m in zip(factors, means, strict=True))
        return (*factors, offset)

    @classmethod
    def fit(
        cls,
        names: Sequence[str],
        rows: Floats,
        labels: Floats,
        *,
        ridge: float = 5.0,
        counts: Floats | None = None,
        start: Logistic | None = None,
    ) -> Self:
        """Return the model of maximum penalised likelihood, by Newton's method.

        Features are standardised; `ridge` is the penalty of a squared weight, and the intercept is
        not penalised. `counts` says how many times each row counts. Deterministic; costs a few
        passes over the rows. The likelihood has one maximum: a `start` near it saves passes and
        changes nothing else.

        Raises:
            InvalidDataError: There are no rows, or all have the same label.
        """
        if len(labels) == 0 or labels.min() == labels.max():
            raise InvalidDataError("fit: needs rows with both outcomes")
        mean = _filled(rows).sum(axis=0) / np.maximum(1, np.isfinite(rows).sum(axis=0))
        centred = _filled(rows - mean)
        scale = np.sqrt((centred**2).mean(axis=0))
        scale[scale < _CLOSE_ENOUGH] = 1.0  # a constant column gets weight 0
        design = np.column_stack([np.ones(len(rows)), centred / scale])
        penalty = np.full(design.shape[1], ridge)
        penalty[0] = 0.0
        begin = None if start is None else start._standardised(mean, scale)  # noqa: SLF001
        often = np.ones(len(labels)) if counts is None else counts
        weights = _Likelihood(design, labels, penalty, often).summit(begin)
        parts = zip(names, weights[1:], mean, scale, strict=True)
        named = {name: Weight(float(w), float(m), float(s)) for name, w, m, s in parts}
        return cls(float(weights[0]), named)

    def _standardised(self, mean: Floats, scale: Floats) -> Floats:
        """Return intercept and weights for another standardisation of the features."""
        parts = list(self.weights.values())
        raw = np.array([part.weight / part.scale for part in parts])
        means = np.array([part.mean for part in parts])
        return np.concatenate([[self.intercept + raw @ (mean - means)], raw * scale])


class _Likelihood:
    """The negative penalised log-likelihood of weights; it has one minimum."""

    def __init__(self, design: Floats, labels: Floats, penalty: Floats, counts: Floats) -> None:
        self._design, self._labels, self._penalty = design, labels, penalty
        self._counts = counts

    def summit(self, begin: Floats | None) -> Floats:
        """Return the best weights, in five to ten steps of one or two passes over the rows."""
        weights = np.zeros(self._design.shape[1])
        loss = self._loss(weights)
        if begin is not None and self._loss(begin) < loss:  # far away, Newton's steps diverge
            weights, loss = begin, self._loss(begin)
        for _ in range(_ITERATIONS):
            step = self._step(weights)
            while self._loss(weights - step) > loss + _CLOSE_ENOUGH:
                step = step / 2
            weights = weights - step
            loss = self._loss(weights)
            if np.abs(step).max() < _CLOSE_ENOUGH:
                break
        return weights

    def _loss(self, weights: Floats) -> float:
        odds = self._design @ weights
        missed = np.logaddexp(0.0, odds) - self._labels * odds
        return float(self._counts @ missed + (self._penalty * weights**2).sum() / 2)

    def _step(self, weights: Floats) -> Floats:
        guess = sigmoids(self._design @ weights)
        missed = self._counts * (guess - self._labels)
        slope = self._design.T @ missed + self._penalty * weights
        spread = (self._counts * guess * (1 - guess))[:, None]
        curvature = (self._design * spread).T @ self._design + np.diag(self._penalty)
        return np.asarray(np.linalg.solve(curvature, slope))


def _filled(rows: Floats) -> Floats:
    """Return rows with 0 where a feature does not apply."""
    return np.where(np.isfinite(rows), rows, 0.0)


def sigmoids(values: Floats) -> Floats:
    """Return the logistic function of each value, without overflow."""
    return np.asarray(1 / (1 + np.exp(-np.clip(values, -_FARTHEST, _FARTHEST))))


def log_odds(probabilities: Floats) -> Floats:
    """Return the log-odds of probabilities, kept finite."""
    safe = np.clip(probabilities, _SMALLEST, 1 - _SMALLEST)
    return np.asarray(np.log(safe / (1 - safe)))


def log_loss(probabilities: Floats, labels: Floats) -> float:
    """Return the mean negative log-likelihood, in nats."""
    safe = np.clip(probabilities, _SMALLEST, 1 - _SMALLEST)
    return float(-(labels * np.log(safe) + (1 - labels) * np.log(1 - safe)).mean())
