"""BM25 from its definition, and small collections to try it on."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from graphmemix.store.arrays import Matches
from graphmemix.store.lexical import LexicalIndex
from graphmemix.text.postings import fingerprint, pack


@dataclass(frozen=True)
class Document:
    owner: int
    kind: int
    terms: dict[str, int]
    more: int = 0  # tokens that no one asks for

    @property
    def length(self) -> int:
        return sum(self.terms.values()) + self.more


@dataclass
class Reference:
    """BM25 from its definition, over a dictionary."""

    live: dict[int, Document] = field(default_factory=dict)

    def search(
        self, terms: set[str], kinds: set[int] | None = None, allowed: set[int] | None = None
    ) -> dict[int, float]:
        views = {i: d for i, d in self.live.items() if kinds is None or d.kind in kinds}
        average = sum(d.length for d in views.values()) / max(1, len(views)) or 1.0
        scores = dict.fromkeys(views, 0.0)
        for term in sorted(terms, key=fingerprint):
            matching = sum(term in d.terms for d in views.values())
            idf = math.log(1 + (len(views) - matching + 0.5) / (matching + 0.5))
            for i, d in views.items():
                if times := d.terms.get(term, 0):
                    norm = 1.2 * ((1 - 0.75) + 0.75 * (d.length / average))
                    scores[i] += idf * (1.2 + 1) * times / (times + norm)
        passing = {i for i, d in views.items() if allowed is None or d.owner in allowed}
        return {i: score for i, score in sorted(scores.items()) if score and i in passing}

    def best(self, scores: dict[int, float], limit: int) -> list[tuple[int, int, float]]:
        best: dict[int, tuple[float, int]] = {}
        for i, score in scores.items():
            owner = self.live[i].owner
            best[owner] = min(best.get(owner, (0.0, 0)), (-score, i))
        ranked = sorted((score, owner, i) for owner, (score, i) in best.items())
        last = ranked[limit - 1][0] if len(ranked) >= limit else 0.0
        return [(i, owner, -score) for score, owner, i in ranked if score <= last]


def append(index: LexicalIndex, documents: dict[int, Document]) -> None:
    of = list(documents.values())
    index.append(
        np.array(list(documents), np.int64),
        np.array([d.owner for d in of], np.int64),
        np.array([d.kind for d in of], np.uint8),
        np.array([d.length for d in of], np.int64),
        [pack(d.terms) for d in of],
    )


def indexed(documents: dict[int, Document]) -> LexicalIndex:
    index = LexicalIndex()
    append(index, documents)
    return index


def ids(*values: int) -> NDArray[np.int64]:
    return np.array(values, np.int64)


def triples(found: Matches) -> list[tuple[int, int, float]]:
    columns = (found.view_ids.tolist(), found.owners.tolist(), found.scores.tolist())
    return list(zip(*columns, strict=True))


ANIMALS = {
    1: Document(10, 0, {"cat": 2, "dog": 1}),
    2: Document(10, 1, {"cat": 1}),
    3: Document(20, 0, {"dog": 1, "fox": 4}),
    5: Document(30, 0, {"fox": 1, "owl": 1}),
}
