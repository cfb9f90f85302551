"""Mutual nearest neighbours, exact at all times and kept up as memories come and go.

For every memory the `kept` nearest others are known (16), and the first `used` (8) of them count:
two memories are semantically related if each is among the other's first 8 (METHOD section 2). The
reserve makes removals cheap: only a list that falls below 8 is worked out anew.

Guarantee: after any sequence of changes every list equals that of a rebuild; neighbours rank by
falling cosine, then lower id. Cost: one scan of all vectors for each memory that comes.
"""

from __future__ import annotations

from bisect import bisect
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from graphmemix.relate.nearest import margin, nearest

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from graphmemix.relate.nearest import Pairs

    Vector: TypeAlias = NDArray[np.float32]

Ranked: TypeAlias = tuple[float, str]
"""Minus the cosine, and the neighbour's id: sorts as neighbours rank."""

_BLOCK = 256  # newcomers that are compared at a time
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
        self._moved: set[str] = set()
        self._margin = np.float32(margin(dimension))

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, memory_id: str) -> bool:
        return memory_id in self._row

    def neighbours(self, memory_id: str) -> list[tuple[str, float]]:
        """Return the nearest others, nearest first, with their cosines."""
        return [(other, -minus) for minus, other in self._lists[memory_id]]

    def take_moved(self) -> set[str]:
        """Return the ids whose first `used` neighbours changed since the last call.

        Only around these can mutual pairs have come or gone. Memories that came or went are among
        them.
        """
        moved, self._moved = self._moved, set()
        return moved

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
        return self.add_many({memory_id: vector})

    def add_many(self, vectors: Mapping[str, Vector]) -> set[str]:
        """Take memories in, as if one after the other; return the ids whose lists changed.

        One matrix product finds which rows can matter, for many newcomers at once; their cosines
        are then summed as ever. A memory that is there with the same vector costs nothing.
        """
        rows = {i: np.asarray(vector, np.float32) for i, vector in vectors.items()}
        new = [memory_id for memory_id in rows if not self._is_there(memory_id, rows[memory_id])]
        changed = self.remove(new)
        for start in range(0, len(new), _BLOCK):
            block = new[start : start + _BLOCK]
            newcomers = np.stack([rows[memory_id] for memory_id in block])
            products = newcomers @ self._vectors[: len(self._ids)].T
            for memory_id, row, product in zip(block, newcomers, products, strict=True):
                changed |= self._take_in(memory_id, row, product)
        return changed | set(vectors)

    def _is_there(self, memory_id: str, vector: Vector) -> bool:
        row = self._row.get(memory_id)
        return row is not None and bool((self._vectors[row] == vector).all())

    def _take_in(self, memory_id: str, vector: Vector, product: Vector) -> set[str]:
        """Take one memory in; `product` has its cosines, within `margin`, to the first rows."""
        wanted = product >= self._bound[: len(product)] - self._margin  # it may be near them
        if len(product) > self.kept:
            at = len(product) - self.kept
            wanted |= product >= np.partition(product, at)[at] - self._margin  # or they near it
        else:
            wanted[:] = True
        rows = np.concatenate([np.flatnonzero(wanted), np.arange(len(product), len(self._ids))])
        cosines: Vector = np.einsum("ij,j->i", self._vectors[rows], vector)
        self._lists[memory_id] = self._nearest(cosines, self.kept, rows)
        changed = set()
        near = cosines >= self._bound[rows]
        for row, cosine in zip(rows[near].tolist(), cosines[near].tolist(), strict=True):
            if self._offer(self._ids[row], cosine, memory_id):
                changed.add(self._ids[row])
        self._append(memory_id, vector)
        self._set_bound(memory_id)
        self._moved.add(memory_id)
        return changed

    def _offer(self, memory_id: str, cosine: float, newcomer: str) -> bool:
        """Insert a newcomer into a list if it belongs there."""
        known = self._lists[memory_id]
        # A list that removals have shortened knows nothing of those behind its end.
        complete = len(known) >= min(self.kept, len(self._ids) - 1)
        if not complete and known and (-cosine, newcomer) > known[-1]:
            return False
        place = bisect(known, (-cosine, newcomer))
        if place >= self.kept:
            return False
        known.insert(place, (-cosine, newcomer))
        del known[self.kept :]
        self._set_bound(memory_id)
        if place < self.used:
            self._moved.add(memory_id)
        return True

    def remove(self, memory_ids: Iterable[str]) -> set[str]:
        """Let memories go; return the ids of others whose lists changed, and the removed."""
        gone = {memory_id for memory_id in memory_ids if memory_id in self._row}
        if not gone:
            return set()
        changed = set(gone)
        holders = self._possible_holders(gone) - gone
        for memory_id in gone:
            self._take_out(memory_id)
        self._moved |= gone
        for memory_id in holders:
            known = self._lists[memory_id]
            if any(other in gone for _, other in known):
                changed.add(memory_id)
                if any(other in gone for _, other in known[: self.used]):
                    self._moved.add(memory_id)
                known[:] = [pair for pair in known if pair[1] not in gone]
                if len(known) < min(self.used, len(self._ids) - 1):
                    self._renew(memory_id)
                self._set_bound(memory_id)
        if len(self._ids) <= self.kept:  # a short list may have become that of all others
            for memory_id in self._ids:
                self._set_bound(memory_id)
        return changed

    def _possible_holders(self, memory_ids: Collection[str]) -> set[str]:
        """Return all whose lists may hold any of these: those that they are near enough to."""
        size = len(self._ids)
        rows = np.array([self._row[memory_id] for memory_id in memory_ids])
        near = np.zeros(size, np.bool_)
        for start in range(0, len(rows), _BLOCK):
            products = self._vectors[rows[start : start + _BLOCK]] @ self._vectors[:size].T
            near |= (products >= self._bound[:size] - self._margin).any(axis=0)
        return {self._ids[row] for row in np.flatnonzero(near).tolist()}

    def _renew(self, memory_id: str) -> None:
        row = self._row[memory_id]
        cosines = self._cosines(self._vectors[row])
        cosines[row] = -3.0
        self._lists[memory_id] = self._nearest(cosines, min(self.kept, len(self._ids) - 1))

    def rebuild(self, vectors: Mapping[str, Vector]) -> None:
        """Work all lists out anew. Costs O(n^2 d / 2)."""
        self._ids, self._row, self._lists = [], {}, {}
        for memory_id, vector in vectors.items():
            self._append(memory_id, vector)
        matrix = self._vectors[: len(self._ids)]
        order = np.empty(len(self._ids), np.int64)  # the place of each row's id among all
        order[np.argsort(np.array(self._ids, dtype=object))] = np.arange(len(self._ids))
        for pairs in nearest(matrix, self.kept):
            self._fill(pairs, matrix, order)
        for memory_id in self._ids:
            self._set_bound(memory_id)

    def _fill(self, pairs: Pairs, matrix: Vector, order: NDArray[np.int64]) -> None:
        """Fill the lists of all rows in `pairs`."""
        cosines: Vector = np.einsum("ij,ij->i", matrix[pairs.others], matrix[pairs.rows])
        ranked = np.lexsort((order[pairs.others], -cosines, pairs.rows))
        rows, others = pairs.rows[ranked], pairs.others[ranked].tolist()
        minus = (-cosines[ranked]).tolist()
        starts = np.flatnonzero(np.diff(rows, prepend=-1)).tolist()
        ids = self._ids
        for start, end in pairwise([*starts, len(others)]):
            mine = slice(start, min(end, start + self.kept))
            near = [ids[other] for other in others[mine]]
            self._lists[ids[int(rows[start])]] = list(zip(minus[mine], near, strict=True))

    def mutual(self, memory_ids: Iterable[str]) -> set[MutualPair]:
        """Return the mutual pairs that touch any of these memories."""
        pairs = set()
        first: dict[str, set[str]] = {}  # of each that is near one of these, who is nearest to it
        for memory_id in memory_ids:
            for minus, other in self._lists.get(memory_id, [])[: self.used]:
                if other not in first:
                    first[other] = {back for _, back in self._lists[other][: self.used]}
                if memory_id in first[other]:
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
        # A full list takes nothing that ranks behind its last, nor does one that was shortened.
        closed = known and (len(known) >= self.kept or len(known) < len(self._ids) - 1)
        # One unit in the last place below: an equal cosine may still win by its id.
        bound = np.nextafter(np.float32(-known[-1][0]), np.float32(-2)) if closed else -2.0
        self._bound[self._row[memory_id]] = bound

    # Cosines

    def _cosines(self, vector: Vector) -> Vector:
        """Return the exact cosine to every row: summed row by row, always in one order."""
        rows = self._vectors[: len(self._ids)]
        summed: Vector = np.einsum("ij,j->i", rows, vector)
        return summed

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
