"""Retrieval, step by step: how much of the gold each view and each signal finds."""

from __future__ import annotations

import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphmemix.archive import Archive
from graphmemix.bench.cache import RememberingEncoder
from graphmemix.bench.datasets import DATASETS, Context
from graphmemix.bench.metrics import evidence_score
from graphmemix.errors import InvalidInputError
from graphmemix.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from graphmemix.encode.protocol import Encoder
    from graphmemix.evidence import CandidateGraph
    from graphmemix.memory import ViewKind


@dataclass(frozen=True)
class Configuration:
    """One step of the ladder: which views and which signals count."""

    name: str
    kinds: tuple[ViewKind, ...]
    overrides: dict[str, object]


LADDER: tuple[Configuration, ...] = (
    Configuration("dense text", ("text",), {"retrieval.mode": "dense"}),
    Configuration("+ captions", ("text", "caption", "ocr"), {"retrieval.mode": "dense"}),
    Configuration(
        "+ context view", ("text", "caption", "ocr", "context"), {"retrieval.mode": "dense"}
    ),
    Configuration(
        "+ BM25",
        ("text", "caption", "ocr", "context"),
        {
            "retrieval.mode": "hybrid",
            "retrieval.time_weight": 0.0,
            "retrieval.place_weight": 0.0,
            "retrieval.person_weight": 0.0,
            "retrieval.media_weight": 0.0,
        },
    ),
    Configuration(
        "+ constraints", ("text", "caption", "ocr", "context"), {"retrieval.mode": "hybrid"}
    ),
)


@dataclass
class _Tally:
    """What one configuration found, over all contexts."""

    pairs: list[tuple[list[str], frozenset[str]]] = field(default_factory=list)
    pools: list[tuple[list[str], frozenset[str]]] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, graph: CandidateGraph, gold: frozenset[str], most: int) -> None:
        ids = [candidate.memory_id for candidate in graph.candidates]
        self.pairs.append((ids[:most], gold))
        self.pools.append((ids, gold))


def run(
    dataset: str,
    folder: Path,
    *,
    encoder: Encoder,
    cache: Path,
    contexts: Collection[str] = (),
    settings: Settings | None = None,
    report: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Return the evidence metrics of every configuration, as JSON can say them.

    Args:
        dataset: A name in `DATASETS`.
        folder: Where the data set lies, in its public layout.
        encoder: What makes vectors.
        cache: Where vectors are kept between runs.
        contexts: Only these; empty for all.
        settings: What the ladder starts from.
        report: Told what is being done.

    Raises:
        InvalidInputError: Unknown data set or context, or files that are missing or malformed.
    """
    base = settings or Settings()
    tallies = {step.name: _Tally() for step in LADDER}
    names, questions = [], 0
    remembering = RememberingEncoder(encoder, cache)
    try:
        for context in _chosen(dataset, folder, contexts):
            report(f"{context.name}: {len(context.memories)} memories")
            names.append(context.name)
            questions += len(context.annotated)
            _measure(context, remembering, base, tallies)
    finally:
        remembering.close()
    return {
        "dataset": dataset,
        "contexts": names,
        "questions": questions,
        "encoder": encoder.identity,
        "configurations": [
            _row(step.name, tallies[step.name], base.forest.budget) for step in LADDER
        ],
    }


def _chosen(dataset: str, folder: Path, names: Collection[str]) -> Iterable[Context]:
    if dataset not in DATASETS:
        known = ", ".join(DATASETS)
        raise InvalidInputError(f"dataset must be one of {known}, not {dataset!r}")
    found = set()
    for context in DATASETS[dataset](folder):
        if not names or context.name in names:
            found.add(context.name)
            yield context
    for name in names:
        if name not in found:
            raise InvalidInputError(f"{folder}: has no context {name!r}")


def _measure(
    context: Context, encoder: Encoder, base: Settings, tallies: dict[str, _Tally]
) -> None:
    with (
        tempfile.TemporaryDirectory(prefix="graphmemix-bench-") as folder,
        Archive.open(Path(folder) / "archive", encoder=encoder, settings=base) as archive,
    ):
        archive.add(context.memories)
        for step in LADDER:
            changed = Settings.load(environment={"HOME": folder}, overrides=_flat(base, step))
            asking = Archive(archive.store, encoder, changed, kinds=step.kinds)
            start = time.perf_counter()
            for each in context.annotated:
                graph = asking.candidates(each.question)
                tallies[step.name].add(graph, each.gold, base.forest.budget)
            tallies[step.name].seconds += time.perf_counter() - start


def _flat(base: Settings, step: Configuration) -> dict[str, object]:
    return {**base.flat(), **step.overrides}


def _row(name: str, tally: _Tally, budget: int) -> dict[str, Any]:
    score = evidence_score(tally.pairs)
    return {
        "name": name,
        **{f"{key}_at_{budget}": round(value, 2) for key, value in asdict(score).items()},
        "pool_recall": round(evidence_score(tally.pools).recall, 2),
        "seconds": round(tally.seconds, 2),
    }


def table(report: dict[str, Any]) -> Sequence[Sequence[str]]:
    """Return the report as rows of text, the head first."""
    keys = list(report["configurations"][0])
    return [keys, *([str(row[key]) for key in keys] for row in report["configurations"])]
