"""Derives from stored memories what finds and relates them: views, vectors, keys, edges.

Everything here can be rebuilt. A batch is derived outside any transaction and then stored in one,
so that readers see a memory's views, vectors, postings and edges appear together.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from threading import RLock
from typing import TYPE_CHECKING

from graphmemix.encode.exchange import Around, companions, exchange_keys, keys_around
from graphmemix.encode.view_vectors import PICTURES, ViewEncoding, content
from graphmemix.encode.views import views_of
from graphmemix.errors import (
    ArchiveDamagedError,
    EncoderMismatchError,
    InvalidDataError,
)
from graphmemix.relate import relate
from graphmemix.relate.keys import ID
from graphmemix.relate.person_keys import person_keys
from graphmemix.relate.semantic_links import SemanticLinks
from graphmemix.retrieve.constraints_words import place_parts
from graphmemix.retrieve.facets import FILE, LOOK, facet_keys, look, quarters
from graphmemix.store.protocol import Derived

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from graphmemix.encode.protocol import Encoder
    from graphmemix.encode.view_vectors import Content
    from graphmemix.memory import Memory, View
    from graphmemix.relate.protocol import EdgeChange
    from graphmemix.relate.semantic_links import KnownNeighbours
    from graphmemix.settings import Settings
    from graphmemix.store.protocol import Progress, Store, Vector

_REBUILD_BATCH = 256


class Indexer:
    """Derives what retrieval and relations need, and keeps it up to date."""

    def __init__(self, store: Store, encoder: Encoder, settings: Settings) -> None:
        self._store = store
        self._encoder = encoder
        self._settings = settings
        self._encoding = ViewEncoding(encoder, store.media, settings.views)
        self._links = SemanticLinks(store, encoder.dimension, settings.graph)
        self._changing = RLock()

    def index(self, memory_ids: Sequence[str]) -> None:
        """Derive a batch of memories and store the result in one transaction.

        Raises:
            EncoderMismatchError: The archive is encoded with another encoder.
        """
        with self._change():
            with self._store.snapshot():
                self._require_encoder()
                new = self._store.get_many(memory_ids)
                views = self._views_around(new)
                held = self._held(i for i in views if i not in new)
                lacking = [v for each in views.values() for v in each if content(v) not in held]
                held |= self._known(lacking)
            lacking = [view for view in lacking if content(view) not in held]
            derived = self._derived(views, held | self._encoding.vectors(lacking))
            with self._store.snapshot():
                change = relate(list(new.values()), [], self._store, self._settings.graph)
                # An interrupted change may have left entries that their neighbours do not know.
                touched = self._links.remove(new) | self._links.add(derived)
                add, remove = self._links.changes(derived)
            self._store.put_derived(
                derived,
                [*change.add, *add],
                removed_edges=[*change.remove, *remove],
                keys=self._keys(new, change),
                neighbours=self._links.near(touched),
            )

    def add_words(self, memory_ids: Sequence[str]) -> None:
        """Store what needs no vector, so that memories are found by words, facets and relations.

        They wait for `encode` from then on, unless there is nothing to encode.
        """
        with self._change():
            with self._store.snapshot():
                new = self._store.get_many(memory_ids)
                views = self._views_around(new)
                held = self._held(i for i in views if i not in new)
                derived = self._derived(views, held)
                change = relate(list(new.values()), [], self._store, self._settings.graph)
            self._store.put_derived(
                derived,
                change.add,
                removed_edges=change.remove,
                keys=self._keys(new, change),
                pending=[i for i, each in derived.items() if self._lacks(each)],
            )

    def encode(self, memory_ids: Sequence[str], *, progress: Progress | None = None) -> None:
        """Give memories that have words the vectors that they lack, and find their neighbours.

        The archive may be written to while vectors are made. A memory that has changed meanwhile,
        or has no words yet, goes on waiting.

        Raises:
            EncoderMismatchError: The archive is encoded with another encoder.
        """
        with self._store.snapshot():
            self._require_encoder()
            lacking = [view for each in self._lacking(memory_ids).values() for view in each]
            # The halves of an exchange share its words, and often one of them is encoded.
            held = self._held(self._around(self._store.get_many(memory_ids).values()))
            new = [view for view in lacking if content(view) not in held]
            held |= self._known(new)
        new = [view for view in new if content(view) not in held]
        made = held | self._encoding.vectors(new, progress)
        with self._change():
            with self._store.snapshot():
                complete = self._completed(memory_ids, made)
                if not complete:
                    return
                touched = self._links.remove(complete) | self._links.add(complete)
                add, remove = self._links.changes(complete)
            self._store.put_vectors(
                {i: each.vectors for i, each in complete.items()},
                self._encoder.identity,
                add,
                removed_edges=remove,
                neighbours=self._links.near(touched),
            )

    def _require_encoder(self) -> None:
        serving = self._store.encoder()
        if serving not in {None, self._encoder.identity}:
            raise EncoderMismatchError(str(serving), self._encoder.identity)

    @contextmanager
    def _change(self) -> Iterator[None]:
        """Change the archive alone, and keep the neighbours in memory in step with it.

        They are dropped if another process has changed the archive since, or if the change that
        they belong to was not stored.
        """
        with self._changing, self._store.writing():
            self._links.drop_if_old()
            try:
                yield
                self._links.note_state()
            except BaseException:
                self._links.drop()
                raise

    def forget(self, memories: Sequence[Memory], *, erasing: bool = False) -> list[str]:
        """Update everything that depends on memories about to be erased or replaced.

        That is relations across them, neighbours and context views. The memories are marked as
        pending, so that they are indexed again if the process ends here.

        Args:
            memories: Their present state.
            erasing: Leave their own edges to the erasure, which counts them for its receipt.

        Returns:
            Memories whose context views have changed and wait for vectors.
        """
        going = {memory.id for memory in memories}
        with self._change():
            change = relate([], memories, self._store, self._settings.graph)
            around = self._around(memories)
            again = self._read_with(memories_by_id(memories), around)
            views = self._views(again, {**self._around(again.values()), **around}, going)
            derived = self._derived(views, self._held(views))
            touched = self._links.remove(going)
            add, remove = self._links.changes(going)
            removed = [*change.remove, *remove]
            if erasing:
                removed = [edge for edge in removed if not going & {edge.source, edge.target}]
            lacking = [i for i, each in derived.items() if self._lacks(each)]
            self._store.put_derived(
                derived,
                [*change.add, *add],
                removed_edges=removed,
                keys=dict.fromkeys(going, ()),
                neighbours=self._links.near(touched | going),
                pending=[*going, *lacking],
            )
        return lacking

    def rebuild(self, *, progress: Progress | None = None) -> None:
        """Derive and relate every memory again."""
        self._links.start_anew()
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
            made = self._encoding.vectors(views)
            wanted = {(view.memory_id, view.ordinal) for view in self._encoding.encodable(views)}
            return [
                made.get(content(view)) if (view.memory_id, view.ordinal) in wanted else None
                for view in views
            ]

        with self._changing, self._store.writing():
            self._store.reencode(self._encoder.identity, encode, progress=progress)
            with self._change():
                self._links.renew()
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

    # Views and vectors

    def _around(self, memories: Iterable[Memory]) -> dict[str, Memory]:
        """Return the stored memories that may share an exchange with these."""
        keys = {key for memory in memories for key in keys_around(memory)}
        return memories_by_id(self._store.with_keys(keys)) if keys else {}

    def _read_with(
        self, memories: Mapping[str, Memory], around: Mapping[str, Memory]
    ) -> dict[str, Memory]:
        """Return other memories with words whose context views include any of these."""
        # Whatever has keys has words, and only what has keys is around.
        others = {i: memory for i, memory in around.items() if i not in memories}
        near = Around(memories.values())
        return {i: other for i, other in others.items() if companions(other, near.of(other))}

    def _views_around(self, new: Mapping[str, Memory]) -> dict[str, tuple[View, ...]]:
        """Return the views of new memories, and of those that are read together with them."""
        around = {**self._around(new.values()), **new}
        others = self._read_with(new, around)
        # Memories that are derived again need their whole exchange, not only the part around `new`.
        wider = {**self._around(others.values()), **around}
        return self._views({**new, **others}, wider)

    def _views(
        self,
        memories: Mapping[str, Memory],
        around: Mapping[str, Memory],
        without: Collection[str] = (),
    ) -> dict[str, tuple[View, ...]]:
        beside = Around(memory for memory in around.values() if memory.id not in without)
        views = self._settings.views
        return {i: views_of(memory, beside.of(memory), views) for i, memory in memories.items()}

    def _derived(
        self, views: Mapping[str, tuple[View, ...]], vectors: Mapping[Content, Vector]
    ) -> dict[str, Derived]:
        """Return views with their vectors, as far as there are any."""
        derived = {}
        for memory_id, each in views.items():
            wanted = {view.ordinal for view in self._encoding.encodable(each)}
            found = (vectors.get(content(v)) if v.ordinal in wanted else None for v in each)
            derived[memory_id] = Derived(each, tuple(found), self._encoder.identity)
        return derived

    def _held(self, memory_ids: Iterable[str]) -> dict[Content, Vector]:
        """Return the stored vectors of memories, by what they are vectors of."""
        ids = list(memory_ids)
        if not ids or self._store.encoder() != self._encoder.identity:
            return {}
        vectors = self._store.vectors(ids)
        return {
            content(view): vector
            for memory_id, views in self._store.views(ids).items()
            for view, vector in zip(views, vectors[memory_id], strict=True)
            if vector is not None
        }

    def _known(self, views: Iterable[View]) -> dict[Content, Vector]:
        """Return the vectors of those views whose words another memory has: newsletters, forms."""
        if self._store.encoder() != self._encoder.identity:
            return {}
        texts = {view.text for view in self._encoding.encodable(views) if view.kind not in PICTURES}
        return {(text, None, None): v for text, v in self._store.vectors_of_texts(texts).items()}

    def _lacks(self, derived: Derived) -> bool:
        """Return whether a view should have a vector and has none."""
        return any(
            derived.vectors[view.ordinal] is None
            for view in self._encoding.encodable(derived.views)
        )

    def _lacking(self, memory_ids: Iterable[str]) -> dict[str, list[View]]:
        """Return the views without vector of those memories that have words."""
        ids = list(self._store.keys(memory_ids, prefix=ID))
        vectors = self._store.vectors(ids)
        return {
            i: [
                view for view in self._encoding.encodable(views) if vectors[i][view.ordinal] is None
            ]
            for i, views in self._store.views(ids).items()
        }

    def _completed(
        self, memory_ids: Iterable[str], made: Mapping[Content, Vector]
    ) -> dict[str, Derived]:
        """Return those memories whose vectors are all here now, as they are stored at present."""
        lacking = self._lacking(memory_ids)
        whole = [
            i
            for i, views in lacking.items()
            if all(content(view) in made or view.kind in PICTURES for view in views)
        ]
        stored, views = self._store.vectors(whole), self._store.views(whole)
        complete = {}
        for memory_id in whole:
            vectors = list(stored[memory_id])
            for view in lacking[memory_id]:
                vectors[view.ordinal] = made.get(content(view))
            complete[memory_id] = Derived(views[memory_id], tuple(vectors), self._encoder.identity)
        return complete

    def _keys(self, new: Mapping[str, Memory], change: EdgeChange) -> dict[str, set[str]]:
        """Return everything under which memories are found: by relations, and by themselves."""
        return {i: {*change.keys.get(i, ()), *self._own_keys(m)} for i, m in new.items()}

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

    # Nearest neighbours, for the next writer

    def hand_over(self) -> KnownNeighbours | None:
        """Return the neighbours in memory for the next writer of this archive, or None."""
        return self._links.hand_over()

    def take_over(self, known: KnownNeighbours | None) -> None:
        """Reuse the neighbours of an earlier writer, unless the archive has changed since."""
        self._links.take_over(known)


def memories_by_id(memories: Iterable[Memory]) -> dict[str, Memory]:
    """Return memories by id."""
    return {memory.id: memory for memory in memories}
