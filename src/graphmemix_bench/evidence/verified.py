"""Selection without a language model: utilities alone, links pointwise, and the forest."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from graphmemix.optimize.forest import forest_of
from graphmemix.verify.local import LocalVerifier
from graphmemix.verify.local_model import shipped_model
from graphmemix_bench.fitting.training_cases import (
    MIN_CONTEXTS,
    AskedCase,
    refit_without,
    was_fitted_on,
)
from graphmemix_bench.measures.comparison import compare
from graphmemix_bench.measures.scoring import evidence_scores

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from graphmemix.evidence import Forest, Terms
    from graphmemix.settings import Settings
    from graphmemix.verify.local_model import LocalModel
    from graphmemix.verify.protocol import Verdict
    from graphmemix_bench.measures.evidence import QuestionScores

TOP_K = "local verifier, top-K"
POINTWISE = "local verifier, links pointwise"
GAINS = "local verifier, gains pointwise"
FOREST = "local verifier, forest"
NAMES = (TOP_K, POINTWISE, GAINS, FOREST)
"""The likeliest memories; links pointwise as published; their gains pointwise; the forest."""


@dataclass
class Verified:
    """What the local verifier and three selectors made of the questions with gold.

    Attributes:
        rows: Scores by configuration.
        sizes: Memories in each refined forest.
        edges: Links in each proposal.
        differs: Whether each proposal differs from the K likeliest memories.
        answerable: (probability, whether the archive holds the answer) of every question.
        shipped: Contexts that the shipped coefficients judged.
        refitted: Contexts judged by coefficients that were fitted without them.
        skipped: Contexts that the shipped coefficients have seen, with too few others to refit.
        seconds: Time by configuration, refits not counted.
        fitting_seconds: Time of the refits.
    """

    rows: dict[str, list[QuestionScores]] = field(
        default_factory=lambda: {name: [] for name in NAMES}
    )
    sizes: list[int] = field(default_factory=list)
    edges: list[int] = field(default_factory=list)
    differs: list[bool] = field(default_factory=list)
    answerable: list[tuple[float, bool]] = field(default_factory=list)
    verdicts: list[tuple[AskedCase, Verdict, Forest]] = field(default_factory=list)
    shipped: list[str] = field(default_factory=list)
    refitted: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=lambda: dict.fromkeys(NAMES, 0.0))
    fitting_seconds: float = 0.0

    def comparisons(self, budget: int) -> list[dict[str, Any]]:
        """Return the paired differences of the forest to the two others, with 95 % intervals."""
        found = []
        for other in (TOP_K, POINTWISE, GAINS):
            for metric in (f"{name}_at_{budget}" for name in ("recall", "hit", "all")):
                both = compare(metric, (other, self.rows[other]), (FOREST, self.rows[FOREST]))
                found.append(
                    {
                        "metric": metric,
                        "of": FOREST,
                        "against": other,
                        "difference": round(both.difference.value, 2),
                        "low": round(both.difference.low, 2),
                        "high": round(both.difference.high, 2),
                    }
                )
        return found


def verify_all(
    asked: Sequence[AskedCase],
    chosen: Sequence[str],
    settings: Settings,
    encoder: str,
    report: Callable[[str], None] = lambda _: None,
) -> Verified:
    """Judge the questions of the chosen contexts, each by coefficients that never saw its context.

    Args:
        asked: Questions of the chosen contexts, and of those that refits learn from.
        chosen: Names of the contexts to judge.
        settings: How.
        encoder: The encoder's identity.
        report: Told what is being done.
    """
    shipped, done = shipped_model(encoder), Verified()
    by_context: dict[str, list[AskedCase]] = {}
    for each in asked:
        by_context.setdefault(each.context, []).append(each)
    for name in chosen:
        start = time.perf_counter()
        model = _model_for(by_context, name, shipped, encoder, done)
        done.fitting_seconds += time.perf_counter() - start
        if model is None:
            continue
        report(f"{name}: {'refitted without it' if name in done.refitted else 'shipped'}")
        judge(by_context[name], LocalVerifier(model, settings), settings, done)
    return done


def _model_for(
    by_context: dict[str, list[AskedCase]],
    name: str,
    shipped: LocalModel,
    encoder: str,
    done: Verified,
) -> LocalModel | None:
    first = by_context[name][0]
    if not was_fitted_on(shipped, first.dataset, name, first.fingerprint):
        done.shipped.append(name)
        return shipped
    if len(by_context) < MIN_CONTEXTS:
        done.skipped.append(name)
        return None
    done.refitted.append(name)
    everything = [each for found in by_context.values() for each in found]
    return refit_without(everything, first.lesson.group, encoder, start=shipped)


def judge(
    asked: Sequence[AskedCase], verifier: LocalVerifier, settings: Settings, done: Verified
) -> None:
    """Judge questions and record what the three selectors take."""
    budget = settings.forest.budget
    for each in asked:
        start = time.perf_counter()
        verdict = verifier.judge(each.case)
        judged = time.perf_counter() - start
        if verdict.answerable is not None:
            done.answerable.append((verdict.answerable, each.lesson.answerable))
        if not each.question.gold or not verdict.supports:
            continue
        ways = (
            (TOP_K, _chances(verdict)),
            (POINTWISE, _with_weights(verdict, settings)),
            (GAINS, _with_gains(verdict, verifier.terms)),
        )
        for name, worth in ways:
            start = time.perf_counter()
            picks = [memory_id for _, memory_id in _ranked(worth)[:budget]]
            done.seconds[name] += judged + time.perf_counter() - start
            done.rows[name].append(_scores(each, picks, None, budget))
        start = time.perf_counter()
        forest = forest_of(
            verdict.supports, verdict.increments, verifier.terms, settings.forest.method
        )
        done.seconds[FOREST] += judged + time.perf_counter() - start
        assert forest is not None  # noqa: S101  # for the type checker: there are candidates
        done.rows[FOREST].append(_scores(each, forest.proposal, forest, budget))
        done.verdicts.append((each, verdict, forest))
        done.sizes.append(len(forest.memory_ids))
        done.edges.append(len(forest.links))
        top = {memory_id for _, memory_id in _ranked(_chances(verdict))[:budget]}
        done.differs.append(top != set(forest.proposal))


def _chances(verdict: Verdict) -> dict[str, float]:
    """Return the scores, which are chances: utilities count the lesser half of an exchange less."""
    return {support.memory_id: support.score for support in verdict.supports}


def _utilities(verdict: Verdict) -> dict[str, float]:
    return {support.memory_id: support.utility for support in verdict.supports}


def _with_weights(verdict: Verdict, settings: Settings) -> dict[str, float]:
    """Return utilities plus a share of each memory's best link weight (METHOD section 8)."""
    worth = _utilities(verdict)
    for each in verdict.increments:
        worth[each.memory_id] += settings.selectors.pointwise_bonus * each.weight
    return worth


def _with_gains(verdict: Verdict, terms: Terms) -> dict[str, float]:
    """Return utilities plus the gain of each memory's link, whether its anchor is taken or not."""
    worth = _utilities(verdict)
    for each in verdict.increments:
        if each.weight > 0:
            worth[each.memory_id] += max(0.0, terms.gain(each.weight, proposal=True))
    return worth


def _ranked(worth: dict[str, float]) -> list[tuple[float, str]]:
    """Return memories by falling worth; ties in retrieval order."""
    return sorted(((value, i) for i, value in worth.items()), key=lambda pair: -pair[0])


def _scores(
    each: AskedCase, picks: Sequence[str], forest: Forest | None, budget: int
) -> QuestionScores:
    return evidence_scores(
        each.context,
        each.question,
        picks,
        refined=None if forest is None else forest.memory_ids,
        pool=[candidate.memory_id for candidate in each.case.candidates],
        budget=budget,
    )
