from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from graphmemix import Settings, __version__
from tests.cli.commands import run


def test_the_demo_ingests_a_sample_answers_and_draws_forests(tmp_path: Path) -> None:
    """In a process of its own, with an empty home; the tutorial has the packaged encoder."""
    result = subprocess.run(
        [sys.executable, "-m", "graphmemix", "demo", str(tmp_path / "demo")],
        capture_output=True,
        env={
            "HOME": str(tmp_path),
            "PATH": "/usr/bin:/bin",
            "GRAPHMEMIX_ENCODER__MODEL": "hashing",
        },
        check=False,
        encoding="utf-8",
    )
    assert result.returncode == 0, result.stderr
    assert "\x1b" not in result.stdout  # no colour codes in a pipe
    asked = result.stdout.split("Who has our spare key?")[1]
    answer = asked.split("What is the tracking number")[0]
    assert "Olga" in answer
    assert "[1]" in answer
    assert re.search(r"; \d+ of \d+ candidates, ", answer)
    page = (tmp_path / "demo" / "forest.html").read_text(encoding="utf-8")
    assert "Hotel Olivo" in page
    assert "http://" not in page.split("<body")[0]  # nothing is fetched from elsewhere


def test_config_prints_every_setting_as_a_file_that_can_be_read_back(home: Path) -> None:
    text = run("config", "--profile", "paper", "--set", "encoder.model=minilm").out
    (home / "s.toml").write_text(text, encoding="utf-8")
    settings = Settings.load(file=home / "s.toml", environment={"HOME": "/nowhere"})
    assert settings == Settings.for_profile("paper")
    assert set(tomllib.loads(text)) == set(Settings.model_fields)


def test_config_for_machines_follows_all_layers(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPHMEMIX_FOREST__BUDGET", "8")
    values = run("config", "--json", "--set", "graph.hops=2").json
    assert (values["graph.hops"], values["forest.budget"]) == (2, 8)


def test_bad_input_is_one_clear_line_and_exit_code_2(home: Path) -> None:
    result = run("config", "--set", "forest.bugdet=3")
    assert result.code == 2
    expected = "graphmemix: forest.bugdet: unknown setting; did you mean 'forest.budget'?\n"
    assert result.err == expected
    assert run("config", "--set", "nonsense").code == 2


def test_the_version_and_the_help_are_there(home: Path) -> None:
    assert run("--version").out.strip() == __version__
    for arguments in (["--help"], ["config", "--help"], ["demo", "-h"]):
        assert "Usage" in run(*arguments).out
