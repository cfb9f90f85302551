"""What coefficients are worth on contexts that they have not seen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from graphmemix.evidence import evidence_chance
from graphmemix.verify.local import LocalVerifier
from graphmemix.verify.logistic import log_loss
from graphmemix_bench.fitting.training_cases import refit_without
from graphmemix_bench.measures.evidence import QuestionScores, by_type, clusters_of, summarise
from graphmemix_bench.measures.intervals import paired_difference
from graphmemix_bench.measures.reliability import Reliability, auroc, reliability
from graphmemix_bench.measures.scoring import evidence_scores
from graphmemix_bench.runs.ladder import from_scores
from graphmemix_bench.runs.local import scores_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from graphmemix.settings import Settings
    from graphmemix.verify.local import LocalModel
    from graphmemix_bench.fitting.training_cases import AskedCase

_FEW: Final = 8  # contexts of a data set that are left out one by one: each costs a fit
_METRICS: Final = ("recall", "hit", "all")
# The ten of the greatest direct support; those with what their links add, whether the anchors are
# among them or not; the proposal of the forest; what is left of it to be read.
_TOP_K, _POINTWISE, _FOREST, _READ = "top_k", "pointwise", "forest", "read"


@dataclass
class Validation:
    """The questions of one data set, each judged by coefficients fitted without its context.

    Attributes:
        budget: How many memories are selected.
        rows: Evidence metrics of each question, by way of selecting.
        chances: Of every candidate, its chance to be evidence, and whether it is.
        answers: Of every question, the chance that it has an answer, and whether it has one.
        strangers: The chances of questions about another archive, which have none.
    """

    budget: int
    rows: dict[str, list[QuestionScores]] = field(
        default_factory=lambda: {_TOP_K: [], _POINTWISE: [], _FOREST: [], _READ: []}
    )
    chances: list[tuple[float, bool]] = field(default_factory=list)
    answers: list[tuple[float, bool]] = field(default_factory=list)
    strangers: list[float] = field(default_factory=list)

    def add(self, verifier: LocalVerifier, each: AskedCase, settings: Settings) -> None:
        """Judge one question."""
        nodes, edges = scores_of(verifier, each)
        if nodes.answerable is not None and each.stranger:
            self.strangers.append(nodes.answerable)
        elif nodes.answerable is not None:
            self.answers.append((nodes.answerable, each.lesson.answerable))
        if not each.question.gold:
            return
        forest = from_scores("forest", nodes, edges, settings)
        found = {
            _TOP_K: from_scores("node", nodes, edges, settings).picks,
            _POINTWISE: from_scores("ecv", nodes, edges, settings).picks,
            _FOREST: forest.picks,
            _READ: forest.memory_ids,
        }
        for way, picks in found.items():
            row = evidence_scores(each.context, each.question, picks, budget=self.budget)
            self.rows[way].append(row)
        for support, label in zip(nodes.supports, each.lesson.labels, strict=True):
            self.chances.append((evidence_chance(support), bool(label)))

    @property
    def figures(self) -> dict[str, float]:
        """The figures of the data set, by name."""
        found: dict[str, float | None] = {}
        for way, rows in self.rows.items():
            means = summarise(rows)
            found |= {
                f"{way}.{name}": means[name].value
                for name in (f"{metric}_at_{self.budget}" for metric in _METRICS)
                if name in means
            }
        found |= self._gain_over(_TOP_K) | self._gain_over(_POINTWISE)
        answered = [chance for chance, is_held in self.answers if is_held]
        found["chance.auroc_near_misses"] = auroc(*_columns(self.answers))
        found["chance.auroc_strangers"] = auroc(
            [*answered, *self.strangers], [True] * len(answered) + [False] * len(self.strangers)
        )
        if self.answers:
            found["chance.calibration_error"] = reliability(*_columns(self.answers)).error
        return {name: round(value, 4) for name, value in found.items() if value is not None}

    def _gain_over(self, way: str) -> dict[str, float]:
        """What the forest brings: all evidence found by it, less by another way of selecting."""
        metric = f"all_at_{self.budget}"
        ours, theirs = ([row.values[metric] for row in self.rows[w]] for w in (_FOREST, way))
        if not ours:
            return {}
        contexts = [row.context for row in self.rows[_FOREST]]
        gain = paired_difference(ours, theirs, clusters_of(contexts))
        name = f"forest_less_{way}.{metric}"
        return {name: gain.value, f"{name}.low": gain.low, f"{name}.high": gain.high}

    @property
    def details(self) -> dict[str, float]:
        """The forest's recall by type of question, and by context."""
        metric = f"recall_at_{self.budget}"
        kinds = {f"type.{kind}": means for kind, means in by_type(self.rows[_FOREST]).items()}
        for context in dict.fromkeys(row.context for row in self.rows[_FOREST]):
            rows = [row for row in self.rows[_FOREST] if row.context == context]
            kinds[f"context.{context}"] = summarise(rows)
        return {f"{name}.{metric}": round(means[metric].value, 2) for name, means in kinds.items()}

    @property
    def nodes(self) -> Reliability:
        """Reliability of the chance to be evidence."""
        return reliability(*_columns(self.chances))

    @property
    def _said(self) -> list[tuple[float, bool]]:
        """The chances of all questions, strangers included, and whether each has an answer."""
        return [*self.answers, *((chance, False) for chance in self.strangers)]

    @property
    def answerable(self) -> Reliability | None:
        """Reliability of the chance that there is an answer; None if it is not known."""
        return reliability(*_columns(self._said)) if self._said else None

    @property
    def losses(self) -> dict[str, float]:
        """Log losses of both chances, and that of always saying the share of answers."""
        found = {"log_loss": _loss(self.chances)}
        if said := self._said:
            share = float(np.mean([is_held for _, is_held in said]))
            found["chance.log_loss"] = _loss(said)
            found["chance.base_log_loss"] = _loss([(share, is_held) for _, is_held in said])
        return {name: round(value, 4) for name, value in found.items()}


def validated(
    asked: Sequence[AskedCase],
    model: LocalModel,
    settings: Settings,
    report: Callable[[str], None],
) -> dict[str, Validation]:
    """Judge every context of each data set by coefficients that were fitted without it."""
    found: dict[str, Validation] = {}
    for dataset in dict.fromkeys(each.dataset for each in asked):
        found[dataset] = Validation(settings.forest.budget)
        mine = [each for each in asked if each.dataset == dataset]
        for contexts in _at_once(list(dict.fromkeys(each.context for each in mine))):
            report(f"{dataset} {', '.join(contexts)}: judged by a fit without it")
            held_out = [each for each in mine if each.context in contexts]
            groups = {each.lesson.group for each in held_out}
            refit = refit_without(asked, groups, model.encoder, start=model)
            verifier = LocalVerifier(refit, settings)
            for each in held_out:
                found[dataset].add(verifier, each, settings)
    return found


def _at_once(contexts: Sequence[str]) -> list[Sequence[str]]:
    """Return which contexts are left out together: each alone, or a few if there are many."""
    size = 1 if len(contexts) <= _FEW else 3
    return [contexts[first : first + size] for first in range(0, len(contexts), size)]


def _columns(pairs: Sequence[tuple[float, bool]]) -> tuple[list[float], list[bool]]:
    return [said for said, _ in pairs], [is_true for _, is_true in pairs]


def _loss(pairs: Sequence[tuple[float, bool]]) -> float:
    said, true = _columns(pairs)
    return log_loss(np.array(said), np.array(true, dtype=float))
