from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Protocol

import pytest

from graphmemix import Settings, __version__


class Run(Protocol):
    def __call__(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]: ...


@pytest.fixture
def run(tmp_path: Path) -> Run:
    def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run the real command in a process of its own, with an empty home."""
        environment = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", **variables}
        command = [sys.executable, "-m", "graphmemix", *arguments]
        return subprocess.run(
            command, capture_output=True, text=True, env=environment, check=False, encoding="utf-8"
        )

    return run


def test_the_demo_ingests_a_sample_answers_and_draws_forests(run: Run, tmp_path: Path) -> None:
    result = run("demo", str(tmp_path / "demo"))
    assert result.returncode == 0, result.stderr
    assert "\x1b" not in result.stdout  # no colour codes in a pipe
    asked = result.stdout.split("Who has our spare key?")[1]
    answer = asked.split("What is the tracking number")[0]
    assert "Olga" in answer
    assert "[1]" in answer
    assert "proven optimal" in answer
    page = (tmp_path / "demo" / "forest.html").read_text(encoding="utf-8")
    assert "spare key" in page
    assert "http://" not in page.split("<body")[0]  # nothing is fetched from elsewhere


def test_config_prints_every_setting_as_a_file_that_can_be_read_back(
    run: Run, tmp_path: Path
) -> None:
    text = run("config", "--profile", "paper").stdout
    (tmp_path / "s.toml").write_text(text, encoding="utf-8")
    settings = Settings.load(file=tmp_path / "s.toml", environment={"HOME": "/nowhere"})
    assert settings == Settings.for_profile("paper")
    assert set(tomllib.loads(text)) == set(Settings.model_fields)


def test_config_for_machines_follows_all_layers(run: Run) -> None:
    result = run("config", "--json", "--set", "graph.hops=2", GRAPHMEMIX_FOREST__BUDGET="8")
    values = json.loads(result.stdout)
    assert (values["graph.hops"], values["forest.budget"]) == (2, 8)


def test_bad_input_is_one_clear_line_and_exit_code_2(run: Run) -> None:
    result = run("config", "--set", "forest.bugdet=3")
    assert result.returncode == 2
    assert (
        result.stderr
        == "graphmemix: forest.bugdet: no such setting; did you mean 'forest.budget'?\n"
    )
    assert run("config", "--set", "nonsense").returncode == 2


def test_the_version_and_the_help_are_there(run: Run) -> None:
    assert run("--version").stdout.strip() == __version__
    for arguments in (["--help"], ["config", "--help"], ["demo", "-h"]):
        assert "Usage" in run(*arguments).stdout
