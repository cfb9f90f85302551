"""Fitting the local verifier to questions with gold evidence.

The link model uses the probabilities of the memories at both ends, and must not be trained on
probabilities from a model that has seen the answer. So the node model is cross-fitted: the
probabilities of a case come from a model trained without the case's group. A group is a context:
all questions about one archive.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphmemix.errors import InvalidDataError
from graphmemix.verify.features import NODE, PAIR, WHOLE, Features
from graphmemix.verify.local_model import LocalModel, ModelOrigin
from graphmemix.verify.logistic import Logistic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

FOLDS = 4
_RIDGE = 5.0  # for weights of standardised features; results hardly change between 1 and 60


@dataclass(frozen=True)
class TrainingCase:
    """One question to train on.

    Attributes:
        group: The context that it belongs to.
        features: The verifier's input.
        labels: 1 for each candidate that is evidence, 0 for the others.
        answerable: Whether the archive holds the answer.
    """

    group: str
    features: Features
    labels: Floats
    answerable: bool

    @property
    def annotated(self) -> bool:
        """Whether there is evidence among the candidates."""
        return bool(self.labels.any())


def fit(
    cases: Sequence[TrainingCase],
    encoder: str,
    origin: ModelOrigin | None = None,
    *,
    start: LocalModel | None = None,
) -> LocalModel:
    """Return coefficients fitted to these cases.

    Deterministic. Costs about six regressions over all candidates; a `start` near the solution
    saves time and changes nothing else.

    Raises:
        InvalidDataError: There are fewer than two groups, or no evidence in them.
    """
    usable = [case for case in cases if len(case.features)]
    fold_of = _folds(usable)
    evidence = [case for case in usable if case.annotated]
    stage = _NodeStage(start.node if start else None)
    probability = stage.crossed(evidence, usable, fold_of)
    return LocalModel(
        encoder=encoder,
        node=stage.fitted(evidence),
        pair=_pair_model(evidence, probability),
        answerable=_answerable_model(usable, probability),
        origin=origin or ModelOrigin(),
    )


class _NodeStage:
    """The regression over candidates."""

    def __init__(self, start: Logistic | None) -> None:
        self._start = start

    def fitted(self, cases: Sequence[TrainingCase]) -> Logistic:
        if not cases:
            raise InvalidDataError("fit: no question has evidence among its candidates")
        rows = np.concatenate([case.features.nodes for case in cases])
        labels = np.concatenate([case.labels for case in cases])
        model = Logistic.fit([*NODE], rows, labels, ridge=_RIDGE, start=self._start)
        self._start = model  # the next one is fitted to mostly the same cases
        return model

    def crossed(
        self,
        evidence: Sequence[TrainingCase],
        usable: Sequence[TrainingCase],
        fold_of: dict[str, int],
    ) -> dict[int, Floats]:
        """Return probabilities of all cases, each from a model fitted without its group."""
        found: dict[int, Floats] = {}
        for fold in sorted(set(fold_of.values())):
            model = self.fitted([each for each in evidence if fold_of[each.group] != fold])
            for case in usable:
                if fold_of[case.group] == fold:
                    found[id(case)] = model.probability(case.features.nodes)
        return found


def _folds(cases: Sequence[TrainingCase]) -> dict[str, int]:
    groups = sorted({case.group for case in cases})
    if len(groups) < 2:  # one to train on, one to predict
        raise InvalidDataError("fit: needs questions of at least two contexts")
    return {group: i % min(FOLDS, len(groups)) for i, group in enumerate(groups)}


def _pair_model(evidence: Sequence[TrainingCase], probability: dict[int, Floats]) -> Logistic:
    """Fit the probability that a candidate is evidence, given that its anchor is."""
    rows, labels = [], []
    for case in evidence:
        pairs, shown = case.features.pairs(probability[id(case)])
        known = [k for k, (_, anchor) in enumerate(pairs) if case.labels[anchor]]
        rows.append(shown[known])
        labels.append(np.array([case.labels[pairs[k][0]] for k in known], dtype=float))
    return Logistic.fit([*PAIR], np.concatenate(rows), np.concatenate(labels), ridge=_RIDGE)


def _answerable_model(
    cases: Sequence[TrainingCase], probability: dict[int, Floats]
) -> Logistic | None:
    labels = np.array([case.answerable for case in cases], dtype=float)
    if labels.min() == labels.max():
        return None
    rows = [case.features.whole(probability[id(case)]) for case in cases]
    return Logistic.fit([*WHOLE], np.concatenate(rows), labels, ridge=_RIDGE)
