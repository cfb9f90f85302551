"""The verifier that needs no language model: a small calibrated one, readable and packaged."""

from __future__ import annotations

import math
import time
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from graphmemix.evidence import MAX_SUPPORT, Increment, StageCost, Support
from graphmemix.llm.limits import run_in_thread
from graphmemix.settings.forest import terms_of
from graphmemix.verify.features import PAIR, Features
from graphmemix.verify.protocol import Case, Verdict
from graphmemix.verify.roles import role_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphmemix.evidence import Role
    from graphmemix.settings import Settings
    from graphmemix.verify.local_model import LocalModel

    Floats = NDArray[np.float64]

_LEAST_GAIN = 1e-3  # utility; a link that adds less is not worth drawing


class LocalVerifier:
    """A `Verifier` from features of retrieval alone.

    A node's score is its calibrated chance to be evidence, and so is its utility, but for a half of
    an exchange whose other half is likelier: alone it counts for a share only.

    A link's gain is what its anchor adds to the probability, ``u_anchor * (P(evidence | anchor) -
    u)``, times a share of how sure it is that something is found at all: ``share * S``, where
    ``exp(-S)`` is the chance that the best exchanges all miss. So a question that is sure to find
    its place takes what belongs together whole, and a doubtful one spreads over more places. The
    gain holds only beside the anchor, which is why the forest takes better sets than the same gains
    do pointwise. The optimiser is told the weight that is worth as much there.
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
        """The version of the coefficients."""
        return f"local:{self.model.digest}"

    async def verify(self, case: Case) -> Verdict:
        """Return the verdict on a case that carries the signals of retrieval.

        Raises:
            InvalidDataError: It carries none.
        """
        return await run_in_thread(partial(self.judge, case))  # takes some 30 ms of the processor

    def judge(self, case: Case) -> Verdict:
        """Do what `verify` does, without an event loop."""
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
            # Every candidate may be an anchor here: no model has to read each pair.
            anchors=tuple(candidate.memory_id for candidate in case.candidates),
            terms=self.terms,
        )

    def chance(self, case: Case) -> float | None:
        """Return the calibrated chance that the archive holds the answer; None if not known."""
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
