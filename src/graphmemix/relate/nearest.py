"""The nearest rows of every row of a matrix, at the price of half a matrix product.

Cosines are the same both ways, so each tile of the product is worked out once and serves its rows
and its columns. A tile is looked at only where it exceeds what each row holds already; what passes
goes into the row's pool, and a pool that has grown is cut to what can still matter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Matrix: TypeAlias = NDArray[np.float32]
    Rows: TypeAlias = NDArray[np.int64]

_TILE: Final = 384  # rows: a tile of the product has 0.6 MB and stays in the processor's cache
_GROWTH: Final = 2  # how many times what it needs a pool may hold before it is cut
_SELF: Final = np.float32(-3.0)  # below every cosine


class Pairs(NamedTuple):
    """Rows and others that are near them, in no order."""

    rows: Rows
    others: Rows


def margin(dimension: int) -> float:
    """Return how far below a bound a product may lie and still be above it.

    Both the product and the sum that it is compared with are within ``d * 2^-24`` of the true dot
    product of unit vectors, so they differ by at most twice that; a bound that is itself a product
    may be off by as much.
    """
    return 4 * dimension * 2.0**-24


def nearest(matrix: Matrix, most: int) -> Iterator[Pairs]:
    """Yield, for consecutive blocks of rows, pairs among which each row's `most` nearest are.

    However a dot product is rounded: a few that only nearly belong come along. Costs O(n^2 d / 2),
    and memory for some times `most` pairs a row.
    """
    size = len(matrix)
    most = min(most, size - 1)
    pools = (
        [
            _Pool(min(_TILE, size - first), most, margin(matrix.shape[1]))
            for first in range(0, size, _TILE)
        ]
        if most > 0
        else []
    )
    product = np.empty((_TILE, _TILE), np.float32)
    for number, pool in enumerate(pools):
        first = number * _TILE
        rows = matrix[first : first + _TILE]
        for later in range(number, len(pools)):
            start = later * _TILE
            columns = matrix[start : start + _TILE]
            tile = product[: len(rows), : len(columns)]
            np.matmul(rows, columns.T, out=tile)
            if later == number:
                np.fill_diagonal(tile, _SELF)
                pool.begin(tile)
            else:
                pools[later].take(tile, first, rows_are_columns=True)
            pool.take(tile, start)
        yield Pairs(*pool.close(first))


class _Pool:
    """What may be among the nearest of the rows of one block."""

    def __init__(self, size: int, most: int, margin: float) -> None:
        self._most = most
        self._margin = np.float32(margin)
        self._bound = np.full(size, -2.0, np.float32)  # nothing below can be among the nearest
        self._parts: list[tuple[NDArray[np.int32], NDArray[np.int32], Matrix]] = []
        self._held = 0
        self._limit = _GROWTH * size * most

    def begin(self, tile: Matrix) -> None:
        """Set bounds by a first tile, before it is taken; without them all of it would pass."""
        if tile.shape[1] > self._most:
            at = tile.shape[1] - self._most
            self._bound = np.partition(tile, at, axis=1)[:, at] - self._margin

    def take(self, tile: Matrix, start: int, *, rows_are_columns: bool = False) -> None:
        """Take what passes of a tile whose other side begins at row `start` of the matrix."""
        if rows_are_columns:
            others, rows = np.divmod(np.flatnonzero(tile >= self._bound), tile.shape[1])
            values = tile[others, rows]
        else:
            rows, others = np.divmod(np.flatnonzero(tile >= self._bound[:, None]), tile.shape[1])
            values = tile[rows, others]
        if not rows.size:
            return
        self._parts.append((rows.astype(np.int32), (others + start).astype(np.int32), values))
        self._held += rows.size
        if self._held > self._limit:
            self._cut()

    def close(self, first: int) -> tuple[Rows, Rows]:
        """Return what is left, as rows of the matrix, and give the memory back."""
        rows, others = self._cut()
        self._parts = []
        return rows.astype(np.int64) + first, others.astype(np.int64)

    def _cut(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Raise the bounds, and drop what is below."""
        rows, others, values = (np.concatenate(part) for part in zip(*self._parts, strict=True))
        order = np.argsort(4.0 * rows - values)  # by row, then by falling value
        rows, others, values = rows[order], others[order], values[order]
        edges = np.searchsorted(rows, np.arange(len(self._bound) + 1))
        full = np.flatnonzero(np.diff(edges) >= self._most)
        self._bound[full] = values[edges[full] + self._most - 1] - self._margin
        keep = values >= self._bound[rows]
        self._parts = [(rows[keep], others[keep], values[keep])]
        self._held = int(np.count_nonzero(keep))
        self._limit = max(self._limit, _GROWTH * self._held)
        return self._parts[0][:2]
