"""The verifier without a language model: a small calibrated model, readable and packaged."""

from __future__ import annotations

import math
import time
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from graphmemix.encode.views import all_words
from graphmemix.evidence import MAX_SUPPORT, Increment, StageCost, Support
from graphmemix.llm.limits import run_in_thread
from graphmemix.settings.forest import terms_of
from graphmemix.verify.features import PAIR, Features, words_of
from graphmemix.verify.protocol import Case, Verdict

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphmemix.evidence import Role
    from graphmemix.memory import Memory
    from graphmemix.settings import LocalSettings, Settings
    from graphmemix.verify.local_model import LocalModel

    Floats = NDArray[np.float64]

_LEAST_GAIN = 1e-3  # utility; a link that adds less is not worth drawing


class LocalVerifier:
    """A `Verifier` that uses retrieval features only.

    A node's score and utility are its calibrated probability of being evidence. Exception: of the
    two halves of an exchange, the less likely one counts for only a share of that.

    A link's gain is what its anchor adds to the probability, ``u_anchor * (P(evidence | anchor) -
    u)``, times ``share * S``, where ``exp(-S)`` is the probability that the best exchanges all
    miss. So if a question has very likely found the right place, whole exchanges are selected; if
    not, the selection spreads over more places. The gain applies only together with the anchor,
    which is why the forest selects better sets than the same gains used pointwise. The optimiser
    gets the link weight that corresponds to the gain.
    """

    def __init__(self, model: LocalModel, settings: Settings) -> None:
        """Use fitted coefficients.

        Args:
            model: The coefficients.
            settings: Sections `local`, `edges`, `forest` and `retrieval`.
        """
        self.model = model
        self._settings = settings
        self.terms = terms_of(settings, "chance")

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

    def judge(self, case: Case) -> Verdict:
        """Like `verify`, without an event loop."""
        start = time.perf_counter()
        features = Features(case, self._settings.retrieval.lexical_weight)
        if not len(features):
            return Verdict((), (), verifier=self.identity, answerable=0.0, terms=self.terms)
        probability = self.model.node.probability(features.nodes)
        alone = np.where(features.overshadowed(probability), self._settings.local.half_share, 1.0)
        utility = alone * probability
        supports = tuple(
            Support(candidate.memory_id, MAX_SUPPORT * float(p), float(u))
            for candidate, p, u in zip(case.candidates, probability, utility, strict=True)
        )
        increments = self._increments(case, features, probability, utility)
        answerable = self._answerable(features, probability)
        cost = StageCost("verify", time.perf_counter() - start)
        return Verdict(
            supports,
            increments,
            (cost,),
            verifier=self.identity,
            answerable=answerable,
            # Every candidate may be an anchor: no language model has to read each pair.
            anchors=tuple(candidate.memory_id for candidate in case.candidates),
            terms=self.terms,
        )

    def chance(self, case: Case) -> float | None:
        """Return the calibrated probability that the archive holds the answer; None if unknown."""
        if case.signals is None:
            return None
        features = Features(case, self._settings.retrieval.lexical_weight)
        if not len(features):
            return 0.0
        return self._answerable(features, self.model.node.probability(features.nodes))

    def _answerable(self, features: Features, probability: Floats) -> float | None:
        if self.model.answerable is None:
            return None
        return float(self.model.answerable.probability(features.whole(probability))[0])

    def _increments(
        self, case: Case, features: Features, probability: Floats, utility: Floats
    ) -> tuple[Increment, ...]:
        pairs, rows = features.pairs(probability)
        if not pairs:
            return ()
        given = self.model.pair.probability(rows)
        likeness = rows[:, list(PAIR).index("likeness")]
        share = self._settings.local.edge_share * features.sureness(probability)
        best: dict[int, tuple[float, int, float]] = {}
        for (i, a), p, like in zip(pairs, given, likeness, strict=True):
            gain = share * utility[a] * (p - utility[i])
            if i not in best or gain > best[i][0]:
                best[i] = (float(gain), a, float(like))
        return tuple(self._increment(case, features, i, *best[i]) for i in sorted(best))

    def _increment(
        self,
        case: Case,
        features: Features,
        candidate: int,
        gain: float,
        anchor: int,
        likeness: float,
    ) -> Increment:
        memory_id = case.candidates[candidate].memory_id
        anchor_id = case.candidates[anchor].memory_id
        if gain < _LEAST_GAIN:
            return Increment(memory_id, None, 0.0, "irrelevant")
        role: Role = role_of(
            case.memories[memory_id],
            case.memories[anchor_id],
            case.question.text,
            likeness,
            self._settings.local,
        )
        if role == "redundant":
            return Increment(memory_id, anchor_id, 0.0, role)
        weight = self._weight(gain)
        relations = next(e.relations for e in features.links[memory_id] if e.anchor_id == anchor_id)
        score = MAX_SUPPORT * weight / self._settings.edges.schema_weight
        return Increment(memory_id, anchor_id, score, role, weight, relations)

    def _weight(self, gain: float) -> float:
        """Return the weight ``w`` for which ``kappa + lambda ln w`` is the gain (eq. 9, 12)."""
        ceiling = self._settings.edges.schema_weight
        price = self._settings.forest.edge_cost_weight
        if price == 0:
            return ceiling
        return min(ceiling, math.exp((gain - self._settings.local.opening_cost) / price))


def role_of(
    candidate: Memory, anchor: Memory, question: str, likeness: float, settings: LocalSettings
) -> Role:
    """Return by rule what a candidate adds to its anchor (METHOD section 4).

    In this order: it repeats the anchor (``redundant``); it has words of the question that the
    anchor lacks (``new_fact``); it is similar to the anchor (``corroboration``); otherwise
    ``clarification``. Never ``conflict``, which rules cannot recognise.

    Args:
        candidate: The memory that is added.
        anchor: The memory that it is linked to.
        question: The text of the question.
        likeness: Cosine of the two canonical views.
        settings: The likeness thresholds.
    """
    added, known = words_of(all_words(candidate)), words_of(all_words(anchor))
    if likeness >= settings.redundant_likeness or (added and added <= known):
        return "redundant"
    if words_of(question) & (added - known):
        return "new_fact"
    if likeness >= settings.corroborating_likeness:
        return "corroboration"
    return "clarification"
