from __future__ import annotations

from pathlib import Path

import pytest

from graphmemix.optimize.forest import forest_of
from graphmemix.settings import Settings
from graphmemix.settings.forest import terms_of
from graphmemix.verify.local import LocalVerifier
from graphmemix.verify.local_model import LocalModel
from graphmemix_bench.evidence import verified
from graphmemix_bench.evidence.verified import (
    FOREST,
    GAINS,
    NAMES,
    POINTWISE,
    TOP_K,
    Verified,
    verify_all,
)
from graphmemix_bench.fitting.training_cases import AskedCase, fit_all, refit_without
from tests.bench.talks import ENCODER, asked
from tests.verify.local_cases import settings_with

FEW = settings_with(forest__budget=3)


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> list[AskedCase]:
    return asked(tmp_path_factory.mktemp("talks"), settings=FEW)


@pytest.fixture(scope="module")
def model(cases: list[AskedCase]) -> LocalModel:
    return fit_all(cases, ENCODER.identity)


def test_every_selector_takes_k_of_every_question_with_gold(
    cases: list[AskedCase], model: LocalModel
) -> None:
    done = Verified()
    verified.judge(cases, LocalVerifier(model, FEW), FEW, done)
    assert tuple(done.rows) == NAMES == (TOP_K, POINTWISE, GAINS, FOREST)
    assert {name: len(rows) for name, rows in done.rows.items()} == dict.fromkeys(NAMES, 24)
    assert len(done.sizes) == len(done.edges) == len(done.differs) == 24
    assert len(done.answerable) == 32
    assert sum(holds for _, holds in done.answerable) == 24
    for rows in done.rows.values():
        for row in rows:
            assert {"recall_at_3", "hit_at_3", "all_at_3", "pool_recall"} <= set(row.values)
    assert "refined_recall" in done.rows[FOREST][0].values


def test_the_forest_is_the_one_that_an_archive_would_choose(
    cases: list[AskedCase], model: LocalModel
) -> None:
    done = Verified()
    verified.judge(cases[:4], LocalVerifier(model, FEW), FEW, done)
    for each, verdict, forest in done.verdicts:
        judged = LocalVerifier(model, FEW).judge(each.case)
        assert verdict.supports == judged.supports
        assert forest == forest_of(judged.supports, judged.increments, terms_of(FEW, "chance"))
        top = sorted(judged.supports, key=lambda support: -support.utility)[:3]
        assert ({support.memory_id for support in top} != set(forest.proposal)) in done.differs


def test_without_links_all_selectors_agree(cases: list[AskedCase], model: LocalModel) -> None:
    settings = settings_with(forest__budget=3, local__edge_share=0.0)
    done = Verified()
    verified.judge(cases, LocalVerifier(model, settings), settings, done)
    assert not any(done.differs)
    assert not any(done.edges)
    for name in NAMES:
        found = [row.values["recall_at_3"] for row in done.rows[name]]
        assert found == [row.values["recall_at_3"] for row in done.rows[TOP_K]]
    assert {each["difference"] for each in done.comparisons(3)} == {0.0}


def test_the_forest_is_compared_with_all_others_in_all_metrics(
    cases: list[AskedCase], model: LocalModel
) -> None:
    done = Verified()
    verified.judge(cases, LocalVerifier(model, FEW), FEW, done)
    found = done.comparisons(3)
    assert [(each["against"], each["metric"]) for each in found] == [
        (other, f"{metric}_at_3")
        for other in (TOP_K, POINTWISE, GAINS)
        for metric in ("recall", "hit", "all")
    ]
    assert all(each["low"] <= each["difference"] <= each["high"] for each in found)


def test_contexts_that_were_never_fitted_on_are_judged_as_shipped(cases: list[AskedCase]) -> None:
    told: list[str] = []
    done = verify_all(cases, ["talk-0", "talk-3"], FEW, ENCODER.identity, told.append)
    assert (done.shipped, done.refitted, done.skipped) == (["talk-0", "talk-3"], [], [])
    assert told == ["talk-0: shipped", "talk-3: shipped"]
    assert len(done.rows[FOREST]) == 12


def test_contexts_that_were_fitted_on_are_judged_by_a_fit_without_them(
    cases: list[AskedCase], model: LocalModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verified, "shipped_model", lambda _: model)
    done = verify_all(cases, ["talk-1"], FEW, ENCODER.identity)
    assert (done.shipped, done.refitted, done.skipped) == ([], ["talk-1"], [])
    expected = Verified()
    refit = refit_without(cases, "locomo/talk-1", ENCODER.identity, start=model)
    mine = [each for each in cases if each.context == "talk-1"]
    verified.judge(mine, LocalVerifier(refit, FEW), FEW, expected)
    assert done.rows == expected.rows
    assert done.answerable == expected.answerable


def test_with_too_few_others_they_are_not_judged(
    model: LocalModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verified, "shipped_model", lambda _: model)
    two = asked(tmp_path, 2, Settings())
    done = verify_all(two, ["talk-0", "talk-1"], Settings(), ENCODER.identity)
    assert done.skipped == ["talk-0", "talk-1"]
    assert not any(done.rows.values())
