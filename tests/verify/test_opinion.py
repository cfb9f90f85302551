"""A model's scores beside the local verifier's chances. Numbers are those of `hand_case`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from graphmemix.errors import SettingsError
from graphmemix.evidence import Increment, Role
from graphmemix.llm import ScriptedChat, run_sync
from graphmemix.optimize.select import terms_of
from graphmemix.settings import Settings
from graphmemix.verify import LlmVerifier, Verdict
from graphmemix.verify.calibration import Calibration
from graphmemix.verify.local import LocalVerifier
from graphmemix.verify.opening import open_verifier, weighs_local
from graphmemix.verify.opinion import Combination, Opinion
from tests.verify.cases import calls_named, material
from tests.verify.local_cases import hand_case, hand_model, settings_with

LOCAL = LocalVerifier(hand_model(), Settings())
ALONE = LOCAL.judge(hand_case())
IDS = ["q1", "a1", "q2", "p"]
WEIGHTS = Combination(1.0, 0.5)


def opinion(*scores: float, increments: tuple[Increment, ...] = ()) -> Opinion:
    return Opinion(dict(zip(IDS, scores, strict=False)), increments, WEIGHTS)


def chances(verdict: Verdict) -> list[float]:
    return [support.utility for support in verdict.supports]


def added(memory_id: str, anchor_id: str | None, score: float) -> Increment:
    role: Role = "new_fact" if score else "irrelevant"
    return Increment(memory_id, anchor_id, score, role, score / 5)


@pytest.mark.parametrize("score", [0, 2.5, 5])
def test_a_model_that_says_the_same_of_everything_changes_nothing(score: float) -> None:
    links = tuple(added(each, "q1", score) for each in ("a1", "q2"))
    verdict = LOCAL.judge(hand_case(), opinion(*[score] * 4, increments=links))
    assert chances(verdict) == pytest.approx(chances(ALONE))
    pairs = zip(verdict.increments, ALONE.increments, strict=True)
    assert all(each.weight == pytest.approx(alone.weight) for each, alone in pairs)


def test_a_score_multiplies_the_odds_by_how_far_it_is_from_the_mean() -> None:
    weighed = opinion(5, 1, 1, 1).chances(IDS, np.array([0.5, 0.5, 0.5, 0.5]))
    # 5 is 3 above the mean of 2, and 1 is 1 below: odds of e^1.5 and e^-0.5.
    assert weighed == pytest.approx([0.817574, 0.377541, 0.377541, 0.377541], abs=1e-6)


def test_what_the_model_did_not_read_keeps_its_chance() -> None:
    weighed = opinion(5, 1).chances(IDS, np.array([0.5, 0.5, 0.3, 0.1]))
    assert weighed[2:] == pytest.approx([0.3, 0.1])


def test_a_model_that_read_nothing_has_no_opinion() -> None:
    assert opinion().chances(IDS, np.array([0.5, 0.5, 0.3, 0.1])) == pytest.approx(
        [0.5, 0.5, 0.3, 0.1]
    )


def test_the_chance_of_an_answer_stays_the_calibrated_one() -> None:
    assert LOCAL.judge(hand_case(), opinion(5, 0, 0, 0)).answerable == ALONE.answerable


def test_what_a_model_says_about_a_link_moves_that_link_and_names_its_role() -> None:
    # q2 next to a1 in the conversation; by the local rule it clarifies or confirms.
    said = (added("q2", "a1", 5), added("a1", "q1", 0))
    case, level = hand_case(), [1.0] * 4
    verdict = LOCAL.judge(case, opinion(*level, increments=said))
    links = {each.memory_id: each for each in verdict.increments}
    alone = {each.memory_id: each for each in ALONE.increments}
    assert links["q2"].anchor_id == "a1"
    assert links["q2"].weight > alone["q2"].weight
    assert links["q2"].role == "new_fact"
    assert links["a1"].weight < alone["a1"].weight


def replies(scores: dict[str, float]) -> ScriptedChat:
    """A model that scores by the words of a snippet."""

    def reply(messages: object, options: object) -> str:
        name = options.format.name  # type: ignore[attr-defined]
        if name == "edge_verdict":
            return json.dumps({"candidates": []})
        case = messages[-1].text.splitlines()[1]  # type: ignore[index]
        rows = json.loads(case)["candidates"]
        found = [
            {"id": row["id"], "score": score}
            for row in rows
            for word, score in scores.items()
            if word in row["snippet"]
        ]
        return json.dumps({"selected": found})

    return ScriptedChat(reply)


def test_the_verifier_weighs_both() -> None:
    chat = replies({"lovely": 5})
    verifier = LlmVerifier(chat, Settings(), local=LOCAL, weights=WEIGHTS)
    verdict = run_sync(verifier.verify(hand_case()))
    assert [support.score for support in verdict.supports] == [0, 0, 5, 0]
    third, before = verdict.supports[2].utility, ALONE.supports[2].utility
    assert third > before
    assert all(now < then for now, then in zip(chances(verdict)[:2], chances(ALONE), strict=False))
    assert verdict.terms == terms_of(Settings(), "chance", verdict.supports)
    assert verdict.answerable == ALONE.answerable
    assert verdict.verifier == verifier.identity
    assert verifier.identity.endswith(f"+{LOCAL.identity}")
    assert [cost.stage for cost in verdict.costs] == ["captions", "node", "ecv", "verify"]


def test_the_model_reads_the_likeliest_candidates_the_best_first() -> None:
    chat = replies({})
    settings = settings_with(verifier__candidates=2)
    run_sync(LlmVerifier(chat, settings, local=LOCAL).verify(hand_case()))
    (call,) = calls_named(chat, "node_verdict")
    shown = [row["snippet"] for row in material(call)["candidates"]]
    assert shown == ["Which hotel in Lisbon?", "Hotel Avenida."]


def test_without_signals_the_published_formula_decides() -> None:
    verifier = LlmVerifier(replies({"Avenida": 5}), Settings(), local=LOCAL)
    verdict = run_sync(verifier.verify(replace(hand_case(), signals=None)))
    published = Calibration.published(Settings().utility)
    assert verdict.supports[1].utility == published.utility(0.5, 5)


def stored(tmp_path: Path, text: str, **more: object) -> Settings:
    (tmp_path / "c.json").write_text(text, encoding="utf-8")
    return settings_with(utility__calibration_file=str(tmp_path / "c.json"), **more)


def test_stored_weights_are_used(tmp_path: Path) -> None:
    chat = replies({"lovely": 5})
    settings = stored(tmp_path, Combination(1.0, 2.0, encoder="x").to_json())
    strong = run_sync(open_verifier(settings, chat, "x").verify(hand_case()))
    usual = run_sync(open_verifier(Settings(), chat, "x").verify(hand_case()))
    assert strong.supports[2].utility > usual.supports[2].utility


def test_a_model_whose_scores_do_not_help_is_not_asked(tmp_path: Path) -> None:
    settings = stored(tmp_path, Combination(1.0, 0.0, encoder="x").to_json())
    chat = replies({})
    verifier = open_verifier(settings, chat, "x")
    assert isinstance(verifier, LocalVerifier)
    run_sync(verifier.verify(hand_case()))
    assert chat.calls == []


def test_a_calibration_of_scores_alone_goes_on_as_it_was_fitted(tmp_path: Path) -> None:
    settings = stored(tmp_path, Calibration(1.0, 2.0, 3.0, encoder="x").to_json())
    assert not weighs_local(settings, "x")
    assert weighs_local(Settings(), "x")
    verdict = run_sync(open_verifier(settings, replies({"Avenida": 5}), "x").verify(hand_case()))
    assert verdict.supports[1].utility == Calibration(1.0, 2.0, 3.0).utility(0.5, 5)


@pytest.mark.parametrize("more", [{"verifier__with_local": False}, {"local__use": "never"}])
def test_weights_that_the_settings_do_not_allow_are_refused(
    tmp_path: Path, more: dict[str, object]
) -> None:
    settings = stored(tmp_path, Combination(1.0, 2.0).to_json(), **more)
    with pytest.raises(SettingsError, match=r"utility\.calibration_file: .*do not allow"):
        open_verifier(settings, replies({}), "x")
