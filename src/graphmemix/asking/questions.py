"""Runs questions on one archive: the model, the pipeline, and saving of traces."""

from __future__ import annotations

import asyncio
from contextlib import aclosing, suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Unpack

from graphmemix import pipeline, registry
from graphmemix.asking.retrieving import Retrieval, as_question
from graphmemix.asking.wanted import Wanted, require_known, wanted_filter
from graphmemix.errors import (
    ArchiveBusyError,
    ArchiveReadOnlyError,
    InvalidInputError,
    ModelError,
    StorageFullError,
)
from graphmemix.evidence import Trace
from graphmemix.llm.openai_chat import open_chat
from graphmemix.llm.sync_bridge import run_sync
from graphmemix.read.extractive import ExtractiveReader
from graphmemix.read.llm import LlmReader
from graphmemix.store.protocol import Filter, Log
from graphmemix.verify.captions import archive_caption
from graphmemix.verify.opening import local_verifier, open_verifier, weighs_local

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable
    from pathlib import Path

    from graphmemix.encode.protocol import Encoder
    from graphmemix.evidence import CandidateGraph, Question
    from graphmemix.llm.chat import Chat
    from graphmemix.llm.limits import Budget
    from graphmemix.memory import ViewKind
    from graphmemix.read.protocol import Reader
    from graphmemix.settings import Settings
    from graphmemix.store.protocol import Store
    from graphmemix.verify.protocol import Case

__all__ = ["Questions", "last_trace"]


class Questions:
    """Answers the questions of an `Archive` with its store, encoder, settings and model."""

    def __init__(
        self,
        store: Store,
        encoder: Encoder,
        settings: Settings,
        kinds: tuple[ViewKind, ...],
        replies: Path,
        *,
        chat: Chat | None = None,
        open_writer: Callable[[], Store] | None = None,
    ) -> None:
        """Prepare; nothing is opened yet.

        Args:
            store: Holds the memories.
            encoder: Makes vectors.
            settings: All settings.
            kinds: The kinds of views to search.
            replies: The folder of the model reply cache.
            chat: The language model; by default the one in the settings, if any.
            open_writer: Opens the store for writing while a trace is saved; None to save traces
                only if `store` itself is open for writing.
        """
        self._store = store
        self._encoder = encoder
        self._settings = settings
        self._replies = replies
        self._chat = chat
        self._opened_chat: Chat | None = None
        self._open_writer = open_writer
        self._retrieval = Retrieval(
            store, encoder, settings, kinds, model_reads_all=self._model_reads_all
        )

    def candidates(self, question: Question | str, filter: Filter | None) -> CandidateGraph:
        """Return the bounded candidate graph of a question."""
        return self._retrieval.candidates(question, filter)

    def case(self, question: Question | str, filter: Filter | None) -> Case:
        """Return a question's candidates with everything that a verifier may use."""
        return self._retrieval.case(question, filter)

    async def run(
        self,
        question: Question | str,
        filter: Filter | None,
        *,
        reads: bool,
        instruction: str = "",
        budget: Budget | None = None,
        save: bool = True,
        limit: int | None = None,
        **wanted: Unpack[Wanted],
    ) -> AsyncGenerator[str | Trace]:
        """Yield the pieces of the answer, then the trace; see `Archive.stream`."""
        if wanted:
            require_known(wanted)
        asked = as_question(question, filter, instruction)
        settings = _with_limit(self._settings, limit)
        if any(value is not None for value in wanted.values()):
            # In a thread: names are looked up in the store.
            filter = await asyncio.to_thread(self._wanted, asked, filter, wanted)
            as_question(asked, filter)
        parts = self._parts(filter, settings, reads=reads)
        running = pipeline.run(asked, parts, instruction=instruction, budget=budget)
        async with aclosing(running) as pieces:  # a consumer that stops early ends the pipeline
            try:
                async for piece in pieces:
                    yield await self._saved(piece, save=save) if isinstance(piece, Trace) else piece
            except ModelError as error:
                if isinstance(error.trace, Trace):
                    error.trace = await self._saved(error.trace, save=save)
                raise

    def _model_reads_all(self) -> bool:
        """Return whether a model reads every candidate, which then have to be few."""
        if self._settings.local.use == "always" or self._model() is None:
            return False
        return not weighs_local(self._settings, self._encoder.identity)

    def _wanted(self, asked: Question, filter: Filter | None, wanted: Wanted) -> Filter | None:
        zone = self._settings.ingest.zone
        return wanted_filter(self._store, zone, filter, **wanted, now=asked.asked_at)

    def _parts(self, filter: Filter | None, settings: Settings, *, reads: bool) -> pipeline.Parts:
        chat = self._model()
        reader = _open_reader(settings, chat, self._encoder)
        may_fail = chat is not None or bool(settings.reader.plugin)
        degrades = may_fail and settings.verifier.degrade
        identity = self._encoder.identity
        verifier = open_verifier(settings, chat, identity, known_caption=self._caption)
        return pipeline.Parts(
            prepare=lambda asked: self.case(asked, filter),
            verifier=verifier,
            reader=reader if reads else None,
            fallback=ExtractiveReader(self._encoder) if degrades else None,
            chance=local_verifier(settings, identity).chance,
            media=self._store.media,
            settings=settings,
        )

    def _caption(self, sha256: str) -> str:
        """Return the archive's own caption of a picture, or an empty text."""
        return archive_caption(self._store.with_media(sha256), sha256)

    def _model(self) -> Chat | None:
        """Return the chat model in the settings, opened once; None if they name none."""
        if self._chat is None and self._settings.model.base_url:
            self._chat = open_chat(self._settings, self._replies)
            self._opened_chat = self._chat
        return self._chat

    def close(self) -> None:
        """Close the model connections that blocking calls opened.

        Connections of another event loop end with that loop.
        """
        opened, self._opened_chat = self._opened_chat, None
        if opened is not None:
            with suppress(InvalidInputError):  # inside the bridge's own loop, which closes them
                run_sync(opened.aclose())

    async def _saved(self, trace: Trace, *, save: bool) -> Trace:
        """Save a trace if wanted and possible, and return it; unsaved traces have no id."""
        # In a thread: a commit waits for the disk, and for writers.
        saved = save and await asyncio.to_thread(self._save, trace)
        return trace if saved else replace(trace, id="")

    def _save(self, trace: Trace) -> bool:
        """Save a trace; return False if the archive is busy, read-only or full."""
        # Duplicates are part of it too: erasing one has to delete the trace as well.
        named = [candidate.memory_id for candidate in trace.candidates]
        ids = dict.fromkeys([*named, *(passed for passed, _ in trace.duplicates)])
        created = trace.created_at or datetime.now(UTC)
        log = Log(trace.id, "trace", created, trace.to_json(), tuple(ids))
        keep = self._settings.traces.keep
        try:
            if self._open_writer is None:
                with self._store.writing(0):  # an answer does not wait for an ingestion
                    self._store.put_log(log, keep=keep)
            else:
                with self._open_writer() as writer:
                    writer.take_caches_of(self._store)  # they are saved when it closes
                    writer.put_log(log, keep=keep)
        except (ArchiveBusyError, ArchiveReadOnlyError, StorageFullError):
            return False
        return True


async def last_trace(running: AsyncGenerator[str | Trace]) -> Trace:
    """Return the trace that ends a stream of answer pieces."""
    trace = None
    async with aclosing(running) as pieces:
        async for piece in pieces:
            if isinstance(piece, Trace):
                trace = piece
    assert trace is not None  # noqa: S101  # for the type checker: it is always the last piece
    return trace


def _with_limit(settings: Settings, limit: int | None) -> Settings:
    """Return the settings with another limit on the number of memories."""
    if limit is None:
        return settings
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
        raise InvalidInputError(f"limit: must be a whole number of at least 1, not {limit!r:.80}")
    forest = settings.forest.model_copy(update={"budget": limit})
    return settings.model_copy(update={"forest": forest})


def _open_reader(settings: Settings, chat: Chat | None, encoder: Encoder) -> Reader:
    """Return what answers under these settings.

    That is the reader of another package if `reader.plugin` names one, otherwise the model if there
    is one, otherwise quotation.

    Raises:
        InvalidInputError: No installed package has the reader of `reader.plugin`.
    """
    if settings.reader.plugin:
        plugin: Reader = registry.load("readers", settings.reader.plugin)(settings)
        return plugin
    return ExtractiveReader(encoder) if chat is None else LlmReader(chat, settings)
