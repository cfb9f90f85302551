"""Fitting the local verifier to benchmark data, with a leave-contexts-out validation."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from graphmemix.evidence import MAX_SUPPORT
from graphmemix.verify.local import LocalVerifier
from graphmemix.verify.local_model import LocalModel, shipped_model
from graphmemix.verify.logistic import log_loss
from graphmemix_bench.datasets import dataset_of
from graphmemix_bench.fitting.training_cases import fit_all, refit_without, strangers
from graphmemix_bench.measures.evidence import QuestionScores, summarise
from graphmemix_bench.measures.reliability import Reliability, reliability
from graphmemix_bench.measures.scoring import evidence_scores
from graphmemix_bench.runs.context import collect
from graphmemix_bench.runs.ladder import from_scores
from graphmemix_bench.runs.local import scores_of
from graphmemix_bench.vector_cache import RememberingEncoder

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from graphmemix.encode.protocol import Encoder
    from graphmemix.settings import Settings
    from graphmemix_bench.fitting.training_cases import AskedCase

_METRICS = ("recall", "hit", "all")
_RUNGS = {"node": "top_k", "forest": "forest"}  # what is measured, and as what


@dataclass(frozen=True)
class Calibrated:
    """Coefficients, and what they are worth on contexts that they have not seen.

    Attributes:
        model: Fitted on everything.
        figures: By name: evidence metrics by data set and selector, log losses, accuracy.
        nodes: Reliability of the chance to be evidence, by the leave-contexts-out models.
        answerable: Reliability of the chance that a question can be answered; None if not learned.
    """

    model: LocalModel
    figures: dict[str, float]
    nodes: Reliability
    answerable: Reliability | None


def calibrate(
    data: Mapping[str, Path],
    *,
    encoder: Encoder,
    cache: Path,
    settings: Settings,
    report: Callable[[str], None] = lambda _: None,
) -> Calibrated:
    """Fit the local verifier to data sets.

    Args:
        data: Folder of each data set, by its name in `CATALOGUE`.
        encoder: Whose cosines the coefficients are for.
        cache: Where vectors are kept between runs.
        settings: How candidates are retrieved.
        report: Called with what is being done.

    Raises:
        InvalidInputError: Unknown data set, or files that are missing or malformed.
        InvalidDataError: There are fewer than three contexts, or no evidence in them.
    """
    asked = ask_all(data, encoder=encoder, cache=cache, settings=settings, report=report)
    model = fit_all(asked, encoder.identity, start=_near(encoder.identity))
    figures, nodes, answerable = _validated(asked, model, settings, report)
    fitted = replace(model, origin=replace(model.origin, validation=figures))
    return Calibrated(fitted, figures, nodes, answerable)


def ask_all(
    data: Mapping[str, Path],
    *,
    encoder: Encoder,
    cache: Path,
    settings: Settings,
    report: Callable[[str], None] = lambda _: None,
) -> list[AskedCase]:
    """Return all questions of data sets with their candidates; arguments as of `calibrate`."""
    asked: list[AskedCase] = []
    with closing(RememberingEncoder(encoder, cache)) as remembering:
        for dataset, folder in data.items():
            contexts = list(dataset_of(dataset).load(folder))
            for place, context in enumerate(contexts):
                report(f"{dataset} {context.name}: {len(context.questions)} questions")
                others = strangers(contexts, place)
                found = collect(dataset, context, remembering, settings, others)
                asked += [each for each in found if each.case.candidates]
    return asked


def _near(encoder: str) -> LocalModel | None:
    shipped = shipped_model(encoder)
    return shipped if shipped.encoder == encoder else None


def _validated(
    asked: Sequence[AskedCase],
    model: LocalModel,
    settings: Settings,
    report: Callable[[str], None],
) -> tuple[dict[str, float], Reliability, Reliability | None]:
    """Judge every context by coefficients that were fitted without it."""
    figures: dict[str, float] = {}
    budget = settings.forest.budget
    chances: list[float] = []
    outcomes: list[bool] = []
    answers: list[tuple[float, bool]] = []
    for dataset in dict.fromkeys(each.dataset for each in asked):
        rows: dict[str, list[QuestionScores]] = {rung: [] for rung in _RUNGS}
        mine = [each for each in asked if each.dataset == dataset]
        for context in dict.fromkeys(each.context for each in mine):
            report(f"{dataset} {context}: judged by a fit without it")
            held_out = [each for each in mine if each.context == context]
            group = held_out[0].lesson.group
            refit = LocalVerifier(refit_without(asked, group, model.encoder, start=model), settings)
            for each in held_out:
                nodes, edges = scores_of(refit, each)
                if nodes.answerable is not None:
                    answers.append((nodes.answerable, each.lesson.answerable))
                if not each.question.gold:
                    continue
                for rung, found in rows.items():
                    picks = from_scores(rung, nodes, edges, settings).picks
                    found.append(evidence_scores(context, each.question, picks, budget=budget))
                chances += [support.score / MAX_SUPPORT for support in nodes.supports]
                outcomes += [bool(label) for label in each.lesson.labels]
        for rung, label in _RUNGS.items():
            means = summarise(rows[rung])
            figures |= {
                f"{dataset}.{label}.{metric}": round(means[metric].value, 2)
                for metric in (f"{name}_at_{budget}" for name in _METRICS)
            }
    figures["log_loss"] = round(_loss(chances, outcomes), 4)
    if not answers:
        return figures, reliability(chances, outcomes), None
    said, true = zip(*answers, strict=True)
    figures["answerable.log_loss"] = round(_loss(said, true), 4)
    figures["answerable.base_log_loss"] = round(_loss([float(np.mean(true))] * len(true), true), 4)
    return figures, reliability(chances, outcomes), reliability(said, true)


def _loss(chances: Sequence[float], outcomes: Sequence[bool]) -> float:
    return log_loss(np.array(chances), np.array(outcomes, dtype=float))


def as_json(calibrated: Calibrated) -> dict[str, Any]:
    """Return the figures for JSON."""
    return {
        "encoder": calibrated.model.encoder,
        "contexts": {k: list(v) for k, v in calibrated.model.origin.contexts.items()},
        "questions": calibrated.model.origin.questions,
        "leave_contexts_out": calibrated.figures,
    }
