"""Rows of stages: typed, and under inputs that do not depend on the time that anything took."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

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
from graphmemix_bench.measures.lifecycle import Cost
from graphmemix_bench.runs.artefacts import Run, RunHead, Stage
from graphmemix_bench.runs.stages import (
    Answered,
    Asked,
    Candidates,
    Chosen,
    Digest,
    EdgeScores,
    NodeScores,
    OpenBooks,
    Ranking,
    asked_of,
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
def kept(tmp_path: Path) -> Iterator[OpenBooks]:
    stages: tuple[Stage, ...] = (
        "retrieval",
        "candidates",
        "node_scores",
        "edge_scores",
        "selection",
        "answers",
    )
    with Run(tmp_path, RunHead("bundle", "hash")) as run:
        yield OpenBooks({stage: run.table(stage, {}) for stage in stages})


def test_every_stage_returns_what_was_put(kept: OpenBooks, asked: Asked) -> None:
    digest, ranking = Digest(3, Cost(1.5)), Ranking(("m1",), (0.5,), 0.1)
    chosen = Chosen(("m1",), None, 0.2)
    answered = Answered("yes", "llm:m", StageCost("read", 1.0, 1), ("m1",))
    assert kept.candidates(asked) is None
    kept.put_digest("anna", "abc", digest)
    kept.put_ranking(asked, "main", ranking)
    kept.put_candidates(asked, Candidates(GRAPH, 0.3))
    kept.put_verdict(asked, GRAPH, "llm", NODES, EDGES)
    kept.put_chosen(asked, "forest", (NODES, EDGES), chosen)
    kept.put_answered(asked, ("m1",), answered)
    assert kept.digest("anna", "abc") == digest
    assert kept.ranking(asked, "main") == ranking
    assert kept.ranking(asked, "embedding") is None
    assert kept.candidates(asked) == Candidates(GRAPH, 0.3)
    assert kept.nodes(asked, GRAPH, "llm") == NODES
    assert kept.nodes(asked, GRAPH, "joint") is None
    assert kept.edges(asked, GRAPH, "llm") == EDGES
    assert kept.chosen(asked, "forest", (NODES, EDGES)) == chosen
    assert kept.chosen(asked, "node", (NODES, EDGES)) is None
    assert kept.answered(asked, ("m1",)) == answered
    assert kept.answered(asked, ()) is None


def test_a_choice_depends_on_scores_and_not_on_what_they_took(
    kept: OpenBooks, asked: Asked
) -> None:
    chosen = Chosen(("m1",), None, 0.2)
    kept.put_chosen(asked, "forest", (NODES, EDGES), chosen)
    slower = (replace(NODES, costs=(), repairs={}), replace(EDGES, costs=()))
    assert kept.chosen(asked, "forest", slower) == chosen
    other = replace(NODES, supports=(Support("m1", 4.0, 0.9),))
    assert kept.chosen(asked, "forest", (other, EDGES)) is None
    kept.put_chosen(asked, "embedding", (Ranking(("m1",), (0.5,), 0.1),), chosen)
    assert kept.chosen(asked, "embedding", (Ranking(("m1",), (0.5,), 9.9),)) == chosen


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
    with pytest.raises(InvalidInputError, match="'anna/Q0' is there twice"):
        require_distinct([asked, asked])
