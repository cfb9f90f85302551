"""What the cosine of a memory would be that has no vector yet, guessed from its words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

_LEAST = 3  # pairs: fewer say nothing about the slope


@dataclass(frozen=True)
class Guess:
    """A line through what the encoded memories of one question show.

    While an archive is being encoded, a memory whose words match a question as well as those of
    another gets about the cosine that the other has; so neither sort stands before the other.

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
        if len(cosines) >= _LEAST and spread > 0:
            slope = max(float(((x - x.mean()) * (y - y.mean())).sum()) / spread, 0.0)
        return cls(float(y.mean()) - slope * float(x.mean()), slope, float(y.max()))

    def cosine(self, share: float) -> float:
        """Return the guess for a share of the best BM25."""
        return min(self.base + self.slope * share, self.most)
