from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from graphmemix.archive import Archive
from graphmemix.evidence import Trace
from graphmemix.settings import Settings
from tests.answering import KEY, serving
from tests.cli.asking import Result, Run, made_archive, make_run
from tests.encode.tiny_clip import picture
from tests.models.servers import HostileServer, status


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_archive(tmp_path_factory.mktemp("ask") / "archive")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    return make_run(tmp_path, monkeypatch, capsys)


@pytest.fixture
def ask(run: Run, archive: Path) -> Callable[..., Result]:
    return lambda *arguments: run("ask", str(archive), *arguments)


def model(server: HostileServer, *more: str) -> list[str]:
    values = [f"model.base_url={server.url}", "model.name=m", "model.cache=false", *more]
    return [part for value in values for part in ("--set", value)]


def test_the_answer_comes_first_then_its_evidence(ask: Run) -> None:
    result = ask("Where is the tent?")
    assert result.returncode == 0, result.stderr
    first, *rest = result.stdout.splitlines()
    assert first.startswith("“The tent is in the cellar.” [1")
    assert "quoted, no model is set" in result.stdout
    assert "chance that the archive holds the answer: " in result.stdout
    assert any(line.startswith("[1] ") and "cellar" in line for line in rest)
    assert "proven optimal (exact)" in rest[-1]


def test_json_is_the_trace_which_is_saved(ask: Run, archive: Path) -> None:
    result = ask(KEY, "--json")
    assert result.returncode == 0, result.stderr
    trace = Trace.from_json(result.stdout)
    assert trace.answer is not None
    with Archive.open(archive, mode="read", settings=Settings()) as opened:
        assert opened.trace(trace.id) == trace


def test_a_forest_is_drawn_as_a_tree_with_roles(ask: Run) -> None:
    shown = ask(KEY).stdout
    assert "Who has our spare key now?" in shown
    tree = shown.split("\n\n")[-1]
    assert "└── [" in tree
    assert any(role in tree for role in ("new fact", "clarification", "corroboration"))


def test_every_candidate_is_explained_if_asked(ask: Run) -> None:
    few = ("--set", "forest.budget=2")
    plain, traced = ask(KEY, *few), ask(KEY, "--trace", *few)
    assert "rejected" not in plain.stdout
    fates = [line for line in traced.stdout.splitlines() if line.startswith(("chosen", "rejected"))]
    assert len(fates) == 7
    assert "taking it in place of another would lower the objective by" in traced.stdout
    assert "retrieve: " in traced.stdout
    assert "\ntrace 2" in traced.stdout


def test_no_colour_and_no_command_of_a_memory_goes_into_a_pipe(ask: Run) -> None:
    for arguments in (("Who says thank you for the tent?", "--trace"), ("tent, Robert?",)):
        result = ask(*arguments)
        assert "\x1b" not in result.stdout
        assert "[red]Thank[/red] you [/] for the" in result.stdout


def test_a_memory_cannot_command_a_terminal_either(
    ask: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    shown = ask("Who says thank you for the tent, Robert?", "--trace").stdout
    assert "\x1b[" in shown  # ours
    assert "\x1b[31m" not in shown  # not the memory's


def test_a_model_answers_if_one_is_set(ask: Run, hostile: HostileServer) -> None:
    hostile.script = [serving()]
    result = ask(KEY, *model(hostile))
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("Olga has it [1].")
    assert "quoted" not in result.stdout
    assert "3 model calls" in result.stdout


def test_a_model_that_fails_is_one_clear_line_or_an_answer_by_quotation(
    ask: Run, hostile: HostileServer
) -> None:
    hostile.script = [status(500)]
    result = ask(KEY, *model(hostile, "model.retries=0"))
    assert result.returncode == 2
    assert result.stderr.startswith(f"graphmemix: {hostile.url}: ")
    assert result.stderr.count("\n") == 1
    result = ask(KEY, *model(hostile, "model.retries=0", "verifier.degrade=true"))
    assert result.returncode == 0, result.stderr
    assert "quoted, the model failed" in result.stdout
    assert (
        "\nthe verifier's model failed (unavailable); the local verifier decided" in result.stdout
    )


def test_a_picture_goes_to_the_model(ask: Run, hostile: HostileServer, tmp_path: Path) -> None:
    hostile.script = [serving()]
    (tmp_path / "red.png").write_bytes(picture("red"))
    result = ask(KEY, "--image", str(tmp_path / "red.png"), *model(hostile))
    assert result.returncode == 0, result.stderr
    sent = json.dumps(hostile.requests[-1])
    assert "data:image/png;base64," in sent


def test_earlier_turns_come_from_a_file(ask: Run, tmp_path: Path) -> None:
    turns = [{"role": "user", "text": "How is the boat called?"}]
    (tmp_path / "h.json").write_text(json.dumps(turns))
    result = ask("And what did it cost?", "--history", str(tmp_path / "h.json"), "--json")
    assert Trace.from_json(result.stdout).question.history[0].text == "How is the boat called?"


def test_what_was_understood_is_told(ask: Run) -> None:
    result = ask("What did Ben say in March 2024?", "--asked-at", "2024-05-01")
    assert "understood: time: " in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((" ",), "question: needs a text or an image"),
        ((KEY, "--image", "/no/such"), "--image /no/such: No such file or directory"),
        ((KEY, "--image", __file__), f"--image {__file__}: is not a picture"),
        ((KEY, "--asked-at", "soon"), "--asked-at: 'soon' is not an ISO date"),
        ((KEY, "--as-of", "soon"), "--as-of: 'soon' is not an ISO date"),
        ((KEY, "--history", "/no/such"), "--history /no/such: No such file or directory"),
        ((KEY, "--history", __file__), f"--history {__file__}: "),
        ((KEY, "--profile", "mine"), "profile: must be one of default, paper, not 'mine'"),
        ((KEY, "--profile", "paper"), "model.base_url: no model is set"),
        ((KEY, "--set", "local.use=never"), "model.base_url: no model is set"),
        ((KEY, "--set", "local.model_file=/no/such"), "/no/such: No such file or directory"),
        ((KEY, "--set", "local.half_share=2"), "local.half_share: "),
    ],
)
def test_wrong_use_is_one_clear_line(ask: Run, arguments: tuple[str, ...], message: str) -> None:
    result = ask(*arguments)
    assert result.returncode == 2
    assert result.stderr.startswith(f"graphmemix: {message}")
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


@pytest.mark.parametrize("history", ["{}", "[1]", '[{"role": "user"}]', "[", "null"])
def test_a_file_without_turns_is_named(ask: Run, tmp_path: Path, history: str) -> None:
    (tmp_path / "h.json").write_text(history)
    result = ask(KEY, "--history", str(tmp_path / "h.json"))
    if history == "{}":  # no turns at all
        assert result.returncode == 0
        return
    assert result.returncode == 2
    assert result.stderr.startswith(f"graphmemix: --history {tmp_path / 'h.json'}: ")


@pytest.mark.parametrize("command", ["ask", "recall"])
def test_an_archive_that_is_not_there_is_told_and_not_made(
    run: Run, tmp_path: Path, command: str
) -> None:
    result = run(command, str(tmp_path / "nowhere"), KEY)
    assert result.returncode == 2
    assert result.stderr.startswith("graphmemix: ")
    assert not (tmp_path / "nowhere").exists()


def test_while_another_process_writes_the_answer_comes_and_is_not_saved(
    run: Run, tmp_path: Path
) -> None:
    path = made_archive(tmp_path / "busy")
    with Archive.open(path, settings=Settings()):
        result = run("ask", str(path), KEY, "--json")
    assert result.returncode == 0, result.stderr
    assert Trace.from_json(result.stdout).id == ""
