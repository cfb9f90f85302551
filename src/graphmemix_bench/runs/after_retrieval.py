"""The stages after retrieval: model verdicts, selection, answers, judgments, context by context."""

from __future__ import annotations

import asyncio
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from graphmemix.errors import InvalidReplyError, LimitReachedError, ModelError
from graphmemix.evidence import Packet, StageCost
from graphmemix.llm import Budget
from graphmemix.llm.limits import Meter
from graphmemix.optimize.select import trusted_links
from graphmemix.read.media import load_pictures
from graphmemix.read.packet import make_packet
from graphmemix.store.media import MediaFolder
from graphmemix.verify.protocol import make_case
from graphmemix_bench.baselines.protocol import Found
from graphmemix_bench.datasets.bundle import gold_question
from graphmemix_bench.judge import Prediction, judge_all
from graphmemix_bench.runs.artefacts import content_hash
from graphmemix_bench.runs.baselines import ask_others, keep_heads
from graphmemix_bench.runs.configurations import (
    Configuration,
    configurations,
    other_systems,
    source_of,
)
from graphmemix_bench.runs.context import kept_vectors
from graphmemix_bench.runs.ladder import (
    from_found,
    from_ranking,
    from_scores,
    from_selector,
    prizes_of,
)
from graphmemix_bench.runs.local import scores_of
from graphmemix_bench.runs.stages import (
    Answered,
    EdgeScores,
    NodeScores,
    answer_key,
    candidates_key,
    chosen_key,
    nodes_key,
)
from graphmemix_bench.selectors import SELECTORS, Pool

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
    from typing import Any

    from graphmemix.encode.protocol import Encoder
    from graphmemix.evidence import Forest
    from graphmemix.memory import Memory
    from graphmemix.read import Reader
    from graphmemix.read.media import Picture
    from graphmemix.settings import Settings
    from graphmemix.verify.llm import LlmVerifier
    from graphmemix.verify.protocol import Case
    from graphmemix_bench.datasets.base import Context, GoldQuestion
    from graphmemix_bench.fitting.training_cases import AskedCase
    from graphmemix_bench.runs.artefacts import Table
    from graphmemix_bench.runs.local import Local
    from graphmemix_bench.runs.plan import Plan
    from graphmemix_bench.runs.stages import (
        Asked,
        Candidates,
        Chosen,
        Source,
        Stages,
        VerifierKind,
    )

_T = TypeVar("_T")


async def finish(
    plan: Plan,
    stages: Stages,
    judgments: Table | None,
    folder: Path,
    cases: Mapping[str, Sequence[AskedCase]],
    local: Local | None,
    report: Callable[[str], None],
    encoder: Encoder,
) -> None:
    """Make everything after retrieval that is missing.

    Args:
        plan: What is run.
        stages: What it has made so far.
        judgments: The stage of judgments; None without a judge.
        folder: The run's.
        cases: What was retrieved just now, by context: a model that fails may need its signals.
        local: The local verifiers.
        report: Called with what is being done.
        encoder: What makes vectors for other systems.

    Raises:
        ModelError: A model failed; what was made before is kept.
    """
    reader = plan.parts.open_reader()
    baselines = plan.baselines(encoder)
    keep_heads(folder, [baseline.head for baseline in baselines])
    try:
        await ask_others(baselines, plan, stages, report)
        for context in plan.contexts:
            asked = [each for each in plan.asked if each.context == context.name]
            work = _Work(plan, stages, context, asked, folder)
            for kind in plan.parts.verifiers:
                if kind != "local":
                    await work.verify(kind, cases.get(context.name, ()), local, report)
            work.select()
            if reader is not None:
                await work.answer(reader, report)
            if judgments is not None:
                await work.judge(judgments, report)
    finally:
        for chat in (plan.parts.chat, plan.parts.judge):
            if chat is not None:
                await chat.aclose()


@dataclass(frozen=True)
class _Work:
    """The stages of one context."""

    plan: Plan
    stages: Stages
    context: Context
    asked: Sequence[Asked]
    folder: Path

    async def verify(
        self,
        kind: VerifierKind,
        cases: Sequence[AskedCase],
        local: Local | None,
        report: Callable[[str], None],
    ) -> None:
        """Ask the model for the verdicts that are missing."""
        memories = {memory.id: memory for memory in self.context.memories}
        by_id = {each.question.id: each for each in cases}
        judge = None if local is None else local.verifier(self.context.name, self.plan)
        verifier = self.plan.parts.model_verifier(kind, judge)
        anchors = self.plan.parts.settings.edges.anchors
        missing = [
            (asked, question, found)
            for asked, question in zip(self.asked, self.context.questions, strict=True)
            if (found := self.stages.get(candidates_key(asked))) is not None
            and self.stages.get(nodes_key(asked, found, kind)) is None
        ]
        if missing:
            report(f"{self.context.name}: {len(missing)} verdicts ({kind})")

        async def one(asked: Asked, question: GoldQuestion, found: Candidates) -> None:
            retrieved = by_id.get(question.id)
            if retrieved is None:  # from an earlier session: without the signals of retrieval
                held = {c.memory_id: memories[c.memory_id] for c in found.graph.candidates}
                case = make_case(question.question, found.graph, held, anchors)
            else:
                case = retrieved.case
            nodes, edges = await self._verdict(verifier, case)
            degrades = self.plan.parts.settings.verifier.degrade
            if nodes.error and degrades and judge is not None and retrieved is not None:
                mine, edges = scores_of(judge, retrieved)
                nodes = replace(mine, costs=(*nodes.costs, *mine.costs), repairs=nodes.repairs)
            self.stages.put_scores(asked, found, kind, (nodes, edges))

        await self._all(one(*each) for each in missing)

    async def _verdict(
        self,
        verifier: LlmVerifier,
        case: Case,
    ) -> tuple[NodeScores, EdgeScores]:
        settings = self.plan.parts.settings
        start = time.perf_counter()
        with Meter() as meter:
            try:
                with Budget.from_settings(settings.limits):
                    verdict = await verifier.verify(case)
            except ModelError as error:
                self._may_record(error)
                cost = meter.usage.cost_of("verify", time.perf_counter() - start)
                reason = f"failed.{error.kind}"
                return (
                    NodeScores((), verifier.identity, (cost,), {reason: 1}, error=str(error)),
                    EdgeScores(()),
                )
        edge_costs = tuple(cost for cost in verdict.costs if cost.stage == "ecv")
        node_costs = tuple(cost for cost in verdict.costs if cost.stage != "ecv")
        return (
            NodeScores(
                verdict.supports,
                verdict.verifier,
                node_costs,
                dict(verdict.repairs),
                terms=verdict.terms,
            ),
            EdgeScores(verdict.increments, edge_costs),
        )

    def _may_record(self, error: ModelError) -> None:
        """Raise an error that is not the question's own: a server that is down is down for all."""
        own = isinstance(error, InvalidReplyError | LimitReachedError)
        if not own and not self.plan.record_errors:
            raise error

    def select(self) -> None:
        """Choose what is not chosen yet, for every rung and selector."""
        settings = self.plan.parts.settings
        for asked in self.asked:
            for each in self._configurations():
                source = source_of(self.stages, asked, each)
                if source is None:
                    continue
                key = chosen_key(asked, each.rung.key, source)
                if self.stages.get(key) is not None:
                    continue
                self.stages.put(key, _choose(each, source, settings))
        if self.plan.selectors:
            self._compare_selectors()

    def _compare_selectors(self) -> None:
        rows = kept_vectors(self.folder, self.asked[0].content)
        for kind in self.plan.parts.verifiers:
            for asked in self.asked:
                source = scores_for_selectors(self.stages, asked, kind)
                if source is None:
                    continue
                keys = {name: chosen_key(asked, f"selector:{name}", source) for name in SELECTORS}
                missing = {n: key for n, key in keys.items() if self.stages.get(key) is None}
                if not missing:
                    continue
                nodes, edges = source
                ids = [support.memory_id for support in nodes.supports]
                links = tuple(trusted_links(nodes.supports, edges.increments))
                vectors = rows(ids)
                for name, key in missing.items():
                    pool = Pool(prizes_of(name, nodes), links, vectors)
                    chosen = from_selector(name, pool, ids, self.plan.parts.settings, nodes.terms)
                    self.stages.put(key, chosen)

    async def answer(self, reader: Reader, report: Callable[[str], None]) -> None:
        """Ask the reader what it has not been asked yet; the same memories are read once."""
        missing: dict[str, tuple[Asked, GoldQuestion, Chosen]] = {}
        for asked, question in zip(self.asked, self.context.questions, strict=True):
            for chosen in self._chosen(asked):
                key = answer_key(asked, chosen)
                if self.stages.get(key) is not None:
                    continue
                if chosen.answer is not None or chosen.error:
                    nothing = StageCost("read", 0.0)  # its calls are in what it found
                    said = Answered(chosen.answer or "", "its own", nothing, error=chosen.error)
                    self.stages.put(key, said)
                else:
                    missing[content_hash(key.inputs)] = (asked, question, chosen)
        if not missing:
            return
        report(f"{self.context.name}: {len(missing)} answers")
        with tempfile.TemporaryDirectory(prefix="graphmemix-bench-") as place:
            media, context = None, self.context
            if reader.sees_images and context.files:
                media = MediaFolder(Path(place))
                context = context.with_media(media)
            memories = {memory.id: memory for memory in context.memories}

            async def one(asked: Asked, question: GoldQuestion, chosen: Chosen) -> None:
                shown = _in_own_words(memories, chosen)
                said = await self._answer(reader, question, chosen.forest, shown, media)
                self.stages.put(answer_key(asked, chosen), said)

            await self._all(one(*each) for each in missing.values())

    async def _answer(
        self,
        reader: Reader,
        gold: GoldQuestion,
        forest: Forest | None,
        memories: Mapping[str, Memory],
        media: MediaFolder | None,
    ) -> Answered:
        settings, start = self.plan.parts.settings, time.perf_counter()
        question = replace(gold.question, text=gold.prompt)
        packet = Packet((), gold.instruction)
        pictures: tuple[Picture, ...] = ()
        if forest is not None:
            packet = make_packet(forest, memories, settings, gold.instruction, question=question)
        if media is not None:
            shown = await asyncio.to_thread(load_pictures, packet, media, settings, question)
            packet, pictures = shown.packet, shown.pictures
        with Meter() as meter:
            try:
                with Budget.from_settings(settings.limits):
                    reading = await reader.read(question, packet, pictures)
            except ModelError as error:
                self._may_record(error)
                cost = meter.usage.cost_of("read", time.perf_counter() - start)
                return Answered("", reader.identity, cost, error=str(error))
        cited = tuple(dict.fromkeys(each.memory_id for each in reading.answer.citations))
        return Answered(
            reading.answer.text, reader.identity, reading.cost, cited, dict(reading.repairs)
        )

    async def judge(self, table: Table, report: Callable[[str], None]) -> None:
        """Have every answer judged."""
        judge = self.plan.parts.judge
        assert judge is not None  # noqa: S101  # there is a table for it
        pairs = [
            (gold_question(asked.row), Prediction(said.text, said.error))
            for asked in self.asked
            for chosen in self._chosen(asked)
            if (said := self.stages.get(answer_key(asked, chosen))) is not None
        ]
        report(f"{self.context.name}: {len(pairs)} judgments")
        slots = self.plan.parts.settings.model.concurrency
        await judge_all(judge, pairs, table, concurrency=slots)

    def _configurations(self) -> list[Configuration]:
        ours = configurations(self.plan.rungs, self.plan.parts.verifiers)
        heads = [baseline.head for baseline in self.plan.baselines()]
        return ours + other_systems(heads, self.plan.others.modes)

    def _chosen(self, asked: Asked) -> Iterator[Chosen]:
        for each in self._configurations():
            source = source_of(self.stages, asked, each)
            if source is not None:
                chosen = self.stages.get(chosen_key(asked, each.rung.key, source))
                if chosen is not None:
                    yield chosen

    async def _all(self, work: Iterator[Coroutine[Any, Any, _T]]) -> list[_T]:
        """Await all of it, some at a time; the first failure ends the others and is raised."""
        slots = asyncio.Semaphore(self.plan.parts.settings.model.concurrency)

        async def slotted(each: Coroutine[Any, Any, _T]) -> _T:
            async with slots:
                return await each

        waiting = list(work)
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(slotted(each)) for each in waiting]
        except BaseExceptionGroup as failed:
            raise failed.exceptions[0] from None
        finally:
            for each in waiting:
                each.close()  # those that never began
        return [task.result() for task in tasks]


def _choose(each: Configuration, source: Source, settings: Settings) -> Chosen:
    if len(source) == 2:
        return from_scores(each.rung.key, *source, settings)
    if isinstance(source[0], Found):
        return from_found(source[0], each.mode)
    return from_ranking(source[0], settings.forest.budget)


def _in_own_words(memories: Mapping[str, Memory], chosen: Chosen) -> Mapping[str, Memory]:
    """Return the memories as a baseline words them, so that packets stay those of our method."""
    if not chosen.words:
        return memories
    changed = {
        memory_id: replace(
            memories[memory_id],
            text=text,
            media=memories[memory_id].media if chosen.pictures else (),
        )
        for memory_id, text in chosen.words.items()
        if memory_id in memories
    }
    return {**memories, **changed}


def scores_for_selectors(
    stages: Stages, asked: Asked, kind: VerifierKind
) -> tuple[NodeScores, EdgeScores] | None:
    """Return the scores that selectors get: of questions with gold and with candidates."""
    candidates = stages.get(candidates_key(asked))
    if candidates is None or not asked.row.gold:
        return None
    scores = stages.scores(asked, candidates, kind)
    return scores if scores is not None and scores[0].supports else None
