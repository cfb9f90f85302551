"""Evidence without a language model: what each view, signal and selector finds of the gold."""

from __future__ import annotations

import tempfile
import time
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from graphmemix.archive import Archive
from graphmemix.errors import InvalidInputError
from graphmemix.settings import Settings
from graphmemix.verify.local_model import shipped_model
from graphmemix_bench.datasets import Context, dataset_of
from graphmemix_bench.evidence.verified import Verified, verify_all
from graphmemix_bench.fitting.training_cases import AskedCase, fingerprint, was_fitted_on
from graphmemix_bench.measures.evidence import QuestionScores, summarise
from graphmemix_bench.measures.scoring import evidence_scores
from graphmemix_bench.vector_cache import RememberingEncoder

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from graphmemix.encode.protocol import Encoder
    from graphmemix.memory import ViewKind
    from graphmemix_bench.datasets.base import GoldQuestion


@dataclass(frozen=True)
class Step:
    """One step of the ladder: which views and which signals count."""

    name: str
    kinds: tuple[ViewKind, ...]
    overrides: dict[str, object]


LADDER: tuple[Step, ...] = (
    Step("dense text", ("text",), {"retrieval.mode": "dense"}),
    Step("+ captions", ("text", "caption", "ocr"), {"retrieval.mode": "dense"}),
    Step("+ context view", ("text", "caption", "ocr", "context"), {"retrieval.mode": "dense"}),
    Step(
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
    Step("+ constraints", ("text", "caption", "ocr", "context"), {"retrieval.mode": "hybrid"}),
)


@dataclass
class _Measured:
    """What one configuration found, over all contexts."""

    rows: list[QuestionScores] = field(default_factory=list)
    seconds: float = 0.0


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

    Contexts that the packaged coefficients of the local verifier were fitted on are judged by
    coefficients that are fitted again without them; the report says which contexts those are.

    Args:
        dataset: A name in `CATALOGUE`.
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
    steps = {step.name: _Measured() for step in LADDER}
    asked, chosen, start = [], [], time.perf_counter()
    everything = load_contexts(dataset, folder, contexts)
    needed = _needed(dataset, everything, contexts, encoder.identity)
    with closing(RememberingEncoder(encoder, cache)) as remembering:
        for context in needed:
            report(f"{context.name}: {len(context.memories)} memories")
            measured = not contexts or context.name in contexts
            if measured:
                chosen.append(context.name)
            asked += _ask(dataset, context, remembering, base, steps if measured else {})
    verified = verify_all(asked, chosen, base, encoder.identity, report)
    return {
        "dataset": dataset,
        "contexts": chosen,
        "questions": sum(1 for e in asked if e.question.gold and e.context in chosen),
        "encoder": encoder.identity,
        "configurations": [
            *(_row(step.name, steps[step.name], base.forest.budget) for step in LADDER),
            *_verified_rows(verified, base.forest.budget),
        ],
        **_about(verified, base.forest.budget),
        "seconds": round(time.perf_counter() - start, 1),
    }


def collect(
    dataset: str,
    context: Context,
    encoder: Encoder,
    settings: Settings,
    strangers: Sequence[GoldQuestion] = (),
) -> list[AskedCase]:
    """Return questions of a context with their candidates, as a verifier sees them.

    Args:
        dataset: Its name.
        context: The archive, and its own questions.
        encoder: What makes vectors.
        settings: How candidates are retrieved.
        strangers: Questions about another archive, to ask of this one too.
    """
    return _ask(dataset, context, encoder, settings, {}, strangers)


def load_contexts(dataset: str, folder: Path, names: Collection[str] = ()) -> list[Context]:
    """Return all contexts of a data set.

    Args:
        dataset: A name in `CATALOGUE`.
        folder: Where it lies.
        names: Contexts that have to be among them.

    Raises:
        InvalidInputError: Unknown data set or context, or files that are missing or malformed.
    """
    found = list(dataset_of(dataset).load(folder))
    for name in names:
        if name not in {context.name for context in found}:
            raise InvalidInputError(f"{folder}: has no context {name!r}")
    return found


def _needed(
    dataset: str, everything: Sequence[Context], names: Collection[str], encoder: str
) -> list[Context]:
    """Return the contexts to measure, and all others if any of them needs a refit."""
    chosen = [context for context in everything if not names or context.name in names]
    model = shipped_model(encoder)
    seen = any(was_fitted_on(model, dataset, each.name, fingerprint(each)) for each in chosen)
    return list(everything) if seen else chosen


def _ask(
    dataset: str,
    context: Context,
    encoder: Encoder,
    base: Settings,
    steps: Mapping[str, _Measured],
    strangers: Sequence[GoldQuestion] = (),
) -> list[AskedCase]:
    """Ask all questions of a context; record what each step found, return the final cases."""
    content = fingerprint(context)
    with (
        tempfile.TemporaryDirectory(prefix="graphmemix-bench-") as folder,
        Archive.open(Path(folder) / "archive", encoder=encoder, settings=base) as archive,
    ):
        archive.add(context.with_media(archive.media).memories)
        for step in LADDER if steps else ():
            _measure(context, archive, base, step, steps[step.name])
        asked = [
            *((each, False) for each in context.questions),
            *((each, True) for each in strangers),
        ]
        return [
            AskedCase(
                dataset, context.name, content, each, archive.case(each.question), base, stranger
            )
            for each, stranger in asked
        ]


def _measure(
    context: Context, archive: Archive, base: Settings, step: Step, found: _Measured
) -> None:
    changed = Settings.load(environment={}, overrides=_flat(base, step))
    asking = Archive(archive.store, archive.encoder, changed, kinds=step.kinds)
    start = time.perf_counter()
    for each in context.annotated:
        ids = [candidate.memory_id for candidate in asking.candidates(each.question).candidates]
        budget = base.forest.budget
        found.rows.append(evidence_scores(context.name, each, ids, pool=ids, budget=budget))
    found.seconds += time.perf_counter() - start


def _flat(base: Settings, step: Step) -> dict[str, object]:
    return {**base.flat(), **step.overrides}


def _row(name: str, step: _Measured, budget: int) -> dict[str, Any]:
    found = summarise(step.rows)
    keys = [f"recall_at_{budget}", f"hit_at_{budget}", f"all_at_{budget}"]
    plain = {key: round(found[key].value, 2) for key in keys}
    refined = dict(zip(("recall", "hit", "all"), plain.values(), strict=True))
    return {
        "name": name,
        **plain,
        "refined": {**refined, "size": float(budget)},
        "pool_recall": round(found["pool_recall"].value, 2),
        "seconds": round(step.seconds, 2),
        "intervals": {key: [round(found[key].low, 2), round(found[key].high, 2)] for key in keys},
    }


def _verified_rows(verified: Verified, budget: int) -> list[dict[str, Any]]:
    rows = []
    for name, scores in verified.rows.items():
        if not scores:
            continue
        row = _row(name, _Measured(scores, verified.seconds[name]), budget)
        found = summarise(scores)
        if "refined_recall" in found:
            row["refined"] = {
                **{
                    key: round(found[f"refined_{key}"].value, 2) for key in ("recall", "hit", "all")
                },
                "size": round(fmean(verified.sizes), 2),
            }
        rows.append(row)
    return rows


def _about(verified: Verified, budget: int) -> dict[str, Any]:
    """Return who judged what, and what the forest does that utilities alone do not."""
    about: dict[str, Any] = {
        "coefficients": {
            "shipped": verified.shipped,
            "refitted_without_the_context": verified.refitted,
            "not_judged": verified.skipped,
        },
    }
    if verified.edges:
        about["forest"] = {
            "links_per_proposal": round(fmean(verified.edges), 2),
            "differs_from_top_k": round(100 * fmean(verified.differs), 1),
            "comparisons": verified.comparisons(budget),
        }
    return about


def table(report: dict[str, Any]) -> Sequence[Sequence[str]]:
    """Return the report as rows of text, the head first."""
    hidden = {"refined", "intervals"}
    keys = [key for key in report["configurations"][0] if key not in hidden]
    return [keys, *([str(row[key]) for key in keys] for row in report["configurations"])]
