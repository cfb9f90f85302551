"""A second look at judgments."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from graphmemix.errors import InvalidInputError
from graphmemix.llm import ScriptedChat
from graphmemix_bench.judge import Judgment
from graphmemix_bench.runs.artefacts import read_rows
from graphmemix_bench.runs.audit import agreement_of, read_labels, sample, second_look
from graphmemix_bench.runs.plan import make_plan
from tests.bench.runs.test_execute import execute_at, model_parts
from tests.bench.small import reply_to, written
from tests.llm.servers import Connection, HostileServer, says


def dated(connection: Connection) -> None:
    """Answer by fixed rules, as a server that names the version of its model."""
    says(reply_to(connection.body), model="judge-2026-01-01")(connection)


@pytest.fixture
def run(tmp_path: Path, hostile: HostileServer) -> Path:
    hostile.script = [dated]
    data = written(tmp_path / "data")
    parts = model_parts(hostile, verifiers=("joint",))
    execute_at(make_plan("bundle", data, parts, rungs=("forest",)), tmp_path / "run")
    return tmp_path / "run"


def test_a_second_judge_is_compared_with_the_first(run: Path) -> None:
    rows = sample(run, 5, seed=1)
    assert rows == sample(run, 5, seed=1)
    assert len(rows) == 5
    always = ScriptedChat(lambda *_: '{"correct": true}')
    found = agreement_of(asyncio.run(second_look(run, rows, always)))
    assert found.count == 5
    assert found.only_second == sum(not row.first for row in rows)


def test_a_person_completes_the_sample(run: Path, tmp_path: Path) -> None:
    rows = [replace(row, second=row.first) for row in sample(run, 3, seed=0)]
    path = tmp_path / "labels.jsonl"
    path.write_text("".join(row.to_json() + "\n" for row in rows), encoding="utf-8")
    assert agreement_of(read_labels(path)).agreement == 100
    path.write_text(sample(run, 1, seed=0)[0].to_json() + "\n", encoding="utf-8")
    with pytest.raises(InvalidInputError, match="has no verdict"):
        read_labels(path)


def test_a_judgment_keeps_the_snapshot_that_the_server_names(run: Path) -> None:
    rows = [Judgment.from_json(json.dumps(row.value)) for row in read_rows(run, "judgments")]
    assert {row.snapshot for row in rows if row.reason == "judged"} == {"judge-2026-01-01"}
