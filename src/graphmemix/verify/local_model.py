"""The coefficients of the local verifier: one readable file per encoder, with its origin."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING

from graphmemix.errors import InvalidDataError, InvalidInputError
from graphmemix.fsio import write_text
from graphmemix.record import Record
from graphmemix.verify.features import NODE, PAIR, WHOLE
from graphmemix.verify.logistic import Logistic

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_FOLDER = "fitted"


@dataclass(frozen=True)
class ModelOrigin(Record):
    """The data that coefficients were fitted on.

    Attributes:
        contexts: Names of contexts by data set.
        fingerprints: SHA-256 of each context's memories, to recognise copies.
        questions: Number of questions.
        validation: Metrics of a leave-contexts-out run over the same contexts.
    """

    contexts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    fingerprints: tuple[str, ...] = ()
    questions: int = 0
    validation: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class LocalModel(Record):
    """The fitted models of the local verifier.

    Attributes:
        encoder: The encoder whose cosines it was fitted on.
        node: Probability that a candidate is evidence.
        pair: Probability that a candidate is evidence, given that its anchor is.
        answerable: Probability that the archive holds the answer; None if it could not be fitted.
        origin: The data that it was fitted on.
    """

    encoder: str
    node: Logistic
    pair: Logistic
    answerable: Logistic | None = None
    origin: ModelOrigin = field(default_factory=ModelOrigin)

    def __post_init__(self) -> None:
        _require("node", self.node, [*NODE])
        _require("pair", self.pair, [*PAIR])
        if self.answerable is not None:
            _require("answerable", self.answerable, [*WHOLE])

    @property
    def digest(self) -> str:
        """A short hash of the coefficients, used as their version."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()[:12]

    def save(self, path: Path) -> None:
        """Write the model as a readable JSON file, or raise `InvalidInputError`."""
        try:
            write_text(path, json.dumps(json.loads(self.to_json()), indent=1) + "\n")
        except OSError as error:
            raise InvalidInputError(f"{path}: {error.strerror}") from None


def load_model(path: Path) -> LocalModel:
    """Return the model in a file.

    Raises:
        InvalidInputError: It cannot be read, or has other features than this version.
    """
    try:
        return LocalModel.from_json(path.read_bytes())
    except OSError as error:
        raise InvalidInputError(f"{path}: {error.strerror}") from None
    except InvalidDataError as error:
        raise InvalidInputError(f"{path}: {error}") from None


def shipped_model(encoder: str) -> LocalModel:
    """Return the packaged model for an encoder.

    For other encoders, returns the model of the packaged text encoder: its ranking is useful with
    any cosines, but its probabilities are then not calibrated. Compare `LocalModel.encoder`, and
    fit your own with ``graphmemix calibrate``.
    """
    models = _shipped()
    return next((model for model in models if model.encoder == encoder), models[0])


@lru_cache(maxsize=1)
def _shipped() -> tuple[LocalModel, ...]:
    folder = resources.files("graphmemix.verify") / _FOLDER
    found = [each for each in folder.iterdir() if each.name.endswith(".json")]
    files = sorted(found, key=lambda each: each.name)
    return tuple(LocalModel.from_json(each.read_bytes()) for each in files)


def _require(what: str, model: Logistic, names: Sequence[str]) -> None:
    if list(model.weights) != list(names):
        raise InvalidDataError(f"{what}: was fitted with other features; fit it again")
