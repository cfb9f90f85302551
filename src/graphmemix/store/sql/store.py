"""The store that both back ends share, put together from its parts."""

from __future__ import annotations

import uuid
from contextlib import suppress
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Final, Self

from graphmemix.errors import ArchiveBusyError, ArchiveReadOnlyError
from graphmemix.store.sanitize import microseconds
from graphmemix.store.sql.counts import SqlCounts
from graphmemix.store.sql.derived import SqlDerivedData
from graphmemix.store.sql.erase import Erasure
from graphmemix.store.sql.facets import FacetSearch, Outlines
from graphmemix.store.sql.inspection import Inspection
from graphmemix.store.sql.logs import Receipts, SqlLogs
from graphmemix.store.sql.memories import SqlMemories
from graphmemix.store.sql.rebuild import Rebuild
from graphmemix.store.sql.relations import SqlRelations
from graphmemix.store.sql.search import SqlSearch, WordIndex

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from graphmemix.store.backend import EraseRoom, VectorIndex
    from graphmemix.store.protocol import (
        DayCount,
        Derive,
        EncodeViews,
        Filter,
        Finding,
        PersonCount,
        Progress,
        Spot,
        Stats,
        Store,
    )
    from graphmemix.store.sql.core import Core


class SqlStore:
    """Everything that a `Store` promises but `backup`, over what a back end hands in.

    Each part is a class of its own; the store only offers the methods of its parts.
    """

    def __init__(  # noqa: PLR0915  # a list of methods, part by part
        self,
        core: Core,
        index: VectorIndex,
        *,
        room: EraseRoom | None = None,
        cache: Path | None = None,
    ) -> None:
        """Put the parts together and, for writing, finish what an earlier process could not.

        Args:
            core: The open archive.
            index: How vectors are searched.
            room: How an erasure gets room on a full disk; None if it needs none.
            cache: The folder to save the index of words in; None if it is not saved.
        """
        self._is_open = True
        self.db = core.db
        self.name = core.db.name
        self.media = core.media
        self._index = index
        self._words = WordIndex(core, cache)

        relations = SqlRelations(core)
        self.edges = relations.edges
        self.change_edges = relations.change_edges
        self.keys = relations.keys
        self.key_names = relations.key_names
        self.key_days = relations.key_days
        self.with_keys = relations.with_keys
        self.speakers = relations.speakers
        self.neighbours = relations.neighbours

        derived = SqlDerivedData(core, relations, index)
        self.views = derived.views
        self.vectors = derived.vectors
        self.vectors_by_kind = derived.vectors_by_kind
        self.vectors_of_texts = derived.vectors_of_texts
        self.graph_vectors = derived.graph_vectors
        self.put_derived = derived.put_derived
        self.put_vectors = derived.put_vectors
        self.without_vectors = derived.without_vectors
        self.without_words = derived.without_words
        self.waiting = derived.waiting
        self.count_without_vectors = derived.count_without_vectors
        self.encoder = derived.encoder
        self.state = derived.state

        memories = SqlMemories(core, derived, relations)
        self.add = memories.add
        self.get = memories.get
        self.get_many = memories.get_many
        self.ids_starting = memories.ids_starting
        self.with_media = memories.with_media
        self.outlines = Outlines(core).outlines
        self.find = memories.find
        self.count = memories.count
        self.years = memories.years
        self.passing = memories.passing
        self.update = memories.update
        self.history = memories.history
        self.every_version = memories.every_version
        self.restore = memories.restore

        self.fetch = FacetSearch(core).fetch
        search = SqlSearch(core, index, self._words)
        self.search_vectors = search.search_vectors
        self.search_text = search.search_text
        self.text_ceiling = search.text_ceiling
        self.score_vectors = search.score_vectors
        self.score_text = search.score_text

        logs = SqlLogs(core)
        self.put_log = logs.put_log
        self.log = logs.log
        self.logs = logs.logs
        self.log_ids = logs.log_ids

        receipts = Receipts(core)
        self.receipt_of = receipts.receipt_of
        self.receipts = receipts.receipts
        self.restore_receipt = receipts.restore_receipt

        erasure = Erasure(core, derived, relations, logs, receipts, room)
        self.erase = erasure.erase
        self.compact = erasure.compact

        self._core, self._derived = core, derived
        if core.db.holds_lock:
            erasure.clear_arrivals()
            erasure.finish(quick=True)

    # Neither questions nor changes need these parts: they are made when first used.

    @cached_property
    def _rebuild(self) -> Rebuild:
        return Rebuild(self._core, self._derived)

    @cached_property
    def _inspection(self) -> Inspection:
        return Inspection(self._core, self._index, self._rebuild)

    @cached_property
    def _counts(self) -> SqlCounts:
        return SqlCounts(self._core)

    def days(self, filter: Filter | None = None) -> list[DayCount]:
        """Return how many memories each day has (`Counts.days`)."""
        return self._counts.days(filter)

    def people(self, filter: Filter | None = None, *, limit: int = 100) -> list[PersonCount]:
        """Return who wrote, said or took most (`Counts.people`)."""
        return self._counts.people(filter, limit=limit)

    def spots(self, filter: Filter | None = None) -> list[Spot]:
        """Return the coordinates that memories have (`Counts.spots`)."""
        return self._counts.spots(filter)

    def rebuild(self, derive: Derive | None = None, *, progress: Progress | None = None) -> None:
        """Make again what is derived (`Maintenance.rebuild`)."""
        self._rebuild.rebuild(derive, progress=progress)

    def reencode(
        self, encoder: str, encode: EncodeViews, *, progress: Progress | None = None
    ) -> None:
        """Replace all vectors by those of another encoder (`Maintenance.reencode`)."""
        self._rebuild.reencode(encoder, encode, progress=progress)

    def check(self, *, repair: bool = False) -> list[Finding]:
        """Look for damage (`Maintenance.check`)."""
        return self._inspection.check(repair=repair)

    def stats(self) -> Stats:
        """Return how much there is (`Maintenance.stats`)."""
        return self._inspection.stats()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Save caches and release everything. Closing twice is harmless."""
        if not self._is_open:
            return
        self._is_open = False
        try:
            # Only the writer saves caches; they are made again if another process writes now.
            with suppress(ArchiveBusyError, ArchiveReadOnlyError), self.db.writing(0):
                self._index.save()
                self._words.save()
        finally:
            self.db.close()

    def take_caches_of(self, other: Store) -> None:
        """Continue with what another handle of this archive has computed for searching."""
        if isinstance(other, SqlStore):
            self._index.take(other._index)  # noqa: SLF001  # of its own class
            self._words.take(other._words)  # noqa: SLF001  # of its own class

    def writing(self, wait: float | None = None) -> AbstractContextManager[object]:
        """Be the archive's one writer inside (`Store.writing`)."""
        return self.db.writing(wait)

    def snapshot(self) -> AbstractContextManager[object]:
        """Inside, every read of this thread sees one and the same state."""
        return self.db.read()


def archive_row(name: str) -> dict[str, object]:
    """Return the row of a new archive."""
    now = microseconds(datetime.now(UTC))
    return {"name": name, "uuid": uuid.uuid4().hex, "created": now}


OPENING_SECONDS: Final = 1.0
"""How long opening in mode ``shared`` waits for a writer, to do what an earlier one left."""

INSERT_ARCHIVE = """
INSERT INTO archives (archive, name, uuid, created, next_mid, next_vid, change)
VALUES (:archive, :name, :uuid, :created, 1, 1, 0)
"""
