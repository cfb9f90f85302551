from __future__ import annotations

import math
from pathlib import Path

import pytest

from graphmemix.errors import InvalidInputError
from graphmemix.settings import Settings
from graphmemix.verify.calibration import Calibration, load_calibration, sigmoid


def test_the_published_constants_say_so() -> None:
    settings = Settings.for_profile("paper").utility
    calibration = Calibration.published(settings)
    assert calibration.a == settings.tau * settings.alpha
    assert calibration.b == pytest.approx(settings.tau * (1 - settings.alpha) / 5)
    assert calibration.c == settings.tau * settings.delta
    assert calibration.provenance == "published constants"


def test_one_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError) as caught:
        load_calibration(tmp_path / "none.json", "x")
    assert str(caught.value) == f"{tmp_path / 'none.json'}: No such file or directory"
    broken = tmp_path / "broken.json"
    broken.write_text('{"a": 1}', encoding="utf-8")
    with pytest.raises(InvalidInputError) as caught:
        load_calibration(broken, "x")
    assert str(caught.value).startswith(f"{broken}: ")
    assert "b" in str(caught.value).removeprefix(f"{broken}: ")


def test_one_for_any_encoder_fits_all(tmp_path: Path) -> None:
    for_any = Calibration(1.0, 2.0, 3.0)
    (tmp_path / "c.json").write_text(for_any.to_json(), encoding="utf-8")
    assert load_calibration(tmp_path / "c.json", "x") == for_any


@pytest.mark.parametrize("value", [-800.0, -2.5, -0.5, 0.0, 0.5, 2.5, 800.0])
def test_the_logistic_function_is_symmetric_and_never_overflows(value: float) -> None:
    assert sigmoid(value) + sigmoid(-value) == pytest.approx(1.0)
    assert sigmoid(value) == pytest.approx((1 + math.tanh(value / 2)) / 2)
