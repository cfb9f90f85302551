"""Retrieval signals of each candidate beyond its score: the input of the local verifier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphmemix.retrieve.prior import CONTEXTS
from graphmemix.store.unit_vectors import graph_vector

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from graphmemix.memory import View, ViewKind
    from graphmemix.retrieve.question import EncodedQuestion
    from graphmemix.store.protocol import Search, Store, Vector

WORDS: tuple[ViewKind, ...] = ("text", "ocr", "transcript")
"""Views of a memory's own words."""
LOOKS: tuple[ViewKind, ...] = ("caption", "image", "frame")
"""Views of what its media show."""
_OWN: tuple[ViewKind, ...] = ("text", "caption", "ocr", "transcript")


@dataclass(frozen=True)
class Signals:
    """One row per candidate, in retrieval order.

    Attributes:
        words: Best cosine of its own words; 0 without any.
        looks: Best cosine of captions and pictures; 0 without any.
        context: Cosine of its context view; 0 without one.
        own_bm25: BM25 of its best own view.
        context_bm25: BM25 of its context view.
        canonical: Its graph vector; zeros without one.
        together: The vector of its context view; zeros without one.
        question_words: All words of the question and of its pictures' captions.
    """

    words: NDArray[np.float64]
    looks: NDArray[np.float64]
    context: NDArray[np.float64]
    own_bm25: NDArray[np.float64]
    context_bm25: NDArray[np.float64]
    canonical: NDArray[np.float32]
    together: NDArray[np.float32]
    question_words: str


def gather(
    store: Store, question: EncodedQuestion, ids: Sequence[str], kinds: Sequence[ViewKind]
) -> Signals:
    """Return the signals of candidates. Costs one read of their vectors and two of BM25.

    Args:
        store: The archive's store.
        question: The encoded question.
        ids: The candidates.
        kinds: The kinds of views to use (`retrieve.prior.views_that_count`).
    """
    own_kinds = [kind for kind in kinds if kind in _OWN]
    together = [kind for kind in kinds if kind in CONTEXTS]
    views, vectors = store.views(ids), store.vectors(ids)
    dimension = question.vectors.shape[1]
    rows = [_CandidateViews(views.get(i, ()), vectors.get(i, ()), question.vectors) for i in ids]
    own = _bm25(store, question.words, ids, own_kinds)
    context = _bm25(store, question.words, ids, together)
    return Signals(
        words=np.array([row.best(WORDS) for row in rows]),
        looks=np.array([row.best(LOOKS) for row in rows]),
        context=np.array([row.best(together) for row in rows]),
        own_bm25=_column(own, ids),
        context_bm25=_column(context, ids),
        canonical=_stacked([row.canonical() for row in rows], dimension),
        together=_stacked([row.first(together) for row in rows], dimension),
        question_words=question.words,
    )


class _CandidateViews:
    """The views of one candidate with their vectors and best cosines over the question's parts."""

    def __init__(
        self, views: Sequence[View], vectors: Sequence[Vector | None], question: NDArray[np.float32]
    ) -> None:
        self._parts = [
            (view.kind, vector, float((question @ vector).max()))
            for view, vector in zip(views, vectors, strict=False)
            if vector is not None
        ]

    def best(self, kinds: Sequence[ViewKind]) -> float:
        return max((cosine for kind, _, cosine in self._parts if kind in kinds), default=0.0)

    def first(self, kinds: Sequence[ViewKind]) -> Vector | None:
        return next((vector for kind, vector, _ in self._parts if kind in kinds), None)

    def canonical(self) -> Vector | None:
        return graph_vector([(kind, vector) for kind, vector, _ in self._parts])


def _bm25(
    store: Search, words: str, ids: Sequence[str], kinds: Sequence[ViewKind]
) -> dict[str, float]:
    return store.score_text(words, ids, kinds=kinds) if words and kinds else {}


def _column(scores: Mapping[str, float], ids: Sequence[str]) -> NDArray[np.float64]:
    return np.array([scores.get(i, 0.0) for i in ids])


def _stacked(vectors: Sequence[Vector | None], dimension: int) -> NDArray[np.float32]:
    empty = np.zeros(dimension, dtype=np.float32)
    if not vectors:
        return np.zeros((0, dimension), dtype=np.float32)
    return np.stack([empty if vector is None else vector for vector in vectors])
