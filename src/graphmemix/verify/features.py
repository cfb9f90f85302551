"""Features of the local verifier: of a candidate, and of a candidate with an anchor.

No model is called. Features about support by other candidates exclude the other half of the
candidate's own exchange on purpose: its contribution is modelled by links, so that the forest and
not the score decides whether both halves are selected.
"""

from __future__ import annotations

import math
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from graphmemix.encode.views import all_words
from graphmemix.errors import InvalidDataError
from graphmemix.text.words import terms
from graphmemix.verify.asked import COVERING, asked_type, covering, holds
from graphmemix.verify.logistic import log_odds
from graphmemix.verify.protocol import eligible_links
from graphmemix.verify.signals import Neighbourhood

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphmemix.verify.protocol import Case, EligibleAnchor
    from graphmemix.verify.signals import Signals

    Floats = NDArray[np.float64]
    AnyFloats = NDArray[np.floating[Any]]

_SHARPNESS = 0.05  # cosine; how fast a candidate's share of the retrieval mass falls
_FLOOR = -0.6  # cosine; "far below the best", for candidates without neighbours
_RELATED = 0.5  # cosine; 86 % of questions about an archive reach it, 14 % of unrelated ones
_EXCHANGES = 5  # exchanges of two halves that fill a proposal of ten
_SUREST = 0.999  # upper bound of probabilities: fitted ones are not reliable beyond
_RIVALS = 10  # a question selects ten memories: the tenth score is about where the cut is
_AGREES = 0.99

_NODE: dict[str, str] = {
    "context_cosine": "cosine of the exchange with the question",
    "words_cosine": "best cosine of its own words",
    "looks_cosine": "best cosine of what is to be seen in its media",
    "word_share": "BM25 of its exchange, as a share of the best in the archive",
    "own_word_share": "BM25 of its own words, as a share of the best candidate's",
    "log_bm25": "ln(1 + BM25 of its exchange)",
    "words_covered": "share of the question's words that it holds, rare words counting more",
    "constraints": "what it gains by dates, places, people and media that the question names",
    "below_best": "its fused score less the best one",
    "best_above_tenth": "the best fused score less the tenth",
    "best_near": "best fused score near it in its session, or linked with it, less the best",
    "session_mass": "share of the retrieval mass that the rest of its session has",
    "semantic_support": "retrieval mass of its semantic neighbours",
    "like_the_best": "likeness to the best candidates, by canonical views",
    "context_like_the_best": "likeness to the best candidates, by exchanges",
    "like_a_better_one": "greatest likeness to a candidate with a higher score",
    "better_in_session": "ln(1 + candidates of its session with a higher score)",
    "picture_for_picture": "1 if the question has a picture and the memory has media",
    "in_exchange": "1 if it is part of a round, such as a question and its reply",
    "by_assistant": "1 if an assistant said it",
    "log_length": "ln(20 + characters)",
    "log_rank": "log2(2 + position in retrieval order)",
    "seed": "1 if retrieval found it, 0 if expansion did",
    "log_word_rank": "ln(1 + rank by words)",
    "inverse_word_rank": "1 / (1 + rank by words)",
    "log_cosine_rank": "ln(1 + rank by cosine)",
    "inverse_cosine_rank": "1 / (1 + rank by cosine)",
    "time_agrees": "how well it agrees with the time that the question names",
    "place_agrees": "how well it agrees with the place",
    "person_agrees": "how well it agrees with the people",
    "medium_agrees": "how well it agrees with the kind of memory",
    "all_agree": "1 if it agrees with all that the question names",
    "holds_asked": "1 if it holds a value of the sort that is asked for, such as a time",
    "best_within": "best fused score of those whose stated days it lies in, less the best",
    "best_in_episode": "best fused score of those of its day and place, less the best",
    "best_with_number": "best fused score of those that share an order number, less the best",
    "asked_cosine": "cosine with what is asked, if the question gives its time by an event",
    "event_cosine": "cosine with that event",
    "event_beside": "best cosine with that event, of it and of those of its days",
    "is_mail": "1 if it is a mail",
    "is_message": "1 if it is a message of a chat",
    "is_event": "1 if it is an event of a calendar",
    "is_picture": "1 if it is a photo or a video",
    "is_bulk": "1 if it is a mail that many got",
}
"""Features of a candidate, in column order."""

_PAIR: dict[str, str] = {
    "candidate_log_odds": "log-odds of the candidate",
    "anchor_log_odds": "log-odds of the anchor",
    "same_exchange": "1 if both belong to one exchange, or one is attached to the other",
    "likeness": "cosine of their canonical views",
    "context_likeness": "cosine of their exchanges",
    "word_share_below_best": "the candidate's word share less the best candidate's",
    "after": "1 if the candidate comes after the anchor in their session",
    "within": "1 if one states days that the other lies in",
    "same_episode": "1 if both are of about the same day and place",
    "same_number": "1 if both hold the same order or booking number",
    "linked": "1 if the published relations, a reply or an attachment link them",
    "anchor_is_event": "cosine of the anchor with the event that gives the question's time",
    "candidate_is_asked": "cosine of the candidate with what is asked beside that event",
}
"""Features of a candidate beside an anchor."""

_WHOLE: dict[str, str] = {
    "best_log_odds": "log-odds of the best candidate",
    "log_expected": "ln of the expected number of pieces of evidence",
    "best_words_covered": "greatest share of the question's words that one candidate holds",
    "all_words_covered": "share of the question's words that the five best candidates hold",
    "best_cosine": "the best cosine",
    "cosine_short": "how far the best cosine falls short of 0.5",
    "best_bm25": "ln(1 + the best BM25)",
    **COVERING,
}
"""Features of a question with its candidates, for the chance that it can be answered at all."""

_IN_TALK = "_in_talk"


def _also_in_talk(features: dict[str, str]) -> dict[str, str]:
    """Return features, and each once more for archives of conversations.

    There, turns follow each other and every one has words; what a feature is worth differs. The
    second one is the first times the share of conversation, so that its weight says by how much.
    """
    again = {f"{name}{_IN_TALK}": f"in a conversation: {what}" for name, what in features.items()}
    return {**features, "talk": "share of conversation among the candidates", **again}


NODE: dict[str, str] = _also_in_talk(_NODE)
"""Features of a candidate, in column order."""

PAIR: dict[str, str] = _also_in_talk(_PAIR)
"""Features of a candidate next to an anchor."""

WHOLE: dict[str, str] = _also_in_talk(_WHOLE)
"""Features of a question with its candidates, for the chance that it can be answered at all."""

_RISING = frozenset(
    {
        "best_log_odds",
        "log_expected",
        "best_words_covered",
        "all_words_covered",
        "best_cosine",
        "best_bm25",
        "covered_with_value",
        "covered_near_value",
        "names_near_value",
    }
)
_FALLING = frozenset({"cosine_short", "words_unseen"})

_REMEMBERED = 10_000  # characters; longer texts would fill the memory of the process
_ATTACHED = frozenset({"same_round", "attachment_of"})
_ANSWER_SOURCES = 5
# The kinds that the coefficients were fitted on; every feature applies to them.
_FITTED_KINDS = frozenset({"message", "profile"})


def speaks_against(name: str) -> int:
    """Return 1 or -1 for a feature of `WHOLE` that may only lower or raise the chance; else 0.

    Near misses name exactly what an archive knows of, so that data alone would teach that likeness
    speaks against an answer, and the plainest question would get the least chance.
    """
    feature = name.removesuffix("_in_talk")
    return int(feature in _FALLING) - int(feature in _RISING)


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
        self._signals: Signals = case.signals
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
        n, fused, signals, around = len(self), self._fused, self._signals, self._around
        best = fused.max(initial=0.0)
        tenth = np.sort(fused)[::-1][min(_RIVALS, n) - 1] if n else 0.0
        mass = _mass(fused)
        others = ~around.same_exchange
        like = signals.canonical @ signals.canonical.T
        like_together = signals.together @ signals.together.T
        better = fused[None, :] > fused[:, None]
        columns = {
            "context_cosine": signals.context,
            "words_cosine": signals.words,
            "looks_cosine": signals.looks,
            "word_share": self._lexical,
            "own_word_share": _share(signals.own_bm25),
            "log_bm25": np.log1p(signals.context_bm25),
            "words_covered": self._covered @ self._rarity,
            "constraints": self._matched,
            "below_best": fused - best,
            "best_above_tenth": np.full(n, best - tenth),
            "best_near": _best(around.near, fused - best, _FLOOR),
            "session_mass": (around.same_session & others) @ mass,
            "semantic_support": around.likeness_links @ mass,
            "like_the_best": like @ mass - np.diag(like) * mass,
            "context_like_the_best": _weighted(like_together, others * mass[None, :]),
            "like_a_better_one": _best(better & others, like_together, 0.0),
            "better_in_session": np.log1p((around.same_session & others & better).sum(axis=1)),
            "picture_for_picture": self._pictures,
            "in_exchange": around.in_exchange.astype(float),
            "by_assistant": self._by_assistant,
            "log_length": np.log(20 + self._lengths),
            "log_rank": np.log2(np.arange(n) + 2.0),
            "seed": np.array([c.seed_rank is not None for c in self._case.candidates], float),
            "log_word_rank": np.log1p(_ranks(self._lexical)),
            "inverse_word_rank": 1 / (1 + _ranks(self._lexical)),
            "log_cosine_rank": np.log1p(_ranks(self._dense)),
            "inverse_cosine_rank": 1 / (1 + _ranks(self._dense)),
            **self._agreement,
            "holds_asked": self._holds_asked,
            "best_within": _best(around.within, fused - best, _FLOOR),
            "best_in_episode": _best(around.same_episode, fused - best, _FLOOR),
            "best_with_number": _best(around.same_number, fused - best, _FLOOR),
            **self._clause,
            **self._kinds,
        }
        rows = np.column_stack([columns[name] for name in _NODE])
        for names, applies in self._limits:
            for name in names:
                rows[~applies, list(_NODE).index(name)] = np.nan
        return self._with_talk(rows)

    @cached_property
    def _talk(self) -> float:
        """How much of a conversation the candidates are: 0 up to half of them, 1 for all."""
        memories = [self._case.memories[c.memory_id] for c in self._case.candidates]
        turns = sum(m.kind in _FITTED_KINDS and m.session is not None for m in memories)
        return max(0.0, 2 * turns / max(1, len(memories)) - 1)

    def _with_talk(self, rows: Floats) -> Floats:
        talk = np.full((len(rows), 1), self._talk)
        return np.hstack([rows, talk, rows * talk])

    @property
    def time_is_known(self) -> bool:
        """Whether a candidate is from or about the time that is named, if one is."""
        times = self._signals.matches[:, 0]
        return not len(times) or bool(np.isnan(times).any() or times.max() >= _AGREES)

    @property
    def _agreement(self) -> dict[str, Floats]:
        matches = self._signals.matches
        asked = ~np.isnan(matches).all(axis=0) if len(self) else np.zeros(4, bool)
        every = np.full(len(self), np.nan)
        if asked.any():
            every = (matches[:, asked] >= _AGREES).all(axis=1).astype(float)
        names = ("time_agrees", "place_agrees", "person_agrees", "medium_agrees")
        return {**dict(zip(names, matches.T, strict=True)), "all_agree": every}

    @property
    def _clause(self) -> dict[str, Floats]:
        asked, event = self._signals.parts.T
        days = self._around.within | self._around.same_episode | np.eye(len(self), dtype=bool)
        beside = event if np.isnan(event).all() else _best(days, event, 0.0)
        return {"asked_cosine": asked, "event_cosine": event, "event_beside": beside}

    @cached_property
    def _holds_asked(self) -> Floats:
        wanted = asked_type(self._case.question.text)
        if wanted is None:
            return np.full(len(self), np.nan)
        return np.array([holds(text, wanted) for text in self._texts], float)

    @property
    def _kinds(self) -> dict[str, Floats]:
        memories = [self._case.memories[c.memory_id] for c in self._case.candidates]
        kinds = np.array([memory.kind for memory in memories], dtype=object)
        return {
            "is_mail": (kinds == "email").astype(float),
            "is_message": (kinds == "message").astype(float),
            "is_event": (kinds == "event").astype(float),
            "is_picture": ((kinds == "photo") | (kinds == "video")).astype(float),
            "is_bulk": self._signals.bulk,
        }

    @property
    def _limits(self) -> tuple[tuple[tuple[str, ...], NDArray[np.bool_]], ...]:
        """The features that do not apply to some candidates, and are NaN there.

        A photo without text is not dissimilar to the question, and a mail is not a short message.
        """
        memories = [self._case.memories[c.memory_id] for c in self._case.candidates]
        fitted = np.array([memory.kind in _FITTED_KINDS for memory in memories], dtype=bool)
        worded = np.array([bool(memory.text) for memory in memories], dtype=bool)
        placed = np.array([memory.session is not None for memory in memories], dtype=bool)
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
        odds, signals = log_odds(probability), self._signals
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
        return pairs, self._with_talk(np.column_stack([columns[name] for name in _PAIR]))

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
        odds = log_odds(probability)
        best = np.argsort(-probability, kind="stable")[:_RIVALS]
        top = best[:_ANSWER_SOURCES]
        columns = {
            "best_log_odds": odds.max(),
            "log_expected": math.log(max(probability.sum(), 1e-6)),
            "best_words_covered": (self._covered @ self._rarity).max(),
            "all_words_covered": float(self._covered[top].any(axis=0) @ self._rarity),
            "best_cosine": self._dense.max(),
            "cosine_short": max(0.0, _RELATED - float(self._dense.max())),
            "best_bm25": math.log1p(float(self._signals.context_bm25.max())),
            **covering(self._case.question.text, [self._signed[k] for k in best], self._texts),
        }
        return self._with_talk(np.array([[columns[name] for name in _WHOLE]]))

    @cached_property
    def _texts(self) -> list[str]:
        memories = self._case.memories
        return [all_words(memories[c.memory_id]) for c in self._case.candidates]

    @property
    def _signed(self) -> list[str]:
        """The words of each candidate below the name of who wrote, said or took it."""
        speakers = [self._case.memories[c.memory_id].speaker for c in self._case.candidates]
        return [f"{who or ''}\n{text}" for who, text in zip(speakers, self._texts, strict=True)]

    @cached_property
    def _lengths(self) -> Floats:
        return np.array([len(text) for text in self._texts], dtype=float)

    @cached_property
    def _asked(self) -> list[str]:
        return sorted(words_of(self._signals.question_words))

    @cached_property
    def _covered(self) -> NDArray[np.bool_]:
        """Which candidate (row) holds which word of the question (column)."""
        held = [words_of(text) for text in self._texts]
        rows = [[word in words for word in self._asked] for words in held]
        return np.array(rows, dtype=bool).reshape(len(held), len(self._asked))

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
        memories = self._case.memories
        return np.array([bool(memories[c.memory_id].media) for c in self._case.candidates], float)

    @property
    def _by_assistant(self) -> Floats:
        speakers = [self._case.memories[c.memory_id].speaker for c in self._case.candidates]
        return np.array([speaker == "assistant" for speaker in speakers], float)


def words_of(text: str) -> frozenset[str]:
    """Return the distinct words of a text; cached, since questions meet the same texts often."""
    return _remembered_words(text) if len(text) <= _REMEMBERED else frozenset(terms(text))


@lru_cache(maxsize=4096)
def _remembered_words(text: str) -> frozenset[str]:
    return frozenset(terms(text))


def _mass(scores: Floats) -> Floats:
    """Return shares that sum to 1 and fall quickly below the best score."""
    power = np.exp((scores - scores.max(initial=-math.inf)) / _SHARPNESS)
    return np.asarray(power / max(power.sum(), 1e-12))


def _share(values: Floats) -> Floats:
    best = values.max(initial=0.0)
    return np.asarray(values / best) if best > 0 else values


def _ranks(values: Floats) -> Floats:
    """Return how many values are greater, for each."""
    return np.asarray((values[None, :] > values[:, None]).sum(axis=1), dtype=float)


def _best(mask: NDArray[np.bool_], values: AnyFloats, otherwise: float) -> Floats:
    """Return the best value that each row's mask allows."""
    allowed = np.where(mask, values, -np.inf)
    best = allowed.max(axis=1, initial=-np.inf)
    return np.where(np.isfinite(best), best, otherwise)


def _weighted(values: AnyFloats, weights: Floats) -> Floats:
    return np.asarray((values * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1e-6))
