"""Whom evidence is about: who said it, and whom "I" and "you" mean there.

A question about somebody's race is not answered by what another says of theirs, however like it is.
In a conversation of two that is the usual near miss. Pronouns of English, German, French, Spanish,
Italian, Portuguese, Dutch, Swedish, Japanese and Chinese; in other languages only who spoke counts.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from graphmemix.text.folding import plain
from graphmemix.verify.logistic import log_odds

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from graphmemix.memory import Memory

    Floats = NDArray[np.float64]

__all__ = ["SUBJECTS", "subjects"]

SUBJECTS: dict[str, str] = {
    "named_author_below_best": "log-odds of the best by somebody whom it names, less the best",
    "mass_by_named": "in a conversation: share of the expected evidence that such a person said",
    "mass_about_named": "in a conversation: the same of what is about such a person",
}
"""Features of a question about somebody who speaks or writes among the candidates."""

_MOST_CHARACTERS: Final = 4_000
_CONVERSATION: Final = 0.5  # share of conversation from which "you" is the other of two
_UNSAID: Final = 0.3  # how much a memory without an author is about somebody whom it does not name
_WORD: Final = re.compile(r"[^\W_]+")
_MYSELF: Final = re.compile(
    r"\b(?:i|im|ive|me|my|mine|myself|we|our|us|ich|mich|mir|mein\w*|wir|uns|unser\w*|je|j|moi|mon|"
    r"ma|mes|nous|notre|nos|yo|mi|mis|nosotros|"
    # Not "mia", which is a name, and not "min", which are minutes.
    r"io|mio|miei|mie|noi|nostr[oaie]|eu|mim|meus?|minhas?|nossos?|nossas?|"
    r"ik|mij|mijn|wij|ons|onze|jag|mig|mitt|vi|oss)\b|[私僕俺我咱]|わたし"
)
_YOU: Final = re.compile(
    r"\b(?:you|your|yours|youre|ur|du|dich|dir|dein\w*|tu|toi|ton|ta|tes|vous|votre|vos|te|"
    r"ti|tuo|tua|tuoi|voi|vostr[oaie]|voce|teus?|tuas?|jij|jou|jouw|jullie|din|ditt)\b|あなた|きみ|[你您]"
)


def subjects(
    memories: Sequence[Memory],
    texts: Sequence[str],
    names: Collection[str],
    probability: Floats,
    talk: float,
) -> dict[str, float]:
    """Return the features named in `SUBJECTS`; NaN if nobody whom the question names is an author.

    Args:
        memories: The candidates.
        texts: The words of each.
        names: The beginnings of the question's names (`asked.names_in`).
        probability: The chance of each candidate to be evidence.
        talk: The share of conversation among them.
    """
    named = np.array([_is_one_of(memory.speaker or "", names) for memory in memories], dtype=bool)
    if not named.any():
        return dict.fromkeys(SUBJECTS, math.nan)
    odds = log_odds(probability)
    found = dict.fromkeys(SUBJECTS, math.nan)
    found["named_author_below_best"] = float(odds[named].max() - odds.max())
    if talk > _CONVERSATION:
        total = max(float(probability.sum()), 1e-6)
        about = [
            _about(memory.speaker or "", text, names, is_author=is_author)
            for memory, text, is_author in zip(memories, texts, named.tolist(), strict=True)
        ]
        found["mass_by_named"] = float(probability @ named / total)
        found["mass_about_named"] = float(probability @ np.array(about) / total)
    return found


def _is_one_of(author: str, names: Collection[str]) -> bool:
    return any(word.startswith(name) for word in plain(author).lower().split() for name in names)


def _about(author: str, text: str, names: Collection[str], *, is_author: bool) -> float:
    """Return how much of what somebody said is about the one whom a question names, 0 to 1."""
    words, myself, you = _persons(text[:_MOST_CHARACTERS])
    if is_author:
        return (myself + 1) / (myself + you + 1.5)
    named = sum(word.startswith(name) for word in words for name in names)
    if not author:
        return 1.0 if named else _UNSAID
    return (you + 2 * named) / (myself + you + 2 * named + 1)


@lru_cache(maxsize=2048)
def _persons(text: str) -> tuple[tuple[str, ...], int, int]:
    folded = plain(text).lower()
    return tuple(_WORD.findall(folded)), len(_MYSELF.findall(folded)), len(_YOU.findall(folded))
