"""Bounds and cheap baselines: what selection, the encoder and links are worth without a model."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import numpy as np

from graphmemix.encode.chunks import chunks
from graphmemix.evidence import Packet, StageCost
from graphmemix.read.packet import room_for_packet, text_tokens
from graphmemix.store.lexical import LexicalIndex
from graphmemix.text.language import content_words
from graphmemix.text.postings import pack
from graphmemix.text.words import terms
from graphmemix_bench.baselines.protocol import BaselineHead, Found
from graphmemix_bench.baselines.rows import Encoding, Rows, asked
from graphmemix_bench.baselines.weights import WordWeights
from graphmemix_bench.baselines.words import fielded, later, with_words, worded
from graphmemix_bench.runs.artefacts import content_hash
from graphmemix_bench.vector_cache import EncodingTimer

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from graphmemix.encode.protocol import Encoder
    from graphmemix.evidence import Question
    from graphmemix.memory import Memory
    from graphmemix.record import Json
    from graphmemix.settings import Settings
    from graphmemix_bench.baselines.options import BaselineOptions
    from graphmemix_bench.baselines.protocol import Journal

Kind: TypeAlias = Literal[
    "oracle", "full", "random", "recent", "bm25", "dense", "sgm", "rrf", "window", "second_look"
]

_BLOCK: Final = 60  # tokens of the labels around a memory in a packet
_TELLING: Final = 8  # words that a second look adds
_LOOKED_AT: Final = 3  # memories that they come from

TITLES: Final[dict[Kind, tuple[str, str]]] = {
    "oracle": ("oracle", "The gold memories, first by date: a bound, no method."),
    "full": (
        "full context",
        "All memories in order until the reader's context is full: a bound, not within K.",
    ),
    "random": ("random", "K memories at random, with a fixed seed: the floor."),
    "recent": ("recent", "The last K memories before the question: the other floor."),
    "bm25": ("BM25", "Words alone, over head, text and descriptions of each memory."),
    "dense": ("dense", "Cosine alone, over chunks of head, text and descriptions."),
    "sgm": (
        "schema-guided dense",
        "Cosine over fixed lines of key and value, as ATM-Bench's own baseline writes memories.",
    ),
    "rrf": ("dense + BM25 (RRF)", "Reciprocal ranks of dense and BM25."),
    "window": ("dense + window", "The best K/3 dense hits, each with the turn before and after."),
    "second_look": (
        "dense, second look",
        "Dense again with the most telling new words of its first three hits; reciprocal ranks.",
    ),
}


@dataclass(frozen=True)
class Simple:
    """A bound or a cheap baseline."""

    kind: Kind
    encoder: Encoder
    settings: Settings
    options: BaselineOptions

    @property
    def head(self) -> BaselineHead:
        """Its name, and what decides its results."""
        title, differs = TITLES[self.kind]
        views = self.settings.views
        decides: list[Json] = [
            self.kind,
            "1",
            self.encoder.identity,
            views.chunk_characters,
            views.chunk_overlap,
            dict(self.options.of("seed", "rank_")),
        ]
        identity = f"{self.kind}:{content_hash(decides)[:12]}"
        return BaselineHead(
            self.kind, title, differs, identity, bound=self.kind in {"oracle", "full"}
        )

    async def build(self, memories: Sequence[Memory], journal: Journal) -> SimpleBuilt:
        """Index the memories; no model takes part."""
        encoding = Encoding(self.encoder)
        built = SimpleBuilt(self, tuple({m.id: m for m in memories}.values()), encoding)
        encoding.keep(journal)
        return built


class SimpleBuilt:
    """The memories of a context, indexed as a cheap baseline needs them."""

    def __init__(self, of: Simple, memories: tuple[Memory, ...], encoding: Encoding) -> None:
        self._of = of
        self._memories = memories
        self._with_words, texts = with_words(memories)
        self._place = {memory.id: place for place, memory in enumerate(memories)}
        self._rows: Rows | None = None
        self._owners: list[int] = []
        self._words: LexicalIndex | None = None
        if of.kind in {"dense", "rrf", "window", "second_look", "sgm"}:
            self._encode(
                [fielded(each) for each in self._with_words] if of.kind == "sgm" else texts,
                encoding,
            )
        if of.kind in {"bm25", "rrf"}:
            self._words = _word_index(texts)
        self._weights = WordWeights(texts) if of.kind == "second_look" else None

    def _encode(self, texts: Sequence[str], encoding: Encoding) -> None:
        views = self._of.settings.views
        parts = [
            (owner, part)
            for owner, text in enumerate(texts)
            for part in chunks(text, size=views.chunk_characters, overlap=views.chunk_overlap)
        ]
        self._owners = [owner for owner, _ in parts]
        self._rows = Rows(self._of.encoder.dimension)
        self._rows.add(encoding.texts([part for _, part in parts]))

    async def find(self, question: Question, budget: int) -> Found:
        """Return the first K of the ranking; `full` returns all that fits."""
        ways: dict[str, Callable[[Question, int], list[tuple[str, float]]]] = {
            "full": self._full,
            "random": self._random,
            "recent": self._recent,
            "bm25": self._bm25,
            "dense": self._dense,
            "sgm": self._dense,
            "rrf": self._fused,
            "window": self._window,
            "second_look": self._second_look,
        }
        with EncodingTimer(self._of.encoder) as timer:
            ranked = ways[self._of.kind](question, budget)
        if self._of.kind != "full":
            ranked = ranked[:budget]
        picks = tuple(memory_id for memory_id, _ in ranked)
        scores = tuple(score for _, score in ranked)
        return Found(picks, picks, scores, costs=(StageCost("search", timer.seconds),))

    def find_gold(self, question: Question, gold: Collection[str], budget: int) -> Found:
        """Return the gold memories, the first by date if there are more than fit."""
        hidden = later(self._memories, question)
        kept = [m for place, m in enumerate(self._memories) if m.id in gold and place not in hidden]
        picks = tuple(memory.id for memory in sorted(kept, key=_when)[:budget])
        return Found(picks, picks)

    def _full(self, question: Question, budget: int) -> list[tuple[str, float]]:
        del budget  # it takes all that fits
        room = room_for_packet(Packet(()), question, self._of.settings)
        found: list[tuple[str, float]] = []
        for memory in self._visible(question):
            room -= text_tokens(worded(memory)) + _BLOCK
            if room < 0:
                break
            found.append((memory.id, 0.0))
        return found

    def _random(self, question: Question, budget: int) -> list[tuple[str, float]]:
        seed = f"{self._of.options.seed}\0{question.text}"

        def drawn(memory: Memory) -> bytes:
            return hashlib.sha256(f"{seed}\0{memory.id}".encode("utf-8", "replace")).digest()

        return [(m.id, 0.0) for m in sorted(self._visible(question), key=drawn)[:budget]]

    def _recent(self, question: Question, budget: int) -> list[tuple[str, float]]:
        moment = question.asked_at
        known = [
            memory
            for memory in self._visible(question)
            if moment is None or memory.timestamp is None or memory.timestamp <= moment
        ]
        return [(m.id, 0.0) for m in sorted(known, key=_when, reverse=True)[:budget]]

    def _bm25(self, question: Question, budget: int) -> list[tuple[str, float]]:
        del budget
        if self._words is None or not self._with_words:
            return []
        captions = [image.caption for image in question.images]
        asked_words = terms(content_words(" ".join([question.text, *captions]).strip()))
        if not asked_words:
            return []
        found = self._words.best(asked_words, max(1, len(self._with_words)))
        hidden = later(self._with_words, question)
        return [
            (self._with_words[owner].id, float(score))
            for owner, score in zip(found.owners.tolist(), found.scores.tolist(), strict=True)
            if owner not in hidden
        ]

    def _dense(self, question: Question, budget: int, more: str = "") -> list[tuple[str, float]]:
        del budget
        if self._rows is None:
            return []
        parts, _ = asked(question, self._of.encoder)
        if more and len(parts):
            parts = self._of.encoder.texts([f"{question.text} {more}".strip()])
        if not len(parts):
            return []
        best: dict[int, float] = {}
        for owner, score in zip(self._owners, self._rows.scores(parts), strict=True):
            best[owner] = max(best.get(owner, score), score)
        hidden = later(self._with_words, question)
        ranked = sorted(
            (o for o in best if o not in hidden), key=lambda owner: (-best[owner], owner)
        )
        return [(self._with_words[owner].id, best[owner]) for owner in ranked]

    def _fused(self, question: Question, budget: int) -> list[tuple[str, float]]:
        return self._fuse(self._dense(question, budget), self._bm25(question, budget))

    def _fuse(self, *rankings: Sequence[tuple[str, float]]) -> list[tuple[str, float]]:
        """Return reciprocal ranks, best first; ties in the order of the first ranking."""
        options = self._of.options
        fused: dict[str, float] = {}
        for ranking in rankings:
            for rank, (memory_id, _) in enumerate(ranking[: options.rank_depth], start=1):
                fused[memory_id] = fused.get(memory_id, 0.0) + 1 / (options.rank_constant + rank)
        return sorted(fused.items(), key=lambda each: -each[1])

    def _window(self, question: Question, budget: int) -> list[tuple[str, float]]:
        """Return the best hits, each followed by its neighbours, then the other hits."""
        hits = self._dense(question, budget)
        hidden = later(self._memories, question)
        score = dict(hits)
        order: dict[str, None] = {}
        for memory_id, _ in hits[: ceil(budget / 3)]:
            place = self._place[memory_id]
            order[memory_id] = None
            for near in (place - 1, place + 1):
                if self._are_neighbours(place, near) and near not in hidden:
                    order[self._memories[near].id] = None
        order |= dict.fromkeys(memory_id for memory_id, _ in hits)
        return [(memory_id, score.get(memory_id, 0.0)) for memory_id in order]

    def _are_neighbours(self, place: int, near: int) -> bool:
        """Return whether both places are in the same session."""
        if not 0 <= near < len(self._memories):
            return False
        session = self._memories[place].session
        return session is not None and self._memories[near].session == session

    def _second_look(self, question: Question, budget: int) -> list[tuple[str, float]]:
        first = self._dense(question, budget)
        if not first or self._weights is None:
            return first
        known = set(terms(question.text))
        seen = [worded(self._memories[self._place[m]]) for m, _ in first[:_LOOKED_AT]]
        more = self._weights.keywords("\n".join(seen), _TELLING, without=known)
        return self._fuse(first, self._dense(question, budget, " ".join(more)))

    def _visible(self, question: Question) -> list[Memory]:
        hidden = later(self._memories, question)
        return [m for place, m in enumerate(self._memories) if place not in hidden]


def _word_index(texts: Sequence[str]) -> LexicalIndex:
    index = LexicalIndex()
    counted = [terms(text) for text in texts]
    count = len(counted)
    index.append(
        np.arange(1, count + 1),
        np.arange(count),
        np.zeros(count, dtype=np.int64),
        np.array([sum(each.values()) for each in counted], dtype=np.int64),
        [pack(each) for each in counted],
    )
    return index


def _when(memory: Memory) -> tuple[float, int]:
    """Return a key by time; memories without one come first, in their own order."""
    moment = 0.0 if memory.timestamp is None else memory.timestamp.timestamp()
    return moment, memory.sequence or 0
