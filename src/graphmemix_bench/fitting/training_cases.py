"""Benchmark questions as lessons for the local verifier, and refits that leave contexts out."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from graphmemix.verify.features import Features
from graphmemix.verify.fitting import TrainingCase, fit
from graphmemix.verify.local import LocalModel, ModelOrigin

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from graphmemix.settings import Settings
    from graphmemix.verify.protocol import Case
    from graphmemix_bench.datasets import Context
    from graphmemix_bench.datasets.base import GoldQuestion

MIN_CONTEXTS = 3
"""To leave one context out, two must be left: fitting cross-fits between contexts."""
STRANGER_EVERY = 6
"""Of the next context's questions, every sixth is also asked of an archive that cannot know."""


@dataclass(frozen=True)
class AskedCase:
    """A benchmark question with its candidates.

    Attributes:
        dataset: The data set.
        context: The archive that it was asked of.
        fingerprint: Of that archive's content.
        question: What was asked, with its gold.
        case: What a verifier sees.
        settings: What it was retrieved with.
        stranger: Whether it is about another archive.
    """

    dataset: str
    context: str
    fingerprint: str
    question: GoldQuestion
    case: Case
    settings: Settings
    stranger: bool = False

    @cached_property
    def lesson(self) -> TrainingCase:
        """What the local verifier can learn from it."""
        gold = self.question.gold
        return TrainingCase(
            group=f"{self.dataset}/{self.context}",
            features=Features(self.case, self.settings.retrieval.lexical_weight),
            labels=np.array([float(c.memory_id in gold) for c in self.case.candidates]),
            answerable=self.question.held,
            stranger=self.stranger,
        )


def strangers(contexts: Sequence[Context], place: int) -> list[GoldQuestion]:
    """Return questions about another archive to ask of the one at `place`.

    Data sets refuse questions that nearly have an answer. From those alone the chance of an answer
    would learn that words and likeness speak against it, and would trust a question about nothing.
    """
    other = contexts[(place + 1) % len(contexts)]
    if other is contexts[place]:
        return []
    return [
        replace(each, gold=frozenset(), response_type="refusal")
        for each in other.questions[::STRANGER_EVERY]
    ]


def fingerprint(context: Context) -> str:
    """Return a hash of what a context's archive holds, whatever the context is called."""
    digest = hashlib.sha256()
    for memory in context.memories:
        digest.update(f"{memory.id}\0{memory.text}\0".encode("utf-8", "replace"))
    return digest.hexdigest()[:32]


def was_fitted_on(model: LocalModel, dataset: str, context: str, content: str) -> bool:
    """Say whether a model has seen a context, under its name or under another."""
    named = context in model.origin.contexts.get(dataset, ())
    return named or content in model.origin.fingerprints


def fit_all(
    asked: Sequence[AskedCase],
    encoder: str,
    start: LocalModel | None = None,
) -> LocalModel:
    """Return the coefficients that all of these teach, with their origin."""
    contexts: dict[str, set[str]] = defaultdict(set)
    for each in asked:
        contexts[each.dataset].add(each.context)
    origin = ModelOrigin(
        contexts={name: tuple(sorted(found)) for name, found in sorted(contexts.items())},
        fingerprints=tuple(sorted({each.fingerprint for each in asked})),
        questions=sum(not each.stranger for each in asked),
    )
    return fit([each.lesson for each in asked], encoder, origin, start=start)


def refit_without(
    asked: Iterable[AskedCase],
    left_out: Collection[str],
    encoder: str,
    start: LocalModel | None = None,
) -> LocalModel:
    """Return the coefficients that all contexts but some teach.

    Args:
        asked: Questions of all contexts.
        left_out: The groups that must not be seen, each ``dataset/context``.
        encoder: Whose cosines they are.
        start: Where the search begins; has no influence on where it ends.
    """
    lessons = [each.lesson for each in asked if each.lesson.group not in left_out]
    return fit(lessons, encoder, start=start)
