"""Makes the evidence forest from verdicts, with ids and roles (METHOD sections 5 and 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from graphmemix.evidence import EvidenceNode, EvidenceTree, Forest
from graphmemix.optimize.select import select
from graphmemix.settings import ForestSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphmemix.evidence import Increment, Support, Terms
    from graphmemix.optimize.order import Tree
    from graphmemix.optimize.problem import TrustedEdge
    from graphmemix.optimize.solve import Method

_METHOD: Final = ForestSettings().method


def forest_of(
    supports: Sequence[Support],
    increments: Sequence[Increment],
    terms: Terms,
    method: Method = _METHOD,
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
