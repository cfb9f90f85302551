"""The retrieval score ``s_i``: dense, or fused with words and constraints (METHOD section 1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from graphmemix.memory import ViewKind
    from graphmemix.retrieve.constraints import Match
    from graphmemix.retrieve.question import EncodedQuestion
    from graphmemix.settings import RetrievalSettings
    from graphmemix.store.protocol import Filter, Store

_CONTEXTS: Final[frozenset[ViewKind]] = frozenset({"context", "exchange", "past"})


@dataclass(frozen=True)
class Scored:
    """A memory's retrieval score and its parts (see `evidence.Candidate`)."""

    memory_id: str
    score: float
    dense: float
    lexical: float = 0.0
    matched: float = 0.0


class Prior:
    """Scores memories for one question. All scores of one question are on one scale."""

    def __init__(
        self,
        store: Store,
        question: EncodedQuestion,
        encoder: str,
        settings: RetrievalSettings,
        kinds: Sequence[ViewKind],
        filter: Filter | None,
    ) -> None:
        self._store = store
        self._question = question
        self._encoder = encoder
        self._settings = settings
        hides = filter is not None and filter.as_of is not None
        self._kinds = views_that_count(kinds, hides_later=hides)
        # A context view holds all words of a memory and its exchange: one document a memory.
        whole = tuple(kind for kind in self._kinds if kind in _CONTEXTS)
        self._worded = whole or self._kinds
        self._filter = filter
        self._best_lexical = 0.0

    def retrieved(self) -> list[Scored]:
        """Return the best memories, best first, ties to the lower id."""
        most = self._settings.retrieved
        dense = self._dense_search(most)
        if self._settings.mode == "dense":
            return [Scored(memory_id, score, score) for memory_id, score in _ranked(dense)[:most]]
        lexical = self._lexical_search(most)
        ids = list(dict.fromkeys([*dense, *lexical]))
        return self._fused(ids, dense, lexical)[:most]

    def scored(self, memory_ids: Iterable[str]) -> dict[str, Scored]:
        """Return the scores of memories that `retrieved` did not return; call that first."""
        ids = list(memory_ids)
        if self._settings.mode == "dense":
            dense = self._dense_of(ids)
            return {i: Scored(i, dense.get(i, -1.0), dense.get(i, -1.0)) for i in ids}
        return {each.memory_id: each for each in self._fused(ids, {}, {})}

    def _dense_search(self, most: int) -> dict[str, float]:
        best: dict[str, float] = {}
        for vector in self._question.vectors:
            for hit in self._store.search_vectors(
                vector, self._encoder, limit=most, filter=self._filter, kinds=self._kinds
            ):
                best[hit.memory_id] = max(best.get(hit.memory_id, -1.0), hit.score)
        return best

    def _dense_of(self, ids: Sequence[str]) -> dict[str, float]:
        best: dict[str, float] = {}
        if not ids:
            return best
        for vector in self._question.vectors:
            scores = self._store.score_vectors(vector, self._encoder, ids, kinds=self._kinds)
            for memory_id, score in scores.items():
                best[memory_id] = max(best.get(memory_id, -1.0), score)
        return best

    def _lexical_search(self, most: int) -> dict[str, float]:
        hits = self._store.search_text(
            self._question.words, limit=most, filter=self._filter, kinds=self._worded
        )
        self._best_lexical = hits[0].score if hits else 0.0
        return {hit.memory_id: hit.score for hit in hits}

    def _fused(
        self, ids: Sequence[str], dense: dict[str, float], lexical: dict[str, float]
    ) -> list[Scored]:
        """Return all of `ids`, best first; parts that a search has not told are looked up."""
        # With several parts, a search tells the score of those parts only that found a memory.
        several = len(self._question.vectors) > 1
        cosines = dense | self._dense_of([i for i in ids if several or i not in dense])
        missing = [i for i in ids if i not in lexical]
        bm25 = dict(lexical)
        if missing and self._best_lexical > 0:
            bm25 |= self._store.score_text(self._question.words, missing, kinds=self._worded)
        matched = self._matched(ids)
        fused = []
        for memory_id in ids:
            cosine = cosines.get(memory_id, 0.0)
            share = bm25.get(memory_id, 0.0) / self._best_lexical if self._best_lexical else 0.0
            match = matched.get(memory_id, 0.0)
            score = cosine + self._settings.lexical_weight * share + match
            fused.append(Scored(memory_id, score, cosine, share, match))
        return sorted(fused, key=lambda each: (-each.score, each.memory_id))

    def _matched(self, ids: Sequence[str]) -> dict[str, float]:
        """Return what memories gain by the constraints that they satisfy; empty without any."""
        constraints = self._question.constraints
        if not constraints or not any(_weights(self._settings)):
            return {}
        memories = self._store.get_many(ids)
        return {i: self._gain(constraints.match(memory)) for i, memory in memories.items()}

    def _gain(self, match: Match) -> float:
        matched = (match.time, match.place, match.person, match.media)
        pairs = zip(_weights(self._settings), matched, strict=True)
        return sum(weight * (part or 0.0) for weight, part in pairs)


def views_that_count(kinds: Sequence[ViewKind], *, hides_later: bool) -> tuple[ViewKind, ...]:
    """Return the kinds to search: "context" stands for one view of each memory's exchange.

    If what came later is hidden, that is the view that holds nothing later than the memory.
    """
    chosen = [kind for kind in kinds if kind not in {"exchange", "past"}]
    if "context" in chosen:
        chosen.append("past" if hides_later else "exchange")
    return tuple(chosen)


def _weights(settings: RetrievalSettings) -> tuple[float, ...]:
    return (
        settings.time_weight,
        settings.place_weight,
        settings.person_weight,
        settings.media_weight,
    )


def _ranked(scores: dict[str, float]) -> list[tuple[str, float]]:
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
