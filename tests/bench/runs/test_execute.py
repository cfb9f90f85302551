"""Runs from the data to the report: stages, resuming, refusing to mix, over real HTTP."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from graphmemix.encode.hashing import HashingEncoder
from graphmemix.errors import (
    ArtefactMismatchError,
    InvalidInputError,
    ModelUnavailableError,
    SettingsError,
)
from graphmemix.llm import Backoff, OpenAiChat, open_chat
from graphmemix.settings import Settings
from graphmemix_bench.reports import BenchReport
from graphmemix_bench.runs.artefacts import STAGES, Stage, read_rows
from graphmemix_bench.runs.execute import execute, read_sessions
from graphmemix_bench.runs.plan import Parts, Plan, make_plan
from graphmemix_bench.runs.report import build_report
from graphmemix_bench.runs.stages import VerifierKind
from tests.bench.small import oracle, settings, written
from tests.llm.servers import Connection, HostileServer, says, status

ALL = ("embedding", "multi_view", "hybrid", "node", "ecv", "forest")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return written(tmp_path / "data")


def local_plan(data: Path, **more: Any) -> Plan:
    parts = Parts(HashingEncoder(64), more.pop("settings", settings()))
    return make_plan("bundle", data, parts, **{"rungs": ALL, **more})


def model_parts(server: HostileServer, **more: Any) -> Parts:
    """Parts whose verifiers, reader and judge are all on the server."""

    def chat(name: str) -> OpenAiChat:
        return OpenAiChat(server.url, name, sees_images=False, timeout=20, backoff=Backoff(0, 0))

    chosen = more.pop("settings", settings())
    given: dict[str, Any] = {"verifiers": ("llm", "joint"), "reader": "llm", **more}
    judge = chat("judge") if given["reader"] != "none" else None
    return Parts(HashingEncoder(64), chosen, chat=chat("m"), judge=judge, **given)


def execute_at(plan: Plan, folder: Path) -> BenchReport:
    execute(plan, folder, cache=folder.parent / "cache", command="test")
    return build_report(folder)


def without_times(value: Any) -> Any:
    """What has to be the same whenever it was made: everything but seconds and hashes of them."""
    if isinstance(value, dict):
        return {k: without_times(v) for k, v in value.items() if k not in {"seconds", "check"}}
    return [without_times(each) for each in value] if isinstance(value, list) else value


def results(folder: Path) -> dict[str, Any]:
    """All rows of all stages by key, without times."""
    return {
        stage: {row.key: without_times(row.value) for row in read_rows(folder, stage)}
        for stage in STAGES
    }


def figures(report: BenchReport) -> Any:
    told = json.loads(report.to_json())
    for name in ("environment", "command"):
        told.pop(name)
    return without_times(told)


class Whole(NamedTuple):
    """A run that nothing interrupted, and the data that it was made of."""

    data: Path
    folder: Path
    report: BenchReport


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    place = tmp_path_factory.mktemp("whole")
    data = written(place / "data")
    return Whole(data, place / "run", execute_at(local_plan(data), place / "run"))


# Without a model


def test_a_run_without_a_model_measures_every_rung_and_every_selector(whole: Whole) -> None:
    report = whole.report
    names = [each.name[:4].strip() for each in report.configurations]
    assert names == ["(a)", "(b)", "(b+)", "(c)", "(d)", "(e)"]
    assert (report.questions, report.annotated, len(report.contexts)) == (7, 6, 3)
    assert all(each.metrics["recall_at_3"].count == 6 for each in report.configurations)
    assert report.configurations[-1].figures["refined_size"] >= 1
    assert len(report.selectors) == 10
    assert report.selectors[0].net is not None
    assert report.selectors[0].net.net == 0
    assert report.accessibility is not None
    assert report.accessibility.gold == 12
    assert report.recovery is not None
    assert report.edges is not None
    assert report.trace is not None
    assert report.trace.questions == 6
    assert {curve.name[:3] for curve in report.curves} == {"(a)", "(b)", "(b+", "(c)"}
    for each in report.configurations:
        assert each.lifecycle is not None
        assert (each.lifecycle.memories, each.lifecycle.questions) == (24, 7)
        assert each.lifecycle.digest.seconds > 0
        assert each.lifecycle.total.calls == 0
    assert report.counts is not None
    assert report.counts.state == "unpublished"


def test_a_report_needs_neither_data_nor_model(whole: Whole) -> None:
    gone = whole.data.rename(whole.data.with_name("gone"))
    try:
        assert figures(build_report(whole.folder)) == figures(whole.report)
    finally:
        gone.rename(whole.data)


def test_a_second_call_makes_nothing_again(whole: Whole, tmp_path: Path) -> None:
    run = Path(shutil.copytree(whole.folder, tmp_path / "run"))
    before = {path: path.read_bytes() for path in run.glob("*.jsonl")}
    messages: list[str] = []
    cache = Path(shutil.copytree(whole.folder.parent / "cache", tmp_path / "cache"))
    execute(local_plan(whole.data), run, cache=cache, report=messages.append)
    after = {path: path.read_bytes() for path in before if path.name != "sessions.jsonl"}
    assert after == {path: before[path] for path in after}
    assert messages == []
    assert [each.finished for each in read_sessions(run)] == [True, True]


def test_rungs_can_be_added_to_a_run(whole: Whole, tmp_path: Path) -> None:
    few = execute_at(local_plan(whole.data, rungs=("forest",), selectors=False), tmp_path / "run")
    assert [each.name for each in few.configurations] == ["(e) + forest"]
    assert few.selectors == ()
    all_of_it = execute_at(local_plan(whole.data), tmp_path / "run")
    assert figures(all_of_it) == figures(whole.report)


def test_dense_retrieval_has_no_rung_of_words(data: Path, tmp_path: Path) -> None:
    plan = local_plan(data, settings=settings(retrieval__mode="dense"), selectors=False)
    report = execute_at(plan, tmp_path / "run")
    assert [each.name[:3] for each in report.configurations] == ["(a)", "(b)", "(c)", "(d)", "(e)"]


class Stopped(BaseException):
    """As Ctrl-C: nothing that catches errors catches it."""


def stopping_after(rows: int, monkeypatch: pytest.MonkeyPatch, stage: str = "") -> None:
    """Have the run be interrupted when so many rows were written, in all or by a stage."""
    from graphmemix_bench.runs.artefacts import Table

    written_rows, put = [0], Table.put

    def stopping(self: Table, *arguments: Any, **named: Any) -> None:
        counts = stage in {"", self.stage}
        if counts and written_rows[0] == rows:
            raise Stopped
        written_rows[0] += counts
        put(self, *arguments, **named)

    monkeypatch.setattr(Table, "put", stopping)


@pytest.mark.parametrize("rows", [0, 3, 30, 47, 70])
def test_an_interrupted_run_goes_on_to_the_same_result(
    whole: Whole, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    with monkeypatch.context() as patch:
        stopping_after(rows, patch)
        with pytest.raises(Stopped):
            execute_at(local_plan(whole.data), tmp_path / "run")
    assert [each.finished for each in read_sessions(tmp_path / "run")] == [False]
    resumed = execute_at(local_plan(whole.data), tmp_path / "run")
    assert results(tmp_path / "run") == results(whole.folder)
    assert figures(resumed) == figures(whole.report)


def test_a_report_of_a_run_that_is_not_done_says_so(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopping_after(49, monkeypatch)
    with pytest.raises(Stopped):
        execute_at(local_plan(data, selectors=False), tmp_path / "run")
    report = build_report(tmp_path / "run")
    assert any("of 7 questions are done" in note for note in report.notes)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"settings": settings(forest__budget=4)}, "forest.budget"),
        ({"contexts": ("anna",)}, "data"),
        ({"questions": 3}, "data"),
    ],
)
def test_what_differs_is_not_mixed(
    data: Path, tmp_path: Path, change: dict[str, Any], named: str
) -> None:
    execute_at(local_plan(data, rungs=("embedding",), selectors=False), tmp_path / "run")
    with pytest.raises(ArtefactMismatchError, match=named.replace(".", r"\.")):
        execute_at(local_plan(data, **change), tmp_path / "run")


def test_a_setting_that_decides_nothing_does_not_forbid_to_resume(
    data: Path, tmp_path: Path
) -> None:
    execute_at(local_plan(data, rungs=("embedding",), selectors=False), tmp_path / "run")
    other = settings(ingest__seconds_per_file=7, traces__keep=3, model__input_price=2.0)
    plan = local_plan(data, rungs=("embedding",), selectors=False, settings=other)
    execute_at(plan, tmp_path / "run")
    assert len(read_sessions(tmp_path / "run")) == 2


def test_another_encoder_is_not_mixed(data: Path, tmp_path: Path) -> None:
    execute_at(local_plan(data, rungs=("embedding",), selectors=False), tmp_path / "run")
    other = make_plan("bundle", data, Parts(HashingEncoder(32), settings()))
    with pytest.raises(ArtefactMismatchError, match="encoder"):
        execute_at(other, tmp_path / "run")


def test_questions_are_spread_evenly_and_over_contexts(data: Path) -> None:
    plan = local_plan(data, questions=3)
    assert [each.label for each in plan.asked] == ["anna/Q0", "ben/Q0", "cora/Q0"]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"rungs": ("roof",)}, "rung must be one of embedding, "),
        ({"contexts": ("dora",)}, "has no context 'dora'; it has anna, ben, cora"),
        ({"questions": 0}, "questions must be 1 or more"),
    ],
)
def test_wrong_plans_are_refused(data: Path, wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        local_plan(data, **wrong)


def test_parts_that_do_not_fit_are_refused() -> None:
    encoder = HashingEncoder(8)
    with pytest.raises(SettingsError, match="no model is set"):
        Parts(encoder, Settings(), verifiers=("llm",))
    with pytest.raises(InvalidInputError, match="name a reader"):
        Parts(encoder, Settings(), judge=OpenAiChat("http://127.0.0.1:1/v1", "m"))


def test_a_question_of_which_the_encoder_makes_nothing_counts_as_nothing_found(
    tmp_path: Path,
) -> None:
    from dataclasses import replace

    from graphmemix.evidence import Question, QuestionImage
    from graphmemix_bench.datasets import bundle
    from tests.bench.small import contexts

    first, *rest = contexts()
    mute = replace(first.questions[0], question=Question("", (QuestionImage(b"x"),)))
    changed = replace(first, questions=(mute, *first.questions[1:]))
    bundle.write(tmp_path / "data", [changed, *rest], name="small")
    report = execute_at(local_plan(tmp_path / "data"), tmp_path / "run")
    forest = report.configurations[-1].metrics["recall_at_3"]
    assert forest.count == 6
    assert report.trace is not None
    assert report.trace.questions == 5


# With a model, over HTTP


def test_model_stages_end_to_end(data: Path, tmp_path: Path, hostile: HostileServer) -> None:
    hostile.script = [oracle]
    plan = make_plan("bundle", data, model_parts(hostile), rungs=ALL)
    report = execute_at(plan, tmp_path / "run")
    assert len(report.configurations) == 9  # three below the verifiers, three for each of the two
    assert report.headline == "judge"
    for each in report.configurations:
        assert each.metrics["judge"].count == 7
        assert each.metrics["exact_match"].count == 6  # not of the one with options
        assert each.lifecycle is not None
    lives = {each.name: each.lifecycle for each in report.configurations}
    costs = {name: life.total.calls for name, life in lives.items() if life is not None}
    assert costs["(a) embedding top-K"] == 7  # answers alone; judging is no part of a life
    assert costs["(c) + node verifier [llm]"] == 14
    assert costs["(e) + forest [llm]"] == 21
    assert costs["(e) + forest [joint]"] == 14
    assert [each.metric for each in report.joint] == ["judge"]
    judged = {row.key for row in read_rows(tmp_path / "run", "judgments")}
    assert 7 <= len(judged) <= 63  # the same answer is judged once


def test_joint_and_two_calls_are_compared_on_the_same_questions(
    data: Path, tmp_path: Path, hostile: HostileServer
) -> None:
    hostile.script = [oracle]
    plan = make_plan(
        "bundle",
        data,
        model_parts(hostile, reader="none", settings=settings(forest__budget=10)),
        rungs=("forest",),
    )
    report = execute_at(plan, tmp_path / "run")
    assert [each.metric for each in report.joint] == ["recall_at_10", "hit_at_10", "all_at_10"]
    assert report.joint[0].difference.count == 6


def failing_at(numbers: set[int]) -> Callable[[Connection], None]:
    """A server that is down for these requests."""
    seen = [0]

    def act(connection: Connection) -> None:
        seen[0] += 1
        if seen[0] in numbers:
            status(503)(connection)
        else:
            oracle(connection)

    return act


def test_an_outage_stops_the_run_and_the_same_call_goes_on(
    data: Path, tmp_path: Path, hostile: HostileServer
) -> None:
    hostile.script = [oracle]
    serial = settings(model__concurrency=1)
    plan = make_plan("bundle", data, model_parts(hostile, settings=serial), rungs=("forest",))
    whole = execute_at(plan, tmp_path / "whole")
    needed = len(hostile.requests)
    stops = 0
    for down_at in (3, 17, 25, 40):
        hostile.script = [failing_at({down_at})]
        again = make_plan("bundle", data, model_parts(hostile, settings=serial), rungs=("forest",))
        with pytest.raises(ModelUnavailableError):
            execute_at(again, tmp_path / "run")
        stops += 1
        if sum(map(len, results(tmp_path / "run").values())) > 60:
            break
    hostile.script = [oracle]
    before = len(hostile.requests)
    again = make_plan("bundle", data, model_parts(hostile, settings=serial), rungs=("forest",))
    resumed = execute_at(again, tmp_path / "run")
    assert results(tmp_path / "run") == results(tmp_path / "whole")
    assert figures(resumed) == figures(whole)
    assert len(hostile.requests) - before < needed
    assert [each.finished for each in read_sessions(tmp_path / "run")] == [*[False] * stops, True]


def test_a_model_that_fails_on_a_question_can_be_its_result(
    data: Path, tmp_path: Path, hostile: HostileServer
) -> None:
    hostile.script = [failing_at({1})]
    strict = settings(model__concurrency=1, verifier__degrade=False)
    parts = model_parts(hostile, verifiers=("joint",), settings=strict)
    plan = make_plan("bundle", data, parts, rungs=("forest",), record_errors=True)
    report = execute_at(plan, tmp_path / "run")
    assert any("models failed on 1 questions, which count as 0" in note for note in report.notes)
    assert report.configurations[0].metrics["judge"].count == 7


@pytest.mark.parametrize("degrade", [False, True])
def test_replies_that_stay_invalid_are_the_questions_own(
    data: Path, tmp_path: Path, hostile: HostileServer, degrade: bool
) -> None:
    hostile.script = [says("I would rather not.")]
    chosen = settings(verifier__degrade=degrade, verifier__retries=0)
    parts = model_parts(hostile, verifiers=("llm",), reader="none", settings=chosen)
    report = execute_at(make_plan("bundle", data, parts, rungs=("forest",)), tmp_path / "run")
    recall = report.configurations[0].metrics["recall_at_3"].value
    told = " ".join(report.notes)
    if degrade:
        assert "the local verifier stood in on 7 questions" in told
        assert recall > 0
    else:
        assert "models failed on 7 questions" in told
        assert recall == 0
    life = report.configurations[0].lifecycle
    assert life is not None
    assert life.total.calls >= 7  # also what failed was paid for


def test_another_model_is_not_mixed_but_another_address_is_the_same_run(
    data: Path, tmp_path: Path, hostile: HostileServer
) -> None:
    hostile.script = [oracle]

    def plan(**model: str) -> Plan:
        named = {"model__base_url": hostile.url, "model__name": "m", **model}
        chosen = settings(**named)
        parts = Parts(HashingEncoder(64), chosen, ("joint",), chat=open_chat(chosen))
        return make_plan("bundle", data, parts, rungs=("forest",), selectors=False)

    execute_at(plan(), tmp_path / "run")
    asked = len(hostile.requests)
    execute_at(plan(model__base_url=f"{hostile.url}/"), tmp_path / "run")
    assert len(hostile.requests) == asked
    with pytest.raises(ArtefactMismatchError, match=r"model\.name|verifier joint"):
        execute_at(plan(model__name="other"), tmp_path / "run")


def test_secrets_and_addresses_stay_out_of_a_run(
    data: Path, tmp_path: Path, hostile: HostileServer
) -> None:
    hostile.script = [oracle]
    chosen = settings(model__base_url=hostile.url, model__name="m", model__api_key="sk-very-secret")
    parts = Parts(HashingEncoder(64), chosen, ("llm",), "llm", open_chat(chosen))
    execute_at(make_plan("bundle", data, parts, questions=1, rungs=("forest",)), tmp_path / "run")
    for path in (tmp_path / "run").rglob("*.json*"):
        text = path.read_text("utf-8")
        assert "sk-very-secret" not in text
        assert hostile.url not in text


# With a real, small model: it answers other words when its server has remembered other prompts, so
# that rows which were made twice need not be the same. Rows that were kept are.


def llama_plan(data: Path, llama: str, verifiers: tuple[VerifierKind, ...]) -> Plan:
    few = settings(
        retrieval__seeds=2,
        graph__candidates=2,
        forest__budget=2,
        verifier__context_tokens=3000,
        verifier__output_tokens=120,
        verifier__retries=0,
        verifier__degrade=True,
        reader__output_tokens=6,
        model__concurrency=1,
    )
    chat = OpenAiChat(llama, "smollm2", sees_images=False, timeout=300)
    parts = Parts(HashingEncoder(64), few, verifiers, "llm", chat)
    return make_plan("bundle", data, parts, questions=2, rungs=("forest",), selectors=False)


def interrupted_and_resumed(
    plan: Callable[[], Plan], folder: Path, monkeypatch: pytest.MonkeyPatch, stage: Stage
) -> BenchReport:
    """Stop a run of two questions in a stage, after the first; go on; check that it was kept."""
    with monkeypatch.context() as patch:
        stopping_after(1, patch, stage)
        with pytest.raises(Stopped):
            execute_at(plan(), folder)
    before = read_rows(folder, stage)
    assert len(before) == 1
    report = execute_at(plan(), folder)
    after = read_rows(folder, stage)
    assert after.head == before.head
    assert next(iter(after)) == next(iter(before))
    assert [row.label for row in after] == ["anna/Q0", "ben/Q1"]
    assert figures(build_report(folder)) == figures(report)
    return report


@pytest.mark.slow  # tests of the pipeline and the verifiers ask the same server
def test_a_real_model_that_reads_is_interrupted_and_resumed(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, llama: str
) -> None:
    report = interrupted_and_resumed(
        lambda: llama_plan(data, llama, ("local",)), tmp_path / "run", monkeypatch, "answers"
    )
    life = report.configurations[0].lifecycle
    assert life is not None
    assert (life.total.calls, life.total.output_tokens) == (2, 12)
    assert life.total.input_tokens > 500


@pytest.mark.slow
@pytest.mark.parametrize("verifier", ["llm", "joint"])
def test_a_real_model_that_verifies_is_interrupted_and_resumed(
    data: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    llama: str,
    verifier: VerifierKind,
) -> None:
    report = interrupted_and_resumed(
        lambda: llama_plan(data, llama, (verifier,)), tmp_path / "run", monkeypatch, "node_scores"
    )
    life = report.configurations[0].lifecycle
    assert life is not None
    assert life.total.calls >= 4  # a verdict that failed ends the call beside it


def test_a_models_scores_are_weighed_with_the_local_verifiers_by_default(
    data: Path, tmp_path: Path, hostile: HostileServer
) -> None:
    hostile.script = [oracle]
    few = settings(verifier__candidates=3)
    plan = make_plan("bundle", data, model_parts(hostile, settings=few), rungs=("forest",))
    execute_at(plan, tmp_path / "run")
    sent = [
        request["messages"][-1]["content"]
        for request in hostile.requests
        if "response_format" in request
    ]
    cases = [json.loads(text.splitlines()[1]) for text in sent if text.startswith("===== BEGIN")]
    assert cases
    assert {len(case["candidates"]) for case in cases} == {3}
    assert "+local:" in plan.parts.identity("llm")
    paper = settings(profile="paper")
    assert "+local:" not in replace(plan.parts, settings=paper).identity("llm")
