"""Slow and plain answers to the forest problem, and problems to ask.

Written from METHOD section 5 alone. Nothing here shares code or ideas with the solvers: node sets
are enumerated, cycles are found by relabelling components, and all sums are whole numbers of
`GRID`, so that a tie is a tie.
"""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction
from itertools import chain, combinations, product
from typing import TYPE_CHECKING, NamedTuple

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from graphmemix.optimize.problem import GRID, Cardinality, Problem, TrustedEdge

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable, Iterator, Sequence

SETTINGS = settings(
    max_examples=2 * settings().max_examples,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
FEW = settings(SETTINGS, max_examples=settings().max_examples)  # where each example runs HiGHS

UNITS = round(1 / GRID)


def units(value: float) -> int:
    return round(Fraction(value) * UNITS)


def forest_problem(
    prizes: Sequence[float],
    edges: Sequence[TrustedEdge] = (),
    budget: int = 10,
    opening_cost: float = 0.2,
    edge_cost_weight: float = 0.1,
) -> Problem:
    """A problem with the published constants of stage 1, except where said otherwise."""
    return Problem(tuple(prizes), tuple(edges), budget, opening_cost, edge_cost_weight)


class Edge(NamedTuple):
    gain: int
    anchor: int
    candidate: int
    weight: float


class Priced(NamedTuple):
    """A problem in whole units: p_i - kappa per node, B_e per edge, edges in Kruskal's order."""

    nodes: list[int]
    edges: list[Edge]
    sizes: dict[Cardinality, range]


def priced(problem: Problem) -> Priced:
    kappa = units(problem.opening_cost)
    edges = [
        Edge(kappa - units(-problem.edge_cost_weight * math.log(w)), a, c, w)
        for a, c, w in problem.edges
    ]
    most = min(problem.budget, len(problem.prizes))
    return Priced(
        nodes=[units(prize) - kappa for prize in problem.prizes],
        edges=sorted(edges, key=lambda e: (-e.gain, e.anchor, e.candidate, -e.weight)),
        sizes={"at_most": range(1, most + 1), "exactly": range(most, most + 1)},
    )


def kruskal(edges: Sequence[Edge], nodes: Iterable[int]) -> list[Edge]:
    component = {node: node for node in nodes}
    forest = []
    for edge in edges:
        a, c = component.get(edge.anchor), component.get(edge.candidate)
        if edge.gain > 0 and a is not None and c is not None and a != c:
            forest.append(edge)
            component = {node: a if old == c else old for node, old in component.items()}
    return forest


def worth(p: Priced, nodes: Iterable[int]) -> int:
    nodes = tuple(nodes)
    return sum(p.nodes[i] for i in nodes) + sum(e.gain for e in kruskal(p.edges, nodes))


def acyclic(edges: Iterable[Edge]) -> bool:
    parts: list[set[int]] = []
    for edge in edges:
        ends = {edge.anchor, edge.candidate}
        if any(ends <= part for part in parts):
            return False
        touched = [part for part in parts if ends & part]
        parts = [part for part in parts if not ends & part] + [ends.union(*touched)]
    return True


def subsets(items: Sequence[int], sizes: Iterable[int]) -> Iterator[tuple[int, ...]]:
    return chain.from_iterable(combinations(items, size) for size in sizes)


def best_links_by_enumeration(p: Priced, nodes: Iterable[int]) -> int:
    """The best total gain of any acyclic edge set on `nodes`, all of them tried."""
    inside = set(nodes)
    edges = [e for e in p.edges if e.anchor in inside and e.candidate in inside]
    choices = chain.from_iterable(combinations(edges, n) for n in range(len(edges) + 1))
    return max(sum(e.gain for e in chosen) for chosen in choices if acyclic(chosen))


class Answer(NamedTuple):
    nodes: tuple[int, ...]
    edges: tuple[TrustedEdge, ...]
    objective: float
    unique: bool = True  # whether no other allowed set is worth as much
    swaps: tuple[tuple[int, int], ...] = ()  # (removed, added)


def _answer(p: Priced, nodes: Iterable[int], **rest: object) -> Answer:
    nodes = tuple(sorted(nodes))
    edges = tuple((e.anchor, e.candidate, e.weight) for e in kruskal(p.edges, nodes))
    return Answer(nodes, edges, worth(p, nodes) / UNITS)._replace(**rest)  # type: ignore[arg-type]


def brute_force(problem: Problem, cardinality: Cardinality) -> Answer:
    """Best objective, then fewer memories, then the lexicographically smallest index tuple."""
    p = priced(problem)
    worths = {
        nodes: worth(p, nodes) for nodes in subsets(range(len(p.nodes)), p.sizes[cardinality])
    }
    best = max(worths.values())
    optima = sorted((len(nodes), nodes) for nodes, value in worths.items() if value == best)
    return _answer(p, optima[0][1], unique=len(optima) == 1)


def top_k(problem: Problem) -> tuple[int, ...]:
    ranked = sorted(range(len(problem.prizes)), key=lambda i: (-units(problem.prizes[i]), i))
    return tuple(sorted(ranked[: problem.budget]))


def best_subset(problem: Problem, nodes: Sequence[int]) -> Answer:
    """Stage 2: all non-empty subsets; ties to fewer memories, then to earlier proposal ranks."""
    p = priced(problem)
    ranked = sorted(nodes, key=lambda i: (-units(problem.prizes[i]), i))

    def order(ranks: tuple[int, ...]) -> tuple[int, int, tuple[int, ...]]:
        return (-worth(p, [ranked[r] for r in ranks]), len(ranks), ranks)

    best = min(subsets(range(len(ranked)), range(1, len(ranked) + 1)), key=order)
    return _answer(p, [ranked[r] for r in best])


def published(problem: Problem, cardinality: Cardinality) -> Answer:
    p = priced(problem)
    chosen = top_k(problem)
    swaps: list[tuple[int, int]] = []
    while True:
        now = worth(p, chosen)
        trials = []
        for removed, added in product(chosen, set(range(len(p.nodes))) - set(chosen)):
            trial = tuple(sorted({*chosen, added} - {removed}))
            trials.append((-worth(p, trial), trial, (removed, added)))
        best = min(trials, default=None)
        if best is None or -best[0] <= now:
            break
        _, chosen, swap = best
        swaps.append(swap)
    if cardinality == "exactly":
        return _answer(p, chosen, swaps=tuple(swaps))
    return best_subset(problem, chosen)._replace(swaps=tuple(swaps))


def greedy(problem: Problem, cardinality: Cardinality) -> Answer:
    """The memory that adds most, lower index first; "at most" stops when none adds anything."""
    p = priced(problem)
    chosen: list[int] = []
    while len(chosen) < p.sizes[cardinality][-1]:
        rest = [i for i in range(len(p.nodes)) if i not in chosen]
        best = max(rest, key=lambda i: worth(p, [*chosen, i]))  # max keeps the first of equals
        if cardinality == "at_most" and chosen and worth(p, [*chosen, best]) <= worth(p, chosen):
            break
        chosen.append(best)
    return _answer(p, chosen)


def components(problem: Problem) -> list[list[int]]:
    """The components of the graph of edges that are worth using."""
    label = list(range(len(problem.prizes)))
    for edge in priced(problem).edges:
        if edge.gain > 0:
            old, new = label[edge.candidate], label[edge.anchor]
            label = [new if x == old else x for x in label]
    return [[i for i, x in enumerate(label) if x == root] for root in sorted(set(label))]


def is_pseudoforest(problem: Problem) -> bool:
    pairs = {frozenset((e.anchor, e.candidate)) for e in priced(problem).edges if e.gain > 0}
    return all(
        sum(pair <= set(part) for pair in pairs) <= len(part) for part in components(problem)
    )


def best_by_components(problem: Problem, cardinality: Cardinality) -> float:
    """The optimum of a large problem with small components: brute force inside, then knapsack."""
    p = priced(problem)
    best = {0: 0}
    for part in components(problem):
        inside: dict[int, int] = {}
        for nodes in subsets(part, range(len(part) + 1)):
            inside[len(nodes)] = max(inside.get(len(nodes), -(10**30)), worth(p, nodes))
        merged: dict[int, int] = {}
        for (n, x), (m, y) in product(best.items(), inside.items()):
            merged[n + m] = max(merged.get(n + m, -(10**30)), x + y)
        best = merged
    return max(best[size] for size in p.sizes[cardinality]) / UNITS


def best_on_ring(problem: Problem, *, closed: bool) -> float:
    """Exactly K nodes of the path 0-1-...-n (closed: and back to 0), at most one edge per pair.

    One pass per state of node 0; `table[taken][last]` is the best so far. A closed ring needs
    K < n + 1: with all nodes taken one edge would have to go.
    """
    p = priced(problem)
    gain = {frozenset((e.anchor, e.candidate)): max(e.gain, 0) for e in p.edges}
    size, budget = len(p.nodes), p.sizes["exactly"][0]
    assert not closed or budget < size
    best = -(10**30)
    for first in (False, True):
        table = {(int(first), first): p.nodes[0] if first else 0}
        for i in range(1, size):
            after: dict[tuple[int, bool], int] = {}
            for ((taken, last), value), here in product(table.items(), (False, True)):
                new = value + (p.nodes[i] if here else 0)
                if here and last:
                    new += gain.get(frozenset((i - 1, i)), 0)
                key = (taken + here, here)
                if key[0] <= budget and new > after.get(key, -(10**30)):
                    after[key] = new
            table = after
        closing = gain.get(frozenset((size - 1, 0)), 0) if closed and first else 0
        for last in (False, True):
            if (budget, last) in table:
                best = max(best, table[budget, last] + (closing if last else 0))
    return best / UNITS


def relabelled(problem: Problem, new: Sequence[int]) -> Problem:
    """The same problem with node i called new[i]."""
    prizes = [0.0] * len(new)
    for i, prize in enumerate(problem.prizes):
        prizes[new[i]] = prize
    edges = tuple((new[a], new[c], w) for a, c, w in problem.edges)
    return dataclasses.replace(problem, prizes=tuple(prizes), edges=edges)


# Seeded instances, for counts that hypothesis would be slow to reach.

SCORES = tuple(0.99 * score / 5 for score in (0.5, 1, 2, 3, 4, 5))
TIED_PRIZES = (-0.1, 0.0, 0.2, 0.3, 0.3, 0.5)
TIED_WEIGHTS = (1.0, 0.99, 0.5, 0.5, 0.01)


def random_pseudoforest(rng: random.Random, size: int, budget: int, *, tied: bool) -> Problem:
    """Each candidate, anchors too, keeps at most one edge to one of the anchors."""
    anchors = rng.sample(range(size), rng.randint(1, size))
    edges = []
    for candidate in range(size):
        anchor = rng.choice(anchors)
        if anchor != candidate and rng.random() < 0.8:
            weight = rng.choice(TIED_WEIGHTS) if tied else rng.choice(SCORES)
            edges.append((anchor, candidate, weight))
    prizes = [rng.choice(TIED_PRIZES) if tied else rng.random() for _ in range(size)]
    kappa = rng.choice((0.0, 0.12, 0.2)) if tied else 0.2
    return forest_problem(prizes, edges, budget, kappa)


def random_graph(rng: random.Random, size: int, budget: int, edges: int) -> Problem:
    """Any pairs, also repeated and reversed."""
    links = []
    for _ in range(edges if size > 1 else 0):
        a, c = rng.sample(range(size), 2)
        links.append((a, c, rng.choice(TIED_WEIGHTS)))
    prizes = tuple(rng.choice(TIED_PRIZES) for _ in range(size))
    return forest_problem(prizes, links, budget, rng.choice((0.0, 0.12, 0.2)))


def published_shape(rng: random.Random) -> Problem:
    """M = 48, K = 10, ten anchors, weights 0.99 * score / 5, utilities with few decimals."""
    prizes = sorted((round(rng.random(), 2) for _ in range(48)), reverse=True)
    edges = []
    for candidate in range(48):
        anchor = rng.randrange(10)
        if anchor != candidate and rng.random() < 0.6:
            edges.append((anchor, candidate, rng.choice(SCORES)))
    return forest_problem(prizes, edges)


# Hypothesis.

CARDINALITIES = st.sampled_from(("at_most", "exactly"))
ZERO_GAIN = math.exp(-2)  # at kappa 0.2 and lambda 0.1


def prizes(size: int) -> st.SearchStrategy[list[float]]:
    spread = st.integers(-300, 1000).map(lambda n: n / 1000)
    tied = st.sampled_from((0.0, 0.2, 0.25, 0.5, 0.5, -0.2))
    return st.one_of(*(st.lists(each, min_size=size, max_size=size) for each in (tied, spread)))


@st.composite
def _costed(draw: st.DrawFn, size: int, edges: Sequence[tuple[int, int]]) -> Problem:
    """Prizes, weights and costs for a graph: mostly links that pay, sometimes any."""
    if draw(st.integers(0, 2)):
        weights = st.sampled_from((0.99, 0.99, 0.5, 1.0, 0.75, 0.198))
        kappa, lam = draw(st.sampled_from((0.2, 0.3))), 0.1
    else:
        weights = st.one_of(
            st.sampled_from((1.0, 0.99, ZERO_GAIN, 1e-300)),
            st.integers(1, 1000).map(lambda n: n / 1000),
        )
        kappa = draw(st.sampled_from((0.2, 0.12, 0.5, 0.0)))
        lam = draw(st.sampled_from((0.1, 0.1, 1.0, 0.0)))
    budgets = st.one_of(st.integers(1, size + 2), st.integers((size + 1) // 2, size))
    return forest_problem(
        draw(prizes(size)),
        [(a, c, draw(weights)) for a, c in edges],
        budget=draw(budgets),
        opening_cost=kappa,
        edge_cost_weight=lam,
    )


@st.composite
def pseudoforests(draw: st.DrawFn, most: int = 12) -> Problem:
    """Each candidate at most one edge to an anchor, so anchors form mutual pairs and cycles.

    Edges may stand twice or the other way round: between the same two they close no cycle.
    """
    size = draw(st.integers(1, most))
    anchors = draw(st.sets(st.integers(0, size - 1), min_size=min(4, size)))
    edges = []
    for candidate in range(size):
        anchor = draw(st.sampled_from([*sorted(anchors), candidate]))  # itself: no edge
        if anchor != candidate:
            pair = (anchor, candidate)
            edges += draw(st.sampled_from(([pair], [pair], [pair, pair], [pair, pair[::-1]])))
    return draw(_costed(size, edges))


@st.composite
def unicyclic(draw: st.DrawFn, most: int = 12) -> Problem:
    """One cycle of 2 to `most` anchors in any order, and the rest hanging on what came before."""
    nodes = draw(st.permutations(range(draw(st.integers(2, most)))))
    length = draw(st.integers(2, len(nodes)))
    edges = [(nodes[i], nodes[(i + 1) % length]) for i in range(length)]
    edges += [(nodes[draw(st.integers(0, i - 1))], nodes[i]) for i in range(length, len(nodes))]
    return draw(_costed(len(nodes), edges))


@st.composite
def graphs(draw: st.DrawFn, most: int = 7, most_edges: int = 14) -> Problem:
    """Any graph, with repeated and reversed edges."""
    size = draw(st.integers(1, most))
    ends = st.tuples(st.integers(0, size - 1), st.integers(0, size - 1))
    pairs = st.lists(
        ends.filter(lambda e: e[0] != e[1]),
        min_size=draw(st.sampled_from((most_edges, most_edges, 0))),
        max_size=most_edges,
    )
    return draw(_costed(size, draw(pairs) if size > 1 else []))


def problems() -> st.SearchStrategy[Problem]:
    return st.one_of(pseudoforests(), unicyclic(), graphs())
