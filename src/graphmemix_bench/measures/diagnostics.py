"""Diagnostics of METHOD section 8: pure functions of frozen cases, without any model.

They ask what retrieval left within reach, what the links brought back, and what the search did.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from graphmemix.errors import InvalidDataError
from graphmemix.optimize.problem import GRID, Gains, Problem, TrustedEdge
from graphmemix.optimize.published import solve_with_trace
from graphmemix.optimize.select import Method, solve
from graphmemix.record import Record
from graphmemix.settings import ForestSettings
from graphmemix_bench.measures.evidence import evidence_values
from graphmemix_bench.measures.intervals import Estimate, mean_interval
from graphmemix_bench.selectors import Pool

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence


DIRECT_DEPTH = 10
"""Gold in the source's first ten is found directly."""

FIXED_WEIGHT = 0.99
"""What every eligible schema link weighs in the fixed-edge variant."""

_FOREST = ForestSettings()


@dataclass(frozen=True)
class FrozenCase(Record):
    """A question after verification: all that selectors and diagnostics may look at.

    Attributes:
        context: The archive that it was asked of.
        question: Its id there.
        type: The data set's kind of question.
        gold: The memories that hold the answer.
        source: The source's ranking, before any expansion; at least its first ten.
        candidates: ``C_q`` in retrieval order.
        utilities: ``p_i`` of each candidate.
        edges: Trusted links, as indices (anchor, candidate, weight).
        eligible: All schema links that the edge verifier was asked about, as indices.
        proposal: The K memories that were selected.
        refined: Those that the reader gets.
    """

    context: str
    question: str
    type: str
    gold: tuple[str, ...]
    source: tuple[str, ...]
    candidates: tuple[str, ...]
    utilities: tuple[float, ...]
    edges: tuple[TrustedEdge, ...] = ()
    eligible: tuple[tuple[int, int], ...] = ()
    proposal: tuple[str, ...] = ()
    refined: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(self.candidates) != len(self.utilities):
            raise InvalidDataError(
                f"case {self.question!r}: {len(self.candidates)} candidates have "
                f"{len(self.utilities)} utilities"
            )


@dataclass(frozen=True)
class GoldAccessibility(Record):
    """Where the gold was, in percent of all gold memories."""

    direct: float
    recoverable: float
    no_access: float
    gold: int


@dataclass(frozen=True)
class StructuralRecovery(Record):
    """What the links brought back.

    Attributes:
        recoverable_questions: R.Q.: questions with gold in ``C_q`` but not in the source's ten.
        recovered_questions: C.Q.: those of which at least one such memory was selected.
        rate: C.Q. / R.Q., in percent.
        share: Recovered gold in percent of all gold that was selected.
    """

    recoverable_questions: int
    recovered_questions: int
    rate: float
    share: float


@dataclass(frozen=True)
class NetGold(Record):
    """Gold gained over top-K ``p`` on the questions where there is some to gain (eq. 16)."""

    net: int
    questions: int


@dataclass(frozen=True)
class EdgeComparison(Record):
    """Every eligible link at 0.99 beside the links that the verifier trusts; means over questions.

    Attributes:
        fixed_edges: Links in the forest.
        ecv_edges: The same.
        fixed_components: Trees of the forest.
        ecv_components: The same.
        fixed_hit: Hit@K, in percent.
        ecv_hit: The same.
    """

    fixed_edges: float
    ecv_edges: float
    fixed_components: float
    ecv_components: float
    fixed_hit: float
    ecv_hit: float


@dataclass(frozen=True)
class SearchTrace(Record):
    """What the published search did.

    Attributes:
        swap_gains: The mean rise of the objective by the first, second, ... accepted swap, over the
            questions that accepted so many.
        cumulative: The mean rise after one, two, ... swaps over all questions; one that accepted
            fewer keeps its last sum, one without swaps counts 0. (reading of the paper's figure)
        swaps: The gains of each question's swaps, in order.
        edge_gains: The mean sum of gains of the first one, two, ... accepted Kruskal edges, over
            the questions with an edge; a question with fewer keeps its last sum.
        questions: How many were searched.
        improved: How many accepted a swap.
    """

    swap_gains: tuple[Estimate, ...]
    edge_gains: tuple[Estimate, ...]
    questions: int
    improved: int
    cumulative: tuple[Estimate, ...] = ()
    swaps: tuple[tuple[float, ...], ...] = ()


def gold_accessibility(cases: Iterable[FrozenCase]) -> GoldAccessibility:
    """Return the shares of gold found directly, within reach, and out of reach.

    (reading) Shares are of all gold memories of all questions together.
    """
    direct = recoverable = total = 0
    for case in cases:
        first, pool, gold = _reach(case)
        direct += len(gold & first)
        recoverable += len((gold & pool) - first)
        total += len(gold)
    nowhere = total - direct - recoverable
    return GoldAccessibility(
        direct=_percent(direct, total),
        recoverable=_percent(recoverable, total),
        no_access=_percent(nowhere, total),
        gold=total,
    )


def structural_recovery(
    cases: Iterable[FrozenCase], *, received: bool = False
) -> StructuralRecovery:
    """Return how much of the gold within reach was selected.

    Args:
        cases: The frozen cases.
        received: Count what the reader receives instead of the K memories of the proposal.
    """
    could = did = recovered = retained = 0
    for case in cases:
        first, pool, gold = _reach(case)
        within = (gold & pool) - first
        kept = gold & set(case.refined if received else case.proposal)
        could += bool(within)
        did += bool(within & kept)
        recovered += len(within & kept)
        retained += len(kept)
    return StructuralRecovery(could, did, _percent(did, could), _percent(recovered, retained))


def net_gold(
    cases: Sequence[FrozenCase],
    picks: Sequence[Collection[str]],
    top_k: Sequence[Collection[str]] | None = None,
) -> NetGold:
    """Return eq. 16: gold selected minus gold in top-K ``p``, where the pool holds more than that.

    Args:
        cases: The frozen cases.
        picks: What a selector chose for each, in the same order. K is its number of picks.
        top_k: The top-K of each, if not by utility: the local verifier's is by chance.
    """
    net = questions = 0
    best = top_k or [_top(case, len(chosen)) for case, chosen in zip(cases, picks, strict=True)]
    for case, chosen, first in zip(cases, picks, best, strict=True):
        gold = set(case.gold)
        top = len(gold & set(first))
        if len(gold & set(case.candidates)) > top:
            questions += 1
            net += len(gold & set(chosen)) - top
    return NetGold(net, questions)


def edge_comparison(
    cases: Iterable[FrozenCase], *, settings: ForestSettings = _FOREST, method: Method = "published"
) -> EdgeComparison:
    """Return the forests of fixed edges beside those of trusted edges, on the K-node proposal.

    Fixed edges make general graphs; with `method` "exact" they go to the MILP, which is slow.
    """
    rows: list[tuple[float, ...]] = []
    for case in cases:
        fixed = tuple((anchor, other, FIXED_WEIGHT) for anchor, other in case.eligible)
        rows.append(
            (*_shape(case, fixed, settings, method), *_shape(case, case.edges, settings, method))
        )
    if not rows:
        return EdgeComparison(0, 0, 0, 0, 0, 0)
    means = [fmean(column) for column in zip(*rows, strict=True)]
    return EdgeComparison(means[0], means[3], means[1], means[4], means[2], means[5])


def search_trace(cases: Iterable[FrozenCase], *, settings: ForestSettings = _FOREST) -> SearchTrace:
    """Run the published search on every case; return its gains with 95 % intervals."""
    swaps: list[list[float]] = []
    sums: list[list[float]] = []
    for case in cases:
        problem = _problem(case, case.edges, settings)
        solution, accepted = solve_with_trace(problem, "exactly")
        swaps.append([swap.gain for swap in accepted])
        gains = [link.gain * GRID for link in Gains(problem).forest(solution.nodes)]
        if gains:
            sums.append(list(np.cumsum(gains)))
    longest = max(map(len, sums), default=0)
    filled = [row + row[-1:] * (longest - len(row)) for row in sums]
    return SearchTrace(
        swap_gains=tuple(_by_position(swaps)),
        edge_gains=tuple(_by_position(filled)),
        questions=len(swaps),
        improved=sum(map(bool, swaps)),
        cumulative=merged_trace(swaps),
        swaps=tuple(map(tuple, swaps)),
    )


def merged_trace(swaps: Sequence[Sequence[float]]) -> tuple[Estimate, ...]:
    """Return the mean sum of gains after one, two, ... swaps, over all questions."""
    longest = max(map(len, swaps), default=0)
    sums = [list(np.cumsum([*row, *[0.0] * (longest - len(row))])) for row in swaps]
    return tuple(_by_position(sums))


def _by_position(rows: list[list[float]]) -> list[Estimate]:
    longest = max(map(len, rows), default=0)
    return [
        mean_interval([row[place] for row in rows if len(row) > place]) for place in range(longest)
    ]


def _shape(
    case: FrozenCase, edges: tuple[TrustedEdge, ...], settings: ForestSettings, method: Method
) -> tuple[float, float, float]:
    """Return edges, components and hit of a proposal."""
    solution = solve(_problem(case, edges, settings), method, "exactly")
    chosen = [case.candidates[node] for node in solution.nodes]
    trees = len(solution.nodes) - len(solution.edges)
    return len(solution.edges), trees, evidence_values(chosen, case.gold).hit


def _problem(case: FrozenCase, edges: tuple[TrustedEdge, ...], settings: ForestSettings) -> Problem:
    return Problem(
        case.utilities,
        edges,
        settings.budget,
        settings.proposal_opening_cost,
        settings.edge_cost_weight,
    )


def _top(case: FrozenCase, budget: int) -> tuple[str, ...]:
    pool = Pool(case.utilities)
    return tuple(case.candidates[node] for node in pool.by_prize(range(pool.size))[:budget])


def _reach(case: FrozenCase) -> tuple[set[str], set[str], set[str]]:
    return set(case.source[:DIRECT_DEPTH]), set(case.candidates), set(case.gold)


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0
