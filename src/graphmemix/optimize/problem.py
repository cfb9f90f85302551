"""The forest problem (METHOD eq. 10 to 13), its solution, and the grid on which gains are compared.

For a node set ``S`` and an acyclic edge set ``F`` on it, the objective is::

    sum over S of (p_i - kappa)  +  sum over F of B_e,
    B_e = kappa - lambda * c_e,  c_e = -ln w_e

because a forest has ``m = |S| - |F|`` components and each costs ``kappa``.

Floating-point sums depend on the order of their terms, so two sets of equal value may differ in the
last bit, which would make ties arbitrary. Solvers therefore add and compare gains as whole numbers
of `GRID` (1e-12). On that grid sums are exact, and every solver breaks ties the same way: fewer
memories first, then the set whose sorted indices are lexicographically smallest ("lower candidate
index").
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from graphmemix.errors import InvalidProblemError

if TYPE_CHECKING:
    from collections.abc import Sequence

Cardinality: TypeAlias = Literal["at_most", "exactly"]
TrustedEdge: TypeAlias = tuple[int, int, float]

GRID = 1e-12
"""One unit of gain: far below any meaningful difference, far above rounding noise."""

_UNITS = 10**12
_LARGEST = 1e100  # sums of such numbers are still far from the largest float
_EXACT_BELOW = 1e3  # below, `x * 1e12` rounds to the nearest unit; above, fractions keep it exact


def on_grid(value: float) -> int:
    """Return `value` in whole units of `GRID`, rounded to nearest."""
    if -_EXACT_BELOW < value < _EXACT_BELOW:
        return round(value * _UNITS)
    return round(Fraction(value) * _UNITS)


@dataclass(frozen=True)
class Problem:
    """Choose at most (or exactly) `budget` memories and the links that hold them together.

    Attributes:
        prizes: ``p_i``, the utility of each candidate; any number up to 1e100.
        edges: Trusted links ``(anchor, candidate, weight)`` with weight in (0, 1]. Between the same
            two candidates the best one counts.
        budget: ``K``, at least 1.
        opening_cost: ``kappa``, the price of one component of the forest, not negative.
        edge_cost_weight: ``lambda``, the price of one unit of ``-ln w``, not negative.

    Raises:
        InvalidProblemError: Names the first invalid item.
    """

    prizes: tuple[float, ...]
    edges: tuple[TrustedEdge, ...]
    budget: int
    opening_cost: float
    edge_cost_weight: float

    def __post_init__(self) -> None:
        for name in ("prizes", "edges"):
            if not isinstance(getattr(self, name), Iterable):
                raise InvalidProblemError(name, f"must be a sequence, not {getattr(self, name)!r}")
        object.__setattr__(self, "prizes", _checked_prizes(self.prizes))
        object.__setattr__(self, "edges", _checked_edges(self.edges, len(self.prizes)))
        if _whole_number(self.budget) is None or self.budget < 1:
            raise InvalidProblemError("budget", f"must be a whole number >= 1, not {self.budget!r}")
        object.__setattr__(self, "budget", int(self.budget))
        for name in ("opening_cost", "edge_cost_weight"):
            cost = _finite(getattr(self, name))
            if cost is None or cost < 0:
                given = getattr(self, name)
                raise InvalidProblemError(
                    name, f"must be a finite number >= 0 (at most 1e100), not {given!r}"
                )
            object.__setattr__(self, name, cost)

    def edge_gain(self, weight: float) -> float:
        """Return ``B_e``: what a link of this weight saves over opening another component."""
        return self.opening_cost + self.edge_cost_weight * math.log(weight)

    def objective(self, nodes: Iterable[int], edges: Iterable[TrustedEdge]) -> float:
        """Return the objective of a forest, summed without intermediate rounding."""
        gains = [self.prizes[node] - self.opening_cost for node in nodes]
        return math.fsum([*gains, *(self.edge_gain(weight) for _, _, weight in edges)])

    def restricted_to(self, nodes: Sequence[int], *, opening_cost: float) -> Problem:
        """Return the problem on `nodes` alone; node ``nodes[r]`` becomes node ``r``."""
        rank = {node: r for r, node in enumerate(nodes)}
        inside = [(rank[a], rank[c], w) for a, c, w in self.edges if a in rank and c in rank]
        return Problem(
            prizes=tuple(self.prizes[node] for node in nodes),
            edges=tuple(inside),
            budget=self.budget,
            opening_cost=opening_cost,
            edge_cost_weight=self.edge_cost_weight,
        )


@dataclass(frozen=True)
class Solution:
    """A forest.

    Attributes:
        nodes: The chosen candidates, ascending.
        edges: The links of the forest, as they stand in the problem, in Kruskal's order.
        objective: Its value (METHOD eq. 12).
        proven_optimal: Whether no better forest exists (for `method` "milp": to solver tolerance).
        method: The solver that ran. `exact` hands graphs that are not pseudoforests to "milp".
    """

    nodes: tuple[int, ...]
    edges: tuple[TrustedEdge, ...]
    objective: float
    proven_optimal: bool
    method: str


class Link(NamedTuple):
    """A useful link: its gain is positive, and it is the best between its two ends."""

    gain: int
    anchor: int
    candidate: int
    weight: float


class Gains:
    """A problem on the grid: whole-number gains, and the links in Kruskal's order.

    Attributes:
        size: ``M``.
        budget: ``min(K, M)``.
        nodes: ``p_i - kappa`` in grid units.
        links: Links of positive gain, one per pair, by falling gain, then lower anchor, then lower
            candidate.
    """

    __slots__ = ("budget", "links", "nodes", "problem", "size")

    def __init__(self, problem: Problem) -> None:
        opening = on_grid(problem.opening_cost)
        self.problem = problem
        self.size = len(problem.prizes)
        self.budget = min(problem.budget, self.size)
        self.nodes = [on_grid(prize) - opening for prize in problem.prizes]
        best: dict[tuple[int, int], Link] = {}
        for anchor, candidate, weight in problem.edges:
            gain = opening + on_grid(problem.edge_cost_weight * math.log(weight))
            if gain <= 0:  # never better than opening a component, so Kruskal never takes it
                continue
            link = Link(gain, anchor, candidate, weight)
            ends = (anchor, candidate) if anchor < candidate else (candidate, anchor)
            other = best.get(ends)
            if other is None or _kruskal_order(link) < _kruskal_order(other):
                best[ends] = link
        self.links = sorted(best.values(), key=_kruskal_order)

    def forest(self, nodes: Iterable[int]) -> list[Link]:
        """Return the best forest on `nodes`: Kruskal over the links of positive gain."""
        parent = {node: node for node in nodes}
        taken = []
        for link in self.links:
            _, anchor, candidate, _ = link
            if anchor in parent and candidate in parent:
                a, b = _find(parent, anchor), _find(parent, candidate)
                if a != b:
                    parent[a] = b
                    taken.append(link)
        return taken

    def value(self, nodes: Sequence[int]) -> int:
        """Return the objective of the best forest on `nodes`, in grid units."""
        return sum([self.nodes[i] for i in nodes]) + sum([x.gain for x in self.forest(nodes)])

    def solution(self, nodes: Iterable[int], *, proven_optimal: bool, method: str) -> Solution:
        """Return the best forest on `nodes` as a `Solution`."""
        chosen = tuple(sorted(nodes))
        edges = tuple((x.anchor, x.candidate, x.weight) for x in self.forest(chosen))
        return Solution(
            nodes=chosen,
            edges=edges,
            objective=self.problem.objective(chosen, edges),
            proven_optimal=proven_optimal,
            method=method,
        )


def _kruskal_order(link: Link) -> tuple[int, int, int, float]:
    return (-link.gain, link.anchor, link.candidate, -link.weight)


def _find(parent: dict[int, int], node: int) -> int:
    while parent[node] != node:
        parent[node] = node = parent[parent[node]]
    return node


def _finite(value: object) -> float | None:
    """Return a number that is safe to sum, or None. Accepts numpy's numbers."""
    if type(value) is not float:  # the usual case, and this is a hot path
        if isinstance(value, bool) or not isinstance(value, (Real, Decimal)):
            return None
        try:
            value = float(value)
        except OverflowError:
            return None
    return value if -_LARGEST <= value <= _LARGEST else None  # NaN is not within either


def _whole_number(value: object) -> int | None:
    if type(value) is int:  # not bool, which is an int too
        return value
    try:
        return None if isinstance(value, bool) else value.__index__()  # type: ignore[attr-defined]
    except (AttributeError, TypeError):
        return None


def _checked_prizes(prizes: Iterable[object]) -> tuple[float, ...]:
    checked = []
    for i, prize in enumerate(prizes):
        number = _finite(prize)
        if number is None:
            raise InvalidProblemError(
                f"prizes[{i}]", f"must be a finite number (at most 1e100), not {prize!r}"
            )
        checked.append(number)
    if not checked:
        raise InvalidProblemError("prizes", "must not be empty")
    return tuple(checked)


def _checked_edges(edges: Iterable[Iterable[object]], size: int) -> tuple[TrustedEdge, ...]:
    checked = []
    for e, edge in enumerate(edges):
        item = f"edges[{e}]"
        try:
            raw_anchor, raw_candidate, raw_weight = edge
        except (TypeError, ValueError):
            reason = f"must be (anchor, candidate, weight), not {edge!r}"
            raise InvalidProblemError(item, reason) from None
        anchor = _checked_index(raw_anchor, size, item, "anchor")
        candidate = _checked_index(raw_candidate, size, item, "candidate")
        if anchor == candidate:
            raise InvalidProblemError(item, f"memory {anchor} cannot support itself")
        weight = _finite(raw_weight)
        if weight is None or not 0 < weight <= 1:
            raise InvalidProblemError(item, f"weight must be in (0, 1], not {raw_weight!r}")
        checked.append((anchor, candidate, weight))
    return tuple(checked)


def _checked_index(raw: object, size: int, item: str, name: str) -> int:
    index = _whole_number(raw)
    if index is None or not 0 <= index < size:
        raise InvalidProblemError(item, f"{name} must be an index in [0, {size}), not {raw!r}")
    return index


def by_rank(problem: Problem, nodes: list[int] | tuple[int, ...]) -> list[int]:
    """Return `nodes` in proposal order: falling prize, then lower candidate index."""
    return sorted(nodes, key=lambda node: (-on_grid(problem.prizes[node]), node))


def top_k(gains: Gains) -> list[int]:
    """Return the K candidates of highest prize, in index order."""
    return sorted(by_rank(gains.problem, list(range(gains.size)))[: gains.budget])
