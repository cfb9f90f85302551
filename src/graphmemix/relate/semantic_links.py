"""The nearest neighbours of an archive's memories, kept in memory, and the links that follow.

A writer reads the lists of all memories once and keeps them in step with what it stores. The links
are those of mutual neighbours: see `relate.neighbours`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from graphmemix.evidence import Edge
from graphmemix.relate.neighbours import NeighbourLists
from graphmemix.store.unit_vectors import graph_vector

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from graphmemix.settings import GraphSettings
    from graphmemix.store.protocol import Derived, Neighbour, Store, Vector

KnownNeighbours: TypeAlias = tuple[str, NeighbourLists]
"""The state of a store, and the nearest neighbours of all its memories in that state."""

_BATCH = 256  # memories whose links are stored in one transaction


class SemanticLinks:
    """Says which semantic links come and go as memories do.

    After `remove` and `add`, `changes` and `near` return what has to be stored; when it is stored,
    `note_state` says so. What was not stored has to be dropped.
    """

    def __init__(self, store: Store, dimension: int, settings: GraphSettings) -> None:
        self._store = store
        self._dimension = dimension
        self._used = settings.neighbours
        self._lists: NeighbourLists | None = None
        self._state = ""  # the store's state that the lists belong to

    # In step with the store

    def drop(self) -> None:
        """Forget the lists; they are read again when they are next needed."""
        self._lists = None

    def drop_if_old(self) -> None:
        """Forget the lists if another process has changed the archive since."""
        if self._state != self._store.state():
            self._lists = None

    def note_state(self) -> None:
        """Note that the lists are those of the store as it is now."""
        self._state = self._store.state()

    def hand_over(self) -> KnownNeighbours | None:
        """Return the neighbours in memory for the next writer of this archive, or None."""
        return None if self._lists is None else (self._state, self._lists)

    def take_over(self, known: KnownNeighbours | None) -> None:
        """Reuse the neighbours of an earlier writer, unless the archive has changed since."""
        if known is not None and known[0] == self._store.state():
            self._state, self._lists = known

    @property
    def _neighbours(self) -> NeighbourLists:
        if self._lists is None:
            self._lists = NeighbourLists(self._dimension, used=self._used)
            self._lists.load(dict(self._store.graph_vectors()), self._store.neighbours())
        return self._lists

    # Changes

    def remove(self, memory_ids: Iterable[str]) -> set[str]:
        """Let memories go; return all whose neighbours changed."""
        return self._neighbours.remove(memory_ids)

    def add(self, derived: Mapping[str, Derived]) -> set[str]:
        """Add the graph vectors of a batch; return all memories whose neighbours changed."""
        vectors = {memory_id: _graph_vector(each) for memory_id, each in derived.items()}
        blind = [memory_id for memory_id, vector in vectors.items() if vector is None]
        touched = self._neighbours.remove(blind) if blind else set()
        seen = {i: vector for i, vector in vectors.items() if vector is not None}
        return touched | self._neighbours.add_many(seen)

    def near(self, memory_ids: Iterable[str]) -> dict[str, list[Neighbour]]:
        """Return the neighbours of memories; an empty list for those without a vector."""
        lists = self._neighbours
        return {i: lists.neighbours(i) if i in lists else [] for i in memory_ids}

    def changes(self, memory_ids: Collection[str]) -> tuple[list[Edge], list[Edge]]:
        """Return the links to add and to remove since the last call, and around these memories."""
        touched = {*self._neighbours.take_moved(), *memory_ids}
        wanted = {
            (p.source, p.target): Edge(p.source, p.target, "semantic", p.cosine)
            for p in self._neighbours.mutual(touched)
        }
        stored = {(e.source, e.target): e for e in self._store.edges(touched, relation="semantic")}
        add = [edge for ends, edge in wanted.items() if stored.get(ends) != edge]
        remove = [edge for ends, edge in stored.items() if ends not in wanted]
        return add, remove

    # All anew

    def start_anew(self) -> None:
        """Begin with no neighbours at all: every memory will be added again."""
        self._lists = NeighbourLists(self._dimension, used=self._used)
        self.note_state()

    def renew(self) -> None:
        """Work out and store all neighbours and links from the current vectors."""
        vectors = dict(self._store.graph_vectors())
        lists = NeighbourLists(self._dimension, used=self._used)
        lists.rebuild(vectors)
        self._lists = lists
        ids = sorted({*vectors, *self._store.neighbours()})
        for first in range(0, len(ids), _BATCH):
            batch = ids[first : first + _BATCH]
            add, remove = self.changes(batch)
            self._store.put_derived({}, add, removed_edges=remove, neighbours=self.near(batch))


def _graph_vector(derived: Derived) -> Vector | None:
    pairs = zip(derived.views, derived.vectors, strict=True)
    return graph_vector([(view.kind, vector) for view, vector in pairs if vector is not None])
