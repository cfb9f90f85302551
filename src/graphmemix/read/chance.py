"""The chance that the archive holds the answer: in words, and as the first line of an answer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from graphmemix.evidence import Trace
from graphmemix.read.missing import NOTHING_ANSWERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphmemix.evidence import Answer
    from graphmemix.settings import ReaderSettings

__all__ = ["DOES_NOT_SEEM", "HOLDS", "MAY_HOLD", "chance_of", "in_words", "with_chance"]

HOLDS: Final = "the archive holds the answer"
MAY_HOLD: Final = "the archive may hold the answer"
DOES_NOT_SEEM: Final = "the archive does not seem to hold the answer"


def chance_of(trace: Trace) -> float | None:
    """Return the chance that a trace states; early traces have it in their answer alone."""
    if trace.answerable is None and trace.answer is not None:
        return trace.answer.answerable
    return trace.answerable


def in_words(judged: Trace | float | None, settings: ReaderSettings) -> str:
    """Return a chance in words, by the bounds in the settings; empty if it was not judged."""
    chance = chance_of(judged) if isinstance(judged, Trace) else judged
    if chance is None:
        return ""
    if chance < settings.unsure_below:
        return DOES_NOT_SEEM
    return HOLDS if chance >= settings.holds_from else MAY_HOLD


def with_chance(
    answer: Answer, chance: float | None, settings: ReaderSettings, missing: Callable[[], str]
) -> Answer:
    """Return the answer with the probability that the archive holds it.

    If the archive does not seem to hold it, an answer by quotation starts with what is `missing`,
    because it cannot express uncertainty as a model can. If it quotes nothing, that is all it says.
    An answer by a model, or one that lacks nothing, keeps its text. `missing` is called only if it
    is needed.
    """
    marked = replace(answer, answerable=chance)
    unsure = in_words(chance, settings) == DOES_NOT_SEEM
    if not unsure or not answer.extractive:
        return marked
    lacking = missing()
    if not lacking or (not answer.citations and lacking in NOTHING_ANSWERS):
        return marked
    return replace(marked, text=f"{lacking}\n{answer.text}" if answer.citations else lacking)
