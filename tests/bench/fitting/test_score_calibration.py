from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from graphmemix.encode.hashing import HashingEncoder
from graphmemix.errors import InvalidDataError, InvalidInputError, SettingsError
from graphmemix.evidence import Support
from graphmemix.llm import Message, Options, ScriptedChat
from graphmemix.settings import Settings
from graphmemix.verify.calibration import Calibration, load_calibration
from graphmemix.verify.llm import LlmVerifier
from graphmemix.verify.local import LocalVerifier
from graphmemix.verify.opening import local_verifier, open_verifier
from graphmemix.verify.opinion import Combination, Opinion
from graphmemix.verify.protocol import Case, Verdict
from graphmemix.verify.shared import STEPS
from graphmemix_bench.fitting.score_calibration import fit_combination, fit_scores
from graphmemix_bench.fitting.training_cases import AskedCase
from graphmemix_bench.runs.context import collect
from tests.bench import small
from tests.verify.local_cases import hand_model

ENCODER = HashingEncoder()
PUBLISHED = Calibration.published(Settings().utility)


class Knowing:
    """A verifier that gives 4 to gold and 1 to the rest, and sometimes errs."""

    identity = "knowing"

    def __init__(self, asked: list[AskedCase]) -> None:
        self._gold = {id(each.case): each.question.gold for each in asked}

    async def verify(self, case: Case) -> Verdict:
        gold = self._gold[id(case)]
        supports = [
            Support(c.memory_id, 4.0 if (c.memory_id in gold) != (place == 7) else 1.0, 0.0)
            for place, c in enumerate(case.candidates)
        ]
        return Verdict(tuple(supports), ())


@pytest.fixture(scope="module")
def asked() -> list[AskedCase]:
    found = [
        each
        for context in small.contexts()
        for each in collect("small", context, ENCODER, Settings())
    ]
    return [each for each in found if each.question.gold]


def test_scores_that_tell_gold_apart_weigh_and_beat_the_published_constants(
    asked: list[AskedCase],
) -> None:
    fitted = fit_scores(asked, Knowing(asked), ENCODER.identity, PUBLISHED)
    assert fitted.calibration.b > 0
    assert fitted.calibration.utility(0.5, 4.0) > fitted.calibration.utility(0.5, 1.0)
    assert fitted.log_loss < fitted.published_log_loss
    assert fitted.calibration.encoder == ENCODER.identity
    assert fitted.calibration.verifier == "knowing"


def test_one_context_is_not_enough(asked: list[AskedCase]) -> None:
    alone = [each for each in asked if each.context == "anna"]
    with pytest.raises(InvalidDataError, match="two contexts"):
        fit_scores(alone, Knowing(alone), ENCODER.identity, PUBLISHED)


def test_a_stored_calibration_decides_about_utilities(tmp_path: Path) -> None:
    path = tmp_path / "scores.json"
    stored = Calibration(1.0, 2.0, 3.0, "by hand", ENCODER.identity, "any")
    path.write_text(stored.to_json(), encoding="utf-8")
    assert load_calibration(path, ENCODER.identity) == stored
    settings = Settings.load(environment={}, overrides={"utility.calibration_file": str(path)})
    verifier = open_verifier(settings, ScriptedChat([]), ENCODER.identity)
    assert verifier.identity.startswith("llm:")
    with pytest.raises(InvalidInputError, match="another one with graphmemix calibrate"):
        open_verifier(settings, ScriptedChat([]), "another encoder")


def test_without_a_model_the_local_verifier_decides_unless_it_must_not() -> None:
    assert isinstance(open_verifier(Settings(), None, ENCODER.identity), LocalVerifier)
    with pytest.raises(SettingsError, match=r"model\.base_url"):
        open_verifier(Settings.for_profile("paper"), None, ENCODER.identity)


class Scripted:
    """A model that scores what it reads as a function says."""

    def __init__(self, score: Callable[[str, str], float]) -> None:
        def reply(messages: Sequence[Message], options: Options) -> str:
            if options.format is None or options.format.name == "edge_verdict":
                return '{"candidates": []}'
            case = json.loads(messages[-1].text.splitlines()[1])
            scored = [
                {"id": row["id"], "score": score(case["question"], row["snippet"])}
                for row in case["candidates"]
            ]
            return json.dumps({"selected": scored})

        self.verifier = LlmVerifier(ScriptedChat(reply), Settings())


LOCAL = local_verifier(Settings(), ENCODER.identity)


def ranking(case: Case, weights: Combination, scores: dict[str, float]) -> list[str]:
    verdict = LOCAL.judge(case, Opinion(scores, (), weights))
    return [each.memory_id for each in sorted(verdict.supports, key=lambda each: -each.utility)]


@pytest.mark.parametrize("seed", range(8))
def test_random_scores_get_no_weight_and_leave_the_local_ranking(
    asked: list[AskedCase], seed: int
) -> None:
    chance = random.Random(seed)
    noise = Scripted(lambda *_: chance.choice(STEPS)).verifier
    fitted = fit_combination(asked, noise, LOCAL, ENCODER.identity).combination
    assert (fitted.local, fitted.support, fitted.offset) == (1.0, 0.0, 0.0)
    for each in asked:
        scores = {c.memory_id: chance.choice(STEPS) for c in each.case.candidates}
        assert ranking(each.case, fitted, scores) == ranking(each.case, fitted, {})


@pytest.mark.parametrize("score", [0, 3, 5])
def test_constant_scores_get_no_weight(asked: list[AskedCase], score: float) -> None:
    same = Scripted(lambda *_: score).verifier
    assert fit_combination(asked, same, LOCAL, ENCODER.identity).combination.support == 0


def is_gold(asked: list[AskedCase], question: str, snippet: str) -> bool:
    return any(
        each.case.memories[memory_id].text in snippet
        for each in asked
        if each.question.question.text == question
        for memory_id in each.question.gold & each.case.memories.keys()
    )


def test_scores_that_are_right_weigh_beside_the_local_chances(asked: list[AskedCase]) -> None:
    # The local verifier knows nothing here but how much of the best BM25 a candidate has.
    weak = LocalVerifier(hand_model(), Settings())
    knowing = Scripted(lambda *said: 5 if is_gold(asked, *said) else 0).verifier
    fitted = fit_combination(asked, knowing, weak, ENCODER.identity)
    assert fitted.combination.support > 0.1
    assert fitted.log_loss < fitted.local_log_loss
    assert fitted.combination.verifier == knowing.identity
    assert fitted.contexts == 3


def test_scores_that_point_the_wrong_way_get_no_weight(asked: list[AskedCase]) -> None:
    weak = LocalVerifier(hand_model(), Settings())
    wrong = Scripted(lambda *said: 0 if is_gold(asked, *said) else 5).verifier
    assert fit_combination(asked, wrong, weak, ENCODER.identity).combination.support == 0
