"""Predictions of another system."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from graphmemix.errors import InvalidInputError
from graphmemix.llm import ScriptedChat
from graphmemix_bench.datasets.catalogue import dataset_of
from graphmemix_bench.reports import BenchReport
from graphmemix_bench.runs.predictions import read_predictions, score_predictions
from tests.bench.small import contexts


def lines(folder: Path, *rows: dict[str, Any]) -> Path:
    path = folder / "predictions.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def scored(path: Path, judge: ScriptedChat | None = None) -> BenchReport:
    rows = read_predictions(path, contexts())
    return asyncio.run(
        score_predictions(
            "theirs",
            dataset_of("bundle"),
            contexts(),
            rows,
            budget=2,
            judge=judge,
            folder=path.parent,
        )
    )


ANNA = {"context": "anna", "question": "Q0"}


def test_evidence_is_scored_and_what_is_missing_counts_as_nothing(tmp_path: Path) -> None:
    report = scored(lines(tmp_path, {**ANNA, "evidence": ["1/user", "1/friend"]}))
    (result,) = report.configurations
    assert result.metrics["recall_at_2"].count == 6
    assert result.metrics["recall_at_2"].value == pytest.approx(100 / 6)
    assert "exact_match" not in result.metrics  # the system does not answer
    assert report.notes == ("6 of 7 questions have no prediction, and count as 0.",)


def test_only_the_first_memories_count(tmp_path: Path) -> None:
    late = ["0/user", "2/user", "1/user", "1/friend"]
    report = scored(lines(tmp_path, {**ANNA, "evidence": late}))
    assert report.configurations[0].metrics["hit_at_2"].value == 0


def test_answers_are_scored_and_judged(tmp_path: Path) -> None:
    judge = ScriptedChat(lambda *_: '{"correct": true}')
    report = scored(lines(tmp_path, {**ANNA, "answer": "Brandt"}), judge)
    metrics = report.configurations[0].metrics
    assert metrics["judge"].value == pytest.approx(100 / 7)
    assert metrics["exact_match"].value == pytest.approx(100 / 6)
    assert len(judge.calls) == 1  # what was not said is wrong without a call
    assert (tmp_path / "judgments.jsonl").is_file()


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({**ANNA, "evidence": ["zzz"]}, "there is no memory 'zzz'"),
        ({"context": "anna", "question": "Q7"}, "there is no question 'anna/Q7'"),
        ({**ANNA, "score": 1}, "score"),
    ],
)
def test_wrong_lines_are_refused_by_number(tmp_path: Path, row: Any, message: str) -> None:
    path = lines(tmp_path, {"context": "ben", "question": "Q0", "answer": "x"}, row)
    with pytest.raises(InvalidInputError, match=r"predictions\.jsonl:2: ") as refused:
        read_predictions(path, contexts())
    assert message in str(refused.value)


def test_a_question_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="is there twice"):
        read_predictions(lines(tmp_path, {**ANNA, "answer": "x"}, ANNA), contexts())
