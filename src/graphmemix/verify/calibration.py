"""Node utility from the retrieval score and the verifier's (METHOD section 3, eq. 14 and 15)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from graphmemix.evidence import MAX_SUPPORT
from graphmemix.record import Record

if TYPE_CHECKING:
    from graphmemix.settings import UtilitySettings


@dataclass(frozen=True)
class Calibration(Record):
    """``p = sigmoid(a * s + b * v - c)`` for one encoder's scores and one verifier's.

    Attributes:
        a: Weight of the retrieval score ``s``.
        b: Weight of the verifier's score ``v``, which runs from 0 to 5.
        c: Offset.
        provenance: What it was fitted on, in words.
    """

    a: float
    b: float
    c: float
    provenance: str = ""

    @classmethod
    def published(cls, settings: UtilitySettings) -> Self:
        """Return eq. 14 in this form: a = tau alpha, b = tau (1 - alpha) / 5, c = tau delta."""
        return cls(
            settings.tau * settings.alpha,
            settings.tau * (1 - settings.alpha) / MAX_SUPPORT,
            settings.tau * settings.delta,
            "published constants",
        )

    def utility(self, score: float, support: float) -> float:
        """Return ``p`` in (0, 1)."""
        return sigmoid(self.a * score + self.b * support - self.c)


def sigmoid(value: float) -> float:
    """Return the logistic function without overflow."""
    if value >= 0:
        return 1 / (1 + math.exp(-value))
    power = math.exp(value)
    return power / (1 + power)
