"""What a benchmark found, as one record: reports are pure functions of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from graphmemix.record import Json, Record
from graphmemix_bench.datasets.counts import CountCheck
from graphmemix_bench.measures.comparison import Comparison
from graphmemix_bench.measures.diagnostics import (
    EdgeComparison,
    GoldAccessibility,
    NetGold,
    SearchTrace,
    StructuralRecovery,
)
from graphmemix_bench.measures.intervals import Estimate
from graphmemix_bench.measures.lifecycle import Lifecycle
from graphmemix_bench.measures.reliability import Reliability


@dataclass(frozen=True)
class ConfigurationResult(Record):
    """One configuration: a rung of the ladder, or a whole method.

    Attributes:
        name: As reports call it.
        metrics: Metric to its mean and interval, in percent; such as ``recall_at_10``,
            ``refined_recall``, ``pool_recall``, ``judge``, ``exact_match``.
        by_type: The same for each type of question.
        lifecycle: What it cost; None if it was not measured.
        seconds: Wall time of the questions.
        figures: Other numbers that are no percentages, such as ``refined_size``.
    """

    name: str
    metrics: Mapping[str, Estimate]
    by_type: Mapping[str, Mapping[str, Estimate]] = field(default_factory=dict)
    lifecycle: Lifecycle | None = None
    seconds: float = 0.0
    figures: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class SelectorResult(Record):
    """One selector on the frozen candidates."""

    name: str
    metrics: Mapping[str, Estimate]
    net: NetGold | None = None


@dataclass(frozen=True)
class RecallCurve(Record):
    """Recall against the number of memories taken.

    Attributes:
        name: The configuration.
        depths: K, rising.
        recalls: In percent, one for each K.
    """

    name: str
    depths: tuple[int, ...]
    recalls: tuple[float, ...]


@dataclass(frozen=True)
class BenchReport(Record):
    """One run on one data set. What was not measured is None or empty, and is not reported.

    Attributes:
        dataset: The data set's name in the catalogue.
        title: As people call it.
        contexts: The contexts that were used.
        questions: How many were asked.
        annotated: How many of them have gold.
        headline: The metric that plots show.
        configurations: The ladder, from below.
        published: The data set's key in ``published.json``; empty if nothing is.
        counts: What was loaded beside the published counts.
        selectors: The comparison on frozen candidates.
        comparisons: Pairs of configurations, such as neighbouring rungs.
        joint: Joint against two calls.
        accessibility: Where the gold was.
        recovery: What the links brought back.
        received: The same of what the reader receives.
        edges: Fixed against trusted edges.
        trace: What the published search did.
        reliability: Of utilities and probabilities, by name.
        curves: Recall against K.
        command: How it was called.
        settings: All settings, flat.
        identities: Encoder, verifier, reader, judge, coefficients.
        environment: Machine and versions.
        data: The hash of contexts and questions.
        seconds: Wall time of the whole run.
        notes: What a reader has to know, such as which coefficients were refitted.
        others: The names of those configurations that are other systems.
    """

    dataset: str
    title: str
    contexts: tuple[str, ...]
    questions: int
    annotated: int
    headline: str
    configurations: tuple[ConfigurationResult, ...]
    published: str = ""
    counts: CountCheck | None = None
    selectors: tuple[SelectorResult, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    joint: tuple[Comparison, ...] = ()
    accessibility: GoldAccessibility | None = None
    recovery: StructuralRecovery | None = None
    received: StructuralRecovery | None = None
    edges: EdgeComparison | None = None
    trace: SearchTrace | None = None
    reliability: Mapping[str, Reliability] = field(default_factory=dict)
    curves: tuple[RecallCurve, ...] = ()
    command: str = ""
    settings: Mapping[str, Json] = field(default_factory=dict)
    identities: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    data: str = ""
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
