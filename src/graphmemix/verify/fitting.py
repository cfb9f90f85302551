"""Fitting the local verifier to questions with gold evidence.

The second look uses the probabilities of the first, and the link model those of the memories at
both ends; neither may be trained on probabilities from a model that has seen the answer. So both
looks are cross-fitted: the probabilities of a case come from a model trained without the case's
group. A group is a context: all questions about one archive. The second look at a case that is
trained on sees first looks that know neither that case's fold nor the one that is left out.

Conversations and archives of many kinds are fitted apart: fitted together, with weights that differ
between them by a term of their own, both find less.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from graphmemix.errors import InvalidDataError
from graphmemix.verify.feature_names import (
    ANSWERABLE,
    NODE,
    OWN,
    PAIR,
    RELATED,
    SECOND,
    speaks_against,
)
from graphmemix.verify.features import selected
from graphmemix.verify.local import LocalModel, ModelOrigin
from graphmemix.verify.logistic import Logistic
from graphmemix.verify.regressions import Regressions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphmemix.verify.features import Features

    Floats = NDArray[np.float64]

FOLDS = 4
_RANKED_HIGH = 32
_ONE_IN = 4
_MOSTLY = 0.5  # share of conversation
_OTHER_SORT = 0.05  # what a question about the other sort of archive counts beside one of this
_RIDGE = 5.0  # for weights of standardised features; results hardly change between 1 and 60


@dataclass(frozen=True)
class TrainingCase:
    """One question to train on.

    Attributes:
        group: The context that it belongs to.
        features: The verifier's input.
        labels: 1 for each candidate that is evidence, 0 for the others.
        answerable: Whether the archive holds the answer.
        stranger: Whether it is a question about another archive.
    """

    group: str
    features: Features
    labels: Floats
    answerable: bool
    stranger: bool = False

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
    """Return coefficients fitted to these cases, for each sort of archive that is among them.

    Deterministic. Costs about sixteen regressions over all candidates; a `start` near the solution
    saves time and changes nothing else.

    Raises:
        InvalidDataError: There are fewer than two groups of a sort, or no evidence in them.
    """
    by_group: dict[str, list[TrainingCase]] = defaultdict(list)
    for case in cases:
        if len(case.features):
            by_group[case.group].append(case)
    if len(by_group) < 2:  # one to train on, one to predict
        raise InvalidDataError("fit: needs questions of at least two contexts")
    mixed, talk = (
        [case for found in by_group.values() if is_conversation(found) is sort for case in found]
        for sort in (False, True)
    )
    chances: dict[int, Floats] = {}
    near = (start.mixed, start.talk) if start else (None, None)
    models = [
        _regressions(of, begin, chances) if of else None
        for of, begin in zip((mixed, talk), near, strict=True)
    ]
    # Of questions without an answer there are too few of either sort to learn from them alone.
    in_mixed, in_talk = (
        found and replace(found, answerable=_answerable(of, others, chances))
        for found, of, others in zip(models, (mixed, talk), (talk, mixed), strict=True)
    )
    return LocalModel(
        encoder, in_mixed, in_talk, _related([*mixed, *talk], chances), origin or ModelOrigin()
    )


def is_conversation(cases: Sequence[TrainingCase]) -> bool:
    """Return whether the candidates of these questions are mostly turns of a conversation."""
    return bool(np.mean([case.features.talk for case in cases]) > _MOSTLY)


def _regressions(
    cases: Sequence[TrainingCase], start: Regressions | None, chances: dict[int, Floats]
) -> Regressions:
    """Fit one sort of archives.

    Args:
        cases: All cases of that sort.
        start: Where the search begins.
        chances: Gets the chances of the candidates of each case, by its `id`, from models that have
            not seen its group.
    """
    fold_of = _folds(cases)
    evidence = [case for case in cases if case.annotated]
    looks = _TwoLooks(evidence, fold_of, start)
    chances |= {id(case): looks.chances(case) for case in cases}
    return Regressions(
        own=_fitted(
            [*OWN],
            [(case, case.features.own) for case in evidence],
            start.own if start else None,
        ),
        node=looks.first(),
        second=looks.second(),
        pair=_pair_model(evidence, chances),
    )


class _TwoLooks:
    """The regressions over candidates, fitted with any folds left out, each once."""

    def __init__(
        self,
        evidence: Sequence[TrainingCase],
        fold_of: dict[str, int],
        start: Regressions | None,
    ) -> None:
        self._evidence = evidence
        self._fold_of = fold_of
        self._folds = frozenset(fold_of.values())
        self._firsts: dict[frozenset[int], Logistic] = {}
        self._seconds: dict[frozenset[int], Logistic] = {}
        self._start = (start.node, start.second) if start else (None, None)

    def first(self, without: frozenset[int] = frozenset()) -> Logistic:
        """Return the first look, fitted to the other folds."""
        if without not in self._firsts:
            rows_of = [(case, case.features.nodes) for case in self._others(without)]
            start = next(iter(self._firsts.values()), self._start[0])  # of mostly the same cases
            self._firsts[without] = _fitted([*NODE], rows_of, start)
        return self._firsts[without]

    def second(self, without: frozenset[int] = frozenset()) -> Logistic:
        """Return the second look, fitted to the other folds."""
        if without not in self._seconds:
            others = self._others(without)
            rows_of = [(case, self._second_look(case, without)) for case in others]
            start = next(iter(self._seconds.values()), self._start[1])
            self._seconds[without] = _fitted([*SECOND], rows_of, start)
        return self._seconds[without]

    def chances(self, case: TrainingCase) -> Floats:
        """Return the chances of a case's candidates, from models that have not seen its group."""
        own = frozenset({self._fold_of[case.group]})
        return self.second(own).probability(self._second_look(case, own))

    def _second_look(self, case: TrainingCase, without: frozenset[int]) -> Floats:
        """Return the rows of a case, for models that must not have seen some folds, or its own."""
        unseen = without | {self._fold_of[case.group]}
        model = self.first(unseen if unseen < self._folds else without)
        return case.features.second_look(model.probability(case.features.nodes))

    def _others(self, without: frozenset[int]) -> list[TrainingCase]:
        return [case for case in self._evidence if self._fold_of[case.group] not in without]


def _fitted(
    names: Sequence[str],
    rows_of: Sequence[tuple[TrainingCase, Floats]],
    start: Logistic | None,
) -> Logistic:
    if not rows_of:
        raise InvalidDataError("fit: no question has evidence among its candidates")
    cases = [case for case, _ in rows_of]
    taken = [_thinned(case) for case in cases]
    rows = np.concatenate([each[kept] for (_, each), (kept, _) in zip(rows_of, taken, strict=True)])
    labels = np.concatenate(
        [case.labels[kept] for case, (kept, _) in zip(cases, taken, strict=True)]
    )
    counts = _counts(cases, [len(kept) for kept, _ in taken])
    counts = counts * np.concatenate([often for _, often in taken])
    return Logistic.fit(names, rows, labels, ridge=_RIDGE, counts=counts, start=start)


def _thinned(case: TrainingCase) -> tuple[NDArray[np.int64], Floats]:
    """Return the candidates to learn from, and how many each stands for.

    All evidence, and what retrieval ranks high; of the rest, which is many and much alike, one in
    four, counted four times.
    """
    place = np.arange(len(case.labels))
    high = (place < _RANKED_HIGH) | (case.labels > 0)
    kept = place[high | (place % _ONE_IN == 0)]
    return kept, np.where(high[kept], 1.0, float(_ONE_IN))


def _folds(cases: Sequence[TrainingCase]) -> dict[str, int]:
    groups = sorted({case.group for case in cases})
    if len(groups) < 2:
        sort = "conversation" if is_conversation(cases) else "archive of many kinds"
        raise InvalidDataError(
            f"fit: {groups[0]} is the only {sort}; they are fitted apart, and two are needed"
        )
    return {group: i % min(FOLDS, len(groups)) for i, group in enumerate(groups)}


def _pair_model(evidence: Sequence[TrainingCase], probability: dict[int, Floats]) -> Logistic:
    """Fit the probability that a candidate is evidence, given that its anchor is."""
    rows, labels = [], []
    for case in evidence:
        pairs, shown = case.features.pairs(probability[id(case)])
        known = [k for k, (_, anchor) in enumerate(pairs) if case.labels[anchor]]
        rows.append(shown[known])
        labels.append(np.array([case.labels[pairs[k][0]] for k in known], dtype=float))
    counts = _counts(evidence, [len(each) for each in labels])
    return Logistic.fit(
        [*PAIR], np.concatenate(rows), np.concatenate(labels), ridge=_RIDGE, counts=counts
    )


def _answerable(
    cases: Sequence[TrainingCase],
    others: Sequence[TrainingCase],
    probability: dict[int, Floats],
) -> Logistic | None:
    """Fit the chance that a question about this archive has an answer.

    Args:
        cases: Of this sort of archive.
        others: Of the other sort; they count little.
        probability: The chances of the candidates of each case.
    """
    ours, theirs = ([each for each in of if not each.stranger] for of in (cases, others))
    often = [1.0] * len(ours) + [_OTHER_SORT] * len(theirs)
    here = [*ours, *theirs]
    held = [case.answerable for case in here]
    return _whole_model([*ANSWERABLE], here, held, probability, often)


def _related(cases: Sequence[TrainingCase], probability: dict[int, Floats]) -> Logistic | None:
    """Fit the chance that a question is about this archive, to all archives together.

    It is another model because likeness tells questions about other archives apart, and near
    misses, which name exactly what the archive knows of, not at all.
    """
    about_it = [not case.stranger for case in cases]
    return _whole_model([*RELATED], cases, about_it, probability, [1.0] * len(cases))


def _whole_model(
    names: Sequence[str],
    cases: Sequence[TrainingCase],
    labels: Sequence[bool],
    probability: dict[int, Floats],
    often: Sequence[float],
) -> Logistic | None:
    if all(labels) or not any(labels):
        return None
    whole = np.concatenate([case.features.whole(probability[id(case)]) for case in cases])
    rows = selected(whole, names)
    counts = _counts(cases, [1] * len(cases)) * np.array(often)
    while True:
        model = Logistic.fit(names, rows, np.array(labels, float), ridge=_RIDGE, counts=counts)
        weights = enumerate(model.weights.items())
        wrong = [k for k, (name, each) in weights if each.weight * speaks_against(name) > 0]
        if not wrong:
            return model
        rows[:, wrong] = 0.0  # a constant gets no weight


def _counts(cases: Sequence[TrainingCase], rows: Sequence[int]) -> Floats:
    """Return how often each row counts: each data set as much as any other, however large.

    Args:
        cases: Their groups are ``dataset/context``.
        rows: How many rows each case has.
    """
    names = [case.group.partition("/")[0] for case in cases]
    size = Counter(names)
    shares = [len(cases) / (len(size) * size[name]) for name in names]
    return np.repeat(np.array(shares), np.array(rows, dtype=int))
