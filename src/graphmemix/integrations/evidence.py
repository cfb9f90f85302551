"""The evidence of a question in the form that retrievers of other frameworks return."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphmemix.encode.views import all_words
from graphmemix.read.sentences import source_in_words
from graphmemix.text.quoting import break_signs

if TYPE_CHECKING:
    from graphmemix.archive import Archive
    from graphmemix.evidence import Trace
    from graphmemix.memory import Memory
    from graphmemix.record import Json

__all__ = ["RetrievedMemory", "retrieved_memories"]


@dataclass(frozen=True)
class RetrievedMemory:
    """A memory of the forest, flattened.

    Attributes:
        memory: The memory itself.
        text: Its text and the descriptions of its media, without chat template markers.
        utility: How useful it is for the question, 0 to 1.
        facts: Everything else, as JSON values: rank, score, citation, id, kind, source, time,
            place, author, files, and the memory that it is linked to, with the role and the gain
            of that link.
    """

    memory: Memory
    text: str
    utility: float
    facts: dict[str, Json]


def retrieved_memories(archive: Archive, trace: Trace) -> list[RetrievedMemory]:
    """Return the chosen memories of a trace in reading order, without those erased since."""
    if trace.forest is None:
        return []
    nodes = [node for tree in trace.forest.trees for node in tree.nodes]
    memories = archive.store.get_many(node.memory_id for node in nodes)
    rows = {row.memory: row for row in trace.evidence}
    blocks = {block.memory_id: block for block in trace.packet.blocks} if trace.packet else {}
    found = []
    for rank, node in enumerate(nodes, start=1):
        memory = memories.get(node.memory_id)
        if memory is None:
            continue
        link: dict[str, Json] = {
            "beside": node.parent_id,
            "role": node.role,
            "gain": node.gain,
        }
        block = blocks.get(memory.id)
        found_by: dict[str, Json] = {
            "rank": rank,
            "score": rows[memory.id].chance,
            "citation": source_in_words(block) if block else "",
        }
        facts = {**found_by, **_facts(memory), **link}
        known = {k: _safe(k, v) for k, v in facts.items() if v not in (None, "", [])}
        found.append(
            RetrievedMemory(memory, break_signs(all_words(memory)), rows[memory.id].chance, known)
        )
    return found


def _safe(name: str, value: Json) -> Json:
    """Return a value that is safe in a prompt; ids are kept, so that they can be looked up."""
    return break_signs(value) if isinstance(value, str) and name not in ("id", "beside") else value


def _facts(memory: Memory) -> dict[str, Json]:
    return {
        "id": memory.id,
        "kind": memory.kind,
        "source": memory.source,
        "source_id": memory.source_id,
        "session": memory.session,
        "speaker": memory.speaker,
        "timestamp": memory.timestamp.isoformat() if memory.timestamp else None,
        "place": memory.place.name if memory.place else None,
        "media": [medium.sha256 for medium in memory.media if medium.sha256],
    }
