"""Evidence without a model, from the data to the figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from graphmemix.encode.hashing import HashingEncoder
from graphmemix.settings import Settings
from graphmemix.verify.local import LocalModel, LocalVerifier
from graphmemix_bench.fitting.training_cases import fit_all, refit_without
from graphmemix_bench.runs.evidence import evidence_report
from graphmemix_bench.runs.execute import execute
from graphmemix_bench.runs.ladder import EVIDENCE, from_scores
from graphmemix_bench.runs.local import scores_of
from graphmemix_bench.runs.plan import Parts, make_plan
from tests.bench import small, talks
from tests.verify.local_cases import settings_with

VERIFIED = [rung.name for rung in EVIDENCE if rung.variant is None]


def run(
    folder: Path,
    data: Path,
    settings: Settings | None = None,
    dataset: str = "locomo",
    messages: list[str] | None = None,
    **options: Any,
) -> dict[str, Any]:
    plan = make_plan(
        dataset,
        data,
        Parts(talks.ENCODER, settings or Settings()),
        rungs=[rung.key for rung in EVIDENCE],
        selectors=False,
        **options,
    )
    said: list[str] = [] if messages is None else messages
    execute(plan, folder / "run", cache=folder / "cache", report=said.append)
    return evidence_report(folder / "run")


@pytest.fixture(scope="module")
def talked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("talks")
    return run(folder, talks.written(folder / "data"), settings_with(forest__budget=3))


def test_every_step_has_a_row(talked: dict[str, Any]) -> None:
    assert talked["dataset"] == "locomo"
    assert talked["contexts"] == ["talk-0", "talk-1", "talk-2", "talk-3"]
    assert (talked["questions"], talked["encoder"]) == (24, "hashing/128")
    rows = talked["configurations"]
    assert [row["name"] for row in rows] == [rung.name for rung in EVIDENCE]
    for row in rows:
        assert row["pool_recall"] == 100  # all twelve memories are candidates
        for key in ("recall_at_3", "hit_at_3", "all_at_3"):
            low, high = row["intervals"][key]
            assert 0 <= low <= row[key] <= high <= 100
        assert row["seconds"] >= 0
        assert set(row["refined"]) == {"recall", "hit", "all", "size"}
    assert rows[0]["refined"]["size"] == 3.0
    assert 0 < rows[-1]["refined"]["size"] <= 3
    assert talked["seconds"] >= 0


def test_the_forest_is_compared_with_the_other_ways_to_choose(talked: dict[str, Any]) -> None:
    found = talked["forest"]["comparisons"]
    assert [(each["against"], each["metric"]) for each in found] == [
        (other, f"{metric}_at_3") for other in VERIFIED[:-1] for metric in ("recall", "hit", "all")
    ]
    assert {each["of"] for each in found} == {VERIFIED[-1]}
    assert all(each["low"] <= each["difference"] <= each["high"] for each in found)
    assert 0 <= talked["forest"]["differs_from_top_k"] <= 100


def test_contexts_and_types_add_up_to_the_whole(talked: dict[str, Any]) -> None:
    whole = talked["configurations"][-1]
    assert [row["name"] for row in talked["by_context"]] == talked["contexts"]
    assert [(row["name"], row["questions"]) for row in talked["by_type"]] == [("1", 24)]
    for row in (*talked["by_context"], *talked["by_type"]):
        assert (row["pool_recall"], row["pool_size"]) == (100.0, 12.0)
        assert 0 <= row["auroc"] <= 1
    mean = sum(row["recall_at_3"] for row in talked["by_context"]) / 4
    assert mean == pytest.approx(whole["recall_at_3"], abs=0.01)
    assert talked["by_type"][0]["recall_at_3"] == whole["recall_at_3"]


def test_a_context_without_unanswerable_questions_has_no_auroc(tmp_path: Path) -> None:
    data = small.written(tmp_path / "data")
    report = run(tmp_path, data, small.settings(), dataset="bundle")
    areas = {row["name"]: row["auroc"] for row in report["by_context"]}
    assert (areas["anna"], areas["ben"]) == (None, None)
    assert areas["cora"] is not None
    types = {row["name"]: row["auroc"] for row in report["by_type"]}
    assert set(types) == {"fact", "choice"}  # the type without gold has no evidence to measure
    assert None not in types.values()


def test_without_links_all_ways_to_choose_agree(tmp_path: Path) -> None:
    settings = settings_with(forest__budget=3, local__opening_cost=0.0)
    report = run(tmp_path, talks.written(tmp_path / "data", 2), settings)
    assert report["forest"]["links_per_proposal"] == 0
    assert report["forest"]["differs_from_top_k"] == 0
    assert {each["difference"] for each in report["forest"]["comparisons"]} == {0.0}


def test_contexts_that_were_never_fitted_on_are_judged_as_shipped(tmp_path: Path) -> None:
    messages: list[str] = []
    data = talks.written(tmp_path / "data", 2)
    report = run(tmp_path, data, contexts=["talk-1"], messages=messages)
    assert report["contexts"] == ["talk-1"]
    assert messages == ["talk-1: 12 memories, 8 questions"]
    assert report["coefficients"] == {
        "shipped": ["talk-1"],
        "refitted_without_the_context": [],
        "not_judged": [],
    }


@pytest.fixture(scope="module")
def fitted(tmp_path_factory: pytest.TempPathFactory) -> LocalModel:
    """Coefficients that were fitted on all four talks."""
    return fit_all(talks.asked(tmp_path_factory.mktemp("fitted")), talks.ENCODER.identity)


def with_model(fitted: LocalModel, tmp_path: Path) -> Settings:
    """Settings whose local verifier was fitted on all four talks."""
    model = tmp_path / "model.json"
    fitted.save(model)
    return settings_with(forest__budget=3, local__model_file=str(model))


def test_contexts_that_were_fitted_on_are_judged_by_a_fit_without_them(
    fitted: LocalModel, tmp_path: Path
) -> None:
    settings, messages = with_model(fitted, tmp_path), list[str]()
    data = talks.written(tmp_path / "data")
    report = run(tmp_path, data, settings, contexts=["talk-1"], messages=messages)
    assert report["coefficients"]["refitted_without_the_context"] == ["talk-1"]
    # The others are read too, for the refit learns from them.
    assert [each for each in messages if "to learn from" in each] == [
        f"talk-{number}: 8 questions, to learn from" for number in (0, 2, 3)
    ]
    cases = talks.asked(tmp_path / "again", settings=settings)
    verifier = LocalVerifier(
        refit_without(cases, "locomo/talk-1", talks.ENCODER.identity), settings
    )
    recalls = []
    for each in cases:
        if each.context == "talk-1" and each.question.gold:
            picks = from_scores("forest", *scores_of(verifier, each), settings).picks
            recalls.append(len(each.question.gold & set(picks)) / len(each.question.gold))
    expected = 100 * sum(recalls) / len(recalls)
    assert report["configurations"][-1]["recall_at_3"] == pytest.approx(expected, abs=0.01)


def test_with_too_few_others_they_are_not_judged(fitted: LocalModel, tmp_path: Path) -> None:
    report = run(tmp_path, talks.written(tmp_path / "data", 2), with_model(fitted, tmp_path))
    assert report["coefficients"]["not_judged"] == ["talk-0", "talk-1"]
    assert [row["name"] for row in report["configurations"]] == [
        rung.name for rung in EVIDENCE if rung.variant is not None
    ]
    assert (report["by_context"], report["by_type"]) == ([], [])
    assert "forest" not in report


def test_a_run_again_gives_the_same(tmp_path: Path) -> None:
    data = talks.written(tmp_path / "data", 2)
    reports = [run(tmp_path / name, data) for name in ("one", "two")]
    for report in reports:
        for row in (report, *report["configurations"]):
            del row["seconds"]
    assert reports[0] == reports[1]


def test_another_encoder_is_named(tmp_path: Path) -> None:
    plan = make_plan(
        "locomo",
        talks.written(tmp_path / "data", 1),
        Parts(HashingEncoder(32), Settings()),
        rungs=["constraints"],
        selectors=False,
    )
    execute(plan, tmp_path / "run", cache=tmp_path / "cache")
    report = evidence_report(tmp_path / "run")
    assert report["encoder"] == "hashing/32"
    assert [row["name"] for row in report["configurations"]] == ["+ constraints"]


def test_refits_are_kept_between_runs_so_that_only_asked_contexts_are_read(
    fitted: LocalModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = talks.written(tmp_path / "data")
    monkeypatch.setattr(Parts, "local_model", property(lambda _: fitted))
    first: list[str] = []
    run(tmp_path / "one", data, messages=first, contexts=["talk-1"])
    assert any("to learn from" in message for message in first)
    second: list[str] = []
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "cache").symlink_to(tmp_path / "one" / "cache")
    run(tmp_path / "two", data, messages=second, contexts=["talk-1"])
    assert second == ["talk-1: 12 memories, 8 questions"]
