"""The optimal forest of a pseudoforest, in polynomial time (METHOD section 5, method `exact`).

Each candidate keeps at most one trusted link, to its best anchor, so every component of the trusted
graph has at most one cycle: the graph is a pseudoforest. Leaves are folded into their only
neighbour until trees have shrunk to one node and the rest to their bare cycles. A node carries two
tables, indexed by the number of memories taken in its subtree: the best with the node itself taken
(`inn`) and the best without it (`out`). Cycles are walked once, components merged at the end.

Guarantee: the optimum, and among equals the set that the tie rule of `optimize.problem` names.
Cost: O(M K) for the trees and O(L K^2) for a cycle of length L; docs/optimality.md has the proof.

A table cell is one whole number: the gain in its high bits and the chosen set in its low ``M``
bits, candidate 0 highest. Adding cells adds gains and unites disjoint sets, and comparing cells
compares gains and then, for sets of equal size, prefers lower candidate indices. So the best cell
*is* the solution: no pointers to trace back, and no ties left to chance.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import accumulate, pairwise
from operator import add, ge, sub
from typing import TypeAlias

from graphmemix.optimize import milp
from graphmemix.optimize.problem import Cardinality, Gains, Problem, Solution

Table: TypeAlias = list[int]


def solve(problem: Problem, cardinality: Cardinality) -> Solution:
    """Return the optimal forest; by MILP if the graph is not a pseudoforest.

    Raises:
        MissingExtraError: The graph is not a pseudoforest and the extra ``milp`` is not installed.
    """
    gains = Gains(problem)
    table = _Folding(gains).table()
    if table is None:
        return milp.solve(problem, cardinality)
    if cardinality == "exactly":
        best = table[gains.budget]
    else:  # `max` keeps the first of equals: the fewest memories
        best = max(table[1:], key=lambda cell: cell >> gains.size)
    chosen = [i for i in range(gains.size) if best >> (gains.size - 1 - i) & 1]
    return gains.solution(chosen, proven_optimal=True, method="exact")


class _Folding:
    """Folds a pseudoforest into one table: the best cell for every number of memories."""

    def __init__(self, gains: Gains) -> None:
        self.budget = gains.budget
        self.shift = gains.size
        # Lower than any sum of cells, and still so after other cells are added to it.
        bound = 1 + sum(map(abs, gains.nodes)) + sum(link.gain for link in gains.links)
        self.never = -(4 * bound << self.shift)
        self.cell = [
            (gain << self.shift) + (1 << (self.shift - 1 - i)) for i, gain in enumerate(gains.nodes)
        ]
        self.neighbours: defaultdict[int, dict[int, int]] = defaultdict(dict)
        for link in gains.links:
            gain = link.gain << self.shift
            self.neighbours[link.anchor][link.candidate] = gain
            self.neighbours[link.candidate][link.anchor] = gain
        # Leaves wait here, by parent, as cells with and without the link; a sorted prefix sum
        # takes the best j of them at once. Larger subtrees are merged by convolution.
        self.leaves_in: defaultdict[int, Table] = defaultdict(list)
        self.leaves_out: defaultdict[int, Table] = defaultdict(list)
        self.subtrees: defaultdict[int, list[tuple[Table, Table]]] = defaultdict(list)

    def table(self) -> Table | None:
        """Return the best cell by number of memories, or None if this is not a pseudoforest."""
        roots, cycles = self._fold_leaves(), self._cycles()
        if cycles is None:
            return None
        components = [self._cycle_table(cycle) for cycle in cycles]
        components += [_either(*self._tables(root)) for root in roots]
        steps = [cell for node, cell in enumerate(self.cell) if node not in self.neighbours]
        # Components with falling steps need no convolution: the best k steps of all of them
        # together are the best k memories (their max-plus convolution is a merge of sorted lists).
        uneven = []
        for component in components:
            rises = list(map(sub, component[1:], component))
            if all(map(ge, rises, rises[1:])):
                steps += rises
            else:
                uneven.append(component)
        total = self._prefix_sums(0, steps)
        for component in uneven:
            total = self._merged(total, component)
        return total

    def _fold_leaves(self) -> list[int]:
        """Fold every leaf into its neighbour, repeatedly; return the roots that remain alone."""
        neighbours = self.neighbours
        roots = []
        queue = [node for node, around in neighbours.items() if len(around) == 1]
        for leaf in queue:
            if not neighbours[leaf]:  # its only neighbour was folded into it
                roots.append(leaf)
                continue
            parent, gain = neighbours[leaf].popitem()
            del neighbours[parent][leaf]
            if leaf in self.leaves_in or leaf in self.subtrees:
                inn, out = self._tables(leaf)
                linked = _either([cell + gain for cell in inn], out)
                self.subtrees[parent].append((linked, _either(inn, out)))
            else:
                self.leaves_in[parent].append(self.cell[leaf] + gain)
                self.leaves_out[parent].append(self.cell[leaf])
            if len(neighbours[parent]) == 1:
                queue.append(parent)
        return roots

    def _tables(self, node: int) -> tuple[Table, Table]:
        """Return the tables of the folded subtree of `node`: with it, and without it."""
        taken = self._prefix_sums(self.cell[node], self.leaves_in[node])
        inn = [self.never, *taken[: self.budget]]
        out = self._prefix_sums(0, self.leaves_out[node])
        for linked, unlinked in self.subtrees[node]:
            inn = self._merged(inn, linked)
            out = self._merged(out, unlinked)
        return inn, out

    def _prefix_sums(self, first: int, cells: Table) -> Table:
        best = sorted(cells, reverse=True)[: self.budget]
        return list(accumulate(best, initial=first))

    def _merged(self, left: Table, right: Table) -> Table:
        """Max-plus convolution, cut at the budget."""
        flipped = right[::-1]
        top, last = len(left), len(right) - 1
        merged = []
        for k in range(min(top + last, self.budget + 1)):
            low = k - last if k > last else 0
            merged.append(max(map(add, left[low : k + 1], flipped[last - k + low :])))
        return merged

    def _cycles(self) -> list[list[int]] | None:
        """Return the cycles that remain after folding, each in order; None if others remain."""
        unseen = {node: None for node, around in self.neighbours.items() if around}
        if any(len(self.neighbours[node]) != 2 for node in unseen):
            return None
        cycles = []
        while unseen:
            onward: list[int] = [next(iter(unseen))]
            cycle = []
            while onward:
                cycle.append(onward[0])
                del unseen[onward[0]]
                onward = [node for node in self.neighbours[onward[0]] if node in unseen]
            cycles.append(cycle)
        return cycles

    def _cycle_table(self, cycle: list[int]) -> Table:
        """Walk a cycle once, remembering of its start only whether it was taken.

        The walk begins behind the link of least gain. That link counts only if both its ends are
        taken and some node between them is not: with the whole cycle taken, Kruskal drops it.
        """
        links = [self.neighbours[node][cycle[i - 1]] for i, node in enumerate(cycle)]
        start = links.index(min(links))
        closing = links[start]
        order = cycle[start:] + cycle[:start]
        inn, out = self._tables(order[0])
        nothing = [self.never]
        # With the start taken: all taken so far; a gap behind us; a gap at this node.
        whole, broken, gap = inn, nothing, nothing
        # Without the start: this node taken; not taken.
        other_in, other_out = nothing, out
        for previous, node in pairwise(order):
            gain = self.neighbours[node][previous]
            inn, out = self._tables(node)
            before, without_start = _either(whole, broken, gap), _either(other_in, other_out)
            broken = self._merged(_either([c + gain for c in broken], gap), inn)
            gap = self._merged(before, out)
            whole = self._merged([c + gain for c in whole], inn)
            other_in = self._merged(_either([c + gain for c in other_in], other_out), inn)
            other_out = self._merged(without_start, out)
        return _either(whole, [c + closing for c in broken], gap, other_in, other_out)


def _either(*tables: Table) -> Table:
    """Return the better cell of each size; a shorter table has none beyond its end."""
    longest = sorted(tables, key=len)
    best = longest.pop()
    for table in longest:
        best = [*map(max, best, table), *best[len(table) :]]
    return best
