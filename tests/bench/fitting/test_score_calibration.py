from __future__ import annotations

from pathlib import Path

import pytest

from graphmemix.encode.hashing import HashingEncoder
from graphmemix.errors import InvalidDataError, InvalidInputError, SettingsError
from graphmemix.evidence import Support
from graphmemix.llm import ScriptedChat
from graphmemix.settings import Settings
from graphmemix.verify.calibration import Calibration, load_calibration
from graphmemix.verify.local import LocalVerifier
from graphmemix.verify.opening import open_verifier
from graphmemix.verify.protocol import Case, Verdict
from graphmemix_bench.fitting.score_calibration import fit_scores
from graphmemix_bench.fitting.training_cases import AskedCase
from graphmemix_bench.runs.context import collect
from tests.bench import small

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
