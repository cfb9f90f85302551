"""What another memory system promises, so that it can be measured beside ours.

A baseline stores the memories of one context in its own way and finds some for a question. Gold,
reference answers, question types and options never reach it: its arguments do not carry them.
A question never changes what was built.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, runtime_checkable

from graphmemix.evidence import StageCost
from graphmemix.record import Json, Record
from graphmemix_bench.runs.artefacts import content_hash

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from graphmemix.evidence import Question
    from graphmemix.memory import Memory

Mode: TypeAlias = Literal["native", "ids"]
"""What the reader gets: the baseline's own words, or the memories themselves."""


@dataclass(frozen=True)
class Made(Record):
    """One row of a build.

    Attributes:
        value: What was made: a note with its decision, the facts of a call, a question.
        costs: What it took.
        repairs: What had to be repaired in replies, with counts.
        memories: Whose cost this is, in equal shares; empty for all memories.
    """

    value: Json
    costs: tuple[StageCost, ...] = ()
    repairs: Mapping[str, int] = field(default_factory=dict)
    memories: tuple[str, ...] = ()


@dataclass(frozen=True)
class Found(Record):
    """What a question got.

    Attributes:
        picks: At most K memories, best first: what evidence metrics count.
        told: What the reader gets, in order.
        scores: Of `told`; empty if it has none.
        words: The baseline's own words by memory; empty for the memories themselves.
        pictures: Whether pixels go along with its own words.
        costs: What it took, without the reader.
        repairs: What had to be repaired in replies, with counts.
        figures: Other numbers, such as ``seen``.
        answer: The baseline's own answer, if it answers itself.
        error: Why it failed on this question; empty if it did not.
    """

    picks: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    scores: tuple[float, ...] = ()
    words: Mapping[str, str] = field(default_factory=dict)
    pictures: bool = True
    costs: tuple[StageCost, ...] = ()
    repairs: Mapping[str, int] = field(default_factory=dict)
    figures: Mapping[str, float] = field(default_factory=dict)
    answer: str | None = None
    error: str = ""

    @cached_property
    def digest(self) -> str:
        """The hash of what a selection depends on: everything but what it took."""
        return content_hash(replace(self, costs=(), repairs={}, figures={}).to_json())


@dataclass(frozen=True)
class BaselineHead(Record):
    """Which baseline: a line of ``baselines.jsonl``.

    Attributes:
        name: As commands call it, such as ``amem``.
        title: As reports call it, such as ``A-MEM (no model)``.
        differs: What is not as in the original, for the notes of a report.
        identity: What decides its results.
        bound: Whether it is no method but a bound: it sees the gold, or takes more than K.
    """

    name: str
    title: str
    differs: str
    identity: str
    bound: bool = False


class Journal(Protocol):
    """Keeps what was made of each memory or call, so that a build can be resumed."""

    def get(self, key: str) -> Made | None:
        """Return what was made under a key; None if nothing was."""

    def put(self, key: str, made: Made) -> None:
        """Keep it."""


class Built(Protocol):
    """What a baseline made of the memories of one context."""

    async def find(self, question: Question, budget: int) -> Found:
        """Return what a question gets, within a budget of memories."""


@runtime_checkable
class SeesGold(Protocol):
    """A bound that is told the gold; no method may be."""

    def find_gold(self, question: Question, gold: Collection[str], budget: int) -> Found:
        """Return the gold within the budget."""


class Baseline(Protocol):
    """A whole memory system."""

    @property
    def head(self) -> BaselineHead:
        """Its name, and what decides its results."""

    async def build(self, memories: Sequence[Memory], journal: Journal) -> Built:
        """Store memories. What the journal holds is replayed without a call.

        Raises:
            InvalidReplyError: The model cannot do this: ten replies in a row were useless.
            ModelUnavailableError: The model does not answer; the journal keeps what was made.
        """


class MemoryJournal:
    """A journal in memory."""

    def __init__(self) -> None:
        self.rows: dict[str, Made] = {}

    def get(self, key: str) -> Made | None:
        """Return what was made under a key."""
        return self.rows.get(key)

    def put(self, key: str, made: Made) -> None:
        """Keep it."""
        self.rows[key] = made
