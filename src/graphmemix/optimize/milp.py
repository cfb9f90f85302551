"""The forest problem on any graph, as a mixed-integer programme for HiGHS (extra ``milp``).

Variables: ``y_i`` (memory taken) and ``x_e`` (link taken), all 0 or 1. A link needs both its ends,
and a taken link set has no cycle: for every node set C and every k in C,
``x(E[C]) <= y(C) - y_k``. There are exponentially many of these, so they are added when a solution
breaks one, and the programme is solved again.

Guarantee: optimal to solver tolerance (sets whose gains differ by less than about 1e-7 of the
largest gain may be taken for equals), ties by the rule of `optimize.problem`. Cost: exponential at
worst; it is the oracle of the tests and the way out for graphs that are not pseudoforests, such as
the fixed-edge variant.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from graphmemix.errors import GraphMemixError, MissingExtraError
from graphmemix.optimize.problem import Cardinality, Gains, Problem, Solution

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

# HiGHS stops when bound and value are within 1e-6, so gains are scaled up before.
_LARGEST_COEFFICIENT = 1e6
_INFEASIBLE = 2  # scipy's status


def solve(problem: Problem, cardinality: Cardinality) -> Solution:
    """Return the optimal forest of any graph.

    Raises:
        MissingExtraError: scipy is not installed.
    """
    gains = Gains(problem)
    chosen = _Programme(gains, cardinality).optimum()
    return gains.solution(chosen, proven_optimal=True, method="milp")


@dataclass
class _Constraint:
    """``low <= coefficients . variables <= high``."""

    coefficients: dict[int, float]
    low: float = -np.inf
    high: float = np.inf


@dataclass
class _Programme:
    gains: Gains
    cardinality: Cardinality
    rows: list[_Constraint] = field(
        default_factory=list
    )  # the first one limits the size of the set

    def __post_init__(self) -> None:
        size, budget = self.gains.size, self.gains.budget
        self.links = [
            (size + e, link.anchor, link.candidate) for e, link in enumerate(self.gains.links)
        ]
        gain = np.array(self.gains.nodes + [link.gain for link in self.gains.links], dtype=float)
        self.objective = gain * (_LARGEST_COEFFICIENT / (np.abs(gain).max() or 1.0))
        self.bounds = [(0, 1)] * len(gain)
        fewest = budget if self.cardinality == "exactly" else 1
        self.rows.append(_Constraint(dict.fromkeys(range(size), 1.0), low=fewest, high=budget))
        for x, anchor, candidate in self.links:
            self.rows.append(_Constraint({x: 1.0, anchor: -1.0}, high=0.0))
            self.rows.append(_Constraint({x: 1.0, candidate: -1.0}, high=0.0))
        if self.links:  # a forest on a non-empty set has fewer links than memories
            forest = {x: 1.0 for x, _, _ in self.links} | dict.fromkeys(range(size), -1.0)
            self.rows.append(_Constraint(forest, high=-1.0))

    def optimum(self) -> list[int]:
        """Return the optimal set: best gain, then fewest memories, then lowest indices.

        HiGHS only maximises the gain. Ties are decided by the gain in whole grid units, so that
        solver tolerance cannot turn a worse set into a tie.
        """
        best = self._solve()
        while smaller := self._as_good(best, most=len(best) - 1):  # too few are infeasible
            best = smaller
        self.rows[0].low = self.rows[0].high = len(best)
        if self._is_unique(best):
            return best
        # With this size fixed, decide one index after another: taken if any optimum takes it.
        for index in range(self.gains.size):
            if index not in best:
                self.bounds[index] = (1, 1)
                best = self._as_good(best, most=len(best)) or best
            taken = int(index in best)
            self.bounds[index] = (taken, taken)
            if sum(low for low, _ in self.bounds[: self.gains.size]) == len(best):
                break
        return best

    def _is_unique(self, best: list[int]) -> bool:
        """Return whether no other set of this size is as good.

        The constraint that excludes `best` stays: later searches force an index that is not in it.
        """
        self.rows.append(_Constraint(dict.fromkeys(best, 1.0), high=len(best) - 1))
        return self._as_good(best, most=len(best)) is None

    def _as_good(self, best: list[int], most: int) -> list[int] | None:
        """Return an optimum of at most `most` memories within the bounds, if there is one."""
        kept = self.rows[0].high
        self.rows[0].high = min(kept, most)
        try:
            found = self._solve()
        except _InfeasibleError:
            return None
        finally:
            self.rows[0].high = kept
        return found if self.gains.value(found) >= self.gains.value(best) else None

    def _solve(self) -> list[int]:
        """Maximise the gain, adding cycle rows until the links form a forest."""
        while True:
            taken = _highs(self.objective, self.rows, self.bounds)
            chosen = [i for i in range(self.gains.size) if taken[i]]
            links = [(a, c) for x, a, c in self.links if taken[x]]
            cycles = _cyclic_components(chosen, links)
            if not cycles:
                return chosen
            for cycle in cycles:
                self._forbid_cycles_on(cycle)

    def _forbid_cycles_on(self, nodes: set[int]) -> None:
        inside = {x: 1.0 for x, a, c in self.links if a in nodes and c in nodes}
        for spared in nodes:
            others = dict.fromkeys(nodes - {spared}, -1.0)
            self.rows.append(_Constraint(inside | others, high=0.0))


class _InfeasibleError(Exception):
    """No set obeys all rows; caught in this module."""


def _highs(
    objective: NDArray[np.float64], rows: Sequence[_Constraint], bounds: Sequence[tuple[int, int]]
) -> NDArray[np.bool_]:
    try:
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_array
    except ImportError as error:
        raise MissingExtraError("milp", "A trusted graph that is not a pseudoforest") from error
    entries = [(r, j, v) for r, row in enumerate(rows) for j, v in row.coefficients.items()]
    at, columns, values = (np.array(part) for part in zip(*entries, strict=True))
    matrix = csr_array((values, (at, columns)), shape=(len(rows), len(objective)))
    constraint = LinearConstraint(matrix, [row.low for row in rows], [row.high for row in rows])
    result: Any = milp(
        -objective,
        integrality=np.ones(len(objective)),
        bounds=Bounds([low for low, _ in bounds], [high for _, high in bounds]),
        constraints=constraint,
        options={"mip_rel_gap": 0.0},
    )
    if result.status == _INFEASIBLE:
        raise _InfeasibleError
    if result.x is None:
        raise GraphMemixError(f"HiGHS found no forest: {result.message}")
    taken: NDArray[np.bool_] = result.x > 0.5
    return taken


def _cyclic_components(nodes: Sequence[int], links: Sequence[tuple[int, int]]) -> list[set[int]]:
    """Return the node sets of the 2-cores: what is left of each component without its leaves."""
    around: dict[int, set[int]] = {node: set() for node in nodes}
    for a, b in links:
        around[a].add(b)
        around[b].add(a)
    leaves = [node for node, others in around.items() if len(others) == 1]
    for leaf in leaves:
        for other in around.pop(leaf):
            around[other].discard(leaf)
            if len(around[other]) == 1:
                leaves.append(other)
    cores, unseen = [], {node for node, others in around.items() if others}
    while unseen:
        core, frontier = set(), [unseen.pop()]
        while frontier:
            node = frontier.pop()
            core.add(node)
            frontier += around[node] & unseen
            unseen -= around[node]
        cores.append(core)
    return cores
