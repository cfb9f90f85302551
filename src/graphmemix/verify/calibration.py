"""Node utility from the retrieval score and the verifier's (METHOD section 3, eq. 14 and 15)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from graphmemix.encode.protocol import scores_alike
from graphmemix.errors import InvalidDataError, InvalidInputError
from graphmemix.evidence import MAX_SUPPORT
from graphmemix.record import Record
from graphmemix.verify.opinion import Combination

if TYPE_CHECKING:
    from pathlib import Path

    from graphmemix.settings import UtilitySettings


@dataclass(frozen=True)
class Calibration(Record):
    """``p = sigmoid(a * s + b * v - c)`` for one encoder's scores and one verifier's.

    Attributes:
        a: Weight of the retrieval score ``s``.
        b: Weight of the verifier's score ``v``, which runs from 0 to 5.
        c: Offset.
        provenance: A description of the data that it was fitted on.
        encoder: The identity of the encoder whose scores it is for; empty for any.
        verifier: The identity of the verifier whose scores it is for; empty for any.
    """

    a: float
    b: float
    c: float
    provenance: str = ""
    encoder: str = ""
    verifier: str = ""

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


def load_calibration(path: Path, encoder: str) -> Calibration | Combination:
    """Return a stored calibration: of a model's scores alone, or together with local chances.

    Raises:
        InvalidInputError: It cannot be read, or was fitted to another encoder's scores.
    """
    found: Calibration | Combination
    try:
        text = path.read_bytes()
        try:
            found = Combination.from_json(text)
        except InvalidDataError:
            found = Calibration.from_json(text)
    except OSError as error:
        raise InvalidInputError(f"{path}: {error.strerror}") from None
    except InvalidDataError as error:
        raise InvalidInputError(f"{path}: {error}") from None
    if found.encoder and not scores_alike(found.encoder, encoder):
        raise InvalidInputError(
            f"{path}: was fitted to the scores of {found.encoder}, but the archive uses {encoder}; "
            "fit another one with graphmemix calibrate"
        )
    return found


def sigmoid(value: float) -> float:
    """Return the logistic function without overflow."""
    if value >= 0:
        return 1 / (1 + math.exp(-value))
    power = math.exp(value)
    return power / (1 + power)
