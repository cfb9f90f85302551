"""Cases for the local verifier: one that a reader can work out by hand, and many small ones.

The case by hand, with lexical weight 0.2, so that fused = dense + 0.2 lexical + matched:

====  ========  =====  =====  =======  =======  =====  =========  ==========  ====================
id    round     dense  lex.   matched  fused    place  canonical  together    words
====  ========  =====  =====  =======  =======  =====  =========  ==========  ====================
q1    s/1       0.50   1.0    0.0      0.70     0      (1, 0)     (1, 0)      hotel, lisbon
a1    s/1       0.40   0.5    0.0      0.50     1      (0.6, .8)  (1, 0)      hotel
q2    s/2       0.45   0.2    0.1      0.59     2      (0.8, .6)  (0.6, 0.8)  lisbon
p     a photo   0.30   0.0    0.0      0.30     none   (0, 1)     none        none
====  ========  =====  =====  =======  =======  =====  =========  ==========  ====================

q1 and a1 are the two anchors; a1 and q2 follow each other; q1 and p look alike (0.4).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmemix.evidence import Candidate, CandidateGraph, Edge, Question, QuestionImage
from graphmemix.memory import Media, Memory
from graphmemix.settings import Settings
from graphmemix.verify.feature_names import ANSWERABLE, NODE, OWN, PAIR, SECOND
from graphmemix.verify.features import Features
from graphmemix.verify.fitting import TrainingCase
from graphmemix.verify.local import LocalModel
from graphmemix.verify.logistic import Logistic, Weight
from graphmemix.verify.protocol import Case, make_case
from graphmemix.verify.regressions import Regressions
from graphmemix.verify.signals import Signals

LEXICAL_WEIGHT = 0.2
Column = NDArray[np.float64]

MEMORIES = (
    Memory("q1", "message", "Which hotel in Lisbon?", session="s", round="1", sequence=0),
    Memory(
        "a1", "message", "Hotel Avenida.", session="s", round="1", sequence=1, speaker="assistant"
    ),
    Memory("q2", "message", "Lisbon was lovely.", session="s", round="2", sequence=2),
    Memory("p", "photo", media=(Media("image", name="p.jpg"),)),
)
CANDIDATES = (
    Candidate("q1", 0.7, 0, (), 0.50, 1.0, 0.0),
    Candidate("a1", 0.5, 1, (), 0.40, 0.5, 0.0),
    Candidate("q2", 0.59, 2, (), 0.45, 0.2, 0.1),
    Candidate("p", 0.3, None, (), 0.30, 0.0, 0.0),
)
EDGES = (
    Edge("a1", "q1", "consecutive_turn", 0.99),
    Edge("a1", "q1", "same_round", 0.99),
    Edge("a1", "q2", "consecutive_turn", 0.99),
    Edge("p", "q1", "semantic", 0.4),
)
SIGNALS = Signals(
    words=np.array([0.5, 0.4, 0.45, 0.0]),
    looks=np.array([0.0, 0.0, 0.0, 0.3]),
    context=np.array([0.48, 0.38, 0.41, 0.0]),
    own_bm25=np.array([4.0, 2.0, 1.0, 0.0]),
    context_bm25=np.array([5.0, 5.0, 1.0, 0.0]),
    canonical=np.array([[1, 0], [0.6, 0.8], [0.8, 0.6], [0, 1]], dtype=np.float32),
    together=np.array([[1, 0], [1, 0], [0.6, 0.8], [0, 0]], dtype=np.float32),
    question_words="hotel Lisbon breakfast",
    matches=np.full((4, 4), np.nan),
    parts=np.full((4, 2), np.nan),
    bulk=np.zeros(4),
)


def hand_case(**changed: Any) -> Case:
    """The case of the table; keywords replace fields of it."""
    question = Question("hotel Lisbon breakfast", (QuestionImage(b"", caption="a hotel"),))
    graph = CandidateGraph(CANDIDATES, EDGES)
    case = make_case(question, graph, {memory.id: memory for memory in MEMORIES}, 2, SIGNALS)
    return replace(case, **changed)


def nothing_named(n: int) -> tuple[Column, Column, Column]:
    """Signals of a question that names nothing and is one, asked of no bulk mail."""
    return np.full((n, 4), np.nan), np.full((n, 2), np.nan), np.zeros(n)


def empty_case() -> Case:
    nothing = np.zeros(0)
    no_vectors = np.zeros((0, 2), dtype=np.float32)
    signals = Signals(
        nothing, nothing, nothing, nothing, nothing, no_vectors, no_vectors, "key",
        *nothing_named(0),
    )  # fmt: skip
    return make_case(Question("key"), CandidateGraph(()), {}, 2, signals)


def plain_model(
    names: Sequence[str], intercept: float = 0.0, scale: float = 1.0, **weights: float
) -> Logistic:
    """A model with these weights on raw features, and 0 on all others."""
    return Logistic(intercept, {name: Weight(weights.get(name, 0.0), 0.0, scale) for name in names})


def hand_model(*, answerable: bool = True, own: float = 4.0, **changed: Any) -> LocalModel:
    """Chance of evidence sigmoid(4 word_share - 2); beside an anchor sigmoid(3 same_exchange - 1).

    The second look sees the same as the first. By itself, a candidate is as likely as that, or
    sigmoid(own word_share - 2).

    For the case by hand: 0.880797, 0.5, 0.231475, 0.119203 alone; 0.880797 beside the other half of
    an exchange, 0.268941 beside another anchor.

    Keywords replace single regressions.
    """
    regressions = Regressions(
        plain_model([*OWN], -2.0, word_share=own),
        plain_model([*NODE], -2.0, word_share=4.0),
        plain_model([*SECOND], first_log_odds=1.0),
        plain_model([*PAIR], -1.0, same_exchange=3.0),
        plain_model([*ANSWERABLE], 0.5) if answerable else None,
    )
    return LocalModel("by hand", replace(regressions, **changed))


def regressions_of(model: LocalModel) -> Regressions:
    """The regressions of a model that was fitted on one sort of archive."""
    (found,) = [each for each in (model.mixed, model.talk) if each is not None]
    return found


def settings_with(**overrides: object) -> Settings:
    """Settings of these keys, written with two underscores for a point."""
    values = {key.replace("__", "."): value for key, value in overrides.items()}
    return Settings.load(environment={"HOME": "/nowhere"}, overrides=values)


class Watched(Features):
    """Features that remember which probabilities they were judged with."""

    seen: list[Any]

    def pairs(self, probability: Any) -> Any:
        self.seen = [*getattr(self, "seen", []), probability]
        return super().pairs(probability)


def random_case(rng: np.random.Generator, gold: Sequence[int], n: int = 8) -> Case:
    """Exchanges of two messages each, where gold scores higher than the rest, on the whole."""
    memories = [
        Memory(f"m{i}", "message", f"word{i} said", session="s", round=str(i // 2), sequence=i)
        for i in range(n)
    ]
    lift = np.array([0.3 if i in gold else 0.0 for i in range(n)])
    dense = np.clip(rng.normal(0.3, 0.12, n) + lift, 0, 1)
    lexical = np.clip(rng.normal(0.3, 0.2, n) + lift, 0, 1)
    vectors = rng.normal(size=(n, 4)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    order = np.argsort(-dense)
    candidates = tuple(
        Candidate(f"m{i}", float(dense[i]), rank, (), float(dense[i]), float(lexical[i]))
        for rank, i in enumerate(order)
    )
    edges = tuple(Edge(f"m{i}", f"m{i + 1}", "same_round", 0.99) for i in range(0, n, 2))
    signals = Signals(
        dense[order], np.zeros(n), dense[order], lexical[order], 3 * lexical[order],
        vectors[order], vectors[order], "word1 word2", *nothing_named(n),
    )  # fmt: skip
    by_id = {memory.id: memory for memory in memories}
    return make_case(Question("word1 word2"), CandidateGraph(candidates, edges), by_id, 4, signals)


def lesson(
    group: str, rng: np.random.Generator, gold: Sequence[int], *, answerable: bool = True
) -> TrainingCase:
    case = random_case(rng, gold)
    labels = [float(int(c.memory_id[1:]) in gold) for c in case.candidates]
    return TrainingCase(group, Watched(case, LEXICAL_WEIGHT), np.array(labels), answerable)


def lessons(groups: str = "ABCD", questions: int = 8) -> list[TrainingCase]:
    """Lessons of several contexts; every fourth cannot be answered."""
    rng = np.random.default_rng(7)
    made = []
    for group in groups:
        for number in range(questions):
            answerable = number % 4 != 3
            pair = 2 * int(rng.integers(4))
            gold = [pair, pair + 1][: 1 + number % 2] if answerable else []
            made.append(lesson(group, rng, gold, answerable=answerable))
    return made
