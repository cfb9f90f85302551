"""The one function that scores vectors, and the exact cut that makes it enough.

A fast scan works with rounded numbers: float16 rows on SQLite, halfvec on PostgreSQL. `ERROR`
bounds how far such a score can be from the float32 score, so every memory that could be among the
best `limit` is found with a margin of twice that, and only those are scored again, here, in
float32. Both stores therefore return the same memories in the same order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from graphmemix.errors import InvalidDataError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

ERROR = 1.1e-3
"""Largest difference between a scan's score and the float32 score of unit vectors.

Rounding a component to float16 changes it by at most 2^-11 of itself (or 2^-25 near zero), so with
both sides rounded the dot product moves by at most 2 * 2^-11 = 0.00098 (Cauchy-Schwarz), and sums
in float32 add less than 0.0001 up to thousands of dimensions.
"""

_UNIT_TOLERANCE = 1e-3


Scored: TypeAlias = tuple[float, int, int, int]
"""A view's exact score, its memory's number, its ordinal and its kind's code."""


def scores(rows: NDArray[np.float32], query: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the dot product of each row with the query.

    Each row is summed by itself, always in the same order: unlike a matrix product, the result
    does not depend on which other rows are scored with it.
    """
    products = np.ascontiguousarray(rows, dtype=np.float32) * query
    summed: NDArray[np.float32] = np.add.reduce(products, axis=1)
    return summed


def best(scored: Iterable[Scored]) -> Iterable[Scored]:
    """Return the best view of each memory: highest score, then lowest ordinal."""
    kept: dict[int, Scored] = {}
    for item in scored:
        score, mid, ordinal, _ = item
        held = kept.get(mid)
        if held is None or score > held[0] or (score == held[0] and ordinal < held[2]):
            kept[mid] = item
    return kept.values()


def unit(vector: object, what: str, dimension: int | None = None) -> NDArray[np.float32]:
    """Return `vector` as a float32 unit vector.

    Lengths within 0.1 % of 1 are put right; anything else is refused.

    Raises:
        InvalidDataError: Not finite, zero, not of unit length, or of another dimension.
    """
    try:
        array = np.asarray(vector, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidDataError(f"{what}: is not a vector of numbers") from None
    if array.ndim != 1 or array.size == 0:
        raise InvalidDataError(f"{what}: must have one dimension, not shape {array.shape}")
    if dimension is not None and array.size != dimension:
        raise InvalidDataError(f"{what}: has {array.size} dimensions, the archive {dimension}")
    if not np.isfinite(array).all():
        raise InvalidDataError(f"{what}: holds NaN or infinite numbers")
    with np.errstate(over="ignore"):
        length = float(np.sqrt(np.dot(array, array)))
    if not abs(length - 1) <= _UNIT_TOLERANCE:
        raise InvalidDataError(f"{what}: must be a unit vector, its length is {length:.4g}")
    return np.asarray(array if abs(length - 1) < 1e-6 else array / length, dtype=np.float32)
