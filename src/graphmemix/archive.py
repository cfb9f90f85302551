"""The main entry point of the library: one archive of one person's memories.

::

    with Archive.open("family") as archive:
        archive.add([Memory.new("note", "The spare key is with Olga.")])
        print(archive.ask("Who has our spare key?").answer.text)
"""

from __future__ import annotations

import shutil
from contextlib import nullcontext, suppress
from functools import cached_property, partial
from typing import TYPE_CHECKING, Literal, Self, get_args

from graphmemix import registry
from graphmemix.asking import Questions, last_trace
from graphmemix.encode.specs import encoder_for
from graphmemix.errors import ArchiveBusyError, EncoderError, InvalidInputError
from graphmemix.evidence import Trace
from graphmemix.index import Indexer
from graphmemix.ingest.journal import Journal
from graphmemix.llm.sync_bridge import iterate_sync, run_sync
from graphmemix.memory import ViewKind
from graphmemix.settings import Settings, ViewSettings
from graphmemix.store.protocol import Added, Entry, Filter
from graphmemix.store.zone import stored_zone

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence
    from pathlib import Path
    from threading import Event

    from graphmemix.encode.protocol import Encoder
    from graphmemix.evidence import CandidateGraph, Question
    from graphmemix.index import KnownNeighbours
    from graphmemix.ingest.describe import Described, Describer, Places
    from graphmemix.ingest.report import IngestReport, OnFile, OnProgress, OnReading
    from graphmemix.llm.chat import Chat
    from graphmemix.llm.limits import Budget
    from graphmemix.memory import Memory
    from graphmemix.store.media import MediaFolder
    from graphmemix.store.protocol import Progress, Receipt, Store
    from graphmemix.verify.protocol import Case

_BATCH = 64  # memories that are encoded and related at a time
_AT_ONCE = 8  # memories that are derived in one transaction: few, since it keeps others out
_WORDS_BATCH = 256  # memories that are made searchable by words at a time


class Archive:
    """One archive, open for reading or writing. Use as a context manager."""

    def __init__(
        self,
        store: Store,
        encoder: Encoder,
        settings: Settings,
        *,
        kinds: Sequence[ViewKind] | None = None,
        chat: Chat | None = None,
        open_writer: Callable[[], Store] | None = None,
    ) -> None:
        """Assemble an archive from its parts; usually `open` does this.

        Args:
            store: Holds the memories.
            encoder: Makes vectors.
            settings: All settings.
            kinds: Search these views only; by default those enabled in the settings.
            chat: The language model; by default the one in the settings, if any.
            open_writer: Opens the store for writing while a trace is saved, if `store` is open
                for reading.
        """
        self.store = store
        self.encoder = encoder
        self.settings = settings
        searched = tuple(kinds) if kinds is not None else _kinds(settings.views)
        self._questions = Questions(
            store, encoder, settings, searched, chat=chat, open_writer=open_writer
        )

    @cached_property
    def _indexer(self) -> Indexer:
        return Indexer(self.store, self.encoder, self.settings)

    @classmethod
    def open(
        cls,
        location: str | Path,
        *,
        mode: Literal["write", "shared", "read"] = "write",
        encoder: Encoder | str | None = None,
        settings: Settings | None = None,
        chat: Chat | None = None,
        wait: float = 5.0,
        keep_traces: bool = False,
    ) -> Self:
        """Open an archive; in mode ``write`` or ``shared``, create it if it does not exist.

        Args:
            location: A folder, or ``postgresql://user@host/database#archive``.
            mode: One process may write at a time; any number may read meanwhile. In mode
                ``shared``, this process is the writer only while it changes something, so that
                several processes can add to an archive in turn.
            encoder: An encoder or its name, such as ``clip:FOLDER``; by default the one in the
                settings.
            settings: By default those of the user's file and environment.
            chat: The language model; by default the one in the settings, if any.
            wait: Seconds to wait for another writer to finish.
            keep_traces: In mode ``read``: save traces of questions anyway, by a short write after
                each answer. If another process is writing at that moment, the trace is not saved.

        Raises:
            StoreError: It cannot be opened; the subclass says why.
            InvalidInputError: Unknown encoder or kind of store.
            MissingExtraError: The encoder or the store needs an extra that is not installed.
        """
        chosen = settings or Settings.load()
        named = chosen.encoder.model if encoder is None else encoder
        if isinstance(named, str):
            registry.load("encoders", named.strip().partition(":")[0])  # a wrong name fails early
        scheme, is_address, _ = str(location).partition("://")
        make_store = registry.load("stores", scheme if is_address else "folder")
        open_writer = None
        if keep_traces and mode == "read":
            open_writer = partial(make_store, location, mode="write", wait=0)
        store = make_store(location, mode=mode, wait=wait)
        try:
            made = encoder_for(named, store.encoder()) if isinstance(named, str) else named
        except BaseException:
            store.close()
            raise
        if not chosen.ingest.zone and (zone := stored_zone(store)):
            inside = chosen.ingest.model_copy(update={"zone": zone})
            chosen = chosen.model_copy(update={"ingest": inside})
        return cls(store, made, chosen, chat=chat, open_writer=open_writer)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Release everything. Closing twice is harmless."""
        self._questions.close()
        self.store.close()

    def hand_over(self) -> KnownNeighbours | None:
        """Return the neighbour lists loaded by adding, for the next handle; see `take_over`.

        Useful where an archive is opened briefly and often to add a little: reading the neighbours
        of 11,000 memories takes half a second.
        """
        return self._indexer.hand_over()

    def take_over(self, known: KnownNeighbours | None) -> None:
        """Reuse the neighbour lists of an earlier handle, unless the archive has changed since."""
        self._indexer.take_over(known)

    @property
    def replies(self) -> Path:
        """The folder of the model reply cache."""
        return self._questions.replies

    @property
    def media(self) -> MediaFolder:
        """The media folder; store files there before adding the memories they belong to."""
        return self.store.media

    def add(self, memories: Iterable[Memory], *, progress: Progress | None = None) -> Added:
        """Store memories, then encode and relate them.

        Memories are on disk before they are encoded: if encoding is interrupted, `index` continues
        where it stopped. Idempotent: memories that exist already are not changed.

        Raises:
            DuplicateMemoryError: An id exists with other content.
            InvalidDataError: A memory cannot be stored; none were.
        """
        added = self.store.add(Entry(memory) for memory in memories)
        self.index(progress=progress)
        return added

    def index(self, *, progress: Progress | None = None) -> int:
        """Encode and relate every memory that is still pending; return how many there were.

        Newest first. What needs no vector is done for all of them before: words, keys, relations.
        An interrupted run continues where it stopped. In mode ``shared``, others may read and write
        while vectors are made.

        Args:
            progress: Called with the number of memories done, and their total.
        """
        pending = self.store.without_vectors()
        new = self.store.without_words() if pending else []
        if len(pending) == len(new) <= _AT_ONCE:
            if new:
                self._indexer.index(new)
                if progress is not None:
                    progress(len(new), len(new))
            return len(new)
        self.add_words(new)
        self._encode(pending, progress)
        return len(pending)

    def add_words(self, memory_ids: Sequence[str] | None = None) -> None:
        """Make stored memories searchable by words, facets and relations; `index` does the rest.

        Args:
            memory_ids: Which; None for all that are not searchable yet.
        """
        ids = self.store.without_words() if memory_ids is None else memory_ids
        for first in range(0, len(ids), _WORDS_BATCH):
            self._indexer.add_words(ids[first : first + _WORDS_BATCH])

    def encode_some(self, *, progress: Progress | None = None) -> int:
        """Encode the newest memories that are pending, a batch at most; return how many are left.

        For a process that has other work to do in between; `index` does all at once.

        Args:
            progress: Called with the texts that were encoded, and their total.
        """
        self.add_words()
        if batch := self.store.without_vectors(limit=_BATCH):
            self._indexer.encode(batch, progress=progress)
        return self.store.count_without_vectors()

    def _encode(self, pending: Sequence[str], progress: Progress | None) -> None:
        total = len(pending)
        for first in range(0, total, _BATCH):
            batch = pending[first : first + _BATCH]
            self._indexer.encode(batch, progress=_share_of(progress, first, len(batch), total))
            if progress is not None:
                progress(first + len(batch), total)

    def ingest(
        self,
        paths: Iterable[Path | str],
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
            paths: Files, folders and zips.
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
        from graphmemix.ingest.encoding import encode_after
        from graphmemix.ingest.run import ingest

        settings = self.settings.ingest
        if follow_links is not None:
            settings = settings.model_copy(update={"follow_links": follow_links})
        with nullcontext() if dry_run else self.store.writing():
            if not dry_run:
                self.add_words()  # what an interrupted run had stored
            report = ingest(
                self.store,
                paths,
                update=self._update_before_index,
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
        pending = self.store.count_without_vectors
        return encode_after(report, self.index, pending, progress=progress, stop=stop)

    def get(self, memory_id: str) -> Memory:
        """Return a memory, or raise `MemoryNotFoundError`."""
        return self.store.get(memory_id)

    def find(
        self, filter: Filter | None = None, *, limit: int | None = None, after: str | None = None
    ) -> list[Memory]:
        """Return memories ordered by time, then id; those without a time come last."""
        return self.store.find(filter, limit=limit, after=after)

    def update(self, memory: Memory) -> int:
        """Replace a memory and everything derived from it; return the new version's number."""
        try:
            version = self._update_before_index(memory)
        except InvalidInputError:  # it was not changed, so restore its links
            self.index()
            raise
        self.index()
        return version

    def _update_before_index(self, memory: Memory) -> int:
        with self.store.writing():
            before = self.store.get(memory.id)
            if before != memory:
                self._indexer.forget([before])
            return self.store.update(memory)

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
        from graphmemix.ingest.describe.run import DescribeRun

        run = DescribeRun(self.store, describers, places, again=again)
        done = run.run(self._replace, progress=progress)
        self.index()  # includes what an interrupted run had changed but not indexed
        return done

    def _replace(self, memories: Sequence[Memory]) -> None:
        """Replace memories and everything derived from them, as a batch."""
        with self.store.writing():
            before = self.store.get_many(memory.id for memory in memories)
            self._indexer.forget(list(before.values()))
            for memory in memories:
                self.store.update(memory)
        self.index()

    def erase(self, memory_ids: Iterable[str], *, chosen_by: Filter | None = None) -> Receipt:
        """Erase memories and everything that mentions them; unknown ids are ignored.

        Safe to repeat: an erasure that was interrupted is completed, and one that was done before
        returns its receipt.

        Args:
            memory_ids: The memories to erase.
            chosen_by: The filter that selected them. It lets ``store.receipt_of(filter)``
                distinguish a repeated erasure from a filter that never matched anything.

        Raises:
            StorageFullError: The disk is full; what was not erased is still there, complete.
        """
        shutil.rmtree(self.replies, ignore_errors=True)  # cached replies may quote them
        again: list[str] = []

        def before(ids: Sequence[str]) -> None:
            gone = list(self.store.get_many(ids).values())
            Journal(self.store).release([memory.id for memory in gone])
            again.extend(self._indexer.forget(gone, erasing=True))

        with self.store.writing():
            receipt = self.store.erase(memory_ids, chosen_by=chosen_by, before=before)
        if again:  # their context views no longer hold what was erased
            with suppress(EncoderError, ArchiveBusyError):  # the next `index` encodes them
                self._indexer.encode(again)
        return receipt

    def rebuild(self, *, progress: Progress | None = None) -> None:
        """Derive views, vectors, postings and relations again from the memories."""
        with self.store.writing():
            self._indexer.rebuild(progress=progress)

    def reencode(self, *, progress: Progress | None = None) -> None:
        """Switch the archive to this handle's encoder.

        The old vectors are used until the new ones are complete. An interrupted run continues where
        it stopped.
        """
        self._indexer.reencode(progress=progress)
        self.index()

    def candidates(
        self, question: Question | str, *, filter: Filter | None = None
    ) -> CandidateGraph:
        """Return the bounded candidate graph of a question (METHOD section 2).

        Raises:
            EncoderMismatchError: The archive is encoded with another encoder.
            InvalidDataError: Nothing in the question can be encoded.
            InvalidInputError: The question or its filter is too large.
        """
        return self._questions.candidates(question, filter)

    def case(self, question: Question | str, *, filter: Filter | None = None) -> Case:
        """Return a question's candidates with everything that a verifier may use.

        Raises:
            EncoderMismatchError: The archive is encoded with another encoder.
            InvalidDataError: Nothing in the question can be encoded.
            InvalidInputError: The question or its filter is too large.
        """
        return self._questions.case(question, filter)

    def recall(
        self,
        question: Question | str,
        *,
        filter: Filter | None = None,
        budget: Budget | None = None,
        save: bool = True,
    ) -> Trace:
        """Return the evidence for a question: the forest, and how it was chosen.

        Args:
            question: The question.
            filter: Restricts which memories are considered.
            budget: Limits, also used to cancel; by default those in the settings.
            save: Save the trace in the archive, if it is open for writing or keeps traces.

        Raises:
            EncoderMismatchError: The archive is encoded with another encoder.
            InvalidDataError: Nothing in the question can be encoded.
            InvalidInputError: The question or its filter is too large.
            SettingsError: The settings require a model but name none.
            ModelError: The model failed, and there is no fallback.
        """
        return run_sync(self.arecall(question, filter=filter, budget=budget, save=save))

    async def arecall(
        self,
        question: Question | str,
        *,
        filter: Filter | None = None,
        budget: Budget | None = None,
        save: bool = True,
    ) -> Trace:
        """Do what `recall` does, without blocking the event loop."""
        return await last_trace(
            self._questions.run(question, filter, reads=False, budget=budget, save=save)
        )

    def ask(
        self,
        question: Question | str,
        *,
        filter: Filter | None = None,
        instruction: str = "",
        budget: Budget | None = None,
        save: bool = True,
    ) -> Trace:
        """Answer a question; the answer with its citations is `Trace.answer`.

        Without a model the answer is quoted from the evidence (`Answer.extractive`). Arguments and
        errors are those of `recall`; `instruction` tells a reader model how to format the answer.
        """
        asking = self.aask(
            question, filter=filter, instruction=instruction, budget=budget, save=save
        )
        return run_sync(asking)

    async def aask(
        self,
        question: Question | str,
        *,
        filter: Filter | None = None,
        instruction: str = "",
        budget: Budget | None = None,
        save: bool = True,
    ) -> Trace:
        """Do what `ask` does, without blocking the event loop."""
        pieces = self.astream(
            question, filter=filter, instruction=instruction, budget=budget, save=save
        )
        return await last_trace(pieces)

    def stream(
        self,
        question: Question | str,
        *,
        filter: Filter | None = None,
        instruction: str = "",
        budget: Budget | None = None,
        save: bool = True,
    ) -> Iterator[str | Trace]:
        """Yield the answer in pieces as they arrive, then the trace."""
        pieces = self.astream(
            question, filter=filter, instruction=instruction, budget=budget, save=save
        )
        return iterate_sync(pieces)

    def astream(
        self,
        question: Question | str,
        *,
        filter: Filter | None = None,
        instruction: str = "",
        budget: Budget | None = None,
        save: bool = True,
    ) -> AsyncGenerator[str | Trace]:
        """Do what `stream` does, without blocking the event loop."""
        return self._questions.run(
            question, filter, reads=True, instruction=instruction, budget=budget, save=save
        )

    def trace(self, trace_id: str) -> Trace:
        """Return a saved trace, or raise `MemoryNotFoundError`."""
        return Trace.from_json(self.store.log(trace_id).body)

    def traces(self, *, limit: int = 100) -> list[Trace]:
        """Return the newest saved traces, newest first."""
        return [Trace.from_json(log.body) for log in self.store.logs("trace", limit=limit)]


def _share_of(progress: Progress | None, first: int, count: int, total: int) -> Progress | None:
    """Return what turns the progress within a batch of memories into that of all memories."""
    if progress is None:
        return None
    return lambda done, of: progress(first + count * done // max(of, 1), total)


def _kinds(views: ViewSettings) -> tuple[ViewKind, ...]:
    """Return the kinds of views that these settings enable."""
    off: set[ViewKind] = set()
    if not views.context:
        off.add("context")
    if not views.transcript:
        off.add("transcript")
    if not views.pixels:
        off |= {"image", "frame"}
    return tuple(kind for kind in get_args(ViewKind) if kind not in off)
