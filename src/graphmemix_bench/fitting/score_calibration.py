"""Fitting what a language model's scores count for (METHOD section 3, ours).

Together with the local verifier's log-odds (`fit_combination`), or, as published, with the
retrieval score: ``p = sigmoid(a s + b v - c)`` (`fit_scores`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from graphmemix.errors import InvalidDataError
from graphmemix.llm.sync_bridge import run_sync
from graphmemix.verify.calibration import Calibration
from graphmemix.verify.logistic import Logistic, log_loss, log_odds, sigmoids
from graphmemix.verify.opinion import Combination
from graphmemix_bench.measures.reliability import Reliability, reliability

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from graphmemix.verify.llm import LlmVerifier
    from graphmemix.verify.local import LocalVerifier
    from graphmemix.verify.protocol import Case, Verifier
    from graphmemix_bench.fitting.training_cases import AskedCase

    Floats = NDArray[np.float64]

_RIDGE = 1e-3  # two weights and thousands of rows need no more than to stay finite
_NAMES = ("score", "support")


@dataclass(frozen=True)
class FittedScores:
    """A calibration, and what it is worth on contexts that it has not seen.

    Attributes:
        calibration: Fitted on everything.
        log_loss: Of leave-contexts-out fits.
        published_log_loss: Of the published constants on the same questions.
        reliability: Of the leave-contexts-out chances.
        contexts: How many contexts that was.
    """

    calibration: Calibration
    log_loss: float
    published_log_loss: float
    reliability: Reliability
    contexts: int


@dataclass(frozen=True)
class FittedCombination:
    """Weights of local log-odds and scores, and what they are worth on contexts not seen.

    Attributes:
        combination: Fitted on everything; `support` is 0 if the scores do not help.
        log_loss: Of leave-contexts-out fits, or of the local verifier alone if scores do not help.
        local_log_loss: Of the local verifier alone on the same questions.
        reliability: Of the leave-contexts-out chances.
        contexts: How many contexts that was.
    """

    combination: Combination
    log_loss: float
    local_log_loss: float
    reliability: Reliability
    contexts: int


def fit_combination(
    asked: Sequence[AskedCase],
    verifier: LlmVerifier,
    local: LocalVerifier,
    encoder: str,
    report: Callable[[str], None] = lambda _: None,
) -> FittedCombination:
    """Ask a model about labelled questions, and fit how much its scores count beside local chances.

    Scores that do not clearly lower the loss on contexts that were left out, or that count against
    the evidence, get weight 0: then the local verdict stays as it is.

    Args:
        asked: Questions with gold; others teach nothing here.
        verifier: Whose scores are to be calibrated.
        local: The local verifier beside it.
        encoder: The encoder behind both.
        report: Called with how far it is.

    Raises:
        InvalidDataError: There are fewer than two contexts, or no evidence among the candidates.
        ModelError: The model failed.
    """

    def features(case: Case) -> Floats:
        opinion = run_sync(verifier.opinion(case, local))
        ids = [candidate.memory_id for candidate in case.candidates]
        return np.column_stack([log_odds(local.chances(case)), opinion.beyond_mean(ids)])

    data = _labelled(asked, features, report)
    names = ("local", "support")
    held_out = data.held_out(names)
    # The local log-odds are fitted again too, so that all of the gain is the scores'.
    alone = replace(data, rows=data.rows[:, :1]).held_out(names[:1])
    own, support, offset = Logistic.fit(names, data.rows, data.labels, ridge=_RIDGE).plain()
    if support <= 0 or not data.is_clearly_better(held_out, alone):
        own, support, offset = 1.0, 0.0, 0.0
        held_out = sigmoids(data.rows[:, 0])
    return FittedCombination(
        Combination(own, support, offset, data.origin, encoder, verifier.identity),
        log_loss(held_out, data.labels),
        log_loss(sigmoids(data.rows[:, 0]), data.labels),
        reliability(held_out.tolist(), [bool(label) for label in data.labels]),
        data.contexts,
    )


def fit_scores(
    asked: Sequence[AskedCase],
    verifier: Verifier,
    encoder: str,
    published: Calibration,
    report: Callable[[str], None] = lambda _: None,
) -> FittedScores:
    """Ask a verifier about labelled questions, and fit the constants to what it says.

    Args:
        asked: Questions with gold; others teach nothing here.
        verifier: Whose scores are to be calibrated; its own utilities are not looked at.
        encoder: The encoder behind the retrieval scores.
        published: The constants to compare with.
        report: Called with how far it is.

    Raises:
        InvalidDataError: There are fewer than two contexts, or no evidence among the candidates.
        ModelError: The model failed.
    """

    def features(case: Case) -> Floats:
        verdict = run_sync(verifier.verify(case))
        scores = [candidate.score for candidate in case.candidates]
        return np.column_stack([scores, [support.score for support in verdict.supports]])

    data = _labelled(asked, features, report)
    held_out = data.held_out(_NAMES)
    as_published = np.array([published.utility(score, support) for score, support in data.rows])
    a, b, minus_c = Logistic.fit(_NAMES, data.rows, data.labels, ridge=_RIDGE).plain()
    return FittedScores(
        Calibration(a, b, -minus_c, data.origin, encoder, verifier.identity),
        log_loss(held_out, data.labels),
        log_loss(as_published, data.labels),
        reliability(held_out.tolist(), [bool(label) for label in data.labels]),
        data.contexts,
    )


@dataclass(frozen=True)
class _Labelled:
    """All candidates of labelled questions: features, whether they are evidence, where from."""

    rows: Floats
    labels: Floats
    groups: NDArray[np.str_]
    questions: NDArray[np.int64]

    @property
    def contexts(self) -> int:
        return len(set(self.groups))

    @property
    def origin(self) -> str:
        return f"{self.contexts} contexts, {len(self.labels)} candidates"

    def held_out(self, names: Sequence[str]) -> Floats:
        """Return the chances of all rows, each by a fit without its context."""
        found = np.zeros(len(self.labels))
        for group in sorted(set(self.groups)):
            inside = self.groups == group
            model = Logistic.fit(names, self.rows[~inside], self.labels[~inside], ridge=_RIDGE)
            found[inside] = model.probability(self.rows[inside])
        return found

    def is_clearly_better(self, chances: Floats, others: Floats) -> bool:
        """Return whether the loss per question is lower by more than chance explains.

        By two standard errors for many questions, and by more for few, whose own spread says
        little about them.
        """
        gains = np.array(
            [
                log_loss(others[inside], self.labels[inside])
                - log_loss(chances[inside], self.labels[inside])
                for inside in (self.questions == each for each in set(self.questions))
            ]
        )
        few = 1 + 1 / len(gains)
        return bool(gains.mean() > 2 * few * gains.std() / np.sqrt(len(gains)))


def _labelled(
    asked: Sequence[AskedCase],
    features: Callable[[Case], Floats],
    report: Callable[[str], None],
) -> _Labelled:
    labelled = [each for each in asked if each.question.gold and each.case.candidates]
    rows: list[Floats] = []
    for number, each in enumerate(labelled, start=1):
        report(f"{each.context}: question {number} of {len(labelled)}")
        rows.append(features(each.case))
    if len({each.lesson.group for each in labelled}) < 2:  # one to learn from, one to try it on
        raise InvalidDataError("calibrate: needs questions of at least two contexts")
    sizes = [len(each) for each in rows]
    return _Labelled(
        np.concatenate(rows),
        np.concatenate([each.lesson.labels for each in labelled]),
        np.repeat([each.lesson.group for each in labelled], sizes),
        np.repeat(np.arange(len(labelled)), sizes),
    )
