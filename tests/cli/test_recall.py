from __future__ import annotations

from pathlib import Path

import pytest

from graphmemix.evidence import Trace
from tests.answering import KEY
from tests.cli.asking import Run, made_archive, make_run


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_archive(tmp_path_factory.mktemp("recall") / "archive")


@pytest.fixture
def recall(
    archive: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Run:
    run = make_run(tmp_path, monkeypatch, capsys)
    return lambda *arguments: run("recall", str(archive), *arguments)


def test_the_evidence_comes_without_an_answer(recall: Run) -> None:
    result = recall(KEY)
    assert result.returncode == 0, result.stderr
    assert "Olga next door has the key." in result.stdout
    assert "“" not in result.stdout
    assert "chance" not in result.stdout


def test_json_is_the_trace(recall: Run) -> None:
    trace = Trace.from_json(recall(KEY, "--json").stdout)
    assert trace.answer is None
    assert trace.forest is not None
    assert trace.profile == "default"
    assert [cost.stage for cost in trace.costs] == ["retrieve", "verify", "optimize"]


def test_settings_reach_the_forest(recall: Run) -> None:
    trace = Trace.from_json(recall(KEY, "--json", "--set", "forest.budget=1").stdout)
    assert trace.forest is not None
    assert len(trace.forest.proposal) == 1


def test_what_came_later_can_be_hidden(recall: Run) -> None:
    shown = recall(KEY, "--as-of", "2024-03-01T10:00:30+00:00", "--json").stdout
    ids = {candidate.memory_id for candidate in Trace.from_json(shown).candidates}
    assert "asked" in ids
    assert not ids & {"told", "boat", "paint"}


def test_every_candidate_is_explained_if_asked(recall: Run) -> None:
    result = recall(KEY, "--trace")
    fates = ("chosen", "rejected", "refined away", "duplicate")
    explained = [line for line in result.stdout.splitlines() if line.startswith(fates)]
    assert len(explained) == 7
    assert "\x1b" not in result.stdout


def test_without_anything_to_find_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = make_run(tmp_path, monkeypatch, capsys)
    assert run("init", str(tmp_path / "empty")).returncode == 0
    result = run("recall", str(tmp_path / "empty"), KEY)
    assert result.returncode == 0, result.stderr
    assert result.stdout == "Nothing in the archive comes near.\n"
    result = run("ask", str(tmp_path / "empty"), KEY)
    assert result.stdout.startswith("Nothing was found in the archive for this question.")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("",), "question: needs a text or an image"),
        ((KEY, "--image", "/no/such"), "--image /no/such: No such file or directory"),
        ((KEY, "--profile", "paper"), "model.base_url: no model is set"),
        ((KEY, "--set", "nonsense"), "nonsense: write KEY=VALUE"),
    ],
)
def test_wrong_use_is_one_clear_line(recall: Run, arguments: tuple[str, ...], message: str) -> None:
    result = recall(*arguments)
    assert result.returncode == 2
    assert result.stderr.startswith(f"graphmemix: {message}")
    assert result.stderr.count("\n") == 1
