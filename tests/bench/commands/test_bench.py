"""The commands run, ladder, selectors, report and evidence."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphmemix_bench.reports import read_report
from tests.bench import talks
from tests.bench.small import oracle, written
from tests.cli.commands import Ran, quiet_home, run
from tests.llm.servers import Connection, HostileServer

FEW = [
    *("--set", "retrieval.seeds=4", "--set", "graph.candidates=6"),
    *("--set", "forest.budget=3", "--set", "model.concurrency=1"),
]


@pytest.fixture(autouse=True)
def home(tmp_path: Path) -> Iterator[Path]:
    with quiet_home(tmp_path):
        yield tmp_path


def called(*arguments: str) -> Ran:
    return run("bench", *arguments)


def test_the_ladder_is_told_and_written_and_can_be_told_again(tmp_path: Path) -> None:
    data = ["--dataset", "bundle", "--data", str(written(tmp_path / "data"))]
    folder = tmp_path / "run"
    first = called("ladder", *data, "--out", str(folder), *FEW)
    assert first.code == 0, first.err
    assert "(e) + forest" in first.out
    assert "Selectors on the same frozen candidates" in first.out
    assert "unpublished: contexts 3" in " ".join(first.err.split())
    assert {path.name for path in folder.glob("report.*")} == {
        "report.csv",
        "report.html",
        "report.json",
        "report.md",
    }
    assert (folder / "plots" / "ladder.png").stat().st_size > 5_000
    assert "graphmemix bench ladder --dataset bundle" in (folder / "report.md").read_text("utf-8")
    before = read_report(folder / "report.json")
    (folder / "report.json").unlink()
    again = called("report", str(folder), "--no-plots", "--json")
    assert again.code == 0, again.err
    assert read_report(folder / "report.json") == before
    assert again.json["annotated"] == 6


def test_ctrl_c_leaves_a_run_that_the_same_command_finishes(
    tmp_path: Path, hostile: HostileServer
) -> None:
    data = ["--dataset", "bundle", "--data", str(written(tmp_path / "data"))]
    model = ["--set", f"model.base_url={hostile.url}", "--set", "model.name=m", "--judge"]
    whole = ["run", *data, *FEW, *model, "--verifier", "joint", "--no-plots", "--json"]
    process: list[subprocess.Popen[str]] = []

    def interrupts(connection: Connection) -> None:
        if len(hostile.requests) == 10:
            process[0].send_signal(signal.SIGINT)
            connection.stop.wait(5)  # the reply never comes
        else:
            oracle(connection)

    hostile.script = [interrupts]
    with subprocess.Popen(
        [sys.executable, "-m", "graphmemix", "bench", *whole, "--out", str(tmp_path / "run")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as started:
        process.append(started)
        _, told = started.communicate(timeout=120)
    assert started.returncode == 130, told
    assert "the same command again resumes the run" in " ".join(told.lower().split())
    assert "Traceback" not in told
    hostile.script = [oracle]
    asked = len(hostile.requests)
    resumed = called(*whole, "--out", str(tmp_path / "run"))
    assert resumed.code == 0, resumed.err
    rest = len(hostile.requests) - asked
    fresh = called(*whole, "--out", str(tmp_path / "whole"))
    assert len(hostile.requests) - asked - rest == rest + 9  # nine replies had been kept
    ours, theirs = resumed.json, fresh.json
    assert ours["configurations"][0]["metrics"] == theirs["configurations"][0]["metrics"]
    assert ours["configurations"][0]["metrics"]["judge"]["count"] == 7


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "--dataset", "zoo"], "dataset must be one of atm-bench, "),
        (["run", "--dataset", "locomo"], "say where the data lie: --data DIR"),
        (["ladder", "--dataset", "h2hmem", "--data", "nowhere"], "nowhere"),
        (["run", "--dataset", "locomo", "--verifier", "dice"], "--verifier must be local, "),
        (["run", "--dataset", "locomo", "--verifier", "llm"], "no model is set; name a server"),
        (["run", "--dataset", "locomo", "--judge"], "--judge needs a model"),
    ],
)
def test_wrong_use_is_one_clear_line(tmp_path: Path, arguments: list[str], message: str) -> None:
    result = called(*arguments, "--out", str(tmp_path / "run"))
    assert result.code == 2
    assert message in result.err
    assert len(result.err.splitlines()) == 1
    assert not (tmp_path / "run").exists()


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    result = called("report", str(tmp_path))
    assert (result.code, result.err) == (
        2,
        f"graphmemix: {tmp_path}: holds no run; there is no run.json\n",
    )


def test_evidence_prints_json_with_the_encoder_of_the_settings(tmp_path: Path) -> None:
    data = talks.written(tmp_path / "data", 1)
    result = called("evidence", "--dataset", "locomo", "--data", str(data), "--json")
    assert result.code == 0, result.err
    report = result.json
    assert set(report) >= {"dataset", "contexts", "questions", "encoder", "configurations"}
    assert report["encoder"] == "hashing/256"
    assert set(report["configurations"][0]) >= {
        "name",
        "recall_at_10",
        "hit_at_10",
        "all_at_10",
        "pool_recall",
    }


def test_evidence_finds_data_by_its_variable_and_prints_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    talks.written(tmp_path / "data" / "locomo", 1)
    monkeypatch.setenv("GRAPHMEMIX_BENCH_DATA", str(tmp_path / "data"))
    result = called("evidence", "--dataset", "locomo")
    assert result.code == 0, result.err
    assert "locomo: 1 contexts, 6 questions" in result.out
    assert "dense text" in result.out


def test_evidence_says_that_it_needs_data() -> None:
    result = called("evidence", "--dataset", "locomo")
    assert result.code == 2
    assert (
        result.err == "graphmemix: say where the data lie: --data DIR, or GRAPHMEMIX_BENCH_DATA\n"
    )


def test_evidence_refuses_a_folder_without_data_in_one_line(tmp_path: Path) -> None:
    result = called("evidence", "--dataset", "mem-gallery", "--data", str(tmp_path / "nothing"))
    assert result.code == 2
    assert result.err.startswith("graphmemix: ")
    assert "is this the folder of Mem-Gallery?" in result.err
