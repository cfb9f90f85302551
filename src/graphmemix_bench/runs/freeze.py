"""From a verified question to the frozen case that selectors and diagnostics look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmemix_bench.measures.diagnostics import FrozenCase

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphmemix.verify.protocol import Case, Verdict
    from graphmemix_bench.datasets.base import GoldQuestion


def frozen_case(
    context: str,
    question: GoldQuestion,
    case: Case,
    verdict: Verdict,
    *,
    source: Sequence[str],
    proposal: Sequence[str] = (),
    refined: Sequence[str] = (),
) -> FrozenCase:
    """Return the case with everything by index and nothing left to a model.

    Args:
        context: The archive that it was asked of.
        question: What was asked, with its gold.
        case: Candidates, anchors and eligible links.
        verdict: Utilities and trusted links.
        source: The source's ranking before expansion.
        proposal: What was selected, if it was.
        refined: What the reader gets, if it was refined.
    """
    candidates = tuple(candidate.memory_id for candidate in case.candidates)
    index = {memory_id: place for place, memory_id in enumerate(candidates)}
    utility = {support.memory_id: support.utility for support in verdict.supports}
    return FrozenCase(
        context=context,
        question=question.id,
        type=question.type,
        gold=tuple(sorted(question.gold)),
        source=tuple(source),
        candidates=candidates,
        utilities=tuple(utility[memory_id] for memory_id in candidates),
        edges=tuple(
            (index[each.anchor_id], index[each.memory_id], each.weight)
            for each in verdict.increments
            if each.anchor_id is not None and each.weight > 0
        ),
        eligible=tuple(
            (index[anchor.anchor_id], index[memory_id])
            for memory_id, anchors in case.eligible.items()
            for anchor in anchors
        ),
        proposal=tuple(proposal),
        refined=tuple(refined),
    )
