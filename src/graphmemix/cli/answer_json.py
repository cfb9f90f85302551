"""What ``ask --json`` and ``recall --json`` print: the answer, and the evidence with its words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from graphmemix.archive import Archive
from graphmemix.cli.evidence import ADDS
from graphmemix.encode.views import all_words
from graphmemix.evidence import EvidenceNode, Trace
from graphmemix.memory import Memory
from graphmemix.read.chance import chance_of, in_words

__all__ = ["answer_json"]


def answer_json(archive: Archive, trace: Trace, *, seconds: float, whole: bool) -> str:
    """Return a question's outcome as one line of JSON.

    Args:
        archive: Where the memories are.
        trace: What was found.
        seconds: What it took, all in all.
        whole: Whether the whole trace follows, as `graphmemix trace ID --json` prints it.
    """
    nodes = [node for tree in trace.forest.trees for node in tree.nodes] if trace.forest else []
    chosen = {node.memory_id: node for node in nodes}
    ranked = trace.forest.memory_ids if trace.forest else ()
    memories = archive.store.get_many(ranked)
    ranks = {memory_id: rank for rank, memory_id in enumerate(ranked, 1)}
    chances: dict[str, float] = {}
    if trace.scale == "chance":
        chances = {row.memory: round(row.chance, 4) for row in trace.evidence}
    quotes: dict[str, str] = {}
    for citation in trace.answer.citations if trace.answer else ():
        quotes.setdefault(citation.memory_id, citation.quote)
    shown: dict[str, Any] = {
        "question": trace.question.text,
        "answer": None if trace.answer is None else json.loads(trace.answer.to_json()),
        "holds": in_words(trace, archive.settings.reader),
        "chance": chance_of(trace),
        "evidence": [
            {
                **_place_of(chosen[memory_id], ranks),
                "chance": chances.get(memory_id),
                "quote": quotes.get(memory_id, ""),
                **_words_of(memory_id, memories),
            }
            for memory_id in ranked
        ],
        "notes": list(trace.notes),
        "candidates": len(trace.candidates),
        "seconds": round(seconds, 3),
        "trace_id": trace.id,
    }
    if whole:
        shown["trace"] = json.loads(trace.to_json())
    return json.dumps(shown, ensure_ascii=False)


def _place_of(node: EvidenceNode, ranks: Mapping[str, int]) -> dict[str, Any]:
    """Return where a memory stands in the forest: its rank, and what it adds to which other."""
    return {
        "rank": ranks[node.memory_id],
        "parent": None if node.parent_id is None else ranks[node.parent_id],
        "adds": None if node.role is None else ADDS[node.role] or None,
    }


def _words_of(memory_id: str, memories: Mapping[str, Memory]) -> dict[str, Any]:
    memory = memories.get(memory_id)
    if memory is None:  # erased while it was being found
        return {"id": memory_id}
    fields = json.loads(memory.to_json())
    kept = ("id", "kind", "timestamp", "speaker", "place", "source", "source_id", "session")
    return {
        **{name: fields.get(name) for name in kept},
        "text": all_words(memory),
        "media": [each["name"] for each in fields.get("media", ())],
    }
