"""Generative Agents: recency, importance and relevance, each scaled to 0 to 1 and added.

By Park et al., UIST 2023. Reflection, which writes new notes, is left out.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from pydantic import Field

from graphmemix.evidence import StageCost
from graphmemix.text.words import terms
from graphmemix_bench.baselines.asking import Schema, fenced
from graphmemix_bench.baselines.frame import System, Titles, kept, made_of
from graphmemix_bench.baselines.protocol import Found
from graphmemix_bench.baselines.rows import Encoding, Rows, asked
from graphmemix_bench.baselines.weights import WordWeights
from graphmemix_bench.baselines.words import later, with_words

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from graphmemix.evidence import Question
    from graphmemix.memory import Memory
    from graphmemix_bench.baselines.asking import Asker
    from graphmemix_bench.baselines.catalogue import BaselineParts
    from graphmemix_bench.baselines.protocol import Journal, Made

_MIDDLE: Final = 5  # importance of a memory that could not be rated

TITLES: Final = Titles(
    "generative_agents",
    "Generative Agents",
    "no reflection, equal weights as in the paper",
    "importance by rare words, no reflection",
)


class _Rated(Schema):
    importance: int = Field(ge=1, le=10)


class GenerativeAgents(System):
    """The retrieval policy of Generative Agents."""

    async def build(self, memories: Sequence[Memory], journal: Journal) -> GenerativeAgentsBuilt:
        """Rate and encode the memories; a call each with a model."""
        stored, texts = with_words(memories)
        asker, encoding = self.asker(), Encoding(self.encoder)
        if asker is None:
            weights = WordWeights(texts)
            rated = [_rareness(text, weights) for text in texts]
        else:
            rated = []
            for memory, text in zip(stored, texts, strict=True):
                make = partial(_rate, asker, memory, text)
                made = await kept(journal, f"importance/{memory.id}", make)
                rated.append(float(str(made.value)))
        rows = Rows(self.encoder.dimension)
        rows.add(encoding.texts(texts))
        encoding.keep(journal)
        return GenerativeAgentsBuilt(self, stored, rows, scaled(rated))


async def _rate(asker: Asker, memory: Memory, text: str) -> Made:
    reply = await asker.reply("agents_importance", fenced(text), _Rated, "write")
    return made_of(reply, reply.value.importance if reply.value else _MIDDLE, [memory.id])


def _rareness(text: str, weights: WordWeights) -> float:
    """Return the mean rarity of a text's words, so that length does not count."""
    words = terms(text)
    return sum(map(weights.rarity, words)) / len(words) if words else 0.0


def scaled(values: Sequence[float]) -> list[float]:
    """Return values from 0 for the least to 1 for the greatest; all 0 if they are equal."""
    low, high = min(values, default=0.0), max(values, default=0.0)
    return [(value - low) / (high - low) if high > low else 0.0 for value in values]


class GenerativeAgentsBuilt:
    """The memories of a context with importance and vectors."""

    def __init__(
        self,
        of: GenerativeAgents,
        memories: Sequence[Memory],
        rows: Rows,
        importance: Sequence[float],
    ) -> None:
        self._of = of
        self._memories = memories
        self._rows = rows
        self._importance = importance

    async def find(self, question: Question, budget: int) -> Found:
        """Return the K highest sums."""
        parts, seconds = asked(question, self._of.encoder)
        if not len(parts):
            return Found(costs=(StageCost("search", seconds),))
        relevance = scaled(self._rows.scores(parts))
        recency = scaled(self._recency(question.asked_at))
        total = [sum(each) for each in zip(relevance, recency, self._importance, strict=True)]
        hidden = later(self._memories, question)
        ranked = sorted((r for r in range(len(total)) if r not in hidden), key=lambda r: -total[r])
        picks = tuple(self._memories[row].id for row in ranked[:budget])
        scores = tuple(total[row] for row in ranked[:budget])
        return Found(picks, picks, scores, costs=(StageCost("search", seconds),))

    def _recency(self, moment: datetime | None) -> list[float]:
        times = [memory.timestamp for memory in self._memories]
        now = moment or max((each for each in times if each is not None), default=None)
        decay = self._of.options.agents_decay
        return [
            0.0
            if now is None or each is None
            else float(decay ** (max(0.0, (now - each).total_seconds()) / 3600))
            for each in times
        ]


def open_generative_agents(parts: BaselineParts) -> GenerativeAgents:
    """Return the policy on these parts."""
    return GenerativeAgents.opened(TITLES, parts, ("agents_importance",), ("agents_",))
