"""The parts of a verifier are those that the settings and the archive name."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from graphmemix.errors import (
    InvalidDataError,
    InvalidInputError,
    ModelUnavailableError,
    SettingsError,
)
from graphmemix.evidence import CandidateGraph, QuestionImage
from graphmemix.llm import Message, Options, Reply, ScriptedChat, run_sync
from graphmemix.llm.chat import DEFAULT
from graphmemix.settings import Settings
from graphmemix.verify import Case, LlmVerifier, Verdict, local_model
from graphmemix.verify.calibration import Calibration
from graphmemix.verify.features import PAIR, Features
from graphmemix.verify.local import LocalVerifier
from graphmemix.verify.opening import local_verifier, open_verifier
from tests.verify.cases import SCORES, material, model, small_case
from tests.verify.local_cases import (
    CANDIDATES,
    empty_case,
    hand_case,
    hand_model,
    random_case,
    settings_with,
)


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
    assert material(chat.calls[0])["question_image_captions"] == ["A known door."]


@pytest.fixture
def two_models(monkeypatch: pytest.MonkeyPatch) -> None:
    models = (hand_model(), replace(hand_model(answerable=False), encoder="x"))
    monkeypatch.setattr(local_model, "_shipped", lambda: models)


@pytest.mark.usefixtures("two_models")
def test_coefficients_are_those_of_the_archives_encoder() -> None:
    assert local_verifier(Settings(), "x").model.encoder == "x"
    assert local_verifier(Settings(), "unknown").model.encoder == "by hand"
    opened = open_verifier(Settings(), None, "x")
    assert opened.identity == local_verifier(Settings(), "x").identity


@pytest.mark.usefixtures("two_models")
def test_what_stands_in_for_a_model_has_the_coefficients_of_the_encoder_too() -> None:
    chat = ScriptedChat(lambda *_: ModelUnavailableError("down"))
    verifier = open_verifier(settings_with(verifier__degrade=True), chat, "x")
    verdict = run_sync(verifier.verify(hand_case()))
    assert verdict.verifier == local_verifier(Settings(), "x").identity


def test_where_no_model_is_set_the_message_names_both_ways_out() -> None:
    with pytest.raises(SettingsError) as caught:
        open_verifier(settings_with(local__use="never"), None, "x")
    assert str(caught.value) == (
        "model.base_url: no model is set, and these settings do not allow the local verifier; "
        "name a server, or set local.use to always"
    )


def test_a_verdict_on_nothing_names_its_verifier_and_cost_nothing() -> None:
    verifier = LocalVerifier(hand_model(), Settings())
    verdict = verifier.judge(empty_case())
    assert verdict.verifier == verifier.identity
    assert (verdict.costs, verdict.repairs) == ((), {})


def test_a_verdict_tells_the_seconds_that_it_took() -> None:
    start = time.perf_counter()
    (cost,) = LocalVerifier(hand_model(), Settings()).judge(hand_case()).costs
    assert 0 < cost.seconds <= time.perf_counter() - start


def test_sureness_is_of_the_five_likeliest_exchanges() -> None:
    case = random_case(np.random.default_rng(3), [0], n=14)
    features = Features(case, 0.2)
    chances = np.linspace(0.1, 0.9, 14)
    ahead = sorted(chances[~features.overshadowed(chances)], reverse=True)
    assert len(ahead) == 7
    expected = -sum(math.log(1 - chance) for chance in ahead[:5])
    assert features.sureness(chances) == pytest.approx(expected)


def test_a_case_without_signals_is_told_so() -> None:
    with pytest.raises(InvalidDataError) as caught:
        Features(hand_case(signals=None), 0.2)
    assert str(caught.value) == "case: the local verifier needs the signals of retrieval"


def test_without_links_there_is_no_row_of_pairs() -> None:
    features = Features(hand_case(graph=CandidateGraph(CANDIDATES)), 0.2)
    pairs, rows = features.pairs(np.full(4, 0.5))
    assert (pairs, rows.shape) == ([], (0, len(PAIR)))


def test_a_model_has_nothing_to_say_about_nothing() -> None:
    chat = ScriptedChat()
    verifier = LlmVerifier(chat, Settings())
    verdict = run_sync(verifier.verify(replace(small_case(), graph=CandidateGraph(()))))
    assert (verdict.supports, verdict.increments) == ((), ())
    assert verdict.verifier == verifier.identity
    assert not chat.calls


class Nameless:
    """A verifier whose verdicts do not say whose they are."""

    identity = "nameless"

    async def verify(self, case: Case) -> Verdict:
        return Verdict((), ())


def test_what_stands_in_is_named_even_if_its_verdict_does_not() -> None:
    chat = ScriptedChat(lambda *_: ModelUnavailableError("down"))
    verifier = LlmVerifier(chat, Settings(), degrade_to=Nameless())
    verdict = run_sync(verifier.verify(small_case(edges=())))
    assert verdict.verifier == "nameless"
    assert verdict.repairs == {"degraded.unavailable": 1}


def test_a_model_that_cannot_be_saved_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError) as caught:
        hand_model().save(tmp_path / "no" / "m.json")
    assert str(caught.value) == f"{tmp_path / 'no' / 'm.json'}: No such file or directory"


def test_a_link_has_the_role_that_the_rules_give_it() -> None:
    increments = LocalVerifier(hand_model(), Settings()).judge(hand_case()).increments
    assert [each.role for each in increments] == ["irrelevant", "clarification", "new_fact"]


class HalfDown(ScriptedChat):
    """Fails at once about memories, and takes its time about links."""

    async def complete(self, messages: Sequence[Message], options: Options = DEFAULT) -> Reply:
        if options.format is not None and options.format.name == "edge_verdict":
            await asyncio.sleep(60)
        raise ModelUnavailableError("down")


def test_a_call_that_is_ended_because_the_other_failed_is_told_among_the_costs() -> None:
    standing_in = LocalVerifier(hand_model(), Settings())
    verifier = LlmVerifier(HalfDown(), Settings(), degrade_to=standing_in)
    verdict = run_sync(verifier.verify(hand_case()))
    assert {"ecv", "node", "verify"} <= {cost.stage for cost in verdict.costs}
