"""The two stages of selection (METHOD section 5): propose exactly K, then refine inside."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from graphmemix.optimize import published
from graphmemix.optimize.order import Tree, arrange
from graphmemix.optimize.problem import Cardinality, Gains, Problem, Solution, TrustedEdge
from graphmemix.optimize.solve import Method, solve
from graphmemix.settings import ForestSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphmemix.optimize.published import Swap

_DEFAULTS = ForestSettings()


@dataclass(frozen=True)
class Selection:
    """What was chosen, and how.

    Attributes:
        forest: The refined trees in the order of serialisation, each with its root first.
        proposal: The forest of exactly K memories on which evidence metrics are measured. With
            `single_stage` it is the same as `refinement`.
        refinement: The forest that the reader gets, in the indices of the original problem.
        swaps: The accepted swaps of method `published`; empty for the others.
        objective_before: The objective of the K candidates of highest prize, before any search.
        objective_after: The objective of the proposal, at the same opening cost.
    """

    forest: tuple[Tree, ...]
    proposal: Solution
    refinement: Solution
    swaps: tuple[Swap, ...]
    objective_before: float
    objective_after: float

    @property
    def roots(self) -> tuple[int, ...]:
        """The root of each tree, best first."""
        return tuple(tree.root for tree in self.forest)

    @property
    def order(self) -> tuple[int, ...]:
        """The refined memories in the order in which the reader gets them."""
        return tuple(node for tree in self.forest for node in tree.nodes)


def select(
    prizes: Sequence[float],
    edges: Sequence[TrustedEdge] = (),
    *,
    budget: int = _DEFAULTS.budget,
    proposal_opening_cost: float = _DEFAULTS.proposal_opening_cost,
    refinement_opening_cost: float = _DEFAULTS.refinement_opening_cost,
    edge_cost_weight: float = _DEFAULTS.edge_cost_weight,
    method: Method = _DEFAULTS.method,
    single_stage: bool = _DEFAULTS.single_stage,
) -> Selection:
    """Choose the memories that answer together.

    Args:
        prizes: ``p_i``, in retrieval order.
        edges: Trusted links ``(anchor, candidate, weight)``.
        budget: ``K``.
        proposal_opening_cost: ``kappa`` of the proposal (and of `single_stage`).
        refinement_opening_cost: ``kappa`` of the refinement.
        edge_cost_weight: ``lambda``.
        method: ``exact``, or another solver for both stages.
        single_stage: Solve "at most K" over all candidates at the proposal's opening cost instead.

    Raises:
        InvalidProblemError: Names the invalid item.
        MissingExtraError: The MILP is needed and scipy is not installed.
    """
    problem = Problem(tuple(prizes), tuple(edges), budget, proposal_opening_cost, edge_cost_weight)
    swaps: tuple[Swap, ...] = ()
    cardinality: Cardinality = "at_most" if single_stage else "exactly"
    if method == "published":
        proposal, swaps = published.solve_with_trace(problem, cardinality)
    else:
        proposal = solve(problem, method, cardinality)
    refinement = proposal
    if not single_stage:
        refinement = _refined(problem, proposal, method, refinement_opening_cost)
    gains = Gains(problem)
    start = gains.solution(published.top_k(gains), proven_optimal=False, method="top_k")
    return Selection(
        forest=arrange(refinement.nodes, refinement.edges, problem.prizes),
        proposal=proposal,
        refinement=refinement,
        swaps=swaps,
        objective_before=start.objective,
        objective_after=proposal.objective,
    )


def _refined(problem: Problem, proposal: Solution, method: Method, opening_cost: float) -> Solution:
    """Solve inside the proposal. Its nodes go in by rank, so that ties go to earlier ranks."""
    ranked = published.by_rank(problem, proposal.nodes)
    inside = solve(problem.restricted_to(ranked, opening_cost=opening_cost), method, "at_most")
    return Gains(replace(problem, opening_cost=opening_cost)).solution(
        [ranked[node] for node in inside.nodes],
        proven_optimal=inside.proven_optimal,
        method=inside.method,
    )
