from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from graphmemix.errors import (
    InvalidInputError,
    ModelUnavailableError,
    SettingsError,
)
from graphmemix.evidence import QuestionImage
from graphmemix.llm import ScriptedChat, run_sync
from graphmemix.settings import Settings
from graphmemix.verify import LlmVerifier, local
from graphmemix.verify.calibration import Calibration
from graphmemix.verify.local import LocalVerifier, shipped_model
from graphmemix.verify.opening import local_verifier, open_verifier
from tests.verify.cases import SCORES, material, model, small_case
from tests.verify.local_cases import hand_case, hand_model, settings_with


def test_without_a_model_the_local_verifier_decides() -> None:
    assert isinstance(open_verifier(Settings(), None, "x"), LocalVerifier)


def test_with_a_model_the_model_decides() -> None:
    assert isinstance(open_verifier(Settings(), ScriptedChat(), "x"), LlmVerifier)


def test_the_local_verifier_can_be_told_to_decide_always() -> None:
    settings = settings_with(local__use="always")
    assert isinstance(open_verifier(settings, ScriptedChat(), "x"), LocalVerifier)
    paper = settings_with(local__use="always", profile="paper")
    assert isinstance(open_verifier(paper, None, "x"), LocalVerifier)


NEEDY = [Settings.for_profile("paper"), settings_with(local__use="never")]


@pytest.mark.parametrize("settings", NEEDY, ids=["paper", "never"])
def test_where_a_model_must_decide_and_none_is_set_the_setting_is_named(settings: Settings) -> None:
    with pytest.raises(SettingsError, match=r"^model\.base_url: no model is set.*local\.use"):
        open_verifier(settings, None, "x")


@pytest.mark.parametrize(
    ("overrides", "stands_in"),
    [
        ({}, True),
        ({"verifier__degrade": False}, False),
        ({"local__use": "never"}, False),
        ({"profile": "paper"}, False),
        ({"profile": "paper", "verifier__degrade": True}, True),
    ],
)
def test_it_stands_in_for_a_model_that_fails_unless_set_otherwise(
    overrides: dict[str, object], stands_in: bool
) -> None:
    chat = ScriptedChat(lambda *_: ModelUnavailableError("down"))
    verifier = open_verifier(settings_with(**overrides), chat, "x")
    if stands_in:
        verdict = run_sync(verifier.verify(hand_case()))
        assert verdict.verifier.startswith("local:")
        assert verdict.repairs["degraded.unavailable"] == 1
    else:
        with pytest.raises(ModelUnavailableError):
            run_sync(verifier.verify(hand_case()))


def test_coefficients_come_from_the_file_that_is_named(tmp_path: Path) -> None:
    hand_model().save(tmp_path / "m.json")
    settings = settings_with(local__model_file=str(tmp_path / "m.json"))
    assert local_verifier(settings, "x").model == hand_model()
    assert local_verifier(Settings(), "x").model == shipped_model("x")
    missing = settings_with(local__model_file=str(tmp_path / "none.json"))
    with pytest.raises(InvalidInputError, match=r"none\.json"):
        open_verifier(missing, None, "x")


def test_the_calibration_that_is_named_makes_the_utilities(tmp_path: Path) -> None:
    calibration = Calibration(1.0, 2.0, 3.0, encoder="x")
    (tmp_path / "c.json").write_text(calibration.to_json(), encoding="utf-8")
    settings = settings_with(utility__calibration_file=str(tmp_path / "c.json"))
    verdict = run_sync(open_verifier(settings, model(), "x").verify(small_case(edges=())))
    assert [support.utility for support in verdict.supports] == [
        calibration.utility(score, support)
        for score, support in zip(SCORES, (5, 0, 3, 0), strict=True)
    ]


def test_a_calibration_to_another_encoder_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "c.json"
    file.write_text(Calibration(1.0, 2.0, 3.0, encoder="y").to_json(), encoding="utf-8")
    settings = settings_with(utility__calibration_file=str(file))
    with pytest.raises(InvalidInputError) as caught:
        open_verifier(settings, model(), "x")
    assert str(caught.value) == (
        f"{file}: was fitted to the scores of y, but the archive uses x; "
        "fit another one with graphmemix calibrate"
    )


def test_a_caption_that_the_archive_knows_is_told_and_not_made_again() -> None:
    chat = model()
    verifier = open_verifier(Settings(), chat, "x", known_caption=lambda _: "A known door.")
    run_sync(verifier.verify(small_case(images=(QuestionImage(b"picture"),))))
    assert all(call.options.format for call in chat.calls)
    assert material(chat.calls[0])["image_captions"] == ["A known door."]


@pytest.fixture
def two_models(monkeypatch: pytest.MonkeyPatch) -> None:
    models = (hand_model(), replace(hand_model(answerable=False), encoder="x"))
    monkeypatch.setattr(local, "_shipped", lambda: models)


@pytest.mark.usefixtures("two_models")
def test_coefficients_are_those_of_the_archives_encoder() -> None:
    assert local_verifier(Settings(), "x").model.encoder == "x"
    assert local_verifier(Settings(), "unknown").model.encoder == "by hand"
    opened = open_verifier(Settings(), None, "x")
    assert opened.identity == local_verifier(Settings(), "x").identity


@pytest.mark.usefixtures("two_models")
def test_what_stands_in_for_a_model_has_the_coefficients_of_the_encoder_too() -> None:
    chat = ScriptedChat(lambda *_: ModelUnavailableError("down"))
    verifier = open_verifier(Settings(), chat, "x")
    verdict = run_sync(verifier.verify(hand_case()))
    assert verdict.verifier == local_verifier(Settings(), "x").identity


def test_where_no_model_is_set_the_message_names_both_ways_out() -> None:
    with pytest.raises(SettingsError) as caught:
        open_verifier(settings_with(local__use="never"), None, "x")
    assert str(caught.value) == (
        "model.base_url: no model is set, and these settings do not allow the local verifier; "
        "name a server, or set local.use to always"
    )
