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
    figures = calibrated.figures
    assert set(figures) == {
        *(f"locomo.{s}.{m}_at_3" for s in ("top_k", "forest") for m in ("recall", "hit", "all")),
        "log_loss",
        "answerable.log_loss",
        "answerable.base_log_loss",
    }
    assert all(0 <= figures[name] <= 100 for name in figures)
    assert figures["locomo.top_k.hit_at_3"] > 50  # the thing that is asked for is named once
    assert figures["answerable.base_log_loss"] == pytest.approx(0.6730, abs=1e-4)  # 24 of 40
    assert calibrated.model.origin.validation == figures


def test_reliability_counts_every_candidate_and_every_question(calibrated: Calibrated) -> None:
    assert calibrated.nodes.count == 24 * 12
    assert calibrated.answerable is not None
    assert calibrated.answerable.count == 32 + 8  # and eight that are about another archive
    assert calibrated.nodes.error < 0.1


def test_figures_are_there_as_json(calibrated: Calibrated) -> None:
    report = as_json(calibrated)
    assert json.loads(json.dumps(report)) == report
    assert report["encoder"] == "hashing/128"
    assert report["contexts"] == {"locomo": ["talk-0", "talk-1", "talk-2", "talk-3"]}
    assert report["questions"] == 32
    assert report["leave_contexts_out"] == calibrated.figures


def test_a_run_again_gives_the_same(calibrated: Calibrated, tmp_path: Path) -> None:
    assert run(tmp_path).model == calibrated.model


def test_of_two_contexts_none_can_be_left_out(tmp_path: Path) -> None:
    with pytest.raises(InvalidDataError, match="at least two contexts"):
        run(tmp_path, 2)


def test_an_unknown_data_set_is_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="dataset must be one of"):
        calibrate({"none": tmp_path}, encoder=ENCODER, cache=tmp_path, settings=FEW)
