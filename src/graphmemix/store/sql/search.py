"""Exact search by vectors and by words."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from graphmemix.errors import ArchiveDamagedError, EncoderMismatchError
from graphmemix.store import rescore, words
from graphmemix.store.lexical import LexicalIndex
from graphmemix.store.protocol import Filter, Hit
from graphmemix.store.sql.base import conditions, require_limit, view_codes, view_kind
from graphmemix.store.sql.derived import DerivedData
from graphmemix.store.sql.facts import KnownFacts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from graphmemix.memory import ViewKind
    from graphmemix.store.database import Row, Session
    from graphmemix.store.protocol import Vector

_T = TypeVar("_T")
_ATTEMPTS = 3
_ROWS_PER_READ = 20_000


class CacheAheadError(Exception):
    """A cache is newer than the snapshot; caught in this package."""


class Search(DerivedData, KnownFacts):
    """The part of the store that finds memories. Safe to call from several threads."""

    def _prepare_search(self) -> None:
        self._lexical: LexicalIndex | None = None
        self._searching = threading.Lock()
        self._local = threading.local()

    def search_vectors(
        self,
        query: Vector,
        encoder: str,
        *,
        limit: int = 200,
        filter: Filter | None = None,
        kinds: Sequence[ViewKind] | None = None,
    ) -> list[Hit]:
        """Return the memories whose best view is nearest by cosine; exact, best first."""
        require_limit(limit, least=1)

        def search(session: Session) -> list[Hit]:
            number, dimension = self._asked_encoder(session, encoder)
            asked = rescore.unit(query, "query", dimension or None)
            if not number:
                return []
            vids = self._vector_candidates(
                session, number, asked, limit, view_codes(kinds), self._allowed(session, filter)
            )
            rows = session.run(
                "SELECT mid, ordinal, kind, vector FROM vectors "
                "WHERE archive = :archive AND encoder = :encoder AND "
                + self.db.among("vid", "vids"),
                encoder=number,
                vids=self.db.sequence(vids),
            )
            return self._hits(session, _rescored(rows, asked), limit)

        return self._in_step(search)

    def score_vectors(
        self,
        query: Vector,
        encoder: str,
        memory_ids: Iterable[str],
        *,
        kinds: Sequence[ViewKind] | None = None,
    ) -> dict[str, float]:
        """Return the score that `search_vectors` would give to these memories."""
        with self.db.read() as session:
            number, dimension = self._asked_encoder(session, encoder)
            asked = rescore.unit(query, "query", dimension or None)
            mids = self._numbers(session, memory_ids)
            rows = session.run(
                "SELECT mid, ordinal, kind, vector FROM vectors "
                "WHERE archive = :archive AND encoder = :encoder AND "
                + self.db.among("mid", "mids"),
                encoder=number,
                mids=self.db.sequence(list(mids.values())),
            )
        wanted = view_codes(kinds)
        rows = [row for row in rows if wanted is None or row[2] in wanted]
        best = _rescored(rows, asked)
        scores = {mid: score for score, mid, _, _ in best}
        return {memory_id: scores[mid] for memory_id, mid in mids.items() if mid in scores}

    def score_text(
        self,
        query: str,
        memory_ids: Iterable[str],
        *,
        kinds: Sequence[ViewKind] | None = None,
    ) -> dict[str, float]:
        """Return the score that `search_text` would give to these memories, if it is not 0."""
        ids = list(memory_ids)

        def score(session: Session) -> dict[str, float]:
            mids = self._numbers(session, ids)
            if not mids:
                return {}
            allowed = np.array(sorted(mids.values()), dtype=np.int64)
            with self._searching:
                index = self._fresh_lexical(session)
                found = index.best(
                    words.terms(query), len(mids), kinds=view_codes(kinds), allowed=allowed
                )
            scores = dict(zip(found.owners.tolist(), found.scores.tolist(), strict=True))
            return {memory_id: scores[mid] for memory_id, mid in mids.items() if mid in scores}

        return self._in_step(score)

    def _asked_encoder(self, session: Session, encoder: str) -> tuple[int, int]:
        """Return number and dimension of the serving encoder, if it is the one that asks."""
        serving = self._serving(session)
        if serving is None:
            return 0, 0
        if serving[1] != encoder:
            raise EncoderMismatchError(serving[1], encoder)
        return serving[0], serving[2]

    def _vector_candidates(
        self,
        session: Session,
        encoder: int,
        query: Vector,
        limit: int,
        kinds: Sequence[int] | None,
        allowed: NDArray[np.int64] | None,
    ) -> list[int]:
        """Return the views among which the best `limit` memories' best views are certain to be."""
        raise NotImplementedError

    def search_text(
        self,
        query: str,
        *,
        limit: int = 200,
        filter: Filter | None = None,
        kinds: Sequence[ViewKind] | None = None,
    ) -> list[Hit]:
        """Return the memories whose best view matches the words best (BM25), best first."""
        require_limit(limit, least=1)
        terms = words.terms(query)
        if not terms:
            return []

        def search(session: Session) -> list[Hit]:
            allowed = self._allowed(session, filter)
            with self._searching:
                index = self._fresh_lexical(session)
                found = index.best(terms, limit, kinds=view_codes(kinds), allowed=allowed)
            rows = session.run(
                "SELECT vid, ordinal, kind FROM views WHERE archive = :archive AND "
                + self.db.among("vid", "vids"),
                vids=self.db.sequence(found.view_ids.tolist()),
            )
            places = {vid: (ordinal, kind) for vid, ordinal, kind in rows}
            hits = zip(
                found.scores.tolist(), found.owners.tolist(), found.view_ids.tolist(), strict=True
            )
            best = [(score, mid, *places[vid]) for score, mid, vid in hits if vid in places]
            return self._hits(session, best, limit)

        return self._in_step(search)

    def _in_step(self, search: Callable[[Session], _T]) -> _T:
        """Run a search on a snapshot that is not older than the caches.

        Another thread or process may have brought a cache beyond the state that this one began to
        read; then it begins anew. Inside `snapshot` it cannot, and makes a cache of its own.
        """
        for _ in range(_ATTEMPTS):
            try:
                with self.db.read() as session:
                    return search(session)
            except CacheAheadError:
                continue
        self._local.alone = True
        try:
            with self.db.read() as session:
                return search(session)
        finally:
            self._local.alone = False

    def _is_ahead(self, cached: int, seen: int) -> bool:
        """Return whether a cache has seen more than the session, which must then do without it."""
        if cached <= seen:
            return False
        if not getattr(self._local, "alone", False):
            raise CacheAheadError
        return True

    def _hits(
        self, session: Session, best: Iterable[tuple[float, int, int, int]], limit: int
    ) -> list[Hit]:
        """Return the best `limit` of (score, mid, ordinal, kind), ties by id."""
        found = list(best)
        ids = self._ids_of(session, [mid for _, mid, _, _ in found])
        ranked = sorted(
            (-score, ids[mid], ordinal, kind) for score, mid, ordinal, kind in found if mid in ids
        )
        return [Hit(i, -score, view_kind(kind), o) for score, i, o, kind in ranked[:limit]]

    def _allowed(self, session: Session, filter: Filter | None) -> NDArray[np.int64] | None:
        """Return the numbers of the memories that pass, ascending; None for all."""
        if filter is None or filter == Filter():
            return None
        where, parameters = conditions(self.db, filter)
        rows = session.run(
            f"SELECT m.mid FROM memories m WHERE {where} ORDER BY m.mid", **parameters
        )
        return np.array([row[0] for row in rows], dtype=np.int64)

    def _fresh_lexical(self, session: Session) -> LexicalIndex:
        """Return the index of words, brought up to what `session` sees."""
        [(change,)] = session.run("SELECT change FROM archives WHERE archive = :archive")
        if self._lexical is None:
            self._lexical = self._load_lexical() or LexicalIndex()
        index = self._lexical
        if self._is_ahead(index.change, change):
            index = LexicalIndex()  # for this one search
        if index.change != change:
            _catch_up(index, session)
            index.change = change
        return index

    def _load_lexical(self) -> LexicalIndex | None:
        """Return the index that an earlier process saved, if there is one."""
        return None

    def _forget_caches(self) -> None:
        """Drop everything that is kept in memory."""
        with self._searching:
            self._lexical = None
            self._ids = {}
            self._forget_facts()


def _catch_up(index: LexicalIndex, session: Session) -> None:
    """Apply what has happened to views since the index was last brought up to date."""
    removed = session.run(
        "SELECT vid FROM removed_views WHERE archive = :archive AND change > :seen",
        seen=index.change,
    )
    if removed and index.highest:
        index.remove(np.array([vid for (vid,) in removed], dtype=np.int64))
    while rows := session.run(
        "SELECT vid, mid, kind, length, terms FROM views "
        "WHERE archive = :archive AND vid > :highest AND length > 0 ORDER BY vid LIMIT :most",
        highest=index.highest,
        most=_ROWS_PER_READ,
    ):
        vids, mids, kinds, lengths, blobs = zip(*rows, strict=True)
        index.append(
            np.array(vids, dtype=np.int64),
            np.array(mids, dtype=np.int64),
            np.array(kinds, dtype=np.uint8),
            np.array(lengths, dtype=np.int64),
            [bytes(blob) for blob in blobs],
        )


def _rescored(rows: Sequence[Row], query: Vector) -> Iterable[rescore.Scored]:
    """Return the best view of each memory among rows of (mid, ordinal, kind, vector)."""
    if not rows:
        return []
    blobs = [row[3] for row in rows]
    if {len(blob) for blob in blobs} != {4 * query.size}:
        raise ArchiveDamagedError("the archive holds a vector of another length than its encoder's")
    matrix = np.frombuffer(b"".join(blobs), dtype="<f4").reshape(len(rows), query.size)
    scores = rescore.scores(matrix, query)
    if not np.isfinite(scores).all():
        raise ArchiveDamagedError("the archive holds a vector with NaN or infinite numbers")
    found = zip(scores.tolist(), rows, strict=True)
    return rescore.best((score, mid, ordinal, kind) for score, (mid, ordinal, kind, _) in found)
