"""The face of the library: one archive of one person's memories.

::

    with Archive.open("family") as archive:
        archive.add([Memory.new("note", "The spare key is with Olga.")])
        print(archive.ask("Who has our spare key?").answer.text)
"""

from __future__ import annotations

import shutil
from functools import partial
from typing import TYPE_CHECKING, Literal, Self, get_args

from graphmemix import registry
from graphmemix.asking import Questions, last_trace
from graphmemix.encode.specs import encoder_of
from graphmemix.errors import InvalidInputError
from graphmemix.evidence import Trace
from graphmemix.index import Indexer
from graphmemix.ingest.journal import Journal
from graphmemix.llm.sync_bridge import iterate_sync, run_sync
from graphmemix.memory import ViewKind
from graphmemix.settings import Settings, ViewSettings
from graphmemix.store.protocol import Added, Entry, Filter

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

_BATCH = 64  # memories that are stored, then encoded and related, at a time


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
        """Put an archive together from its parts; `open` does it for you.

        Args:
            store: Where memories are.
            encoder: What makes vectors.
            settings: How everything is done.
            kinds: Search these views only; by default those that the settings name.
            chat: The language model; by default the one that the settings name, if any.
            open_writer: Opens the store for writing, for the moment of saving a trace, if `store`
                is open for reading.
        """
        self.store = store
        self.encoder = encoder
        self.settings = settings
        searched = tuple(kinds) if kinds is not None else _kinds(settings.views)
        self._questions = Questions(
            store, encoder, settings, searched, chat=chat, open_writer=open_writer
        )
        self._indexer = Indexer(store, encoder, settings)

    @classmethod
    def open(
        cls,
        location: str | Path,
        *,
        mode: Literal["write", "read"] = "write",
        encoder: Encoder | str | None = None,
        settings: Settings | None = None,
        chat: Chat | None = None,
        wait: float = 5.0,
        keep_traces: bool = False,
    ) -> Self:
        """Open an archive; for writing, make it if it is not there.

        Args:
            location: A folder, or ``postgresql://user@host/database#archive``.
            mode: One process may write at a time; any number may read meanwhile.
            encoder: What makes vectors, or its name, such as ``clip:FOLDER``; by default what the
                settings name, and else the packaged text encoder.
            settings: By default those of the user's file and environment.
            chat: The language model; by default the one that the settings name, if any.
            wait: Seconds to wait for another writer to finish.
            keep_traces: In mode ``read``: save the traces of questions all the same, by a short
                write after each answer. If another process is writing then, they are not saved.

        Raises:
            StoreError: It cannot be opened; the kind says why.
            InvalidInputError: There is no such encoder, or no such kind of store.
            MissingExtraError: The encoder or the store needs an extra that is not installed.
        """
        chosen = settings or Settings.load()
        named = chosen.encoder.model if encoder is None else encoder
        made = encoder_of(named) if isinstance(named, str) else named
        scheme, is_address, _ = str(location).partition("://")
        make_store = registry.load("stores", scheme if is_address else "folder")
        open_writer = None
        if keep_traces and mode == "read":
            open_writer = partial(make_store, location, mode="write", wait=0)
        store = make_store(location, mode=mode, wait=wait)
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
        """Return what adding has brought into memory, for the next handle; see `take_over`.

        It is worth it where an archive is opened for a moment, again and again, to add a little:
        to read the neighbours of 11,000 memories takes half a second.
        """
        return self._indexer.hand_over()

    def take_over(self, known: KnownNeighbours | None) -> None:
        """Go on with what an earlier handle had in memory, unless the archive has changed since."""
        self._indexer.take_over(known)

    @property
    def replies(self) -> Path:
        """The folder in which replies of models are remembered."""
        return self._questions.replies

    @property
    def media(self) -> MediaFolder:
        """Where files go before the memories that they belong to."""
        return self.store.media

    def add(self, memories: Iterable[Memory], *, progress: Progress | None = None) -> Added:
        """Store memories, then encode and relate them.

        Memories are on disk before any model sees them: if encoding is interrupted, `index` goes on
        where it stopped. Idempotent: what is there already is left alone.

        Raises:
            DuplicateMemoryError: An id is there with other content.
            InvalidDataError: Names what cannot be stored; nothing was.
        """
        added = self.store.add(Entry(memory) for memory in memories)
        self.index(progress=progress)
        return added

    def index(self, *, progress: Progress | None = None) -> int:
        """Encode and relate every memory that is not yet; return how many there were."""
        pending = self.store.without_vectors()
        for first in range(0, len(pending), _BATCH):
            self._indexer.index(pending[first : first + _BATCH])
            if progress is not None:
                progress(min(first + _BATCH, len(pending)), len(pending))
        return len(pending)

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
        """Read files and folders into the archive, then encode and relate what is new.

        A second run adds only what is new or changed; one that was stopped goes on where it was.
        One bad file never stops the run: the report says what was left out, and why. Files are
        read in processes of their own, which end when a file costs more than the settings allow
        (section ``ingest``). Clocks that tell no zone are read in that of the settings
        (``ingest.zone``), else in this machine's.

        Args:
            paths: Files, folders and zips.
            progress: Is told how far it is, a few times a second.
            as_: Read every file with the importer of this name, whatever it holds.
            dry_run: Read everything, write nothing.
            again: Read unchanged files too.
            index: Encode at once; False leaves it to a later `index`.
            on_file: Is told what became of each file.
            on_reading: Is told which files are being read, whenever that changes, by another
                thread.
            stop: Ends the run within seconds once it is set; nothing that was read is lost.
            follow_links: Whether to follow links that lead out of a folder; None for what the
                settings say (``ingest.follow_links``).

        Raises:
            InvalidInputError: There is no such importer, or no path.
            StoreError: The archive cannot be written to any more; what was stored before stands.
        """
        from graphmemix.ingest.run import ingest

        settings = self.settings.ingest
        if follow_links is not None:
            settings = settings.model_copy(update={"follow_links": follow_links})
        return ingest(
            self.store,
            paths,
            update=self._update_before_index,
            index=self.index if index and not dry_run else None,
            progress=progress,
            as_=as_,
            dry_run=dry_run,
            again=again,
            on_file=on_file,
            on_reading=on_reading,
            stop=stop,
            settings=settings,
        )

    def get(self, memory_id: str) -> Memory:
        """Return a memory, or raise `MemoryNotFoundError`."""
        return self.store.get(memory_id)

    def find(
        self, filter: Filter | None = None, *, limit: int | None = None, after: str | None = None
    ) -> list[Memory]:
        """Return memories by time, then id; those without a time last."""
        return self.store.find(filter, limit=limit, after=after)

    def update(self, memory: Memory) -> int:
        """Replace a memory and what was derived from it; return the new version's number."""
        try:
            version = self._update_before_index(memory)
        except InvalidInputError:  # it stays as it is, and as it was related
            self.index()
            raise
        self.index()
        return version

    def _update_before_index(self, memory: Memory) -> int:
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
        """Add words about media where they are missing, and index what changed.

        Resumable: what was told about a file is kept by its hash, and asked for only once.

        Args:
            describers: Such as ``Ocr()``, ``Speech()`` or ``Captions(chat)`` from
                `graphmemix.ingest.describe`; at most one for each field of a description.
            places: ``Places()``, to name coordinates.
            again: Also replace words that are there already.
            progress: Hears how many memories are done, of how many.

        Raises:
            StoreError: The archive cannot be written; the kind says why.
        """
        from graphmemix.ingest.describe.run import DescribeRun

        run = DescribeRun(self.store, describers, places, again=again)
        done = run.run(self._replace, progress=progress)
        self.index()  # what an earlier run changed, and was ended before it could index
        return done

    def _replace(self, memories: Sequence[Memory]) -> None:
        """Replace memories and what was derived from them, in one go."""
        before = self.store.get_many(memory.id for memory in memories)
        self._indexer.forget(list(before.values()))
        for memory in memories:
            self.store.update(memory)
        self.index()

    def erase(self, memory_ids: Iterable[str], *, chosen_by: Filter | None = None) -> Receipt:
        """Remove memories and every trace of them; ids that are not there are ignored.

        An erasure can be repeated: one that was done before, or that was interrupted after the
        memories went, is finished and returns its receipt.

        Args:
            memory_ids: What goes.
            chosen_by: The filter that chose them: a repeat that finds none any more is then told
                apart from one that never found any, with ``store.receipt_of(filter)``.

        Raises:
            StorageFullError: There is no room at all; what was not erased is still there, whole.
        """
        shutil.rmtree(self.replies, ignore_errors=True)  # models may have been told about them
        return self.store.erase(memory_ids, chosen_by=chosen_by, before=self._before_erasing)

    def _before_erasing(self, memory_ids: Sequence[str]) -> None:
        gone = list(self.store.get_many(memory_ids).values())
        Journal(self.store).release([memory.id for memory in gone])
        self._indexer.forget(gone, erasing=True)

    def rebuild(self, *, progress: Progress | None = None) -> None:
        """Make everything derived anew: views, vectors, postings, relations."""
        self._indexer.rebuild(progress=progress)

    def reencode(self, *, progress: Progress | None = None) -> None:
        """Change the archive over to this handle's encoder, whatever encoded it before.

        The old vectors serve until the new ones are complete. An interrupted run goes on where it
        stopped.
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
            InvalidInputError: The question or its filter is larger than is accepted.
        """
        return self._questions.candidates(question, filter)

    def case(self, question: Question | str, *, filter: Filter | None = None) -> Case:
        """Return a question's candidates with everything that a verifier may look at.

        Raises:
            EncoderMismatchError: The archive is encoded with another encoder.
            InvalidDataError: Nothing in the question can be encoded.
            InvalidInputError: The question or its filter is larger than is accepted.
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
            question: What is asked.
            filter: What may appear at all.
            budget: Limits, and the way to cancel; by default those of the settings.
            save: Keep the trace in the archive, if it is open for writing or keeps traces.

        Raises:
            EncoderMismatchError: The archive is encoded with another encoder.
            InvalidDataError: Nothing in the question can be encoded.
            InvalidInputError: The question or its filter is larger than is accepted.
            SettingsError: The settings need a model and name none.
            ModelError: The model failed, and nothing may stand in for it.
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

        Without a model the answer is quoted from the evidence and says so. Arguments and errors are
        those of `recall`; `instruction` tells a reader model about the form of the answer.
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
        """Yield the answer in pieces as they come, and the whole trace at the end."""
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


def _kinds(views: ViewSettings) -> tuple[ViewKind, ...]:
    """Return the views that count under these settings."""
    off: set[ViewKind] = set()
    if not views.context:
        off.add("context")
    if not views.transcript:
        off.add("transcript")
    if not views.pixels:
        off |= {"image", "frame"}
    return tuple(kind for kind in get_args(ViewKind) if kind not in off)
