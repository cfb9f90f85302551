"""What relations ask of a store, and what they tell it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from graphmemix.evidence import Edge, Relation
    from graphmemix.memory import Memory
    from graphmemix.relate.after import After

Pair: TypeAlias = tuple[str, str]
"""Two memories by id, the lower first."""


class Lookup(Protocol):
    """The memories, keys and edges that are stored."""

    def with_keys(self, keys: Collection[str]) -> list[Memory]:
        """Return the memories that have any of these keys."""

    def edges(self, memory_ids: Collection[str]) -> list[Edge]:
        """Return the edges that touch any of these memories."""


@dataclass(frozen=True)
class EdgeChange:
    """What a change of memories means for the schema edges.

    Attributes:
        add: Edges to store, by relation and ids.
        remove: Edges to take out, in the same order. No edge is in both.
        keys: For each changed memory all the keys under which it is found from now on. They
            replace the old ones; those of a memory that is gone go with it.
    """

    add: tuple[Edge, ...] = ()
    remove: tuple[Edge, ...] = ()
    keys: Mapping[str, frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class PairChange:
    """The same for one relation."""

    add: frozenset[Pair] = frozenset()
    remove: frozenset[Pair] = frozenset()


class SchemaRelation(Protocol):
    """One relation of METHOD section 2, under given settings."""

    @property
    def name(self) -> Relation:
        """What its edges are called."""

    def keys(self, memory: Memory) -> Iterable[str]:
        """Return the keys under which this relation finds the memory again."""

    def change(self, after: After) -> PairChange:
        """Return what turns the stored edges into those that hold after the change."""
