from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from graphmemix import Archive, Trace
from graphmemix.store import Log
from tests.answering import KEY, household
from tests.cli.commands import run


@pytest.fixture
def trace(family: Path) -> Trace:
    with Archive.open(family, encoder="hashing") as archive:
        return archive.ask("Who has the spare key?")


def test_traces_are_listed_newest_first(family: Path, trace: Trace) -> None:
    with Archive.open(family, encoder="hashing") as archive:
        newer = archive.recall("Where is the tooth?")
    listed = run("trace", family)
    assert [line.split("\t")[0] for line in listed.out.splitlines()[1:]] == [newer.id, trace.id]
    assert [each["id"] for each in run("trace", family, "--json").lines] == [newer.id, trace.id]
    assert len(run("trace", family, "--json", "--limit", "1").lines) == 1


def test_one_is_drawn_as_trees_with_reasons(family: Path, trace: Trace) -> None:
    result = run("trace", family, trace.id, "--why")
    assert result.code == 0
    assert "Question  Who has the spare key?" in result.out
    assert "[1]" in result.out
    assert "chosen  note, 2024-05-01" in result.out
    assert "utility" in result.out
    number = f"(chance {trace.answerable:.0%})"
    assert number in result.out
    assert number not in run("trace", family, trace.id).out


def test_for_machines_it_is_the_trace_itself(family: Path, trace: Trace) -> None:
    assert Trace.from_json(run("trace", family, trace.id, "--json").out) == trace


def test_a_replay_without_any_model_gives_the_same_forest(family: Path, trace: Trace) -> None:
    result = run("trace", family, trace.id, "--replay")
    assert result.code == 0
    assert "Same forest." in result.out
    told = run("trace", family, trace.id, "--replay", "--json").json
    assert trace.forest is not None
    assert told == {"same": True, "forest": json.loads(trace.forest.to_json())}


def test_a_replay_with_other_settings_says_that_it_differs(family: Path, trace: Trace) -> None:
    result = run("trace", family, trace.id, "--replay", "--set", "forest.budget=1")
    assert result.code == 1
    assert "Different forest." in result.out


def test_links_are_drawn_with_role_and_gain_unless_the_trace_is_older(tmp_path: Path) -> None:
    folder = tmp_path / "home"
    with household(folder) as archive:
        trace = archive.recall(KEY)
        assert trace.forest is not None
        told = json.loads(trace.to_json())
        del told["forest"]["terms"]
        nodes = [node for tree in told["forest"]["trees"] for node in tree["nodes"]]
        gains = [node.pop("gain") for node in nodes]
        told["id"] = "older"
        archive.store.put_log(Log("older", "trace", datetime.now(UTC), json.dumps(told)))
    [gain, *_] = [gain for gain in gains if gain is not None]
    assert f" +{gain:.3f}" in run("trace", folder, trace.id).out
    shown = run("trace", folder, "older").out
    assert " +0." not in shown
    assert "new fact" in shown or "clarification" in shown
    assert run("trace", folder, "older", "--replay").code == 0  # it chose the same


def test_no_traces_yet_is_no_error(family: Path) -> None:
    assert "No traces yet" in run("trace", family).out
    assert run("trace", family, "nothing").code == 2
