"""The verifier without a language model: a small calibrated model, readable and packaged."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from importlib import resources
from typing import TYPE_CHECKING

import numpy as np

from graphmemix.encode.protocol import scores_alike
from graphmemix.errors import InvalidDataError, InvalidInputError
from graphmemix.evidence import MAX_SUPPORT, StageCost, Support
from graphmemix.fsio import write_text
from graphmemix.llm.limits import run_in_thread
from graphmemix.optimize.select import terms_of
from graphmemix.record import Record
from graphmemix.verify.asked import asked_type
from graphmemix.verify.feature_names import ANSWERABLE, RELATED, WHOLE
from graphmemix.verify.features import Features, selected
from graphmemix.verify.links import Chances, Links
from graphmemix.verify.logistic import Logistic, log_odds, sigmoids
from graphmemix.verify.protocol import Case, Verdict
from graphmemix.verify.regressions import Regressions, require_features
from graphmemix.verify.unheld import most_chance

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from graphmemix.settings import Settings
    from graphmemix.verify.opinion import Opinion

    Floats = NDArray[np.float64]


_LITERAL = 0.99  # share of the question's words that means all of them
# Least chance of an answer where all words are near a value of the sort asked for, or where the
# pictures that are asked for are there.
_STATED = 0.85
# Least chance of a place where one memory has all words of the question: "Where is the tent?" and
# "The tent is in the cellar". Places without a name look like anything, so no value tells it.
_TOLD_WHERE = 0.65
_UNKNOWN_DETAIL = 0.3  # most chance of a detail, such as a birthday, of whom no such detail is held
_DOUBT = 4  # power by which doubt falls that a question is about this archive
_UNLIKE = 0.2  # cosine; nothing here is like a question that reaches no more
_ABOUT_NOTHING = 0.1  # most chance of a question that is like nothing here, in unknown words
_UNKNOWN_TIME = 0.1  # chance of an answer about a time that no candidate is from or about


class LocalVerifier:
    """A `Verifier` that uses retrieval features only.

    A node's score is its calibrated probability of being evidence, by what is known of all
    candidates. Its utility is what is left of that without the memories that it is linked to; the
    rest is the gain of its link (`Links`). So the forest selects memories that make each other
    likely together, and not one without the other.
    """

    def __init__(self, model: LocalModel, settings: Settings) -> None:
        """Use fitted coefficients.

        Args:
            model: The coefficients.
            settings: Sections `local`, `edges`, `forest` and `retrieval`.
        """
        self.model = model
        self._settings = settings

    @property
    def identity(self) -> str:
        """The verifier and a digest of its coefficients."""
        return f"local:{self.model.digest}"

    async def verify(self, case: Case) -> Verdict:
        """Return the verdict on a case with retrieval signals.

        Raises:
            InvalidDataError: The case has no signals.
        """
        return await run_in_thread(partial(self.judge, case))  # about 30 ms of processor time

    def judge(self, case: Case, opinion: Opinion | None = None) -> Verdict:
        """Like `verify`, without an event loop, and with the `opinion` of a model if there is one.

        The chance of an answer is that without the opinion: only for that it is calibrated.
        """
        start = time.perf_counter()
        features = Features(case, self._settings.retrieval.lexical_weight)
        if not len(features):
            terms = terms_of(self._settings, "chance")
            return Verdict((), (), verifier=self.identity, answerable=0.0, terms=terms)
        chances = known = self.model.chances_of(features)
        if opinion is not None:
            ids = [candidate.memory_id for candidate in case.candidates]
            chances = Chances(opinion.chances(ids, known.alone), opinion.chances(ids, known.beside))
        links = Links(case, features, chances, self.model.pair_odds, self._settings, opinion)
        supports = tuple(
            Support(candidate.memory_id, MAX_SUPPORT * float(direct), float(utility), float(chance))
            for candidate, direct, utility, chance in zip(
                case.candidates, links.direct, links.utilities, chances.beside, strict=True
            )
        )
        answerable = self._answerable(case, features, known.beside)
        cost = StageCost("verify", time.perf_counter() - start)
        return Verdict(
            supports,
            links.increments,
            (cost,),
            verifier=self.identity,
            answerable=answerable,
            # Every candidate may be an anchor: no language model has to read each pair.
            anchors=tuple(candidate.memory_id for candidate in case.candidates),
            terms=terms_of(self._settings, "chance", supports, features.talk),
        )

    def chances(self, case: Case) -> Floats:
        """Return the probability of each candidate that it is evidence, in retrieval order."""
        features = Features(case, self._settings.retrieval.lexical_weight)
        return self.model.chances(features) if len(features) else np.zeros(0)

    def chance(self, case: Case) -> float | None:
        """Return the calibrated probability that the archive holds the answer; None if unknown."""
        if case.signals is None:
            return None
        features = Features(case, self._settings.retrieval.lexical_weight)
        if not len(features):
            return 0.0
        return self._answerable(case, features, self.model.chances(features))

    def _answerable(self, case: Case, features: Features, probability: Floats) -> float | None:
        row = features.whole(probability)
        chance = self.model.chance_of_answer(row, features.talk)
        if chance is None:
            return None
        known = dict(zip(WHOLE, row[0].tolist(), strict=True))
        signals = features.signals
        if known["covered_near_value"] > _LITERAL or signals.shows_asked:
            chance = max(chance, _STATED)
        elif known["asks_named_detail"] and known["names_near_value"] == 0:
            chance = min(chance, _UNKNOWN_DETAIL)
        elif known["best_words_covered"] > _LITERAL and asked_type(case.question.text) == "place":
            chance = max(chance, _TOLD_WHERE)
        if (
            known["words_unknown"] > _LITERAL
            and known["best_cosine"] < _UNLIKE
            and signals.names_nothing
        ):
            chance = min(chance, _ABOUT_NOTHING)
        # No question to learn from names a time that nothing is from; such a one has no answer.
        chance = chance if signals.time_is_known else min(chance, _UNKNOWN_TIME)
        return min(chance, most_chance(case, probability))


_OF_BEFORE = "was fitted by an earlier version, for all archives at once; fit it again"
_FOLDER = "fitted"
_DEFAULT = "multilingual.json"  # of the encoder of new archives


@dataclass(frozen=True)
class ModelOrigin(Record):
    """The data that coefficients were fitted on.

    Attributes:
        contexts: Names of contexts by data set.
        fingerprints: SHA-256 of each context's memories, to recognise copies.
        questions: Number of questions.
        validation: Metrics of a leave-contexts-out run over the same contexts.
    """

    contexts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    fingerprints: tuple[str, ...] = ()
    questions: int = 0
    validation: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class LocalModel(Record):
    """The fitted models of the local verifier.

    In a conversation, turns follow each other and every one has words, so that a feature is worth
    another amount than among mails and photos: there are coefficients for each of the two. Between
    them (`Features.talk`), log-odds are mixed.

    Attributes:
        encoder: The encoder whose cosines it was fitted on.
        mixed: For archives of many kinds; None if it was fitted on conversations alone.
        talk: For conversations; None if it was fitted on other archives alone.
        related: Probability that a question is about this archive; None if it could not be fitted.
            One for both: nonsense is nonsense everywhere.
        origin: The data that it was fitted on.
    """

    encoder: str
    mixed: Regressions | None = None
    talk: Regressions | None = None
    related: Logistic | None = None
    origin: ModelOrigin = field(default_factory=ModelOrigin)

    def __post_init__(self) -> None:
        if self.mixed is None and self.talk is None:
            raise InvalidDataError("model: needs coefficients")
        if self.related is not None:
            require_features("related", self.related, [*RELATED])

    def chances(self, features: Features) -> Floats:
        """Return the probability of each candidate that it is evidence, in retrieval order."""
        return self.chances_of(features).beside

    def chances_of(self, features: Features) -> Chances:
        """Return the same beside the probability of each by what it is itself."""
        found = [(share, each.chances_of(features)) for share, each in self._shares(features.talk)]
        return Chances(
            _mixed([(share, each.alone) for share, each in found]),
            _mixed([(share, each.beside) for share, each in found]),
        )

    def pair_odds(self, rows: Floats, talk: float) -> Floats:
        """Return the log-odds of candidates, given that their anchors are evidence.

        Args:
            rows: Of `Features.pairs`.
            talk: That of the features.
        """
        parts = [share * each.pair.log_odds(rows) for share, each in self._shares(talk)]
        return np.sum(parts, axis=0)  # type: ignore[no-any-return]

    def chance_of_answer(self, whole: Floats, talk: float) -> float | None:
        """Return the probability that the archive holds the answer; None if it was not fitted.

        Near misses are about this archive more plainly than most questions that have an answer, so
        that it counts only where it is in doubt whether a question is about it.

        Args:
            whole: The row of `Features.whole`.
            talk: That of the features.
        """
        known = [(share, each.answerable) for share, each in self._shares(talk) if each.answerable]
        if not known and self.related is None:
            return None
        row = selected(whole, ANSWERABLE)
        held = _mixed([(share, each.probability(row)) for share, each in known]) if known else 1.0
        about = self.related.probability(selected(whole, RELATED)) if self.related else 1.0
        return float(np.squeeze(held * (1 - (1 - about) ** _DOUBT)))

    def _shares(self, talk: float) -> list[tuple[float, Regressions]]:
        """Return the coefficients that count, and how much."""
        if self.mixed is None or self.talk is None:
            return [(1.0, each) for each in (self.mixed, self.talk) if each is not None]
        both = ((1 - talk, self.mixed), (talk, self.talk))
        return [(share, each) for share, each in both if share > 0]

    @cached_property
    def digest(self) -> str:
        """A short hash of the coefficients, used as their version."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()[:12]

    def save(self, path: Path) -> None:
        """Write the model as a readable JSON file, or raise `InvalidInputError`."""
        try:
            write_text(path, json.dumps(json.loads(self.to_json()), indent=1) + "\n")
        except OSError as error:
            raise InvalidInputError(f"{path}: {error.strerror}") from None


def load_model(path: Path) -> LocalModel:
    """Return the model in a file.

    Raises:
        InvalidInputError: It cannot be read, or has other features than this version.
    """
    try:
        return LocalModel.from_json(path.read_bytes())
    except OSError as error:
        raise InvalidInputError(f"{path}: {error.strerror}") from None
    except InvalidDataError as error:
        message = _OF_BEFORE if "node: Unexpected" in str(error) else str(error)
        raise InvalidInputError(f"{path}: {message}") from None


def shipped_model(encoder: str) -> LocalModel:
    """Return the packaged model for an encoder.

    For other encoders, returns the model of the packaged text encoder: its ranking is useful with
    any cosines, but its probabilities are then not calibrated. Compare `LocalModel.encoder`, and
    fit your own with ``graphmemix calibrate``.
    """
    models = _shipped()
    return next((model for model in models if scores_alike(model.encoder, encoder)), models[0])


@lru_cache(maxsize=1)
def _shipped() -> tuple[LocalModel, ...]:
    folder = resources.files("graphmemix.verify") / _FOLDER
    found = [each for each in folder.iterdir() if each.name.endswith(".json")]
    files = sorted(found, key=lambda each: (each.name != _DEFAULT, each.name))
    return tuple(LocalModel.from_json(each.read_bytes()) for each in files)


def _mixed(parts: Sequence[tuple[float, Floats]]) -> Floats:
    """Return chances whose log-odds are the mean of others, by their shares."""
    if len(parts) == 1:
        return parts[0][1]
    odds = sum(share * log_odds(chances) for share, chances in parts)
    return sigmoids(np.asarray(odds) / sum(share for share, _ in parts))
