"""A deterministic encoder without any model, for tests: yours and ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphmemix.errors import EncoderError
from graphmemix.text import postings, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphmemix.encode.protocol import Matrix, Progress


class HashingEncoder:
    """Texts that share words are near each other; nothing else is known about meaning.

    Each term adds a pseudo-random direction of its own, weighted by how often it occurs. Costs
    microseconds a text and gives the same vectors everywhere.
    """

    sees_images = False

    def __init__(self, dimension: int = 256) -> None:
        self.dimension = dimension
        self.identity = f"hashing/{dimension}"

    def texts(self, texts: Sequence[str], *, progress: Progress | None = None) -> Matrix:
        """Return one unit vector per text."""
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            for term, count in words.terms(text).items():
                seed = postings.fingerprint(term)
                direction = np.random.default_rng(seed).standard_normal(self.dimension)
                vectors[row] += (np.sqrt(count) * direction).astype(np.float32)
            if not vectors[row].any():  # a text without words
                vectors[row, 0] = 1.0
            if progress is not None:
                progress(row + 1, len(texts))
        return vectors / np.sqrt(np.square(vectors).sum(axis=1, keepdims=True))  # type: ignore[no-any-return]

    def images(self, images: Sequence[bytes], *, progress: Progress | None = None) -> Matrix:
        """Refuse: this encoder knows words only."""
        del images, progress
        raise EncoderError(f"{self.identity} does not see images")
