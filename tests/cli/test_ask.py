from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphmemix.archive import Archive
from graphmemix.read.chance import DOES_NOT_SEEM, HOLDS, MAY_HOLD
from graphmemix.settings import Settings
from tests.answering import KEY, serving
from tests.cli.asking import Run, made_archive, trace_of
from tests.cli.commands import quiet_home, run
from tests.encode.tiny_clip import picture
from tests.llm.servers import HostileServer, silent, status


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_archive(tmp_path_factory.mktemp("ask") / "archive")


@pytest.fixture(autouse=True)
def home(tmp_path: Path) -> Iterator[Path]:
    with quiet_home(tmp_path, encoder="packaged"):
        yield tmp_path


@pytest.fixture
def ask(archive: Path) -> Run:
    return lambda *arguments: run("ask", archive, *arguments)


def model(server: HostileServer, *more: str) -> list[str]:
    values = [f"model.base_url={server.url}", "model.name=m", "model.cache=false", *more]
    return [part for value in values for part in ("--set", value)]


def test_the_answer_comes_first_then_its_evidence(ask: Run) -> None:
    result = ask("Where is the tent?")
    assert result.code == 0, result.err
    first, *rest = result.out.splitlines()
    assert first.startswith("“The tent is in the cellar.” [1")
    assert "quoted; no model is set" in result.out
    assert "chance" not in result.out
    assert any(line.startswith("[1] ") and "cellar" in line for line in rest)
    how = re.fullmatch(r"(.+); \d+ of \d+ candidates, \d+ links?; \d[\w. ]*", rest[-1])
    assert how
    assert how[1] in {HOLDS, MAY_HOLD, DOES_NOT_SEEM}


def test_numbers_come_only_with_the_trace(ask: Run) -> None:
    plain, traced = ask(KEY).out, ask(KEY, "--trace").out
    assert not re.search(r"\] \d\.\d\d|[+-]\d\.\d{3}|optimal", plain)
    assert "proven optimal (exact)" in traced
    assert re.search(r"└── \[\d+\] \d\.\d\d  [a-z ]+ \+\d\.\d{3}  ", traced)


def test_evidence_is_in_the_order_of_the_answer(ask: Run) -> None:
    answer, _, evidence = ask(KEY).out.partition("\n\n")
    cited = re.search(r"\[(\d+)", answer)
    assert cited
    first = evidence.partition("\n[")[0]  # one tree
    assert f"[{cited[1]}]" in first


def test_json_has_the_answer_and_the_evidence_with_its_words(ask: Run) -> None:
    found = ask(KEY, "--json").json
    assert found["question"] == KEY
    assert found["answer"]["text"].startswith("“")
    first = found["evidence"][0]
    assert (first["rank"], first["parent"], first["adds"]) == (1, None, None)
    texts = {row["id"]: row["text"] for row in found["evidence"]}
    for citation in found["answer"]["citations"]:
        assert citation["quote"] in texts[citation["memory_id"]]
    assert any(row["quote"] and row["quote"] in row["text"] for row in found["evidence"])
    for row in found["evidence"]:
        assert row["text"] or row["media"]
        assert row["parent"] is None or row["adds"] is None or row["parent"] != row["rank"]
    assert "trace" not in found


def test_json_with_the_trace_has_what_is_saved(ask: Run, archive: Path) -> None:
    result = ask(KEY, "--json", "--trace")
    assert result.code == 0, result.err
    trace = trace_of(result)
    assert trace.answer is not None
    assert trace.id == result.json["trace_id"]
    with Archive.open(archive, mode="read", settings=Settings()) as opened:
        assert opened.trace(trace.id) == trace


def test_a_forest_is_drawn_as_a_tree_with_what_each_adds(ask: Run) -> None:
    shown = ask(KEY).out
    assert "Who has our spare key now?" in shown
    tree = shown.split("\n\n")[-1]
    assert re.search(r"└── \[\d+\] (adds|explains|confirms): ", tree)


def test_every_candidate_is_explained_if_asked(ask: Run) -> None:
    few = ("--set", "forest.budget=2")
    plain, traced = ask(KEY, *few), ask(KEY, "--trace", *few)
    assert "rejected" not in plain.out
    fates = [line for line in traced.out.splitlines() if line.startswith(("chosen", "rejected"))]
    assert len(fates) == 7
    assert "taking it in place of another would lower the objective by" in traced.out
    assert "retrieve: " in traced.out
    assert re.search(r"^trace [0-9a-f]{8}$", traced.out, re.MULTILINE)


def test_no_colour_and_no_command_of_a_memory_goes_into_a_pipe(ask: Run) -> None:
    for arguments in (("Who says thank you for the tent?", "--trace"), ("tent, Robert?",)):
        result = ask(*arguments)
        assert "\x1b" not in result.out
        assert "[red]Thank[/red] you [/] for the" in result.out


def test_a_memory_cannot_command_a_terminal_either(
    ask: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    shown = ask("Who says thank you for the tent, Robert?", "--trace").out
    assert "\x1b[" in shown  # ours
    assert "\x1b[31m" not in shown  # not the memory's


def test_a_model_answers_if_one_is_set(ask: Run, hostile: HostileServer) -> None:
    hostile.script = [serving()]
    result = ask(KEY, *model(hostile))
    assert result.code == 0, result.err
    assert result.out.startswith("Olga has it [1].")
    assert "quoted" not in result.out
    assert "3 model calls" in result.out


def test_a_model_that_fails_is_one_clear_line_or_an_answer_by_quotation(
    ask: Run, hostile: HostileServer
) -> None:
    hostile.script = [status(500)]
    result = ask(KEY, *model(hostile, "model.retries=0", "verifier.degrade=false"))
    assert result.code == 2
    assert result.err.startswith(f"graphmemix: {hostile.url}/")
    assert result.err.count("\n") == 1
    result = ask(KEY, *model(hostile, "model.retries=0"))
    assert result.code == 0, result.err
    first, second, answer, *_ = result.out.splitlines()
    failed = f"model failed ({hostile.url}/chat/completions: HTTP 500 "
    assert first.startswith(f"Note: the verifier's {failed}")
    assert first.endswith("); the local verifier decided instead.")
    assert second.startswith(f"Note: the reader's {failed}")
    assert second.endswith("); the answer is quoted instead.")
    assert answer.startswith("“")
    assert "quoted; the model failed" in result.out
    assert result.out.count("the local verifier decided instead") == 1


def test_a_picture_goes_to_the_model(ask: Run, hostile: HostileServer, tmp_path: Path) -> None:
    hostile.script = [serving()]
    (tmp_path / "red.png").write_bytes(picture("red"))
    result = ask(KEY, "--image", str(tmp_path / "red.png"), *model(hostile))
    assert result.code == 0, result.err
    sent = json.dumps(hostile.requests[-1])
    assert "data:image/png;base64," in sent


def test_earlier_turns_come_from_a_file(ask: Run, tmp_path: Path) -> None:
    turns = [{"role": "user", "text": "How is the boat called?"}]
    (tmp_path / "h.json").write_text(json.dumps(turns))
    result = ask(
        "And what did it cost?", "--history", str(tmp_path / "h.json"), "--json", "--trace"
    )
    assert trace_of(result).question.history[0].text == "How is the boat called?"


def test_what_was_understood_is_told(ask: Run) -> None:
    result = ask("What did Ben say in March 2024?", "--asked-at", "2024-05-01")
    assert "understood: time: " in result.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((" ",), "question: needs a text or an image"),
        ((KEY, "--image", "/no/such"), "--image /no/such: No such file or directory"),
        ((KEY, "--image", __file__), f"--image {__file__}: not a picture"),
        ((KEY, "--asked-at", "soon"), "--asked-at: 'soon' is not a date"),
        ((KEY, "--as-of", "soon"), "--as-of: 'soon' is not a date"),
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
    assert result.code == 2
    assert result.err.startswith(f"graphmemix: {message}")
    assert result.err.count("\n") == 1
    assert result.out == ""


@pytest.mark.parametrize("history", ["{}", "[1]", '[{"role": "user"}]', "[", "null"])
def test_a_file_without_turns_is_named(ask: Run, tmp_path: Path, history: str) -> None:
    (tmp_path / "h.json").write_text(history)
    result = ask(KEY, "--history", str(tmp_path / "h.json"))
    assert result.code == 2
    assert result.err.startswith(f"graphmemix: --history {tmp_path / 'h.json'}: ")


def test_while_another_process_writes_the_answer_comes_and_is_not_saved(tmp_path: Path) -> None:
    path = made_archive(tmp_path / "busy")
    with Archive.open(path, settings=Settings()):
        result = run("ask", str(path), KEY, "--json")
    assert result.code == 0, result.err
    assert result.json["trace_id"] == ""


def test_a_question_that_ends_early_leaves_what_was_done(
    ask: Run, archive: Path, hostile: HostileServer
) -> None:
    hostile.script = [silent]
    result = ask(KEY, *model(hostile, "limits.seconds=2", "verifier.degrade=false"))
    assert result.code == 2
    found = re.search(r"graphmemix trace ARCHIVE (\S+)\)", result.err)
    assert found
    told = run("trace", archive, found[1], "--why")
    assert told.code == 0
    assert "ended early: deadline" in told.out
    assert run("trace", archive, found[1], "--replay").code == 0
