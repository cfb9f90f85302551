from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest

from graphmemix.errors import ArchiveBusyError, ArtefactMismatchError, InvalidInputError
from graphmemix.evidence import Question
from graphmemix.memory import Memory
from graphmemix.record import Json
from graphmemix_bench.datasets.base import Context, GoldQuestion
from graphmemix_bench.runs.artefacts import (
    STAGES,
    Run,
    RunHead,
    Stage,
    content_hash,
    read_rows,
    read_run,
)
from graphmemix_bench.runs.plan import data_hash, environment

HEAD = RunHead("locomo", "ab", {"forest.budget": 10}, {"encoder": "hashing/256"}, {"cores": "2"})
HOW: dict[str, Json] = {"model": "m", "k": 10}


def test_a_row_is_found_by_the_content_of_its_inputs(tmp_path: Path) -> None:
    with Run(tmp_path, HEAD) as run:
        table = run.table("answers", HOW)
        table.put({"q": "x", "n": [1, 2]}, {"text": "é"}, label="c/Q1")
        assert table.get({"n": [1, 2], "q": "x"}) == {"text": "é"}
        assert table.get({"n": [2, 1], "q": "x"}) is None


def test_rows_are_there_in_the_next_run_in_their_order(tmp_path: Path) -> None:
    with Run(tmp_path, HEAD) as run:
        for number in (3, 1, 2):
            run.table("candidates", HOW).put(number, [number])
    with Run(tmp_path, HEAD) as run:
        table = run.table("candidates", HOW)
        assert [row.value for row in table] == [[3], [1], [2]]
        assert len(table) == 3


@pytest.mark.parametrize("stage", STAGES)
def test_every_stage_has_its_file(tmp_path: Path, stage: Stage) -> None:
    with Run(tmp_path, HEAD) as run:
        run.table(stage, HOW).put(1, 2)
    head, row = (tmp_path / f"{stage}.jsonl").read_text().splitlines()
    assert json.loads(head) == {"stage": stage, "identity": HOW}
    assert json.loads(row)["value"] == 2


def test_what_is_there_is_not_made_again(tmp_path: Path) -> None:
    made = []

    async def make() -> int:
        made.append(1)
        return 7

    for _ in range(2):
        with Run(tmp_path, HEAD) as run:
            assert asyncio.run(run.table("selection", HOW).get_or_await("x", make)) == 7
    assert made == [1]


# Crashes


@pytest.mark.parametrize("cut", [1, 2, 20, 60])
def test_a_torn_last_line_is_dropped_and_made_again(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "answers.jsonl"
    with Run(tmp_path, HEAD) as run:
        for number in range(3):
            run.table("answers", HOW).put(number, {"text": "some words " * 5})
    os.truncate(path, path.stat().st_size - cut)
    with Run(tmp_path, HEAD) as run:
        table = run.table("answers", HOW)
        assert (len(table), table.dropped) == (2, 1)
        table.put(2, {"text": "again"})
    with Run(tmp_path, HEAD) as run:
        assert [row.key for row in run.table("answers", HOW)] == [content_hash(n) for n in range(3)]


def test_a_torn_head_is_written_again(tmp_path: Path) -> None:
    (tmp_path / "answers.jsonl").write_bytes(b'{"stage": "answ')
    with Run(tmp_path, HEAD) as run:
        run.table("answers", HOW).put(1, 1)
    with Run(tmp_path, HEAD) as run:
        assert len(run.table("answers", HOW)) == 1


def test_a_killed_process_loses_no_row_that_it_appended(tmp_path: Path) -> None:
    script = textwrap.dedent(
        f"""
        import sys
        from pathlib import Path
        from graphmemix_bench.runs.artefacts import Run, RunHead
        head = RunHead("locomo", "ab", {{"forest.budget": 10}}, {{"encoder": "hashing/256"}})
        run = Run(Path({str(tmp_path)!r}), head)
        table = run.table("answers", {HOW!r})
        for number in range(1_000_000):
            table.put(number, "x" * 50)
            print(number, flush=True)
        """
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    last = 0
    for line in process.stdout:
        last = int(line)
        if last >= 200:
            process.send_signal(signal.SIGKILL)
            break
    rest = process.stdout.read()
    process.wait()
    process.stdout.close()
    acknowledged = [int(line) for line in rest.splitlines()] or [last]
    with Run(tmp_path, HEAD) as run:
        table = run.table("answers", HOW)
        assert all(table.get(number) == "x" * 50 for number in range(acknowledged[-1] + 1))


def test_a_damaged_line_before_the_last_is_told(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    with Run(tmp_path, HEAD) as run:
        for number in range(3):
            run.table("answers", HOW).put(number, "old")
    lines = path.read_bytes().splitlines()
    for changed in (lines[2][:-4], lines[2].replace(b'"old"', b'"new"')):
        damaged = [*lines[:2], changed, *lines[3:]]
        other = tmp_path / "other"
        other.mkdir(exist_ok=True)
        (other / "answers.jsonl").write_bytes(b"\n".join(damaged) + b"\n")
        with Run(other, HEAD) as run, pytest.raises(InvalidInputError, match=r"answers\.jsonl:3: "):
            run.table("answers", HOW)


# What does not mix


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (replace(HEAD, dataset="memeye"), 'dataset was "locomo", now "memeye"'),
        (replace(HEAD, data="cd"), 'data was "ab", now "cd"'),
        (replace(HEAD, settings={"forest.budget": 5}), "forest.budget was 10, now 5"),
        (replace(HEAD, settings={}), "forest.budget was 10, now not there"),
        (replace(HEAD, identities={"encoder": "x"}), 'encoder was "hashing/256", now "x"'),
    ],
)
def test_another_run_is_refused_with_the_difference(
    tmp_path: Path, other: RunHead, told: str
) -> None:
    Run(tmp_path, HEAD).close()
    with pytest.raises(ArtefactMismatchError) as caught:
        Run(tmp_path, other)
    assert told in str(caught.value)
    assert "use another folder" in str(caught.value)
    Run(tmp_path, HEAD).close()  # the lock was released


def test_another_machine_may_go_on(tmp_path: Path) -> None:
    Run(tmp_path, HEAD).close()
    with Run(tmp_path, replace(HEAD, environment={"cores": "64"}, command="again")) as run:
        assert run.head == HEAD


def test_rows_of_another_model_are_refused(tmp_path: Path) -> None:
    with Run(tmp_path, HEAD) as run:
        run.table("answers", HOW)
        with pytest.raises(ArtefactMismatchError, match='model was "m", now "n"'):
            run.table("answers", {**HOW, "model": "n"})
    with Run(tmp_path, HEAD) as run, pytest.raises(ArtefactMismatchError, match="k was 10"):
        run.table("answers", {**HOW, "k": 11})


def test_a_file_of_another_stage_is_refused(tmp_path: Path) -> None:
    with Run(tmp_path, HEAD) as run:
        run.table("answers", HOW)
    (tmp_path / "answers.jsonl").rename(tmp_path / "judgments.jsonl")
    with Run(tmp_path, HEAD) as run, pytest.raises(ArtefactMismatchError, match="stage was"):
        run.table("judgments", HOW)


def test_the_same_inputs_cannot_have_two_values(tmp_path: Path) -> None:
    with Run(tmp_path, HEAD) as run:
        table = run.table("answers", HOW)
        table.put("q", "one")
        table.put("q", "one")
        with pytest.raises(ArtefactMismatchError, match="value of c/Q1"):
            table.put("q", "two", label="c/Q1")
        assert table.get("q") == "one"
    assert len((tmp_path / "answers.jsonl").read_text().splitlines()) == 2


def test_one_process_at_a_time(tmp_path: Path) -> None:
    with Run(tmp_path, HEAD), pytest.raises(ArchiveBusyError):
        Run(tmp_path, HEAD)


def test_a_closed_table_takes_no_row(tmp_path: Path) -> None:
    with Run(tmp_path, HEAD) as run:
        table = run.table("answers", HOW)
    with pytest.raises(InvalidInputError, match="is closed"):
        table.put(1, 1)


def test_a_run_can_be_read_while_it_is_written(tmp_path: Path) -> None:
    with Run(tmp_path, HEAD) as run:
        run.table("answers", HOW).put("q", "one", label="c/Q1")
        rows = read_rows(tmp_path, "answers")
        assert rows.head is not None
        assert rows.head.identity == HOW
        assert [(row.label, row.value) for row in rows] == [("c/Q1", "one")]
        assert read_run(tmp_path) == HEAD
    nothing = read_rows(tmp_path, "judgments")
    assert (nothing.head, len(nothing)) == (None, 0)


def test_a_folder_without_a_run_is_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="holds no run"):
        read_run(tmp_path)


# What a run depends on


def test_the_environment_names_versions_and_no_host() -> None:
    found = environment()
    assert {"python", "system", "cores", "numpy"} <= set(found)
    assert os.uname().nodename not in " ".join(found.values())


def test_the_fingerprint_changes_with_any_content() -> None:
    def context(text: str = "a", answer: str = "b", gold: str = "m") -> Context:
        question = GoldQuestion(Question("q"), frozenset({gold, "z"}), "T", answer, "Q1")
        return Context("c", (Memory("m", "note", text),), (question,))

    same = data_hash([context()])
    assert same == data_hash([context()])
    others = [context("x"), context(answer="x"), context(gold="x"), replace(context(), name="x")]
    assert len({same, *(data_hash([other]) for other in others)}) == 5
