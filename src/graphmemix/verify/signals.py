"""What the local verifier knows of the candidates: signals of each, and which are close."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final, get_args

import numpy as np

from graphmemix.memory import CONTEXTS, ViewKind
from graphmemix.retrieve.facets import ABOUT, BULK, about_of
from graphmemix.store.unit_vectors import graph_vector

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from graphmemix.retrieve.constraints import Constraints, TimeConstraint
    from graphmemix.retrieve.question import EncodedQuestion
    from graphmemix.store.protocol import Search, Store, Vector
    from graphmemix.text.dates.about import About
    from graphmemix.verify.protocol import Case

    Mask = NDArray[np.bool_]


WORDS: tuple[ViewKind, ...] = ("text", "ocr", "transcript")
"""Views of a memory's own words."""
LOOKS: tuple[ViewKind, ...] = ("caption", "image", "frame")
"""Views of what its media show."""
_OWN: tuple[ViewKind, ...] = ("text", "caption", "ocr", "transcript")


AGREES: Final = 0.99
"""A match from which a memory satisfies what is named."""
MEDIUM: Final = 3
"""The column of matches with the kind of memory."""


@dataclass(frozen=True)
class Signals:
    """One row per candidate, in retrieval order.

    Attributes:
        words: Best cosine of its own words; 0 without any.
        looks: Best cosine of captions and pictures; 0 without any.
        context: Cosine of its context view; 0 without one.
        own_bm25: BM25 of its best own view.
        context_bm25: BM25 of its context view.
        canonical: Its graph vector; zeros without one.
        together: The vector of its context view; zeros without one.
        question_words: The words of the question and of its pictures' captions.
        matches: How well time, place, person and media agree with what the question names, 0 to 1;
            NaN for what it does not name. A memory agrees with a time that it is about, too.
        parts: Best cosine with what is asked, and with the event that gives its time; NaN for a
            question that is one.
        bulk: 1 for a mail that was written for many, 0 for everything else.
        names_all: Whether the question says nothing beside what it names: "photos from July".
    """

    words: NDArray[np.float64]
    looks: NDArray[np.float64]
    context: NDArray[np.float64]
    own_bm25: NDArray[np.float64]
    context_bm25: NDArray[np.float64]
    canonical: NDArray[np.float32]
    together: NDArray[np.float32]
    question_words: str
    matches: NDArray[np.float64]
    parts: NDArray[np.float64]
    bulk: NDArray[np.float64]
    names_all: bool = False

    @property
    def names_nothing(self) -> bool:
        """Whether the question names no time, place, person and kind of memory."""
        return bool(np.isnan(self.matches).all())

    @property
    def shows_asked(self) -> bool:
        """Whether pictures are asked for by what they agree with, and one does: it is the answer.

        "Photos from Italy" shares no word with a photo that was taken there.
        """
        is_named = np.asarray(~np.isnan(self.matches).all(axis=0))
        if not self.names_all or not is_named[MEDIUM] or is_named.sum() < 2:
            return False
        return bool((self.matches[:, is_named] >= AGREES).all(axis=1).any())

    @property
    def time_is_known(self) -> bool:
        """Whether a candidate is from or about the time that is named, if one is."""
        times = self.matches[:, 0]
        return not len(times) or bool(np.isnan(times).any() or times.max() >= AGREES)


def gather(
    store: Store, question: EncodedQuestion, ids: Sequence[str], kinds: Sequence[ViewKind]
) -> Signals:
    """Return the signals of candidates. Costs one read of their vectors and two of BM25.

    Args:
        store: The archive's store.
        question: The encoded question.
        ids: The candidates.
        kinds: The kinds of views to use (`retrieve.prior.views_that_count`).
    """
    own_kinds = [kind for kind in kinds if kind in _OWN]
    together = [kind for kind in kinds if kind in CONTEXTS]
    rows = _Rows(store.vectors_by_kind(ids), ids, question.vectors.shape[1])
    cosines = rows.cosines(question.vectors)
    own = _bm25(store, question.words, ids, own_kinds)
    context = _bm25(store, question.words, ids, together)
    return Signals(
        words=rows.best(cosines, WORDS),
        looks=rows.best(cosines, LOOKS),
        context=rows.best(cosines, together),
        own_bm25=_column(own, ids),
        context_bm25=_column(context, ids),
        canonical=rows.canonical(),
        together=rows.first(together),
        question_words=question.words,
        matches=_matches(store, question.constraints, ids),
        parts=_parts(question, rows),
        bulk=_held(store.keys(ids, prefix=BULK), ids),
        names_all=question.constraints.alone,
    )


def _parts(question: EncodedQuestion, rows: _Rows) -> NDArray[np.float64]:
    if question.clause is None:
        return np.full((len(rows), 2), np.nan)
    parts = (question.clause.asked, question.clause.event)
    columns = [rows.best(rows.cosines(part.vectors), get_args(ViewKind)) for part in parts]
    return np.column_stack(columns)


def _matches(store: Store, constraints: Constraints, ids: Sequence[str]) -> NDArray[np.float64]:
    found = np.full((len(ids), 4), np.nan)
    if not constraints:
        return found
    outlines = store.outlines(ids)
    for row, memory_id in enumerate(ids):
        if memory_id in outlines:
            parts = constraints.parts(outlines[memory_id])
            found[row] = [np.nan if part is None else part for part in parts]
    if constraints.times:
        days = store.keys(ids, prefix=ABOUT)
        for row, memory_id in enumerate(ids):
            spans = about_of(days.get(memory_id, ()))
            if any(_is_about(span, time) for span in spans for time in constraints.times):
                found[row, 0] = 1.0
    return found


def _is_about(span: About, time: TimeConstraint) -> bool:
    begins = datetime.combine(span.first, datetime.min.time(), time.end.tzinfo)
    return begins < time.end and span.last >= time.start.date()


class _Rows:
    """The vectors of all candidates: one matrix, and whose and of which kind each row is."""

    def __init__(
        self,
        vectors: Mapping[str, Sequence[tuple[ViewKind, Vector]]],
        ids: Sequence[str],
        dimension: int,
    ) -> None:
        self._of = [vectors.get(i, ()) for i in ids]
        self._dimension = dimension
        known = [(row, kind, vector) for row, of in enumerate(self._of) for kind, vector in of]
        self._owner = np.array([row for row, _, _ in known], dtype=np.intp)
        self._kind = np.array([kind for _, kind, _ in known], dtype=object)
        self._matrix = _stacked([vector for _, _, vector in known], dimension)

    def __len__(self) -> int:
        return len(self._of)

    def cosines(self, question: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the best cosine of each vector over the question's parts."""
        return np.asarray((self._matrix @ question.T).max(axis=1, initial=-1.0), dtype=np.float64)

    def best(self, cosines: NDArray[np.float64], kinds: Sequence[ViewKind]) -> NDArray[np.float64]:
        """Return the best cosine of each candidate's vectors of these kinds; 0 without any."""
        wanted = np.isin(self._kind, list(kinds))
        found = np.full(len(self), -np.inf)
        np.maximum.at(found, self._owner[wanted], cosines[wanted])
        return np.where(np.isfinite(found), found, 0.0)

    def first(self, kinds: Sequence[ViewKind]) -> NDArray[np.float32]:
        """Return each candidate's first vector of these kinds; zeros without any."""
        return _stacked(
            [next((v for kind, v in of if kind in kinds), None) for of in self._of], self._dimension
        )

    def canonical(self) -> NDArray[np.float32]:
        """Return each candidate's graph vector, or else that of its labels; zeros without any."""
        vectors = [graph_vector(of) if of else None for of in self._of]
        labels = [of[0][1] if of else None for of in self._of]
        chosen = [b if a is None else a for a, b in zip(vectors, labels, strict=True)]
        return _stacked(chosen, self._dimension)


def _bm25(
    store: Search, words: str, ids: Sequence[str], kinds: Sequence[ViewKind]
) -> dict[str, float]:
    return store.score_text(words, ids, kinds=kinds) if words and kinds else {}


def _held(keys: Mapping[str, object], ids: Sequence[str]) -> NDArray[np.float64]:
    return np.array([float(bool(keys.get(i))) for i in ids])


def _column(scores: Mapping[str, float], ids: Sequence[str]) -> NDArray[np.float64]:
    return np.array([scores.get(i, 0.0) for i in ids])


def _stacked(vectors: Sequence[Vector | None], dimension: int) -> NDArray[np.float32]:
    empty = np.zeros(dimension, dtype=np.float32)
    if not vectors:
        return np.zeros((0, dimension), dtype=np.float32)
    return np.stack([empty if vector is None else vector for vector in vectors])


_NEAR = 3  # positions in a session: the exchange before and the one after
_BY_DAY = ("within", "episode")
_BY_NUMBER = "same_identifier"
_NOWHERE = -(10**9)
_FARTHEST = 10**15  # larger sequence numbers are ignored: their difference may overflow 64 bits


class Neighbourhood:
    """Square matrices over the candidates of a case, in retrieval order.

    Attributes:
        same_exchange: The same round of the same session; the diagonal too.
        in_exchange: Whether a candidate is part of a round.
        same_session: The same session; the diagonal too if there is one.
        near: Other exchanges within three positions in the session, or linked by the schema.
        within: One states a day or an interval, and the other lies inside it.
        same_episode: Made about the same day, and not far from each other.
        same_number: Both hold the same order, booking or invoice number.
        likeness_links: Cosines of semantic links to other exchanges; 0 where there is none.
        after: Whether the row's candidate comes after the column's in the session of both.
        days_apart: Days between the times at which they were made; infinite where one has none.
        same_author: By the same person.
    """

    def __init__(self, case: Case) -> None:
        memories = [case.memories[c.memory_id] for c in case.candidates]
        n = len(memories)
        sessions = _codes([m.session for m in memories])
        rounds = _codes(
            [
                None if m.session is None or m.round is None else (m.session, m.round)
                for m in memories
            ]
        )
        sequence = np.array(
            [
                _NOWHERE if m.sequence is None or abs(m.sequence) > _FARTHEST else m.sequence
                for m in memories
            ],
            dtype=np.int64,
        )
        self.same_exchange: Mask = _equal(rounds) | np.eye(n, dtype=bool)
        self.in_exchange: Mask = rounds >= 0
        self.same_session: Mask = _equal(sessions)
        distance = sequence[:, None] - sequence[None, :]
        known = sequence > _NOWHERE
        placed = self.same_session & known[:, None] & known[None, :]
        self.after: Mask = placed & (distance > 0)
        elsewhere = placed & ~self.same_exchange
        index = {c.memory_id: i for i, c in enumerate(case.candidates)}
        self.likeness_links: NDArray[np.float64] = np.zeros((n, n))
        linked = {name: np.zeros((n, n), dtype=bool) for name in (*_BY_DAY, _BY_NUMBER, "schema")}
        for edge in case.graph.edges:
            i, j = index[edge.source], index[edge.target]
            if edge.relation == "semantic":
                if not self.same_exchange[i, j]:
                    self.likeness_links[i, j] = self.likeness_links[j, i] = edge.confidence
            else:
                matrix = linked.get(edge.relation, linked["schema"])
                matrix[i, j] = matrix[j, i] = True
        self.near: Mask = elsewhere & (np.abs(distance) <= _NEAR)
        self.near |= linked["schema"] & ~self.same_exchange
        self.within: Mask = linked["within"]
        self.same_episode: Mask = linked["episode"]
        self.same_number: Mask = linked[_BY_NUMBER]
        self.days_apart: NDArray[np.float64] = _days_apart([m.timestamp for m in memories])
        self.same_author: Mask = _equal(_codes([m.speaker or None for m in memories]))


def _days_apart(times: Sequence[datetime | None]) -> NDArray[np.float64]:
    days = np.array([np.nan if at is None else at.timestamp() / 86_400 for at in times])
    apart = np.abs(days[:, None] - days[None, :])
    return np.where(np.isnan(apart), np.inf, apart)


def _codes(keys: list[object]) -> NDArray[np.int64]:
    """Return a number for each distinct key; -1 for None."""
    numbers: dict[object, int] = {}
    return np.array(
        [-1 if key is None else numbers.setdefault(key, len(numbers)) for key in keys],
        dtype=np.int64,
    )


def _equal(codes: NDArray[np.int64]) -> Mask:
    return np.asarray((codes[:, None] == codes[None, :]) & (codes >= 0)[:, None])
