from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.answering import KEY
from tests.cli.asking import Run, made_archive, trace_of
from tests.cli.commands import quiet_home, run


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_archive(tmp_path_factory.mktemp("recall") / "archive")


@pytest.fixture(autouse=True)
def home(tmp_path: Path) -> Iterator[Path]:
    with quiet_home(tmp_path, encoder="packaged"):
        yield tmp_path


@pytest.fixture
def recall(archive: Path) -> Run:
    return lambda *arguments: run("recall", archive, *arguments)


def test_the_evidence_comes_without_an_answer(recall: Run) -> None:
    result = recall(KEY)
    assert result.code == 0, result.err
    assert "Olga next door has the key." in result.out
    assert "“" not in result.out
    assert "chance" not in result.out


def test_json_is_the_trace(recall: Run) -> None:
    found = recall(KEY, "--json", "--trace")
    assert found.json["answer"] is None
    trace = trace_of(found)
    assert trace.answer is None
    assert trace.forest is not None
    assert trace.profile == "default"
    assert [cost.stage for cost in trace.costs] == ["retrieve", "verify", "optimize", "serialize"]


def test_settings_reach_the_forest(recall: Run) -> None:
    trace = trace_of(recall(KEY, "--json", "--trace", "--set", "forest.budget=1"))
    assert trace.forest is not None
    assert len(trace.forest.proposal) == 1


def test_what_came_later_can_be_hidden(recall: Run) -> None:
    shown = recall(KEY, "--as-of", "2024-03-01T10:00:30+00:00", "--json", "--trace")
    ids = {candidate.memory_id for candidate in trace_of(shown).candidates}
    assert "asked" in ids
    assert not ids & {"told", "boat", "paint"}


def test_every_candidate_is_explained_if_asked(recall: Run) -> None:
    result = recall(KEY, "--trace")
    fates = ("chosen", "rejected", "refined away", "duplicate")
    explained = [line for line in result.out.splitlines() if line.startswith(fates)]
    assert len(explained) == 7
    assert "\x1b" not in result.out
    assert re.search(r"^the archive .* the answer \(chance \d+%\)$", result.out, re.MULTILINE)


def test_without_anything_to_find_that_is_said(tmp_path: Path) -> None:
    assert run("init", str(tmp_path / "empty")).code == 0
    result = run("recall", str(tmp_path / "empty"), KEY)
    assert result.code == 0, result.err
    assert result.out.startswith("The archive is empty; fill it with: graphmemix ingest ")
    result = run("ask", str(tmp_path / "empty"), KEY)
    assert result.out.startswith("Nothing was found in the archive for this question.")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("",), "question: needs a text or an image"),
        ((KEY, "--image", "/no/such"), "--image /no/such: No such file or directory"),
        ((KEY, "--profile", "paper"), "model.base_url: no model is set"),
        ((KEY, "--set", "nonsense"), "nonsense: use KEY=VALUE"),
    ],
)
def test_wrong_use_is_one_clear_line(recall: Run, arguments: tuple[str, ...], message: str) -> None:
    result = recall(*arguments)
    assert result.code == 2
    assert result.err.startswith(f"graphmemix: {message}")
    assert result.err.count("\n") == 1
