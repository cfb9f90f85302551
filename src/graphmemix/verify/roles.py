"""What a candidate adds to its anchor, by rule (METHOD section 4, without a model)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmemix.encode.views import all_words
from graphmemix.verify.features import words_of

if TYPE_CHECKING:
    from graphmemix.evidence import Role
    from graphmemix.memory import Memory
    from graphmemix.settings import LocalSettings


def role_of(
    candidate: Memory, anchor: Memory, question: str, likeness: float, settings: LocalSettings
) -> Role:
    """Return the role of a candidate whose link to the anchor is worth something.

    In this order: it says the same again (``redundant``); it holds words of the question that the
    anchor does not (``new_fact``); it is much like the anchor (``corroboration``); it stands beside
    the anchor and tells more about it (``clarification``). A conflict takes understanding that
    rules do not have, so that ``conflict`` is never said.

    Args:
        candidate: What is added.
        anchor: What is known.
        question: The words of the question.
        likeness: Cosine of the two canonical views.
        settings: Where likeness begins to count.
    """
    said, known = words_of(all_words(candidate)), words_of(all_words(anchor))
    if likeness >= settings.redundant_likeness or (said and said <= known):
        return "redundant"
    if words_of(question) & (said - known):
        return "new_fact"
    if likeness >= settings.corroborating_likeness:
        return "corroboration"
    return "clarification"
