"""Rows of vectors: made in batches, and at length 1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from graphmemix.errors import EncoderError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from graphmemix.encode.protocol import Matrix, Progress

__all__ = ["in_batches", "unit_rows"]

_T = TypeVar("_T")


def in_batches(
    items: Sequence[_T],
    size: int,
    dimension: int,
    encode: Callable[[int, Sequence[_T]], Matrix],
    progress: Progress | None,
) -> Matrix:
    """Return the rows of all items; `encode` gets the index of the first item of each batch."""
    rows = np.empty((len(items), dimension), dtype=np.float32)
    for first in range(0, len(items), size):
        part = items[first : first + size]
        rows[first : first + len(part)] = encode(first, part)
        if progress is not None:
            progress(first + len(part), len(items))
    return rows


def unit_rows(rows: NDArray[Any], what: str, first: int) -> Matrix:
    """Return the rows at length 1.

    Raises:
        EncoderError: A row is zero or not finite; `what` and `first` name its input.
    """
    exact = np.asarray(rows, dtype=np.float64)
    lengths = np.linalg.norm(exact, axis=1, keepdims=True)
    bad = ~np.isfinite(lengths[:, 0]) | (lengths[:, 0] == 0.0)
    if bad.any():
        at = first + int(np.argmax(bad))
        raise EncoderError(f"{what}[{at}]: the model's vector is zero or not finite")
    units: Matrix = (exact / lengths).astype(np.float32)
    return units
