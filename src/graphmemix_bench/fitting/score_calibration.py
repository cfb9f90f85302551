"""Fitting ``p = sigmoid(a s + b v - c)`` to a language model's scores (METHOD section 3, ours)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphmemix.errors import InvalidDataError
from graphmemix.llm.sync_bridge import run_sync
from graphmemix.verify.calibration import Calibration
from graphmemix.verify.logistic import Logistic, log_loss
from graphmemix_bench.measures.reliability import Reliability, reliability

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from graphmemix.verify.protocol import Verifier
    from graphmemix_bench.fitting.training_cases import AskedCase

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
    labelled = [each for each in asked if each.question.gold and each.case.candidates]
    groups: list[str] = []
    rows: list[NDArray[np.float64]] = []
    labels: list[NDArray[np.float64]] = []
    for number, each in enumerate(labelled, start=1):
        report(f"{each.context}: question {number} of {len(labelled)}")
        verdict = run_sync(verifier.verify(each.case))
        scores = [candidate.score for candidate in each.case.candidates]
        rows.append(np.column_stack([scores, [support.score for support in verdict.supports]]))
        labels.append(each.lesson.labels)
        groups += [each.lesson.group] * len(scores)
    if len(set(groups)) < 2:  # one to learn from, one to try it on
        raise InvalidDataError("calibrate: needs questions of at least two contexts")
    return _fitted(
        np.concatenate(rows), np.concatenate(labels), np.array(groups), verifier, encoder, published
    )


def _fitted(
    rows: NDArray[np.float64],
    labels: NDArray[np.float64],
    groups: NDArray[np.str_],
    verifier: Verifier,
    encoder: str,
    published: Calibration,
) -> FittedScores:
    held_out = np.zeros(len(labels))
    for group in sorted(set(groups)):
        inside = groups == group
        model = Logistic.fit(_NAMES, rows[~inside], labels[~inside], ridge=_RIDGE)
        held_out[inside] = model.probability(rows[inside])
    as_published = np.array([published.utility(score, support) for score, support in rows])
    a, b, minus_c = Logistic.fit(_NAMES, rows, labels, ridge=_RIDGE).plain()
    origin = f"{len(set(groups))} contexts, {len(labels)} candidates"
    return FittedScores(
        Calibration(a, b, -minus_c, origin, encoder, verifier.identity),
        log_loss(held_out, labels),
        log_loss(as_published, labels),
        reliability(held_out.tolist(), [bool(label) for label in labels]),
        len(set(groups)),
    )
