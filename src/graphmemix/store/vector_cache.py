"""The exact vectors that were read lately: what a search scores again, without reading it again.

A vector of an encoder never changes, and a view's number is never used twice, so what is kept here
stays true; which views there are is the database's to say. Nothing of it is ever written down.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphmemix.errors import ArchiveDamagedError

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from graphmemix.store.backend import Row
    from graphmemix.store.scan import Integers

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
        raise ArchiveDamagedError("the archive holds a vector of another length than its encoder's")
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
