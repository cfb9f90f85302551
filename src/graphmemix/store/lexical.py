"""Search by words: exact BM25 over all views, in memory, kept up to date view by view.

For a query, each of its distinct terms t adds to the score of a view v

    ln(1 + (N - n + 0.5) / (n + 0.5)) * f (k1 + 1) / (f + k1 (1 - b + b |v| / avg))

with N views of the kinds that are asked for, n of them with t, f times t in v, |v| tokens in v and
avg in a view on average (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and
Beyond", 2009). N, n and avg come from whole numbers, and the terms are added up in the order of
their fingerprints: equal archives give equal scores, to the last bit, whatever happened to them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple, Self, TypeVar, cast

import numpy as np

from graphmemix.errors import InvalidDataError
from graphmemix.store.arrays import (
    Column,
    Inverted,
    Matches,
    SavedArrays,
    discard_arrays,
    load_arrays,
    save_arrays,
)
from graphmemix.store.unit_vectors import among
from graphmemix.text.postings import fingerprint, unpack_many

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from graphmemix.store.arrays import Counts, Integers, Rows

_NAME = "lexical"
_FORMAT = 1
_KINDS = 256
_MOST_LENGTH = 2**32 - 1
_BLOBS = 1 << 16  # unpacked at once
# The tail is scanned as it is until it is worth a merge: half a millisecond for a million entries.
_TAIL_VIEWS, _TAIL_ENTRIES, _TAIL_SHARE = 1 << 12, 1 << 20, 0.05
# While no one searches, a tail may grow more, so that filling an index does not merge all the time.
_FILL_ENTRIES, _FILL_SHARE = 1 << 22, 0.25


_K = TypeVar("_K")
_V = TypeVar("_V")


class _Scope(NamedTuple):
    """What a choice of kinds means for all rows.

    Attributes:
        kinds: The choice.
        views: How many live views there are.
        passing: Which rows these are; None for all.
        norms: The part of the denominator that depends on a row's length.
    """

    kinds: tuple[int, ...] | None
    views: int
    passing: NDArray[np.bool_] | None
    norms: NDArray[np.float64]


class _Answer(NamedTuple):
    """The rows that match a question with their scores, ascending, and the ceiling of scores.

    One question is asked several times: for its best memories, and for the scores of others; so is
    each of the parts of one that gives its time by an event.
    """

    rows: Integers
    scores: NDArray[np.float64]
    ceiling: float


_ANSWERS = 6  # that are kept: three parts of a question, in two scopes
_SCOPES = 3


class LexicalIndex:
    """The words of all views. One thread at a time; seven bytes for each term of each view.

    Attributes:
        change: The last change of the archive that was applied; the store's to set.
    """

    def __init__(self, k1: float = 1.2, b: float = 0.75) -> None:
        if not (0 <= k1 < math.inf and 0 <= b <= 1):
            raise InvalidDataError(f"BM25 needs k1 >= 0 and 0 <= b <= 1, not {k1!r} and {b!r}")
        self.k1 = k1
        self.b = b
        self.change = 0
        self._highest = 0
        self._views = Column(np.empty(0, np.int64))
        self._owners = Column(np.empty(0, np.int64))
        self._kinds = Column(np.empty(0, np.uint8))
        self._lengths = Column(np.empty(0, np.uint32))
        self._live = Column(np.empty(0, np.bool_))
        self._views_by_kind = np.zeros(_KINDS, np.int64)  # live ones
        self._tokens_by_kind = np.zeros(_KINDS, np.int64)
        self._scopes: dict[tuple[int, ...] | None, _Scope] = {}
        self._answers: dict[tuple[object, ...], _Answer] = {}
        self._become(Inverted.empty())

    @property
    def highest(self) -> int:
        """The highest view id ever appended; 0 if none."""
        return self._highest

    @property
    def count(self) -> int:
        """How many views are live."""
        return int(self._views_by_kind.sum())

    def append(
        self,
        view_ids: NDArray[np.integer],
        owners: NDArray[np.integer],
        kinds: NDArray[np.integer],
        lengths: NDArray[np.integer],
        blobs: Sequence[bytes],
    ) -> None:
        """Add views: ascending ids, their memories' numbers, kind codes, token counts and terms.

        About 3 million terms per second, merging included.

        Raises:
            InvalidDataError: Ids do not ascend from `highest`, or a value is out of range.
            ArchiveDamagedError: A blob was not made by `pack`. Either way nothing is added.
        """
        if {len(owners), len(kinds), len(lengths), len(blobs)} != {len(view_ids)}:
            raise InvalidDataError("views: ids, owners, kinds, lengths and terms differ in number")
        if not len(view_ids):
            return
        new_ids = view_ids.astype(np.int64)
        if (np.diff(new_ids, prepend=self._highest) <= 0).any():
            raise InvalidDataError(f"views: ids must ascend, from above {self._highest}")
        _require_within("kind", kinds, _KINDS - 1)
        _require_within("length", lengths, _MOST_LENGTH)
        names = [f"view {view_id}" for view_id in new_ids.tolist()]
        unpacked = [
            unpack_many(blobs[start : start + _BLOBS], names[start : start + _BLOBS])
            for start in range(0, len(blobs), _BLOBS)
        ]
        self._views.extend(new_ids)
        self._owners.extend(owners.astype(np.int64))
        self._kinds.extend(kinds.astype(np.uint8))
        self._lengths.extend(lengths.astype(np.uint32))
        self._live.extend(np.zeros(len(view_ids), np.bool_))
        self._set_live(np.arange(len(self._live) - len(view_ids), len(self._live)), live=True)
        self._highest = int(new_ids[-1])
        for postings in unpacked:
            self._tail_ends.extend(len(self._tail_keys) + np.cumsum(postings.sizes))
            self._tail_keys.extend(postings.fingerprints)
            self._tail_counts.extend(postings.counts)
        if len(self._tail_keys) > max(_FILL_ENTRIES, _FILL_SHARE * len(self._main.rows)):
            self._merge()

    def remove(self, view_ids: NDArray[np.integer] | Sequence[int]) -> None:
        """Forget views; ids that are not here are ignored. O(log views) each."""
        views = self._views.values
        wanted = np.unique(np.asarray(view_ids, np.int64))
        places = np.searchsorted(views, wanted)
        inside = places < len(views)
        places, wanted = places[inside], wanted[inside]
        places = places[views[places] == wanted]
        self._set_live(places[self._live.values[places]], live=False)

    def search(
        self,
        terms: Iterable[str],
        *,
        kinds: Sequence[int] | None = None,
        allowed: Integers | None = None,
    ) -> Matches:
        """Return every view that has any of the terms, by id.

        Args:
            terms: Of the query; repeats do not count.
            kinds: Only views of these kinds; they are also what N, n and avg are taken over.
            allowed: Only views of these owners; N, n and avg do not depend on it.
        """
        rows, scores = self._scored(terms, kinds, allowed)
        return Matches(self._views.values[rows], self._owners.values[rows], scores)

    def best(
        self,
        terms: Iterable[str],
        limit: int,
        *,
        kinds: Sequence[int] | None = None,
        allowed: Integers | None = None,
    ) -> Matches:
        """Return the best view of each of the best `limit` owners, and of all that tie with them.

        Highest score first, then lowest owner; among an owner's views with the same score the
        lowest id. Other arguments as for `search`. Cost: 10 to 20 ns for each view of each term;
        a tenth of that if the same terms and kinds were asked for lately, whatever is allowed.
        """
        if limit < 1:
            raise InvalidDataError(f"limit: must be at least 1, not {limit}")
        rows, scores = self._scored(terms, kinds, allowed)
        take = 4 * limit
        while take < len(rows):
            # Above a floor all views are known, so if there are owners enough, they are the best.
            floor = np.partition(scores, len(rows) - take)[len(rows) - take]
            high = np.flatnonzero(scores >= floor)
            found = self._by_owner(rows[high], scores[high])
            if len(found.owners) >= limit:
                return found.first(limit)
            take *= 4
        return self._by_owner(rows, scores).first(limit)

    def ceiling(self, terms: Iterable[str], *, kinds: Sequence[int] | None = None) -> float:
        """Return what no score exceeds: that of a view that holds all these terms many times.

        Terms that no view holds count, as the rarest ones. Free after a search for the same terms.
        """
        return self._answer(terms, kinds).ceiling

    @classmethod
    def load(cls, folder: Path, key: str) -> Self | None:
        """Return the index that `save` wrote with this key; None if it is not there, or damaged.

        Every byte is checked, at more than 1 GB/s. The lists stay on disk, mapped into memory.
        """
        saved = load_arrays(folder, _NAME, f"{_FORMAT}/{key}")
        if saved is None:
            return None
        arrays, numbers = saved
        index = cls(numbers["k1"], numbers["b"])
        index._views.extend(np.asarray(arrays["views"], np.int64))
        index._owners.extend(np.asarray(arrays["owners"], np.int64))
        index._kinds.extend(np.asarray(arrays["kinds"], np.uint8))
        index._lengths.extend(np.asarray(arrays["lengths"], np.uint32))
        index._live.extend(np.zeros(len(index._views), np.bool_))
        index._set_live(np.arange(len(index._views)), live=True)
        index._highest = int(numbers["highest"])
        index.change = int(numbers["change"])
        index._become(
            Inverted(
                np.asarray(arrays["keys"], np.uint64),
                np.asarray(arrays["starts"], np.int64),
                np.asarray(arrays["rows"], np.int32),
                cast("Counts", arrays["counts"]),
            )
        )
        return index

    def save(self, folder: Path, key: str) -> None:
        """Write the index down, without what was removed; only the archive's writer may.

        Raises:
            OSError: It could not be written. Nothing is lost; what was saved before still loads.
        """
        if len(self._tail_ends) or self._dead:
            self._merge()
        arrays: dict[str, NDArray[np.generic]] = {
            "views": self._views.values,
            "owners": self._owners.values,
            "kinds": self._kinds.values,
            "lengths": self._lengths.values,
            **self._main._asdict(),
        }
        numbers = {"k1": self.k1, "b": self.b, "highest": self.highest, "change": self.change}
        save_arrays(folder, _NAME, f"{_FORMAT}/{key}", SavedArrays(arrays, numbers))

    @staticmethod
    def discard(folder: Path) -> None:
        """Delete what was saved, if anything."""
        discard_arrays(folder, _NAME)

    @property
    def _dead(self) -> int:
        return len(self._live) - self.count

    def _set_live(self, rows: Integers, *, live: bool) -> None:
        """Change rows that are not so yet."""
        self._live.values[rows] = live
        kinds = self._kinds.values[rows]
        sign = 1 if live else -1
        self._views_by_kind += sign * np.bincount(kinds, minlength=_KINDS)
        np.add.at(self._tokens_by_kind, kinds, sign * self._lengths.values[rows].astype(np.int64))
        self._scopes, self._answers = {}, {}

    def _become(self, main: Inverted) -> None:
        """Let `main` be the lists of all rows, and start an empty tail."""
        self._main = main
        self._merged_rows = len(self._views)
        self._tail_ends = Column(np.empty(0, np.int64))
        self._tail_keys = Column(np.empty(0, np.uint64))
        self._tail_counts = Column(np.empty(0, np.uint32))
        self._scopes, self._answers = {}, {}

    def _merge(self) -> None:
        """Bring the tail into the lists, and drop what was removed. Copies all lists once."""
        rows = np.arange(self._merged_rows, len(self._views), dtype=np.int32)
        sizes = np.diff(self._tail_ends.values, prepend=0)
        main = self._main.extended(
            self._tail_keys.values, np.repeat(rows, sizes), self._tail_counts.values
        )
        if self._dead:
            live = self._live.values.copy()
            main = main.without(live)
            self._views = Column(self._views.values[live])
            self._owners = Column(self._owners.values[live])
            self._kinds = Column(self._kinds.values[live])
            self._lengths = Column(self._lengths.values[live])
            self._live = Column(self._live.values[live])
        self._become(main)

    def _merge_if_due(self) -> None:
        changes = len(self._tail_ends) + self._dead
        if changes > max(_TAIL_VIEWS, _TAIL_SHARE * self._merged_rows) or len(
            self._tail_keys
        ) > max(_TAIL_ENTRIES, _TAIL_SHARE * len(self._main.rows)):
            self._merge()

    def _scored(
        self, terms: Iterable[str], kinds: Sequence[int] | None, allowed: Integers | None
    ) -> tuple[Integers, NDArray[np.float64]]:
        """Return the rows that match and pass, ascending, with their scores."""
        answer = self._answer(terms, kinds)
        if allowed is None:
            return answer.rows, answer.scores
        passing = among(self._owners.values[answer.rows], allowed)
        return answer.rows[passing], answer.scores[passing]

    def _answer(self, terms: Iterable[str], kinds: Sequence[int] | None) -> _Answer:
        """Return all that matches, remembered for a few questions."""
        self._merge_if_due()
        scope = self._scope_of(kinds)
        keys = sorted({fingerprint(term) for term in terms})
        asked = (scope.kinds, *keys)
        answer = self._answers.get(asked)
        if answer is None:
            answer = self._matching(keys, scope)
            _keep(self._answers, asked, answer, _ANSWERS)
        return answer

    def _matching(self, keys: Sequence[int], scope: _Scope) -> _Answer:
        """Return the rows of the scope that hold any of the terms, with their scores."""
        scores = np.zeros(len(self._views))
        ceiling = 0.0
        for key in keys:
            rows, counts = self._postings(key)
            passing = scope.passing
            matching = len(rows) if passing is None else int(np.count_nonzero(passing[rows]))
            idf = math.log(1 + (scope.views - matching + 0.5) / (matching + 0.5))
            ceiling += idf * (self.k1 + 1)
            if matching:
                times = counts.astype(np.float64)
                scores[rows] += idf * (self.k1 + 1) * times / (times + scope.norms[rows])
        hits = np.flatnonzero(scores)
        if scope.passing is not None:
            hits = hits[scope.passing[hits]]
        scores = scores[hits]
        scores.setflags(write=False)  # it is kept, and told again
        return _Answer(hits, scores, ceiling)

    def _postings(self, key: int) -> tuple[Rows, Counts]:
        """Return the rows that hold a term, ascending, and how often."""
        rows, counts = self._main.of(key)
        entries = np.flatnonzero(self._tail_keys.values == np.uint64(key))
        if not len(entries):
            return rows, counts
        tail = np.searchsorted(self._tail_ends.values, entries, side="right") + self._merged_rows
        return (
            np.concatenate([rows, tail.astype(np.int32)]),
            np.concatenate([counts, self._tail_counts.values[entries]]),
        )

    def _scope_of(self, kinds: Sequence[int] | None) -> _Scope:
        """Return what the kinds mean, remembered until the next change."""
        chosen = None if kinds is None else tuple(sorted({k for k in kinds if 0 <= k < _KINDS}))
        known = self._scopes.get(chosen)
        if known is not None:
            return known
        codes = np.arange(_KINDS) if chosen is None else np.array(chosen, np.intp)
        views = int(self._views_by_kind[codes].sum())
        passing: NDArray[np.bool_] | None = None
        if views < len(self._views):
            is_chosen = np.zeros(_KINDS, np.bool_)
            is_chosen[codes] = True
            passing = self._live.values & is_chosen[self._kinds.values]
        average = int(self._tokens_by_kind[codes].sum()) / max(1, views) or 1.0
        norms = self.k1 * ((1 - self.b) + self.b * (self._lengths.values / average))
        scope = _Scope(chosen, views, passing, norms)
        _keep(self._scopes, chosen, scope, _SCOPES)
        return scope

    def _by_owner(self, rows: Integers, scores: NDArray[np.float64]) -> Matches:
        """Return the best of these rows for each owner, best first."""
        owners = self._owners.values[rows]
        order = np.lexsort((rows, -scores, owners))
        sorted_owners = owners[order]
        order = order[
            np.concatenate([[True], sorted_owners[1:] != sorted_owners[:-1]])[: len(order)]
        ]
        order = order[np.lexsort((owners[order], -scores[order]))]
        return Matches(self._views.values[rows[order]], owners[order], scores[order])


def _keep(kept: dict[_K, _V], key: _K, value: _V, most: int) -> None:
    """Add to what is kept; the oldest go."""
    kept[key] = value
    while len(kept) > most:
        del kept[next(iter(kept))]


def _require_within(what: str, values: NDArray[np.integer], most: int) -> None:
    if (values < 0).any() or (values > most).any():
        raise InvalidDataError(f"views: a {what} is not within 0 and {most}")
