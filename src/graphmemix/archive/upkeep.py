"""What changes an archive: encoding, updating, describing, erasing, ingesting."""

from __future__ import annotations

import shutil
from contextlib import nullcontext, suppress
from functools import cached_property
from typing import TYPE_CHECKING

from graphmemix.errors import ArchiveBusyError, EncoderError
from graphmemix.index import Indexer
from graphmemix.ingest.journal import Journal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path
    from threading import Event

    from graphmemix.encode.protocol import Encoder
    from graphmemix.ingest.describe import Described, Describer, Places
    from graphmemix.ingest.report import IngestReport, OnFile, OnProgress, OnReading
    from graphmemix.memory import Memory
    from graphmemix.settings import Settings
    from graphmemix.store.protocol import Filter, Progress, Receipt, Store

_BATCH = 64  # memories that are encoded and related at a time
_AT_ONCE = 8  # memories that are derived in one transaction: few, since it keeps others out
_WORDS_BATCH = 256  # memories that are made searchable by words at a time


class Upkeep:
    """Changes the store of an `Archive` and everything derived from it.

    The methods of `Archive` with the same names say what is guaranteed and what is raised.
    """

    def __init__(self, store: Store, encoder: Encoder, settings: Settings) -> None:
        self._store = store
        self._encoder = encoder
        self._settings = settings

    @cached_property
    def indexer(self) -> Indexer:
        """Derives what is searched; made when it is first needed."""
        return Indexer(self._store, self._encoder, self._settings)

    def index(self, progress: Progress | None = None) -> int:
        """Encode and relate all that is pending; return how many memories there were."""
        pending = self._store.without_vectors()
        new = self._store.without_words() if pending else []
        if len(pending) == len(new) <= _AT_ONCE:
            if new:
                self.indexer.index(new)
                if progress is not None:
                    progress(len(new), len(new))
            return len(new)
        self.add_words(new)
        if new:  # what is read together with them, as the answer to a message, now waits as well
            pending = list(dict.fromkeys([*pending, *self._store.without_vectors()]))
        self._encode(pending, progress)
        return len(pending)

    def add_words(self, memory_ids: Sequence[str] | None = None) -> None:
        """Make memories searchable by words, facets and relations."""
        ids = self._store.without_words() if memory_ids is None else memory_ids
        for first in range(0, len(ids), _WORDS_BATCH):
            self.indexer.add_words(ids[first : first + _WORDS_BATCH])

    def encode_some(self, progress: Progress | None = None) -> int:
        """Encode a batch of what is pending; return how many memories are left."""
        self.add_words()
        if batch := self._store.without_vectors(limit=_BATCH):
            self.indexer.encode(batch, progress=progress)
        return self._store.count_without_vectors()

    def _encode(self, pending: Sequence[str], progress: Progress | None) -> None:
        total = len(pending)
        for first in range(0, total, _BATCH):
            batch = pending[first : first + _BATCH]
            self.indexer.encode(batch, progress=_share_of(progress, first, len(batch), total))
            if progress is not None:
                progress(first + len(batch), total)

    def ingest(
        self,
        paths: Iterable[Path | str],
        *,
        progress: OnProgress | None,
        as_: str | None,
        dry_run: bool,
        again: bool,
        index: bool,
        on_file: OnFile | None,
        on_reading: OnReading | None,
        stop: Event | None,
        follow_links: bool | None,
    ) -> IngestReport:
        """Read files and folders, store what is new, encode it."""
        from graphmemix.ingest.encoding import encode_after
        from graphmemix.ingest.run import ingest

        settings = self._settings.ingest
        if follow_links is not None:
            settings = settings.model_copy(update={"follow_links": follow_links})
        with nullcontext() if dry_run else self._store.writing():
            if not dry_run:
                self.add_words()  # what an interrupted run had stored
            report = ingest(
                self._store,
                paths,
                update=self.update_before_index,
                add_words=None if dry_run else self.add_words,
                progress=progress,
                as_=as_,
                dry_run=dry_run,
                again=again,
                on_file=on_file,
                on_reading=on_reading,
                stop=stop,
                settings=settings,
            )
        if dry_run or not index or report.interrupted:
            return report
        pending = self._store.count_without_vectors
        return encode_after(report, self.index, pending, progress=progress, stop=stop)

    def update_before_index(self, memory: Memory) -> int:
        """Replace a memory; what is derived from it waits for `index`."""
        with self._store.writing():
            before = self._store.get(memory.id)
            if before != memory:
                self.indexer.forget([before])
            return self._store.update(memory)

    def replace(self, memories: Sequence[Memory]) -> None:
        """Replace memories and everything derived from them, as a batch."""
        with self._store.writing():
            before = self._store.get_many(memory.id for memory in memories)
            self.indexer.forget(list(before.values()))
            for memory in memories:
                self._store.update(memory)
        self.index()

    def describe(
        self,
        describers: Sequence[Describer],
        places: Places | None,
        *,
        again: bool,
        progress: Progress | None,
    ) -> Described:
        """Describe media, and index what changed."""
        from graphmemix.ingest.describe.run import DescribeRun

        run = DescribeRun(self._store, describers, places, again=again)
        done = run.run(self.replace, progress=progress)
        self.index()  # includes what an interrupted run had changed but not indexed
        return done

    def erase(
        self, memory_ids: Iterable[str], *, chosen_by: Filter | None, replies: Path
    ) -> Receipt:
        """Erase memories; `replies` is the folder of cached model replies, which may quote them."""
        shutil.rmtree(replies, ignore_errors=True)
        again: list[str] = []

        def before(ids: Sequence[str]) -> None:
            gone = list(self._store.get_many(ids).values())
            Journal(self._store).release([memory.id for memory in gone])
            again.extend(self.indexer.forget(gone, erasing=True))

        with self._store.writing():
            receipt = self._store.erase(memory_ids, chosen_by=chosen_by, before=before)
        if again:  # their context views no longer hold what was erased
            with suppress(EncoderError, ArchiveBusyError):  # the next `index` encodes them
                self.indexer.encode(again)
        return receipt

    def rebuild(self, progress: Progress | None) -> None:
        """Derive everything again from the memories."""
        with self._store.writing():
            self.indexer.rebuild(progress=progress)

    def reencode(self, progress: Progress | None) -> None:
        """Switch the archive to this handle's encoder."""
        self.indexer.reencode(progress=progress)
        self.index()


def _share_of(progress: Progress | None, first: int, count: int, total: int) -> Progress | None:
    """Return what turns the progress within a batch of memories into that of all memories."""
    if progress is None:
        return None
    return lambda done, of: progress(first + count * done // max(of, 1), total)
