"""From the artefacts of a run to its report: neither the data nor a model is needed."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING

from graphmemix_bench.datasets.bundle import gold_question
from graphmemix_bench.datasets.catalogue import dataset_of
from graphmemix_bench.judge import Judgment, Prediction, judge_input
from graphmemix_bench.measures.comparison import Comparison, compare
from graphmemix_bench.measures.lifecycle import Cost, Lifecycle, add_up
from graphmemix_bench.measures.scoring import answer_scores, evidence_scores
from graphmemix_bench.reports.build import configuration, curve, steps
from graphmemix_bench.reports.record import BenchReport, ConfigurationResult, RecallCurve
from graphmemix_bench.runs.artefacts import STAGES, Row, RunHead, content_hash, read_rows, read_run
from graphmemix_bench.runs.execute import read_asked, read_sessions
from graphmemix_bench.runs.frozen import Diagnosis, Frozen, diagnose
from graphmemix_bench.runs.ladder import RUNGS
from graphmemix_bench.runs.models import Configuration, configurations, source_of
from graphmemix_bench.runs.stages import Books

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from graphmemix.record import Json
    from graphmemix_bench.datasets.base import GoldQuestion
    from graphmemix_bench.measures.evidence import QuestionScores
    from graphmemix_bench.runs.artefacts import Stage, StageHead
    from graphmemix_bench.runs.execute import AskedHead
    from graphmemix_bench.runs.stages import (
        Answered,
        Asked,
        Chosen,
        EdgeScores,
        NodeScores,
        VerifierKind,
    )

_COMPARED = ("recall_at_10", "hit_at_10", "all_at_10", "judge")


class _Kept:
    """Rows of a stage as they are on disk."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = {row.key: row.value for row in rows}

    def get(self, inputs: Json) -> Json | None:
        """Return the value under these inputs."""
        return self._rows.get(content_hash(inputs))


@dataclass
class _Sum:
    """What one configuration collects over all questions."""

    rows: list[QuestionScores] = field(default_factory=list)
    cost: Cost = field(default_factory=Cost)
    questions: int = 0
    sizes: list[int] = field(default_factory=list)
    links: list[int] = field(default_factory=list)
    rankings: list[tuple[Sequence[str], frozenset[str]]] = field(default_factory=list)
    repairs: Counter[str] = field(default_factory=Counter)
    failed: int = 0


class _Reading:
    """A run, read from its folder."""

    def __init__(self, folder: Path) -> None:
        self.head: RunHead = read_run(folder)
        self.dataset = dataset_of(self.head.dataset)
        self.about: AskedHead
        self.about, self.asked = read_asked(folder)
        heads: dict[Stage, StageHead | None] = {}
        rows: dict[Stage, _Kept] = {}
        for stage in STAGES:
            heads[stage], found = read_rows(folder, stage)
            rows[stage] = _Kept(found)
        self.heads = heads
        self.books = Books(rows)
        self.budget = int(str(self.head.settings.get("forest.budget", 10)))

    @property
    def verifiers(self) -> list[VerifierKind]:
        """Who scored, in the order of the command."""
        prefix = "verifier "
        known: dict[str, VerifierKind] = {"local": "local", "llm": "llm", "joint": "joint"}
        names = [n.removeprefix(prefix) for n in self.head.identities if n.startswith(prefix)]
        return [known[name] for name in names if name in known]

    def judgment(self, question: GoldQuestion, said: Prediction) -> Judgment | None:
        """Return what the judge said of an answer."""
        inputs: list[Json] = [judge_input(question, said.text), said.error]
        found = self.books.rows["judgments"].get(inputs)
        return None if found is None else Judgment.from_json(json.dumps(found))


def build_report(folder: Path) -> BenchReport:
    """Return the report of a run as far as it is; what is not done yet is left out, and said.

    Raises:
        InvalidInputError: There is no run in this folder, or a file of it is damaged.
    """
    run = _Reading(folder)
    ways = configurations(tuple(RUNGS.values()), run.verifiers)
    sums = [_Sum() for _ in ways]
    frozen = {kind: Frozen(kind) for kind in run.verifiers}
    for asked in run.asked:
        question = gold_question(asked.row)
        for way, total in zip(ways, sums, strict=True):
            _add(run, asked, question, way, total)
        for each in frozen.values():
            each.add(run.books, asked, question, run.head.settings)
    used = [(way, total) for way, total in zip(ways, sums, strict=True) if total.questions]
    return _assembled(run, folder, used, frozen)


def _assembled(
    run: _Reading,
    folder: Path,
    used: Sequence[tuple[Configuration, _Sum]],
    frozen: Mapping[VerifierKind, Frozen],
) -> BenchReport:
    names = [_name(way, run.verifiers) for way, _ in used]
    digest, memories = _digest(run)
    results = tuple(
        _result(name, total, digest, memories) for name, (_, total) in zip(names, used, strict=True)
    )
    judged = any("judge" in each.metrics for each in results)
    first = run.verifiers[0] if run.verifiers else None
    ladder = [
        (name, total.rows)
        for name, (way, total) in zip(names, used, strict=True)
        if way.verifier in {None, first} and total.rows
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
        comparisons=steps(ladder, _COMPARED),
        joint=_joint(used),
        accessibility=diagnosis.accessibility,
        recovery=diagnosis.recovery,
        edges=diagnosis.edges,
        trace=diagnosis.trace,
        reliability=diagnosis.reliability,
        curves=_curves(names, used),
        command=run.head.command,
        settings=dict(run.head.settings),
        identities=dict(run.head.identities),
        environment=dict(run.head.environment),
        data=run.head.data,
        seconds=sum(each.seconds for each in read_sessions(folder)),
        notes=tuple(_notes(run, names, used)),
    )


def _add(
    run: _Reading, asked: Asked, question: GoldQuestion, way: Configuration, total: _Sum
) -> None:
    """Add what a configuration made of a question, if it did already."""
    source = source_of(run.books, asked, way)
    chosen = None if source is None else run.books.chosen(asked, way.rung.key, source)
    if source is None or chosen is None:
        return
    total.questions += 1
    candidates = run.books.candidates(asked)
    refines = way.rung.key == "forest"
    if len(source) == 1:
        pool, total.cost = source[0].memory_ids, total.cost + Cost(source[0].seconds)
        ranking: Sequence[str] = pool
    else:
        nodes, edges = source
        pool = tuple(support.memory_id for support in nodes.supports)
        ranking = sorted(pool, key=_utility(nodes)) if way.rung.key == "node" else ()
        total.cost += Cost(candidates.seconds if candidates else 0.0)
        total.cost += _verifying(nodes, edges, way)
        total.repairs.update(nodes.repairs)
        total.failed += bool(nodes.error)
    total.cost += Cost(chosen.seconds)
    if refines and chosen.forest is not None:
        total.sizes.append(len(chosen.told))
        total.links.append(len(chosen.forest.links))
    if question.gold:
        total.rows.append(_evidence(run, asked, question, chosen, pool, refines=refines))
        if ranking:
            total.rankings.append((ranking, question.gold))
    said = run.books.answered(asked, chosen.told)
    if said is not None:
        _add_answer(run, asked, question, said, total)


def _evidence(
    run: _Reading,
    asked: Asked,
    question: GoldQuestion,
    chosen: Chosen,
    pool: Sequence[str],
    *,
    refines: bool,
) -> QuestionScores:
    return evidence_scores(
        asked.context,
        question,
        chosen.picks,
        refined=chosen.told if refines else None,
        pool=pool,
        budget=run.budget,
    )


def _add_answer(
    run: _Reading, asked: Asked, question: GoldQuestion, said: Answered, total: _Sum
) -> None:
    prediction = Prediction(said.text, said.error)
    judgment = run.judgment(question, prediction)
    total.rows.append(
        answer_scores(asked.context, question, prediction, judgment, run.dataset.native)
    )
    total.cost += add_up([said.cost])
    total.repairs.update(said.repairs)
    total.failed += bool(said.error)


def _utility(nodes: NodeScores) -> Callable[[str], float]:
    """Return what sorts memories by falling utility; ties keep the order of retrieval."""
    falling = {support.memory_id: -support.utility for support in nodes.supports}
    return falling.__getitem__


def _verifying(nodes: NodeScores, edges: EdgeScores, way: Configuration) -> Cost:
    """Return what the verdict took. Two calls run at once: their time counts once."""
    mine = add_up(nodes.costs)
    if way.rung.key == "node":
        return mine
    both = mine + add_up(edges.costs)
    longest = max(mine.seconds, add_up(edges.costs).seconds)
    return Cost(longest, both.calls, both.input_tokens, both.output_tokens, both.money)


def _name(way: Configuration, verifiers: Sequence[VerifierKind]) -> str:
    if way.verifier is None or len(verifiers) == 1:
        return way.rung.name
    return f"{way.rung.name} [{way.verifier}]"


def _digest(run: _Reading) -> tuple[Cost, int]:
    cost, memories = Cost(), 0
    for context, content in dict.fromkeys((each.context, each.content) for each in run.asked):
        found = run.books.digest(context, content)
        if found is not None:
            cost, memories = cost + found.cost, memories + found.memories
    return cost, memories


def _result(name: str, total: _Sum, digest: Cost, memories: int) -> ConfigurationResult:
    figures: dict[str, float] = {}
    if total.sizes:
        figures = {"refined_size": fmean(total.sizes), "links": fmean(total.links)}
    return configuration(
        name,
        total.rows,
        lifecycle=Lifecycle(digest, total.cost, memories, total.questions),
        seconds=total.cost.seconds,
        figures=figures,
    )


def _joint(used: Sequence[tuple[Configuration, _Sum]]) -> tuple[Comparison, ...]:
    """Return joint against two calls, on the highest rung that both have."""
    rows = {
        (way.rung.key, way.verifier): total.rows for way, total in used if way.verifier is not None
    }
    for rung in reversed(list(RUNGS)):
        two, one = rows.get((rung, "llm")), rows.get((rung, "joint"))
        if two and one:
            return tuple(
                compare(metric, ("joint", one), ("two calls", two))
                for metric in _COMPARED
                if all(any(metric in row.values for row in side) for side in (one, two))
            )
    return ()


def _curves(
    names: Sequence[str], used: Sequence[tuple[Configuration, _Sum]]
) -> tuple[RecallCurve, ...]:
    return tuple(
        curve(name, total.rankings)
        for name, (_, total) in zip(names, used, strict=True)
        if total.rankings
    )


def _notes(
    run: _Reading, names: Sequence[str], used: Sequence[tuple[Configuration, _Sum]]
) -> list[str]:
    notes = []
    who = run.about.coefficients
    if who is not None:
        for contexts, told in (
            (who.given, "judged by the given coefficients of the local verifier, which never saw"),
            (who.refitted, "judged by coefficients that were fitted again without"),
            (who.skipped, "not judged by the local verifier, whose coefficients saw"),
        ):
            if contexts:
                it = "it" if len(contexts) == 1 else "each of them"
                notes.append(f"{len(contexts)} contexts were {told} {it}.")
    skipped = 0 if who is None else sum(each.context in who.skipped for each in run.asked)
    for name, (way, total) in zip(names, used, strict=True):
        whole = len(run.asked) - (skipped if way.verifier == "local" else 0)
        if total.questions < whole:
            notes.append(f"{name}: {total.questions} of {whole} questions are done.")
        if total.failed:
            notes.append(f"{name}: models failed on {total.failed} questions, which count as 0.")
        degraded = sum(n for key, n in total.repairs.items() if key.startswith("failed."))
        if degraded > total.failed:
            count = degraded - total.failed
            notes.append(f"{name}: the local verifier stood in on {count} questions.")
    if who is not None and run.verifiers[:1] == ["local"]:
        notes.append(
            "Weights of the local verifier's links are gains told as weights; the selectors "
            "anchor_neighbour and ecv_pointwise take them as weights, with published constants."
        )
    return notes
