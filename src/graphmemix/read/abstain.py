"""What an answer says about its own chances: nothing is hidden, but doubts are told."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from graphmemix.evidence import Answer
    from graphmemix.settings import ReaderSettings

__all__ = ["DOUBT", "with_chance"]

DOUBT: Final = "The archive may not hold the answer."


def with_chance(answer: Answer, chance: float | None, settings: ReaderSettings) -> Answer:
    """Return the answer with the probability that the archive holds it.

    Below `unsure_below`, an answer by quotation opens with a sentence of doubt before its evidence:
    it cannot weigh its words as a model can, so it must not sound sure. An answer that found
    nothing, or that a model wrote, keeps its words.
    """
    told = replace(answer, answerable=chance)
    unsure = chance is not None and chance < settings.unsure_below
    if not unsure or not answer.extractive or not answer.citations:
        return told
    if answer.text.startswith(DOUBT):
        return told
    return replace(told, text=f"{DOUBT}\n{answer.text}")
