"""The commands run, ladder, selectors and report, in processes of their own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from graphmemix.bench.reports import read_report
from tests.bench.small import oracle, written
from tests.models.servers import Connection, HostileServer

FEW = [
    *("--set", "retrieval.seeds=4", "--set", "graph.candidates=6"),
    *("--set", "forest.budget=3", "--set", "model.concurrency=1"),
]


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "graphmemix", "bench", *arguments]


def environment(home: Path) -> dict[str, str]:
    return {"HOME": str(home), "PATH": "/usr/bin:/bin", "PYTHONPATH": os.pathsep.join(sys.path)}


def called(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments),
        capture_output=True,
        text=True,
        env=environment(home),
        check=False,
        encoding="utf-8",
    )


def test_the_ladder_is_told_and_written_and_can_be_told_again(tmp_path: Path) -> None:
    data = ["--dataset", "bundle", "--data", str(written(tmp_path / "data"))]
    run = tmp_path / "run"
    first = called(tmp_path, "ladder", *data, "--out", str(run), *FEW)
    assert first.returncode == 0, first.stderr
    assert "(e) + forest" in first.stdout
    assert "Selectors on the same frozen candidates" in first.stdout
    assert "unpublished: contexts 3" in " ".join(first.stderr.split())
    assert {path.name for path in run.glob("report.*")} == {
        "report.csv",
        "report.html",
        "report.json",
        "report.md",
    }
    assert (run / "plots" / "ladder.png").stat().st_size > 5_000
    assert "graphmemix bench ladder --dataset bundle" in (run / "report.md").read_text("utf-8")
    before = read_report(run / "report.json")
    (run / "report.json").unlink()
    again = called(tmp_path, "report", str(run), "--no-plots", "--json")
    assert again.returncode == 0, again.stderr
    assert read_report(run / "report.json") == before
    assert json.loads(again.stdout)["annotated"] == 6


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
        command(*whole, "--out", str(tmp_path / "run")),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(tmp_path),
    ) as started:
        process.append(started)
        _, told = started.communicate(timeout=120)
    assert started.returncode == 130, told
    assert "the same command again goes on" in " ".join(told.lower().split())
    assert "Traceback" not in told
    hostile.script = [oracle]
    asked = len(hostile.requests)
    resumed = called(tmp_path, *whole, "--out", str(tmp_path / "run"))
    assert resumed.returncode == 0, resumed.stderr
    rest = len(hostile.requests) - asked
    fresh = called(tmp_path, *whole, "--out", str(tmp_path / "whole"))
    assert len(hostile.requests) - asked - rest == rest + 9  # nine replies had been kept
    ours, theirs = json.loads(resumed.stdout), json.loads(fresh.stdout)
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
    result = called(tmp_path, *arguments, "--out", str(tmp_path / "run"))
    assert result.returncode == 2
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not (tmp_path / "run").exists()


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    result = called(tmp_path, "report", str(tmp_path))
    assert (result.returncode, result.stderr) == (
        2,
        f"graphmemix: {tmp_path}: holds no run; there is no run.json\n",
    )
