"""Traces, forests and answers in consoles and notebooks: short lines, and small HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from graphmemix.shown import first_words, html_card, html_table, short_id

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graphmemix.evidence.forest import EvidenceNode, Forest, Role
    from graphmemix.evidence.rows import EvidenceRow
    from graphmemix.evidence.trace import Answer, Trace

__all__ = [
    "ROLE_WORDS",
    "answer_html",
    "answer_line",
    "forest_html",
    "forest_line",
    "trace_html",
    "trace_line",
]

ROLE_WORDS: Final[Mapping[Role | None, str]] = {
    "new_fact": "adds to",
    "clarification": "explains",
    "corroboration": "confirms",
    "redundant": "repeats",
    "conflict": "contradicts",
    "irrelevant": "stands beside",
    None: "stands beside",
}
"""What a memory does with the one that it is linked to."""


_LINE: Final = 60  # characters of a text in a line
_LONGEST: Final = 2_000  # characters of an answer in a notebook
_CELL: Final = 200  # characters of a memory in a table
_NO_EVIDENCE: Final = "no evidence"


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: ``1 link``, ``2 memories``."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def forest_line(forest: Forest) -> str:
    """Return a forest in one line."""
    return f"<Forest: {_size(forest)}>"


def _size(forest: Forest) -> str:
    nodes = [node for tree in forest.trees for node in tree.nodes]
    links = sum(node.parent_id is not None for node in nodes)
    parts = [
        counted(len(nodes), "memory", "memories"),
        counted(len(forest.trees), "tree"),
        counted(links, "link"),
    ]
    return ", ".join(parts)


def answer_line(answer: Answer) -> str:
    """Return an answer in one line."""
    how = "quoted" if answer.extractive else "by a model"
    sources = counted(len({each.memory_id for each in answer.citations}), "source")
    return f"<Answer {how}, {sources}: {first_words(answer.text, _LINE)}>"


def trace_line(trace: Trace) -> str:
    """Return a trace in one line."""
    asked = first_words(trace.question.text, _LINE) or counted(len(trace.question.images), "image")
    found = _NO_EVIDENCE if trace.forest is None else _size(trace.forest)
    if trace.answer is not None:
        found = f"{first_words(trace.answer.text, _LINE)} ({found})"
    return f"<Trace of “{asked}”: {found}>"


def answer_html(answer: Answer) -> str:
    """Return an answer for a notebook."""
    how = "quoted from the archive" if answer.extractive else "by a model"
    sources = counted(len({each.memory_id for each in answer.citations}), "source")
    return html_card("", _cut(answer.text), (how, sources))


def forest_html(forest: Forest) -> str:
    """Return a forest for a notebook: its memories by id, since it knows no words."""
    nodes = [node for tree in forest.trees for node in tree.nodes]
    ranks = {node.memory_id: rank for rank, node in enumerate(nodes, start=1)}
    rows = [(str(ranks[node.memory_id]), short_id(node.memory_id), _link(node, ranks))
            for node in nodes]  # fmt: skip
    table = html_table(("rank", "memory", "link"), rows)
    return html_card("Forest", "", (_size(forest),), table if rows else "")


def trace_html(trace: Trace) -> str:
    """Return a trace for a notebook: the question, its answer, and the evidence as a table."""
    rows = trace.evidence
    table = html_table(("", "when", "who", "words", "link"), map(_cells, rows))
    answer = _cut(trace.answer.text) if trace.answer else ""
    size = _NO_EVIDENCE if trace.forest is None else _size(trace.forest)
    how = "quoted from the archive" if trace.answer and trace.answer.extractive else ""
    return html_card(trace.question.text, answer, (how, size), table if rows else "")


def _cells(row: EvidenceRow) -> tuple[str, ...]:
    link = "" if row.parent is None else f"{ROLE_WORDS[row.role]} [{row.parent}]"
    who = ", ".join(filter(None, (row.kind, row.speaker, row.place)))
    return f"[{row.rank}]", row.date, who, first_words(row.quote, _CELL), link


def _link(node: EvidenceNode, ranks: dict[str, int]) -> str:
    if node.parent_id is None:
        return ""
    return f"{ROLE_WORDS[node.role]} [{ranks.get(node.parent_id, short_id(node.parent_id))}]"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
