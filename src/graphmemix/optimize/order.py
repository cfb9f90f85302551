"""The serialisation order of a forest (METHOD section 6): root first, then breadth-first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Link: TypeAlias = tuple[int, int, float]


@dataclass(frozen=True)
class Tree:
    """One component of the forest.

    Attributes:
        nodes: The root, then the others breadth-first; siblings by falling prize, then lower index.
        parents: The parent of each of `nodes`; None for the root.
    """

    nodes: tuple[int, ...]
    parents: tuple[int | None, ...]

    @property
    def root(self) -> int:
        """The node of highest prize."""
        return self.nodes[0]


def arrange(
    nodes: Iterable[int], links: Iterable[Link], prizes: Sequence[float]
) -> tuple[Tree, ...]:
    """Return the trees of a forest by falling prize of their roots.

    Ties between prizes go to the lower candidate index, which is the retrieval order. Costs
    O(n log n).
    """
    around: dict[int, list[int]] = {node: [] for node in nodes}
    for a, b, _ in links:
        around[a].append(b)
        around[b].append(a)

    def rank(node: int) -> tuple[float, int]:
        return (-prizes[node], node)

    trees = []
    placed: set[int] = set()
    for root in sorted(around, key=rank):  # the best node not yet placed is the root of its tree
        if root in placed:
            continue
        order = [root]
        parents: list[int | None] = [None]
        placed.add(root)
        for node in order:
            for child in sorted(around[node], key=rank):
                if child not in placed:
                    placed.add(child)
                    order.append(child)
                    parents.append(node)
        trees.append(Tree(tuple(order), tuple(parents)))
    return tuple(trees)
