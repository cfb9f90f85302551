"""What keeps an `Archive` whole and current: ingesting, watching, encoding, describing, erasing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmemix.archive.inputs import several_ids, several_paths
from graphmemix.archive.open_archive import OpenArchive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path
    from threading import Event

    from graphmemix.archive.inputs import Paths
    from graphmemix.archive.watching import Watcher
    from graphmemix.errors import GraphMemixError
    from graphmemix.index import KnownNeighbours
    from graphmemix.ingest.describe import Described, Describer, Places
    from graphmemix.ingest.report import IngestReport, OnFile, OnProgress, OnReading
    from graphmemix.memory import Memory
    from graphmemix.store.protocol import Filter, Progress, Receipt

__all__ = ["UpkeepMethods"]


class UpkeepMethods(OpenArchive):
    """The methods of `Archive` that bring memories in and maintain what is derived from them."""

    def index(self, *, progress: Progress | None = None) -> int:
        """Encode and relate every memory that is still pending; return how many there were.

        Newest first. What needs no vector is done for all of them before: words, keys, relations.
        An interrupted run continues where it stopped. In mode ``shared``, others may read and write
        while vectors are made.

        Args:
            progress: Called with the number of memories done, and their total.
        """
        return self._upkeep.index(progress)

    def add_words(self, memory_ids: Sequence[str] | None = None) -> None:
        """Make stored memories searchable by words, facets and relations; `index` does the rest.

        Args:
            memory_ids: Which; None for all that are not searchable yet.
        """
        self._upkeep.add_words(memory_ids)

    def encode_some(self, *, progress: Progress | None = None) -> int:
        """Encode the newest memories that are pending, a batch at most; return how many are left.

        For a process that has other work to do in between; `index` does all at once.

        Args:
            progress: Called with the texts that were encoded, and their total.
        """
        return self._upkeep.encode_some(progress)

    def ingest(
        self,
        paths: Paths,
        *,
        progress: OnProgress | None = None,
        as_: str | None = None,
        dry_run: bool = False,
        again: bool = False,
        index: bool = True,
        on_file: OnFile | None = None,
        on_reading: OnReading | None = None,
        stop: Event | None = None,
        follow_links: bool | None = None,
    ) -> IngestReport:
        """Read files and folders into the archive, then encode what is new.

        A second run adds only what is new or changed; an interrupted run continues where it
        stopped. A bad file never stops the run: the report lists what was left out, and why. Files
        are read in separate processes, which are ended when a file exceeds the limits of section
        ``ingest``. Timestamps without an offset are in the zone ``ingest.zone``; by default in that
        of the first run, which the archive remembers, and that in this machine's.

        Args:
            paths: A file, a folder or a zip, or several.
            progress: Called with the progress a few times a second.
            as_: Read every file with the importer of this name, whatever it holds.
            dry_run: Read everything, write nothing.
            again: Also read unchanged files.
            index: Encode when all is read; False leaves it to a later `index`. Memories are found
                by words, facets and relations as soon as they are stored.
            on_file: Called with the outcome of each file.
            on_reading: Called with the files being read whenever they change, from another thread.
            stop: Set it to end the run within seconds; nothing that was read is lost.
            follow_links: Whether to follow links that point outside a folder; None for the setting
                ``ingest.follow_links``.

        Raises:
            InvalidInputError: Unknown importer, or a path does not exist.
            StoreError: The archive cannot be written any more; what was stored before is kept.
        """
        return self._upkeep.ingest(
            several_paths(paths),
            progress=progress,
            as_=as_,
            dry_run=dry_run,
            again=again,
            index=index,
            on_file=on_file,
            on_reading=on_reading,
            stop=stop,
            follow_links=follow_links,
        )

    def watch(
        self,
        paths: Paths,
        *,
        on_report: Callable[[IngestReport], None] | None = None,
        on_error: Callable[[GraphMemixError], None] | None = None,
        every: float = 2.0,
        as_: str | None = None,
        progress: OnProgress | None = None,
        on_file: OnFile | None = None,
        follow_links: bool | None = None,
        wait: Callable[[float], bool] | None = None,
    ) -> Watcher:
        """Return what keeps the archive current with files and folders: see `Watcher`.

        It watches in a thread of its own inside ``with``, or here by its method ``run``. Memories
        of files that are deleted stay.

        Args:
            paths: A file or a folder, or several.
            on_report: Called with the report of every reading.
            on_error: Called with what failed and is tried again; by default it is logged.
            every: Seconds between two looks; a look costs one ``stat`` a file.
            as_: As of `ingest`; so are `progress`, `on_file` and `follow_links`.
            progress: Called with the progress of each reading.
            on_file: Called with the outcome of each file.
            follow_links: Whether to follow links that point outside a folder.
            wait: Waits so many seconds and returns whether to stop; for tests and event loops.

        Raises:
            InvalidInputError: A path does not exist, or none is named.
        """
        from graphmemix.archive.watching import Watcher

        follows = self.settings.ingest.follow_links if follow_links is None else follow_links

        def read(changed: Sequence[Path], stop: Event) -> IngestReport:
            return self.ingest(
                changed,
                as_=as_,
                progress=progress,
                on_file=on_file,
                follow_links=follows,
                stop=stop,
            )

        return Watcher(
            read,
            several_paths(paths),
            on_report=on_report,
            on_error=on_error,
            every=every,
            follow_links=follows,
            wait=wait,
        )

    def describe(
        self,
        describers: Sequence[Describer] = (),
        *,
        places: Places | None = None,
        again: bool = False,
        progress: Progress | None = None,
    ) -> Described:
        """Describe media that have no description yet, and index what changed.

        Resumable: descriptions are cached by the file's hash, so each file is described only once.

        Args:
            describers: Such as ``Ocr()``, ``Speech()`` or ``Captions(chat)`` from
                `graphmemix.ingest.describe`; at most one for each field of a description.
            places: ``Places()``, to name coordinates.
            again: Also replace existing descriptions.
            progress: Called with the number of memories done, and their total.

        Raises:
            StoreError: The archive cannot be written; the subclass says why.
        """
        return self._upkeep.describe(describers, places, again=again, progress=progress)

    def erase(
        self,
        memory_ids: str | Memory | Iterable[str | Memory],
        *,
        chosen_by: Filter | None = None,
    ) -> Receipt:
        """Erase memories and everything that mentions them; unknown ids are ignored.

        Safe to repeat: an erasure that was interrupted is completed, and one that was done before
        returns its receipt.

        Args:
            memory_ids: The memories to erase: one or several, or their ids.
            chosen_by: The filter that selected them. It lets ``store.receipt_of(filter)``
                distinguish a repeated erasure from a filter that never matched anything.

        Raises:
            StorageFullError: The disk is full; what was not erased is still there, complete.
        """
        return self._upkeep.erase(
            several_ids(memory_ids), chosen_by=chosen_by, replies=self.replies
        )

    def rebuild(self, *, progress: Progress | None = None) -> None:
        """Derive views, vectors, postings and relations again from the memories."""
        self._upkeep.rebuild(progress)

    def reencode(self, *, progress: Progress | None = None) -> None:
        """Switch the archive to this handle's encoder.

        The old vectors are used until the new ones are complete. An interrupted run continues where
        it stopped.
        """
        self._upkeep.reencode(progress)

    def hand_over(self) -> KnownNeighbours | None:
        """Return the neighbour lists loaded by adding, for the next handle; see `take_over`.

        Useful where an archive is opened briefly and often to add a little: reading the neighbours
        of 11,000 memories takes half a second.
        """
        return self._upkeep.indexer.hand_over()

    def take_over(self, known: KnownNeighbours | None) -> None:
        """Reuse the neighbour lists of an earlier handle, unless the archive has changed since."""
        self._upkeep.indexer.take_over(known)
