from __future__ import annotations

import pytest

from graphmemix.evidence import (
    Candidate,
    CandidateGraph,
    Edge,
    Increment,
    Question,
    Support,
)
from graphmemix.memory import Memory
from graphmemix.verify.protocol import Verdict, make_case
from graphmemix_bench.datasets.base import Choice, GoldQuestion, ResponseType
from graphmemix_bench.datasets.catalogue import NativeMetric
from graphmemix_bench.judge import Judgment, Prediction
from graphmemix_bench.measures.scoring import answer_scores, evidence_scores
from graphmemix_bench.runs.diagnosis import frozen_case


def asked(
    answer: str = "two", response_type: ResponseType = "open", choices: tuple[Choice, ...] = ()
) -> GoldQuestion:
    return GoldQuestion(
        Question("How many?"),
        frozenset({"a", "b"}),
        "T",
        answer,
        "Q1/r1",
        group="Q1",
        choices=choices,
        response_type=response_type,
    )


def verdict(correct: bool) -> Judgment:
    return Judgment(correct, "judged", "m", "p", "x", "y")


def test_evidence_by_hand() -> None:
    found = evidence_scores(
        "c", asked(), ["x", "a", "b"], refined=["a"], pool=["x", "a", "b"], budget=2
    )
    assert (found.context, found.question, found.group, found.type) == ("c", "Q1/r1", "Q1", "T")
    assert found.values == {
        "recall_at_2": 50,
        "hit_at_2": 100,
        "all_at_2": 0,
        "refined_recall": 50,
        "refined_hit": 100,
        "refined_all": 0,
        "pool_recall": 100,
    }
    assert set(evidence_scores("c", asked(), ["a"]).values) == {
        "recall_at_10",
        "hit_at_10",
        "all_at_10",
    }


WRONG = {"judge": 0, "judge_rows": 0}
OPTIONS = (Choice("A", "one"), Choice("B", "two"))
ALL: tuple[NativeMetric, ...] = ("exact_match", "mcq_exact_match", "lexical_recall", "qs")


@pytest.mark.parametrize(
    ("question", "said", "judged", "values"),
    [
        (asked(), "2", None, {"exact_match": 100, "lexical_recall": 100}),
        (asked(), "2", False, {**WRONG, "exact_match": 100, "lexical_recall": 100, "qs": 0}),
        (
            asked("5 apples", "number"),
            "5",
            None,
            {"exact_match": 0, "lexical_recall": 50, "qs": 0},
        ),
        (
            asked("B", "choice", OPTIONS),
            "(B)",
            True,
            {
                **dict.fromkeys(("judge", "judge_rows", "mcq_exact_match"), 100),
                "lexical_recall": 100,
                "qs": 100,
            },
        ),
    ],
)
def test_the_metrics_that_apply_are_there(
    question: GoldQuestion, said: str, judged: bool | None, values: dict[str, float]
) -> None:
    judgment = None if judged is None else verdict(judged)
    assert answer_scores("c", question, Prediction(said), judgment, ALL).values == values


def test_a_reader_that_failed_scores_nothing() -> None:
    found = answer_scores("c", asked(), Prediction("two", "timeout"), verdict(False), ALL)
    assert found.values == {**WRONG, "exact_match": 0, "lexical_recall": 0, "qs": 0}


def test_a_verified_question_is_frozen_by_index() -> None:
    ids = ("a", "b", "c")
    graph = CandidateGraph(
        tuple(Candidate(each, 1.0 - n / 10, n) for n, each in enumerate(ids)),
        (Edge("a", "b", "same_round", 0.99), Edge("a", "c", "same_round", 0.99)),
    )
    memories = {each: Memory(each, "note", each) for each in ids}
    case = make_case(Question("?"), graph, memories, anchors=1)
    given = Verdict(
        tuple(Support(each, 1.0, p) for each, p in zip(ids, (0.9, 0.4, 0.2), strict=True)),
        (
            Increment("b", "a", 4.0, "new_fact", 0.792, ("same_round",)),
            Increment("c", None, 0.0, "irrelevant"),
        ),
    )
    frozen = frozen_case("x", asked(), case, given, source=("a", "z"), proposal=("a", "b"))
    assert frozen.candidates == ids
    assert frozen.utilities == (0.9, 0.4, 0.2)
    assert frozen.edges == ((0, 1, 0.792),)
    assert frozen.eligible == ((0, 1), (0, 2))
    assert (frozen.gold, frozen.source, frozen.proposal) == (("a", "b"), ("a", "z"), ("a", "b"))
