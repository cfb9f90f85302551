"""From the artefacts of a run to its report: neither the data nor a model is needed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import fmean
from typing import TYPE_CHECKING

from graphmemix_bench.measures.comparison import Comparison, compare
from graphmemix_bench.measures.lifecycle import Cost, Lifecycle, add_up
from graphmemix_bench.reports.build import configuration, curve, steps
from graphmemix_bench.reports.record import BenchReport, ConfigurationResult, RecallCurve
from graphmemix_bench.runs.configurations import Configuration, configurations
from graphmemix_bench.runs.diagnosis import Diagnosis, Frozen, diagnose
from graphmemix_bench.runs.execute import read_sessions
from graphmemix_bench.runs.ladder import RUNGS
from graphmemix_bench.runs.outcome import Outcome, RunReader
from graphmemix_bench.runs.stages import build_total_key, digest_key

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from graphmemix_bench.baselines.protocol import BaselineHead
    from graphmemix_bench.measures.evidence import QuestionScores
    from graphmemix_bench.runs.stages import VerifierKind

_COMPARED = ("recall_at_10", "hit_at_10", "all_at_10", "judge")


@dataclass(frozen=True)
class _Measured:
    """A configuration, and what it made of each question."""

    name: str
    configuration: Configuration
    outcomes: list[Outcome]

    @cached_property
    def rows(self) -> list[QuestionScores]:
        scores = (each for done in self.outcomes for each in (done.evidence, done.answer))
        return [each for each in scores if each is not None]

    @property
    def repairs(self) -> Counter[str]:
        total: Counter[str] = Counter()
        for each in self.outcomes:
            total.update(each.repairs)
        return total


def build_report(folder: Path) -> BenchReport:
    """Return the report of a run as far as it is; its notes count what is not done yet.

    Raises:
        InvalidInputError: There is no run in this folder, or a file of it is damaged.
    """
    return read_results(folder)[0]


def read_results(folder: Path) -> tuple[BenchReport, dict[str, list[QuestionScores]]]:
    """Return the report of a run, and the scores of single questions by configuration.

    Raises:
        InvalidInputError: As `build_report`.
    """
    run = RunReader(folder)
    found = [
        _Measured(_name(each, run.verifiers), each, [])
        for each in (*configurations(tuple(RUNGS.values()), run.verifiers), *run.others)
    ]
    frozen = {kind: Frozen(kind) for kind in run.verifiers}
    for asked in run.asked:  # one question after the other: its records are remembered
        for each in found:
            done = run.outcome(asked, each.configuration)
            if done is not None:
                each.outcomes.append(done)
        for kept in frozen.values():
            kept.add(run.stages, asked, run.head.settings)
    begun = [each for each in found if each.outcomes]
    return _assembled(run, folder, begun, frozen), {each.name: each.rows for each in begun}


def _assembled(
    run: RunReader,
    folder: Path,
    found: Sequence[_Measured],
    frozen: Mapping[VerifierKind, Frozen],
) -> BenchReport:
    results = tuple(_result(each, _stored(run, each.configuration.baseline)) for each in found)
    judged = any("judge" in each.metrics for each in results)
    first = run.verifiers[0] if run.verifiers else None
    ladder = [
        (each.name, each.rows)
        for each in found
        if each.configuration.verifier in {None, first}
        and each.configuration.baseline is None
        and each.rows
    ]
    diagnosis = diagnose(frozen[first], run.head.settings, folder) if first else Diagnosis()
    return BenchReport(
        dataset=run.head.dataset,
        title=run.dataset.title,
        contexts=tuple(dict.fromkeys(each.context for each in run.asked)),
        questions=len(run.asked),
        annotated=sum(bool(each.row.gold) for each in run.asked),
        headline="judge" if judged else f"recall_at_{run.budget}",
        configurations=results,
        published=run.dataset.published,
        counts=run.about.counts,
        selectors=diagnosis.selectors,
        comparisons=(*steps(ladder, _COMPARED), *_others(found, first)),
        others=tuple(
            each.name for each in found if each.configuration.baseline is not None and each.rows
        ),
        joint=_joint(found),
        accessibility=diagnosis.accessibility,
        recovery=diagnosis.recovery,
        received=diagnosis.received,
        edges=diagnosis.edges,
        trace=diagnosis.trace,
        reliability=diagnosis.reliability,
        curves=_curves(found),
        command=run.head.command,
        settings=dict(run.head.settings),
        identities=dict(run.head.identities),
        environment=dict(run.head.environment),
        data=run.head.data,
        seconds=sum(each.seconds for each in read_sessions(folder)),
        notes=tuple(_notes(run, found)),
    )


def _name(way: Configuration, verifiers: Sequence[VerifierKind]) -> str:
    if way.verifier is None or len(verifiers) == 1:
        return way.rung.name
    return f"{way.rung.name} [{way.verifier}]"


def _stored(run: RunReader, baseline: BaselineHead | None) -> Lifecycle:
    """Return what it took to store all contexts, by our method or by another system."""
    total = Lifecycle()
    for context, content in dict.fromkeys((each.context, each.content) for each in run.asked):
        part = _stored_context(run, context, content, baseline)
        total = replace(
            total,
            digest=total.digest + part.digest,
            memories=total.memories + part.memories,
            update=total.update + part.update,
            updated=total.updated + part.updated,
        )
    return total


def _stored_context(
    run: RunReader, context: str, content: str, baseline: BaselineHead | None
) -> Lifecycle:
    if baseline is None:
        ours = run.stages.get(digest_key(context, content))
        if ours is None:
            return Lifecycle()
        return Lifecycle(ours.cost, Cost(), ours.memories, 0, ours.update, ours.updated)
    theirs = run.stages.get(build_total_key(context, content, baseline.identity))
    if theirs is None:
        return Lifecycle()
    cost = add_up(theirs.costs)
    return Lifecycle(cost, Cost(), theirs.memories, 0, theirs.update, theirs.updated)


def _others(found: Sequence[_Measured], first: VerifierKind | None) -> tuple[Comparison, ...]:
    """Return the forest compared with every other system, on the questions that both have."""
    ours = next(
        (
            each
            for each in found
            if each.configuration.rung.key == "forest" and each.configuration.verifier == first
        ),
        None,
    )
    if ours is None:
        return ()
    return tuple(
        compare(metric, (each.name, each.rows), (ours.name, ours.rows))
        for each in found
        if each.configuration.baseline is not None
        for metric in _COMPARED
        if all(any(metric in row.values for row in rows) for rows in (each.rows, ours.rows))
    )


def _result(each: _Measured, stored: Lifecycle) -> ConfigurationResult:
    figures: dict[str, float] = {}
    if each.configuration.rung.key == "forest":
        forests = [done.chosen.forest for done in each.outcomes if done.chosen.forest is not None]
        if forests:
            figures = {
                "refined_size": fmean(len(forest.memory_ids) for forest in forests),
                "links": fmean(len(forest.links) for forest in forests),
            }
    cost = sum((done.cost for done in each.outcomes), start=Cost())
    return configuration(
        each.name,
        each.rows,
        lifecycle=replace(stored, answer=cost, questions=len(each.outcomes)),
        seconds=cost.seconds,
        figures=figures,
    )


def _joint(found: Sequence[_Measured]) -> tuple[Comparison, ...]:
    """Return joint against two calls, on the highest rung that both have."""
    rows = {(each.configuration.rung.key, each.configuration.verifier): each.rows for each in found}
    for rung in reversed(list(RUNGS)):
        two, one = rows.get((rung, "llm")), rows.get((rung, "joint"))
        if two and one:
            return tuple(
                compare(metric, ("joint", one), ("two calls", two))
                for metric in _COMPARED
                if all(any(metric in row.values for row in side) for side in (one, two))
            )
    return ()


def _curves(found: Sequence[_Measured]) -> tuple[RecallCurve, ...]:
    rankings = {
        each.name: [
            (done.ranking, done.question.gold)
            for done in each.outcomes
            if done.ranking and done.question.gold
        ]
        for each in found
    }
    return tuple(curve(name, pairs) for name, pairs in rankings.items() if pairs)


def _encoder_note(run: RunReader) -> list[str]:
    """Return what to know of a run of the published method on another encoder."""
    encoder = run.head.identities["encoder"]
    if run.head.settings.get("profile") != "paper" or "gme" in encoder.lower():
        return []
    note = (
        f"Profile paper on {encoder}, not on the paper's encoder, gme-Qwen2-VL-2B-Instruct: set it "
        "with --set encoder.model=gme (extra torch). Figures do not compare with published ones."
    )
    return [note]


def _notes(run: RunReader, found: Sequence[_Measured]) -> list[str]:
    notes = _encoder_note(run)
    who = run.about.coefficients
    if who is not None:
        for contexts, how in (
            (who.given, "judged by the given coefficients of the local verifier, which never saw"),
            (who.refitted, "judged by coefficients that were fitted again without"),
            (who.skipped, "not judged by the local verifier, whose coefficients saw"),
        ):
            if contexts:
                it = "it" if len(contexts) == 1 else "each of them"
                notes.append(f"{len(contexts)} contexts were {how} {it}.")
    skipped = 0 if who is None else sum(each.context in who.skipped for each in run.asked)
    for each in found:
        whole = len(run.asked) - (skipped if each.configuration.verifier == "local" else 0)
        if len(each.outcomes) < whole:
            notes.append(f"{each.name}: {len(each.outcomes)} of {whole} questions are done.")
        failed = sum(done.failures for done in each.outcomes)
        if failed:
            notes.append(f"{each.name}: models failed on {failed} questions, which count as 0.")
        degraded = sum(n for key, n in each.repairs.items() if key.startswith("failed."))
        if degraded > failed:
            count = degraded - failed
            notes.append(f"{each.name}: the local verifier stood in on {count} questions.")
    notes += [f"{head.title}: {head.differs}" for head in run.heads]
    if who is not None and run.verifiers[:1] == ["local"]:
        notes.append(
            "Weights of the local verifier's links encode gains as weights; the selectors "
            "anchor_neighbour and ecv_pointwise take them as weights, with published constants."
        )
    return notes
