"""One question through the stages: retrieve, verify, optimise, serialise, read.

There is one asynchronous implementation, called by `Archive.ask` and `Archive.recall`. A `Trace`
records every stage.
"""

from __future__ import annotations

import secrets
import time
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from graphmemix.errors import LimitReachedError, ModelError
from graphmemix.evidence import Packet, StageCost, Trace
from graphmemix.llm.limits import Budget, check_cancelled, run_in_thread
from graphmemix.optimize.select import forest_of, terms_of
from graphmemix.read.chance import with_chance
from graphmemix.read.media import load_pictures
from graphmemix.read.missing import what_is_missing
from graphmemix.read.packet import make_packet
from graphmemix.read.protocol import Reading
from graphmemix.verify.protocol import Verdict

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from graphmemix.evidence import Forest, Question
    from graphmemix.read.media import Picture
    from graphmemix.read.protocol import Reader
    from graphmemix.settings import Settings
    from graphmemix.store.media import MediaFolder
    from graphmemix.verify.protocol import Case, Verifier


@dataclass(frozen=True)
class Parts:
    """What the stages need.

    Attributes:
        prepare: Returns the case of a question. It blocks, so it runs in a thread.
        verifier: Scores candidates and links.
        reader: Answers; None to stop at the evidence.
        fallback: Answers if the reader's model fails; None to raise the failure.
        chance: Returns the chance that the archive holds the answer, if the verifier gave none.
        media: Holds pictures and videos.
        settings: All settings.
    """

    prepare: Callable[[Question], Case]
    verifier: Verifier
    reader: Reader | None
    fallback: Reader | None
    chance: Callable[[Case], float | None]
    media: MediaFolder
    settings: Settings


async def run(
    question: Question, parts: Parts, *, instruction: str = "", budget: Budget | None = None
) -> AsyncGenerator[str | Trace, None]:
    """Yield the pieces of the answer as they arrive, then the trace.

    Args:
        question: The question.
        parts: What the stages need.
        instruction: Tells the reader how to format the answer.
        budget: Limits, also used to cancel; by default those in the settings.

    Raises:
        ModelError: A model failed or a limit was reached, and there is no fallback.
    """
    limits = budget or Budget.from_settings(parts.settings.limits)
    done = _Progress()
    async with aclosing(_stages(question, parts, instruction, done)) as stages:
        while True:
            # Limits apply while a piece is made, not while the consumer handles it: calls that it
            # makes meanwhile do not count.
            with limits:
                try:
                    piece = await anext(stages)
                except StopAsyncIteration:
                    return
                except ModelError as error:
                    error.trace = done.until(error)
                    raise
            yield piece


@dataclass
class _Progress:
    """What was done for a question so far, in case it ends early."""

    trace: Trace | None = None
    costs: list[StageCost] = field(default_factory=list)

    def until(self, error: ModelError) -> Trace | None:
        if self.trace is None:
            return None
        notes = (*self.trace.notes, f"the question ended early: {error}")
        return replace(self.trace, costs=tuple(self.costs), notes=notes)


async def _stages(
    question: Question, parts: Parts, instruction: str, done: _Progress
) -> AsyncGenerator[str | Trace, None]:
    costs = done.costs
    check_cancelled()
    with _timed("retrieve", costs):
        case = await run_in_thread(partial(parts.prepare, question))
    done.trace = _trace(question, parts.settings, case, Verdict((), ()), None)
    check_cancelled()
    _begin("verify")
    verdict = await parts.verifier.verify(case)
    costs += verdict.costs
    for note in verdict.notes:
        _announce(note)
    with _timed("optimize", costs):
        terms = verdict.terms or terms_of(parts.settings, "utility")
        method = parts.settings.forest.method
        forest = forest_of(verdict.supports, verdict.increments, terms, method)
    if verdict.answerable is None:
        verdict = replace(verdict, answerable=parts.chance(case))
    trace = done.trace = _trace(question, parts.settings, case, verdict, forest)
    check_cancelled()
    with _timed("serialize", costs):  # without a reader too: the trace then has the words
        packet = Packet((), instruction)
        if forest is not None:
            packet = make_packet(
                forest, case.memories, parts.settings, instruction, question=question
            )
    trace = done.trace = replace(trace, packet=packet)
    if parts.reader is None:
        yield replace(trace, costs=tuple(costs))
        return
    _begin("read")
    async with aclosing(_read(case, trace, parts)) as pieces:
        async for piece in pieces:
            if isinstance(piece, Trace):
                yield replace(piece, costs=(*costs, *piece.costs))
            else:
                yield piece


class _Listener(NamedTuple):
    on_stage: Callable[[str], None]
    on_failure: Callable[[str], None] | None


_LISTENER: ContextVar[_Listener | None] = ContextVar("stage_listener", default=None)


@contextmanager
def listening(
    on_stage: Callable[[str], None], on_failure: Callable[[str], None] | None = None
) -> Iterator[None]:
    """Report how a question proceeds, inside this context.

    Args:
        on_stage: Called with the name of each stage as it begins.
        on_failure: Called with a note, which the trace has too, when a model failed and something
            else stands in; always before the first piece of the answer.
    """
    token = _LISTENER.set(_Listener(on_stage, on_failure))
    try:
        yield
    finally:
        _LISTENER.reset(token)


def _begin(stage: str) -> None:
    listener = _LISTENER.get()
    if listener is not None:
        listener.on_stage(stage)


def _announce(note: str) -> None:
    listener = _LISTENER.get()
    if listener is not None and listener.on_failure is not None:
        listener.on_failure(note)


def replay(trace: Trace, settings: Settings) -> Forest | None:
    """Choose the forest again from a trace's candidates and verdicts, without any model."""
    before = trace.forest.terms if trace.forest else None
    terms = terms_of(settings, trace.scale, trace.supports, before.talk if before else 0.0)
    return forest_of(trace.supports, trace.increments, terms, settings.forest.method)


async def _read(case: Case, trace: Trace, parts: Parts) -> AsyncGenerator[str | Trace, None]:
    """Yield the pieces of the answer, then the trace that includes it.

    If the model fails before its first word and there is a fallback, the answer is quoted instead.
    """
    assert parts.reader is not None  # noqa: S101  # for the type checker
    began = False
    try:
        async with aclosing(_answered_by(parts.reader, case, trace, parts)) as pieces:
            async for piece in pieces:
                began = True
                yield piece
    except ModelError as error:
        cancelled = isinstance(error, LimitReachedError) and error.limit == "cancelled"
        if parts.fallback is None or began or cancelled:
            raise
        note = f"the reader's model failed ({error}); the answer is quoted instead"
        _announce(note)
        noted = replace(
            trace,
            notes=(note, *trace.notes),
            repairs=Counter(trace.repairs) + Counter({"read.degraded": 1}),
        )
        async with aclosing(_answered_by(parts.fallback, case, noted, parts)) as pieces:
            async for piece in pieces:
                yield piece


async def _answered_by(
    reader: Reader, case: Case, trace: Trace, parts: Parts
) -> AsyncGenerator[str | Trace, None]:
    assert trace.packet is not None  # noqa: S101  # for the type checker
    packet = trace.packet
    pictures: tuple[Picture, ...] = ()
    if reader.sees_images:
        load = partial(load_pictures, packet, parts.media, parts.settings, trace.question)
        shown = await run_in_thread(load)
        packet, pictures = shown.packet, shown.pictures
    async with _closed(reader.stream(trace.question, packet, pictures)) as pieces:
        async for piece in pieces:
            if not isinstance(piece, Reading):
                yield piece
                continue
            missing = partial(
                what_is_missing, trace.question, packet.blocks, trace.notes, case.graph.unknown
            )
            reader_settings = parts.settings.reader
            yield replace(
                trace,
                packet=packet,
                answer=with_chance(piece.answer, trace.answerable, reader_settings, missing),
                costs=(piece.cost,),
                repairs=dict(Counter(trace.repairs) + Counter(piece.repairs)),
                reader=piece.reader or reader.identity,
            )


@asynccontextmanager
async def _closed(
    pieces: AsyncIterator[str | Reading],
) -> AsyncIterator[AsyncIterator[str | Reading]]:
    """Close the reader's stream as soon as it is no longer consumed."""
    try:
        yield pieces
    finally:
        if isinstance(pieces, AsyncGenerator):
            await pieces.aclose()


def _trace(
    question: Question, settings: Settings, case: Case, verdict: Verdict, forest: Forest | None
) -> Trace:
    now = datetime.now(UTC)
    return Trace(
        question=question,
        profile=settings.profile,
        candidates=case.candidates,
        anchors=verdict.anchors or case.anchors,
        supports=verdict.supports,
        increments=verdict.increments,
        forest=forest,
        repairs=dict(verdict.repairs),
        id=f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(4)}",
        created_at=now,
        edges=case.graph.edges,
        duplicates=case.graph.duplicates,
        notes=(*verdict.notes, *case.graph.notes),  # a failure is read first
        verifier=verdict.verifier,
        answerable=verdict.answerable,
    )


@contextmanager
def _timed(stage: str, costs: list[StageCost]) -> Iterator[None]:
    _begin(stage)
    start = time.perf_counter()
    yield
    costs.append(StageCost(stage, time.perf_counter() - start))
