"""The section of the local verifier, which needs no language model."""

from __future__ import annotations

from typing import Literal

from graphmemix.settings.sections import Section, constant

_SOURCE = "local verifier"


class LocalSettings(Section):
    """The verifier without a language model, and when it decides."""

    use: Literal["without_model", "always", "never"] = constant(
        "without_model",
        "When it decides: if no model is set, always, or never. See also `verifier.degrade`.",
        unit="choice",
        source=_SOURCE,
    )
    edge_share: float = constant(
        0.15,
        "Share of the probability that an anchor adds which counts as a link's gain, for each unit "
        "of -ln P(the best exchanges all miss).",
        unit="ratio",
        source=_SOURCE,
        ge=0,
        le=1,
    )
    half_share: float = constant(
        0.5,
        "What a half of an exchange counts for alone, if the other half is likelier.",
        unit="ratio",
        source=_SOURCE,
        ge=0,
        le=1,
    )
    opening_cost: float = constant(
        0.5,
        "kappa of both stages, and so the most that a link can gain.",
        unit="utility",
        source=_SOURCE,
        ge=0,
    )
    keep_above: float = constant(
        0.02,
        "A memory keeps its place if its utility and what its links add exceed this.",
        unit="utility",
        source=_SOURCE,
        ge=0,
    )
    redundant_likeness: float = constant(
        0.97,
        "From this cosine on, a memory says the same again as its anchor.",
        unit="cosine",
        source=_SOURCE,
    )
    corroborating_likeness: float = constant(
        0.75, "From this cosine on, a memory confirms its anchor.", unit="cosine", source=_SOURCE
    )
    model_file: str = constant(
        "",
        "Coefficients from `graphmemix calibrate`; empty for the packaged ones.",
        unit="path",
        source=_SOURCE,
    )
