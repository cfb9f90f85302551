"""Which document holds which term how often: arrays that grow, and the inverted lists over them."""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Integers: TypeAlias = NDArray[np.int64]
Keys: TypeAlias = NDArray[np.uint64]
Rows: TypeAlias = NDArray[np.int32]
Counts: TypeAlias = NDArray[np.unsignedinteger]  # as narrow as the highest count allows

_T = TypeVar("_T", bound=np.generic)


class Column(Generic[_T]):
    """An array that grows at its end; amortised O(1) per value."""

    def __init__(self, values: NDArray[_T]) -> None:
        self._cells = values
        self._used = len(values)

    def __len__(self) -> int:
        return self._used

    @property
    def values(self) -> NDArray[_T]:
        """All values; valid until the next change."""
        return self._cells[: self._used]

    def extend(self, values: NDArray[_T]) -> None:
        """Add values at the end."""
        needed = self._used + len(values)
        if needed > len(self._cells):
            cells = np.empty(max(needed, len(self._cells) * 3 // 2), self._cells.dtype)
            cells[: self._used] = self.values
            self._cells = cells
        self._cells[self._used : needed] = values
        self._used = needed


class Inverted(NamedTuple):
    """The documents of each term, as one long list with an entry for each term.

    Attributes:
        keys: Fingerprints, ascending; each has at least one document.
        starts: Where the list of each key starts, and in the end the length of all.
        rows: The documents' row numbers, ascending within each list.
        counts: How often the term occurs in that document.
    """

    keys: Keys
    starts: Integers
    rows: Rows
    counts: Counts

    @classmethod
    def empty(cls) -> Inverted:
        """Return lists of nothing."""
        return cls(
            np.empty(0, np.uint64),
            np.zeros(1, np.int64),
            np.empty(0, np.int32),
            np.empty(0, np.uint8),
        )

    def of(self, key: int) -> tuple[Rows, Counts]:
        """Return the rows that hold a term, and how often; O(log keys)."""
        place = int(np.searchsorted(self.keys, np.uint64(key)))
        if place == len(self.keys) or int(self.keys[place]) != key:
            return self.rows[:0], self.counts[:0]
        part = slice(int(self.starts[place]), int(self.starts[place + 1]))
        return self.rows[part], self.counts[part]

    def extended(self, keys: Keys, rows: Rows, counts: Counts) -> Inverted:
        """Return lists with more entries, whose rows ascend and are higher than those here.

        Sorts the new entries and copies the others once.
        """
        if not len(keys):
            return self
        order = np.argsort(keys, kind="stable")  # keeps rows ascending within each key
        keys, rows, counts = keys[order], rows[order], counts[order]
        del order
        firsts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
        new_keys, new_sizes = keys[firsts], np.diff(firsts, append=len(keys))
        # Behind the list of the same key, or where that list would be.
        places = self.starts[np.searchsorted(self.keys, new_keys, side="right")]
        narrow = np.result_type(self.counts.dtype, np.min_scalar_type(int(counts.max())))
        all_keys = np.union1d(self.keys, new_keys)
        sizes = np.zeros(len(all_keys), np.int64)
        sizes[np.searchsorted(all_keys, self.keys)] += np.diff(self.starts)
        sizes[np.searchsorted(all_keys, new_keys)] += new_sizes
        into = np.repeat(places, new_sizes) + np.arange(len(keys))
        return Inverted(
            all_keys,
            np.concatenate([[0], np.cumsum(sizes)]),
            _merged(self.rows, rows, into),
            _merged(self.counts.astype(narrow, copy=False), counts.astype(narrow), into),
        )

    def without(self, live: NDArray[np.bool_]) -> Inverted:
        """Return the lists of the rows that are live, numbered anew from 0."""
        if not len(self.rows):
            return self
        keep = live[self.rows]
        sizes = np.add.reduceat(keep, self.starts[:-1], dtype=np.int64)
        numbers = (np.cumsum(live) - 1).astype(np.int32)
        return Inverted(
            self.keys[sizes > 0],
            np.concatenate([[0], np.cumsum(sizes[sizes > 0])]),
            numbers[self.rows[keep]],
            self.counts[keep],
        )


def _merged(old: NDArray[_T], new: NDArray[_T], into: Integers) -> NDArray[_T]:
    """Return both arrays in one, the new values at `into`."""
    merged = np.empty(len(old) + len(new), old.dtype)
    is_old = np.ones(len(merged), np.bool_)
    is_old[into] = False
    merged[is_old] = old
    merged[into] = new
    return merged
