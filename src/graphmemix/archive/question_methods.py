"""The questions of an `Archive`: answers, evidence, and the traces that are kept of them."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Unpack

from graphmemix import asking
from graphmemix.archive.open_archive import OpenArchive
from graphmemix.asking import Wanted, lists_wanted
from graphmemix.errors import MemoryNotFoundError, TraceNotFoundError
from graphmemix.evidence import Trace
from graphmemix.llm.sync_bridge import iterate_sync, run_sync

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator

    from graphmemix.evidence import CandidateGraph, Question
    from graphmemix.llm.limits import Budget
    from graphmemix.store.protocol import Filter
    from graphmemix.verify.protocol import Case

__all__ = ["QuestionMethods"]


class QuestionMethods(OpenArchive):
    """The methods of `Archive` that answer questions, and say what is guaranteed and raised."""

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

    @lists_wanted
    def recall(
        self,
        question: Question | str,
        *,
        filter: Filter | None = None,
        limit: int | None = None,
        budget: Budget | None = None,
        save: bool = True,
        **wanted: Unpack[Wanted],
    ) -> Trace:
        """Return the evidence for a question: the forest, and how it was chosen.

        Args:
            question: The question.
            since: Only memories from this moment on: a `datetime`, a `date`, an ISO text, or words
                as in a question, such as "last May", which mean its beginning.
            until: Only memories before this moment.
            kinds: Only memories of this kind, or of one of these, such as "photo".
            people: Only what this person, or one of these, wrote, said or took.
            near: Only memories from near a place: its name in the archive, ``(latitude,
                longitude)``, or ``(latitude, longitude, kilometres)``.
            sessions: Only memories of this conversation, thread, document or album, or of these.
            filter: More restrictions; all of them hold.
            limit: Most memories to return; by default the setting ``forest.budget``.
            budget: Limits, also used to cancel; by default those in the settings.
            save: Save the trace in the archive, if it is open for writing or keeps traces.

        Raises:
            EncoderMismatchError: The archive is encoded with another encoder.
            InvalidDataError: Nothing in the question can be encoded.
            InvalidInputError: The question or its filter is too large, or a filter names something
                that does not exist: a kind, a person, a place.
            SettingsError: The settings require a model but name none.
            ModelError: The model failed, and there is no fallback.
        """
        recalling = self.arecall(
            question,
            filter=filter,
            limit=limit,
            budget=budget,
            save=save,
            **wanted,
        )
        return run_sync(recalling)

    @lists_wanted
    async def arecall(
        self,
        question: Question | str,
        *,
        filter: Filter | None = None,
        limit: int | None = None,
        budget: Budget | None = None,
        save: bool = True,
        **wanted: Unpack[Wanted],
    ) -> Trace:
        """Do what `recall` does, with the same arguments, without blocking the event loop."""
        running = self._questions.run(
            question, filter, reads=False, limit=limit, budget=budget, save=save, **wanted
        )
        return await asking.last_trace(running)

    @lists_wanted
    def ask(
        self,
        question: Question | str,
        *,
        filter: Filter | None = None,
        limit: int | None = None,
        instruction: str = "",
        budget: Budget | None = None,
        save: bool = True,
        **wanted: Unpack[Wanted],
    ) -> Trace:
        """Answer a question; the answer with its citations is `Trace.answer`.

        Without a model the answer is quoted from the evidence (`Answer.extractive`). Arguments and
        errors are those of `recall`; `instruction` tells a reader model how to format the answer.
        """
        answering = self.aask(
            question,
            filter=filter,
            limit=limit,
            instruction=instruction,
            budget=budget,
            save=save,
            **wanted,
        )
        return run_sync(answering)

    @lists_wanted
    async def aask(
        self,
        question: Question | str,
        *,
        filter: Filter | None = None,
        limit: int | None = None,
        instruction: str = "",
        budget: Budget | None = None,
        save: bool = True,
        **wanted: Unpack[Wanted],
    ) -> Trace:
        """Do what `ask` does, with the same arguments, without blocking the event loop."""
        pieces = self.astream(
            question,
            filter=filter,
            limit=limit,
            instruction=instruction,
            budget=budget,
            save=save,
            **wanted,
        )
        return await asking.last_trace(pieces)

    @lists_wanted
    def stream(
        self,
        question: Question | str,
        *,
        filter: Filter | None = None,
        limit: int | None = None,
        instruction: str = "",
        budget: Budget | None = None,
        save: bool = True,
        **wanted: Unpack[Wanted],
    ) -> Iterator[str | Trace]:
        """Yield the answer in pieces as they arrive, then the trace; arguments as of `ask`."""
        pieces = self.astream(
            question,
            filter=filter,
            limit=limit,
            instruction=instruction,
            budget=budget,
            save=save,
            **wanted,
        )
        return iterate_sync(pieces)

    @lists_wanted
    def astream(
        self,
        question: Question | str,
        *,
        filter: Filter | None = None,
        limit: int | None = None,
        instruction: str = "",
        budget: Budget | None = None,
        save: bool = True,
        **wanted: Unpack[Wanted],
    ) -> AsyncGenerator[str | Trace]:
        """Do what `stream` does, without blocking the event loop."""
        return self._questions.run(
            question,
            filter,
            reads=True,
            limit=limit,
            instruction=instruction,
            budget=budget,
            save=save,
            **wanted,
        )

    def trace(self, trace_id: str) -> Trace:
        """Return a saved trace, or raise `TraceNotFoundError`."""
        with suppress(MemoryNotFoundError):
            if (log := self.store.log(trace_id)).kind == "trace":  # other logs lie beside them
                return Trace.from_json(log.body)
        raise TraceNotFoundError(trace_id)

    def traces(self, *, limit: int = 100) -> list[Trace]:
        """Return the newest saved traces, newest first."""
        return [Trace.from_json(log.body) for log in self.store.logs("trace", limit=limit)]
