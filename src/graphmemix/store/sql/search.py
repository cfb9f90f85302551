"""ExactVectors search by vectors and by words."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from graphmemix.errors import ArchiveDamagedError, EncoderMismatchError
from graphmemix.store import unit_vectors
from graphmemix.store.lexical import LexicalIndex
from graphmemix.store.protocol import Filter, Hit
from graphmemix.store.records import hits_of
from graphmemix.store.sql.base import conditions, require_limit, view_codes, view_kinds
from graphmemix.store.sql.derived import DerivedData
from graphmemix.store.sql.facts import KnownFacts
from graphmemix.store.vector_cache import ExactVectors, VectorCache, exact_vectors
from graphmemix.text import words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from graphmemix.memory import ViewKind
    from graphmemix.store.database import Session
    from graphmemix.store.protocol import Vector
    from graphmemix.store.sql.base import Serving

_T = TypeVar("_T")
_ATTEMPTS = 3
_ROWS_PER_READ = 20_000
_MOST_PLACES = 500_000


class Wanted(NamedTuple):
    """What a search by vectors is for.

    Attributes:
        serving: The encoder.
        query: A unit vector.
        limit: How many memories, at least 1.
        kinds: Codes of the views that count; None for all.
        allowed: Numbers of the memories that may be found, ascending; None for all.
    """

    serving: Serving
    query: Vector
    limit: int
    kinds: Sequence[int] | None
    allowed: NDArray[np.int64] | None


class CacheAheadError(Exception):
    """A cache is newer than the snapshot; caught in this package."""


class Search(DerivedData, KnownFacts):
    """The part of the store that finds memories. Safe to call from several threads."""

    def _prepare_search(self) -> None:
        self._lexical: LexicalIndex | None = None
        self._kept: VectorCache | None = None
        self._places: dict[int, list[int]] = {}
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
            serving = self._asked_encoder(session, encoder)
            asked = unit_vectors.unit(query, "query", serving.dimension if serving else None)
            if serving is None:
                return []
            allowed = self._allowed(session, filter)
            wanted = Wanted(serving, asked, limit, view_codes(kinds), allowed)
            vids = self._vector_candidates(session, wanted)
            views = self._exact(session, serving, vids)
            return self._hits(session, *_rescored(views, asked), limit)

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

        def score(session: Session) -> dict[str, float]:
            serving = self._asked_encoder(session, encoder)
            asked = unit_vectors.unit(query, "query", serving.dimension if serving else None)
            mids = self._numbers(session, ids)
            if serving is None or not mids:
                return {}
            vids = self._views_with_vectors(session, serving, list(mids.values()))
            views = self._exact(session, serving, vids).of_kinds(view_codes(kinds))
            best, exact_scores = _rescored(views, asked)
            scores = dict(zip(best[:, 0].tolist(), exact_scores.tolist(), strict=True))
            return {memory_id: scores[mid] for memory_id, mid in mids.items() if mid in scores}

        ids = list(memory_ids)
        return self._in_step(score)

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

    def _asked_encoder(self, session: Session, encoder: str) -> Serving | None:
        """Return the serving encoder, if it is the one that asks; None if there is none yet."""
        serving = self._serving(session)
        if serving is not None and serving.identity != encoder:
            raise EncoderMismatchError(serving.identity, encoder)
        return serving

    def _vector_candidates(self, session: Session, wanted: Wanted) -> NDArray[np.int64]:
        """Return the views among which the best `limit` memories' best views are certain to be."""
        raise NotImplementedError

    def _views_with_vectors(
        self, session: Session, serving: Serving, mids: Sequence[int]
    ) -> NDArray[np.int64]:
        """Return the views of memories that have vectors."""
        rows = session.run(
            "SELECT x.vid FROM views v JOIN vectors x ON x.archive = v.archive AND x.vid = v.vid "
            "WHERE v.archive = :archive AND x.encoder = :encoder AND "
            + self.db.among("v.mid", "mids"),
            encoder=serving.number,
            mids=self.db.sequence(mids),
        )
        return np.array([vid for (vid,) in rows], np.int64)

    def _exact(self, session: Session, serving: Serving, vids: NDArray[np.int64]) -> ExactVectors:
        """Return views with their exact vectors, in no order; those read before are kept."""
        with self._searching:
            views, missing = self._kept_of(serving).take(vids)
        if not missing.size:
            return views
        rows = session.run(
            "SELECT vid, mid, ordinal, kind, vector FROM vectors "
            "WHERE archive = :archive AND encoder = :encoder AND " + self.db.among("vid", "vids"),
            encoder=serving.number,
            vids=self.db.sequence(missing.tolist()),
        )
        read = exact_vectors([row[1:] for row in rows], serving.dimension)
        with self._searching:
            self._kept_of(serving).keep(np.array([row[0] for row in rows], np.int64), read)
        return views.and_also(read)

    def _kept_of(self, serving: Serving) -> VectorCache:
        """Return the vectors that are kept of this encoder."""
        if self._kept is None or self._kept.key != serving:
            self._kept = VectorCache(serving, serving.dimension)
        return self._kept

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
            views, there = self._places_of(session, found.view_ids.tolist())
            return self._hits(session, views, found.scores[there], limit)

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

    def _places_of(
        self, session: Session, vids: Sequence[int]
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return memory, ordinal and kind of views, and which of them are there.

        They never change, so they are kept.
        """
        places = self._places
        unknown = [vid for vid in vids if vid not in places]
        if unknown:
            if len(places) > _MOST_PLACES:
                places, unknown = {}, list(vids)
            places |= {
                vid: place
                for vid, *place in session.run(
                    "SELECT vid, mid, ordinal, kind FROM views WHERE archive = :archive AND "
                    + self.db.among("vid", "vids"),
                    vids=self.db.sequence(unknown),
                )
            }
            self._places = places
        found = [places.get(vid) for vid in vids]
        there = np.array([place is not None for place in found], np.bool_)
        views = np.array([place for place in found if place is not None], np.int64)
        return views.reshape(-1, 3), there

    def _hits(
        self,
        session: Session,
        views: NDArray[np.int64],
        scores: NDArray[np.floating],
        limit: int,
    ) -> list[Hit]:
        """Return the first `limit` of views (memory, ordinal, kind), best first, ties by id."""
        mids, ordinals, codes = views.T.tolist()
        ids = self._ids_of(session, mids)
        hits = hits_of(ids, scores.tolist(), view_kinds(codes), ordinals)
        if None in ids:  # a damaged archive; `check` tells
            hits = [hit for hit in hits if hit.memory_id is not None]
        if (scores[1:] == scores[:-1]).any():
            hits.sort(key=lambda hit: (-hit.score, hit.memory_id))
        return hits[:limit]

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
        [(change, pruned)] = session.run(
            "SELECT change, pruned FROM archives WHERE archive = :archive"
        )
        if self._lexical is None or self._lexical.change < pruned:
            saved = self._load_lexical()
            current = saved is not None and saved.change >= pruned
            self._lexical = saved if saved is not None and current else LexicalIndex()
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
            self._kept = None
            self._ids, self._places = [], {}
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


def _rescored(views: ExactVectors, query: Vector) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return the best view of each memory and its exact score, best first."""
    scores = unit_vectors.scores(views.vectors, query)
    if not np.isfinite(scores).all():
        raise ArchiveDamagedError("the archive holds a vector with NaN or infinite numbers")
    chosen = unit_vectors.ranked(views.views, scores)
    return views.views[chosen], scores[chosen]
