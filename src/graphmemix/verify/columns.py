"""Arithmetic of the features of the local verifier: columns over the candidates of a case."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from graphmemix.text.words import terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    AnyFloats = NDArray[np.floating[Any]]

_SHARPNESS = 0.05  # cosine; how fast a candidate's share of the retrieval mass falls
_REMEMBERED = 10_000  # characters; longer texts would fill the memory of the process


def words_of(text: str) -> frozenset[str]:
    """Return the distinct words of a text; cached, since questions meet the same texts often."""
    return _remembered_words(text) if len(text) <= _REMEMBERED else frozenset(terms(text))


@lru_cache(maxsize=4096)
def _remembered_words(text: str) -> frozenset[str]:
    return frozenset(terms(text))


def mass_of(scores: Floats) -> Floats:
    """Return shares that sum to 1 and fall quickly below the best score."""
    power = np.exp((scores - scores.max(initial=-math.inf)) / _SHARPNESS)
    return np.asarray(power / max(power.sum(), 1e-12))


def share_of_best(values: Floats) -> Floats:
    """Return values as shares of the greatest; all 0 if none is above 0."""
    best = values.max(initial=0.0)
    return np.asarray(values / best) if best > 0 else values


def ranks(values: Floats) -> Floats:
    """Return how many values are greater, for each."""
    return np.asarray((values[None, :] > values[:, None]).sum(axis=1), dtype=float)


def best_allowed(mask: NDArray[np.bool_], values: AnyFloats, otherwise: float) -> Floats:
    """Return the best value that each row's mask allows."""
    allowed = np.where(mask, values, -np.inf)
    best = allowed.max(axis=1, initial=-np.inf)
    return np.where(np.isfinite(best), best, otherwise)


def weighted_mean(values: AnyFloats, weights: Floats) -> Floats:
    """Return the mean of each row by its weights; 0 where they are all 0."""
    return np.asarray((values * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1e-6))
