"""How far two judges of the same answers agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphmemix.errors import InvalidInputError
from graphmemix.record import Record

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Agreement(Record):
    """Two judges on the same answers.

    Attributes:
        count: How many answers.
        both_right: Both say right.
        both_wrong: Both say wrong.
        only_first: The first says right, the second wrong.
        only_second: The other way round.
        agreement: Share of equal verdicts, in percent.
        kappa: Cohen's: agreement beyond chance, 1 for full; 0 where both always say the same.
    """

    count: int
    both_right: int
    both_wrong: int
    only_first: int
    only_second: int
    agreement: float
    kappa: float


def agreement(pairs: Sequence[tuple[bool, bool]]) -> Agreement:
    """Return how far two judges agree, given their verdicts as pairs.

    Raises:
        InvalidInputError: There are none.
    """
    if not pairs:
        raise InvalidInputError("there are no verdicts to compare")
    count = len(pairs)
    right = sum(a and b for a, b in pairs)
    wrong = sum(not a and not b for a, b in pairs)
    first = sum(a and not b for a, b in pairs)
    second = count - right - wrong - first
    observed = (right + wrong) / count
    a, b = (right + first) / count, (right + second) / count
    chance = a * b + (1 - a) * (1 - b)
    kappa = (observed - chance) / (1 - chance) if chance < 1 else 0.0
    return Agreement(count, right, wrong, first, second, 100 * observed, kappa)
