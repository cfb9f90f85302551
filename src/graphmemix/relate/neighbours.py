"""Mutual nearest neighbours, exact at all times and kept up as memories come and go.

For every memory the `kept` nearest others are known (16), and the first `used` (8) of them count:
two memories are semantically related if each is among the other's first 8 (METHOD section 2). The
reserve makes removals cheap: only a list that falls below 8 is worked out anew.

Guarantee: after any sequence of changes every list equals that of a rebuild; neighbours rank by
falling cosine, then lower id. Cost: one scan of all vectors for each memory that comes.
"""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    Vector: TypeAlias = NDArray[np.float32]

Ranked: TypeAlias = tuple[float, str]
"""Minus the cosine, and the neighbour's id: sorts as neighbours rank."""

_BLOCK = 1024  # rows of a rebuild that are compared at a time
_START_ROOM = 256


@dataclass(frozen=True)
class MutualPair:
    """Two memories that are among each other's nearest; the lower id first."""

    source: str
    target: str
    cosine: float


class NeighbourLists:
    """The nearest neighbours of every memory, by graph vector."""

    def __init__(self, dimension: int, *, used: int = 8, kept: int = 16) -> None:
        self.used = used
        self.kept = max(used, kept)
        self._ids: list[str] = []
        self._row: dict[str, int] = {}
        self._vectors: Vector = np.empty((_START_ROOM, dimension), dtype=np.float32)
        # How near a newcomer must be to get into a memory's list; -2 lets everything in.
        self._bound: Vector = np.full(_START_ROOM, -2.0, dtype=np.float32)
        self._lists: dict[str, list[Ranked]] = {}

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, memory_id: str) -> bool:
        return memory_id in self._row

    def neighbours(self, memory_id: str) -> list[tuple[str, float]]:
        """Return the nearest others, nearest first, with their cosines."""
        return [(other, -minus) for minus, other in self._lists[memory_id]]

    def load(
        self, vectors: Mapping[str, Vector], lists: Mapping[str, Iterable[tuple[str, float]]]
    ) -> None:
        """Take over lists that an earlier process worked out."""
        for memory_id, vector in vectors.items():
            self._append(memory_id, vector)
        for memory_id, neighbours in lists.items():
            if memory_id in self._row:
                known = [(-cosine, other) for other, cosine in neighbours if other in self._row]
                self._lists[memory_id] = sorted(known)
        for memory_id in self._ids:
            if len(self._lists[memory_id]) < min(self.used, len(self._ids) - 1):
                self._renew(memory_id)  # an earlier process did not come to an end
            self._set_bound(memory_id)

    def add(self, memory_id: str, vector: Vector) -> set[str]:
        """Take a memory in; return the ids whose lists changed, its own included."""
        known = memory_id in self._row
        changed = self.remove([memory_id]) - {memory_id} if known else set()
        cosines = self._cosines(vector)
        self._lists[memory_id] = self._nearest(cosines, self.kept)
        for row in np.flatnonzero(cosines >= self._bound[: len(self._ids)]).tolist():
            if self._offer(self._ids[row], float(cosines[row]), memory_id):
                changed.add(self._ids[row])
        self._append(memory_id, vector)
        self._set_bound(memory_id)
        return changed | {memory_id}

    def _offer(self, memory_id: str, cosine: float, newcomer: str) -> bool:
        """Insert a newcomer into a list if it belongs there."""
        known = self._lists[memory_id]
        # A list that removals have shortened knows nothing of those behind its end.
        complete = len(known) >= min(self.kept, len(self._ids) - 1)
        if not complete and known and (-cosine, newcomer) > known[-1]:
            return False
        insort(known, (-cosine, newcomer))
        del known[self.kept :]
        self._set_bound(memory_id)
        return (-cosine, newcomer) in known

    def remove(self, memory_ids: Iterable[str]) -> set[str]:
        """Let memories go; return the ids of others whose lists changed, and the removed."""
        gone = {memory_id for memory_id in memory_ids if memory_id in self._row}
        changed = set(gone)
        for memory_id in gone:
            self._take_out(memory_id)
        for memory_id, known in self._lists.items():
            if any(other in gone for _, other in known):
                changed.add(memory_id)
                known[:] = [pair for pair in known if pair[1] not in gone]
                if len(known) < min(self.used, len(self._ids) - 1):
                    self._renew(memory_id)
                self._set_bound(memory_id)
        return changed

    def _renew(self, memory_id: str) -> None:
        row = self._row[memory_id]
        cosines = self._cosines(self._vectors[row])
        cosines[row] = -3.0
        self._lists[memory_id] = self._nearest(cosines, min(self.kept, len(self._ids) - 1))

    def rebuild(self, vectors: Mapping[str, Vector]) -> None:
        """Work all lists out anew. Costs O(n^2 d)."""
        self._ids, self._row, self._lists = [], {}, {}
        for memory_id, vector in vectors.items():
            self._append(memory_id, vector)
        matrix = self._vectors[: len(self._ids)]
        most = min(self.kept, len(self._ids) - 1)
        for first in range(0, len(self._ids), _BLOCK):
            block = matrix[first : first + _BLOCK] @ matrix.T
            for offset, row in enumerate(range(first, min(first + _BLOCK, len(self._ids)))):
                memory_id = self._ids[row]
                near = self._candidates(block[offset], row, most)
                self._lists[memory_id] = self._nearest(self._exact(row, near), most, near)
                self._set_bound(memory_id)

    def mutual(self, memory_ids: Iterable[str]) -> set[MutualPair]:
        """Return the mutual pairs that touch any of these memories."""
        pairs = set()
        for memory_id in memory_ids:
            for minus, other in self._lists.get(memory_id, [])[: self.used]:
                if any(back == memory_id for _, back in self._lists[other][: self.used]):
                    pairs.add(MutualPair(min(memory_id, other), max(memory_id, other), -minus))
        return pairs

    # Rows

    def _append(self, memory_id: str, vector: Vector) -> None:
        row = len(self._ids)
        if row == len(self._vectors):
            more = np.empty_like(self._vectors)
            self._vectors = np.concatenate([self._vectors, more])
            self._bound = np.concatenate([self._bound, np.full(row, -2.0, dtype=np.float32)])
        self._vectors[row] = vector
        self._bound[row] = -2.0
        self._ids.append(memory_id)
        self._row[memory_id] = row
        self._lists.setdefault(memory_id, [])

    def _take_out(self, memory_id: str) -> None:
        """Fill the gap with the last row."""
        row, last = self._row.pop(memory_id), len(self._ids) - 1
        if row != last:
            self._vectors[row] = self._vectors[last]
            self._bound[row] = self._bound[last]
            self._ids[row] = self._ids[last]
            self._row[self._ids[row]] = row
        self._ids.pop()
        del self._lists[memory_id]

    def _set_bound(self, memory_id: str) -> None:
        known = self._lists[memory_id]
        full = known and len(known) >= self.kept
        # One unit in the last place below: an equal cosine may still win by its id.
        bound = np.nextafter(np.float32(-known[-1][0]), np.float32(-2)) if full else -2.0
        self._bound[self._row[memory_id]] = bound

    # Cosines

    def _cosines(self, vector: Vector) -> Vector:
        """Return the exact cosine to every row: summed row by row, always in one order."""
        rows = self._vectors[: len(self._ids)]
        summed: Vector = np.einsum("ij,j->i", rows, vector)
        return summed

    def _exact(self, row: int, rows: NDArray[np.int64]) -> Vector:
        summed: Vector = np.einsum("ij,j->i", self._vectors[rows], self._vectors[row])
        return summed

    def _candidates(self, cosines: Vector, row: int, most: int) -> NDArray[np.int64]:
        """Return the rows that could be among the `most` nearest, despite rounding."""
        cosines[row] = -3.0
        if len(cosines) <= most + 1:
            return np.array([i for i in range(len(cosines)) if i != row], dtype=np.int64)
        bound = np.partition(cosines, len(cosines) - most)[len(cosines) - most]
        return np.flatnonzero(cosines >= bound - 1e-5)

    def _nearest(
        self, cosines: Vector, most: int, rows: NDArray[np.int64] | None = None
    ) -> list[Ranked]:
        """Return the `most` nearest of all rows, or of `rows`, ties to the lower id."""
        if most <= 0 or not len(cosines):
            return []
        if len(cosines) > most:
            bound = np.partition(cosines, len(cosines) - most)[len(cosines) - most]
            chosen = np.flatnonzero(cosines >= bound)
        else:
            chosen = np.arange(len(cosines))
        ids: Sequence[int] = chosen.tolist() if rows is None else rows[chosen].tolist()
        values = cosines[chosen].tolist()
        ranked = sorted((-value, self._ids[row]) for value, row in zip(values, ids, strict=True))
        return ranked[:most]
