"""What candidates hold of what is asked: a value of the sort, and the names of the question."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from graphmemix.verify.asked import asked_type, holds, holds_names, names_in
from graphmemix.verify.logistic import log_odds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphmemix.memory import Memory

    Floats = NDArray[np.float64]

__all__ = ["hold_asked", "holding", "with_time_and_place"]

_NO_VALUE: Final = 5.0  # nats; how far below the best a value counts that no candidate holds
_NO_COSINE: Final = 0.5  # the same in cosine
_WITH_TIME_AND_PLACE: Final = frozenset({"event", "photo", "video"})


def with_time_and_place(memory: Memory, text: str) -> str:
    """Return the words of a memory with when and where an event is, or a picture was taken.

    That is the answer to many a question, and stands in no word.
    """
    if memory.kind not in _WITH_TIME_AND_PLACE:
        return text
    when = f" {memory.timestamp:%d %B %Y}" if memory.timestamp else ""
    return f"{text}{when} {memory.place.name}" if memory.place else text + when


def hold_asked(question: str, texts: Sequence[str]) -> Floats:
    """Return 1 for each text with a value of the sort asked for; NaN if the question names none."""
    wanted = asked_type(question)
    if wanted is None:
        return np.full(len(texts), np.nan)
    return np.array([holds(text, wanted) for text in texts], float)


def holding(
    question: str, told: Sequence[str], signed: Sequence[str], dense: Floats, probability: Floats
) -> dict[str, float]:
    """Return features of a whole question, by name.

    Args:
        question: Its text.
        told: What each candidate tells (`with_time_and_place`).
        signed: The same below the name of who wrote, said or took it.
        dense: The cosine of each.
        probability: The chance of each to be evidence.
    """
    odds, names = log_odds(probability), names_in(question)
    values = hold_asked(question, told)
    asks_value, valued = not np.isnan(values).any(), values == 1.0
    held = np.array([holds_names(text, names) for text in signed])
    named = (held >= held.max()) & (held > 0)
    total = max(probability.sum(), 1e-6)

    def below(of: Floats, mask: NDArray[np.bool_], nothing: float) -> float:
        if not asks_value:
            return math.nan
        return float(of[mask].max() - of.max()) if mask.any() else -nothing

    return {
        "value_below_best": below(odds, valued, _NO_VALUE),
        "named_value_below_best": below(odds, valued & named, _NO_VALUE) if names else math.nan,
        "value_cosine_below_best": below(dense, valued, _NO_COSINE),
        "mass_with_value": float(probability @ valued / total) if asks_value else math.nan,
        "mass_with_names": float(probability @ held / total) if names else math.nan,
    }
