"""Chooses the evidence forest: solvers by name, the two stages of selection, the result with ids.

METHOD section 5: propose exactly K, then refine inside. METHOD section 6: in the result the root of
a tree comes first, then the others breadth-first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

from graphmemix.errors import InvalidInputError
from graphmemix.evidence import EvidenceNode, EvidenceTree, Forest, Terms, evidence_chance
from graphmemix.optimize import exact, greedy, milp, published
from graphmemix.optimize.problem import (
    Cardinality,
    Gains,
    Problem,
    Solution,
    TrustedEdge,
    by_rank,
    top_k,
)
from graphmemix.settings import ForestSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from graphmemix.evidence import Increment, Scale, Support
    from graphmemix.optimize.published import Swap
    from graphmemix.settings import Settings


Method: TypeAlias = Literal["exact", "published", "milp", "greedy"]

_SOLVERS: Final[Mapping[Method, Callable[[Problem, Cardinality], Solution]]] = {
    "exact": exact.solve,
    "published": published.solve,
    "milp": milp.solve,
    "greedy": greedy.solve,
}


def solve(
    problem: Problem, method: Method = "exact", cardinality: Cardinality = "at_most"
) -> Solution:
    """Return a forest for `problem`.

    Args:
        problem: What to solve.
        method: ``exact`` (optimal, polynomial on pseudoforests, MILP on others), ``published``
            (the paper's swap search and subset enumeration), ``milp`` (HiGHS, any graph) or
            ``greedy`` (forward selection).
        cardinality: ``at_most`` the budget and not empty, or ``exactly`` the budget (all candidates
            if there are fewer).

    Raises:
        InvalidInputError: Unknown method or cardinality.
        MissingExtraError: The MILP is needed and scipy is not installed.
    """
    require_known("method", method, tuple(_SOLVERS))
    require_known("cardinality", cardinality, get_args(Cardinality))
    return _SOLVERS[method](problem, cardinality)


def require_known(what: str, given: str, known: tuple[str, ...]) -> None:
    """Raise `InvalidInputError` unless `given` is one of `known`."""
    if given not in known:
        raise InvalidInputError(f"{what} must be one of {', '.join(known)}, not {given!r}")


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
    start = gains.solution(top_k(gains), proven_optimal=False, method="top_k")
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
    ranked = by_rank(problem, proposal.nodes)
    inside = solve(problem.restricted_to(ranked, opening_cost=opening_cost), method, "at_most")
    return Gains(replace(problem, opening_cost=opening_cost)).solution(
        [ranked[node] for node in inside.nodes],
        proven_optimal=inside.proven_optimal,
        method=inside.method,
    )


_Link: TypeAlias = tuple[int, int, float]


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
    nodes: Iterable[int], links: Iterable[_Link], prizes: Sequence[float]
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


def forest_of(
    supports: Sequence[Support],
    increments: Sequence[Increment],
    terms: Terms,
    method: Method = _DEFAULTS.method,
) -> Forest | None:
    """Return the best forest for these verdicts; None without candidates.

    A pure function of its arguments: a saved trace yields the same forest again.

    Args:
        supports: One per candidate, in retrieval order.
        increments: Links with positive weight are trusted.
        terms: Costs and budget, from the verdict.
        method: The solver.
    """
    if not supports:
        return None
    ids = [support.memory_id for support in supports]
    links = trusted_links(supports, increments)
    selection = select(
        [support.utility + terms.raised for support in supports],
        links,
        budget=min(terms.budget, len(ids)),
        proposal_opening_cost=terms.proposal_opening_cost,
        refinement_opening_cost=terms.refinement_opening_cost,
        edge_cost_weight=terms.edge_cost_weight,
        method=method,
        single_stage=terms.single_stage,
    )
    by_id = {increment.memory_id: increment for increment in increments}
    return Forest(
        trees=tuple(_named(tree, supports, by_id, terms) for tree in selection.forest),
        proposal=tuple(ids[node] for node in selection.proposal.nodes),
        objective=selection.refinement.objective,
        method=selection.refinement.method,
        proven_optimal=selection.proposal.proven_optimal and selection.refinement.proven_optimal,
        links=tuple((ids[anchor], ids[node]) for anchor, node, _ in selection.proposal.edges),
        objective_before=selection.objective_before,
        objective_after=selection.objective_after,
        swaps=len(selection.swaps),
        terms=terms,
    )


def least_chance(settings: Settings, talk: float) -> float:
    """Return the chance below which no memory is shown, in this much of a conversation.

    Turns of a conversation are short and many, so that even evidence has small chances there.
    """
    local = settings.local
    return between(local.least_chance, local.least_chance_in_talk, talk)


def between(of_archives: float, of_conversations: float, talk: float) -> float:
    """Return a setting for what is this much of a conversation, from 0 to 1."""
    return (1 - talk) * of_archives + talk * of_conversations


def terms_of(
    settings: Settings, scale: Scale, supports: Sequence[Support] = (), talk: float = 0.0
) -> Terms:
    """Return the prices at which a forest is chosen, for verdicts on this scale (METHOD section 5).

    Utilities use the published prices of section `forest`. Chances are small numbers whose opening
    cost must leave room for the gains of links, so section `local` has its own cost for both
    stages. `raised` is added to every chance before the search. It does not change which K
    memories are proposed, only which of them stay after refinement.

    Args:
        settings: Sections `forest` and `local`.
        scale: What the numbers of the verdict mean.
        supports: The verdict on the candidates. Where nothing is sure, a small chance is worth
            showing; beside a sure memory it is not.
        talk: How much of a conversation the candidates are, from 0 to 1.
    """
    forest, local = settings.forest, settings.local
    if scale == "chance":
        proposal = refinement = local.opening_cost
        likeliest = max((evidence_chance(support) for support in supports), default=1.0)
        least = max(local.keep_above * likeliest, least_chance(settings, talk))
        raised = local.opening_cost - least
    else:
        proposal, refinement = forest.proposal_opening_cost, forest.refinement_opening_cost
        raised = 0.0
    return Terms(
        budget=forest.budget,
        proposal_opening_cost=proposal,
        refinement_opening_cost=proposal if forest.single_stage else refinement,
        edge_cost_weight=forest.edge_cost_weight,
        raised=raised,
        single_stage=forest.single_stage,
        scale=scale,
        talk=talk,
    )


def trusted_links(
    supports: Sequence[Support], increments: Sequence[Increment]
) -> list[TrustedEdge]:
    """Return the trusted links as (anchor, candidate, weight), by candidate index."""
    index = {support.memory_id: i for i, support in enumerate(supports)}
    return [
        (index[increment.anchor_id], index[increment.memory_id], increment.weight)
        for increment in increments
        if increment.weight > 0 and increment.anchor_id is not None
    ]


def _named(
    tree: Tree, supports: Sequence[Support], increments: dict[str, Increment], terms: Terms
) -> EvidenceTree:
    nodes = []
    for node, parent in zip(tree.nodes, tree.parents, strict=True):
        support = supports[node]
        if parent is None:
            nodes.append(EvidenceNode(support.memory_id, support.utility))
            continue
        parent_id = supports[parent].memory_id
        link = _link(increments, support.memory_id, parent_id)
        gain = terms.gain(link.weight)
        nodes.append(
            EvidenceNode(
                support.memory_id, support.utility, parent_id, link.role, link.weight, gain
            )
        )
    return EvidenceTree(tuple(nodes))


def _link(increments: dict[str, Increment], memory_id: str, parent_id: str) -> Increment:
    """Return the increment of a link, in either direction.

    Two memories may be each other's anchors; then the forest used the heavier of the two links.
    """
    pairs = ((memory_id, parent_id), (parent_id, memory_id))
    found = [
        increments[node]
        for node, anchor in pairs
        if node in increments and increments[node].anchor_id == anchor
    ]
    return max(found, key=lambda increment: increment.weight)
