"""Features of the local verifier: of a candidate, and of a candidate with an anchor.

No model is called. Features about support by other candidates exclude the other half of the
candidate's own exchange on purpose: its contribution is modelled by links, so that the forest and
not the score decides whether both halves are selected.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from graphmemix.encode.views import all_words
from graphmemix.errors import InvalidDataError
from graphmemix.text.topics import topics_asked, topics_told
from graphmemix.verify.asked import covering, names_in
from graphmemix.verify.columns import (
    best_allowed,
    mass_of,
    ranks,
    share_of_best,
    weighted_mean,
    words_of,
)
from graphmemix.verify.feature_names import BESIDE, NODE, OWN, PAIR, WHOLE
from graphmemix.verify.held import hold_asked, holding, with_time_and_place
from graphmemix.verify.logistic import log_odds
from graphmemix.verify.protocol import eligible_links
from graphmemix.verify.signals import AGREES, MEDIUM, Neighbourhood
from graphmemix.verify.subjects import subjects

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from graphmemix.memory import Memory
    from graphmemix.verify.protocol import Case, EligibleAnchor
    from graphmemix.verify.signals import Signals

    Floats = NDArray[np.float64]
    AnyFloats = NDArray[np.floating[Any]]

_FLOOR = -0.6  # cosine; "far below the best", for candidates without neighbours
_RELATED = 0.5  # cosine; 86 % of questions about an archive reach it, 14 % of unrelated ones
_EXCHANGES = 5  # exchanges of two halves that fill a proposal of ten
_SUREST = 0.999  # upper bound of probabilities: fitted ones are not reliable beyond
_RIVALS = 10  # a question selects ten memories: the tenth score is about where the cut is
_ATTACHED = frozenset({"same_round", "attachment_of"})
_ANSWER_SOURCES = 5
_SOME_TALK = (0.75, 0.95)  # shares of turns: a household's chats stay below, dialogues are above
_A_DAY, _A_WEEK = 0.5, 5.0  # days; how fast support falls with the time between two memories
_OWN_AT = [list(NODE).index(name) for name in OWN]
_WHOLE_AT = {name: column for column, name in enumerate(WHOLE)}
# The kinds that the coefficients were fitted on; every feature applies to them.
_FITTED_KINDS = frozenset({"message", "profile"})


class Features:
    """The features of one case. Costs a few milliseconds for 48 candidates."""

    def __init__(self, case: Case, lexical_weight: float) -> None:
        """Compute what all features share.

        Raises:
            InvalidDataError: The case carries no signals.
        """
        if case.signals is None:
            raise InvalidDataError("case: the local verifier needs the signals of retrieval")
        self._case = case
        self.signals: Signals = case.signals
        self._around = Neighbourhood(case)
        parts = [(c.dense, c.lexical, c.matched) for c in case.candidates]
        dense, lexical, matched = np.array(parts).reshape(-1, 3).T
        self._dense, self._lexical, self._matched = dense, lexical, matched
        # The hybrid score in units of cosine, whatever scale the candidate's own score is on.
        self._fused = dense + lexical_weight * lexical + matched

    def __len__(self) -> int:
        return len(self._fused)

    @cached_property
    def nodes(self) -> Floats:
        """One row per candidate, columns as in `NODE`."""
        n, fused, signals, around = len(self), self._fused, self.signals, self._around
        best = fused.max(initial=0.0)
        tenth = np.sort(fused)[::-1][min(_RIVALS, n) - 1] if n else 0.0
        mass = mass_of(fused)
        others = ~around.same_exchange
        like = self._likeness
        like_together = signals.together @ signals.together.T
        better = fused[None, :] > fused[:, None]
        columns = {
            "context_cosine": signals.context,
            "words_cosine": signals.words,
            "looks_cosine": signals.looks,
            "word_share": self._lexical,
            "own_word_share": share_of_best(signals.own_bm25),
            "log_bm25": np.log1p(signals.context_bm25),
            "words_covered": self._covered @ self._rarity,
            "topics_shared": self._topics_shared,
            "constraints": self._matched,
            "below_best": fused - best,
            "best_above_tenth": np.full(n, best - tenth),
            "best_near": best_allowed(around.near, fused - best, _FLOOR),
            "session_mass": (around.same_session & others) @ mass,
            "semantic_support": around.likeness_links @ mass,
            "like_the_best": like @ mass - np.diag(like) * mass,
            "context_like_the_best": weighted_mean(like_together, others * mass[None, :]),
            "like_a_better_one": best_allowed(better & others, like_together, 0.0),
            "better_in_session": np.log1p((around.same_session & others & better).sum(axis=1)),
            "picture_for_picture": self._pictures,
            "in_exchange": around.in_exchange.astype(float),
            "by_assistant": self._by_assistant,
            "log_length": np.log(20 + self._lengths),
            "log_rank": np.log2(np.arange(n) + 2.0),
            "seed": np.array([c.seed_rank is not None for c in self._case.candidates], float),
            "log_word_rank": np.log1p(ranks(self._lexical)),
            "inverse_word_rank": 1 / (1 + ranks(self._lexical)),
            "log_cosine_rank": np.log1p(ranks(self._dense)),
            "inverse_cosine_rank": 1 / (1 + ranks(self._dense)),
            **self._agreement,
            "holds_asked": hold_asked(self._case.question.text, self._texts),
            "best_within": best_allowed(around.within, fused - best, _FLOOR),
            "best_in_episode": best_allowed(around.same_episode, fused - best, _FLOOR),
            "best_with_number": best_allowed(around.same_number, fused - best, _FLOOR),
            **self._clause,
            **self._kinds,
        }
        rows = np.column_stack([columns[name] for name in NODE])
        for names, applies in self._limits:
            for name in names:
                rows[~applies, list(NODE).index(name)] = np.nan
        return rows

    @property
    def own(self) -> Floats:
        """One row per candidate, columns as in `OWN`."""
        return self.nodes[:, _OWN_AT]

    @cached_property
    def _memories(self) -> list[Memory]:
        return [self._case.memories[c.memory_id] for c in self._case.candidates]

    @cached_property
    def _likeness(self) -> AnyFloats:
        """Cosines of the canonical views of any two candidates."""
        return self.signals.canonical @ self.signals.canonical.T

    @cached_property
    def talk(self) -> float:
        """How much of a conversation the candidates are: 0 up to 3/4 of them, 1 from 19/20."""
        turns = sum(m.kind in _FITTED_KINDS and m.session is not None for m in self._memories)
        low, high = _SOME_TALK
        return min(1.0, max(0.0, (turns / max(1, len(self)) - low) / (high - low)))

    @property
    def is_bulk(self) -> NDArray[np.bool_]:
        """Which candidates are mails that many got."""
        return self.signals.bulk > 0

    @property
    def _agreement(self) -> dict[str, Floats]:
        matches = self.signals.matches
        asked = ~np.isnan(matches).all(axis=0) if len(self) else np.zeros(4, bool)
        every = np.full(len(self), np.nan)
        if asked.any():
            every = (matches[:, asked] >= AGREES).all(axis=1).astype(float)
        names = ("time_agrees", "place_agrees", "person_agrees", "medium_agrees")
        return {**dict(zip(names, matches.T, strict=True)), "all_agree": every}

    @property
    def _clause(self) -> dict[str, Floats]:
        asked, event = self.signals.parts.T
        days = self._around.within | self._around.same_episode | np.eye(len(self), dtype=bool)
        beside = event if np.isnan(event).all() else best_allowed(days, event, 0.0)
        return {"asked_cosine": asked, "event_cosine": event, "event_beside": beside}

    @property
    def _kinds(self) -> dict[str, Floats]:
        kinds = np.array([memory.kind for memory in self._memories], dtype=object)
        return {
            "is_mail": (kinds == "email").astype(float),
            "is_message": (kinds == "message").astype(float),
            "is_event": (kinds == "event").astype(float),
            "is_picture": ((kinds == "photo") | (kinds == "video")).astype(float),
            "is_bulk": self.signals.bulk,
        }

    @property
    def _limits(self) -> tuple[tuple[tuple[str, ...], NDArray[np.bool_]], ...]:
        """The features that do not apply to some candidates, and are NaN there.

        A photo without text is not dissimilar to the question, and a mail is not a short message.
        """
        fitted = np.array([memory.kind in _FITTED_KINDS for memory in self._memories], dtype=bool)
        worded = np.array([bool(memory.text) for memory in self._memories], dtype=bool)
        placed = np.array([memory.session is not None for memory in self._memories], dtype=bool)
        return (
            (("in_exchange", "by_assistant", "log_length"), fitted),
            (("words_cosine",), fitted | worded),
            (("session_mass", "better_in_session"), fitted | placed),
            (("best_near",), fitted | self._around.near.any(axis=1)),
        )

    @cached_property
    def links(self) -> dict[str, tuple[EligibleAnchor, ...]]:
        """The anchors of each candidate: all candidates that the schema relates it to.

        A language model gets only a few anchors because each costs tokens; here they are free.
        """
        return eligible_links(self._case.graph, [c.memory_id for c in self._case.candidates])

    def pairs(self, probability: Floats) -> tuple[list[tuple[int, int]], Floats]:
        """Return (candidate, anchor) pairs, and one row for each, columns as in `PAIR`."""
        index = {c.memory_id: i for i, c in enumerate(self._case.candidates)}
        eligible = [
            (index[memory_id], index[anchor.anchor_id], bool(_ATTACHED & set(anchor.relations)))
            for memory_id, anchors in self.links.items()
            for anchor in anchors
        ]
        if not eligible:
            return [], np.zeros((0, len(PAIR)))
        i, a, attached = (np.array(column) for column in zip(*eligible, strict=True))
        odds, signals = log_odds(probability), self.signals
        columns = {
            "candidate_log_odds": odds[i],
            "anchor_log_odds": odds[a],
            "same_exchange": attached.astype(float),
            "likeness": (signals.canonical[i] * signals.canonical[a]).sum(axis=1),
            "context_likeness": (signals.together[i] * signals.together[a]).sum(axis=1),
            "word_share_below_best": self._lexical[i] - self._lexical.max(),
            "after": self._around.after[i, a].astype(float),
            "within": self._around.within[i, a].astype(float),
            "same_episode": self._around.same_episode[i, a].astype(float),
            "same_number": self._around.same_number[i, a].astype(float),
            "linked": self._around.near[i, a].astype(float),
            "anchor_is_event": signals.parts[a, 1],
            "candidate_is_asked": signals.parts[i, 0],
        }
        pairs = [(candidate, anchor) for candidate, anchor, _ in eligible]
        return pairs, np.column_stack([columns[name] for name in PAIR])

    def second_look(self, probability: Floats) -> Floats:
        """Return one row per candidate, columns as in `SECOND`.

        Args:
            probability: The chance of each candidate at first sight.
        """
        odds, around = log_odds(probability), self._around
        others = ~around.same_exchange
        days = around.days_apart
        like = np.where(others, self._likeness, 0.0)
        n, best = len(self), odds.max(initial=-math.inf)
        columns = {
            "first_log_odds": odds,
            "first_rank": np.log1p(ranks(probability)),
            "first_expected": np.full(n, math.log(probability.sum() + 1e-6)),
            "likeliest": np.full(n, best),
            "below_likeliest": odds - best,
            "day_support": np.where(others, np.exp(-days / _A_DAY), 0.0) @ probability,
            "week_support": np.where(others, np.exp(-days / _A_WEEK), 0.0) @ probability,
            "author_support": (around.same_author & others) @ probability,
            "alike_support": like @ probability,
            "linked_support": around.likeness_links @ probability,
            "within_support": best_allowed(around.within & others, probability, 0.0),
            "episode_support": best_allowed(around.same_episode & others, probability, 0.0),
            "number_support": best_allowed(around.same_number & others, probability, 0.0),
            "near_support": best_allowed(around.near & others, probability, 0.0),
            **self._event_support,
        }
        return np.hstack([self.nodes, np.column_stack([columns[name] for name in BESIDE])])

    @property
    def _event_support(self) -> dict[str, Floats]:
        """How likely the event that gives the question's time is of a candidate's days."""
        event = self.signals.parts[:, 1]
        if np.isnan(event).all():
            return {"event_support": event}
        around = self._around
        days = around.within | around.same_episode | (around.days_apart < _A_DAY)
        days |= np.eye(len(self), dtype=bool)  # of those without a time, too
        return {"event_support": days @ mass_of(event)}

    def overshadowed(self, probability: Floats) -> NDArray[np.bool_]:
        """Return which candidates have a likelier half of their exchange; ties to the earlier."""
        order = np.arange(len(self))
        better = probability[None, :] > probability[:, None]
        tied = probability[None, :] == probability[:, None]
        ahead = better | (tied & (order[None, :] < order[:, None]))
        return np.asarray((self._around.same_exchange & ahead).any(axis=1))

    def sureness(self, probability: Floats) -> float:
        """Return ``-ln`` of the probability that the five best exchanges all miss.

        They are treated as independent. Five exchanges fill a proposal of ten. Near 0 nothing is
        certain; above 3 they hardly ever miss.
        """
        leaders = np.sort(probability[~self.overshadowed(probability)])[::-1][:_EXCHANGES]
        return -float(np.log1p(-np.minimum(leaders, _SUREST)).sum())

    def whole(self, probability: Floats) -> Floats:
        """Return one row for the whole question, columns as in `WHOLE`."""
        if not len(self):
            return np.zeros((1, len(WHOLE)))
        odds, question = log_odds(probability), self._case.question.text
        best = np.argsort(-probability, kind="stable")[:_RIVALS]
        top = best[:_ANSWER_SOURCES]
        columns = {
            "best_log_odds": odds.max(),
            "log_expected": math.log(max(probability.sum(), 1e-6)),
            "best_words_covered": (self._covered @ self._rarity).max(),
            "all_words_covered": float(self._covered[top].any(axis=0) @ self._rarity),
            "best_cosine": self._dense.max(),
            "cosine_short": max(0.0, _RELATED - float(self._dense.max())),
            "best_bm25": math.log1p(float(self.signals.context_bm25.max())),
            **holding(question, self._told, self._signed, self._dense, probability),
            "gives_event": float(not np.isnan(self.signals.parts).all()),
            "gives_time": float(not np.isnan(self.signals.matches[:, 0]).all()),
            "gives_medium": float(not np.isnan(self.signals.matches[:, MEDIUM]).all()),
            **covering(question, [self._signed[k] for k in best], self._signed),
            **subjects(self._memories, self._texts, names_in(question), probability, self.talk),
        }
        return np.array([[columns[name] for name in WHOLE]])

    @cached_property
    def _texts(self) -> list[str]:
        return [all_words(memory) for memory in self._memories]

    @cached_property
    def _told(self) -> list[str]:
        """The words of each candidate, and what an entry or a picture tells without words."""
        pairs = zip(self._memories, self._texts, strict=True)
        return [with_time_and_place(memory, text) for memory, text in pairs]

    @cached_property
    def _signed(self) -> list[str]:
        """The same below the name of who wrote, said or took it."""
        pairs = zip(self._memories, self._told, strict=True)
        return [f"{memory.speaker or ''}\n{text}" for memory, text in pairs]

    @cached_property
    def _lengths(self) -> Floats:
        return np.array([len(text) for text in self._texts], dtype=float)

    @cached_property
    def _asked(self) -> list[str]:
        return sorted(words_of(self.signals.question_words))

    @cached_property
    def _covered(self) -> NDArray[np.bool_]:
        """Which candidate (row) holds which word of the question (column)."""
        held = [words_of(text) for text in self._texts]
        rows = [[word in words for word in self._asked] for words in held]
        return np.array(rows, dtype=bool).reshape(len(held), len(self._asked))

    @property
    def _topics_shared(self) -> Floats:
        asked = topics_asked(self._case.question.text)
        if not asked:
            return np.full(len(self), np.nan)
        told = [topics_told(words_of(text)) for text in self._texts]
        return np.array([len(asked & each) / len(asked) for each in told])

    @cached_property
    def _rarity(self) -> Floats:
        """The question's words by rarity among the candidates; they sum to 1."""
        n, holding = len(self), self._covered.sum(axis=0)
        rarity = np.log1p((n - holding + 0.5) / (holding + 0.5))
        return np.asarray(rarity / max(rarity.sum(), 1e-9))

    @property
    def _pictures(self) -> Floats:
        if not self._case.question.images:
            return np.zeros(len(self))
        return np.array([bool(memory.media) for memory in self._memories], float)

    @property
    def _by_assistant(self) -> Floats:
        return np.array([memory.speaker == "assistant" for memory in self._memories], float)


def selected(whole: Floats, names: Collection[str]) -> Floats:
    """Return these columns of rows whose columns are `WHOLE`."""
    return whole[:, [_WHOLE_AT[name] for name in names]]
