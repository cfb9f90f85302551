"""HippoRAG 2: a graph of phrases and memories, and personalised PageRank from the question.

By Gutiérrez et al., ICML 2025. The graph is built blind to questions, the contrast to ours.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np
from pydantic import Field

from graphmemix.evidence import Block, StageCost
from graphmemix.read.sentences import sentences
from graphmemix.text.words import terms
from graphmemix_bench.baselines.asking import Schema, fenced
from graphmemix_bench.baselines.frame import System, Titles, kept, made_of
from graphmemix_bench.baselines.protocol import Found
from graphmemix_bench.baselines.rows import Encoding, Rows, asked
from graphmemix_bench.baselines.weights import WordWeights
from graphmemix_bench.baselines.words import later, with_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphmemix.evidence import Question
    from graphmemix.memory import Memory
    from graphmemix.record import Json
    from graphmemix_bench.baselines.asking import Asker
    from graphmemix_bench.baselines.catalogue import BaselineParts
    from graphmemix_bench.baselines.protocol import Journal, Made

_ROUNDS: Final = 50
_CLOSE: Final = 1e-9
_MOST_TRIPLES: Final = 12  # of one memory
_KEYWORDS: Final = 8
_BEST_PHRASES: Final = 5

TITLES: Final = Titles(
    "hipporag",
    "HippoRAG 2",
    "names and triples in one call a memory",
    "phrases are telling words, facts are pairs of them in one sentence",
)

Triple = tuple[str, str, str]


class _Triple(Schema):
    subject: str = Field(max_length=200)
    relation: str = Field(max_length=200)
    object: str = Field(max_length=200)


class _Read(Schema):
    names: list[str]
    triples: list[_Triple]


class _Kept(Schema):
    kept: list[int]


@dataclass
class Graph:
    """Phrases and memories as nodes; undirected weighted edges; triples as facts."""

    phrases: dict[str, int] = field(default_factory=dict)
    triples: dict[Triple, None] = field(default_factory=dict)
    holders: dict[str, set[int]] = field(default_factory=dict)
    pairs: dict[tuple[str, str], float] = field(default_factory=dict)

    def add(self, memory: int, triples: Sequence[Triple], names: Sequence[str]) -> None:
        """Add what one memory says."""
        for name in dict.fromkeys([*names, *(end for s, _, o in triples for end in (s, o))]):
            self.phrases.setdefault(name, len(self.phrases))
            self.holders.setdefault(name, set()).add(memory)
        for subject, relation, other in triples:
            self.triples[subject, relation, other] = None
            if subject != other:
                pair = (min(subject, other), max(subject, other))
                self.pairs[pair] = self.pairs.get(pair, 0.0) + 1.0


class HippoRag(System):
    """HippoRAG 2, with a model or on telling words."""

    async def build(self, memories: Sequence[Memory], journal: Journal) -> HippoRagBuilt:
        """Read names and triples of each memory, and join them into a graph."""
        stored, texts = with_words(memories)
        asker, encoding = self.asker(), Encoding(self.encoder)
        weights = WordWeights(texts)
        graph = Graph()
        for place, (memory, text) in enumerate(zip(stored, texts, strict=True)):
            if asker is None:
                names, triples = _read_locally(memory, text, weights)
            else:
                made = await kept(journal, f"read/{memory.id}", partial(_read, asker, memory, text))
                names, triples = _taken(made.value)
            graph.add(place, triples, names)
        rows = Rows(self.encoder.dimension)
        rows.add(encoding.texts(texts))
        facts = Rows(self.encoder.dimension)
        facts.add(encoding.texts([" ".join(triple) for triple in graph.triples]))
        phrases = encoding.texts(list(graph.phrases))
        edges = _edges(graph, phrases, self.options.hipporag_synonyms)
        matrix = transitions(edges, len(graph.phrases) + len(stored))
        encoding.keep(journal)
        return HippoRagBuilt(self, stored, graph, rows, facts, matrix)


async def _read(asker: Asker, memory: Memory, text: str) -> Made:
    reply = await asker.reply("hipporag_triples", fenced(text), _Read, "write")
    found = reply.value
    names: list[Json] = [] if found is None else [n.casefold().strip() for n in found.names]
    triples: list[Json] = [
        [t.subject.casefold().strip(), t.relation.strip(), t.object.casefold().strip()]
        for t in (found.triples if found else ())
    ]
    return made_of(reply, [names, triples], [memory.id])


def _taken(value: Json) -> tuple[list[str], list[Triple]]:
    """Return names and triples of a kept row."""
    if not isinstance(value, list) or len(value) != 2:
        return [], []
    names, triples = value
    return (
        [str(name) for name in names if name] if isinstance(names, list) else [],
        [
            (str(t[0]), str(t[1]), str(t[2]))
            for t in (triples if isinstance(triples, list) else [])
            if isinstance(t, list) and len(t) == 3 and t[0] and t[2]
        ],
    )


def _read_locally(
    memory: Memory, text: str, weights: WordWeights
) -> tuple[list[str], list[Triple]]:
    """Return telling words as phrases, and pairs of them that stand in one sentence."""
    names = weights.keywords(text, _KEYWORDS)
    block = Block(1, memory.id, memory.source_id, memory.modalities, text)
    triples: list[Triple] = []
    for sentence in sentences(0, block):
        held = [name for name in names if name in terms(sentence.text)]
        triples += [(a, "with", b) for a, b in combinations(sorted(held), 2)]
    return names, triples[:_MOST_TRIPLES]


@dataclass(frozen=True)
class Transitions:
    """A column-stochastic matrix by its entries: from a node to a node, with a share."""

    targets: NDArray[np.intp]
    sources: NDArray[np.intp]
    shares: NDArray[np.float64]
    size: int

    def moved(self, rank: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the matrix times a vector."""
        carried = self.shares * rank[self.sources]
        summed = np.bincount(self.targets, weights=carried, minlength=self.size)
        return summed.astype(np.float64)


def transitions(weights: dict[tuple[int, int], float], size: int) -> Transitions:
    """Return the transitions of an undirected graph, given each edge once."""
    ends = np.array([*weights, *((b, a) for a, b in weights)], dtype=np.intp).reshape(-1, 2)
    values = np.array([*weights.values(), *weights.values()], dtype=np.float64)
    sums = np.bincount(ends[:, 1], weights=values, minlength=size)
    return Transitions(ends[:, 0], ends[:, 1], values / sums[ends[:, 1]], size)


def _edges(
    graph: Graph, phrases: NDArray[np.float32], synonyms: float
) -> dict[tuple[int, int], float]:
    """Return the edges of the graph: phrases first, then memories."""
    count = len(graph.phrases)
    weights: dict[tuple[int, int], float] = {}
    for (one, other), weight in graph.pairs.items():
        a, b = sorted((graph.phrases[one], graph.phrases[other]))
        weights[a, b] = weight
    for name, holders in graph.holders.items():
        for memory in sorted(holders):
            weights[graph.phrases[name], count + memory] = 1.0
    if count:
        likeness = np.triu(phrases @ phrases.T, 1)
        for x, y in np.argwhere(likeness >= synonyms).tolist():
            weights[x, y] = max(weights.get((x, y), 0.0), float(likeness[x, y]))
    return weights


def page_rank(
    matrix: Transitions, restart: NDArray[np.float64], damping: float
) -> NDArray[np.float64]:
    """Return personalised PageRank; weights sum to 1. What a node without edges holds restarts."""
    rank = restart
    for _ in range(_ROUNDS):
        moved = damping * matrix.moved(rank)
        new: NDArray[np.float64] = moved + (1 - moved.sum()) * restart
        if np.abs(new - rank).sum() < _CLOSE:
            return new
        rank = new
    return rank


class HippoRagBuilt:
    """The graph of a context."""

    def __init__(
        self,
        of: HippoRag,
        memories: Sequence[Memory],
        graph: Graph,
        rows: Rows,
        facts: Rows,
        matrix: Transitions,
    ) -> None:
        self._of = of
        self._memories = memories
        self.graph = graph
        self._rows = rows
        self._facts = facts
        self._matrix = matrix

    async def find(self, question: Question, budget: int) -> Found:
        """Rank memories from the phrases of facts that help; by cosine if none does."""
        parts, seconds = asked(question, self._of.encoder)
        costs = [StageCost("search", seconds)]
        if not len(parts) or not len(self._rows):
            return Found(costs=tuple(costs))
        triples = list(self.graph.triples)
        best = self._facts.best(parts, self._of.options.hipporag_facts)
        helping, repairs = await self._filter(question, best, triples, costs)
        cosines = np.array(self._rows.scores(parts), dtype=np.float64)
        scores = self._ranked(helping, triples, cosines) if helping else cosines
        hidden = later(self._memories, question)
        order = sorted(
            (row for row in range(len(scores)) if row not in hidden),
            key=lambda row: (-scores[row], row),
        )[:budget]
        picks = tuple(self._memories[row].id for row in order)
        return Found(
            picks,
            picks,
            tuple(float(scores[row]) for row in order),
            costs=tuple(costs),
            repairs=repairs,
        )

    async def _filter(
        self,
        question: Question,
        best: Sequence[tuple[int, float]],
        triples: Sequence[Triple],
        costs: list[StageCost],
    ) -> tuple[list[tuple[int, float]], dict[str, int]]:
        asker = self._of.asker()
        if asker is None or not best:
            words = set(terms(question.text))
            shared = [(row, s) for row, s in best if words & set(terms(" ".join(triples[row])))]
            return shared, {}
        lines = [f"[{n}] {' '.join(triples[row])}" for n, (row, _) in enumerate(best, start=1)]
        text = "\n".join([f"Question: {question.text}", "Facts:", *lines])
        reply = await asker.reply("hipporag_filter", text, _Kept, "filter")
        costs.append(reply.cost)
        numbers = reply.value.kept if reply.value else []
        named = dict.fromkeys(n for n in numbers if 1 <= n <= len(best))
        return [best[n - 1] for n in named], reply.repairs

    def _ranked(
        self,
        helping: Sequence[tuple[int, float]],
        triples: Sequence[Triple],
        cosines: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        weights: dict[str, list[float]] = {}
        for row, score in helping:
            subject, _, other = triples[row]
            for phrase in (subject, other):
                share = max(score, 0.0) / len(self.graph.holders[phrase])
                weights.setdefault(phrase, []).append(share)
        means = {phrase: sum(each) / len(each) for phrase, each in weights.items()}
        count = len(self.graph.phrases)
        restart = np.zeros(count + len(cosines))
        for phrase in sorted(means, key=lambda each: (-means[each], each))[:_BEST_PHRASES]:
            restart[self.graph.phrases[phrase]] = means[phrase]
        low, high = cosines.min(), cosines.max()
        scale = (cosines - low) / (high - low) if high > low else np.ones_like(cosines)
        restart[count:] = self._of.options.hipporag_passages * scale
        if restart.sum() <= 0:
            return cosines
        restart /= restart.sum()
        ranked = page_rank(self._matrix, restart, self._of.options.hipporag_damping)
        found: NDArray[np.float64] = ranked[count:]
        return found


def open_hipporag(parts: BaselineParts) -> HippoRag:
    """Return HippoRAG 2 on these parts."""
    return HippoRag.opened(TITLES, parts, ("hipporag_triples", "hipporag_filter"), ("hipporag_",))
