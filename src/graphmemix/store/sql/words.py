"""The index of words that searches read, kept in step with the database."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from graphmemix.errors import StoreError
from graphmemix.store.faults import storage_faults
from graphmemix.store.lexical import LexicalIndex
from graphmemix.store.sql.core import CacheAheadError, archive_uuid
from graphmemix.text.words import RULES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from graphmemix.store.backend import Session
    from graphmemix.store.lexical import Matches
    from graphmemix.store.sql.core import Core

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

    def save(self) -> None:
        """Write the index down for the next process, if it was used and that is possible."""
        if self._folder is None or self._index is None or not self._core.db.writable:
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
