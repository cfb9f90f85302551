"""The exact scan: kernels that score float16 rows fast, and the cut that loses no owner by that."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from graphmemix.store.unit_vectors import ERROR

__all__ = [
    "Floats",
    "Halves",
    "Integers",
    "Kernel",
    "among",
    "fastest_kernel",
    "near",
    "numpy_kernel",
    "simsimd_kernel",
]

Integers: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float32]
Halves: TypeAlias = NDArray[np.float16]

Kernel: TypeAlias = Callable[[Floats, Halves, Floats], None]
"""Writes the dot product of a query with each row, within `ERROR`, into its last argument."""

_SAMPLE = 1024  # scores that are enough to guess the score of a rank
_LOWEST = -2.0  # below every score of unit vectors


def simsimd_kernel(query: Floats, rows: Halves, scores: Floats) -> None:
    """Score with simsimd, in one thread that leaves the GIL to others.

    Raises:
        ImportError: simsimd is not installed.
    """
    import simsimd

    if len(rows):
        simsimd.cdist(query.astype(np.float16)[None], rows, "dot", out=scores[None])


def numpy_kernel(query: Floats, rows: Halves, scores: Floats) -> None:
    """Score with numpy, about five times slower than simsimd.

    Moving the bits of a float16 to their places in a float32 gives 2^-112 of its value; that is
    three times faster than `astype`, and as exact.
    """
    scaled = query * np.float32(2.0**112)
    bits = rows.view(np.int16)
    for start in range(0, len(rows), 1024):
        moved = np.left_shift(bits[start : start + 1024], 13, dtype=np.int32)
        moved &= np.int32(-0x70002000)  # keeps sign, exponent and fraction
        np.dot(moved.view(np.float32), scaled, out=scores[start : start + 1024])


@cache
def fastest_kernel() -> Kernel:
    """Return simsimd's kernel if it is installed and sums in float32, else numpy's.

    With AVX512-FP16 or SVE float16, simsimd 6 sums in float16, which `ERROR` does not cover.
    """
    try:
        return simsimd_kernel if _is_precise(simsimd_kernel) else numpy_kernel
    except ImportError:
        return numpy_kernel


def _is_precise(kernel: Kernel) -> bool:
    """Return whether a kernel sums in float32; most of these sums are far from any float16."""
    rows = np.random.default_rng(0).random((64, 1024), np.float32)
    halves = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16)
    scores = np.empty(64, np.float32)
    kernel(halves[0].astype(np.float32), halves, scores)
    exact = halves.astype(np.float64) @ halves[0].astype(np.float64)
    return bool(np.abs(scores - exact).max() < 5e-5)


def near(scores: Floats, places: Integers | None, owners: Integers, limit: int) -> Integers:
    """Return the places that may matter for the best `limit` owners; all if there are fewer.

    Let a(r) be a row's score here and e(r) its exact one, so |a - e| <= ERROR, and let t be the
    limit-th highest of the owners' best a. `limit` owners then have a row with e >= t - ERROR.
    So an owner that is among the best by e, or ties with them, has its best rows at
    e >= t - ERROR, hence a >= t - 2 ERROR: all of them are returned. An owner whose best row is
    left out stays below t - ERROR with the others too, so it cannot rise by that.

    t is sought among the rows above a guessed floor. They hold every row above t - 2 ERROR if
    they have `limit` owners and t is not below the floor; else a lower floor is tried.
    """
    found = np.empty(0, np.int64)
    for floor in _floors(scores, 2 * limit):
        found = (scores >= floor - 2 * ERROR).nonzero()[0]
        held = scores[found]
        best = _best_by_owner(held, owners[found if places is None else places[found]])
        if limit <= best.size:
            t = np.partition(best, best.size - limit)[best.size - limit]
            if t >= floor:
                found = found[held >= t - 2 * ERROR]
                break
    return found if places is None else places[found]


def _floors(scores: Floats, rank: int) -> Iterator[float]:
    """Yield falling scores that about `rank` rows reach, then four times as many, at last all."""
    step = max(1, scores.size // _SAMPLE)
    sample = scores[::step]
    rank = max(8, rank // step)
    while rank < sample.size:
        yield max(_LOWEST, float(np.partition(sample, sample.size - rank)[sample.size - rank]))
        rank *= 4
    yield _LOWEST


def _best_by_owner(scores: Floats, owners: Integers) -> Floats:
    """Return the best score of each owner."""
    order = np.argsort(owners, kind="stable")  # fast, as owners nearly ascend
    ordered = owners[order]
    first = np.ones(owners.size, np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    best: Floats = np.maximum.reduceat(scores[order], first.nonzero()[0])
    return best


def among(values: Integers, wanted: Integers) -> NDArray[np.bool_]:
    """Return which values are wanted. No value may be negative."""
    top = int(wanted.max(initial=0)) + 1
    if top > 16 * values.size + 65536:
        return np.isin(values, wanted)
    table = np.zeros(top + 1, np.bool_)  # ten times faster than `isin`
    table[wanted] = True
    return table.take(values, mode="clip")
