"""Unit vectors: checked, scanned, scored, ranked and cached, the same for every store.

A fast scan works with rounded numbers: float16 rows on SQLite, halfvec on PostgreSQL. `ERROR`
bounds how far such a score can be from the float32 score, so every memory that could be among the
best `limit` is found with a margin of twice that, and only those are scored again, by `scores`, in
float32. Both stores therefore return the same memories in the same order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from graphmemix.errors import ArchiveDamagedError, InvalidDataError
from graphmemix.memory import CONTEXTS

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from graphmemix.memory import ViewKind
    from graphmemix.store.backend import Row
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

    It is that of its first view; for a video, the normalised mean of its frames. A memory without
    words or pixels of its own has none: the names of a place or an album, by which such a photo is
    found, make all photos of a town alike.

    Args:
        views: Kind and vector of each view that has one, in order.
    """
    if not views or views[0][0] in CONTEXTS:
        return None
    if views[0][0] != "frame":
        return views[0][1]
    frames = [vector for kind, vector in views if kind == "frame"]
    mean = np.mean(frames, axis=0, dtype=np.float64)
    length = float(np.sqrt(np.square(mean).sum()))
    if length == 0.0:  # opposite frames cancel each other out
        return frames[0]
    return np.asarray(mean / length, dtype=np.float32)


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


MOST_BYTES = 64 << 20
"""Of vectors that are kept: 43,000 of 384 dimensions."""
_HIGHEST_VIEW = 1 << 26  # beyond, the table of places would be larger than it is worth


class ExactVectors(NamedTuple):
    """Views with their exact vectors.

    Attributes:
        views: For each its memory's number, its ordinal, and the code of its kind.
        vectors: For each its vector.
    """

    views: NDArray[np.int64]
    vectors: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.views)

    def and_also(self, other: ExactVectors) -> ExactVectors:
        """Return these views and others."""
        if not len(self) or not len(other):
            return other if len(other) else self
        return ExactVectors(
            np.concatenate([self.views, other.views]),
            np.concatenate([self.vectors, other.vectors]),
        )

    def of_kinds(self, codes: Sequence[int] | None) -> ExactVectors:
        """Return those of these kinds; all if None."""
        if codes is None:
            return self
        passing = np.isin(self.views[:, 2], np.array(codes, np.int64))
        return ExactVectors(self.views[passing], self.vectors[passing])


def exact_vectors(rows: Sequence[Row], dimension: int) -> ExactVectors:
    """Return rows of (mid, ordinal, kind, vector) as arrays.

    Raises:
        ArchiveDamagedError: A vector has another length.
    """
    blobs = [row[3] for row in rows]
    if any(len(blob) != 4 * dimension for blob in blobs):
        raise ArchiveDamagedError(
            "a stored vector does not have the dimension of the archive's encoder"
        )
    return ExactVectors(
        np.array([row[:3] for row in rows], np.int64).reshape(len(rows), 3),
        np.frombuffer(b"".join(blobs), "<f4").reshape(len(rows), dimension),
    )


class VectorCache:
    """Exact vectors of one encoder by view. One thread at a time.

    Attributes:
        key: Whose vectors these are.
        dimension: Of each vector.
    """

    def __init__(self, key: Hashable, dimension: int, *, most_bytes: int | None = None) -> None:
        self.key = key
        self.dimension = dimension
        most = (MOST_BYTES if most_bytes is None else most_bytes) // (4 * dimension)
        self._used = 0
        self._places = np.zeros(1024, np.int32)  # by view: its place, from 1; 0 if it is not kept
        self._views = np.empty((most, 3), np.int64)  # memory of untouched rows is not taken
        self._vectors = np.empty((most, dimension), np.float32)

    def __len__(self) -> int:
        return self._used

    def has_room(self, count: int) -> bool:
        """Return whether so many more can be kept without forgetting others."""
        return self._used + count <= len(self._views)

    def holds(self, vid: int) -> bool:
        """Return whether a view is kept."""
        return vid < self._places.size and bool(self._places[vid])

    def keep(self, vids: Integers, views: ExactVectors) -> None:
        """Keep views; if there is no room, forget the others first."""
        if not vids.size or vids.size > len(self._views) or vids.max() > _HIGHEST_VIEW:
            return
        if not self.has_room(vids.size):
            self._used = 0
            self._places[:] = 0
        if vids.max() >= self._places.size:
            places = np.zeros(2 * int(vids.max()), np.int32)
            places[: self._places.size] = self._places
            self._places = places
        first, self._used = self._used, self._used + vids.size
        self._views[first : self._used], self._vectors[first : self._used] = views
        self._places[vids] = np.arange(first + 1, self._used + 1)

    def take(self, vids: Integers) -> tuple[ExactVectors, Integers]:
        """Return those of the views that are kept, and the others' numbers."""
        places = self._places.take(vids, mode="clip")
        missing = vids[:0]
        if vids.size and (not places.min() or vids.max() >= self._places.size):
            held = (places > 0) & (vids < self._places.size)
            places, missing = places[held], vids[~held]
        places -= 1
        return ExactVectors(self._views.take(places, 0), self._vectors.take(places, 0)), missing
