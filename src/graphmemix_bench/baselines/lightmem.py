"""LightMem: a model takes down facts group by group; only facts are stored and searched.

By Fang et al., ICLR 2026. Its released code loses the segments that overflow its buffer when
segmentation is forced; here every memory is in exactly one call.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Literal

from pydantic import Field

from graphmemix.evidence import Block
from graphmemix.read.sentences import sentences
from graphmemix_bench.baselines.asking import Schema, fenced
from graphmemix_bench.baselines.frame import System, Titles, kept, listed, made_of
from graphmemix_bench.baselines.rows import Encoding, Rows, asked
from graphmemix_bench.baselines.words import compacted, date_of, later, with_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphmemix.encode.protocol import Matrix
    from graphmemix.evidence import Question
    from graphmemix.memory import Memory
    from graphmemix.record import Json
    from graphmemix_bench.baselines.asking import Asker
    from graphmemix_bench.baselines.catalogue import BaselineParts
    from graphmemix_bench.baselines.protocol import Found, Journal, Made

_THRESHOLDS: Final = (0.20, 0.25, 0.30, 0.35, 0.40, 0.45, 0.50)
_LONGEST_REPAIR: Final = 80  # words
_QUEUE: Final = 10  # facts that may change an older one, out of
_NEAREST: Final = 20
_LIKE: Final = 0.8
_BYTES_PER_TOKEN: Final = 4

TITLES: Final = Titles(
    "lightmem",
    "LightMem",
    "no token dropping, topics by similarity alone, no consolidation unless set",
    "sentences are the facts",
)


class _Fact(Schema):
    source_id: int
    fact: str = Field(min_length=1, max_length=500)


class _Extracted(Schema):
    data: list[_Fact]


class _Repaired(Schema):
    fact: str = Field(min_length=1, max_length=800)


class _Consolidated(Schema):
    action: Literal["update", "delete", "ignore"]
    new_memory: str = Field(default="", max_length=500)


@dataclass
class Fact:
    """What is stored: a sentence, and the place of the memory that it is of."""

    owner: int
    text: str


class LightMem(System):
    """LightMem, with a model or on sentences."""

    async def build(self, memories: Sequence[Memory], journal: Journal) -> LightMemBuilt:
        """Take down facts, call by call; see `Baseline.build`."""
        stored, words = with_words(memories)
        texts = [compacted(text) for text in words]
        encoding, asker = Encoding(self.encoder), self.asker()
        if asker is None:
            facts = self._sentences(stored, texts)
        else:
            vectors = encoding.texts(texts)
            facts = await self._extract(asker, stored, texts, vectors, journal)
        rows = Rows(self.encoder.dimension)
        rows.add(encoding.texts([fact.text for fact in facts]))
        if asker is not None and self.options.lightmem_consolidate:
            facts, rows = await _consolidate(asker, facts, rows, encoding, journal)
        encoding.keep(journal)
        return LightMemBuilt(self, stored, facts, rows, len(memories) - len(stored))

    def _sentences(self, memories: Sequence[Memory], texts: Sequence[str]) -> list[Fact]:
        facts: list[Fact] = []
        for owner, (memory, text) in enumerate(zip(memories, texts, strict=True)):
            head = " ".join(filter(None, [date_of(memory), memory.speaker or ""]))
            block = Block(1, memory.id, memory.source_id, memory.modalities, text)
            said = [each.text for each in sentences(0, block)][: self.options.lightmem_facts]
            facts += [
                Fact(owner, f"{head}: {sentence}" if head else sentence)
                for sentence in said or [text[:500]]
            ]
        return facts

    async def _extract(
        self,
        asker: Asker,
        memories: Sequence[Memory],
        texts: Sequence[str],
        vectors: Matrix,
        journal: Journal,
    ) -> list[Fact]:
        window = self.options.lightmem_window
        facts: list[Fact] = []
        for group in calls_of(segments(memories, texts, vectors, window), texts, window):
            flat = [place for segment in group for place in segment]
            make = partial(_take_down, asker, group, memories, texts, self.options.lightmem_facts)
            made = await kept(journal, f"extract/{flat[0]}", make)
            found = _read(made.value)
            for number, place in enumerate(flat):
                mine = found.get(number, [])
                if not mine:
                    repair = partial(_repair, asker, memories[place], texts[place])
                    mine = [str((await kept(journal, f"repair/{place}", repair)).value)]
                facts += [Fact(place, text) for text in mine]
        return facts


def _read(value: Json) -> dict[int, list[str]]:
    """Return the facts of a kept call by the number of their record."""
    found: dict[int, list[str]] = {}
    for pair in value if isinstance(value, list) else []:
        if isinstance(pair, list) and len(pair) == 2:
            found.setdefault(int(str(pair[0])), []).append(str(pair[1]))
    return found


def segments(
    memories: Sequence[Memory], texts: Sequence[str], vectors: Matrix, window: int
) -> list[list[int]]:
    """Return memories in groups of one topic, in order.

    A session's border is a boundary, and so is the place between two neighbours whose cosine is
    below the lowest threshold that finds any within a window of tokens.
    """
    found: list[list[int]] = []
    for run in _windows(memories, texts, window):
        likeness = [float(vectors[a] @ vectors[b]) for a, b in pairwise(run)]
        bound = next((each for each in _THRESHOLDS if any(x < each for x in likeness)), 0.0)
        current = [run[0]]
        for place, like in zip(run[1:], likeness, strict=True):
            if like < bound:
                found.append(current)
                current = []
            current.append(place)
        found.append(current)
    return found


def _windows(memories: Sequence[Memory], texts: Sequence[str], window: int) -> list[list[int]]:
    """Return runs of one session within so many tokens; a longer memory stands alone."""
    runs: list[list[int]] = []
    size = 0
    for place, memory in enumerate(memories):
        tokens = _tokens(texts[place])
        same = bool(runs) and memories[runs[-1][-1]].session == memory.session
        if not same or size + tokens > window:
            runs.append([])
            size = 0
        runs[-1].append(place)
        size += tokens
    return runs


def calls_of(
    groups: Sequence[list[int]], texts: Sequence[str], window: int
) -> list[list[list[int]]]:
    """Return segments packed into calls, in order, while their words fit; none is lost."""
    calls: list[list[list[int]]] = []
    size = 0
    for segment in groups:
        tokens = sum(_tokens(texts[place]) for place in segment)
        if not calls or size + tokens > window:
            calls.append([])
            size = 0
        calls[-1].append(segment)
        size += tokens
    return calls


def _tokens(text: str) -> int:
    return -(-len(text.encode("utf-8", "replace")) // _BYTES_PER_TOKEN)


async def _take_down(
    asker: Asker,
    group: Sequence[Sequence[int]],
    memories: Sequence[Memory],
    texts: Sequence[str],
    most: int,
) -> Made:
    parts: list[str] = []
    places: list[int] = []
    for topic, segment in enumerate(group, start=1):
        parts.append(f"Topic {topic}")
        for place in segment:
            parts.append(f"Record {len(places)}\n{fenced(texts[place])}")
            places.append(place)
    reply = await asker.reply("lightmem_extract", "\n".join(parts), _Extracted, "write")
    facts: list[Json] = []
    counts: dict[int, int] = {}
    for each in reply.value.data if reply.value else []:
        # A number that is not in the call would give a fact a wrong origin.
        if 0 <= each.source_id < len(places):
            counts[each.source_id] = counts.get(each.source_id, 0) + 1
            if counts[each.source_id] <= most:
                facts.append([each.source_id, each.fact])
    return made_of(reply, facts, [memories[place].id for place in places])


async def _repair(asker: Asker, memory: Memory, text: str) -> Made:
    """Ask for one fact of a record that has none; its first words if there is no valid reply."""
    reply = await asker.reply("lightmem_repair", fenced(text), _Repaired, "write")
    said = reply.value.fact if reply.value else text
    return made_of(reply, " ".join(said.split()[:_LONGEST_REPAIR]), [memory.id])


async def _consolidate(
    asker: Asker, facts: list[Fact], rows: Rows, encoding: Encoding, journal: Journal
) -> tuple[list[Fact], Rows]:
    """Let the model update or delete facts that later ones are much like."""
    likeness = rows.matrix @ rows.matrix.T
    kept_facts: list[Fact] = []
    for place, fact in enumerate(facts):
        near = sorted(range(len(facts)), key=lambda row: -float(likeness[place][row]))[:_NEAREST]
        later_ones = [row for row in near if row > place and likeness[place][row] >= _LIKE][:_QUEUE]
        decided: Json = fact.text
        if later_ones:
            texts = [facts[row].text for row in later_ones]
            make = partial(_compare, asker, fact.text, texts)
            decided = (await kept(journal, f"consolidate/{place}", make)).value
        if decided is not None:
            kept_facts.append(Fact(fact.owner, str(decided)))
    renewed = Rows(rows.matrix.shape[1])
    renewed.add(encoding.texts([fact.text for fact in kept_facts]))
    return kept_facts, renewed


async def _compare(asker: Asker, fact: str, others: Sequence[str]) -> Made:
    text = "\n".join([f"Fact: {fact}", "Later facts:", *(f"- {each}" for each in others)])
    reply = await asker.reply("lightmem_consolidate", text, _Consolidated, "write")
    found = reply.value
    if found is not None and found.action == "delete":
        return made_of(reply, None, [])
    renewed = found.new_memory if found is not None and found.action == "update" else ""
    return made_of(reply, renewed or fact, [])


class LightMemBuilt:
    """The facts of a context."""

    def __init__(
        self,
        of: LightMem,
        memories: Sequence[Memory],
        facts: list[Fact],
        rows: Rows,
        silent: int,
    ) -> None:
        self._of = of
        self._memories = memories
        self.facts = facts
        self._rows = rows
        self._silent = silent

    async def find(self, question: Question, budget: int) -> Found:
        """Walk down the facts until there are K memories, or K facts."""
        parts, seconds = asked(question, self._of.encoder)
        hidden = later(self._memories, question)
        by_fact = self._of.options.lightmem_count == "facts"
        best: dict[int, float] = {}
        words: dict[int, list[str]] = {}
        walked = 0
        for row, score in self._rows.best(parts, len(self._rows)):
            fact = self.facts[row]
            if fact.owner in hidden:
                continue
            if (walked if by_fact else len(best)) >= budget:
                break
            walked += 1
            best.setdefault(fact.owner, score)
            words.setdefault(fact.owner, []).append(fact.text)
        ids = [memory.id for memory in self._memories]
        return listed(
            [(ids[owner], score) for owner, score in best.items()],
            budget,
            {ids[owner]: "\n".join(lines) for owner, lines in words.items()},
            seconds,
            facts=walked,
            silent=self._silent,
        )


def open_lightmem(parts: BaselineParts) -> LightMem:
    """Return LightMem on these parts."""
    return LightMem.opened(
        TITLES,
        parts,
        ("lightmem_extract", "lightmem_repair", "lightmem_consolidate"),
        ("lightmem_",),
    )
