"""MemGuide as the authors of GraphMemix adapted it: units of question and answer, and a filter.

The original (AAAI 2026) matches intents and re-ranks with a fine-tuned model; neither is public.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from pydantic import Field

from graphmemix.evidence import StageCost
from graphmemix.retrieve.constraints import find_constraints
from graphmemix.text.words import terms
from graphmemix.verify.snippets import query_weights, snippet
from graphmemix_bench.baselines.asking import Schema, fenced
from graphmemix_bench.baselines.frame import System, Titles, kept, made_of
from graphmemix_bench.baselines.protocol import Found, Made
from graphmemix_bench.baselines.rows import Encoding, Rows, asked
from graphmemix_bench.baselines.words import later, with_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphmemix.evidence import Question
    from graphmemix.memory import Memory
    from graphmemix_bench.baselines.asking import Asker
    from graphmemix_bench.baselines.catalogue import BaselineParts
    from graphmemix_bench.baselines.protocol import Journal

_FIXED: Final = "What does this memory tell?"
_QUESTION_TOKENS: Final = 64
_CONSTRAINT: Final = 2.0  # weight of a date, place, person or medium that the question names

_DIFFERS: Final = "as the authors of GraphMemix adapted it: no intents, no fine-tuned filter"
_STANDS_IN: Final = "needs are the question's own words"


class _Written(Schema):
    question: str = Field(min_length=3, max_length=400)


class _Filtered(Schema):
    selected: list[int]


class MemGuide(System):
    """MemGuide, with a model or with its stand-in."""

    async def build(self, memories: Sequence[Memory], journal: Journal) -> MemGuideBuilt:
        """Store a unit for each memory; a call each only if questions are written."""
        stored, texts = with_words(memories)
        asker, encoding = self.asker(), Encoding(self.encoder)
        questions = [_FIXED] * len(stored)
        if asker is not None and self.options.memguide_questions == "written":
            for place, (memory, text) in enumerate(zip(stored, texts, strict=True)):
                make = partial(_write, asker, memory, text)
                questions[place] = str((await kept(journal, f"question/{memory.id}", make)).value)
        units = [f"Q: {q}\nA: {text}" for q, text in zip(questions, texts, strict=True)]
        rows = Rows(self.encoder.dimension)
        rows.add(encoding.texts(units))
        encoding.keep(journal)
        return MemGuideBuilt(self, stored, units, rows)


async def _write(asker: Asker, memory: Memory, text: str) -> Made:
    reply = await asker.reply(
        "memguide_question", fenced(text), _Written, "write", _QUESTION_TOKENS
    )
    line = reply.value.question.strip().split("\n")[0] if reply.value else _FIXED
    for label in ("Question:", "Q:"):
        line = line.removeprefix(label).strip()
    return made_of(reply, line or _FIXED, [memory.id])


class MemGuideBuilt:
    """The units of a context."""

    def __init__(
        self, of: MemGuide, memories: Sequence[Memory], units: list[str], rows: Rows
    ) -> None:
        self._of = of
        self._memories = memories
        self._units = units
        self._rows = rows

    async def find(self, question: Question, budget: int) -> Found:
        """Return the units that the filter picks, then the rest of the pool in its order."""
        parts, seconds = asked(question, self._of.encoder)
        size = max(self._of.options.memguide_pool, budget)
        hits = self._rows.best(parts, size, later(self._memories, question))
        pool = [row for row, _ in hits]
        costs: tuple[StageCost, ...] = (StageCost("search", seconds),)
        repairs: dict[str, int] = {}
        asker = self._of.asker()
        if not pool:
            return Found(costs=costs)
        if asker is None:
            picked = self._needed(question, pool, budget)
        else:
            reply = await asker.reply(
                "memguide_filter", self._told(question, pool), _Filtered, "filter"
            )
            numbers = reply.value.selected if reply.value else []
            valid = dict.fromkeys(n for n in numbers if 1 <= n <= len(pool))
            picked = [pool[n - 1] for n in valid][:budget]
            costs, repairs = (*costs, reply.cost), reply.repairs
        picked = picked or pool[:budget]
        order = [*picked, *(row for row in pool if row not in picked)][:budget]
        score = dict(hits)
        ids = [memory.id for memory in self._memories]
        return Found(
            tuple(ids[row] for row in order),
            tuple(ids[row] for row in picked),
            tuple(score[row] for row in picked),
            {ids[row]: self._units[row] for row in picked},
            pictures=False,
            costs=costs,
            repairs=repairs,
            figures={"seen": float(len(pool))},
        )

    def _told(self, question: Question, pool: Sequence[int]) -> str:
        weights = query_weights([question.text])
        verifier = self._of.settings.verifier
        notes = [
            f"[{number}] {snippet(self._memories[row], weights, verifier)}"
            for number, row in enumerate(pool, start=1)
        ]
        captions = [image.caption for image in question.images if image.caption]
        return "\n".join([f"Question: {' '.join([question.text, *captions])}", "Notes:", *notes])

    def _needed(self, question: Question, pool: Sequence[int], budget: int) -> list[int]:
        """Return memories that fill most of what the question names and nothing filled yet."""
        needs = query_weights([question.text])
        constraints = find_constraints(question.text, question.asked_at)
        supplies: dict[int, dict[str, float]] = {}
        for row in pool:
            held = terms(self._units[row])
            supplies[row] = {word: weight for word, weight in needs.items() if word in held}
            match = constraints.match(self._memories[row])
            for name in ("time", "place", "person", "media"):
                if getattr(match, name):
                    supplies[row][f"\0{name}"] = _CONSTRAINT
        picked: list[int] = []
        filled: set[str] = set()
        while len(picked) < budget:
            left = [row for row in pool if row not in picked]
            gains = {
                row: sum(w for need, w in supplies[row].items() if need not in filled)
                for row in left
            }
            best = max(left, key=lambda row: gains[row], default=None)
            if best is None or gains[best] <= 0:
                break
            picked.append(best)
            filled |= set(supplies[best])
        return picked


def open_memguide(parts: BaselineParts) -> MemGuide:
    """Return MemGuide with its published pool."""
    return _opened(parts, "memguide", "MemGuide")


def open_memguide48(parts: BaselineParts) -> MemGuide:
    """Return MemGuide with as many units in its pool as we have candidates."""
    options = replace(parts.options, memguide_pool=48)
    return _opened(replace(parts, options=options), "memguide48", "MemGuide, pool 48")


def _opened(parts: BaselineParts, name: str, title: str) -> MemGuide:
    prompts = ("memguide_question", "memguide_filter")
    return MemGuide.opened(
        Titles(name, title, _DIFFERS, _STANDS_IN), parts, prompts, ("memguide_",)
    )
