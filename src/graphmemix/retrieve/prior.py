"""The retrieval score ``s_i``: dense, or fused with words and constraints (METHOD section 1)."""

from __future__ import annotations

import heapq
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphmemix.memory import CONTEXTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from graphmemix.memory import ViewKind
    from graphmemix.retrieve.constraints import Parts
    from graphmemix.retrieve.question import EncodedQuestion
    from graphmemix.settings import RetrievalSettings
    from graphmemix.store.protocol import Filter, Store


@dataclass(frozen=True, slots=True)
class Scored:
    """A memory's retrieval score and its parts (see `evidence.Candidate`)."""

    memory_id: str
    score: float
    dense: float
    lexical: float = 0.0
    matched: float = 0.0


class _Found(NamedTuple):
    """What a search found.

    Attributes:
        scores: Cosines of the best by vectors, or BM25 of the best by words.
        unfound: No other memory has a higher one.
        best: The highest in the archive; 0 if there is none.
    """

    scores: Mapping[str, float]
    unfound: float
    best: float


_NOTHING = _Found({}, 0.0, 0.0)
_FEW = 10  # memories: words that more of them match about as well as the best say little
# Times how far the best stands out and how much of the question it holds; chosen on seven archives
# and three conversations, where a quarter more or less changes the first ten by half a point.
_WORTH = 10.0
_MOST_WORTH = 2.5
_LEAST_PAIRS = 3  # encoded memories: fewer say nothing about the slope of a guess


@dataclass(frozen=True)
class Guess:
    """What the cosine of a memory without a vector would be, guessed from its words.

    A line through what the encoded memories of one question show: while an archive is being
    encoded, a memory whose words match a question as well as those of another gets about the cosine
    that the other has, so that neither sort stands before the other.

    Attributes:
        base: The cosine of a memory that shares no word with the question.
        slope: How much a share of 1 of the best BM25 adds.
        most: No guess is higher: the highest cosine that was seen.
    """

    base: float = 0.0
    slope: float = 0.0
    most: float = 0.0

    @classmethod
    def of(cls, shares: Sequence[float], cosines: Sequence[float]) -> Guess:
        """Fit the line to encoded memories; without any, every guess is 0."""
        if not cosines:
            return cls()
        x, y = np.array(shares, np.float64), np.array(cosines, np.float64)
        spread = float(np.square(x - x.mean()).sum())
        slope = 0.0
        if len(cosines) >= _LEAST_PAIRS and spread > 0:
            slope = max(float(((x - x.mean()) * (y - y.mean())).sum()) / spread, 0.0)
        return cls(float(y.mean()) - slope * float(x.mean()), slope, float(y.max()))

    def cosine(self, share: float) -> float:
        """Return the guess for a share of the best BM25."""
        return min(self.base + self.slope * share, self.most)


class Prior:
    """Scores memories for one question. All scores of one question are on one scale.

    Both searches tell about the same number of memories, and most of them only one part of the
    score. What a search did not find cannot exceed what it found, so each memory has a bound above
    its score, and the other part is looked up only where the bound leaves it a chance.
    """

    def __init__(
        self,
        store: Store,
        question: EncodedQuestion,
        encoder: str,
        settings: RetrievalSettings,
        kinds: Sequence[ViewKind],
        filter: Filter | None,
        *,
        depth: int | None = None,
    ) -> None:
        """Prepare; nothing is searched yet.

        Args:
            store: The archive's store.
            question: The encoded question.
            encoder: What made the vectors.
            settings: How parts of the score are weighed.
            kinds: The kinds of views to search.
            filter: What may be found.
            depth: How many memories a search returns at least; by default as many as retrieval.
        """
        self._store = store
        self._question = question
        self._encoder = encoder
        self._settings = settings
        hides = filter is not None and filter.as_of is not None
        self._kinds = views_that_count(kinds, hides_later=hides)
        # A context view holds all words of a memory and its exchange: one document a memory.
        whole = tuple(kind for kind in self._kinds if kind in CONTEXTS)
        self._worded = whole or self._kinds
        self._filter = filter
        self._known: dict[str, Scored] = {}
        self._alone: dict[str, tuple[float, float, float]] = {}  # scores without constraints
        wanted = settings.retrieved if depth is None else depth
        self._depth = wanted if settings.mode == "hybrid" else 0  # of the searches

    def retrieved(self) -> list[Scored]:
        """Return all memories that retrieval returns, best first, ties to the lower id."""
        return self.best(self._settings.retrieved)

    def best(self, count: int) -> list[Scored]:
        """Return the first `count` of `retrieved`; the fewer, the fewer parts are looked up.

        Asking for more later may search again; ask for the most first.
        """
        most = min(count, self._settings.retrieved)
        self._search_to(most)
        return self._best_by(self._bounds, most)

    def best_of(self, memory_ids: Iterable[str], count: int) -> list[Scored]:
        """Return the best of these memories; constraints are checked only for those in reach."""
        self._search_to(1)
        alone = self._unmatched(list(memory_ids))
        bounds = sorted((-(score + self._most_gain), i) for i, (score, _, _) in alone.items())
        return self._best_by(bounds, count)

    def _best_by(self, bounds: Sequence[tuple[float, str]], count: int) -> list[Scored]:
        """Return the best, given minus a bound above each one's score, lowest first."""
        wanted = min(count, len(bounds))
        if not wanted:
            return []
        ranked = sorted(self.scored(i for _, i in bounds[:wanted]).values(), key=_rank)
        # Whoever can reach the last of them, or tie with it, has to be looked at as well.
        reaching = bisect_right(bounds, -ranked[-1].score, key=lambda pair: pair[0])
        if reaching > wanted:
            ranked = sorted(self.scored(i for _, i in bounds[:reaching]).values(), key=_rank)
        return ranked[:wanted]

    def scored(self, memory_ids: Iterable[str]) -> dict[str, Scored]:
        """Return the scores of memories that pass the filter, retrieved or not."""
        self._search_to(1)
        ids = list(memory_ids)
        unknown = [memory_id for memory_id in ids if memory_id not in self._known]
        if unknown:
            self._known |= {each.memory_id: each for each in self._fused(unknown)}
        return {memory_id: self._known[memory_id] for memory_id in ids}

    def _search_to(self, depth: int) -> None:
        """Let the searches return at least so many; what they found before is forgotten."""
        if depth > self._depth:
            self._depth = depth
            for kept in ("_by_vectors", "_by_words", "_worth", "_bounds"):
                self.__dict__.pop(kept, None)

    @cached_property
    def _by_vectors(self) -> _Found:
        found: dict[str, float] = {}
        unfound = 0.0  # what has no vector counts as 0
        for vector in self._question.vectors:
            hits = self._store.search_vectors(
                vector, self._encoder, limit=self._depth, filter=self._filter, kinds=self._kinds
            )
            for hit in hits:
                found[hit.memory_id] = max(found.get(hit.memory_id, -1.0), hit.score)
            unfound = max(unfound, hits[-1].score if hits else 0.0)
        return _Found(found, unfound, max(found.values(), default=0.0))

    @cached_property
    def _by_words(self) -> _Found:
        if self._settings.mode == "dense":
            return _NOTHING
        depth = max(self._depth, _FEW)  # so that `_worth` is the same at any depth
        hits = self._store.search_text(
            self._question.words, limit=depth, filter=self._filter, kinds=self._worded
        )
        least = hits[-1].score if len(hits) >= depth else 0.0
        found = {hit.memory_id: hit.score for hit in hits}
        return _Found(found, least, hits[0].score if hits else 0.0)

    @cached_property
    def _worth(self) -> float:
        """What a match of words is worth for this question; about 1.

        The share of the best BM25 is 1 for some memory, however little of the question it holds. So
        it counts by how much of what the words could score the best one has, which is little for a
        question in other words than its evidence, or in another language; and by how far the best
        stands out, since words that many memories share tell none of them apart.
        """
        found = self._by_words
        if not self._settings.weigh_words or not found.best:
            return 1.0
        ceiling = self._store.text_ceiling(self._question.words, kinds=self._worded)
        scores = heapq.nlargest(_FEW, found.scores.values())
        rival = scores[-1] if len(scores) == _FEW else 0.0
        return min(_WORTH * (found.best / ceiling) * (1 - rival / found.best), _MOST_WORTH)

    @cached_property
    def _bounds(self) -> list[tuple[float, str]]:
        """What was found, each with minus a bound above its score, lowest first."""
        dense, unfound, _ = self._by_vectors
        lexical, least, best = self._by_words
        unfound = max(unfound, self._guess.most)
        floor = -1.0 if self._is_told else unfound
        weight, gain = self._settings.lexical_weight, self._most_gain
        best, worth = best or 1.0, self._worth
        # The same sum in the same order as a score's, so that rounding cannot part the two.
        return sorted(
            (
                -(
                    max(dense.get(i, unfound), floor)
                    + weight * (worth * (lexical.get(i, least) / best))
                    + gain
                ),
                i,
            )
            for i in {**dense, **lexical}
        )

    @property
    def _is_told(self) -> bool:
        """Whether a search tells the whole cosine; with several parts, each tells its own only."""
        return len(self._question.vectors) == 1

    def _fused(self, ids: Sequence[str]) -> list[Scored]:
        """Return the scores of memories; parts that no search has found are looked up."""
        alone = self._unmatched(ids)
        if self._settings.mode == "dense":
            return [Scored(i, alone[i][1], alone[i][1]) for i in ids]
        matched = self._matched(ids)
        fused = []
        for memory_id in ids:
            (score, cosine, share), gain = alone[memory_id], matched.get(memory_id, 0.0)
            fused.append(Scored(memory_id, score + gain, cosine, share, gain))
        return fused

    def _unmatched(self, ids: Sequence[str]) -> dict[str, tuple[float, float, float]]:
        """Return scores without constraints, cosines and weighed shares of the best BM25."""
        known = {i: self._alone[i] for i in ids if i in self._alone}
        unknown = [i for i in ids if i not in known]
        dense = self._found_cosines(unknown)
        dense |= self._dense_of([i for i in unknown if i not in dense])
        if self._settings.mode == "dense":
            cosines = {i: dense.get(i, -1.0) for i in unknown}
            return known | {i: (cosine, cosine, 0.0) for i, cosine in cosines.items()}
        words = self._by_words
        bm25 = {i: words.scores[i] for i in unknown if i in words.scores}
        missing = [i for i in unknown if i not in bm25]
        if missing and words.unfound > 0:
            bm25 |= self._store.score_text(self._question.words, missing, kinds=self._worded)
        weight, best, worth = self._settings.lexical_weight, words.best or 1.0, self._worth
        waiting = self._waiting(i for i in unknown if i not in dense)
        for memory_id in unknown:
            share = bm25.get(memory_id, 0.0) / best
            unseen = self._guess.cosine(share) if memory_id in waiting else 0.0
            cosine = dense.get(memory_id, unseen)
            lexical = worth * share
            self._alone[memory_id] = (cosine + weight * lexical, cosine, lexical)
        return known | {i: self._alone[i] for i in unknown}

    def _found_cosines(self, ids: Iterable[str]) -> dict[str, float]:
        """Return the cosines that a search has found; nothing is searched for them."""
        if not self._is_told or "_by_vectors" not in self.__dict__:
            return {}
        found = self._by_vectors.scores
        return {i: found[i] for i in ids if i in found}

    @cached_property
    def _is_whole(self) -> bool:
        """Whether every memory has the vectors that it gets."""
        return self._settings.mode == "dense" or not self._store.count_without_vectors()

    def _waiting(self, ids: Iterable[str]) -> set[str]:
        """Return which of these memories are not encoded yet."""
        return set() if self._is_whole else self._store.waiting(ids)

    @cached_property
    def _guess(self) -> Guess:
        """What the words of a memory tell about its cosine, where it is not encoded yet."""
        if self._is_whole:
            return Guess()
        words = self._by_words
        dense = self._dense_of(list(words.scores))
        shares = [words.scores[i] / (words.best or 1.0) for i in dense]
        return Guess.of(shares, list(dense.values()))

    def _dense_of(self, ids: Sequence[str]) -> dict[str, float]:
        best: dict[str, float] = {}
        if not ids:
            return best
        for vector in self._question.vectors:
            scores = self._store.score_vectors(vector, self._encoder, ids, kinds=self._kinds)
            for memory_id, score in scores.items():
                best[memory_id] = max(best.get(memory_id, -1.0), score)
        return best

    @cached_property
    def _most_gain(self) -> float:
        """What a memory gains that satisfies every constraint."""
        if self._settings.mode == "dense":
            return 0.0
        asked = self._question.constraints
        times, places, people, media = asked.times, asked.places, asked.people, asked.media
        return self._gain((_all(times), _all(places), _all(people), _all(media)))

    def _matched(self, ids: Sequence[str]) -> dict[str, float]:
        """Return what memories gain by the constraints that they satisfy; empty without any."""
        if not self._most_gain:
            return {}
        parts = self._question.constraints.parts
        return {i: self._gain(parts(outline)) for i, outline in self._store.outlines(ids).items()}

    def _gain(self, parts: Parts) -> float:
        time, place, person, media = parts
        return (
            self._settings.time_weight * (time or 0.0)
            + self._settings.place_weight * (place or 0.0)
            + self._settings.person_weight * (person or 0.0)
            + self._settings.media_weight * (media or 0.0)
        )


def _all(constraints: Sequence[object]) -> float | None:
    return 1.0 if constraints else None


def views_that_count(kinds: Sequence[ViewKind], *, hides_later: bool) -> tuple[ViewKind, ...]:
    """Return the kinds to search: "context" stands for one view of each memory's exchange.

    If what came later is hidden, that is the view that holds nothing later than the memory.
    """
    chosen = [kind for kind in kinds if kind not in {"exchange", "past"}]
    if "context" in chosen:
        chosen.append("past" if hides_later else "exchange")
    return tuple(chosen)


def _rank(scored: Scored) -> tuple[float, str]:
    return -scored.score, scored.memory_id
