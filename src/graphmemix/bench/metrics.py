"""Evidence metrics (METHOD section 8), in percent over annotated questions."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence


@dataclass(frozen=True)
class EvidenceScore:
    """How much of the gold was found.

    Attributes:
        recall: Mean share of the gold that was found.
        hit: Share of questions with any gold found.
        all: Share of questions with all gold found.
    """

    recall: float
    hit: float
    all: float


def evidence_score(
    pairs: Iterable[tuple[Sequence[str] | Collection[str], Collection[str]]],
) -> EvidenceScore:
    """Return the metrics over pairs of (found, gold); questions without gold must not be there."""
    shares = [len(set(found) & set(gold)) / len(set(gold)) for found, gold in pairs]
    if not shares:
        return EvidenceScore(0.0, 0.0, 0.0)
    return EvidenceScore(
        recall=100 * fmean(shares),
        hit=100 * fmean(share > 0 for share in shares),
        all=100 * fmean(share == 1 for share in shares),
    )
