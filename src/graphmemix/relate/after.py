"""The archive as it will be once a change is stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmemix.relate.keys import id_key

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from graphmemix.evidence import Edge, Relation
    from graphmemix.memory import Memory
    from graphmemix.relate.protocol import Lookup, Pair


class After:
    """Answers for the archive after a change, from what is stored before it and the change itself.

    Attributes:
        changed: New and updated memories, as they will be.
        gone: Erased memories, as they were.
        stored: The schema edges that touch any of them now.
    """

    def __init__(
        self,
        changed: Mapping[str, Memory],
        gone: Mapping[str, Memory],
        lookup: Lookup,
        keys: Mapping[str, Iterable[str]],
    ) -> None:
        self.changed = changed
        self.gone = gone
        self._lookup = lookup
        self._known: dict[str, Memory] = {}  # one object per memory, so that facts are read once
        self._changed_with: dict[str, list[Memory]] = {}
        for memory_id, each in keys.items():
            for key in each:
                self._changed_with.setdefault(key, []).append(changed[memory_id])
        self.stored = self._schema_edges([*changed, *gone])

    def touches(self, memory_id: str) -> bool:
        """Return whether the change is about this memory."""
        return memory_id in self.changed or memory_id in self.gone

    def with_keys(self, keys: Collection[str]) -> dict[str, Memory]:
        """Return by id the memories that will have any of these keys."""
        if not keys:
            return {}
        found = {}
        for memory in self._lookup.with_keys(keys):
            if not self.touches(memory.id):
                found[memory.id] = self._known.setdefault(memory.id, memory)
        for key in keys:
            for memory in self._changed_with.get(key, ()):
                found[memory.id] = memory
        return found

    def by_id(self, memory_ids: Iterable[str]) -> dict[str, Memory]:
        """Return those of these memories that will be there."""
        here = {i: self.changed.get(i) or self._known.get(i) for i in memory_ids}
        missing = [i for i, memory in here.items() if memory is None and i not in self.gone]
        fetched = self.with_keys([id_key(memory_id) for memory_id in missing])
        known = {i: memory for i, memory in here.items() if memory is not None}
        return known | {i: memory for i, memory in fetched.items() if i in here}

    def pairs(self, relation: Relation, memory_ids: Collection[str]) -> set[Pair]:
        """Return the stored pairs of a relation that touch these memories or the changed ones."""
        others = [memory_id for memory_id in memory_ids if not self.touches(memory_id)]
        edges = [*self.stored, *self._schema_edges(others)]
        return {(edge.source, edge.target) for edge in edges if edge.relation == relation}

    def disturbed(self, relation: Relation) -> list[Memory]:
        """Return the memories whose groups the change disturbs.

        These are the changed as they will be, the gone as they were and, since the old state of a
        changed memory is not known, those that it is linked to now: whoever had an influence on a
        group also had a link in it.
        """
        linked = {
            memory_id
            for edge in self.stored
            if edge.relation == relation
            for memory_id in (edge.source, edge.target)
            if not self.touches(memory_id)
        }
        return [*self.changed.values(), *self.gone.values(), *self.by_id(linked).values()]

    def _schema_edges(self, memory_ids: Collection[str]) -> list[Edge]:
        if not memory_ids:
            return []
        return [edge for edge in self._lookup.edges(memory_ids) if edge.relation != "semantic"]
