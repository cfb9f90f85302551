"""Other systems in a run: beside ours, kept, resumed and added later."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from graphmemix.encode.hashing import HashingEncoder
from graphmemix.evidence import StageCost
from graphmemix_bench.baselines import Made
from graphmemix_bench.measures.lifecycle import add_up
from graphmemix_bench.runs.artefacts import STAGES, read_rows
from graphmemix_bench.runs.baselines import read_heads, total_of
from graphmemix_bench.runs.others import baselines_report
from graphmemix_bench.runs.plan import Others, Parts, Plan, make_plan
from tests.bench.baselines.archive import memories
from tests.bench.baselines.models import serving
from tests.bench.runs.test_execute import execute_at, model_parts
from tests.bench.small import oracle, settings, written
from tests.llm.servers import HostileServer

SYSTEMS = (
    *("amem", "universalrag", "memguide", "lightmem", "vimrag"),
    *("rankgpt", "generative_agents", "hipporag"),
)
SIMPLE = ("oracle", "full", "random", "bm25", "dense", "rrf", "window")


def plan_with(folder: Path, *names: str, **more: Any) -> Plan:
    parts = more.pop("parts", None) or Parts(HashingEncoder(64), settings())
    options = {"rungs": ("multi_view", "node", "forest"), "selectors": False, **more}
    return make_plan("bundle", folder, parts, others=Others(names), **options)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return written(tmp_path / "data")


def test_other_systems_stand_beside_ours(data: Path, tmp_path: Path) -> None:
    report = execute_at(plan_with(data, *SIMPLE), tmp_path / "run")
    names = [each.name for each in report.configurations]
    assert names[:3] == ["(b) + multi-view", "(c) + node verifier", "(e) + forest"]
    assert report.others == tuple(names[3:])
    figures = {each.name: each.metrics["recall_at_3"].value for each in report.configurations}
    assert figures["oracle"] == 100
    assert figures["full context"] == 100
    assert figures["random"] < figures["BM25"]
    assert any("The gold memories" in note for note in report.notes)


def test_all_systems_are_compared_with_the_forest(data: Path, tmp_path: Path) -> None:
    execute_at(plan_with(data, *SIMPLE), tmp_path / "run")
    found = baselines_report(tmp_path / "run")
    rows = {row["name"]: row for row in found["rows"]}
    assert {row["kind"] for row in rows.values()} == {"ours", "bound", "other"}
    assert "forest_less_this" not in rows["(e) + forest"]
    assert set(rows["dense"]["forest_less_this"]) == {"recall_at_3", "hit_at_3", "all_at_3"}
    assert rows["full context"]["memories"] == 8


def test_a_baseline_added_to_a_finished_run_leaves_all_rows_as_they_are(
    data: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    execute_at(plan_with(data, "bm25"), folder)
    before = {stage: list(read_rows(folder, stage)) for stage in STAGES}
    execute_at(plan_with(data, "bm25", "dense"), folder)
    for stage in STAGES:
        assert list(read_rows(folder, stage))[: len(before[stage])] == before[stage]
    assert [head.name for head in read_heads(folder)] == ["bm25", "dense"]


def test_answers_of_other_systems_are_read_and_judged(
    data: Path, tmp_path: Path, hostile: HostileServer
) -> None:
    hostile.script = [oracle]
    parts = model_parts(hostile, verifiers=("llm",))
    report = execute_at(plan_with(data, "oracle", "random", parts=parts), tmp_path / "run")
    figures = {each.name: each.metrics["judge"].value for each in report.configurations}
    assert figures["oracle"] > figures["random"]
    pairs = {(each.first, each.second) for each in report.comparisons if each.metric == "judge"}
    assert ("oracle", "(e) + forest") in pairs


def test_every_system_is_built_asked_read_and_judged_once(
    data: Path, tmp_path: Path, hostile: HostileServer
) -> None:
    hostile.script = [serving]
    others = Others(SYSTEMS, modes=("native", "ids"))

    def plan() -> Plan:
        parts = model_parts(hostile, verifiers=("joint",))
        return make_plan("bundle", data, parts, rungs=("forest",), selectors=False, others=others)

    report = execute_at(plan(), tmp_path / "run")
    results = {each.name: each for each in report.configurations}
    assert len(report.others) == 2 * len(SYSTEMS)
    for name in report.others:
        assert results[name].metrics["judge"].count == 7
    life = results["A-MEM"].lifecycle
    assert life is not None
    assert life.digest.calls == 2 * 24 - 3
    assert 0 < life.update.calls < life.digest.calls
    assert results["VimRAG"].lifecycle != results["VimRAG, memories"].lifecycle  # the reader's call
    asked = len(hostile.requests)
    execute_at(plan(), tmp_path / "run")
    assert len(hostile.requests) == asked


def test_a_run_of_profile_paper_on_another_encoder_says_so(data: Path, tmp_path: Path) -> None:
    parts = Parts(HashingEncoder(64), settings(profile="paper"))
    report = execute_at(plan_with(data, parts=parts), tmp_path / "run")
    assert any("not on the paper's encoder" in note for note in report.notes)


def test_costs_of_a_build_add_up_and_the_last_tenth_is_the_update() -> None:
    rows = [Made(None, (StageCost("write", 1.0, 2, 10, 5),), {}, (m.id,)) for m in memories()]
    rows.append(Made(None, (StageCost("encode", 5.0),)))
    total = total_of(memories(), rows)
    assert (total.memories, total.updated) == (10, 1)
    assert add_up(total.costs).calls == 20
    assert add_up(total.costs).seconds == 15
    assert total.update.calls == 2
    assert total.update.seconds == pytest.approx(1.5)  # one memory written, a tenth of encoding


def test_a_seed_draws_the_same_questions_again(data: Path) -> None:
    drawn = [
        tuple(each.label for each in plan_with(data, questions=2, seed=seed).asked)
        for seed in (1, 1, 2, 3, 4)
    ]
    assert drawn[0] == drawn[1]
    assert len(set(drawn)) > 1
    assert all(len(each) == 2 for each in drawn)
