"""Other systems in a run: built context by context, asked question by question, kept row by row."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING

from graphmemix.errors import InvalidDataError, InvalidInputError
from graphmemix.evidence import StageCost
from graphmemix.fsio import open_text
from graphmemix_bench.baselines.protocol import BaselineHead, Found, Made, SeesGold
from graphmemix_bench.measures.lifecycle import Cost, add_up
from graphmemix_bench.runs.context import last_tenth
from graphmemix_bench.runs.stages import BuildTotal, build_total_key, built_key, found_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from graphmemix.memory import Memory
    from graphmemix_bench.baselines.protocol import Baseline, Built
    from graphmemix_bench.datasets.base import Context, GoldQuestion
    from graphmemix_bench.runs.plan import Plan
    from graphmemix_bench.runs.stages import Asked, Stages

_HEADS = "baselines.jsonl"


class KeptJournal:
    """The rows of one baseline and one context in the stage ``built``."""

    def __init__(self, stages: Stages, context: str, content: str, baseline: str) -> None:
        self._stages = stages
        self._of = (context, content, baseline)
        self.rows: dict[str, Made] = {}

    def get(self, key: str) -> Made | None:
        """Return what was made under a key; None if nothing was."""
        found = self._stages.get(built_key(*self._of, key))
        if found is not None:
            self.rows[key] = found
        return found

    def put(self, key: str, made: Made) -> None:
        """Keep it."""
        self._stages.put(built_key(*self._of, key), made)
        self.rows[key] = made


async def ask_others(
    baselines: Sequence[Baseline], plan: Plan, stages: Stages, report: Callable[[str], None]
) -> None:
    """Build and ask every baseline, as far as it is not done.

    Raises:
        ModelError: A model failed; what was made before is kept.
    """
    for baseline in baselines:
        for context in plan.contexts:
            asked = [each for each in plan.asked if each.context == context.name]
            await _ask(baseline, context, asked, plan, stages, report)


async def _ask(
    baseline: Baseline,
    context: Context,
    asked: Sequence[Asked],
    plan: Plan,
    stages: Stages,
    report: Callable[[str], None],
) -> None:
    identity = baseline.head.identity
    missing = [
        (each, question)
        for each, question in zip(asked, context.questions, strict=True)
        if stages.get(found_key(each, identity)) is None
    ]
    if not missing:
        return
    memories = len(context.memories)
    report(f"{context.name}: {baseline.head.title}, {memories} memories, {len(missing)} questions")
    journal = KeptJournal(stages, context.name, asked[0].content, identity)
    built = await baseline.build(context.memories, journal)
    total = build_total_key(context.name, asked[0].content, identity)
    if stages.get(total) is None:
        stages.put(total, total_of(context.memories, journal.rows.values()))
    slots = asyncio.Semaphore(plan.parts.settings.model.concurrency)

    async def one(each: Asked, question: GoldQuestion) -> None:
        async with slots:
            found = await _find(built, question, plan.parts.settings.forest.budget, baseline.head)
        stages.put(found_key(each, identity), found)

    try:
        async with asyncio.TaskGroup() as group:
            for pair in missing:
                group.create_task(one(*pair))
    except BaseExceptionGroup as failed:
        raise failed.exceptions[0] from None


async def _find(built: Built, question: GoldQuestion, budget: int, head: BaselineHead) -> Found:
    if head.name == "oracle" and isinstance(built, SeesGold):
        return built.find_gold(question.question, question.gold, budget)
    return await built.find(question.question, budget)


def total_of(memories: Sequence[Memory], rows: Iterable[Made]) -> BuildTotal:
    """Return what a build took in all, and what of it the last tenth of the memories took."""
    updated = last_tenth(len(memories))
    late = {memory.id for memory in memories[len(memories) - updated :]}
    stages: dict[str, Cost] = {}
    update, repairs = Cost(), Counter[str]()
    for row in rows:
        for cost in row.costs:
            stages[cost.stage] = stages.get(cost.stage, Cost()) + add_up([cost])
        share = _share(row, late, updated, len(memories))
        update += _scaled(add_up(row.costs), share)
        repairs.update(row.repairs)
    costs = tuple(
        StageCost(name, c.seconds, c.calls, c.input_tokens, c.output_tokens, c.money)
        for name, c in stages.items()
    )
    return BuildTotal(len(memories), costs, update, updated, dict(repairs))


def _share(row: Made, late: set[str], updated: int, count: int) -> float:
    if not row.memories:
        return updated / count if count else 0.0
    return sum(memory_id in late for memory_id in row.memories) / len(row.memories)


def _scaled(cost: Cost, share: float) -> Cost:
    return Cost(
        cost.seconds * share,
        round(cost.calls * share),
        round(cost.input_tokens * share),
        round(cost.output_tokens * share),
        cost.money * share,
    )


def keep_heads(folder: Path, heads: Iterable[BaselineHead]) -> None:
    """Write down which baselines a run has, each once: they can be added to a finished run."""
    known = {each.identity for each in read_heads(folder)}
    new = [head for head in heads if head.identity not in known]
    if new:
        with open_text(folder / _HEADS, "a") as stream:
            stream.writelines(head.to_json() + "\n" for head in new)


def read_heads(folder: Path) -> tuple[BaselineHead, ...]:
    """Return the baselines of a run.

    Raises:
        InvalidInputError: The file is damaged; names the line.
    """
    path = folder / _HEADS
    if not path.is_file():
        return ()
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            found.append(BaselineHead.from_json(line))
        except InvalidDataError as error:
            raise InvalidInputError(f"{path}:{number}: {error}") from None
    return tuple(found)
