from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graphmemix.verify.calibration import Calibration
from graphmemix.verify.local import load_model
from graphmemix.verify.opinion import Combination
from tests.bench import small
from tests.bench.small import oracle
from tests.bench.talks import written
from tests.cli.asking import Run
from tests.cli.commands import quiet_home, run
from tests.llm.servers import HostileServer

QUICK = ("--encoder", "hashing")


@pytest.fixture
def calibrate(tmp_path: Path) -> Iterator[Run]:
    with quiet_home(tmp_path):
        yield lambda *arguments: run("calibrate", "--cache", tmp_path / "cache", *arguments)


def test_it_writes_coefficients_a_plot_and_figures(calibrate: Run, tmp_path: Path) -> None:
    data = f"locomo={written(tmp_path / 'data')}"
    out, plot = tmp_path / "m.json", tmp_path / "p.png"
    result = calibrate("--data", data, "--out", str(out), "--plot", str(plot), "--json")
    assert result.code == 0, result.err
    report = result.json
    model = load_model(out)
    assert model.origin.validation == report["leave_contexts_out"]
    assert model.encoder == report["encoder"]
    assert model.encoder.startswith("minilm-use-384/")
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert "judged by a fit without it" in result.err
    shown = calibrate("--data", data, "--out", str(out))
    assert f"--set local.model_file={out}" in shown.out
    assert "locomo.forest.all_at_10" in shown.out
    assert "\x1b" not in shown.out


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (["locomo"], "--data 'locomo': write DATASET=FOLDER"),
        (["locomo="], "--data 'locomo=': write DATASET=FOLDER"),
        (["none=/x"], "dataset must be one of"),
        (["locomo=/a", "locomo=/b"], "--data locomo: is given twice"),
        (["locomo=/no/such"], "/no/such"),
    ],
)
def test_wrong_use_is_one_clear_line(calibrate: Run, data: list[str], message: str) -> None:
    result = calibrate(*(part for each in data for part in ("--data", each)))
    assert result.code == 2
    assert result.err.startswith(f"graphmemix: {message}")
    assert result.err.count("\n") == 1


def test_a_place_that_cannot_be_written_is_named(calibrate: Run, tmp_path: Path) -> None:
    data = f"locomo={written(tmp_path / 'data', 3)}"
    result = calibrate("--data", data, "--out", tmp_path / "no" / "m.json", *QUICK)
    assert result.code == 2
    assert f"{tmp_path / 'no' / 'm.json'}: No such file or directory" in result.err
    assert "Traceback" not in result.err


def test_too_few_contexts_are_told(calibrate: Run, tmp_path: Path) -> None:
    data = f"locomo={written(tmp_path / 'data', 2)}"
    result = calibrate("--data", data, "--out", tmp_path / "m", *QUICK)
    assert result.code == 2
    assert "at least two contexts" in result.err
    assert not (tmp_path / "m").exists()


def test_scores_of_a_model_are_fitted_too(
    calibrate: Run, tmp_path: Path, hostile: HostileServer
) -> None:
    hostile.script = [oracle]
    data, out = f"bundle={small.written(tmp_path / 'data')}", tmp_path / "c.json"
    model = (f"model.base_url={hostile.url}", "model.name=m", "graph.candidates=6")
    options = ["--data", data, "--out", out, *QUICK, *(f"--set={each}" for each in model)]
    result = calibrate("--scores", "--questions", 1, "--plot", tmp_path / "p.png", *options)
    assert result.code == 0, result.err
    assert f"--set utility.calibration_file={out}" in result.out
    assert "questions\t3\n" in result.out  # one of each context
    assert Combination.from_json(out.read_bytes()).encoder == "hashing/256"
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")
    told = calibrate("--scores", "--questions", 1, "--json", *options).json
    assert set(told) >= {"local", "support", "offset", "log_loss", "local_log_loss", "verifier"}
    alone = [*options, "--set", "verifier.with_local=false"]
    told = calibrate("--scores", "--questions", 1, "--json", *alone).json
    assert set(told) >= {"a", "b", "c", "log_loss", "published_log_loss", "verifier"}
    assert Calibration.from_json(out.read_bytes()).encoder == "hashing/256"


def test_scores_need_a_model_and_a_place(
    calibrate: Run, tmp_path: Path, hostile: HostileServer
) -> None:
    hostile.script = [oracle]
    data = ("--data", f"bundle={small.written(tmp_path / 'data')}", *QUICK, "--questions", 1)
    none = calibrate("--scores", *data)
    assert (none.code, none.err) == (
        2,
        "graphmemix: model.base_url: --scores asks a model, and none is set\n",
    )
    model = (f"--set=model.base_url={hostile.url}", "--set=model.name=m")
    nowhere = calibrate("--scores", *data, *model, "--out", tmp_path / "no" / "c.json")
    assert nowhere.code == 2
    assert f"{tmp_path / 'no' / 'c.json'}: No such file or directory" in nowhere.err
