"""Exact search by vectors and by words, and the index of words that is kept for it."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from graphmemix.errors import ArchiveDamagedError, EncoderMismatchError, StoreError
from graphmemix.fsio import storage_faults
from graphmemix.store import unit_vectors
from graphmemix.store.backend import VectorQuery
from graphmemix.store.lexical import LexicalIndex
from graphmemix.store.protocol import Filter, Hit
from graphmemix.store.sql.columns import conditions, require_limit, view_codes, view_kinds
from graphmemix.store.sql.core import CacheAheadError, archive_uuid, serving_encoder
from graphmemix.store.unit_vectors import ExactVectors, exact_vectors
from graphmemix.text import words
from graphmemix.text.words import RULES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from graphmemix.memory import ViewKind
    from graphmemix.store.arrays import Matches
    from graphmemix.store.backend import Session, StoredEncoder, VectorIndex
    from graphmemix.store.protocol import Vector
    from graphmemix.store.sql.core import Core


_MOST_PLACES = 500_000


class SqlSearch:
    """Implements `Search`. Safe to call from several threads."""

    def __init__(self, core: Core, index: VectorIndex, word_index: WordIndex) -> None:
        self._core = core
        self._db = core.db
        self._index = index
        self._words = word_index
        self._places: dict[int, list[int]] = {}
        core.on_forget(self._forget)

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
            serving = _asked_encoder(session, encoder)
            asked = unit_vectors.unit(query, "query", serving.dimension if serving else None)
            if serving is None:
                return []
            allowed = self._allowed(session, filter)
            vids = self._index.candidates(
                session, VectorQuery(serving, asked, limit, view_codes(kinds), allowed)
            )
            views = self._exact(session, serving, vids)
            return self._hits(session, *_rescored(views, asked), limit)

        return self._core.read_in_step(search)

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
            serving = _asked_encoder(session, encoder)
            asked = unit_vectors.unit(query, "query", serving.dimension if serving else None)
            mids = self._core.numbers(session, ids)
            if serving is None or not mids:
                return {}
            vids = self._index.views_of(session, serving, list(mids.values()))
            views = self._exact(session, serving, vids).of_kinds(view_codes(kinds))
            best, exact_scores = _rescored(views, asked)
            scores = dict(zip(best[:, 0].tolist(), exact_scores.tolist(), strict=True))
            return {memory_id: scores[mid] for memory_id, mid in mids.items() if mid in scores}

        ids = list(memory_ids)
        return self._core.read_in_step(score)

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
            mids = self._core.numbers(session, ids)
            if not mids:
                return {}
            allowed = np.array(sorted(mids.values()), dtype=np.int64)
            found = self._words.best(
                session, words.terms(query), len(mids), kinds=view_codes(kinds), allowed=allowed
            )
            scores = dict(zip(found.owners.tolist(), found.scores.tolist(), strict=True))
            return {memory_id: scores[mid] for memory_id, mid in mids.items() if mid in scores}

        return self._core.read_in_step(score)

    def _exact(
        self, session: Session, encoder: StoredEncoder, vids: NDArray[np.int64]
    ) -> ExactVectors:
        """Return views with their exact vectors, in no order; those read before are kept."""
        with self._core.cache_lock:
            views, missing = self._core.vector_cache(encoder).take(vids)
        if not missing.size:
            return views
        rows = session.run(
            "SELECT vid, mid, ordinal, kind, vector FROM vectors "
            "WHERE archive = :archive AND encoder = :encoder AND " + self._db.among("vid", "vids"),
            encoder=encoder.number,
            vids=self._db.sequence(missing.tolist()),
        )
        read = exact_vectors([row[1:] for row in rows], encoder.dimension)
        with self._core.cache_lock:
            read_vids = np.array([row[0] for row in rows], np.int64)
            self._core.vector_cache(encoder).keep(read_vids, read)
        return views.and_also(read)

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
            found = self._words.best(
                session, terms, limit, kinds=view_codes(kinds), allowed=allowed
            )
            views, there = self._places_of(session, found.view_ids.tolist())
            return self._hits(session, views, found.scores[there], limit)

        return self._core.read_in_step(search)

    def text_ceiling(self, query: str, *, kinds: Sequence[ViewKind] | None = None) -> float:
        """Return what no score of `search_text` exceeds, 0 for a query without words."""
        terms = words.terms(query)

        def ceiling(session: Session) -> float:
            return self._words.ceiling(session, terms, kinds=view_codes(kinds))

        return self._core.read_in_step(ceiling)

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
                    + self._db.among("vid", "vids"),
                    vids=self._db.sequence(unknown),
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
        ids = self._core.ids_of(session, mids)
        hits = _hits_of(ids, scores.tolist(), view_kinds(codes), ordinals)
        if None in ids:  # a damaged archive; `check` reports it
            hits = [hit for hit in hits if hit.memory_id is not None]
        if (scores[1:] == scores[:-1]).any():
            hits.sort(key=lambda hit: (-hit.score, hit.memory_id))
        return hits[:limit]

    def _allowed(self, session: Session, filter: Filter | None) -> NDArray[np.int64] | None:
        """Return the numbers of the memories that pass, ascending; None for all."""
        if filter is None or filter == Filter():
            return None
        where, parameters = conditions(self._db, filter)
        rows = session.run(
            f"SELECT m.mid FROM memories m WHERE {where} ORDER BY m.mid", **parameters
        )
        return np.array([row[0] for row in rows], dtype=np.int64)

    def _forget(self) -> None:
        self._places = {}


def _asked_encoder(session: Session, identity: str) -> StoredEncoder | None:
    """Return the serving encoder, None if there is none yet.

    Raises:
        EncoderMismatchError: It is not the one that made the query.
    """
    serving = serving_encoder(session)
    if serving is not None and serving.identity != identity:
        raise EncoderMismatchError(serving.identity, identity)
    return serving


def _rescored(views: ExactVectors, query: Vector) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return the best view of each memory and its exact score, best first."""
    scores = unit_vectors.scores(views.vectors, query)
    if not np.isfinite(scores).all():
        raise ArchiveDamagedError("the archive holds a vector with NaN or infinite numbers")
    chosen = unit_vectors.ranked(views.views, scores)
    return views.views[chosen], scores[chosen]


def _hits_of(
    memory_ids: Sequence[str | None],
    scores: Sequence[float],
    kinds: Sequence[ViewKind],
    ordinals: Sequence[int],
) -> list[Hit]:
    """Return hits from columns; four times faster than calling `Hit` for each."""
    return list(map(_new_hit, zip(memory_ids, scores, kinds, ordinals, strict=True)))


_new_hit: Callable[[Iterable[object]], Hit] = partial(tuple.__new__, Hit)


_ROWS_PER_READ = 20_000


class WordIndex:
    """The words of all views, in memory; with a folder, the writer also saves them there."""

    def __init__(self, core: Core, folder: Path | None) -> None:
        self._core = core
        self._folder = folder
        self._index: LexicalIndex | None = None
        core.on_forget(self._forget)

    def best(
        self,
        session: Session,
        terms: Iterable[str],
        limit: int,
        *,
        kinds: Sequence[int] | None,
        allowed: NDArray[np.int64] | None,
    ) -> Matches:
        """Return the best view of each of the best memories, as `session` sees them."""
        with self._core.cache_lock:
            return self._fresh(session).best(terms, limit, kinds=kinds, allowed=allowed)

    def ceiling(
        self, session: Session, terms: Iterable[str], *, kinds: Sequence[int] | None
    ) -> float:
        """Return what no score for these terms exceeds, as `session` sees the archive."""
        with self._core.cache_lock:
            return self._fresh(session).ceiling(terms, kinds=kinds)

    def save(self) -> None:
        """Write the index down for the next process, if it was used and that is possible."""
        if self._folder is None or self._index is None or not self._core.db.holds_lock:
            return
        # A cache that cannot be saved is made again; damage is reported when it is next read.
        with (
            suppress(OSError, CacheAheadError, StoreError),
            self._core.db.read() as session,
            self._core.cache_lock,
        ):
            self._fresh(session).save(self._folder, _key(session))

    def take(self, other: WordIndex) -> None:
        """Continue with the index of another handle of the same archive, to save it."""
        if self._folder is not None:
            self._index = other._index  # of its own class

    def _fresh(self, session: Session) -> LexicalIndex:
        """Return the index, brought up to what `session` sees."""
        [(change, pruned)] = session.run(
            "SELECT change, pruned FROM archives WHERE archive = :archive"
        )
        if self._index is None or self._index.change < pruned:
            saved = None
            if self._folder is not None:
                saved = LexicalIndex.load(self._folder, _key(session))
            current = saved is not None and saved.change >= pruned
            self._index = saved if saved is not None and current else LexicalIndex()
        index = self._index
        if self._core.is_ahead(index.change, change):
            index = LexicalIndex()  # for this one search
        if index.change != change:
            _catch_up(index, session)
            index.change = change
        return index

    def _forget(self) -> None:
        with self._core.cache_lock:
            self._index = None
            if self._folder is not None:
                with storage_faults(str(self._folder)):
                    LexicalIndex.discard(self._folder)


def _key(session: Session) -> str:
    """Return what files must have been saved under: this archive, and the rules of its words."""
    return f"{archive_uuid(session)}/{RULES}"


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
