"""Rows of stages: typed, and under inputs that do not depend on the time that anything took."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from graphmemix.errors import InvalidInputError
from graphmemix.evidence import (
    Candidate,
    CandidateGraph,
    Question,
    QuestionImage,
    StageCost,
    Support,
)
from graphmemix.record import Record
from graphmemix_bench.measures.lifecycle import Cost
from graphmemix_bench.runs.artefacts import Run, RunHead, Stage
from graphmemix_bench.runs.stages import (
    Answered,
    Asked,
    Candidates,
    Chosen,
    Digest,
    EdgeScores,
    Key,
    NodeScores,
    Ranking,
    Stages,
    answer_key,
    asked_of,
    candidates_key,
    chosen_key,
    digest_key,
    edges_key,
    nodes_key,
    ranking_key,
    require_distinct,
)
from tests.bench.small import contexts

GRAPH = CandidateGraph((Candidate("m1", 0.5, 0),))
NODES = NodeScores((Support("m1", 5.0, 0.9),), "llm:m", (StageCost("node", 1.5, 1),), {"node.x": 1})
EDGES = EdgeScores((), (StageCost("ecv", 2.5, 1),))


@pytest.fixture
def asked() -> Asked:
    context = contexts()[0]
    return asked_of(context.name, "abc", context.questions[0])


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Stages]:
    stages: tuple[Stage, ...] = (
        "retrieval",
        "candidates",
        "node_scores",
        "edge_scores",
        "selection",
        "answers",
    )
    with Run(tmp_path, RunHead("bundle", "hash")) as run:
        yield Stages({stage: run.table(stage, {}) for stage in stages})


FOUND = Candidates(GRAPH, 0.3)
CHOSEN = Chosen(("m1",), None, 0.2)


def test_every_stage_returns_what_was_put(kept: Stages, asked: Asked) -> None:
    records: list[tuple[Key[Any], Record]] = [
        (digest_key("anna", "abc"), Digest(3, Cost(1.5))),
        (ranking_key(asked, "main"), Ranking(("m1",), (0.5,), 0.1)),
        (candidates_key(asked), FOUND),
        (nodes_key(asked, FOUND, "llm"), NODES),
        (edges_key(asked, FOUND, "llm"), EDGES),
        (chosen_key(asked, "forest", (NODES, EDGES)), CHOSEN),
        (
            answer_key(asked, CHOSEN),
            Answered("yes", "llm:m", StageCost("read", 1.0, 1), ("m1",)),
        ),
    ]
    for key, value in records:
        assert kept.get(key) is None
        kept.put(key, value)
    for key, value in records:
        assert kept.get(key) == value
    assert kept.get(ranking_key(asked, "embedding")) is None
    assert kept.get(nodes_key(asked, FOUND, "joint")) is None
    assert kept.get(chosen_key(asked, "node", (NODES, EDGES))) is None
    worded = replace(CHOSEN, words={"m1": "Other words."})
    assert kept.get(answer_key(asked, worded)) is None


def test_scores_are_there_once_both_are(kept: Stages, asked: Asked) -> None:
    kept.put(edges_key(asked, FOUND, "llm"), EDGES)
    assert kept.scores(asked, FOUND, "llm") is None
    # The links that were kept before an interruption stay.
    kept.put_scores(asked, FOUND, "llm", (NODES, EdgeScores((), (StageCost("ecv", 9.0, 1),))))
    assert kept.scores(asked, FOUND, "llm") == (NODES, EDGES)


def test_a_choice_depends_on_scores_and_not_on_what_they_took(kept: Stages, asked: Asked) -> None:
    kept.put(chosen_key(asked, "forest", (NODES, EDGES)), CHOSEN)
    slower = (replace(NODES, costs=(), repairs={}), replace(EDGES, costs=()))
    assert kept.get(chosen_key(asked, "forest", slower)) == CHOSEN
    other = replace(NODES, supports=(Support("m1", 4.0, 0.9),))
    assert kept.get(chosen_key(asked, "forest", (other, EDGES))) is None
    kept.put(chosen_key(asked, "embedding", (Ranking(("m1",), (0.5,), 0.1),)), CHOSEN)
    late = Ranking(("m1",), (0.5,), 9.9)
    assert kept.get(chosen_key(asked, "embedding", (late,))) == CHOSEN


def test_pictures_of_a_question_stay_with_the_data_but_count() -> None:
    question = contexts()[0].questions[0]
    shown = replace(question, question=Question("Who?", (QuestionImage(b"red", caption="red"),)))
    other = replace(question, question=Question("Who?", (QuestionImage(b"blue", caption="red"),)))
    first, second = asked_of("anna", "abc", shown), asked_of("anna", "abc", other)
    assert first.row == second.row
    assert first.row.question.images[0].data == b""
    assert first.inputs != second.inputs


def test_questions_are_told_apart(asked: Asked) -> None:
    require_distinct([asked])
    with pytest.raises(InvalidInputError, match="'anna/Q0' occurs twice"):
        require_distinct([asked, asked])
