from __future__ import annotations

import json
from pathlib import Path

import pytest

from graphmemix.verify.local_model import load_model
from tests.bench.talks import written
from tests.cli.asking import Run, make_run


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    run = make_run(tmp_path, monkeypatch, capsys)
    cache = str(tmp_path / "cache")
    return lambda *arguments: run("calibrate", "--cache", cache, *arguments)


def test_it_writes_coefficients_a_plot_and_figures(run: Run, tmp_path: Path) -> None:
    data = f"locomo={written(tmp_path / 'data')}"
    out, plot = tmp_path / "m.json", tmp_path / "p.png"
    result = run("--data", data, "--out", str(out), "--plot", str(plot), "--json")
    assert result.returncode == 0, result.stderr
    report = json.loads(result.stdout)
    model = load_model(out)
    assert model.origin.validation == report["leave_contexts_out"]
    assert model.encoder == report["encoder"]
    assert model.encoder.startswith("all-minilm-l6-v2-int8/")
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert "judged by a fit without it" in result.stderr
    shown = run("--data", data, "--out", str(out))
    assert f"--set local.model_file={out}" in shown.stdout
    assert "locomo.forest.all_at_10" in shown.stdout
    assert "\x1b" not in shown.stdout


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
def test_wrong_use_is_one_clear_line(run: Run, data: list[str], message: str) -> None:
    result = run(*(part for each in data for part in ("--data", each)))
    assert result.returncode == 2
    assert result.stderr.startswith(f"graphmemix: {message}")
    assert result.stderr.count("\n") == 1


def test_a_place_that_cannot_be_written_is_named(run: Run, tmp_path: Path) -> None:
    data = f"locomo={written(tmp_path / 'data', 3)}"
    result = run("--data", data, "--out", str(tmp_path / "no" / "m.json"))
    assert result.returncode == 2
    assert f"{tmp_path / 'no' / 'm.json'}: No such file or directory" in result.stderr
    assert "Traceback" not in result.stderr


def test_too_few_contexts_are_told(run: Run, tmp_path: Path) -> None:
    result = run("--data", f"locomo={written(tmp_path / 'data', 2)}", "--out", str(tmp_path / "m"))
    assert result.returncode == 2
    assert "at least two contexts" in result.stderr
    assert not (tmp_path / "m").exists()
