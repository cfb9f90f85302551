from __future__ import annotations

import json
from pathlib import Path

import pytest

from graphmemix.errors import InvalidDataError, InvalidInputError
from graphmemix.settings import Settings
from graphmemix_bench.fitting.calibration import Calibrated, as_json, calibrate
from tests.bench.talks import ENCODER, written
from tests.verify.local_cases import settings_with

FEW = settings_with(forest__budget=3)


def run(folder: Path, count: int = 4, settings: Settings = FEW) -> Calibrated:
    data = written(folder / "data", count)
    return calibrate({"locomo": data}, encoder=ENCODER, cache=folder / "c", settings=settings)


@pytest.fixture(scope="module")
def calibrated(tmp_path_factory: pytest.TempPathFactory) -> Calibrated:
    return run(tmp_path_factory.mktemp("talks"))


def test_figures_are_those_of_contexts_left_out(calibrated: Calibrated) -> None:
    figures = calibrated.model.origin.validation
    ways = ("top_k", "pointwise", "forest", "read")
    gains = [f"forest_less_{way}.all_at_3" for way in ("top_k", "pointwise")]
    assert set(figures) == {
        *(f"locomo.{way}.{m}_at_3" for way in ways for m in ("recall", "hit", "all")),
        *(f"locomo.{gain}{end}" for gain in gains for end in ("", ".low", ".high")),
        *(f"locomo.chance.auroc_{what}" for what in ("near_misses", "strangers")),
        "locomo.chance.calibration_error",
        "locomo.log_loss",
        "locomo.chance.log_loss",
        "locomo.chance.base_log_loss",
    }
    assert figures["locomo.top_k.hit_at_3"] > 50  # the thing that is asked for is named once
    assert figures["locomo.chance.base_log_loss"] == pytest.approx(0.6730, abs=1e-4)  # 24 of 40


def test_reliability_counts_every_candidate_and_every_question(calibrated: Calibrated) -> None:
    assert calibrated.nodes["locomo"].count == 24 * 12
    assert calibrated.nodes["locomo"].error < 0.1
    assert calibrated.answerable["locomo"].count == 32 + 8  # eight are about another archive


def test_recall_is_there_by_type_and_by_context(calibrated: Calibrated) -> None:
    details = calibrated.details
    contexts = [details[f"locomo.context.talk-{i}.recall_at_3"] for i in range(4)]
    types = [value for name, value in details.items() if name.startswith("locomo.type.")]
    assert len(details) == len(contexts) + len(types)
    whole = calibrated.model.origin.validation["locomo.forest.recall_at_3"]
    assert sum(contexts) / 4 == pytest.approx(whole, abs=0.01)


def test_figures_are_there_as_json(calibrated: Calibrated) -> None:
    report = as_json(calibrated)
    assert json.loads(json.dumps(report)) == report
    assert report["encoder"] == "hashing/128"
    assert report["contexts"] == {"locomo": ["talk-0", "talk-1", "talk-2", "talk-3"]}
    assert report["questions"] == 32
    assert report["leave_contexts_out"] == calibrated.model.origin.validation
    assert report["details"] == calibrated.details


def test_a_run_again_gives_the_same(calibrated: Calibrated, tmp_path: Path) -> None:
    assert run(tmp_path).model == calibrated.model


def test_of_two_contexts_none_can_be_left_out(tmp_path: Path) -> None:
    with pytest.raises(InvalidDataError, match="at least two contexts"):
        run(tmp_path, 2)


def test_an_unknown_data_set_is_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="dataset must be one of"):
        calibrate({"none": tmp_path}, encoder=ENCODER, cache=tmp_path, settings=FEW)
