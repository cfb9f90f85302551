"""Adds the probability of being answerable to an answer, and a doubt if it is low."""

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

    Below `unsure_below`, an answer by quotation starts with a sentence of doubt, because it cannot
    express uncertainty as a model can. An answer without evidence, or by a model, keeps its text.
    """
    marked = replace(answer, answerable=chance)
    unsure = chance is not None and chance < settings.unsure_below
    if not unsure or not answer.extractive or not answer.citations:
        return marked
    if answer.text.startswith(DOUBT):
        return marked
    return replace(marked, text=f"{DOUBT}\n{answer.text}")
