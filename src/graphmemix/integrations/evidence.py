"""The evidence of a question as retrievers of other frameworks tell it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphmemix.encode.views import all_words
from graphmemix.text.quoting import break_signs

if TYPE_CHECKING:
    from graphmemix.archive import Archive
    from graphmemix.evidence import Trace
    from graphmemix.memory import Memory
    from graphmemix.record import Json

__all__ = ["Found", "found_by"]


@dataclass(frozen=True)
class Found:
    """A memory of the forest, flat.

    Attributes:
        memory: The whole of it.
        text: Its words and those that describe its media, without signs of chat templates.
        utility: How useful it is for the question, 0 to 1.
        facts: Everything else that JSON can say: rank, id, kind, source, when, where, by whom, the
            files, and the memory that it hangs on, with the role and the gain of that link.
    """

    memory: Memory
    text: str
    utility: float
    facts: dict[str, Json]


def found_by(archive: Archive, trace: Trace) -> list[Found]:
    """Return what a trace chose, in the order for readers; what was erased since is left out."""
    if trace.forest is None:
        return []
    nodes = [node for tree in trace.forest.trees for node in tree.nodes]
    memories = archive.store.get_many(node.memory_id for node in nodes)
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
        facts = {"rank": rank, **_facts(memory), **link}
        told = {k: _safe(k, v) for k, v in facts.items() if v not in (None, "", [])}
        found.append(Found(memory, break_signs(all_words(memory)), node.utility, told))
    return found


def _safe(name: str, value: Json) -> Json:
    """Return a value for the prompt of a model; ids stay what they are, to be looked up."""
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
