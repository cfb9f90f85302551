"""The commands baselines, score, compare and audit."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bench.commands.test_bench import FEW
from tests.bench.small import oracle, written
from tests.cli.commands import Ran, quiet_home, run
from tests.llm.servers import HostileServer


@pytest.fixture(autouse=True)
def home(tmp_path: Path) -> Iterator[Path]:
    with quiet_home(tmp_path):
        yield tmp_path


@pytest.fixture
def data(tmp_path: Path) -> list[str]:
    return ["--dataset", "bundle", "--data", str(written(tmp_path / "data"))]


def called(*arguments: str) -> Ran:
    return run("bench", *arguments)


def test_other_systems_are_printed_beside_ours(data: list[str], tmp_path: Path) -> None:
    some = ["--only", "oracle", "--only", "bm25", "--only", "amem"]
    plot = tmp_path / "others.png"
    result = called("baselines", *data, *FEW[:6], *some, "--plot", str(plot))
    assert result.code == 0, result.err
    for name in ("(e) + forest", "oracle (bound)", "BM25", "A-MEM (no model)"):
        assert name in result.out
    assert "nothing is rewritten" in result.out
    assert plot.stat().st_size > 5_000


def test_json_has_intervals_and_differences(data: list[str]) -> None:
    result = called("baselines", *data, *FEW[:6], "--only", "window", "--json")
    assert result.code == 0, result.err
    rows = {row["name"]: row for row in result.json["rows"]}
    low, high = rows["dense + window"]["intervals"]["recall_at_3"]
    assert low <= rows["dense + window"]["recall_at_3"] <= high
    assert len(rows["dense + window"]["forest_less_this"]["all_at_3"]) == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["baselines", "--only", "vapour"], "baseline must be all, none or one of oracle, "),
        (["baselines", "--only", "vimrag"], "needs a model"),
        (["baselines", "--baseline-set", "seed=x"], "seed: 'x' is not of its type"),
        (["run", "--out", "r", "--baseline-mode", "loud"], "--baseline-mode must be native, ids"),
    ],
)
def test_wrong_use_is_one_clear_line(data: list[str], arguments: list[str], message: str) -> None:
    result = called(arguments[0], *data, *arguments[1:])
    assert result.code == 2
    assert message in result.err
    assert len(result.err.strip().splitlines()) == 1


def test_a_dry_run_prints_expected_calls_and_asks_nobody(
    data: list[str], tmp_path: Path, hostile: HostileServer
) -> None:
    model = ["--set", f"model.base_url={hostile.url}", "--set", "model.name=m"]
    out = tmp_path / "run"
    result = called("run", *data, *FEW, *model, "--out", str(out), "--baseline", "all", "--dry-run")
    assert result.code == 0, result.err
    assert "A-MEM" in result.out
    assert "45" in result.out  # 2 x 24 memories - 3 contexts
    assert not hostile.requests
    assert not out.exists()


def test_predictions_of_another_system_are_scored(data: list[str], tmp_path: Path) -> None:
    path = tmp_path / "theirs.jsonl"
    line = {"context": "anna", "question": "Q0", "evidence": ["1/user"], "answer": "Brandt"}
    path.write_text(json.dumps(line) + "\n", encoding="utf-8")
    out = tmp_path / "report"
    result = called(
        "score", *data, "--predictions", str(path), "--name", "theirs", "--out", str(out)
    )
    assert result.code == 0, result.err
    assert "theirs" in result.out
    assert (out / "report.md").is_file()


def test_runs_are_compared_and_judgments_looked_at_again(
    data: list[str], tmp_path: Path, hostile: HostileServer
) -> None:
    hostile.script = [oracle]
    model = ["--set", f"model.base_url={hostile.url}", "--set", "model.name=m", "--judge"]
    for name in ("one", "two"):
        once = [*data, *FEW, *model, "--verifier", "joint", "--no-plots"]
        made = called("run", *once, "--out", str(tmp_path / name), "--baseline", "bm25")
        assert made.code == 0, made.err
    runs = [str(tmp_path / name) for name in ("one", "two")]
    compared = called("compare", *runs, "--out", str(tmp_path / "page"))
    assert compared.code == 0, compared.err
    assert "Means over data sets" in compared.out
    assert (tmp_path / "page" / "lifecycle.png").stat().st_size > 5_000
    looked = called(
        "audit", runs[0], "--sample", "4", "--judge-set", "model.name=other", *model[:4]
    )
    assert looked.code == 0, looked.err
    assert "100.0 % agree" in looked.out
    sampled = called("audit", runs[0], "--sample", "2", "--write", str(tmp_path / "sample.jsonl"))
    assert sampled.code == 0, sampled.err
    assert len((tmp_path / "sample.jsonl").read_text("utf-8").splitlines()) == 2
