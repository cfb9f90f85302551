"""Asking an archive: the evidence, the answer, and the traces of both."""

from __future__ import annotations

import asyncio
from contextlib import aclosing, suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from graphmemix import pipeline
from graphmemix.errors import ArchiveReadOnlyError, InvalidInputError, ModelError, StorageFullError
from graphmemix.evidence import Question, Trace
from graphmemix.evidence.question import require_bounded
from graphmemix.llm.opening import open_chat
from graphmemix.llm.portal import iterate_sync, run_sync
from graphmemix.read.extractive import ExtractiveReader
from graphmemix.read.llm import LlmReader
from graphmemix.store.protocol import Log
from graphmemix.verify.captions import archive_caption
from graphmemix.verify.opening import local_verifier, open_verifier

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator
    from pathlib import Path

    from graphmemix.encode.protocol import Encoder
    from graphmemix.llm.chat import Chat
    from graphmemix.llm.limits import Budget
    from graphmemix.settings import Settings
    from graphmemix.store.protocol import Filter, Store
    from graphmemix.verify.protocol import Case

REPLIES = "replies"
"""Folder of remembered model replies, below the archive's media; erasure empties it."""


class Asking:
    """What an archive answers. `Archive` has all of it."""

    store: Store
    encoder: Encoder
    settings: Settings
    _chat: Chat | None = None
    _opened_chat: Chat | None = None

    def case(self, question: Question | str, *, filter: Filter | None = None) -> Case:
        """Return a question's candidates with everything that a verifier may look at."""
        raise NotImplementedError

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
            save: Keep the trace in the archive, if it is open for writing.

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
        return await _last(self._run(question, filter, reads=False, budget=budget, save=save))

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
        return await _last(pieces)

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
        return self._run(
            question, filter, reads=True, instruction=instruction, budget=budget, save=save
        )

    def trace(self, trace_id: str) -> Trace:
        """Return a saved trace, or raise `MemoryNotFoundError`."""
        return Trace.from_json(self.store.log(trace_id).body)

    def traces(self, *, limit: int = 100) -> list[Trace]:
        """Return the newest saved traces, newest first."""
        return [Trace.from_json(log.body) for log in self.store.logs("trace", limit=limit)]

    async def _run(
        self,
        question: Question | str,
        filter: Filter | None,
        *,
        reads: bool,
        instruction: str = "",
        budget: Budget | None,
        save: bool,
    ) -> AsyncGenerator[str | Trace]:
        asked = as_question(question, filter, instruction)
        parts = self._parts(filter, reads=reads)
        going = pipeline.run(asked, parts, instruction=instruction, budget=budget)
        async with aclosing(going) as pieces:  # a listener who has heard enough ends all of it
            try:
                async for piece in pieces:
                    yield await self._kept(piece, save=save) if isinstance(piece, Trace) else piece
            except ModelError as error:
                if isinstance(error.trace, Trace):
                    error.trace = await self._kept(error.trace, save=save)
                raise

    def _parts(self, filter: Filter | None, *, reads: bool) -> pipeline.Parts:
        chat = self._model()
        quoting = ExtractiveReader(self.encoder)
        reader = LlmReader(chat, self.settings) if chat is not None else quoting
        degrades = chat is not None and self.settings.verifier.degrade
        identity = self.encoder.identity
        verifier = open_verifier(self.settings, chat, identity, known_caption=self._caption)
        return pipeline.Parts(
            prepare=lambda asked: self.case(asked, filter=filter),
            verifier=verifier,
            reader=reader if reads else None,
            fallback=quoting if degrades else None,
            chance=local_verifier(self.settings, identity).chance,
            media=self.store.media,
            settings=self.settings,
        )

    def _caption(self, sha256: str) -> str:
        """Return the archive's own caption of a picture, or an empty text."""
        return archive_caption(self.store.with_media(sha256), sha256)

    def _model(self) -> Chat | None:
        """Return the chat model of the settings, opened once."""
        if self._chat is None:
            self._chat = open_chat(self.settings, self.replies)
            self._opened_chat = self._chat
        return self._chat

    def _close_model(self) -> None:
        """Close the connections of blocking calls to a model that was opened here.

        Connections of another event loop end with that loop.
        """
        opened, self._opened_chat = self._opened_chat, None
        if opened is not None:
            with suppress(InvalidInputError):  # within the portal itself: it closes all at its end
                run_sync(opened.aclose())

    @property
    def replies(self) -> Path:
        """The folder in which replies of models are remembered."""
        return self.store.media.root / REPLIES

    async def _kept(self, trace: Trace, *, save: bool) -> Trace:
        """Return a trace, saved if it may be; a trace that is not saved has no id."""
        # In a thread: a commit waits for the disk, and for writers.
        saved = save and await asyncio.to_thread(self._save, trace)
        return trace if saved else replace(trace, id="")

    def _save(self, trace: Trace) -> bool:
        """Keep a trace if there are leave and room to write it; else say that it was not."""
        # Duplicates are named in it too: erasing one has to remove the trace as well.
        named = [candidate.memory_id for candidate in trace.candidates]
        ids = dict.fromkeys([*named, *(passed for passed, _ in trace.duplicates)])
        created = trace.created_at or datetime.now(UTC)
        log = Log(trace.id, "trace", created, trace.to_json(), tuple(ids))
        try:
            self.store.put_log(log, keep=self.settings.traces.keep)
        except (ArchiveReadOnlyError, StorageFullError):
            return False
        return True


def as_question(
    asked: Question | str, filter: Filter | None = None, instruction: str = ""
) -> Question:
    """Return what is asked; words alone are a question too.

    Raises:
        InvalidInputError: The question, its filter or its instruction is larger than is accepted.
    """
    question = Question(asked) if isinstance(asked, str) else asked
    require_bounded(question, instruction)
    if filter is not None:
        filter.require_bounded()
    return question


async def _last(going: AsyncGenerator[str | Trace]) -> Trace:
    trace = None
    async with aclosing(going) as pieces:
        async for piece in pieces:
            if isinstance(piece, Trace):
                trace = piece
    assert trace is not None  # noqa: S101  # for the type checker: it is always the last piece
    return trace
