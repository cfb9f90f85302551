"""Fitting the local verifier to questions with gold evidence.

Links are judged by the probabilities of the memories at their ends, and must not learn from
probabilities that knew the answer. So the memories' model is cross-fitted: what a lesson shows to
the next regression comes from a model that has not seen the lesson's group. A group is a context:
all questions about one archive.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphmemix.errors import InvalidDataError
from graphmemix.verify.features import NODE, PAIR, WHOLE, Features
from graphmemix.verify.local_model import LocalModel, Origin
from graphmemix.verify.logistic import Logistic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

FOLDS = 4
_RIDGE = 5.0  # weights of standardised features; figures hardly change between 1 and 60


@dataclass(frozen=True)
class Lesson:
    """One question to learn from.

    Attributes:
        group: The context that it belongs to.
        features: What the verifier sees.
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
    lessons: Sequence[Lesson],
    encoder: str,
    origin: Origin | None = None,
    *,
    start: LocalModel | None = None,
) -> LocalModel:
    """Return the coefficients that these lessons teach.

    Deterministic. Costs about six regressions over all candidates; `start` saves time if it is
    near, and changes nothing else.

    Raises:
        InvalidDataError: There are fewer than two groups, or no evidence in them.
    """
    taught = [lesson for lesson in lessons if len(lesson.features)]
    fold_of = _folds(taught)
    evidence = [lesson for lesson in taught if lesson.annotated]
    stage = _NodeStage(start.node if start else None)
    probability = stage.crossed(evidence, taught, fold_of)
    return LocalModel(
        encoder=encoder,
        node=stage.fitted(evidence),
        pair=_pair_model(evidence, probability),
        answerable=_answerable_model(taught, probability),
        origin=origin or Origin(),
    )


class _NodeStage:
    """The regression over candidates."""

    def __init__(self, start: Logistic | None) -> None:
        self._start = start

    def fitted(self, lessons: Sequence[Lesson]) -> Logistic:
        if not lessons:
            raise InvalidDataError("fit: no question has evidence among its candidates")
        rows = np.concatenate([lesson.features.nodes for lesson in lessons])
        labels = np.concatenate([lesson.labels for lesson in lessons])
        model = Logistic.fit([*NODE], rows, labels, ridge=_RIDGE, start=self._start)
        self._start = model  # the next one learns from much the same lessons
        return model

    def crossed(
        self, evidence: Sequence[Lesson], taught: Sequence[Lesson], fold_of: dict[str, int]
    ) -> dict[int, Floats]:
        """Return probabilities of all lessons, each from a model that has not seen its group."""
        found: dict[int, Floats] = {}
        for fold in sorted(set(fold_of.values())):
            model = self.fitted([each for each in evidence if fold_of[each.group] != fold])
            for lesson in taught:
                if fold_of[lesson.group] == fold:
                    found[id(lesson)] = model.probability(lesson.features.nodes)
        return found


def _folds(lessons: Sequence[Lesson]) -> dict[str, int]:
    groups = sorted({lesson.group for lesson in lessons})
    if len(groups) < 2:  # one to learn from, one to try it on
        raise InvalidDataError("fit: needs questions of at least two contexts")
    return {group: i % min(FOLDS, len(groups)) for i, group in enumerate(groups)}


def _pair_model(evidence: Sequence[Lesson], probability: dict[int, Floats]) -> Logistic:
    """Learn how likely a candidate is evidence, from pairs whose anchor is evidence."""
    rows, labels = [], []
    for lesson in evidence:
        pairs, shown = lesson.features.pairs(probability[id(lesson)])
        known = [k for k, (_, anchor) in enumerate(pairs) if lesson.labels[anchor]]
        rows.append(shown[known])
        labels.append(np.array([lesson.labels[pairs[k][0]] for k in known], dtype=float))
    return Logistic.fit([*PAIR], np.concatenate(rows), np.concatenate(labels), ridge=_RIDGE)


def _answerable_model(lessons: Sequence[Lesson], probability: dict[int, Floats]) -> Logistic | None:
    labels = np.array([lesson.answerable for lesson in lessons], dtype=float)
    if labels.min() == labels.max():
        return None
    rows = [lesson.features.whole(probability[id(lesson)]) for lesson in lessons]
    return Logistic.fit([*WHOLE], np.concatenate(rows), labels, ridge=_RIDGE)
