"""What a memory adds beside another one, as the local verifier prices it: links of the forest."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from graphmemix.encode.views import all_words
from graphmemix.evidence import MAX_SUPPORT, Increment
from graphmemix.optimize.select import between, least_chance
from graphmemix.verify.columns import words_of
from graphmemix.verify.feature_names import PAIR
from graphmemix.verify.logistic import sigmoids

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from graphmemix.evidence import Role
    from graphmemix.memory import Memory
    from graphmemix.settings import LocalSettings, Settings
    from graphmemix.verify.features import Features
    from graphmemix.verify.opinion import Opinion
    from graphmemix.verify.protocol import Case

    Floats = NDArray[np.float64]

_LEAST_GAIN = 1e-3  # utility; a link that adds less is not worth drawing
_WORTH_LINKING = 0.5  # of the chance from which a memory is shown: a link may lift it above
_LIKENESS = list(PAIR).index("likeness")
_BELONGING = [list(PAIR).index(name) for name in ("same_exchange", "same_number", "linked")]


@dataclass(frozen=True)
class Chances:
    """The chances of candidates to be evidence, in retrieval order.

    Attributes:
        alone: By what each is itself, as if it were the only one.
        beside: By what is known of all of them.
    """

    alone: Floats
    beside: Floats


@dataclass(frozen=True)
class _Link:
    """The best link of a candidate: to which anchor, and what it gains.

    Attributes:
        anchor: The anchor's index.
        completes: What the pair is worth more than its two halves.
        owed: What the candidate owes to its neighbours, and counts only beside the anchor.
        role: What it adds to the anchor.
    """

    anchor: int
    completes: float
    owed: float
    role: Role = "irrelevant"

    @property
    def gain(self) -> float:
        return max(0.0, self.completes) + self.owed

    @property
    def is_drawn(self) -> bool:
        return self.role not in {"irrelevant", "redundant"}


class Links:
    """The best link of each candidate, and what is left for the candidate alone.

    A candidate is as likely as all candidates together make it. What it owes to them, which is how
    much likelier it is than by itself, counts only if one of the likeliest that it is linked to is
    selected as well: that is the first part of a link's gain. The second part is for pairs that
    belong together, ``u_anchor * (P(evidence | anchor) - u)`` times ``share * S``, where
    ``exp(-S)`` is the chance that the best exchanges all miss. So if a question has very likely
    found the right place, whole exchanges are selected; if not, the selection spreads.

    A candidate that no likely one is linked to, or that repeats its anchor, counts as a whole.
    """

    def __init__(
        self,
        case: Case,
        features: Features,
        chances: Chances,
        pair_odds: Callable[[Floats, float], Floats],
        settings: Settings,
        opinion: Opinion | None = None,
    ) -> None:
        """Price the links of a case.

        Args:
            case: Has the memories.
            features: Of its candidates.
            chances: Of its candidates.
            pair_odds: Log-odds of candidates, given that their anchors are evidence, by the rows
                of `Features.pairs` and the share of conversation.
            settings: Sections `local`, `edges` and `forest`.
            opinion: What a model says about links, if one was asked.
        """
        self._case, self._features, self._settings = case, features, settings
        self._opinion = opinion
        self._ids = [candidate.memory_id for candidate in case.candidates]
        self._chance = chances.beside
        overshadowed = features.overshadowed(self._chance)
        self._halves = np.where(overshadowed, settings.local.half_share, 1.0)
        self._owed = self._halves * np.maximum(0.0, self._chance - chances.alone)
        self._best = self._best_links(pair_odds)

    @property
    def utilities(self) -> Floats:
        """What each candidate is worth on its own; a link's gain comes on top."""
        return self._halves * self.direct

    @cached_property
    def direct(self) -> Floats:
        """The chance of each candidate less what it owes to its link."""
        found = self._chance.copy()
        for candidate, link in self._best.items():
            if link.is_drawn and link.owed:
                found[candidate] -= link.owed / self._halves[candidate]
        return found

    @property
    def increments(self) -> tuple[Increment, ...]:
        """The links, one for each candidate that has an anchor."""
        return tuple(self._increment(each, self._best[each]) for each in sorted(self._best))

    def _best_links(self, pair_odds: Callable[[Floats, float], Floats]) -> dict[int, _Link]:
        chance, whole = self._chance, self._halves * self._chance
        pairs, rows = self._features.pairs(chance)
        if not pairs:
            return {}
        odds = pair_odds(rows, self._features.talk)
        if self._opinion is not None:
            said = [self._opinion.link_odds(self._ids[i], self._ids[a]) for i, a in pairs]
            odds = odds + np.array(said)
        of, anchors = np.array(pairs).T
        bar = _WORTH_LINKING * self._settings.local.keep_above * float(chance.max())
        wanted = chance >= max(bar, least_chance(self._settings, self._features.talk))
        # A newsletter has days in common with everything, and belongs to it by more alone.
        belongs = ~self._features.is_bulk[of] | (rows[:, _BELONGING] > 0).any(axis=1)
        likeliest = np.zeros(len(chance), dtype=bool)
        likeliest[np.argsort(-chance, kind="stable")[: self._settings.forest.budget]] = True
        share = self._edge_share * self._features.sureness(chance)
        completes = share * whole[anchors] * (sigmoids(odds) - whole[of])
        # What a link can carry of what a candidate owes: its weight has a ceiling.
        room = self._largest_gain - np.maximum(0.0, completes)
        owed = np.where(likeliest[anchors], np.maximum(0.0, np.minimum(self._owed[of], room)), 0.0)
        worth = np.where(
            owed == 0.0, completes, np.maximum(0.0, completes) + owed * chance[anchors]
        )
        order = np.lexsort((-worth, of))  # stable: of equals the first
        order = order[
            (wanted[of] & belongs)[order]
        ]  # the others are not to be shown, or not linked
        _, best = np.unique(of[order], return_index=True)
        return {
            int(of[k]): self._link(
                int(of[k]),
                int(anchors[k]),
                float(completes[k]),
                float(owed[k]),
                float(rows[k, _LIKENESS]),
            )
            for k in order[best]
        }

    @property
    def _edge_share(self) -> float:
        local = self._settings.local
        return between(local.edge_share, local.edge_share_in_talk, self._features.talk)

    def _link(
        self, candidate: int, anchor: int, completes: float, owed: float, likeness: float
    ) -> _Link:
        link = _Link(anchor, completes, owed)
        if link.gain < _LEAST_GAIN:
            return link
        return replace(link, role=self._role(candidate, anchor, likeness))  # reads both texts

    def _role(self, candidate: int, anchor: int, likeness: float) -> Role:
        memory_id, anchor_id = self._ids[candidate], self._ids[anchor]
        role = role_of(
            self._case.memories[memory_id],
            self._case.memories[anchor_id],
            self._case.question.text,
            likeness,
            self._settings.local,
        )
        said = self._opinion.role(memory_id, anchor_id) if self._opinion is not None else None
        return role if role == "redundant" or said is None else said

    def _increment(self, candidate: int, link: _Link) -> Increment:
        memory_id, anchor_id = self._ids[candidate], self._ids[link.anchor]
        if link.role == "irrelevant":
            return Increment(memory_id, None, 0.0, link.role)
        if link.role == "redundant":
            return Increment(memory_id, anchor_id, 0.0, link.role)
        anchors = self._features.links[memory_id]
        relations = next(each.relations for each in anchors if each.anchor_id == anchor_id)
        weight = self._weight(link.gain)
        score = MAX_SUPPORT * weight / self._settings.edges.schema_weight
        return Increment(memory_id, anchor_id, score, link.role, weight, relations)

    def _weight(self, gain: float) -> float:
        """Return the weight ``w`` for which ``kappa + lambda ln w`` is the gain (eq. 9, 12)."""
        ceiling = self._settings.edges.schema_weight
        price = self._settings.forest.edge_cost_weight
        if price == 0:
            return ceiling
        return min(ceiling, math.exp((gain - self._settings.local.opening_cost) / price))

    @property
    def _largest_gain(self) -> float:
        price, ceiling = self._settings.forest.edge_cost_weight, self._settings.edges.schema_weight
        return self._settings.local.opening_cost + price * math.log(ceiling)


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
