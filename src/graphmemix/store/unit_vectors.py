"""Unit vectors: checked, scored and ranked, the same for every store.

A fast scan works with rounded numbers: float16 rows on SQLite, halfvec on PostgreSQL. `ERROR`
bounds how far such a score can be from the float32 score, so every memory that could be among the
best `limit` is found with a margin of twice that, and only those are scored again, by `scores`, in
float32. Both stores therefore return the same memories in the same order.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from graphmemix.errors import InvalidDataError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphmemix.memory import ViewKind
    from graphmemix.store.records import Vector

ERROR = 1.1e-3
"""Largest difference between a scan's score and the float32 score of unit vectors.

Rounding a component to float16 changes it by at most 2^-11 of itself (or 2^-25 near zero), so with
both sides rounded the dot product moves by at most 2 * 2^-11 = 0.00098 (Cauchy-Schwarz), and sums
in float32 add less than 0.0001 up to thousands of dimensions.
"""

_UNIT_TOLERANCE = 1e-3


def scores(rows: NDArray[np.float32], query: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the dot product of each row with the query.

    Each row is summed by itself, always in the same order: unlike a matrix product, the result
    does not depend on which other rows are scored with it.
    """
    summed: NDArray[np.float32] = np.einsum(
        "ij,j->i", np.ascontiguousarray(rows, np.float32), np.ascontiguousarray(query, np.float32)
    )
    return summed


def ranked(views: NDArray[np.int64], scores: NDArray[np.floating]) -> NDArray[np.int64]:
    """Return where the best view of each memory stands, best first; ties in any order.

    A memory's best view is the one with the highest score, then with the lowest ordinal.

    Args:
        views: A row for each view, which begins with its memory's number and its ordinal.
        scores: Of the views.
    """
    if len(set(views[:, 0].tolist())) == len(views):
        return np.argsort(-scores)
    order = np.lexsort((views[:, 1], -scores))
    _, first = np.unique(views[order, 0], return_index=True)
    first.sort()
    best: NDArray[np.int64] = order[first]
    return best


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
    with np.errstate(over="ignore", invalid="ignore"):
        length = math.sqrt(np.dot(array, array))
    if not abs(length - 1) <= _UNIT_TOLERANCE:  # or NaN
        if not np.isfinite(array).all():
            raise InvalidDataError(f"{what}: holds NaN or infinite numbers")
        raise InvalidDataError(f"{what}: must be a unit vector, its length is {length:.4g}")
    return np.asarray(array if abs(length - 1) < 1e-6 else array / length, dtype=np.float32)


def graph_vector(views: Sequence[tuple[ViewKind, Vector]]) -> Vector | None:
    """Return the one vector by which a memory is compared with others (METHOD section 1).

    It is that of its first view; for a video, the normalised mean of its frames.

    Args:
        views: Kind and vector of each view that has one, in order.
    """
    if not views:
        return None
    if views[0][0] != "frame":
        return views[0][1]
    frames = [vector for kind, vector in views if kind == "frame"]
    mean = np.mean(frames, axis=0, dtype=np.float64)
    length = float(np.sqrt(np.square(mean).sum()))
    if length == 0.0:  # opposite frames cancel each other out
        return frames[0]
    return np.asarray(mean / length, dtype=np.float32)
