"""What a store promises, whatever database is behind it.

Take the smallest protocol that will do: a function that only searches takes a `Search`.

Both stores pass one test suite and give the same results, order included. Times are compared as
moments, whatever their zone; ties in any order go to the lower memory id.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Self

from graphmemix.store.protocol_upkeep import Logs, Maintenance
from graphmemix.store.records import (
    Added,
    Box,
    DayCount,
    Derive,
    Derived,
    EncodeViews,
    Entry,
    Facets,
    Filter,
    Finding,
    Hit,
    Log,
    Neighbour,
    Outline,
    PersonCount,
    Progress,
    Receipt,
    Restored,
    Spot,
    Stats,
    Vector,
    Version,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import date

    from graphmemix.evidence import Edge
    from graphmemix.memory import Memory, View, ViewKind
    from graphmemix.store.media import MediaFolder

__all__ = [
    "Added",
    "Box",
    "Counts",
    "DayCount",
    "Derive",
    "Derived",
    "DerivedData",
    "EncodeViews",
    "Entry",
    "Facets",
    "Filter",
    "Finding",
    "Hit",
    "Log",
    "Logs",
    "Maintenance",
    "Memories",
    "Neighbour",
    "Outline",
    "PersonCount",
    "Progress",
    "Receipt",
    "Relations",
    "Restored",
    "Search",
    "Spot",
    "Stats",
    "Store",
    "Vector",
    "Version",
]


class Memories(Protocol):
    """Memories and their history."""

    def add(self, entries: Iterable[Entry], edges: Iterable[Edge] = ()) -> Added:
        """Store a batch with its views, vectors, postings and edges in one transaction.

        When this returns, all of it is on disk. Idempotent: an id that is there with the same
        content is left alone. Media must be in `media` before.

        Raises:
            DuplicateMemoryError: An id is there with other content.
            InvalidDataError: Names what cannot be stored; then nothing of the batch is.
        """

    def get(self, memory_id: str) -> Memory:
        """Return a memory, or raise `MemoryNotFoundError`."""

    def get_many(self, memory_ids: Iterable[str]) -> dict[str, Memory]:
        """Return those that are there."""

    def ids_starting(self, prefix: str, *, limit: int) -> list[str]:
        """Return ids that start with these characters, in order, at most so many."""

    def with_media(self, sha256: str) -> list[Memory]:
        """Return the memories whose current version has this file, lowest id first.

        Raises:
            InvalidDataError: This is no SHA-256 address.
        """

    def outlines(self, memory_ids: Iterable[str]) -> dict[str, Outline]:
        """Return the outlines of those that are there, in the order asked for.

        Equal to ``Outline.of`` of each memory, and much cheaper: what was read before is kept, and
        is returned again as long as the memory is still the same version.
        """

    def find(
        self, filter: Filter | None = None, *, limit: int | None = None, after: str | None = None
    ) -> list[Memory]:
        """Return memories by time, then id; those without a time last.

        Args:
            filter: Which ones; None for all.
            limit: How many at most.
            after: Continue behind the memory of this id (for pages).
        """

    def years(self) -> range:
        """Return the years, in UTC, from the earliest to the latest time of a memory."""

    def count(self, filter: Filter | None = None) -> int:
        """Return how many memories pass."""

    def passing(self, memory_ids: Iterable[str], filter: Filter) -> set[str]:
        """Return which of these memories pass."""

    def update(self, memory: Memory, derived: Derived | None = None) -> int:
        """Replace a memory, its views and vectors; return the new version's number.

        The old state stays in `history`; edges, keys and neighbours stay until they are replaced
        too. The same content again changes nothing.
        """

    def history(self, memory_id: str) -> tuple[Version, ...]:
        """Return all versions, oldest first; the current one is the last."""

    def every_version(self) -> Iterator[Version]:
        """Yield all versions of all memories, by id and number (for export)."""

    def restore(self, batch: Iterable[Restored]) -> Added:
        """Store memories with their whole history, as `history` returned it, in one transaction.

        Idempotent as `add` is.
        """


class DerivedData(Protocol):
    """Views and vectors: what is derived from memories, and can be made again."""

    def views(self, memory_ids: Iterable[str]) -> dict[str, tuple[View, ...]]:
        """Return the views of those that are there, in order."""

    def vectors(self, memory_ids: Iterable[str]) -> dict[str, tuple[Vector | None, ...]]:
        """Return the vectors of those that are there, by view, of the serving encoder."""

    def vectors_by_kind(
        self, memory_ids: Iterable[str]
    ) -> dict[str, tuple[tuple[ViewKind, Vector], ...]]:
        """Return the vectors of those that have any, with the kinds of their views, in order."""

    def graph_vectors(self) -> Iterator[tuple[str, Vector]]:
        """Yield the graph vector of every memory that has vectors.

        It is that of its first view with one; for a video the normalised mean of its frames.
        """

    def put_derived(
        self,
        derived: Mapping[str, Derived],
        edges: Iterable[Edge] = (),
        *,
        removed_edges: Iterable[Edge] = (),
        keys: Mapping[str, Iterable[str]] | None = None,
        neighbours: Mapping[str, Iterable[Neighbour]] | None = None,
        pending: Iterable[str] = (),
    ) -> None:
        """Replace what is derived from memories, in one transaction.

        Args:
            derived: Views, vectors and postings by memory id.
            edges: To add.
            removed_edges: To remove.
            keys: Under which relations find a memory again, by memory id.
            neighbours: The nearest others of a memory, by memory id.
            pending: Memories that wait for vectors: `without_vectors` names them from now on.
        """

    def put_vectors(
        self,
        vectors: Mapping[str, Sequence[Vector | None]],
        encoder: str,
        edges: Iterable[Edge] = (),
        *,
        removed_edges: Iterable[Edge] = (),
        neighbours: Mapping[str, Iterable[Neighbour]] | None = None,
    ) -> None:
        """Give the views of memories the vectors that they lack, in one transaction.

        From then on the memories do not wait any more.

        Args:
            vectors: By memory id, one (or None) per view; a vector that is there stays.
            encoder: The identity of the encoder that made them.
            edges: To add.
            removed_edges: To remove.
            neighbours: The nearest others of a memory, by memory id.
        """

    def without_vectors(self, *, limit: int | None = None) -> list[str]:
        """Return ids of memories that wait for vectors, newest first, then by id."""

    def without_words(self) -> list[str]:
        """Return those of them that have no views and keys either, lowest id first."""

    def waiting(self, memory_ids: Iterable[str]) -> set[str]:
        """Return which of these memories wait for vectors."""

    def count_without_vectors(self) -> int:
        """Return how many memories wait for vectors."""

    def vectors_of_texts(self, texts: Iterable[str]) -> dict[str, Vector]:
        """Return the vectors that views with just these words have; short texts are left out."""

    def encoder(self) -> str | None:
        """Return the identity of the encoder whose vectors are served; None if there are none."""

    def state(self) -> str:
        """Return a word that is another one after every change of views or vectors."""


class Relations(Protocol):
    """Edges between memories, and what `relate` finds them by."""

    def edges(
        self, memory_ids: Iterable[str], *, among: bool = False, relation: str | None = None
    ) -> list[Edge]:
        """Return the edges that touch any of these, ordered by (source, target, relation).

        Args:
            memory_ids: Of which memories.
            among: Only edges that have both ends here.
            relation: Of which relation; None for all.
        """

    def change_edges(self, *, add: Iterable[Edge] = (), remove: Iterable[Edge] = ()) -> None:
        """Add and remove edges in one transaction; adding again sets the confidence anew."""

    def keys(self, memory_ids: Iterable[str], *, prefix: str = "") -> dict[str, set[str]]:
        """Return the keys with this prefix of those memories that have any."""

    def key_names(self, prefix: str) -> list[str]:
        """Return all distinct keys with this prefix, without it, in order."""

    def key_days(self, prefix: str, *, most: int = 20_000) -> list[tuple[date, str]]:
        """Return each day, in UTC, of memories with keys of this prefix, with the key, in order.

        In an archive of more than `most` memories, one in so many is looked at, always the same.
        """

    def with_keys(self, keys: Iterable[str]) -> list[Memory]:
        """Return the memories that have any of these keys, lowest id first."""

    def speakers(self) -> list[str]:
        """Return everybody who wrote, said or took something."""

    def neighbours(self) -> dict[str, list[Neighbour]]:
        """Return the nearest others of every memory that has any, nearest first."""


class Search(Protocol):
    """Exact search by vectors and by words."""

    def search_vectors(
        self,
        query: Vector,
        encoder: str,
        *,
        limit: int = 200,
        filter: Filter | None = None,
        kinds: Sequence[ViewKind] | None = None,
    ) -> list[Hit]:
        """Return the memories whose best view is nearest by cosine; exact, best first.

        Raises:
            EncoderMismatchError: The archive is encoded with another encoder.
            InvalidDataError: The query is not a finite unit vector of the right dimension.
        """

    def search_text(
        self,
        query: str,
        *,
        limit: int = 200,
        filter: Filter | None = None,
        kinds: Sequence[ViewKind] | None = None,
    ) -> list[Hit]:
        """Return the memories whose best view matches the words best (BM25), best first."""

    def text_ceiling(self, query: str, *, kinds: Sequence[ViewKind] | None = None) -> float:
        """Return the BM25 of a memory that would hold every word of a query many times."""

    def fetch(self, wanted: Facets, *, limit: int = 200, filter: Filter | None = None) -> list[str]:
        """Return ids of memories that satisfy facets, by time, then id; no words, no vectors.

        Of more than `limit`, those come that an index holds first; the same in both stores.
        """

    def score_vectors(
        self,
        query: Vector,
        encoder: str,
        memory_ids: Iterable[str],
        *,
        kinds: Sequence[ViewKind] | None = None,
    ) -> dict[str, float]:
        """Return the score that `search_vectors` would give to these memories."""

    def score_text(
        self,
        query: str,
        memory_ids: Iterable[str],
        *,
        kinds: Sequence[ViewKind] | None = None,
    ) -> dict[str, float]:
        """Return the score that `search_text` would give to these memories, if it is not 0."""


class Counts(Protocol):
    """How many memories there are, without reading them. Cost: one walk through their columns."""

    def days(self, filter: Filter | None = None) -> list[DayCount]:
        """Return how many memories of each kind each day has, in UTC, in order."""

    def people(self, filter: Filter | None = None, *, limit: int = 100) -> list[PersonCount]:
        """Return who wrote, said or took most, and how much; equal ones by name."""

    def spots(self, filter: Filter | None = None) -> list[Spot]:
        """Return the coordinates that memories have, in order, each with one of its memories."""


class Store(Memories, DerivedData, Relations, Search, Counts, Logs, Maintenance, Protocol):
    """One archive. Use as a context manager; writing needs the archive's one writer handle."""

    name: str
    """The archive in messages: its folder, or its name in a database."""

    media: MediaFolder

    def __enter__(self) -> Self: ...
    def __exit__(self, *exception: object) -> None: ...
    def close(self) -> None:
        """Release everything. Closing twice is harmless."""

    def take_caches_of(self, other: Store) -> None:
        """Continue with what another handle of this archive has computed for searching."""

    def writing(self, wait: float | None = None) -> AbstractContextManager[object]:
        """Be the archive's one writer inside, for changes of several transactions.

        Opened in mode ``write``, the store is the writer all the time; in mode ``shared``, inside
        this context and inside every single change.

        Args:
            wait: Seconds to wait for another writer; None for those that the store was opened with.

        Raises:
            ArchiveBusyError: Another process is still writing.
        """

    def snapshot(self) -> AbstractContextManager[object]:
        """Inside, every read of this thread sees one and the same state."""
