"""Fitting the local verifier to benchmark data, with a leave-contexts-out validation."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from graphmemix.encode.protocol import scores_alike
from graphmemix.errors import InvalidDataError
from graphmemix.verify.local import LocalModel, shipped_model
from graphmemix_bench.datasets import dataset_of
from graphmemix_bench.fitting.training_cases import fit_all, strangers
from graphmemix_bench.fitting.validation import Validation, validated
from graphmemix_bench.runs.context import collect
from graphmemix_bench.vector_cache import RememberingEncoder

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from graphmemix.encode.protocol import Encoder
    from graphmemix.settings import Settings
    from graphmemix_bench.fitting.training_cases import AskedCase
    from graphmemix_bench.measures.reliability import Reliability


@dataclass(frozen=True)
class Calibrated:
    """Coefficients, and what they are worth on contexts that they have not seen.

    Attributes:
        model: Fitted on everything.
        validation: By data set.
    """

    model: LocalModel
    validation: Mapping[str, Validation]

    @property
    def details(self) -> dict[str, float]:
        """Recall by type of question and by context, by data set and name."""
        return _named({name: each.details for name, each in self.validation.items()})

    @property
    def nodes(self) -> dict[str, Reliability]:
        """Reliability of the chance to be evidence, by data set."""
        return {name: each.nodes for name, each in self.validation.items()}

    @property
    def answerable(self) -> dict[str, Reliability]:
        """Reliability of the chance that there is an answer, by data set where it is known."""
        found = {name: each.answerable for name, each in self.validation.items()}
        return {name: curve for name, curve in found.items() if curve is not None}


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
    found = validated(asked, model, settings, report)
    figures = _named({name: {**each.figures, **each.losses} for name, each in found.items()})
    return Calibrated(replace(model, origin=replace(model.origin, validation=figures)), found)


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
    """Return where the search may begin: at the packaged coefficients, if they are of its kind."""
    try:
        shipped = shipped_model(encoder)
    except InvalidDataError:  # of other features: whoever changes features runs this to fit them
        return None
    return shipped if scores_alike(shipped.encoder, encoder) else None


def _named(figures: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    return {f"{data}.{name}": value for data, of in figures.items() for name, value in of.items()}


def as_json(calibrated: Calibrated) -> dict[str, Any]:
    """Return the figures for JSON."""
    return {
        "encoder": calibrated.model.encoder,
        "contexts": {k: list(v) for k, v in calibrated.model.origin.contexts.items()},
        "questions": calibrated.model.origin.questions,
        "leave_contexts_out": calibrated.model.origin.validation,
        "details": calibrated.details,
    }
