"""VimRAG: an agent searches, sums up and answers; its steps form a graph that it sees.

By Wang et al., ICML 2026. The trained policy is not public; this is the inference loop with any
model, on text units. There is no stand-in: an agent without a model is another method.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from math import exp
from typing import TYPE_CHECKING, Final, Literal

from pydantic import Field

from graphmemix.evidence import StageCost
from graphmemix_bench.baselines.asking import Asker, Schema, fenced
from graphmemix_bench.baselines.frame import System, Titles
from graphmemix_bench.baselines.protocol import Found
from graphmemix_bench.baselines.rows import Encoding, Rows, asked
from graphmemix_bench.baselines.words import later, with_words
from graphmemix_bench.vector_cache import EncodingTimer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphmemix.evidence import Question
    from graphmemix.memory import Memory
    from graphmemix_bench.baselines.catalogue import BaselineParts
    from graphmemix_bench.baselines.protocol import Journal

_DECAY: Final = 0.1
_FEEDBACK: Final = 0.3
_SAME_ERRORS: Final = 3
_ROOT: Final = "root"

TITLES: Final = Titles(
    "vimrag",
    "VimRAG",
    "its inference loop with this model, since the trained policy is not public; text units alone",
)


class _Mark(Schema):
    information_id: str
    is_useful: bool
    priority_score: int = Field(ge=1, le=5)


class _Step(Schema):
    action: Literal["add_search_node", "summarize_and_memorize", "add_answer_node"]
    id: str = Field(default="", max_length=120)
    parent_ids: list[str] = Field(default_factory=list)
    query: str = Field(default="", max_length=1000)
    summarize: str = Field(default="", max_length=2000)
    memorize: list[_Mark] = Field(default_factory=list)
    answer: str = Field(default="", max_length=4000)


@dataclass
class Node:
    """A step of the graph: a search, its summary, and what was found useful with its priority."""

    id: str
    parents: list[str]
    query: str = ""
    summary: str = ""
    kept: dict[int, int] = field(default_factory=dict)


def energies(nodes: Sequence[Node]) -> list[dict[int, float]]:
    """Return the energy of every kept item, node by node.

    (priority / 5) x (1 + children) x exp(-0.1 x steps since), plus 0.3 of the mean energies of the
    items of each child, from the last node to the first.
    """
    children = {node.id: [n for n, c in enumerate(nodes) if node.id in c.parents] for node in nodes}
    last = len(nodes) - 1
    found: list[dict[int, float]] = [{} for _ in nodes]
    for place in range(last, -1, -1):
        node = nodes[place]
        mine = children[node.id]
        means = [sum(found[c].values()) / len(found[c]) for c in mine if found[c]]
        base = (1 + len(mine)) * exp(-_DECAY * (last - place))
        found[place] = {
            item: priority / 5 * base + _FEEDBACK * sum(means)
            for item, priority in node.kept.items()
        }
    return found


class VimRag(System):
    """VimRAG's loop."""

    async def build(self, memories: Sequence[Memory], journal: Journal) -> VimRagBuilt:
        """Encode one text unit for each memory; no call."""
        stored, texts = with_words(memories)
        encoding = Encoding(self.encoder)
        rows = Rows(self.encoder.dimension)
        rows.add(encoding.texts(texts))
        encoding.keep(journal)
        return VimRagBuilt(self, stored, texts, rows)


@dataclass
class _Talk:
    """One question under way."""

    nodes: list[Node]
    open: Node | None = None
    results: dict[str, int] = field(default_factory=dict)
    seen: dict[int, int] = field(default_factory=dict)  # memory to its highest priority, 0 for none
    searches: int = 0


class VimRagBuilt:
    """The units of a context."""

    def __init__(
        self, of: VimRag, memories: Sequence[Memory], texts: list[str], rows: Rows
    ) -> None:
        self._of = of
        self._memories = memories
        self._texts = texts
        self._rows = rows

    async def find(self, question: Question, budget: int) -> Found:
        """Let the agent work until it answers; without an answer the question failed."""
        talk = _Talk([Node(_ROOT, [], question.text)])
        costs: list[StageCost] = []
        repairs: Counter[str] = Counter()
        errors: list[str] = []
        answer, steps = None, 0
        asker = Asker(self._of.model, "vimrag", self._of.options.retries)
        while answer is None and steps < self._of.options.vimrag_steps:
            steps += 1
            reply = await asker.reply("vimrag_step", self._told(question, talk), _Step, "agent")
            costs.append(reply.cost)
            repairs.update(reply.repairs)
            fault = "unreadable" if reply.value is None else ""
            if reply.value is not None:
                answer, fault, seconds = self._act(reply.value, talk, question)
                costs.append(StageCost("search", seconds))
            errors = [*errors, fault] if fault else []
            if len(errors) >= _SAME_ERRORS and len(set(errors[-_SAME_ERRORS:])) == 1:
                break
        return self._found(talk, budget, answer, costs, dict(repairs), steps)

    def _act(self, step: _Step, talk: _Talk, question: Question) -> tuple[str | None, str, float]:
        """Carry out an action; return the answer, what was wrong, and the time of a search."""
        if step.action == "add_answer_node":
            return (step.answer, "", 0.0) if step.answer.strip() else (None, "empty answer", 0.0)
        known = [node.id for node in talk.nodes]
        if step.action == "add_search_node":
            if talk.open is not None:
                return None, "a search is open", 0.0
            if not step.query.strip():
                return None, "empty query", 0.0
            parents = [each for each in step.parent_ids if each in known] or [_ROOT]
            name = step.id.strip() or f"search {talk.searches + 1}"
            name = name if name not in known else f"{name} {talk.searches + 1}"
            talk.open = Node(name, parents, step.query)
            talk.searches += 1
            return None, "", self._search(step.query, talk, question)
        if talk.open is None:
            return None, "no search is open", 0.0
        talk.open.summary = step.summarize
        for mark in step.memorize:
            row = talk.results.get(mark.information_id)
            if row is not None and mark.is_useful:
                talk.open.kept[row] = mark.priority_score
                talk.seen[row] = max(talk.seen[row], mark.priority_score)
        talk.nodes.append(talk.open)
        talk.open, talk.results = None, {}
        return None, "", 0.0

    def _search(self, query: str, talk: _Talk, question: Question) -> float:
        hidden = later(self._memories, question)
        with EncodingTimer(self._of.encoder) as timer:
            parts = self._of.encoder.texts([query])
            if talk.searches == 1:  # the first also looks for the question's own pictures
                own, _ = asked(question, self._of.encoder)
                parts = parts if not question.images or not len(own) else own
            hits = self._rows.best(parts, self._of.options.vimrag_results, hidden)
        talk.results = {f"Text {number}": row for number, (row, _) in enumerate(hits, start=1)}
        for row in talk.results.values():
            talk.seen.setdefault(row, 0)
        return timer.seconds

    def _told(self, question: Question, talk: _Talk) -> str:
        """Return the state: the question, the graph, what is kept, and open results."""
        graph = [
            {"id": n.id, "parents": n.parents, "query": n.query, "summary": n.summary}
            for n in talk.nodes
        ]
        parts = [f"Question: {question.text}", f"Action graph: {json.dumps(graph)}"]
        scored = [pair for each in energies(talk.nodes) for pair in each.items()]
        best = dict(sorted(scored, key=lambda pair: -pair[1])[: self._of.options.vimrag_pictures])
        parts += [f"Kept\n{fenced(self._texts[row])}" for row in best]
        if talk.open is not None:
            parts.append(f"Results of {talk.open.query!r}; sum them up now:")
            parts += [f"{name}\n{fenced(self._texts[row])}" for name, row in talk.results.items()]
        return "\n\n".join(parts)

    def _found(
        self,
        talk: _Talk,
        budget: int,
        answer: str | None,
        costs: list[StageCost],
        repairs: dict[str, int],
        steps: int,
    ) -> Found:
        order = sorted(talk.seen, key=lambda row: -talk.seen[row])  # ties stay as first seen
        picks = tuple(self._memories[row].id for row in order[:budget])
        figures = {"steps": steps, "searches": talk.searches, "seen": len(talk.seen)}
        error = "" if answer is not None else f"no answer in {steps} steps"
        return Found(
            picks,
            picks,
            costs=tuple(costs),
            repairs=repairs,
            figures={name: float(value) for name, value in figures.items()},
            answer=answer,
            error=error,
        )


def open_vimrag(parts: BaselineParts) -> VimRag:
    """Return VimRAG's loop on these parts.

    Raises:
        SettingsError: There is no model.
    """
    return VimRag.opened(TITLES, parts, ("vimrag_step",), ("vimrag_",))
