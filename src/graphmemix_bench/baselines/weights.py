"""How telling each word is among the memories of a context."""

from __future__ import annotations

from collections import Counter
from math import log
from typing import TYPE_CHECKING

from graphmemix.text.stopwords import STOP_WORDS
from graphmemix.text.words import terms

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_SHORTEST = 3  # letters
_STOP_WORDS = frozenset(terms(STOP_WORDS))


class WordWeights:
    """``tf * ln(1 + n / df)`` over the texts of a context."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._count = len(texts)
        self._holders: Counter[str] = Counter(word for text in texts for word in terms(text))

    def rarity(self, word: str) -> float:
        """Return how rare a word is: ``ln(1 + n / df)``."""
        return log(1 + self._count / max(1, self._holders[word]))

    def keywords(self, text: str, most: int, *, without: Collection[str] = ()) -> list[str]:
        """Return the most telling words of a text, best first; ties by the alphabet."""
        weights = {
            word: count * self.rarity(word)
            for word, count in terms(text).items()
            if len(word) >= _SHORTEST
            and word not in without
            and word not in _STOP_WORDS
            and any(character.isalpha() for character in word)
        }
        return sorted(weights, key=lambda word: (-weights[word], word))[:most]
