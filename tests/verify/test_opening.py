from __future__ import annotations

from pathlib import Path

import pytest

from graphmemix.errors import InvalidInputError, ModelUnavailableError, SettingsError
from graphmemix.llm import ScriptedChat, run_sync
from graphmemix.settings import Settings
from graphmemix.verify import LlmVerifier
from graphmemix.verify.local import LocalVerifier
from graphmemix.verify.local_model import shipped_model
from graphmemix.verify.opening import local_verifier, open_verifier
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
        ({}, False),
        ({"verifier__degrade": True}, True),
        ({"verifier__degrade": True, "local__use": "never"}, False),
    ],
)
def test_it_stands_in_for_a_model_that_fails_only_if_so_set(
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
