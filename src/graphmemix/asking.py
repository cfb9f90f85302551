"""Runs questions on one archive: retrieval, the pipeline, and saving of traces."""

from __future__ import annotations

import asyncio
from contextlib import aclosing, suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from graphmemix import pipeline, registry
from graphmemix.errors import (
    ArchiveBusyError,
    ArchiveReadOnlyError,
    InvalidInputError,
    ModelError,
    StorageFullError,
)
from graphmemix.evidence import Question, Trace
from graphmemix.evidence.question import require_bounded
from graphmemix.llm.limits import check_cancelled
from graphmemix.llm.openai_chat import open_chat
from graphmemix.llm.sync_bridge import run_sync
from graphmemix.read.extractive import ExtractiveReader
from graphmemix.read.llm import LlmReader
from graphmemix.record import require_moment
from graphmemix.relate.people import People
from graphmemix.retrieve.episode import Stay, stays_away
from graphmemix.retrieve.facets import ALBUM, CELL
from graphmemix.retrieve.graph import ClausePriors, candidate_graph
from graphmemix.retrieve.prior import Prior, views_that_count
from graphmemix.retrieve.question import described, encode_question
from graphmemix.store.protocol import Filter, Log
from graphmemix.verify.captions import archive_caption
from graphmemix.verify.opening import local_verifier, open_verifier, weighs_local
from graphmemix.verify.protocol import make_case
from graphmemix.verify.signals import gather

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Sequence
    from pathlib import Path

    from graphmemix.encode.protocol import Encoder
    from graphmemix.evidence import CandidateGraph
    from graphmemix.llm.chat import Chat
    from graphmemix.llm.limits import Budget
    from graphmemix.memory import ViewKind
    from graphmemix.read.protocol import Reader
    from graphmemix.retrieve.question import EncodedQuestion
    from graphmemix.settings import Settings
    from graphmemix.store.protocol import Store
    from graphmemix.verify.protocol import Case

__all__ = ["NOT_ENCODED", "Questions", "as_question", "last_trace"]

NOT_ENCODED = "not encoded yet: found by words, dates, places and people alone"
"""How the note of a question ends while part of the archive has no vectors."""

_PART_DEPTH = 64  # memories that a search for a part of a question returns; few of them are used
_REPLIES = "replies"  # folder of cached model replies, below the media; erasing empties it


class _Names(NamedTuple):
    """The names that an archive knows: of speakers, places and albums, who is who; and its years.

    Tuples, because the index of names is kept for them.
    """

    people: tuple[str, ...]
    places: tuple[str, ...]
    albums: tuple[str, ...]
    who: People
    years: range


class Questions:
    """Answers the questions of an `Archive` with its store, encoder, settings and model."""

    def __init__(
        self,
        store: Store,
        encoder: Encoder,
        settings: Settings,
        kinds: tuple[ViewKind, ...],
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
            chat: The language model; by default the one in the settings, if any.
            open_writer: Opens the store for writing while a trace is saved; None to save traces
                only if `store` itself is open for writing.
        """
        self._store = store
        self._encoder = encoder
        self._settings = settings
        self._kinds = kinds
        self._chat = chat
        self._opened_chat: Chat | None = None
        self._open_writer = open_writer
        self._known: tuple[str, _Names] | None = None
        self._away: tuple[str, tuple[Stay, ...]] | None = None

    @property
    def replies(self) -> Path:
        """The folder of the model reply cache."""
        return self._store.media.root / _REPLIES

    def candidates(self, question: Question | str, filter: Filter | None) -> CandidateGraph:
        """Return the bounded candidate graph of a question."""
        asked = as_question(question, filter)
        with self._store.snapshot():
            return self._retrieved(asked, filter)[1]

    def case(self, question: Question | str, filter: Filter | None) -> Case:
        """Return a question's candidates with everything that a verifier may use."""
        asked = as_question(question, filter)
        with self._store.snapshot():
            encoded, graph = self._retrieved(asked, filter)
            check_cancelled()
            ids = [candidate.memory_id for candidate in graph.candidates]
            hides_later = asked.as_of is not None
            kinds = views_that_count(self._kinds, hides_later=hides_later)
            signals = gather(self._store, encoded, ids, kinds)
            check_cancelled()
            memories = self._store.get_many(ids)
        return make_case(asked, graph, memories, self._settings.edges.anchors, signals)

    def _retrieved(
        self, asked: Question, filter: Filter | None
    ) -> tuple[EncodedQuestion, CandidateGraph]:
        names = self._names()
        encoded = encode_question(
            asked,
            self._encoder,
            people=names.people,
            places=names.places,
            albums=names.albums,
            who=names.who,
            years=names.years,
        )
        check_cancelled()
        wanted = _with_as_of(filter, asked)
        prior, *parts = (
            Prior(
                self._store,
                each,
                self._encoder.identity,
                self._settings.retrieval,
                self._kinds,
                wanted,
                depth=None if each is encoded else _PART_DEPTH,
            )
            for each in _with_parts(encoded)
        )
        check_cancelled()
        graph = candidate_graph(
            prior,
            self._store,
            self._settings,
            wanted,
            constraints=encoded.constraints,
            clause=self._clause_priors(encoded, parts, wanted),
            with_model=self._model_reads_all(),
        )
        notes = (*described(encoded.constraints), *graph.notes, *self._not_encoded())
        return encoded, replace(graph, notes=notes)

    def _not_encoded(self) -> tuple[str, ...]:
        """Return a note if part of the archive has no vectors yet."""
        waiting = self._store.count_without_vectors()
        if not waiting:
            return ()
        total = self._store.count()
        return (f"{waiting} of {total} memories {NOT_ENCODED}",)

    def _model_reads_all(self) -> bool:
        """Return whether a model reads every candidate, which then have to be few."""
        if self._settings.local.use == "always" or self._model() is None:
            return False
        return not weighs_local(self._settings, self._encoder.identity)

    def _clause_priors(
        self, question: EncodedQuestion, parts: Sequence[Prior], filter: Filter | None
    ) -> ClausePriors | None:
        if question.clause is None:
            return None
        asked, event = parts
        stays = self._stays() if self._settings.graph.reach.stays else ()
        if filter is not None and filter.as_of is not None:
            now = filter.as_of.date()  # a stay that has not ended yet is what is known of it
            stays = tuple(Stay(s.first, min(s.last, now)) for s in stays if s.first <= now)
        return ClausePriors(asked, event, question.clause.shift, stays)

    def _stays(self) -> tuple[Stay, ...]:
        """Return the stays away from the usual places, worked out again only after a change."""
        state = self._store.state()
        if self._away is None or self._away[0] != state:
            self._away = (state, stays_away(self._store.key_days(CELL)))
        return self._away[1]

    def _names(self) -> _Names:
        """Return the names that the archive knows, read again only after a change."""
        state = self._store.state()
        if self._known is None or self._known[0] != state:
            store = self._store
            names = _Names(
                tuple(store.speakers()),
                tuple(store.key_names("place:")),
                tuple(store.key_names(ALBUM)),
                People.read(store.key_names),
                store.years(),
            )
            self._known = (state, names)
        return self._known[1]

    async def run(
        self,
        question: Question | str,
        filter: Filter | None,
        *,
        reads: bool,
        instruction: str = "",
        budget: Budget | None,
        save: bool,
    ) -> AsyncGenerator[str | Trace]:
        """Yield the pieces of the answer, then the trace; see `Archive.stream`."""
        asked = as_question(question, filter, instruction)
        parts = self._parts(filter, reads=reads)
        running = pipeline.run(asked, parts, instruction=instruction, budget=budget)
        async with aclosing(running) as pieces:  # a consumer that stops early ends the pipeline
            try:
                async for piece in pieces:
                    yield await self._saved(piece, save=save) if isinstance(piece, Trace) else piece
            except ModelError as error:
                if isinstance(error.trace, Trace):
                    error.trace = await self._saved(error.trace, save=save)
                raise

    def _parts(self, filter: Filter | None, *, reads: bool) -> pipeline.Parts:
        chat = self._model()
        reader = _open_reader(self._settings, chat, self._encoder)
        may_fail = chat is not None or bool(self._settings.reader.plugin)
        degrades = may_fail and self._settings.verifier.degrade
        identity = self._encoder.identity
        verifier = open_verifier(self._settings, chat, identity, known_caption=self._caption)
        return pipeline.Parts(
            prepare=lambda asked: self.case(asked, filter),
            verifier=verifier,
            reader=reader if reads else None,
            fallback=ExtractiveReader(self._encoder) if degrades else None,
            chance=local_verifier(self._settings, identity).chance,
            media=self._store.media,
            settings=self._settings,
        )

    def _caption(self, sha256: str) -> str:
        """Return the archive's own caption of a picture, or an empty text."""
        return archive_caption(self._store.with_media(sha256), sha256)

    def _model(self) -> Chat | None:
        """Return the chat model in the settings, opened once; None if they name none."""
        if self._chat is None and self._settings.model.base_url:
            self._chat = open_chat(self._settings, self.replies)
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


def as_question(
    asked: Question | str, filter: Filter | None = None, instruction: str = ""
) -> Question:
    """Return a valid `Question`; a plain string becomes its text, and is asked now.

    Raises:
        InvalidDataError: `asked_at` does not exist in UTC.
        InvalidInputError: The question, its filter or its instruction is too large.
    """
    if isinstance(asked, str):  # in the machine's zone: "yesterday" is that of whoever asks
        question = Question(asked, asked_at=datetime.now(UTC).astimezone())
    else:
        question = asked
    require_moment("question.asked_at", question.asked_at)
    require_bounded(question, instruction)
    if filter is not None:
        filter.require_bounded()
    return question


async def last_trace(running: AsyncGenerator[str | Trace]) -> Trace:
    """Return the trace that ends a stream of answer pieces."""
    trace = None
    async with aclosing(running) as pieces:
        async for piece in pieces:
            if isinstance(piece, Trace):
                trace = piece
    assert trace is not None  # noqa: S101  # for the type checker: it is always the last piece
    return trace


def _with_as_of(filter: Filter | None, question: Question) -> Filter | None:
    if question.as_of is None:
        return filter
    return replace(filter or Filter(), as_of=question.as_of)


def _with_parts(question: EncodedQuestion) -> list[EncodedQuestion]:
    """Return a question and, if it gives its time by an event, its two parts."""
    clause = question.clause
    return [question] if clause is None else [question, clause.asked, clause.event]


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
