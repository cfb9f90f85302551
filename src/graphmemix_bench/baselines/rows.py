"""Exact cosine over a growing matrix of unit vectors, and the encoding that fills it, timed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphmemix.errors import InvalidDataError
from graphmemix.evidence import StageCost
from graphmemix.retrieve.question import encode_question
from graphmemix_bench.baselines.protocol import Made
from graphmemix_bench.vector_cache import EncodingTimer

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from graphmemix.encode.protocol import Encoder, Matrix
    from graphmemix.evidence import Question
    from graphmemix_bench.baselines.protocol import Journal

_FIRST = 64  # rows


class Rows:
    """Unit vectors by row. Ties go to the lower row."""

    def __init__(self, dimension: int) -> None:
        self._matrix = np.zeros((_FIRST, dimension), dtype=np.float32)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def matrix(self) -> Matrix:
        """All rows."""
        return self._matrix[: self._count]

    def add(self, vectors: Matrix) -> None:
        """Append rows."""
        needed = self._count + len(vectors)
        while needed > len(self._matrix):
            self._matrix = np.concatenate([self._matrix, np.zeros_like(self._matrix)])
        self._matrix[self._count : needed] = vectors
        self._count = needed

    def replace(self, row: int, vector: Matrix) -> None:
        """Change one row."""
        self._matrix[row] = vector

    def scores(self, parts: Matrix) -> list[float]:
        """Return the cosine of every row with its best part."""
        if not self._count or not len(parts):
            return [0.0] * self._count
        best: list[float] = (self.matrix @ parts.T).max(axis=1).tolist()
        return best

    def best(
        self, parts: Matrix, count: int, without: Collection[int] = ()
    ) -> list[tuple[int, float]]:
        """Return the best rows with their scores; all of them if there are fewer."""
        if not len(parts):
            return []
        scores = self.scores(parts)
        ranked = sorted(range(len(scores)), key=lambda row: -scores[row])
        kept = (row for row in ranked if row not in without)
        return [(row, scores[row]) for row, _ in zip(kept, range(count), strict=False)]


class Encoding:
    """Encodes texts for a build, and keeps what that took."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self.seconds = 0.0

    def texts(self, texts: Sequence[str]) -> Matrix:
        """Return one unit vector per text."""
        with EncodingTimer(self._encoder) as timer:
            vectors = (
                self._encoder.texts(texts)
                if texts
                else np.zeros((0, self._encoder.dimension), dtype=np.float32)
            )
        self.seconds += timer.seconds
        return vectors

    def keep(self, journal: Journal) -> None:
        """Write down what encoding took, unless an earlier build did."""
        if journal.get("encode") is None:
            journal.put("encode", Made(None, (StageCost("encode", self.seconds),)))


def asked(question: Question, encoder: Encoder) -> tuple[Matrix, float]:
    """Return the vectors of a question's parts, and what that took; no row if it has no words."""
    with EncodingTimer(encoder) as timer:
        try:
            parts = encode_question(question, encoder).vectors
        except InvalidDataError:  # a picture without words, and an encoder of words
            parts = np.zeros((0, encoder.dimension), dtype=np.float32)
    return parts, timer.seconds
