"""Derives from stored memories what finds and relates them: views, vectors, keys, edges.

Everything here can be rebuilt. A batch is derived outside any transaction and then stored in one,
so that readers see a memory's views, vectors, postings and edges appear together.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TypeAlias

from graphmemix.encode.exchange import companions, exchange_keys, keys_around
from graphmemix.encode.pixels import pixels_of
from graphmemix.encode.views import views_of
from graphmemix.errors import (
    ArchiveDamagedError,
    EncoderMismatchError,
    InvalidDataError,
    MissingExtraError,
)
from graphmemix.evidence import Edge
from graphmemix.relate import relate
from graphmemix.relate.neighbours import NeighbourLists
from graphmemix.relate.person_keys import person_keys
from graphmemix.retrieve.constraints_words import place_parts
from graphmemix.retrieve.facets import FILE, LOOK, facet_keys, look, quarters
from graphmemix.store.protocol import Derived
from graphmemix.store.unit_vectors import graph_vector

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from graphmemix.encode.protocol import Encoder
    from graphmemix.memory import Memory, View
    from graphmemix.relate import EdgeChange
    from graphmemix.settings import Settings
    from graphmemix.store.protocol import Neighbour, Progress, Store, Vector

KnownNeighbours: TypeAlias = tuple[str, NeighbourLists]
"""The state of a store, and the nearest neighbours of all its memories in that state."""

_REBUILD_BATCH = 256


class Indexer:
    """Derives what retrieval and relations need, and keeps it up to date."""

    def __init__(self, store: Store, encoder: Encoder, settings: Settings) -> None:
        self._store = store
        self._encoder = encoder
        self._settings = settings
        self._lists: NeighbourLists | None = None

    def index(self, memory_ids: Sequence[str]) -> None:
        """Derive a batch of memories and store the result in one transaction.

        Raises:
            EncoderMismatchError: The archive is encoded with another encoder.
        """
        serving = self._store.encoder()
        if serving not in {None, self._encoder.identity}:
            raise EncoderMismatchError(str(serving), self._encoder.identity)
        with self._all_or_nothing():
            self._index(memory_ids)

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """Drop the neighbours in memory if the change that they belong to was not stored."""
        try:
            yield
        except BaseException:
            self._lists = None
            raise

    def _index(self, memory_ids: Sequence[str]) -> None:
        new = self._store.get_many(memory_ids)
        around = {**self._around(new.values()), **new}
        batch = {**new, **self._read_with(new, around)}
        derived = self._derived(batch, around)
        change = relate(list(new.values()), [], self._store, self._settings.graph)
        # An interrupted change may have left entries that their neighbours do not know.
        touched = self._neighbours.remove(new) | self._add_neighbours(derived)
        add, remove = self._semantic_changes(touched)
        self._store.put_derived(
            derived,
            [*change.add, *add],
            removed_edges=[*change.remove, *remove],
            keys=self._keys(new, change),
            neighbours=self._near(touched),
        )

    def forget(self, memories: Sequence[Memory], *, erasing: bool = False) -> None:
        """Update everything that depends on memories about to be erased or replaced.

        That is relations across them, neighbours and context views. The memories are marked as
        pending, so that they are indexed again if the process ends here.

        Args:
            memories: Their present state.
            erasing: Leave their own edges to the erasure, which counts them for its receipt.
        """
        going = {memory.id for memory in memories}
        change = relate([], memories, self._store, self._settings.graph)
        around = self._around(memories)
        again = self._read_with(memories_by_id(memories), around)
        derived = self._derived(again, around, going)
        with self._all_or_nothing():
            touched = self._neighbours.remove(going) | self._add_neighbours(derived)
            add, remove = self._semantic_changes(touched - going, without=going)
            removed = [*change.remove, *remove]
            if erasing:
                removed = [edge for edge in removed if not going & {edge.source, edge.target}]
            self._store.put_derived(
                derived,
                [*change.add, *add],
                removed_edges=removed,
                neighbours=self._near(touched | going),
                pending=going,
            )

    def rebuild(self, *, progress: Progress | None = None) -> None:
        """Derive and relate every memory again."""
        self._lists = NeighbourLists(self._encoder.dimension, used=self._settings.graph.neighbours)
        ids = [memory.id for memory in self._store.find()]
        for first in range(0, len(ids), _REBUILD_BATCH):
            self.index(ids[first : first + _REBUILD_BATCH])
            if progress is not None:
                progress(min(first + _REBUILD_BATCH, len(ids)), len(ids))
        self._store.rebuild()

    def reencode(self, *, progress: Progress | None = None) -> None:
        """Encode every view with this encoder, switch to it, then relate all memories again.

        The old vectors are used until the switch. An interrupted run continues where it stopped.
        Keys and edges are made anew, so that an archive of an earlier version gets what this
        version finds memories by: the days that they are about, albums, names of files.
        """

        def encode(views: Sequence[View]) -> list[Vector | None]:
            made = self._vectors(views)
            return [made[view.memory_id, view.ordinal] for view in views]

        self._store.reencode(self._encoder.identity, encode, progress=progress)
        with self._all_or_nothing():
            self._renew_neighbours()
            self._renew_keys()

    def _renew_keys(self) -> None:
        """Make the keys and schema edges of all memories again."""
        ids = [memory.id for memory in self._store.find()]
        for first in range(0, len(ids), _REBUILD_BATCH):
            batch = self._store.get_many(ids[first : first + _REBUILD_BATCH])
            change = relate(list(batch.values()), [], self._store, self._settings.graph)
            self._store.put_derived(
                {}, change.add, removed_edges=change.remove, keys=self._keys(batch, change)
            )

    def _keys(self, memories: Mapping[str, Memory], change: EdgeChange) -> dict[str, set[str]]:
        """Return everything under which memories are found: by relations, and by themselves."""
        return {i: {*change.keys.get(i, ()), *self._own_keys(m)} for i, m in memories.items()}

    # Views and vectors

    def _around(self, memories: Iterable[Memory]) -> dict[str, Memory]:
        """Return the stored memories that may share an exchange with these."""
        keys = {key for memory in memories for key in keys_around(memory)}
        return memories_by_id(self._store.with_keys(keys)) if keys else {}

    def _read_with(
        self, memories: Mapping[str, Memory], around: Mapping[str, Memory]
    ) -> dict[str, Memory]:
        """Return other indexed memories whose context views include any of these."""
        others = {i: memory for i, memory in around.items() if i not in memories}
        affected = {i: o for i, o in others.items() if companions(o, memories.values())}
        views = self._store.views(affected)
        if all(views[i] for i in affected if i in views):
            return affected
        pending = set(self._store.without_vectors())  # indexed later anyway
        return {i: other for i, other in affected.items() if i not in pending}

    def _derived(
        self,
        memories: Mapping[str, Memory],
        around: Mapping[str, Memory],
        without: Collection[str] = (),
    ) -> dict[str, Derived]:
        # Memories that are derived again need their whole exchange, not only the part around `new`.
        wider = {**self._around(memories.values()), **around}
        beside = [memory for memory in wider.values() if memory.id not in without]
        views = {
            i: views_of(memory, beside, self._settings.views) for i, memory in memories.items()
        }
        vectors = self._vectors([view for each in views.values() for view in each])
        return {
            i: Derived(each, tuple(vectors[i, v.ordinal] for v in each), self._encoder.identity)
            for i, each in views.items()
        }

    def _vectors(self, views: Sequence[View]) -> dict[tuple[str, int], Vector | None]:
        """Return a vector for every view; None where there is nothing to encode."""
        found: dict[tuple[str, int], Vector | None] = {
            (view.memory_id, view.ordinal): None for view in views
        }
        words = _distinct(_encoded(views, self._settings.views.encoded_parts))
        if words:
            rows = self._encoder.texts([view.text for view in words])
            found |= {(v.memory_id, v.ordinal): row for v, row in zip(words, rows, strict=True)}
        if self._encoder.sees_images:
            for view in views:
                # A picture that is damaged or cannot be read is still found by its words.
                with suppress(InvalidDataError, ArchiveDamagedError, MissingExtraError):
                    data = pixels_of(view, self._store.media)
                    if data is not None:
                        found[view.memory_id, view.ordinal] = self._encoder.images([data])[0]
        return found

    def _own_keys(self, memory: Memory) -> set[str]:
        keys = {*exchange_keys(memory), *facet_keys(memory), *person_keys(memory)}
        if memory.place is not None and memory.place.name:
            name = memory.place.name
            keys.update(f"place:{part}" for part in (name, *place_parts(name)))
        for medium in memory.media:
            if medium.sha256 is None:
                continue
            shown = self._look(medium.sha256) if medium.modality == "image" else ""
            keys.update(quarters(shown) if shown else [f"{FILE}{medium.sha256[:32]}"])
            if shown and not memory.text:  # words distinguish it from others with the same picture
                keys.add(LOOK + shown)
        return keys

    def _look(self, sha256: str) -> str:
        """Return what a stored picture shows; empty if it cannot be read or shows nothing."""
        with suppress(InvalidDataError, ArchiveDamagedError):
            return look(self._store.media.read(sha256))
        return ""

    # Nearest neighbours

    def hand_over(self) -> KnownNeighbours | None:
        """Return the neighbours in memory for the next writer of this archive, or None."""
        return None if self._lists is None else (self._store.state(), self._lists)

    def take_over(self, known: KnownNeighbours | None) -> None:
        """Reuse the neighbours of an earlier writer, unless the archive has changed since."""
        if known is not None and known[0] == self._store.state():
            self._lists = known[1]

    @property
    def _neighbours(self) -> NeighbourLists:
        if self._lists is None:
            self._lists = NeighbourLists(
                self._encoder.dimension, used=self._settings.graph.neighbours
            )
            self._lists.load(dict(self._store.graph_vectors()), self._store.neighbours())
        return self._lists

    def _renew_neighbours(self) -> None:
        """Compute all neighbours and semantic edges from the current vectors."""
        vectors = dict(self._store.graph_vectors())
        lists = NeighbourLists(self._encoder.dimension, used=self._settings.graph.neighbours)
        lists.rebuild(vectors)
        self._lists = lists
        ids = sorted({*vectors, *self._store.neighbours()})
        for first in range(0, len(ids), _REBUILD_BATCH):
            batch = ids[first : first + _REBUILD_BATCH]
            add, remove = self._semantic_changes(batch)
            self._store.put_derived({}, add, removed_edges=remove, neighbours=self._near(batch))

    def _add_neighbours(self, derived: dict[str, Derived]) -> set[str]:
        """Add the graph vectors of a batch; return all memories whose neighbours changed."""
        vectors = {memory_id: _graph_vector(each) for memory_id, each in derived.items()}
        blind = [memory_id for memory_id, vector in vectors.items() if vector is None]
        touched = self._neighbours.remove(blind) if blind else set()
        seen = {i: vector for i, vector in vectors.items() if vector is not None}
        return touched | self._neighbours.add_many(seen)

    def _near(self, memory_ids: Iterable[str]) -> dict[str, list[Neighbour]]:
        """Return the neighbours of memories; an empty list for those without a vector."""
        lists = self._neighbours
        return {i: lists.neighbours(i) if i in lists else [] for i in memory_ids}

    def _semantic_changes(
        self, touched: Collection[str], without: Collection[str] = ()
    ) -> tuple[list[Edge], list[Edge]]:
        """Return the semantic edges to add and to remove around these memories."""
        wanted = {
            (p.source, p.target): Edge(p.source, p.target, "semantic", p.cosine)
            for p in self._neighbours.mutual(touched)
        }
        stored = {
            (e.source, e.target): e
            for e in self._store.edges([*touched, *without])
            if e.relation == "semantic"
        }
        add = [edge for ends, edge in wanted.items() if stored.get(ends) != edge]
        remove = [edge for ends, edge in stored.items() if ends not in wanted]
        return add, remove


def _encoded(views: Iterable[View], most: int) -> Iterator[View]:
    """Yield the views whose words get a vector: context views, and the first others of a memory."""
    count: Counter[str] = Counter()
    for view in views:
        if not view.text:
            continue
        is_part = view.kind not in ("context", "exchange", "past")
        count[view.memory_id] += is_part
        if not is_part or count[view.memory_id] <= most:
            yield view


def _distinct(views: Iterable[View]) -> list[View]:
    """Return views without those that repeat the words of another view of the same memory."""
    first: dict[tuple[str, str], View] = {}
    for view in views:
        first.setdefault((view.memory_id, view.text), view)
    return list(first.values())


def memories_by_id(memories: Iterable[Memory]) -> dict[str, Memory]:
    """Return memories by id."""
    return {memory.id: memory for memory in memories}


def _graph_vector(derived: Derived) -> Vector | None:
    pairs = zip(derived.views, derived.vectors, strict=True)
    return graph_vector([(view.kind, vector) for view, vector in pairs if vector is not None])
